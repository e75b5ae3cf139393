"""Reads FIDE's TRF16: the name of the event, the players, and what each did in each round, checked against each other.

Of a player's line (001) the number, name, rating, points and rounds are read; of the others the name of the event (012)
and the number of rounds (XXR). All other lines, and title, sex, federation, id and birth date, are passed over.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.names import MAX_NAME_LENGTH, is_printable
from plyscribe.domain.tournament.entering import MAX_RATING
from plyscribe.domain.tournament.terms import MAX_ENTRANTS, MAX_ROUNDS

MOST_CHARACTERS = 100_000
"""Room for some 400 players and 11 rounds."""

FIRST_ROUND, WIDTH = 91, 10
"""The column, counted from 0, where the rounds of a player begin, and the columns of a round."""

BYE, ZERO_BYE, HALF_BYE, FULL_BYE = "U", "Z", "H", "F"
UNPLAYED = (BYE, ZERO_BYE, HALF_BYE, FULL_BYE)
PENDING = " "
"""The result of a game that is still being played."""

OPPOSITE = {"w": "b", "b": "w", "-": "-"}
PAIRS = {("1", "0"), ("0", "1"), ("=", "="), ("0", "0"), ("+", "-"), ("-", "+"), ("-", "-"), (PENDING, PENDING)}
"""The results that two opponents can have."""

HALVES = {"1": 2, "+": 2, BYE: 2, FULL_BYE: 2, "=": 1, HALF_BYE: 1}
"""The half points that a result is worth; all others are worth none."""


class Turn(NamedTuple):
    """What a player did in a round: the opponent, the colour and the result. Without an opponent, one of UNPLAYED."""

    opponent: int | None
    colour: str
    result: str


class Player(NamedTuple):
    """A player's line, with the number of the line in the file."""

    line: int
    number: int
    name: str
    rating: int | None
    halves: int | None
    """Its points, in halves; None if the report has none."""

    turns: tuple[Turn, ...]
    """One for each round, however few the line has."""


class Report(NamedTuple):
    """A report that is consistent in itself. Players are numbered from 1 without gaps, and in this order."""

    name: str | None
    rounds: int
    """How many rounds the event has."""

    players: tuple[Player, ...]


def read_trf(text: str) -> Report:
    """The report in this text; WrongValue `trf/invalid` names the line at fault."""
    if len(text) > MOST_CHARACTERS:
        raise WrongValue("trf/invalid", f"the report has {len(text)} characters; allowed are {MOST_CHARACTERS}")
    name, most = None, 0
    players: list[Player] = []
    for line, content in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        match content[:3]:
            case "012":
                name = content[4:].strip() or None
            case "XXR":
                most = _parse_number(line, "the number of rounds", content[3:], 1, MAX_ROUNDS)
            case "001":
                players.append(_parse_player(line, content))
    if not players:
        raise WrongValue("trf/invalid", "the report has no players: lines that begin with 001")
    players.sort(key=lambda each: each.number)
    _check_numbers(players)
    rounds = max(len(each.turns) for each in players)
    whole = tuple(each._replace(turns=_fill(each.turns, rounds)) for each in players)
    for player in whole:
        _check_player(player, whole)
    if most and rounds > most:
        raise WrongValue("trf/invalid", f"the report has {rounds} rounds, and XXR says {most}")
    return Report(name, most or max(1, rounds), whole)


def _fault(line: int, why: str) -> WrongValue:
    return WrongValue("trf/invalid", f"line {line}: {why}")


def _parse_player(line: int, content: str) -> Player:
    number = _parse_number(line, "the starting number", content[4:8], 1, MAX_ENTRANTS)
    name = " ".join(content[14:47].split())
    if not (1 <= len(name) <= MAX_NAME_LENGTH and is_printable(name)):
        raise _fault(line, f"player {number} has no name, or one that cannot be printed (columns 15 to 47)")
    rating = content[48:52].strip()
    known = _parse_number(line, "the rating", rating, 0, MAX_RATING) if rating else None
    rest = content[FIRST_ROUND:].rstrip("\r\n")
    fields = [rest[start : start + WIDTH] for start in range(0, len(rest.rstrip()), WIDTH)]
    if len(fields) > MAX_ROUNDS:
        raise _fault(line, f"player {number} has {len(fields)} rounds; allowed are {MAX_ROUNDS}")
    turns = tuple(_parse_turn(line, round, field) for round, field in enumerate(fields, 1))
    return Player(line, number, name, known or None, _parse_points(line, content[80:84]), turns)


