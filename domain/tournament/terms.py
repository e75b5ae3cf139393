"""The terms of a tournament: its format, the games of a board, what results are worth, and tiebreaks."""

from collections.abc import Mapping
from itertools import pairwise, permutations
from math import factorial
from typing import Any

from plyscribe.domain.errors import OptionError, WrongValue
from plyscribe.domain.options import Choice, Integer, Option, parse_options

MAX_ENTRANTS = 1024
MAX_ROUNDS = 100
MAX_CYCLES = 1000
"""Enough games to tell two nearly equal bots apart."""

MOST_ROUNDS = MAX_CYCLES * MAX_ENTRANTS
"""No tournament of any format has more rounds."""

MAX_GAMES = 64
"""The most games of a board, because no more matches can share dice."""

NEXT_ROUND = ("decided", "date", "early")
"""When a round of a league begins: at its date once the round before is decided; at its date whatever is open; as soon
as the round before is decided.
"""

OVERDUE = ("absent", "both")
"""Who loses a game that was not played by its deadline: the one whose move it was, or both. In a ladder it may also be
the challenged.
"""
MAX_TEAM_ROUNDS = 30
MAX_TEAM_BOARDS = 64

TEAM_FORMATS = ("scheveningen", "team-round-robin", "team-swiss")
"""The formats in which teams play."""

_TEAM_BOARDS = Integer("boards", 4, 1, MAX_TEAM_BOARDS)
_TEAM_FIRST = Choice("first", "match-points", ("match-points", "board-points"))

FORMATS: Mapping[str, tuple[Option, ...]] = {
    "round-robin": (Integer("cycles", 1, 1, MAX_CYCLES),),
    "swiss": (Integer("rounds", 5, 1, MAX_ROUNDS),),
    "knockout": (Integer("lives", 1, 1, 2),),
    "gauntlet": (Integer("cycles", 1, 1, 10),),
    "pyramid": (Integer("cycles", 1, 1, 100),),
    "groups": (
        Integer("groups", None, 2, 64, nullable=True),
        Integer("size", None, 3, 64, nullable=True),
        Integer("cycles", 1, 1, 10),
        Integer("advance", 2, 1, 16),
    ),
    "league": (
        Integer("cycles", 1, 1, 10),
        Integer("round_days", 7, 1, 90),
        Integer("begins_at", None, 0, nullable=True),
        Choice("next_round", "decided", NEXT_ROUND),
        Choice("overdue", "absent", OVERDUE),
    ),
    "ladder": (
        Integer("reach", 3, 1, 50),
        Integer("days", 7, 1, 90),
        Integer("cooldown_days", 7, 0, 365),
        Integer("weeks", None, 1, 104, nullable=True),
        Choice("overdue", "absent", (*OVERDUE, "challenged")),
    ),
    "scheveningen": (Integer("cycles", 1, 1, 10),),
    "team-round-robin": (_TEAM_BOARDS, Integer("cycles", 1, 1, 10), _TEAM_FIRST),
    "team-swiss": (_TEAM_BOARDS, Integer("rounds", 5, 1, MAX_TEAM_ROUNDS), _TEAM_FIRST),
}
"""The formats and their options."""

DEFAULT_SIZE = 4
"""The greatest group, if neither their size nor their number is given."""

OF_TWO_SEATS = ("knockout", "gauntlet", "pyramid", "groups", "league", "ladder")
"""The formats of matches with two seats alone."""

WITH_DEADLINES = ("league", "ladder")
"""The formats whose games have deadlines, and whose rounds may overlap."""

TAKE_LATE = ("swiss", "pyramid", "ladder")
"""The formats that somebody can enter after the start."""

ROUNDS_BEGIN = ("auto", "call")
"""When a round begins: once all games of the round before are decided, or when an arbiter calls it."""

REPEATS = ("once", "rotations", "permutations")
"""The games of a board: one; one for each rotation of its entrants; one for each permutation of its entrants."""

TIEBREAKS = ("buchholz", "buchholz-cut-1", "sonneborn-berger", "direct", "wins", "opponents-mean", "places")
DEFAULT_TIEBREAKS = ("buchholz", "sonneborn-berger", "direct", "wins")


