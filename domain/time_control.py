"""The short notation of limits, as players write time controls.

5+3                           five minutes, and three seconds with each move
15 d10, 15 b10                fifteen minutes with a delay of ten seconds, simple (US) or Bronstein
0:30+0, 1:30:00+30            times may be written with colons: minutes and seconds, or hours too
40/90:00+30, 30:00+30         40 moves in 90 minutes, then 30 minutes more, with 30 seconds for each move
1 day/move, 30 s/move         a time for each move
10+0, 1:00/move               both
5+0; seat 2: 1+0              other limits for a seat
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NoReturn

from plyscribe.domain.errors import WrongValue

MAX_LENGTH = 300

_SECONDS = r"\d{1,8}(?:\.\d{1,3})?"
_TIME = rf"(?:\d{{1,4}}:)?(?:\d{{1,6}}:)?{_SECONDS}"
_PHASE = re.compile(
    rf"(?:(?P<moves>\d{{1,4}})/|(?:g|sd)/)?(?P<time>{_TIME})"
    rf"(?:\s*;?\s*(?P<kind>\+|d|b|delay|bronstein|inc)\s*(?P<bonus>{_TIME}))?",
    re.IGNORECASE,
)
_MOVE = re.compile(
    rf"(?P<count>{_TIME})\s*(?P<unit>days?|d|hours?|h|minutes?|min|m|seconds?|sec|s)?\s*(?:/|a |per )\s*move",
    re.IGNORECASE,
)
_SEAT = re.compile(r"seat\s*(\d{1,2})\s*:?\s*(.+)", re.IGNORECASE)
_UNITS_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000}
_BONUSES = {"+": "increment_ms", "i": "increment_ms", "d": "delay_ms", "b": "bronstein_ms"}
_SIGNS = {"increment_ms": "+", "delay_ms": " d", "bronstein_ms": " b"}
_UNITS = (("day", 86_400_000), ("h", 3_600_000), ("min", 60_000))


def parse_time_control(text: str) -> dict[str, Any]:
    """The limits that this notation stands for, as they are asked for; WrongValue `limits/notation` if it is none.

    Whether they are possible is for `parse_limits` to say. It also reads what people write like it: `G/60;d5`, `5 + 3`.
    """
    if len(text) > MAX_LENGTH:
        _refuse(text)
    whole, *odds = re.split(r";\s*(?=seat)", text.strip(), flags=re.IGNORECASE)
    limits = _parse_control(whole)
    for each in odds:
        found = _SEAT.fullmatch(each.strip())
        if not found:
            _refuse(each)
        limits.setdefault("seats", []).append({"seat": int(found[1]), **_parse_control(found[2])})
    return limits


def _parse_control(text: str) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    after: int | None = None
    for part in text.split(","):
        part = re.sub(r"\s*([+/:])\s*", r"\1", part.strip())
        if found := _MOVE.fullmatch(part):
            if "move_ms" in limits:
                _refuse(text)
            limits["move_ms"] = _read_span(found["count"], found["unit"])
        elif (found := _PHASE.fullmatch(part)) and ("match_ms" not in limits or after is not None):
            after = _add_phase(limits, found, after)
        else:
            _refuse(part)
    if after is not None:
        _refuse(text)
    return limits


def _add_phase(limits: dict[str, Any], found: re.Match[str], after: int | None) -> int | None:
    """Add a phase that begins after so many moves; the number of moves after which the next one begins, if it has one.

    `after` is None for the first.
    """
    bonus_ms = _read_time(found["bonus"], minutes=False) if found["bonus"] else 0
    bonus = {_BONUSES[found["kind"][0].lower()]: bonus_ms} if bonus_ms else {}
    time_ms = _read_time(found["time"], minutes=True)
    if after is None:
        limits |= {"match_ms": time_ms, **bonus}
    else:
        limits.setdefault("phases", []).append({"after": after, "add_ms": time_ms, **bonus})
    return None if found["moves"] is None else (after or 0) + int(found["moves"])


def _read_time(text: str, minutes: bool) -> int:
    """The milliseconds of a time; one without colons counts minutes or seconds."""
    parts = text.split(":")
    if len(parts) == 1:
        return round(float(text) * (60_000 if minutes else 1000))
    seconds = 0.0
    for part in parts:
        seconds = seconds * 60 + float(part)
    return round(seconds * 1000)


def _read_span(count: str, unit: str | None) -> int:
    if unit is None or ":" in count:
        return _read_time(count, minutes=True)
    return round(float(count) * _UNITS_MS[unit[0].lower()])


def _refuse(text: str) -> NoReturn:
    examples = "5+3, 15 d10, 40/90:00+30, 30:00+30 or 1 day/move"
    raise WrongValue("limits/notation", f"{text[:40]!r} is no time control: write it like {examples}")


def format_time_control(limits: Mapping[str, Any]) -> str:
    """The notation of limits; inverse of parse_time_control for limits that are possible."""
    whole = _format_control(limits)
    return "; ".join([whole, *(f"seat {each['seat']}: {_format_control(each)}" for each in limits.get("seats") or ())])


def _format_control(limits: Mapping[str, Any]) -> str:
    parts, phases = list[str](), limits.get("phases") or []
    if limits.get("match_ms") is not None:
        starts = [0, *(each["after"] for each in phases)]
        counts = [f"{later - start}/" for start, later in pairwise(starts)]
        times = [limits["match_ms"], *(each["add_ms"] for each in phases)]
        for count, time_ms, given in zip([*counts, ""], times, [limits, *phases], strict=True):
            parts.append(f"{count}{_format_time(time_ms, bool(phases))}{_format_bonus(given, bool(phases))}")
    if limits.get("move_ms") is not None:
        parts.append(f"{_format_span(limits['move_ms'])}/move")
    return ", ".join(parts)


def _format_bonus(given: Mapping[str, Any], in_phases: bool) -> str:
    for name, sign in _SIGNS.items():
        if given.get(name):
            return f"{sign}{_format_seconds(given[name])}"
    return "" if in_phases else "+0"


def _format_time(ms: int, in_phases: bool) -> str:
    """Whole minutes as such if nothing comes after them, all else with colons."""
    if ms % 60_000 == 0 and not in_phases:
        return str(ms // 60_000)
    minutes, rest = divmod(ms, 60_000)
    whole, _, fraction = _format_seconds(rest).partition(".")
    return f"{minutes}:{int(whole):02}{'.' + fraction if fraction else ''}"


def _format_seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")


def _format_span(ms: int) -> str:
    for unit, unit_ms in _UNITS:
        if ms % unit_ms == 0:
            count = ms // unit_ms
            return f"{count} {unit}s" if unit == "day" and count > 1 else f"{count} {unit}"
    return f"{_format_seconds(ms)} s"
