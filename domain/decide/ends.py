"""Decisions that end a match, and those that follow the end: verdict, score, annulment."""

from collections.abc import Sequence

from plyscribe.domain.commands import AbortMatch, Actor, AnnulMatch, RecordVerdict, RevealDice, ScoreMatch
from plyscribe.domain.counting import counts, leaving_aborts
from plyscribe.domain.decide.who import (
    Deciders,
    actor_of,
    is_creator,
    is_recorder,
    predates_judging,
    refuse_own_match,
    require_revealed,
    require_system,
    seats_held,
    sits_in,
)
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import Refusal, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import (
    BuiltIn,
    MatchAborted,
    MatchAnnulled,
    MatchRefuted,
    MatchScored,
    MatchVerified,
    SharedDice,
)
from plyscribe.domain.match import Lifecycle, Match

MAX_CAUSE_LENGTH = 200


def _decide_abort(command: AbortMatch, life: Lifecycle, draft: Draft) -> None:
    _require_not_over(life)
    if not 1 <= len(command.cause) <= MAX_CAUSE_LENGTH:
        raise WrongValue("match/abort-cause", f"the cause is a text of 1 to {MAX_CAUSE_LENGTH} characters")
    actor = actor_of(command, life)
    try:
        require_may_abort(actor, draft.match)
    except Refusal:
        if actor is not command.actor:
            raise refuse_own_match() from None
        raise
    held = seats_held(actor, life) if life.status == "playing" and life.created.counts_from else []
    abort(draft, MatchAborted(command.cause, held[0] if held else None))


def abort(draft: Draft, aborted: MatchAborted) -> None:
    """End the match without an outcome and reveal its dice, unless other matches share them."""
    draft.emit(aborted)
    draft.reveal_own()


def require_may_abort(actor: Actor, match: Match) -> None:
    """Refusal unless the actor may end the match without an outcome now.

    The creator may before the start, and at any time if built-in bots alone play, in no tournament. During play the
    recorder, an organiser and the system may at any time, and a seat before its own first move; in a rated match that
    tells from when it counts, a seat may until then. If the match is full, is not rated and belongs to no tournament,
    the creator and every seat may.
    """
    life = match.life
    _require_not_over(life)
    if life.status == "playing":
        _require_may_abort_under_way(actor, match)
    elif not is_creator(actor, life):
        raise WrongPerson("match/not-yours", "only the creator aborts a match that has not started")


def _require_not_over(life: Lifecycle) -> None:
    if life.status not in ("open", "playing"):
        raise WrongTime("match/over", f"the match is {life.status}", match_status=life.status)


def _require_may_abort_under_way(actor: Actor, match: Match) -> None:
    life, play, is_old = match.life, match.play, match.life.created.counts_from is None
    # A table that could abort its match could play until it likes the beginning.
    if actor.role in ("organiser", "system") or (is_recorder(actor, life) and is_old and actor.role != "table"):
        return
    if is_creator(actor, life) and _is_of_bots_alone(life):
        return
    held = seats_held(actor, life)
    if match.is_full and (held or is_creator(actor, life)) and not _deprives(life):
        return
    if not held:
        raise WrongPerson("seat/not-yours", "you hold no seat in this match")
    if life.created.tournament is not None:
        # An aborted match of a tournament is played again: players could abort until they like the beginning.
        raise WrongTime("match/under-way", "resign instead: a player cannot abort a match of a tournament")
    if not is_old:
        if not leaving_aborts(match):
            raise WrongTime("match/counts", "the match counts and cannot be aborted: withdraw instead, which is rated")
    elif play is None or any(step.seat in held and not step.is_copied for step in play.steps):
        raise WrongTime("match/under-way", "resign instead: you cannot abort after your first move")


def _deprives(life: Lifecycle) -> bool:
    """Whether an opponent may lose something if the match ends without an outcome, even if nobody can move."""
    return life.created.rated or life.created.tournament is not None


def _is_of_bots_alone(life: Lifecycle) -> bool:
    """Whether nobody is deprived of anything if the match ends, because built-in bots play it, in no tournament."""
    return life.created.tournament is None and all(isinstance(seat.occupant, BuiltIn) for seat in life.seats)


