"""Replay: a match from its events, and its position at any ply of the surviving line."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.effects import Effect, Ended, Moved, Rolled, Step, Withdrew
from plyscribe.domain.errors import Unknown
from plyscribe.domain.match import LINE, Interlude, Match, Play, PlayedMove, damaged, fold
from plyscribe.domain.ruleset import AnyRuleset, Roll, Turn


class Position(NamedTuple):
    """A state with its place. `version` is the last event folded into it; `turn` is None if nothing is awaited."""

    version: int
    ply: int
    state: Any
    turn: Turn | None


class TakenStep(NamedTuple):
    """A step of the surviving line, with the states around it.

    `version` is that of its event; all steps that a fork copied have the version of its line. `ply` is the number of
    moves up to and including this step. `seat` made the move, rolled or left; None for a roll of the table and for an
    agreed draw. `notation` is that of a move.
    """

    version: int
    ply: int
    step: Step
    seat: int | None
    notation: str | None
    before: Any
    after: Any

    def list_effects(self, ruleset: AnyRuleset) -> tuple[Effect, ...]:
        """What the step did, in order."""
        return ruleset.effects(self.before, self.step, self.after)


def replay(stream: str, entries: Iterable[StoredEvent]) -> Match:
    """The match folded from these events, up to the first fault, which is in `fault`; never fails."""
    return fold(Match(stream), entries)


def has_settled(match: Match, ply: int) -> bool:
    """Whether the position at a ply is final: the next move was made, and no recorder can take it back."""
    return match.play is not None and match.life.created.recorder is None and match.play.ply > ply


def position_at(match: Match, ply: int) -> Position:
    """The position just before move `ply` + 1, after all rolls and withdrawals; Unknown if there is no such ply.

    Of a damaged match there are the positions up to the event at fault; WrongTime for those after it.
    """
    play = match.play
    if match.fault and (play is None or ply > play.ply):
        raise damaged(match.fault)
    if play is None:
        raise Unknown("position/unknown", "the first position of this match cannot be read")
    if not 0 <= ply <= play.ply:
        raise Unknown("position/unknown", f"the match has positions 0..{play.ply}, not {ply}", ply=play.ply)
    if ply == play.ply and match.fault:
        # The play stands just before the fault. What has happened to the match since is not part of this position.
        turn = None if match.life.status == "open" else play.turn
        return Position(match.fault.version - 1, ply, play.state, turn)
    if ply == play.ply:
        return Position(match.version, ply, play.state, match.turn)
    step = play.steps[ply]
    # A fork copies its line in one event, which passes all of its positions at once.
    version = step.version if step.is_copied else step.version - 1
    return Position(version, ply, step.state, play.ruleset.turn(step.state))


def list_steps(play: Play, first: int = 0, last: int | None = None) -> Iterator[TakenStep]:
    """The steps that led to the positions `first` to `last`, in order; by default all steps of the surviving line.

    To a position lead the move before it, then the rolls, the withdrawals and the agreed draw after that move. Only as
    many moves are looked at as there are positions.
    """
    end = play.ply if last is None else min(last, play.ply)
    moves = zip(range(max(first, 1), end + 1), play.steps[max(first, 1) - 1 : end], strict=True)
    others = play.between[bisect_left(play.between, first, key=_PLY) : bisect_right(play.between, end, key=_PLY)]
    both: list[tuple[int, PlayedMove | Interlude]] = [*moves, *((each.ply, each) for each in others)]
    # A move stays before what follows it at the same ply.
    line = sorted(both, key=itemgetter(0))
    until = play.steps[end].state if end < play.ply else play.state
    after = [*(step.state for _, step in line[1:]), until]
    for (ply, step), state in zip(line, after, strict=False):
        yield _take(play.ruleset, ply, step, state)


def find_step(play: Play, version: int) -> TakenStep | None:
    """The step whose event has this version; None if it was taken back, or if a fork copied its line in that event."""
    return find_steps(play, [version]).get(version)


def find_steps(play: Play, versions: Collection[int]) -> dict[int, TakenStep]:
    """The steps whose events have these versions, without those that `find_step` does not find.

    All moves between the first and the last of them are looked at.
    """
    wanted = set(versions) - {LINE}
    if not wanted:
        return {}
    first, last = (bisect_right(play.steps, version, key=_VERSION) for version in (min(wanted), max(wanted)))
    return {taken.version: taken for taken in list_steps(play, first, last) if taken.version in wanted}


_PLY, _VERSION = attrgetter("ply"), attrgetter("version")


def _take(ruleset: AnyRuleset, ply: int, step: PlayedMove | Interlude, after: Any) -> TakenStep:
    if isinstance(step, PlayedMove):
        move = Moved(ruleset.parse_move(step.state, step.move))
        return TakenStep(step.version, ply, move, step.seat, step.move, step.state, after)
    if step.values:
        turn = ruleset.turn(step.state)
        seat = turn.seat if isinstance(turn, Roll) else None
        return TakenStep(step.version, ply, Rolled(step.values), seat, None, step.state, after)
    done = Ended() if step.seat is None else Withdrew(step.seat)
    return TakenStep(step.version, ply, done, step.seat, None, step.state, after)
