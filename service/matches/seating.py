"""Seats built-in bots: turns the bots that a request asks for into bots in their current build, with a seed."""

from collections.abc import Iterable
from secrets import randbelow
from typing import NamedTuple

from plyscribe.domain.bots import build_bot
from plyscribe.domain.commands import Actor
from plyscribe.domain.events import BuiltIn, Occupant

MAX_SEED = 2**53 - 1

PLAYER = Actor("system", "play")
"""The actor that makes the moves of built-in bots, and aborts a tournament's match in which it cannot."""


class WantedBot(NamedTuple):
    """A bot that is asked for in a seat. Without a seed it gets a random one."""

    bot: str
    seed: int | None
    playouts: int | None


def seat_all(wanted: Iterable[Occupant | WantedBot | None]) -> tuple[Occupant | None, ...]:
    """Who the seats are for; WrongValue if there is no such bot, or it cannot have that number of playouts."""
    return tuple(_seat(*who) if isinstance(who, WantedBot) else who for who in wanted)


def renew_all(seats: Iterable[Occupant | None]) -> tuple[Occupant | None, ...]:
    """The same seats, with each bot in its current build and with a new seed, so that it does not repeat its moves."""
    return seat_all(WantedBot(who.bot, None, who.playouts) if isinstance(who, BuiltIn) else who for who in seats)


def _seat(bot: str, seed: int | None, playouts: int | None) -> BuiltIn:
    return build_bot(bot, randbelow(MAX_SEED + 1) if seed is None else seed, playouts)
