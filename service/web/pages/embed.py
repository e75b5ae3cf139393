"""The board for pages of other sites: a page that they may frame, and oEmbed, which says how."""

import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from flask import Response, request
from markupsafe import escape

from plyscribe.domain.errors import Unknown
from plyscribe.domain.events import EVENT_TYPES
from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import Decision
from plyscribe.service.access.reading import may_read
from plyscribe.service.errors import NotFound, NotOffered
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches import queries
from plyscribe.service.matches.imports import Ambiguous
from plyscribe.service.web.api.http import answer, current_request, parse_query
from plyscribe.service.web.api.matches.reading import read_match
from plyscribe.service.web.pages.blueprint import HEADERS, HTML, POLICY, blueprint
from plyscribe.service.web.pages.cards import describe_position
from plyscribe.service.web.pages.ending import describe_ending
from plyscribe.service.web.pages.happenings import list_happenings
from plyscribe.service.web.pages.people import name_seats
from plyscribe.service.web.pages.speech import render_page
from plyscribe.service.web.schemas import parameters

FRAMED = {
    **HEADERS,
    "Content-Security-Policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
    "Cache-Control": "public, no-cache",
}
"""The headers of the only page that other sites may frame. It is the same for everybody, whoever is signed in."""

THEMES = ("light", "dark")
WIDTH, HEIGHT = 480, 600
"""The size that we suggest, in pixels."""

_EMBEDDABLE = re.compile(r"/(?:embed/)?matches/([^/]+)(?:/play)?")


@blueprint.get("/embed/matches/<match>")
def show_embedded(match: str) -> Response:
    """Show a public match to readers of another site: its board at a ply, by default the last one, and controls."""
    try:
        state = _read_public(match)
        position_at(state, 0)
    except (Unknown, NotFound, Ambiguous):
        return _show("embed.html", 404, state=None)
    assert state.play is not None  # it has a position
    last = state.play.ply
    ply = min(max(0, request.args.get("ply", last, type=int)), last)
    seat = request.args.get("seat", 1, type=int)
    seat = seat if 1 <= seat <= len(state.life.seats) else 1
    names = name_seats(queries.describe_seats(state.life.seats), is_address(state.stream))
    return _show(
        "embed.html",
        state=state,
        names=names,
        ply=ply,
        last=last,
        seat=seat,
        picture=queries.draw_position(state, position_at(state, ply), theme=None, seat=seat),
        happenings=list_happenings(state, ply),
        standing=_describe_standing(state, ply, names),
        is_live=state.fault is None and not is_address(state.stream) and not is_final(state),
        event_types=" ".join(EVENT_TYPES),
        query=urlencode({"seat": seat, "theme": _find_theme()}),
    )


@blueprint.get("/oembed")
def describe_embedding() -> Response:
    """Say how a page of another site shows a match: oEmbed 1.0, of the type `rich`."""
    query = parse_query(parameters.EmbeddingQuery)
    if query["format"] != "json":
        raise NotOffered("oEmbed is available as json alone", "oembed/format")
    state, ply = _find_embeddable(query["url"])
    names = name_seats(queries.describe_seats(state.life.seats), is_address(state.stream))
    last = position_at(state, 0) and state.play.ply if state.play else 0
    card = describe_position(state, last if ply is None else min(ply, last), names)
    assert card is not None  # the match is public and has a position
    width, height = min(query["maxwidth"] or WIDTH, WIDTH), min(query["maxheight"] or HEIGHT, HEIGHT)
    origin = current_request().own_origin
    answered = answer(
        {
            "version": "1.0",
            "type": "rich",
            "title": card.title,
            "provider_name": "Plyscribe",
            "provider_url": f"{origin}/",
            "cache_age": 300,
            "html": render_frame(origin, state.stream, ply, card.title, width, height),
            "width": width,
            "height": height,
        }
    )
    answered.headers["Cache-Control"] = "public, max-age=300"
    return answered


def render_frame(origin: str, match: str, ply: int | None, title: str, width: int, height: int) -> str:
    """The HTML that shows a match in a page of another site."""
    query = "" if ply is None else f"?ply={ply}"
    return (
        f'<iframe src="{escape(origin)}/embed/matches/{escape(match)}{query}" width="{width}" height="{height}" '
        f'title="{escape(title)}" loading="lazy" style="border:0;max-width:100%"></iframe>'
    )


def _read_public(match: str) -> Match:
    state = read_match(match)
    if not may_read(state, None):
        raise Unknown("match/unknown", f"there is no match {match}")
    return state


def _find_embeddable(url: str) -> tuple[Match, int | None]:
    """The public match that an address of ours leads to, and the ply in it; NotFound if there is none."""
    unknown = NotFound("there is no match that can be embedded at this address", "oembed/unknown-url")
    try:
        parsed = urlsplit(url)
    except ValueError:
        raise unknown from None
    found = _EMBEDDABLE.fullmatch(parsed.path)
    if parsed.scheme not in ("http", "https") or parsed.netloc != request.host or found is None:
        raise unknown
    try:
        state = _read_public(found[1])
        position_at(state, 0)
    except (Unknown, NotFound, Ambiguous):
        raise unknown from None
    [ply] = parse_qs(parsed.query).get("ply", [""])[:1]
    return state, int(ply) if re.fullmatch("[0-9]{1,9}", ply) else None


def _describe_standing(state: Match, ply: int, names: list[str]) -> dict[str, Any]:
    """Who is to move at the ply, or how the match ended."""
    assert state.play is not None
    life = state.life
    if ply < state.play.ply:
        return {"mover": names[state.play.steps[ply].seat - 1]}
    if (ending := describe_ending(state, names)) is not None:
        return {"outcome": ending.sentence}
    turn = state.turn
    return {"mover": names[turn.seat - 1]} if isinstance(turn, Decision) and life.status == "playing" else {}


def _find_theme() -> str:
    theme = request.args.get("theme", "")
    return theme if theme in THEMES else "auto"


def _show(template: str, status: int = 200, **context: Any) -> Response:
    page = render_page(template, theme=_find_theme(), **context)
    response = Response(page, status, content_type=f"{HTML}; charset=utf-8", headers=FRAMED)
    # A visitor of our pages may have chosen a language.
    response.vary.update(("Accept-Language", "Cookie"))
    return response
