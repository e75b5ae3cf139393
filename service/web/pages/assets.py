"""Scripts, styles and pictures of the pages, under names that hold a digest of their content.

What a name with a digest stands for never changes, so browsers keep it and never ask again. Pages, and scripts that
import others, refer to these names alone.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from flask import Response
from werkzeug.exceptions import NotFound

from plyscribe.domain.rulesets import list_newest
from plyscribe.service.boards import draw_beginning
from plyscribe.service.boards.colours import Theme, render_colours, render_seat_colours
from plyscribe.service.language.catalogues import ENGLISH, LANGUAGES
from plyscribe.service.web.packing import Fixed, answer_fixed, fix
from plyscribe.service.web.pages.blueprint import blueprint
from plyscribe.service.web.pages.speech import render_script

FOLDER = Path(__file__).parent / "assets"
KEPT_FOR_EVER = "public, max-age=31536000, immutable"
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_REFERENCE = re.compile(r'(?<="/assets/)[a-z_]+\.[a-z]+(?=")')
_NAMED = re.compile(r"([a-z0-9_-]+)(?:\.[0-9a-f]{16})?(\.[a-z]+)")


class Asset(NamedTuple):
    """What an asset is sent as. Its `path` holds the digest."""

    path: str
    content_type: str
    text: Fixed


@blueprint.get("/assets/<name>")
def read_asset(name: str) -> Response:
    """Send an asset.

    Under a name without a digest, or with that of another release, the browser gets the present content and must ask
    again next time: pages stay whole while processes of two releases answer.
    """
    parsed = _NAMED.fullmatch(name)
    if parsed is None or (plain := parsed[1] + parsed[2]) not in list_assets():
        raise NotFound(f"there is no asset {name[:64]}")
    asset = load_asset(plain)
    response = answer_fixed(asset.text, asset.content_type)
    response.headers["Cache-Control"] = KEPT_FOR_EVER if asset.path.endswith(f"/{name}") else "no-cache"
    return response


def list_assets() -> frozenset[str]:
    """The names of all assets, without digests."""
    return _list_files() | _list_generated().keys()


@cache
def _list_files() -> frozenset[str]:
    return frozenset(path.name for path in FOLDER.iterdir() if path.suffix in CONTENT_TYPES)


@cache
def load_asset(name: str) -> Asset:
    """The asset of this name, whose references to others hold their digests.

    So assets cannot refer to each other in a circle: RecursionError. FileNotFoundError for a reference to no asset.
    """
    make = _list_generated().get(name)
    text = (FOLDER / name).read_text(encoding="utf-8") if make is None else make()
    text = _REFERENCE.sub(lambda found: load_asset(found[0]).path.removeprefix("/assets/"), text)
    fixed, (stem, suffix) = fix(text), name.split(".")
    return Asset(f"/assets/{stem}.{fixed.tag}.{suffix}", CONTENT_TYPES[f".{suffix}"], fixed)


@blueprint.app_template_global("asset")
def path_of(name: str) -> str:
    """The path of an asset, with the digest of its content."""
    return load_asset(name).path


def _render_boards(theme: Theme) -> str:
    """The colours of the boards in pages of a theme."""
    return render_seat_colours() + render_colours(theme)


def _list_generated() -> dict[str, Callable[[], str]]:
    """What makes the assets that no file holds. Games from outside may come later."""
    themes: tuple[tuple[str, Theme], ...] = (("boards", "auto"), ("boards_light", "light"), ("boards_dark", "dark"))
    return {
        **{f"{name}.css": partial(_render_boards, theme) for name, theme in themes},
        **{f"board_{ruleset.id}.svg": partial(draw_beginning, ruleset, "auto") for ruleset in list_newest()},
        **{f"texts_{language}.js": partial(render_script, language) for language in LANGUAGES if language != ENGLISH},
    }