def _decide_reveal(command: RevealDice, life: Lifecycle, draft: Draft) -> None:
    draft.reveal(require_may_reveal(command.actor, life))


def require_may_reveal(actor: Actor, life: Lifecycle) -> SharedDice:
    """The shared dice of a match that is over, which the system may reveal now; Refusal if it may not."""
    require_system(actor)
    dice = life.created.dice
    if not isinstance(dice, SharedDice):
        raise WrongValue("dice/shared", "this match shares no dice: its own are revealed at its end")
    if life.status in ("open", "playing"):
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)
    if life.secret is not None:
        raise WrongTime("dice/revealed", "the dice are revealed")
    return dice


def decide_verdict(command: RecordVerdict, match: Match) -> Draft:
    """The draft of a verdict. Works without a readable lifecycle; raises as `decide` does."""
    require_may_judge(command.actor, match, type(command.verdict))
    draft = Draft(match, command, command.actor)
    draft.emit(command.verdict)
    return draft


def require_may_judge(actor: Actor, match: Match, verdict: type[MatchVerified | MatchRefuted]) -> None:
    """Refusal unless the system may record this kind of verdict now."""
    require_system(actor)
    status = match.life.status if match.lifecycle else "open"
    # If the event that ends the match cannot be read, the match looks unfinished. It can still be refuted.
    is_damaged = match.fault is not None and verdict is MatchRefuted
    if status not in ("ended", "refuted") and not (is_damaged and status in ("open", "playing")):
        raise WrongTime("match/not-ended", f"the match is {status}", match_status=status)
    if match.lifecycle:
        require_revealed(match.lifecycle)


def _decide_score(command: ScoreMatch, life: Lifecycle, draft: Draft) -> None:
    require_may_score(command.actor, life)
    if (command.ledger is not None) != bool(counts(draft.match)):
        raise WrongValue("rated/ledger", "a match that counts is scored with its place in the ledger, others without")
    assert life.outcome is not None  # a verified match has ended
    draft.emit(MatchScored(points_of(life.outcome.ranks), command.ledger))


def require_may_score(actor: Actor, life: Lifecycle) -> None:
    """Refusal unless the match is verified and the actor is the system."""
    require_system(actor)
    if life.status != "verified":
        raise WrongTime("match/not-verified", f"the match is {life.status}", match_status=life.status)


def points_of(ranks: Sequence[int]) -> tuple[int, ...]:
    """The points of each seat: two for each seat with a worse rank, one for each other seat with the same rank.

    >>> points_of((1, 3, 1))
    (3, 0, 3)
    """
    return tuple(sum(2 * (other > mine) + (other == mine) for other in ranks) - 1 for mine in ranks)


def _decide_annul(command: AnnulMatch, life: Lifecycle, draft: Draft) -> None:
    _require_can_annul(command.actor, life)
    if not predates_judging(command, life):
        require_may_annul(command.actor, life)
    if not 1 <= len(command.why) <= MAX_CAUSE_LENGTH:
        raise WrongValue("match/annul-why", f"the reason is a text of 1 to {MAX_CAUSE_LENGTH} characters")
    draft.emit(MatchAnnulled(command.why))


def require_may_annul(actor: Actor, life: Lifecycle) -> None:
    """Refusal unless the match has ended, is not annulled yet, and the actor is an organiser who does not sit in it."""
    _require_can_annul(actor, life)
    if sits_in(actor, life):
        raise refuse_own_match()


def _require_can_annul(actor: Actor, life: Lifecycle) -> None:
    if actor.role != "organiser":
        raise WrongPerson("match/not-yours", "only an organiser or an administrator annuls a match")
    if life.status not in ("ended", "verified", "refuted", "scored"):
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)


DECIDERS: Deciders = {
    AbortMatch: _decide_abort,
    RevealDice: _decide_reveal,
    ScoreMatch: _decide_score,
    AnnulMatch: _decide_annul,
}
"""The deciders of this module, by command type."""
