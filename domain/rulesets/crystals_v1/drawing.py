"""The board for a terminal: a row of fields for each seat, then the characters, then what is going on."""

from collections.abc import Iterator
from typing import Any

CELL = 4
EMPTY = "."


def draw(view: dict[str, Any]) -> str:
    """The drawing of a view in ASCII."""
    return "\n".join([*_draw_track(view), *_draw_seats(view), "", *_format_lines(view)])


def _draw_track(view: dict[str, Any]) -> Iterator[str]:
    contents = _fill_fields(view)
    section = view["fields"] // len(view["starts"])
    for seat, start in enumerate(view["starts"], 1):
        fields = range(start, start + section)
        yield "".join(f"{field:{CELL}}" for field in fields)
        yield "".join(f"{contents.get(field, EMPTY):>{CELL}}" for field in fields)
        marks = [f"^{seat}" if field == start else "=>" if field in view["teleports"] else "" for field in fields]
        yield "".join(f"{mark:>{CELL}}" for mark in marks).rstrip()


def _fill_fields(view: dict[str, Any]) -> dict[int, str]:
    """The contents of the fields: 2s1 is a scout of seat 2 on level 1, *2 a mine of seat 2."""
    mines = {field: f"*{seat}" for seat, own in enumerate(view["mines"], 1) for field in own}
    characters = {
        character["at"]: f"{seat}{name[0]}{character['level']}"
        for seat, own in enumerate(view["characters"], 1)
        for name, character in own.items()
    }
    return mines | characters


def _draw_seats(view: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"{'':8}{'scout':15}{'miner':15}{'tower':15}{'attacker':22}{'crystals':>8}{'mines':>7}"
    for seat, own in enumerate(view["characters"], 1):
        cells = [_format_character(character) for character in own.values()]
        attacker = f"{list(own)[3]} {cells[3]}" if len(own) == 4 else "not chosen"
        mark = ">" if view["on_turn"] == seat else " "
        stock = 4 - len(view["mines"][seat - 1])
        name = f"{mark}seat {seat}{'-' if seat in view['left'] else ' '}"
        others = "".join(f"{cell:15}" for cell in cells[:3])
        yield f"{name:8}{others}{attacker:22}{view['crystals'][seat - 1]:8}{stock:7}"


def _format_character(character: dict[str, Any]) -> str:
    """Level, experience and place, as in `2 (3xp) at 17`."""
    at = "base" if character["at"] == "base" else f"at {character['at']}"
    return f"{character['level']} ({character['xp']}xp) {at}"


def _format_lines(view: dict[str, Any]) -> Iterator[str]:
    yield "^ START, => teleport, 2s1 scout of seat 2 on level 1, *2 mine of seat 2."
    yield f"Crystals in the middle: {view['bank']}."
    if view["contest"] is not None:
        rolls = ", ".join(f"seat {seat} {roll or '-'}" for seat, roll in enumerate(view["contest"], 1))
        yield f"The lowest roll begins: {rolls}."
    if view["roll"] is not None:
        yield f"Rolled: {view['roll']}{', and an extra turn follows' if view['extra'] else ''}."
    if attack := view["attack"]:
        target = attack["target"]
        yield f"The {attack['attacker']} attacks the {target['class']} of seat {target['seat']}, whose tower covers it."
    if any(view["due"]):
        points = ", ".join(f"seat {seat} {due}" for seat, due in enumerate(view["due"], 1) if due)
        yield f"Experience to give out: {points}."
