"""The colours of all board pictures, as style sheets for light and dark backgrounds.

The colours of the seats are those of Okabe and Ito (Color Universal Design, 2008), adjusted to the background. People
with all common kinds of colour vision can tell them apart. Pieces also carry a mark or number of their seat.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from plyscribe.service.games import list_games, load_part

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
    "rings": {
        "table": "#efe3c9",
        "plank": "#d9c299",
        "rim": "#5e4225",
        "stone": "#dcc794",
        "bare": "#d9c49c",
        "frame": "#91693d",
        "number": "#fff4de",
        "gap": "#f8f0dc",
        "light": "#e9e5a6",
        "tuft": "#a9ab4f",
        "medium": "#a3c47b",
        "tree": "#3f7443",
        "trunk": "#6b4a2b",
        "heavy": "#b3aca6",
        "rock": "#71696a",
        "snow": "#fbfaf6",
        "summit": "#f6ecd3",
        "gold": "#c28a12",
        "mat": "#fdf8ec",
        "die": "#fffdf6",
        "sign": "#3d2c17",
        "wood": "#8f7a55",
        "outline": "#1d1a16",
    },
    "text": "#22262b",
    "faint": "#665f53",
    "last": "#d4006a",
    "choice": "#007a4d",
    "gem": "#7b3fb5",
    "ink": "#1b1b1b",
    "crystals": {
        "mortar": "#6b5d4d",
        "tile": "#f6ecd9",
        "tile_low": "#e2d1b1",
        "tile_edge": "#b39d79",
        "port": "#e9dcfb",
        "port_low": "#c8afee",
        "grain": "#6b5230",
        "bands": ["#8d74c4", "#70549f", "#593f8c", "#46307a"],
        "cave": "#2c1d58",
        "cave_light": "#9a78e6",
        "plank": "#f0e4cd",
        "plank_low": "#dcc8a3",
        "slot": "#fcf6ea",
    },
    "seats": ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"],
    "seat_texts": ["#ffffff", "#1b1b1b", "#ffffff", "#1b1b1b", "#1b1b1b", "#ffffff"],
    "portals": {
        "slab": "#cdc1ab",
        "slab_edge": "#9d9079",
        "slab_lit": "#e2d8c6",
        "mortar": "#b3a68e",
        "stones": [("#f4eee2", "#e4dac7"), ("#efe7d8", "#dccfb9"), ("#f8f3ea", "#eae1d1")],
        "groove": "#c3b498",
        "arrow": "#4d4132",
        "dais": ("#fffdf8", "#cfc5b4"),
        "dais_rim": "#857a68",
        "gold": ("#ffedb0", "#dfa92c"),
        "gold_rim": "#8f6a14",
        "star": "#fffbe8",
        "label": "#51483a",
        "arch": ("#8d849b", "#4a4357"),
        "arch_edge": "#2d2738",
        "glow": ("#f6eaff", "#b06cf5", "#6428ae"),
        "demon": "#16131b",
        "ember": "#ff7a2e",
        "demon_edge": "#a89bb5",
        "tray": "#efe8da",
    },
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
    "rings": {
        "table": "#322c27",
        "plank": "#221e1a",
        "rim": "#3f2e1d",
        "stone": "#39342a",
        "bare": "#3a332c",
        "frame": "#73573a",
        "number": "#fbeed5",
        "gap": "#1d1a17",
        "light": "#848a4a",
        "tuft": "#b3b86a",
        "medium": "#46663f",
        "tree": "#86b072",
        "trunk": "#a07c55",
        "heavy": "#4d4b50",
        "rock": "#8b868c",
        "snow": "#eceaf0",
        "summit": "#57503f",
        "gold": "#e3b341",
        "mat": "#38322b",
        "die": "#efe5d0",
        "sign": "#3d2c17",
        "wood": "#8a7755",
        "outline": "#0d0f12",
    },
    "text": "#e8ebee",
    "faint": "#a9b3bd",
    "last": "#ff7ab8",
    "choice": "#4fd39d",
    "gem": "#c39bff",
    "ink": "#e8ebee",
    "crystals": {
        "mortar": "#0f1215",
        "tile": "#4d555f",
        "tile_low": "#3a4149",
        "tile_edge": "#272c32",
        "port": "#6b5a96",
        "port_low": "#4d3f73",
        "grain": "#000000",
        "bands": ["#4a3c70", "#3d305f", "#312652", "#271d45"],
        "cave": "#170f30",
        "cave_light": "#6a50b8",
        "plank": "#343b43",
        "plank_low": "#272d34",
        "slot": "#414953",
    },
    "seats": ["#3d9be0", "#f0b429", "#1fb98b", "#dd9ac0", "#8fd0f5", "#f07f3c"],
    "seat_texts": ["#101418", "#101418", "#101418", "#101418", "#101418", "#101418"],
    "portals": {
        "slab": "#262d35",
        "slab_edge": "#4c5763",
        "slab_lit": "#343d47",
        "mortar": "#1d2329",
        "stones": [("#3d4751", "#323b44"), ("#37414a", "#2d353e"), ("#434d58", "#38414b")],
        "groove": "#252c34",
        "arrow": "#e3d6bb",
        "dais": ("#8a96a3", "#535e6a"),
        "dais_rim": "#1a1f25",
        "gold": ("#f3d27a", "#9a7320"),
        "gold_rim": "#5c430e",
        "star": "#fff6d2",
        "label": "#b9c3cd",
        "arch": ("#7a7290", "#443d55"),
        "arch_edge": "#120f19",
        "glow": ("#fbf2ff", "#bd85ff", "#6f35bd"),
        "demon": "#0b090e",
        "ember": "#ff8a3d",
        "demon_edge": "#ff8a3d",
        "tray": "#303942",
    },
}


def render_colours(theme: Theme) -> str:
    """The style sheet of a picture in this theme. It has no variables, so every renderer can read it."""
    return _render_colours(theme, tuple(_list_colours()))


@cache
def _render_colours(theme: Theme, more: Sequence[tuple[str, str, str]]) -> str:
    template = _templates().get_template("colours.css")
    light, dark = (
        template.render(palette) + "".join(f".{each[0]} {{ fill: {each[place]}; }}\n" for each in more)
        for place, palette in enumerate((LIGHT, DARK), 1)
    )
    if theme == "auto":
        return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"
    return light if theme == "light" else dark


def _list_colours() -> Iterator[tuple[str, str, str]]:
    """The classes of games from other packages, each with its colour in light and in dark."""
    for game in list_games():
        id = game.rules.id
        board = load_part(id, game.rules.version, "board")
        for name, (light, dark) in getattr(board, "COLOURS", {}).items():
            yield f"{id}-{name}", light, dark


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
