"""Built-in bots as they are asked for, and as they are seated: in the present build, with a seed."""

from collections.abc import Iterable
from secrets import randbelow
from typing import NamedTuple

from plyscribe.domain.bots import build_bot
from plyscribe.domain.commands import Actor
from plyscribe.domain.events import BuiltIn, Occupant

MAX_SEED = 2**53 - 1

PLAYER = Actor("system", "play")
"""Who makes the moves of built-in bots, and calls off a tournament's match in which it cannot."""


class WantedBot(NamedTuple):
    """A bot that a seat is to have; without a seed it gets one that nobody chose."""

    bot: str
    seed: int | None
    playouts: int | None


def seat_all(wanted: Iterable[Occupant | WantedBot | None]) -> tuple[Occupant | None, ...]:
    """Whom the seats are for; WrongValue where there is no such bot, or none with so many playouts."""
    return tuple(_seat(*who) if isinstance(who, WantedBot) else who for who in wanted)


def renew_all(seats: Iterable[Occupant | None]) -> tuple[Occupant | None, ...]:
    """The same, but each bot in its present build and with a new seed: with the old one it would play the same."""
    return seat_all(WantedBot(who.bot, None, who.playouts) if isinstance(who, BuiltIn) else who for who in seats)


def _seat(bot: str, seed: int | None, playouts: int | None) -> BuiltIn:
    return build_bot(bot, randbelow(MAX_SEED + 1) if seed is None else seed, playouts)
