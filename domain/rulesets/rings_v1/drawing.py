"""A position as JSON, and as text for a terminal."""

from collections.abc import Iterator
from typing import Any

from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets.rings_v1.board import KINDS, NAMES, RINGS, SEAT, SLOTS, TOP, count, start_of
from plyscribe.domain.rulesets.rings_v1.payments import DICE, spell_dice
from plyscribe.domain.rulesets.rings_v1.state import Alliance, State, list_rings


def view_state(state: State) -> dict[str, Any]:
    """The view without the keys that all rulesets have."""
    engaged, alliance = state.engaged, state.alliance
    units = {field: units for field, units in enumerate(state.units) if units}
    return {
        "terrain": list_rings(state.terrain),
        "starts": [None if field is None else field + 1 for field in state.starts],
        "units": {NAMES[field]: {"seat": units >> SEAT, **_view_units(units)} for field, units in units.items()},
        "supply": [_view_units(units) for units in state.supply],
        "dice": [dict(zip(DICE, dice, strict=True)) for dice in state.dice],
        "round": state.round,
        "pass": state.pass_,
        "uses": state.uses,
        "points": list(state.points),
        "engaged": engaged and {"at": NAMES[engaged.at], "from": NAMES[engaged.source]},
        "alliance": alliance and _view_alliance(alliance),
        "declined": state.declined,
    }


def _view_units(units: int) -> dict[str, int]:
    return {name: count(units, kind) for name, kind in KINDS.items()}


def _view_alliance(alliance: Alliance) -> dict[str, Any]:
    backer = {} if alliance.backer is None else {"with": NAMES[alliance.backer]}
    return {
        "ally": alliance.ally,
        "from": NAMES[alliance.source],
        "at": NAMES[alliance.at],
        "pay": alliance.pay,
        **backer,
    }


# ---- text

CELL = 13
LETTERS = {"runner": "R", "warrior": "W", "blocker": "B"}
LEGEND = "L light, M medium, H heavy ground; R runner, W warrior, B blocker behind the number of their seat"


def render_state(state: State) -> str:
    """The rings, unrolled, between the STARTs and `top`; then what each seat has; then what is going on."""
    return "\n".join([*_draw_board(state), "", *_draw_seats(state), "", *_format_turn(state), LEGEND])


def _draw_board(state: State) -> Iterator[str]:
    yield _draw_row("", [str(slot) for slot in range(1, SLOTS + 1)])
    yield _draw_row("START", [_draw_start(state, field) for field in range(SLOTS)])
    for ring, letters in enumerate(list_rings(state.terrain)):
        fields = range(SLOTS * ring, SLOTS * (ring + 1))
        cells = zip(letters or "?" * SLOTS, fields, strict=True)
        yield _draw_row(RINGS[ring], [f"{letter} {_draw_units(state.units[field])}" for letter, field in cells])
    yield _draw_row("top", [_draw_units(state.units[TOP]) or "-"])


def _draw_row(head: str, cells: list[str]) -> str:
    return f"{head:7}{''.join(f'{cell:{CELL}}' for cell in cells)}".rstrip()


def _draw_start(state: State, field: int) -> str:
    if field not in state.starts:
        return ""
    seat = state.starts.index(field) + 1
    return f"s{seat} {_spell_units(state.units[start_of(seat)])}"


def _draw_units(units: int) -> str:
    return f"{units >> SEAT}{_spell_units(units)}" if units else ""


def _spell_units(units: int) -> str:
    return "".join(LETTERS[name] * number for name, number in _view_units(units).items())


def _draw_seats(state: State) -> Iterator[str]:
    yield "seat   points   dice    supply"
    for seat, points in enumerate(state.points, 1):
        dice = spell_dice(state.dice[seat - 1])
        supply = "left" if seat in state.left else _spell_units(state.supply[seat - 1])
        yield f"{seat:<7}{points:<9}{dice or '-':8}{supply or '-'}"


def _format_turn(state: State) -> Iterator[str]:
    match state.turn:
        case Over(reason):
            doing = f"the match is over by {reason}"
        case Roll(_, _, purpose, seat):
            doing = f"{'the table' if seat is None else f'seat {seat}'} rolls for {purpose}"
        case Decision(seat):
            doing = f"seat {seat} decides"
    when = f"Round {state.round}, pass {state.pass_}" if state.round else "Setup"
    yield f"{when}: {doing}.{f' Uses left: {state.uses}.' if state.uses else ''}"
    if engaged := state.engaged:
        yield f"A warrior from {NAMES[engaged.source]} attacks {NAMES[engaged.at]}; a second one has to follow."
    if alliance := state.alliance:
        backer = "" if alliance.backer is None else f" with the warrior on {NAMES[alliance.backer]}"
        attack = f"attacks {NAMES[alliance.at]} from {NAMES[alliance.source]}, paid with {alliance.pay}"
        yield f"Seat {alliance.seat} {attack}, if seat {alliance.ally} helps{backer}."
