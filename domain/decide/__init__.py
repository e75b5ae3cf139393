"""Deciding: what events a command on a match leads to, or why to none.

One command is one append. After whatever a command does, with server dice all rolls then due follow, and where the
ruleset is over the end of the match and the reveal of its dice.
"""

from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command, CreateMatch, PlayOn, RecordVerdict
from plyscribe.domain.decide import ends, opening, play
from plyscribe.domain.decide.ends import decide_verdict
from plyscribe.domain.decide.opening import decide_create
from plyscribe.domain.decide.play import Choose, make_moves
from plyscribe.domain.decide.who import Deciders, sign_actor
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import Unknown, UnknownEventShape, UnknownEventType
from plyscribe.domain.match import Match, damaged

_DECIDERS: Deciders = {**opening.DECIDERS, **play.DECIDERS, **ends.DECIDERS}


def decide(command: Command, match: Match) -> list[Event]:
    """The events that the command leads to, at least one, in the order in which they are appended together.

    Refusal and MoveError say why there are none; DiceKeyMissing when dice are due and the command's secret is not
    the one that was committed to.
    """
    return draft_decision(command, match).events


def draft_decision(command: Command, match: Match) -> Draft:
    """As `decide`, with the match as it will stand after the events."""
    if isinstance(command, CreateMatch):
        return decide_create(command, match)
    if match.version == 0:
        raise Unknown("match/unknown", f"there is no match {match.stream}")
    if match.fault and isinstance(match.fault.error, UnknownEventType | UnknownEventShape):
        # Not even the lifecycle is known: a newer release has written here.
        raise damaged(match.fault)
    if isinstance(command, RecordVerdict):
        return decide_verdict(command, match)
    draft = Draft(match, command, sign_actor(command.actor, match.life.created.recorder))
    _DECIDERS[type(command)](command, match.life, draft)
    return draft


def draft_moves(command: PlayOn, match: Match, choose: Choose) -> Draft:
    """As `draft_decision` of the command, had it the moves that `choose` chooses, each after those before it."""
    draft = Draft(match, command, command.actor)
    make_moves(command.actor, draft, choose)
    return draft