def _parse_number(line: int, what: str, text: str, low: int, high: int) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and low <= int(digits[:9]) <= high):
        raise _fault(line, f"{what} must be a number {low}..{high}, not {digits!r}")
    return int(digits)


def _parse_points(line: int, text: str) -> int | None:
    if not text.strip():
        return None
    try:
        halves = Decimal(text.strip().replace(",", ".")) * 2
    except InvalidOperation:
        halves = Decimal("NaN")
    if not (halves.is_finite() and halves == halves.to_integral_value()):
        raise _fault(
            line, f"the points must be a number of halves such as 2.5, not {text.strip()!r} (columns 81 to 84)"
        )
    return int(halves)


def _parse_turn(line: int, round: int, field: str) -> Turn:
    """The field of a round: four columns for the opponent, then colour and result, each after a space."""
    if not field.strip():
        return Turn(None, "-", ZERO_BYE)
    opponent, colour, result = field[:4].strip(), field[5:6].strip() or "-", field[7:8].upper() or PENDING
    if opponent in ("", "0000"):
        if result in UNPLAYED:
            return Turn(None, "-", result)
        letters = ", ".join(UNPLAYED)
        raise _fault(line, f"round {round} has no opponent, so its result must be one of {letters}, not {result!r}")
    number = _parse_number(line, f"the opponent in round {round}", opponent, 1, MAX_ENTRANTS)
    if colour not in OPPOSITE or result not in "10=+- ":
        why = f"round {round} must have w or b and one of 1, 0, =, + and -, not {field.strip()!r}"
        raise _fault(line, why)
    return Turn(number, colour, result)


def _fill(turns: Sequence[Turn], rounds: int) -> tuple[Turn, ...]:
    return (*turns, *[Turn(None, "-", ZERO_BYE)] * (rounds - len(turns)))


def _check_numbers(players: Sequence[Player]) -> None:
    for expected, player in enumerate(players, 1):
        if player.number < expected:
            raise _fault(player.line, f"two players have the starting number {player.number}")
        if player.number > expected:
            raise _fault(player.line, f"after player {expected - 1} comes {player.number}: numbers have no gaps")


def _check_player(player: Player, players: Sequence[Player]) -> None:
    for round, turn in enumerate(player.turns, 1):
        if turn.opponent is not None:
            _check_game(player, round, turn, players)
    halves = sum(HALVES.get(turn.result, 0) for turn in player.turns)
    if player.halves is not None and player.halves > halves:
        told, found = Decimal(player.halves) / 2, Decimal(halves) / 2
        raise _fault(player.line, f"player {player.number} has {told} points, but the results are worth {found}")


def _check_game(player: Player, round: int, turn: Turn, players: Sequence[Player]) -> None:
    if turn.opponent is None or turn.opponent > len(players) or turn.opponent == player.number:
        raise _fault(player.line, f"in round {round} the opponent of player {player.number} is not in the report")
    other = players[turn.opponent - 1].turns[round - 1]
    pair = f"players {player.number} and {turn.opponent}"
    if other.opponent != player.number:
        raise _fault(player.line, f"in round {round} {pair} do not both say that they met")
    if OPPOSITE[turn.colour] != other.colour or (turn.colour == "-" and turn.result not in "+-"):
        raise _fault(player.line, f"in round {round} {pair} do not have one colour each")
    if (turn.result, other.result) not in PAIRS:
        results = f"{turn.result} and {other.result}"
        raise _fault(player.line, f"in round {round} the results of {pair} do not fit: {results}")
    if turn.result == PENDING and round < len(player.turns):
        raise _fault(player.line, f"the game of {pair} in round {round} has no result, and a later round is paired")
