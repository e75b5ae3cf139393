"""Board pictures: SVG, drawn from nothing but a view. Each ruleset version has a module and a template.

The module prepares the view for the template and explains notations. The template draws. Classes name the colours,
which one style sheet defines (`colours.css`): pages include it once, and a picture on its own carries a copy. Packages
can bring games with boards of their own (`plyscribe.service.games`).

A drawing is more than a picture. Its elements carry attributes, so that people make moves on it, see them happen and
have it read out:

- `data-touch` names what a touch of the element stands for: a field, a piece, a handle. `Board.trace` says which
  touches make which move. The first child is the outline, which pages mark.
- `data-place` names a field or a place beside the board as effects name it; a place that each seat has is followed by
  the seat: `d4`, `reserve-2`. Pieces move between the middles of places.
- `data-key` is on each thing that can come, go or change. Two drawings of a match have the same key exactly for the
  same thing in the same place; `data-at` names that place.
- `data-turn` is the angle in degrees that the last move turned this part by, clockwise, about the point `data-about`.
"""

from functools import cache
from pathlib import Path
from typing import Any, cast

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined
from markupsafe import Markup

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.boards import crystals_v1, pathagon_v1, portals_v1, rings_v1, zhen_v1
from plyscribe.service.boards.board import Board, Explained, LastMove
from plyscribe.service.boards.colours import Theme, render_colours
from plyscribe.service.boards.plain import arrange_text
from plyscribe.service.games import find_game, find_template, load_part

BOARDS: dict[tuple[str, int], Board] = {
    ("crystals", 1): crystals_v1.BOARD,
    ("pathagon", 1): pathagon_v1.BOARD,
    ("portals", 1): portals_v1.BOARD,
    ("rings", 1): rings_v1.BOARD,
    ("zhen", 1): zhen_v1.BOARD,
}
"""The boards of the built-in rulesets."""

TEMPLATES = Path(__file__).parent / "templates"


def find_board(ruleset: AnyRuleset) -> Board | None:
    """The board of a ruleset version, None if it has none."""
    built_in = BOARDS.get((ruleset.id, ruleset.version))
    if built_in is not None:
        return built_in
    outside = load_part(ruleset.id, ruleset.version, "board")
    return None if outside is None else cast(Board, outside.BOARD)


def draw_board(
    ruleset: AnyRuleset, state: Any, last: LastMove | None = None, theme: Theme | None = None, seat: int | None = None
) -> Markup:
    """The state as an SVG document with the last move marked, as a seat sees it: None is seat 1.

    Without a theme, it takes the colours of its page. It shows `ruleset.view(state)` and nothing else. A ruleset
    without a board is shown as text.
    """
    board = find_board(ruleset)
    name, context = (
        ("plain", arrange_text(ruleset.render_text(state)))
        if board is None
        else (f"{ruleset.id}_v{ruleset.version}", board.arrange(ruleset.view(state), last, seat))
    )
    colours = None if theme is None else render_colours(theme)
    picture = _templates().get_template(f"{name}.svg").render(context, title=ruleset.title, colours=colours)
    return Markup(picture)  # noqa: S704


@cache
def draw_beginning(ruleset: AnyRuleset, theme: Theme | None = None) -> Markup:
    """The starting position with default options and the smallest number of seats; themes as in `draw_board`."""
    return draw_board(ruleset, ruleset.initial_state(ruleset.parse_options({}), ruleset.min_seats), theme=theme)


def explain_move(ruleset: AnyRuleset, move: str) -> Explained | None:
    """What a notation means, in a sentence, and the clause behind it; None if the ruleset has no explanation for it."""
    board = find_board(ruleset)
    return None if board is None else board.explain(move)


@cache
def _templates() -> Environment:
    return Environment(
        loader=ChoiceLoader([FileSystemLoader(TEMPLATES), FunctionLoader(_read_template)]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def _read_template(name: str) -> str | None:
    """The template of a game from outside, by the name that a built-in one would have."""
    id, _, version = name.removesuffix(".svg").rpartition("_v")
    if not version.isdecimal() or find_game(id, int(version)) is None:
        return None
    return find_template(id, int(version)).read_text(encoding="utf-8")
