"""The colours of all board pictures, as style sheets for light and dark backgrounds.

The colours of the seats are those of Okabe and Ito (Color Universal Design, 2008), adjusted to the background. People
with all common kinds of colour vision can tell them apart. Pieces also carry the number of their seat.
"""

from functools import cache
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

Theme = Literal["light", "dark", "auto"]
"""`auto` is light unless the reader's system prefers dark."""

LIGHT = {
    "wood": {
        "frame": ["#a8713f", "#7d4d29"],
        "edge": "#4f2f17",
        "carved": "#ffeccc",
        "ground": "#7a4f2e",
        "inlay": "#a8764a",
        "field": ["#f9ebd0", "#ead2a6"],
        "grain": "#8a5a2b",
        "tray": "#efe4d0",
        "glow": "#fffbe0",
        "number": "#5d3a1a",
        "front": "#c69a62",
    },
    "paper": "#ffffff",
    "board": "#f3ede1",
    "field": "#fffdf8",
    "field_two": "#e9dfcc",
    "edge": "#8a7f6c",
    "text": "#22262b",
    "faint": "#665f53",
    "last": "#d4006a",
    "choice": "#007a4d",
    "gem": "#7b3fb5",
    "ink": "#1b1b1b",
    "seats": ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"],
    "seat_texts": ["#ffffff", "#1b1b1b", "#ffffff", "#1b1b1b", "#1b1b1b", "#ffffff"],
}
DARK = {
    "wood": {
        "frame": ["#523a29", "#36251a"],
        "edge": "#140d08",
        "carved": "#e6cfae",
        "ground": "#20150d",
        "inlay": "#3d2a1c",
        "field": ["#6a533d", "#57422f"],
        "grain": "#2c1d10",
        "tray": "#252c33",
        "glow": "#fff0b8",
        "number": "#f0dcbd",
        "front": "#41301f",
    },
    "paper": "#14181d",
    "board": "#23292f",
    "field": "#2e363e",
    "field_two": "#3b454f",
    "edge": "#8c98a5",
    "text": "#e8ebee",
    "faint": "#a9b3bd",
    "last": "#ff7ab8",
    "choice": "#4fd39d",
    "gem": "#c39bff",
    "ink": "#e8ebee",
    "seats": ["#3d9be0", "#f0b429", "#1fb98b", "#dd9ac0", "#8fd0f5", "#f07f3c"],
    "seat_texts": ["#101418", "#101418", "#101418", "#101418", "#101418", "#101418"],
}


@cache
def render_colours(theme: Theme) -> str:
    """The style sheet of a picture in this theme. It has no variables, so every renderer can read it."""
    template = _templates().get_template("colours.css")
    if theme == "auto":
        dark = template.render(DARK)
        return f"{template.render(LIGHT)}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"
    return template.render(LIGHT if theme == "light" else DARK)


@cache
def render_seat_colours() -> str:
    """The colours of the seats and of text on them, as custom properties for the style sheet of a page."""
    rules = ""
    for name, key in (("seat", "seats"), ("on-seat", "seat_texts")):
        for seat, (light, dark) in enumerate(zip(LIGHT[key], DARK[key], strict=True), 1):
            rules += f"--{name}-{seat}: light-dark({light}, {dark});\n"
    return f":root {{\n{rules}}}\n"


@cache
def _templates() -> Environment:
    folder = Path(__file__).parent / "templates"
    return Environment(loader=FileSystemLoader(folder), trim_blocks=True, undefined=StrictUndefined, autoescape=False)  # noqa: S701
