"""What time controls mean, in sentences, and the usual ones that forms offer."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson
from flask import Response, request

from plyscribe.domain.clocks import BONUSES
from plyscribe.domain.errors import Refusal
from plyscribe.domain.limits import parse_limits
from plyscribe.domain.time_control import format_time_control, parse_time_control
from plyscribe.service.language.problems import translate_problem
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.speech import gettext, page_language
from plyscribe.service.web.pages.times import format_duration, name_span

USUAL = (
    "1+0",
    "3+2",
    "5+0",
    "5+3",
    "10+5",
    "15+10",
    "15 d10",
    "30+20",
    "90+30",
    "40/90:00+30, 30:00+30",
    "1 day/move",
    "3 days/move",
    "7 days/move",
)
"""The time controls that forms offer by name. Others can be written."""

MOST_SEATS = 16
"""Seats that a time control may name before the match says how many it has."""

Limits = Mapping[str, Any]


class TimeControl(NamedTuple):
    """A time control: how it is written, what it means, and the limits that it stands for, as JSON."""

    written: str
    meaning: str
    limits: str


def list_usual() -> list[TimeControl]:
    """The usual time controls, the quickest first."""
    return [_read_control(written) for written in USUAL]


def _read_control(written: str) -> TimeControl:
    """The time control with this notation; Refusal if it is none, or is not possible."""
    limits = parse_limits(parse_time_control(written), MOST_SEATS)
    given = {name: value for name, value in limits.items() if value is not None}
    return TimeControl(format_time_control(limits), describe_limits(limits), orjson.dumps(given).decode())


@blueprint.get("/time-control")
def explain_control() -> Response:
    """Show what a time control means that somebody writes in a form, or why it is none."""
    written = request.args.get("written", "")
    try:
        return show_page("time_control.html", control=_read_control(written), refusal=None)
    except Refusal as error:
        problem = {"code": error.code, "title": "", "detail": str(error), **error.details}
        refusal = translate_problem(problem, page_language())["detail"]
        return show_page("time_control.html", control=None, refusal=refusal)


@blueprint.app_template_filter("time_control")
def describe_limits(limits: Limits | None) -> str:
    """What limits mean, in a few sentences."""
    if limits is None:
        return gettext("No limit")
    said = list(_say_times(limits))
    for each in limits.get("seats", ()):
        said.append(
            gettext("Seat %(number)s has another time: %(time)s.", number=each["seat"], time=write_limits(each))
        )
    return " ".join(said)


@blueprint.app_template_filter("written_time_control")
def write_limits(limits: Limits) -> str:
    """The short notation of limits."""
    return format_time_control(limits)


def _say_times(limits: Limits) -> Iterator[str]:
    phases, whole_ms, move_ms = limits.get("phases", ()), limits["match_ms"], limits["move_ms"]
    if whole_ms is not None and phases:
        said = {"time": _name(whole_ms), "moves": phases[0]["after"]}
        yield gettext("Each player has %(time)s for the first %(moves)s moves.", **said)
    elif whole_ms is not None:
        yield gettext("Each player has %(time)s for the whole match.", time=_name(whole_ms))
    yield from _say_bonus(limits)
    before = limits
    for phase in phases:
        yield from _say_phase(phase, before)
        before = phase
    if move_ms is not None and whole_ms is not None:
        yield gettext("No move may take longer than %(time)s.", time=_name(move_ms))
    elif move_ms is not None:
        yield gettext("Each player has %(time)s for each move.", time=_name(move_ms))


def _say_phase(phase: Limits, before: Limits) -> Iterator[str]:
    if phase["add_ms"]:
        yield gettext(
            "After move %(number)s there is more: %(time)s.", number=phase["after"], time=_name(phase["add_ms"])
        )
    if _find_bonus(phase) == _find_bonus(before):
        return
    yield gettext("What holds after move %(number)s:", number=phase["after"])
    yield from _say_bonus(phase) if _find_bonus(phase)[1] else [gettext("A move adds nothing.")]


def _find_bonus(given: Limits) -> tuple[str, int]:
    return next(((name, given[name]) for name in BONUSES if given.get(name)), ("", 0))


def _say_bonus(given: Limits) -> Iterator[str]:
    match _find_bonus(given):
        case "increment_ms", ms:
            yield gettext("Each move adds %(time)s.", time=_name(ms))
        case "delay_ms", ms:
            yield gettext("At each move the clock waits %(time)s before it runs.", time=_name(ms))
        case "bronstein_ms", ms:
            yield gettext("Each move adds the time that it took, %(time)s at most.", time=_name(ms))


def _name(ms: int) -> str:
    return format_duration(ms) if ms % 1000 else name_span(ms)
