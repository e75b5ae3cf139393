"""What a recorder of a match at a real table works with: the dice that are due, the line of steps, who may leave."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from plyscribe.domain.effects import Rolled
from plyscribe.domain.errors import NotInPlay
from plyscribe.domain.match import Interlude, Match, Play, PlayedMove
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll
from plyscribe.service.web.pages.score_sheet import LogEntry, find_name, format_withdrawal
from plyscribe.service.web.pages.speech import gettext, gettext_noop, ngettext

FEW = 12
"""How many steps are listed at first."""

MANY = 240
"""How many are listed at most."""

Json = dict[str, Any]

_ROLLS = {
    ("crystals", "first"): (
        gettext_noop("Who begins?"),
        gettext_noop("The lowest number begins. If it is rolled twice, those players roll again."),
    ),
    ("crystals", "turn"): (
        gettext_noop("How far may %(name)s move?"),
        gettext_noop("A 6 gives another turn."),
    ),
    ("crystals", "defence"): (
        gettext_noop("Does the tower save a character of %(name)s?"),
        gettext_noop("Yes, if the number is not above the level of the tower."),
    ),
    ("portals", "first"): (
        gettext_noop("Who begins?"),
        gettext_noop("The highest number begins. If it is rolled twice, those players roll again."),
    ),
    ("portals", "action"): (
        gettext_noop("What may %(name)s do?"),
        gettext_noop("1 to 3: build. 4 to 6: launch. 7: enter. 8: exit or enter."),
    ),
    ("rings", "round"): (
        gettext_noop("The dice of %(name)s for this round"),
        gettext_noop("1 and 2 recruit, 3 and 4 move, 5 and 6 turn rings."),
    ),
    ("rings", "alliance"): (
        gettext_noop("Who loses a warrior?"),
        gettext_noop("1 to 3: %(name)s, who attacks. 4 to 6: the ally."),
    ),
    ("rings", "terrain"): (
        gettext_noop("Which terrain lies on ring %(ring)s?"),
        gettext_noop("Choose a terrain, and then click the fields on which it lies."),
    ),
}
"""For the rolls of each game a question, and what the numbers mean."""

_GROUNDS = {
    "heavy": (gettext_noop("Heavy terrain"), "rings-heavy", "rings-peak"),
    "medium": (gettext_noop("Medium terrain"), "rings-medium", "rings-tree"),
    "light": (gettext_noop("Light terrain"), "rings-light", "rings-tuft"),
}
"""What can be laid on a board: its name, and how the board draws it: the class of the field, and what stands on it."""


class Line(NamedTuple):
    """The latest steps of the surviving line, and whether there are earlier ones."""

    entries: list["LineEntry"]
    has_more: bool


class LineEntry(NamedTuple):
    """A step of the surviving line. `mending` is what scripts need to correct it."""

    version: int
    seat: int | None
    text: str
    is_move: bool
    values: tuple[int, ...]
    sides: int
    mending: Json
    undone: bool = False


def describe_roll(ruleset: AnyRuleset, state: Any, names: Sequence[str]) -> Json | None:
    """The roll that is due in a position, for people: a question, who rolls, and what they can choose."""
    due = ruleset.turn(state)
    if not isinstance(due, Roll):
        return None
    layout = ruleset.layout(state)
    who = find_name(due.seat, names) if due.seat else ""
    title, hint = _ROLLS.get((ruleset.id, due.purpose), (gettext_noop("What do the dice show?"), ""))
    values = {"name": who, "ring": layout.places[0][:1] if layout else ""}
    rolls = ngettext("%(name)s rolls one die.", "%(name)s rolls %(num)s dice.", due.count, name=who) if who else ""
    return {
        "title": gettext(title, **values),
        "hint": gettext(hint, **values) if hint else "",
        "rolls": rolls,
        "sides": due.sides,
        "count": due.count,
        "layout": layout
        and {
            "places": layout.places,
            "kinds": [
                {"kind": kind, "count": count, "name": gettext(name), "ground": ground, "stands": stands}
                for kind, count in layout.kinds.items()
                for name, ground, stands in (_GROUNDS.get(kind, (kind, "", "")),)
            ],
        },
    }


def list_line(match: Match, names: Sequence[str], wanted: int) -> Line:
    """The last `wanted` steps of the surviving line, in order."""
    play = match.play
    if play is None:
        return Line([], False)
    last = play.list_last(min(wanted, MANY))
    ply, entries = play.ply, []
    for back, step in enumerate(last, 1):
        entries.append(_describe_step(match, play, step, ply, back, names))
        ply -= isinstance(step, PlayedMove)
    return Line(entries[::-1], len(last) < min(play.length, MANY))


def _describe_step(
    match: Match, play: Play, step: PlayedMove | Interlude, ply: int, back: int, names: Sequence[str]
) -> LineEntry:
    """The step that `ply` moves lead up to and include; it is the `back`-th from the end."""
    mending = {"back": back, **_find_before(match, play, step, ply)}
    if isinstance(step, PlayedMove):
        more = {"kind": "move", "seat": step.seat}
        return LineEntry(step.version, step.seat, step.move, True, (), 0, {**mending, **more})
    if step.values:
        roll = describe_roll(play.ruleset, step.state, names)
        assert roll is not None  # or the step would be no roll
        due = play.ruleset.turn(step.state)
        seat = due.seat if isinstance(due, Roll) else None
        text = gettext("%(name)s rolls", name=find_name(seat, names)) if seat else gettext("Dice are rolled")
        if roll["layout"]:
            text = _format_layout(play.ruleset, step, roll["layout"])
        more = {"kind": "roll", "roll": roll}
        return LineEntry(step.version, seat, text, False, step.values, roll["sides"], {**mending, **more})
    if left := step.left:
        said = format_withdrawal(find_name(left.seat, names), left.cause) + (f", '{left.why}'" if left.why else "")
        more = {"kind": "left", "seat": left.seat, "cause": left.cause, "why": left.why}
        return LineEntry(step.version, left.seat, said, False, (), 0, {**mending, **more})
    return LineEntry(step.version, None, gettext("agreed draw"), False, (), 0, {**mending, "kind": "draw"})


def _format_layout(ruleset: AnyRuleset, step: Interlude, layout: Json) -> str:
    """What lies where because of a roll: "Medium terrain a2 a6 · Light terrain a1 a3"."""
    after = ruleset.apply_roll(step.state, step.values)
    laid = [each for each in ruleset.effects(step.state, Rolled(step.values), after) if each.word]
    parts = [
        (each["name"], [effect.target for effect in laid if effect.word == each["kind"]]) for each in layout["kinds"]
    ]
    return " · ".join(f"{name} {' '.join(map(str, places))}" for name, places in parts)


def _find_before(match: Match, play: Play, step: PlayedMove | Interlude, ply: int) -> Json:
    """The position before the step, as a variation: where it begins, and the steps from there."""
    if isinstance(step, PlayedMove):
        return {"start": {"match": match.stream, "ply": ply - 1}, "steps": []}
    first = bisect_left(play.between, ply, key=lambda each: each.ply)
    before = [_dump_interlude(each) for each in play.between[first : play.between.index(step, first)]]
    if ply:
        return {
            "start": {"match": match.stream, "ply": ply - 1},
            "steps": [{"move": play.steps[ply - 1].move}, *before],
        }
    created = match.life.created
    start = {"seats": len(match.life.seats), "options": created.options, "ruleset_version": created.ruleset_version}
    return {"start": start, "steps": before}


def _dump_interlude(step: Interlude) -> Json:
    return {"values": step.values} if step.values else {"withdraw": step.seat}


def find_line_rolls(entries: Sequence[LineEntry]) -> list[LogEntry]:
    """The latest run of rolls with nothing between them, in order, as entries of the log."""
    rolls: list[LogEntry] = []
    for entry in reversed(entries):
        if entry.values:
            rolls.insert(0, LogEntry(entry.version, entry.seat, entry.text, values=entry.values, sides=entry.sides))
        elif rolls:
            break
    return rolls


def explain_leaving(match: Match, seats: Sequence[int], names: Sequence[str]) -> dict[int, str]:
    """What it means for the others if one of these seats leaves now, in a sentence for each."""
    assert match.play is not None  # or nobody could leave
    return {seat: _explain_one(match.play, seat, names) for seat in seats}


def _explain_one(play: Play, seat: int, names: Sequence[str]) -> str:
    try:
        turn = play.ruleset.turn(play.ruleset.withdraw(play.state, seat))
    except NotInPlay:
        return ""
    if not isinstance(turn, Over):
        return gettext("The others play on.")
    winners = [find_name(number, names) for number, rank in enumerate(turn.ranks, 1) if rank == 1]
    if len(winners) == 1:
        return gettext("The match ends, and %(name)s wins.", name=winners[0])
    return gettext("The match ends.")
