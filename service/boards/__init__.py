"""Board pictures: SVG from a view alone. A module and a template a ruleset version.

The module arranges the view for its template and explains notations; the template draws. Classes carry the colours,
which stand in one style sheet (`colours.css`): a picture for a page brings none, one that stands alone brings its own.
Every element that a notation can name has that name as `data-token`, so that a move can be put together by clicks.
"""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.boards import crystals_v1, pathagon_v1, portals_v1, rings_v1, zhen_v1
from plyscribe.service.boards.board import Board, Explained, LastMove
from plyscribe.service.boards.colours import Theme, render_colours
from plyscribe.service.boards.plain import arrange_text

BOARDS: dict[tuple[str, int], Board] = {
    ("crystals", 1): crystals_v1.BOARD,
    ("pathagon", 1): pathagon_v1.BOARD,
    ("portals", 1): portals_v1.BOARD,
    ("rings", 1): rings_v1.BOARD,
    ("zhen", 1): zhen_v1.BOARD,
}
"""How each ruleset version is drawn; others are shown as text."""

TEMPLATES = Path(__file__).parent / "templates"


def draw_board(ruleset: AnyRuleset, state: Any, last: LastMove | None = None, theme: Theme | None = None) -> Markup:
    """The state as an SVG document, the last move marked; without a theme it takes the colours of its page.

    Only `ruleset.view(state)` is drawn. A ruleset without a board of its own is shown as its text.
    """
    board = BOARDS.get((ruleset.id, ruleset.version))
    name, told = (
        ("plain", arrange_text(ruleset.render_text(state)))
        if board is None
        else (f"{ruleset.id}_v{ruleset.version}", board.arrange(ruleset.view(state), last))
    )
    colours = None if theme is None else render_colours(theme)
    picture = _templates().get_template(f"{name}.svg").render(told, title=ruleset.title, colours=colours)
    return Markup(picture)  # noqa: S704


@cache
def draw_beginning(ruleset: AnyRuleset) -> Markup:
    """The board as a match begins with the usual options and as few seats as can be; in the colours of its page."""
    return draw_board(ruleset, ruleset.initial_state(ruleset.parse_options({}), ruleset.min_seats))


def explain_move(ruleset: AnyRuleset, move: str) -> Explained | None:
    """What a move's notation says, in a sentence, and the clause that rules it; None where nobody wrote that down."""
    board = BOARDS.get((ruleset.id, ruleset.version))
    return None if board is None else board.explain(move)


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
