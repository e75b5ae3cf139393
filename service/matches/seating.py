"""Seats built-in bots: turns the bots that a request asks for into bots in their current build."""

from collections.abc import Iterable
from typing import NamedTuple

from plyscribe.domain.bots import build_bot
from plyscribe.domain.commands import Actor
from plyscribe.domain.events import BuiltIn, Occupant
from plyscribe.domain.seeds import SEEDS

MAX_SEED = SEEDS - 1

PLAYER = Actor("system", "play")
"""The actor that makes the moves of built-in bots, and aborts a tournament's match in which it cannot."""


class WantedBot(NamedTuple):
    """A bot that is asked for in a seat. Without a seed it gets one that is secret until the end of the match."""

    bot: str
    seed: int | None
    playouts: int | None


def seat_all(wanted: Iterable[Occupant | WantedBot | None]) -> tuple[Occupant | None, ...]:
    """Who the seats are for; WrongValue if there is no such bot, or it cannot have that number of playouts."""
    return tuple(build_bot(*who) if isinstance(who, WantedBot) else who for who in wanted)


def renew_all(seats: Iterable[Occupant | None]) -> tuple[Occupant | None, ...]:
    """The same seats, with each bot in its current build and with a new, secret seed."""
    return seat_all(WantedBot(who.bot, None, who.playouts) if isinstance(who, BuiltIn) else who for who in seats)
