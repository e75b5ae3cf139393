"""Decisions of those who direct a match on its clocks: pauses, and time that a seat is given or that it loses."""

from plyscribe.domain.clocks import read_timing
from plyscribe.domain.commands import Actor, AdjustClock, PauseMatch, ResumeMatch
from plyscribe.domain.deadlines import find_time_left
from plyscribe.domain.decide.ends import MAX_CAUSE_LENGTH
from plyscribe.domain.decide.who import Deciders, require_director, require_playing, require_seat, require_unpaused
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.events import ClockAdjusted, MatchPaused, MatchResumed
from plyscribe.domain.limits import MAX_MATCH_MS, MAX_MOVE_MS, MIN_LIMIT_MS
from plyscribe.domain.match import Lifecycle, Match, Play
from plyscribe.domain.names import is_printable
from plyscribe.domain.ruleset import Decision

MAX_ADJUSTMENT_MS = MAX_MOVE_MS


def _decide_pause(command: PauseMatch, life: Lifecycle, draft: Draft) -> None:
    require_may_pause(command.actor, life, draft.play)
    _check_why(command.why)
    draft.require_room()
    draft.emit(MatchPaused(command.why))


def require_may_pause(actor: Actor, life: Lifecycle, play: Play) -> None:
    """Refusal unless the actor directs the match, which is under way and not paused."""
    require_director(actor, life)
    require_playing(life)
    require_unpaused(play)


def _decide_resume(command: ResumeMatch, life: Lifecycle, draft: Draft) -> None:
    require_may_resume(command.actor, life, draft.play)
    if command.why is not None:
        _check_why(command.why)
    # Also in a match that is full: one that stayed paused would never end.
    draft.emit(MatchResumed(command.why))


def require_may_resume(actor: Actor, life: Lifecycle, play: Play) -> None:
    """Refusal unless the actor directs the match, which is paused."""
    require_director(actor, life)
    require_playing(life)
    if play.pause is None:
        raise WrongTime("match/not-paused", "the match is not paused")


def _decide_adjust(command: AdjustClock, life: Lifecycle, draft: Draft) -> None:
    require_may_adjust(command.actor, draft.match, command.seat)
    _check_why(command.why)
    draft.require_room()
    if not MIN_LIMIT_MS <= abs(command.add_ms) <= MAX_ADJUSTMENT_MS:
        bounds = f"{MIN_LIMIT_MS}..{MAX_ADJUSTMENT_MS} milliseconds, or as many less"
        raise WrongValue("clock/range", f"add_ms must be {bounds}, not {command.add_ms}")
    left = find_time_left(draft.match, command.seat, command.at) or 0
    if command.add_ms < 0 and left + command.add_ms < MIN_LIMIT_MS:
        why = f"seat {command.seat} has {left} ms left: leave it {MIN_LIMIT_MS} ms at least"
        raise WrongTime("clock/too-little", why, seat=command.seat, left_ms=left)
    if command.add_ms > 0 and left + command.add_ms > MAX_MATCH_MS:
        why = f"seat {command.seat} has {left} ms left, and no clock goes beyond {MAX_MATCH_MS} ms"
        raise WrongTime("clock/too-much", why, seat=command.seat, left_ms=left)
    draft.emit(ClockAdjusted(command.seat, command.add_ms, command.why))


def require_may_adjust(actor: Actor, match: Match, seat: int) -> None:
    """Refusal unless the actor directs the match, which is under way, and the seat is in play and has a clock.

    A seat that has time for each move alone must be on turn.
    """
    life, play, limits = match.life, match.play, match.life.created.limits
    require_director(actor, life)
    require_playing(life)
    require_seat(life, seat)
    if limits is None:
        raise WrongTime("clock/none", "the match has no limits, so no clock runs")
    if play is None or seat in play.left:
        raise WrongTime("seat/not-in-play", f"seat {seat} is not in play", seat=seat)
    if not read_timing(limits, seat).phases and play.turn != Decision(seat):
        why = f"seat {seat} has time for each move alone: its clock can be changed when it is on turn"
        raise WrongTime("clock/not-running", why, seat=seat)


def _check_why(why: str) -> None:
    if not (1 <= len(why) <= MAX_CAUSE_LENGTH and is_printable(why)):
        raise WrongValue("clock/why", f"why is a text of 1 to {MAX_CAUSE_LENGTH} printable characters")


DECIDERS: Deciders = {PauseMatch: _decide_pause, ResumeMatch: _decide_resume, AdjustClock: _decide_adjust}
"""The deciders of this module, by command type."""
