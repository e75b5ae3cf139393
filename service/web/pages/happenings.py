"""What happened in a match lately, in sentences."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.events import (
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EventData,
    MatchAborted,
    MatchEnded,
    MatchStarted,
    MoveMade,
    MovesTakenBack,
    SeatTaken,
    SeatWithdrawn,
)
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.boards import explain_move


class Happening(NamedTuple):
    """An event as a person reads it; of a roll with what the dice showed, of a move with its notation."""

    version: int
    seat: int | None
    text: str
    move: str | None = None
    values: tuple[int, ...] = ()
    sides: int = 0


def list_happenings(ruleset: AnyRuleset | None, stored: Iterable[StoredEvent], names: Sequence[str]) -> list[Happening]:
    """What of these events concerns players, in order."""
    happenings = []
    for entry in stored:
        happening = _tell(ruleset, entry.version, parse_event(entry).data, names)
        if happening is not None:
            happenings.append(happening)
    return happenings


def find_last_dice(happenings: Sequence[Happening]) -> list[Happening]:
    """The rolls that were made last, one after another."""
    dice: list[Happening] = []
    for happening in reversed(happenings):
        if happening.values:
            dice.insert(0, happening)
        elif dice:
            break
    return dice


def _tell(ruleset: AnyRuleset | None, version: int, data: EventData, names: Sequence[str]) -> Happening | None:
    match data:
        case MoveMade(seat, move):
            explained = ruleset and explain_move(ruleset, move)
            return Happening(version, seat, explained.sentence if explained else "", move)
        case DiceRolled(sides, count, purpose, seat, values):
            return Happening(version, seat, f"{count}d{sides} for {purpose}", None, tuple(values), sides)
        case SeatWithdrawn(seat=seat, cause=cause):
            return Happening(version, seat, f"leaves the match: {cause}")
        case DrawOffered(seat):
            return Happening(version, seat, "offers a draw")
        case DrawAgreed(seat):
            return Happening(version, seat, "agrees to a draw")
        case DrawDeclined(seat):
            return Happening(version, seat, "declines the draw")
        case SeatTaken(seat):
            return Happening(version, seat, f"is taken by {names[seat - 1]}")
        case MovesTakenBack(ply):
            return Happening(version, None, f"The moves after ply {ply} are taken back")
        case MatchStarted():
            return Happening(version, None, "The match begins")
        case MatchEnded(reason=reason):
            return Happening(version, None, f"The match is over: {reason}")
        case MatchAborted(cause):
            return Happening(version, None, f"The match is called off: {cause}")
    return None
