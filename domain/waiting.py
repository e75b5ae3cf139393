"""Whom a match waits for, and what they owe it."""

from collections.abc import Iterator
from typing import NamedTuple

from domain.events import Account, RecordedDice, ServerDice
from domain.match import Lifecycle, Match, Play
from domain.ruleset import Decision, Roll

WAITED_FOR = ("seat", "entropy", "start", "move", "roll", "draw")
"""What a player may owe: an answer to an invitation, salt for the dice, the start, a move, a roll, an answer."""


class Wait(NamedTuple):
    """An account that the match waits for, and for what: a word of WAITED_FOR."""

    player: str
    what: str


def list_waits(match: Match) -> list[Wait]:
    """Whom the match waits for, without duplicates, in the order of seats; nobody once it is over or damaged.

    The recorder of a match acts for all of its seats, so it owes what they owe.
    """
    life, play = match.lifecycle, match.play
    if life is None or play is None or match.fault:
        return []
    match life.status:
        case "open":
            return list(dict.fromkeys(_list_open(life)))
        case "playing":
            return list(dict.fromkeys(_list_playing(life, play)))
    return []


def _list_open(life: Lifecycle) -> Iterator[Wait]:
    salted = life.created.start == "auto" and isinstance(life.created.dice, ServerDice)
    for seat in life.seats:
        if isinstance(seat.occupant, Account) and not seat.seated:
            yield Wait(seat.occupant.player, "seat")
        elif isinstance(seat.occupant, Account) and salted and seat.entropy is None:
            yield Wait(seat.occupant.player, "entropy")
    if life.created.start == "call" and all(seat.seated for seat in life.seats):
        yield Wait(life.creator, "start")


def _list_playing(life: Lifecycle, play: Play) -> Iterator[Wait]:
    match play.turn:
        case Decision(seat):
            yield from _list_speakers(life, seat, "move")
        case Roll() if isinstance(life.created.dice, RecordedDice) and life.created.recorder:
            yield Wait(life.created.recorder, "roll")
    if play.offer:
        gone = {*play.offer.agreed, *play.left}
        for seat in range(1, len(life.seats) + 1):
            if seat not in gone:
                yield from _list_speakers(life, seat, "draw")


def _list_speakers(life: Lifecycle, seat: int, what: str) -> Iterator[Wait]:
    occupant = life.seats[seat - 1].occupant
    if isinstance(occupant, Account):
        yield Wait(occupant.player, what)
    if life.created.recorder:
        yield Wait(life.created.recorder, what)
