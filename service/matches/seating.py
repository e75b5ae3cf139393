"""Seats built-in bots: turns the bots that a request asks for into bots in their current build."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from plyscribe.domain.bots import build_bot
from plyscribe.domain.commands import Actor, CreateMatch
from plyscribe.domain.events import BuiltIn, Occupant
from plyscribe.domain.layouts import NEWEST
from plyscribe.domain.seeds import SEEDS

MAX_SEED = SEEDS - 1

PLAYER = Actor("system", "play")
"""The actor that makes the moves of built-in bots, and aborts a tournament's match in which it cannot."""


class WantedBot(NamedTuple):
    """A bot that is asked for in a seat. Without a seed it gets one that is secret until the end of the match."""

    bot: str
    seed: int | None
    playouts: int | None


def seat_all(wanted: Iterable[Occupant | WantedBot | None], layout: int = NEWEST) -> tuple[Occupant | None, ...]:
    """Who the seats are for; WrongValue if there is no such bot, or it cannot have that number of playouts."""
    return tuple(build_bot(*who, layout) if isinstance(who, WantedBot) else who for who in wanted)


def fit_bots(command: CreateMatch, layout: int) -> CreateMatch:
    """The command that creates a match, with builds of bots that the store's data may have in this `layout`.

    While an older release works on the same store, bots play in the version that both know.
    """
    seats = (WantedBot(who.bot, who.seed, who.playouts) if isinstance(who, BuiltIn) else who for who in command.seats)
    return replace(command, seats=seat_all(seats, layout))


def renew_all(seats: Iterable[Occupant | None]) -> tuple[Occupant | None, ...]:
    """The same seats, with each bot in its current build and with a new, secret seed."""
    return seat_all(WantedBot(who.bot, None, who.playouts) if isinstance(who, BuiltIn) else who for who in seats)
