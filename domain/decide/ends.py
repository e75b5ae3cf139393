"""Deciding how a match ends otherwise, and what becomes of it afterwards: verdict, score, annulment."""

from collections.abc import Sequence

from plyscribe.domain.commands import AbortMatch, Actor, AnnulMatch, RecordVerdict, RevealDice, ScoreMatch
from plyscribe.domain.decide.who import Deciders, is_creator, is_recorder, require_revealed, seats_held
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import MatchAborted, MatchAnnulled, MatchRefuted, MatchScored, SharedDice
from plyscribe.domain.match import Lifecycle, Match, Play

MAX_CAUSE_LENGTH = 200


def _decide_abort(command: AbortMatch, life: Lifecycle, draft: Draft) -> None:
    if life.status not in ("open", "playing"):
        raise WrongTime("match/over", f"the match is {life.status}", match_status=life.status)
    if not 1 <= len(command.cause) <= MAX_CAUSE_LENGTH:
        raise WrongValue("match/abort-cause", f"the cause is a text of 1 to {MAX_CAUSE_LENGTH} characters")
    if life.status == "open" and not is_creator(command.actor, life):
        raise WrongPerson("match/not-yours", "only the creator aborts a match that has not started")
    if life.status == "playing":
        _require_may_abort(command.actor, life, draft.match.play)
    draft.emit(MatchAborted(command.cause))
    draft.reveal_own()


def _require_may_abort(actor: Actor, life: Lifecycle, play: Play | None) -> None:
    if is_recorder(actor, life) or actor.role in ("organiser", "system"):
        return
    held = seats_held(actor, life)
    if not held:
        raise WrongPerson("seat/not-yours", "you hold no seat in this match")
    if life.created.tournament is not None:
        # It would be played again, as often as a player does not like how it begins.
        raise WrongTime("match/under-way", "a match of a tournament is resigned, not aborted")
    if play is None or any(step.seat in held and not step.is_copied for step in play.steps):
        raise WrongTime("match/under-way", "after your first move the match is resigned, not aborted")


def _require_system(actor: Actor) -> None:
    if actor.role != "system":
        raise WrongPerson("match/not-yours", f"a {actor.role} cannot do this")


def _decide_reveal(command: RevealDice, life: Lifecycle, draft: Draft) -> None:
    _require_system(command.actor)
    dice = life.created.dice
    if not isinstance(dice, SharedDice):
        raise WrongValue("dice/shared", "this match shares no dice: its own are revealed at its end")
    if life.status in ("open", "playing"):
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)
    if life.secret is not None:
        raise WrongTime("dice/revealed", "the dice are revealed")
    draft.reveal(dice)


def decide_verdict(command: RecordVerdict, match: Match) -> Draft:
    """The draft of a verdict; as `decide` otherwise."""
    _require_system(command.actor)
    status = match.life.status if match.lifecycle else "open"
    # That it ended cannot be told where the event that says so is at fault.
    set_aside = match.fault is not None and isinstance(command.verdict, MatchRefuted)
    if status not in ("ended", "refuted") and not (set_aside and status in ("open", "playing")):
        raise WrongTime("match/not-ended", f"the match is {status}", match_status=status)
    if match.lifecycle:
        require_revealed(match.lifecycle)
    draft = Draft(match, command, command.actor)
    draft.emit(command.verdict)
    return draft


def _decide_score(command: ScoreMatch, life: Lifecycle, draft: Draft) -> None:
    _require_system(command.actor)
    if life.status != "verified":
        raise WrongTime("match/not-verified", f"the match is {life.status}", match_status=life.status)
    if (command.ledger is not None) != life.created.rated:
        raise WrongValue("rated/ledger", "a rated match, and no other, is scored with its place in the ledger")
    assert life.outcome is not None  # a verified match has ended
    draft.emit(MatchScored(points_of(life.outcome.ranks), command.ledger))


def points_of(ranks: Sequence[int]) -> tuple[int, ...]:
    """The points of each seat: two for every seat placed worse, one for every other seat that shares its rank.

    >>> points_of((1, 3, 1))
    (3, 0, 3)
    """
    return tuple(sum(2 * (other > mine) + (other == mine) for other in ranks) - 1 for mine in ranks)


def _decide_annul(command: AnnulMatch, life: Lifecycle, draft: Draft) -> None:
    if command.actor.role != "organiser":
        raise WrongPerson("match/not-yours", "only an organiser or an administrator annuls a match")
    if life.status not in ("ended", "verified", "refuted", "scored"):
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)
    if not 1 <= len(command.why) <= MAX_CAUSE_LENGTH:
        raise WrongValue("match/annul-why", f"the reason is a text of 1 to {MAX_CAUSE_LENGTH} characters")
    draft.emit(MatchAnnulled(command.why))


DECIDERS: Deciders = {
    AbortMatch: _decide_abort,
    RevealDice: _decide_reveal,
    ScoreMatch: _decide_score,
    AnnulMatch: _decide_annul,
}
"""What is decided here, by command."""
