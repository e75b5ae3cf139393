"""Deciding: which events a command on a match leads to, or why it is refused.

One command is one append. After its own events, a command makes all rolls of server dice that are due. If the rules are
over then, it ends the match and reveals the dice.
"""

from collections.abc import Iterable

from plyscribe.domain.aggregate import Decided
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command, CreateMatch, PlayOn, RecordVerdict
from plyscribe.domain.decide import directing, ends, mending, opening, play
from plyscribe.domain.decide.ends import decide_verdict
from plyscribe.domain.decide.opening import decide_create
from plyscribe.domain.decide.play import Choose, make_moves
from plyscribe.domain.decide.who import Deciders, actor_of, sign_actor
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import DomainError, Unknown, UnknownEventShape, UnknownEventType
from plyscribe.domain.match import Match, damaged

_DECIDERS: Deciders = {**opening.DECIDERS, **play.DECIDERS, **mending.DECIDERS, **directing.DECIDERS, **ends.DECIDERS}


def decide(command: Command, match: Match) -> list[Event]:
    """The events that the command leads to, at least one, to be appended together in this order.

    Refusal and MoveError say why the command is refused. DiceKeyMissing if dice are due and the command does not have
    the secret that was committed to.
    """
    return draft_decision(command, match).events


def draft_decision(command: Command, match: Match) -> Draft:
    """As `decide`, with the match as it is after the events."""
    if isinstance(command, CreateMatch):
        return decide_create(command, match)
    if match.version == 0:
        raise Unknown("match/unknown", f"there is no match {match.stream}")
    if match.fault and isinstance(match.fault.error, UnknownEventType | UnknownEventShape):
        # A newer release has written this event, so even the lifecycle is uncertain.
        raise damaged(match.fault)
    if isinstance(command, RecordVerdict):
        return decide_verdict(command, match)
    draft = Draft(match, command, sign_actor(actor_of(command, match.life), match.life.created.recorder))
    _DECIDERS[type(command)](command, match.life, draft)
    return draft


def decide_all(commands: Iterable[Command], match: Match) -> Decided[Match]:
    """As `decide` for one command after the other: all their events, to be appended together.

    Give each an id of its own: then the events are the same as those of as many appends. The refusal of a command has
    its number among them as `step`, from 0.
    """
    events: list[Event] = []
    for number, command in enumerate(commands):
        try:
            draft = draft_decision(command, match)
        except DomainError as error:
            error.details["step"] = number
            raise
        events += draft.events
        match = draft.match
    return Decided(events, match.with_head)


def draft_moves(command: PlayOn, match: Match, choose: Choose) -> Draft:
    """As `draft_decision` for the command with the moves that `choose` chooses, one after another."""
    draft = Draft(match, command, command.actor)
    make_moves(command.actor, draft, choose)
    return draft
