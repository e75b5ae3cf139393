"""What the panel that passes on a position holds: the link, the pictures, and the HTML for other sites."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from flask import request

from plyscribe.domain.match import Match
from plyscribe.service.access.reading import may_read
from plyscribe.service.web.api.http import current_request
from plyscribe.service.web.pages.embed import HEIGHT, WIDTH, render_frame


class Sharing(NamedTuple):
    """The address of the page without a ply, what the pictures need in their query, and the frame of a public match."""

    page: str
    ply: int
    title: str
    query: str
    frame: str | None


def describe_sharing(state: Match, ply: int, names: Sequence[str]) -> Sharing | None:
    """What can be passed on of a match at a position; None if it has none.

    The link never holds an invitation: whoever has that can take a seat.
    """
    if state.play is None:
        return None
    origin, code = current_request().own_origin, request.args.get("invitation")
    title = f"{' – '.join(names)} · {state.play.ruleset.title}"
    shown = None if ply == state.play.ply else ply
    return Sharing(
        f"{origin}/matches/{state.stream}",
        ply,
        title,
        f"?{urlencode({'invitation': code})}" if code else "",
        render_frame(origin, state.stream, shown, title, WIDTH, HEIGHT) if may_read(state, None) else None,
    )
