"""What can be agreed of a tournament: its format, how boards are repeated, what results are worth, and tiebreaks."""

from collections.abc import Mapping
from itertools import pairwise, permutations
from math import factorial
from typing import Any

from plyscribe.domain.errors import OptionError, WrongValue
from plyscribe.domain.options import Integer, Option, parse_options

MAX_ROUNDS = 100
MAX_CYCLES = 1000
"""Enough for two bots that are nearly equal."""

MAX_GAMES = 64
"""Games on a board, at most: so many matches may have the same dice."""

FORMATS: Mapping[str, tuple[Option, ...]] = {
    "round-robin": (Integer("cycles", 1, 1, MAX_CYCLES),),
    "swiss": (Integer("rounds", 5, 1, MAX_ROUNDS),),
    "knockout": (Integer("lives", 1, 1, 2),),
    "gauntlet": (Integer("cycles", 1, 1, 10),),
}
"""The formats by name, with their options."""

REPEATS = ("once", "rotations", "permutations")
"""A board's games: one; one for each rotation of its seats; one for each order of its entrants on the seats."""

TIEBREAKS = ("buchholz", "buchholz-cut-1", "sonneborn-berger", "direct", "wins", "opponents-mean", "places")
DEFAULT_TIEBREAKS = ("buchholz", "sonneborn-berger", "direct", "wins")


def parse_format(raw: Mapping[str, Any], seats: int) -> dict[str, Any]:
    """The complete format; WrongValue `tournament/format` for what no format can be, or not with so many seats."""
    kind, options = raw.get("kind"), {name: value for name, value in raw.items() if name != "kind"}
    if not isinstance(kind, str) or kind not in FORMATS:
        raise WrongValue("tournament/format", f"format is {kind!r}; allowed: {', '.join(FORMATS)}")
    if kind in ("knockout", "gauntlet") and seats != 2:
        raise WrongValue("tournament/format", f"a {kind} is for matches of two seats, not {seats}")
    try:
        return {"kind": kind, **parse_options(options, FORMATS[kind])}
    except OptionError as error:
        raise WrongValue("tournament/format", str(error)) from None


def list_seatings(seats: int, repeat: str) -> list[tuple[int, ...]]:
    """For each game of a board, which of its entrants (from 0) has seat 1, 2, ..; WrongValue `tournament/repeat`.

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
        raise WrongValue("tournament/repeat", f"{seats} seats have more than {MAX_GAMES} permutations: take rotations")
    return list(permutations(places))


def parse_scoring(raw: Mapping[str, Any], seats: int, games: int) -> dict[str, Any]:
    """The complete scoring: points by place in a game, and those of a bye and of a round that one sits out.

    Without `places` a seat gets two points for each seat it beats and one for each that it ties with. A bye is worth a
    win in each game, an absence nothing. WrongValue `tournament/scoring`.
    """
    places = raw.get("places")
    if unknown := raw.keys() - {"places", "bye", "absence"}:
        raise WrongValue("tournament/scoring", f"unknown: {', '.join(sorted(unknown))}")
    if places is not None and (not isinstance(places, list) or len(places) != seats or not _descend(places)):
        raise WrongValue("tournament/scoring", f"places are {seats} whole numbers 0..1000, none above the one before")
    best = 2 * (seats - 1) if places is None else places[0]
    scoring = {"places": places, "bye": raw.get("bye", best * games), "absence": raw.get("absence", 0)}
    for name in ("bye", "absence"):
        if not _is_points(scoring[name], 1000 * games):
            raise WrongValue("tournament/scoring", f"{name} is 0..{1000 * games}, not {scoring[name]!r}")
    return scoring


def _descend(places: list[Any]) -> bool:
    fit = all(_is_points(each, 1000) for each in places)
    return fit and all(a >= b for a, b in pairwise(places))


def _is_points(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def parse_tiebreaks(raw: list[str] | None) -> tuple[str, ...]:
    """The tiebreaks in their order; WrongValue `tournament/tiebreaks` for unknown ones, or one that comes twice."""
    chosen = DEFAULT_TIEBREAKS if raw is None else tuple(raw)
    if not set(chosen) <= set(TIEBREAKS) or len(set(chosen)) < len(chosen):
        raise WrongValue("tournament/tiebreaks", f"tiebreaks are some of {', '.join(TIEBREAKS)}, each once")
    return chosen
