"""Which players a match waits for, and what they have to do."""

from collections.abc import Iterator
from typing import NamedTuple

from plyscribe.domain.events import Account, BuiltIn, RecordedDice
from plyscribe.domain.match import Lifecycle, Match, Play
from plyscribe.domain.ruleset import Decision, Roll

WAITED_FOR = ("seat", "entropy", "start", "move", "roll", "draw", "confirmation")
"""What a match may wait for: an answer to an invitation, salt for the dice, the start, a move, a roll, an answer to an
offer of a draw, its recorder's word that everything is entered right.
"""


class Wait(NamedTuple):
    """An account that the match waits for, and what for: a word of WAITED_FOR."""

    player: str
    what: str


class Due(NamedTuple):
    """What an account has to do in a match, and for which seat; None when it is not for a seat."""

    player: str
    what: str
    seat: int | None


def list_waits(match: Match) -> list[Wait]:
    """The accounts that the match waits for, without duplicates, in the order of seats.

    Empty when the match is damaged, or over and not waiting for its recorder.
    """
    return list(dict.fromkeys(Wait(due.player, due.what) for due in list_dues(match)))


def list_dues(match: Match) -> list[Due]:
    """What the match waits for, in the order of seats; empty as for list_waits.

    A recorder acts for all seats of its match, so whatever a seat has to do, the recorder has to do too.
    """
    life, play = match.lifecycle, match.play
    if life is None or play is None or match.fault:
        return []
    match life.status:
        case "open":
            return list(_list_open(life))
        case "playing":
            return list(_list_playing(life, play))
        case "ended" if life.awaits_confirmation and life.created.recorder:
            return [Due(life.created.recorder, "confirmation", None)]
    return []


def find_confirm_by(match: Match, within_ms: int) -> int | None:
    """When (UTC milliseconds) a match goes to its verdict without its recorder's word; None if it does not wait for it.

    That is `within_ms` after it ended. A damaged match does not wait, because nobody can correct it.
    """
    life = match.lifecycle
    if life is None or match.fault or not life.awaits_confirmation:
        return None
    return match.at + within_ms


def find_bot_due(match: Match) -> tuple[int, str] | None:
    """The seat of a built-in bot that the match waits for, and what for: "draw" for an answer to an offer, or "move".

    None when it waits for no bot. An answer comes before a move.
    """
    if match.turn is None or match.play is None or match.life.status != "playing":
        return None
    bots = [number for number, seat in enumerate(match.life.seats, 1) if isinstance(seat.occupant, BuiltIn)]
    if bots and match.play.offer:
        for seat in bots:
            if seat not in (*match.play.offer.agreed, *match.play.left):
                return seat, "draw"
    may_move = isinstance(match.turn, Decision) and match.turn.seat in bots and not match.play.pause
    return (match.turn.seat, "move") if may_move and isinstance(match.turn, Decision) else None


def _list_open(life: Lifecycle) -> Iterator[Due]:
    salted = life.created.start == "auto" and life.takes_entropy
    for number, seat in enumerate(life.seats, 1):
        if isinstance(seat.occupant, Account) and not seat.seated:
            yield Due(seat.occupant.player, "seat", number)
        elif isinstance(seat.occupant, Account) and salted and seat.entropy is None:
            yield Due(seat.occupant.player, "entropy", number)
    if life.created.start == "call" and all(seat.seated for seat in life.seats):
        yield Due(life.creator, "start", None)


def _list_playing(life: Lifecycle, play: Play) -> Iterator[Due]:
    match None if play.pause else play.turn:
        case Decision(seat):
            yield from _list_speakers(life, seat, "move")
        case Roll() if isinstance(life.created.dice, RecordedDice) and life.created.recorder:
            yield Due(life.created.recorder, "roll", None)
    if play.offer:
        gone = {*play.offer.agreed, *play.left}
        for seat in range(1, len(life.seats) + 1):
            if seat not in gone:
                yield from _list_speakers(life, seat, "draw")


def _list_speakers(life: Lifecycle, seat: int, what: str) -> Iterator[Due]:
    occupant = life.seats[seat - 1].occupant
    if isinstance(occupant, Account):
        yield Due(occupant.player, what, seat)
    if life.created.recorder:
        yield Due(life.created.recorder, what, seat)