def parse_format(raw: Mapping[str, Any], seats: int) -> dict[str, Any]:
    """The complete format; WrongValue `tournament/format` if it is unknown or impossible with this number of seats."""
    kind, options = raw.get("kind"), {name: value for name, value in raw.items() if name != "kind"}
    if not isinstance(kind, str) or kind not in FORMATS:
        raise WrongValue("tournament/format", f"the format is {kind!r}; allowed: {', '.join(FORMATS)}")
    if kind in (*OF_TWO_SEATS, *TEAM_FORMATS) and seats != 2:
        raise WrongValue("tournament/format", f"a {kind} needs matches with two seats, not {seats}")
    try:
        parsed = parse_options(options, FORMATS[kind])
    except OptionError as error:
        raise WrongValue("tournament/format", str(error)) from None
    return {"kind": kind, **(_complete_groups(parsed) if kind == "groups" else parsed)}


def _complete_groups(format: dict[str, Any]) -> dict[str, Any]:
    """The format with either the number or the size of the groups."""
    given = {name: value for name, value in format.items() if value is not None}
    if "groups" in given and "size" in given:
        raise WrongValue("tournament/format", "give either how many groups there are, or their size")
    given = given if "groups" in given or "size" in given else {"size": DEFAULT_SIZE, **given}
    if given["advance"] > given.get("size", MAX_ENTRANTS):
        why = f"groups of {given['size']} cannot have {given['advance']} who advance"
        raise WrongValue("tournament/format", why)
    return given


def list_seatings(seats: int, repeat: str) -> list[tuple[int, ...]]:
    """For each game of a board, the entrants (counted from 0) on seats 1, 2, ...; WrongValue `tournament/repeat`.

    >>> list_seatings(3, "rotations")
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    """
    places = tuple(range(seats))
    if repeat == "once":
        return [places]
    if repeat == "rotations":
        return [(*places[n:], *places[:n]) for n in places]
    if repeat != "permutations":
        raise WrongValue("tournament/repeat", f"repeat is {repeat!r}; allowed: {', '.join(REPEATS)}")
    if factorial(seats) > MAX_GAMES:
        raise WrongValue("tournament/repeat", f"{seats} seats have more than {MAX_GAMES} permutations: use rotations")
    return list(permutations(places))


def parse_scoring(raw: Mapping[str, Any], seats: int, games: int) -> dict[str, Any]:
    """The complete scoring: the points for each place in a game, for a bye, and for an absence from a round.

    Without `places`, a seat gets two points for each seat it beats and one for each that it ties with. By default, a
    bye is worth a win in each game, and an absence is worth nothing. If `asked_byes` says how many byes each entrant
    may ask for, each is worth `asked_bye`, by default a tie in each game, rounded down. Raises WrongValue
    `tournament/scoring`.
    """
    places = raw.get("places")
    if unknown := raw.keys() - {"places", "bye", "absence", "asked_bye", "asked_byes"}:
        raise WrongValue("tournament/scoring", f"unknown fields: {', '.join(sorted(unknown))}")
    if places is not None and (not isinstance(places, list) or len(places) != seats or not _descend(places)):
        why = f"places must be {seats} whole numbers 0..1000, each no greater than the one before"
        raise WrongValue("tournament/scoring", why)
    best = 2 * (seats - 1) if places is None else places[0]
    scoring = {"places": places, "bye": raw.get("bye", best * games), "absence": raw.get("absence", 0)}
    if "asked_byes" in raw or "asked_bye" in raw:
        most = raw.get("asked_byes", 1)
        if type(most) is not int or not 1 <= most <= MAX_ROUNDS:
            raise WrongValue("tournament/scoring", f"asked_byes must be 1..{MAX_ROUNDS}, not {most!r}")
        level = sum(places) // seats if places is not None else seats - 1
        scoring |= {"asked_byes": most, "asked_bye": raw.get("asked_bye", level * games)}
    for name in scoring.keys() & {"bye", "absence", "asked_bye"}:
        if not _is_points(scoring[name], 1000 * games):
            raise WrongValue("tournament/scoring", f"{name} must be 0..{1000 * games}, not {scoring[name]!r}")
    return scoring


def _descend(places: list[Any]) -> bool:
    fit = all(_is_points(each, 1000) for each in places)
    return fit and all(a >= b for a, b in pairwise(places))


def _is_points(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def parse_tiebreaks(raw: list[str] | None) -> tuple[str, ...]:
    """The tiebreaks in order; WrongValue `tournament/tiebreaks` when one is unknown or comes twice."""
    chosen = DEFAULT_TIEBREAKS if raw is None else tuple(raw)
    if not set(chosen) <= set(TIEBREAKS) or len(set(chosen)) < len(chosen):
        raise WrongValue("tournament/tiebreaks", f"tiebreaks must be some of {', '.join(TIEBREAKS)}, each once")
    return chosen
