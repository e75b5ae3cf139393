"""Positions that somebody asks about, and what was played there as they look at it: for the API and for pages."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from plyscribe.domain.effects import Rolled, Withdrew
from plyscribe.domain.errors import OptionError
from plyscribe.domain.match import Match
from plyscribe.domain.positions import KEY_LENGTH, Folded, fold_position, unfold_move
from plyscribe.domain.replay import Position
from plyscribe.domain.ruleset import AnyRuleset, format_turn
from plyscribe.domain.variation import Reached, Tried
from plyscribe.service.errors import BadRequest
from plyscribe.service.explorer.counted_matches import DEFAULT, label_options
from plyscribe.service.explorer.explored import Explored, Passage, describe_played, describe_rating
from plyscribe.service.explorer.explorer_tables import OPENING

MOST_STEPS = 300
"""The steps that may lead to a position from the start."""

STEP = ";"
"""What separates steps: no notation has it."""

BY_KEY = re.compile(rf"[a-z2-7]{{{KEY_LENGTH}}}\Z")
ROLL = re.compile(r"\[([0-9]{1,9}(?:,[0-9]{1,9})*)\]")
LEAVING = re.compile(r"\[leave ([0-9]{1,2})\]")

Json = dict[str, Any]


class Asked(NamedTuple):
    """A position that is asked about. One that only its key names has no state."""

    ruleset: AnyRuleset
    key: str
    ply: int | None = None
    state: Any = None
    folded: Folded | None = None
    seats: int | None = None

    def unfold(self, move: str) -> str | None:
        """A move of the folded position as it is played in this one; None if it is not legal here."""
        return move if self.folded is None else unfold_move(self.ruleset, self.folded, self.state, move)


class ShownMove(NamedTuple):
    """A move in the asked position, and what is said of it."""

    move: str
    described: Json


class ShownMoves(NamedTuple):
    """Moves in the asked position, those that most matches played first."""

    moves: list[ShownMove]
    more: int
    """How many others were played."""


def ask_for(reached: Reached, seats: int) -> Asked:
    """A question about a position that was reached, in a game of so many seats."""
    folded = fold_position(reached.ruleset, reached.state)
    return Asked(reached.ruleset, folded.key, reached.ply, reached.state, folded, seats)


def begin_in_match(match: Match, position: Position) -> Reached:
    """A position of a match, from which steps can be taken."""
    assert match.play is not None  # or it would have no position
    return Reached(match.play.ruleset, position.state, position.ply)


def read_line_text(text: str) -> list[Tried]:
    """The steps in a text: `d4;[6,2];c3` are two moves with a roll between them, and in `[leave 2]` seat 2 leaves.

    BadRequest if they are too many, or if one in brackets cannot be read.
    """
    steps = [each for part in text.split(STEP) if (each := part.strip())]
    if len(steps) > MOST_STEPS:
        raise BadRequest(
            f"{len(steps)} steps are too many: give at most {MOST_STEPS}", "explorer/steps", most=MOST_STEPS
        )
    return list(map(_read_step, steps))


def _read_step(text: str) -> Tried:
    if not text.startswith("["):
        return text
    if roll := ROLL.fullmatch(text):
        return Rolled(tuple(map(int, roll[1].split(","))))
    if leaving := LEAVING.fullmatch(text):
        return Withdrew(int(leaving[1]))
    message = f"the step {text[:50]!r} cannot be read: write a roll as [6,2], and [leave 2] if seat 2 leaves"
    raise BadRequest(message, "explorer/step", found=text[:50])


def write_line_text(steps: Sequence[Tried]) -> str:
    """The steps as text, inverse of `read_line_text`."""
    return STEP.join(map(_write_step, steps))


def _write_step(step: Tried) -> str:
    match step:
        case Rolled(values):
            return f"[{','.join(map(str, values))}]"
        case Withdrew(seat):
            return f"[leave {seat}]"
    return str(step)


def parse_options(ruleset: AnyRuleset, text: str) -> Json:
    """The complete options that a text names: `default`, a preset, or a JSON object; OptionError."""
    if text == DEFAULT:
        return ruleset.parse_options({})
    if text in ruleset.presets:
        return ruleset.parse_options(dict(ruleset.presets[text]))
    try:
        given = orjson.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        named = ", ".join((DEFAULT, *ruleset.presets))
        raise OptionError("options", text[:100], f"{named}, or a JSON object")
    return ruleset.parse_options(given)


def parse_label(ruleset: AnyRuleset, text: str) -> str:
    """What options are counted under that a text names; OptionError."""
    return label_options(ruleset, parse_options(ruleset, text))


def parse_month(text: str) -> int:
    """The month in `2024-07` as a number."""
    year, _, month = text.partition("-")
    return int(year) * 100 + int(month)


def show_moves(asked: Asked, explored: Explored, limit: int) -> ShownMoves:
    """The first moves as they are played in the asked position. One that is illegal here is left out.

    Such a move was played in a position that looks the same, under other options.
    """
    seats = _count_seats(asked, explored)
    shown, looked_at = list[ShownMove](), 0
    for played in explored.moves:
        if len(shown) == limit:
            break
        looked_at += 1
        if (move := asked.unfold(played.move)) is not None:
            shown.append(ShownMove(move, describe_played(played, seats)))
    return ShownMoves(shown, len(explored.moves) - looked_at)


def _count_seats(asked: Asked, explored: Explored) -> int:
    if asked.seats is not None:
        return asked.seats
    won = {seat for played in explored.moves for seat in played.won}
    return max(won | {asked.ruleset.min_seats})


def describe_explored(asked: Asked, explored: Explored, rows: dict[str, Json], limit: int) -> Json:
    """What was played in the asked position, for JSON. `rows` are those of the list of matches, by id."""
    shown = show_moves(asked, explored, limit)
    return {
        "ruleset": asked.ruleset.id,
        "version": asked.ruleset.version,
        "position": asked.key,
        "ply": asked.ply,
        "turn": None if asked.folded is None else format_turn(asked.ruleset.turn(asked.state)),
        "opening": OPENING,
        "matches": explored.matches,
        "looked_at": explored.looked_at,
        "moves": [{"move": move, **described} for move, described in shown.moves],
        "more": shown.more,
        "latest": [
            {**describe_passage(asked, each, rows[each.match]), "rating": describe_rating(each.rating)}
            for each in explored.latest
            if each.match in rows
        ],
    }


def describe_passage(asked: Asked, passage: Passage, row: Json) -> Json:
    """A match that came through the asked position, for JSON."""
    return {**describe_ended(row), "ply": passage.ply, "move": asked.unfold(passage.move)}


def describe_ended(row: Json) -> Json:
    """A match of the list that has ended, for JSON."""
    return {
        "match": row["match"],
        "ended_at": row["ended_at"],
        "seats": row["seats"],
        "reason": row["outcome"]["reason"] if row["outcome"] else None,
        "ranks": row["outcome"]["ranks"] if row["outcome"] else None,
    }
