"""Things of Rings that come and go, such as units and dice: their places in the drawing, and what they are."""

from typing import NamedTuple

from markupsafe import Markup

from plyscribe.service.boards.strokes import Point

KINDS = ("runner", "warrior", "blocker")
TALL = 1.2
"""How high units are, by their width."""


class Thing(NamedTuple):
    """A drawn thing: the name of its shape, its place in the drawing and what it is, as attributes."""

    shape: str
    box: Markup
    marks: Markup


def draw_unit(kind: str, seat: int, at: str, number: int | str, middle: Point, width: int) -> Thing:
    """A unit that stands on a field; `number` tells those of a kind apart."""
    height = round(TALL * width)
    box = lay_box(round(middle[0] - width / 2), round(middle[1] - height / 2), width, height)
    return Thing(f"{kind}-{seat}", box, mark_thing(f"{kind}-{seat}-{at}-{number}", at, seat))


def lay_box(x: float, y: float, width: float, height: float) -> Markup:
    """A box by its top left corner, as attributes."""
    return Markup(f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"')  # noqa: S704


def mark_thing(key: str, at: str, owner: int) -> Markup:
    """What a thing is, where it is and whose, as attributes."""
    return Markup(f'data-key="{key}" data-at="{at}" data-owner="{owner}"')  # noqa: S704
