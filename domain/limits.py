"""The limits of a match as they are asked for: what they may be, and how they are recorded."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from plyscribe.domain.clocks import BONUSES
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import Limits, SeatLimits

MIN_LIMIT_MS = 1_000
MAX_MOVE_MS = 30 * 24 * 3600 * 1000
MAX_MATCH_MS = 365 * 24 * 3600 * 1000
MAX_INCREMENT_MS = 3600 * 1000
"""The longest bonus of a move, of any kind."""

MAX_LAG_MS = 500
"""The most that a move is compensated for the way to the server and back."""

LAG_SHARE = 20
"""The compensation of a move is at most one part in so many of a seat's time."""

MAX_PHASES = 4
"""The most phases after the first."""

MAX_AFTER = 1000
"""The latest move after which a phase begins."""

_TIMES = {"move_ms": MAX_MOVE_MS, "match_ms": MAX_MATCH_MS}
_OF_A_SEAT = {*_TIMES, *BONUSES, "phases"}


def parse_limits(limits: Mapping[str, Any], seats: int) -> Limits:
    """The limits of a match with so many seats, complete: both times, None for one that is not set, and what else is.

    WrongValue when they are out of range, when both times are unset, or when a bonus, a phase or a seat does not fit.
    """
    complete: dict[str, Any] = _parse_times(limits, _OF_A_SEAT | {"seats"})
    if odds := limits.get("seats"):
        numbers = [each.get("seat") for each in odds]
        if not all(type(each) is int and 1 <= each <= seats for each in numbers) or len(set(numbers)) < len(numbers):
            raise WrongValue("limits/seat", f"seats names seats 1..{seats}, each once")
        own = [{"seat": each["seat"], **_parse_times(each, _OF_A_SEAT | {"seat"})} for each in odds]
        complete["seats"] = sorted(own, key=lambda its: int(its["seat"]))
    return cast(Limits, complete)


def choose_lag(limits: Mapping[str, Any]) -> int:
    """The most that each move is compensated for lag in a new match with these limits, in milliseconds.

    Whoever lies about their lag gains no more than this with each move, so it is small beside the time of a seat.
    """
    times = [each.get(name) for each in (limits, *(limits.get("seats") or ())) for name in _TIMES]
    quota: int = min([MAX_LAG_MS, *(ms // LAG_SHARE for ms in times if ms is not None)])
    return quota


def rotate_limits(limits: Limits | None, seats: int) -> Limits | None:
    """The limits for a match in which every player sits one seat further on: whoever has odds keeps them."""
    if limits is None or "seats" not in limits:
        return limits
    moved = [SeatLimits(**{**each, "seat": each["seat"] - 1 or seats}) for each in limits["seats"]]
    return Limits(**{**limits, "seats": sorted(moved, key=lambda its: its["seat"])})


def _parse_times(limits: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    complete: dict[str, Any] = {name: limits.get(name) for name in _TIMES}
    if limits.keys() - known or not any(value is not None for value in complete.values()):
        raise WrongValue("limits/none", "limits have move_ms, match_ms or both, and perhaps more for each move")
    complete |= _parse_bonus(limits)
    phases = list(_parse_phases(limits.get("phases") or ()))
    if complete["match_ms"] is None and (phases or len(complete) > len(_TIMES)):
        what = "what a move adds, a delay and phases change"
        raise WrongValue("limits/increment", f"{what} match_ms, so give both")
    for name, most in _TIMES.items():
        if complete[name] is not None:
            _check_range(name, complete[name], most)
    if complete["match_ms"] and complete["match_ms"] + sum(each["add_ms"] for each in phases) > MAX_MATCH_MS:
        raise WrongValue(
            "limits/range", f"match_ms and its phases must be {MAX_MATCH_MS} milliseconds together at most"
        )
    return {**complete, "phases": phases} if phases else complete


def _parse_bonus(given: Mapping[str, Any]) -> dict[str, int]:
    bonus = {name: given[name] for name in BONUSES if given.get(name) is not None}
    if len(bonus) > 1:
        raise WrongValue("limits/bonus", f"{' and '.join(bonus)}: choose one of {', '.join(BONUSES)}")
    for name, value in bonus.items():
        _check_range(name, value, MAX_INCREMENT_MS)
    return bonus


def _parse_phases(phases: Any) -> Iterator[dict[str, Any]]:
    if len(phases) > MAX_PHASES:
        raise WrongValue("limits/phases", f"there may be {MAX_PHASES} phases after the first, not {len(phases)}")
    before = 0
    for phase in phases:
        after, add_ms = phase.get("after"), phase.get("add_ms", 0)
        is_later = type(after) is int and before < after <= MAX_AFTER
        if phase.keys() - {"after", "add_ms", *BONUSES} or not is_later:
            why = f"a phase begins `after` 1..{MAX_AFTER} moves, each later than the one before"
            raise WrongValue("limits/phases", f"{why}, and has add_ms and perhaps more for each move")
        if add_ms != 0:
            _check_range("add_ms", add_ms, MAX_MATCH_MS)
        yield {"after": after, "add_ms": add_ms, **_parse_bonus(phase)}
        before = after


def _check_range(name: str, value: object, most: int) -> None:
    if not (type(value) is int and MIN_LIMIT_MS <= value <= most):
        raise WrongValue("limits/range", f"{name} must be {MIN_LIMIT_MS}..{most} milliseconds")
