"""Who may act for the organiser: the arbiters that it names."""

from typing import Any

from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime
from plyscribe.domain.tournament.commands import DismissArbiter, NameArbiter
from plyscribe.domain.tournament.conditions import is_owner, require_owner, require_status
from plyscribe.domain.tournament.events import ArbiterDismissed, ArbiterNamed
from plyscribe.domain.tournament.state import Tournament

MAX_ARBITERS = 32


def decide_name(command: NameArbiter, state: Tournament) -> list[Any]:
    """See NameArbiter."""
    require_owner(command)
    require_status(state, "open", "playing", "ended")
    if command.player == state.organiser:
        raise WrongTime("arbiter/organiser", "the organiser needs no further right")
    if command.player in state.arbiters:
        raise WrongTime("arbiter/named", f"{command.player} is an arbiter already")
    if len(state.arbiters) >= MAX_ARBITERS:
        raise WrongTime("arbiter/many", f"a tournament has at most {MAX_ARBITERS} arbiters")
    return [ArbiterNamed(command.player)]


def decide_dismiss(command: DismissArbiter, state: Tournament) -> list[Any]:
    """See DismissArbiter."""
    if not (is_owner(command) or command.actor.id == command.player):
        raise WrongPerson("tournament/not-yours", "only the organiser dismisses an arbiter, or the arbiter resigns")
    if command.player not in state.arbiters:
        raise Unknown("arbiter/unknown", f"{command.player} is not an arbiter")
    return [ArbiterDismissed(command.player)]
