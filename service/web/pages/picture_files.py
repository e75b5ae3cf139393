"""Pictures to keep and to pass on: positions as PNG, matches as GIF, and the cards that stand beside links."""

from base64 import b64decode

from flask import Response, request

from plyscribe.domain.match import Match
from plyscribe.domain.replay import position_at
from plyscribe.service.errors import BadBody
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches.pictures import FILM_FRAMES, Look
from plyscribe.service.reports.desk import Awaited
from plyscribe.service.reports.subjects import Json, Subject, beginning_of, card_at, film_of, picture_at
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.http import parse_query
from plyscribe.service.web.api.matches.reading import confined, read_for_position, read_match
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.charging import charge_size, charged
from plyscribe.service.web.handover import WAITED
from plyscribe.service.web.packing import find_known, tagged
from plyscribe.service.web.pages.blueprint import HEADERS, blueprint
from plyscribe.service.web.schemas import parameters

PNG = "image/png"
GIF = "image/gif"

KEPT = "public, max-age=86400"
"""How long a picture is kept that does not change. A later release may draw it differently."""

ASKED_AGAIN = "public, no-cache"

CHEAP_FRAMES = 20
"""Frames of a film that cost as much as one heavy request."""


@blueprint.get("/matches/<match>/positions/<int:ply>.png")
@charged("heavy")
def send_picture(match: str, ply: int) -> Response:
    """Send a position as a PNG. With `version` in the query it never changes."""
    query = parse_query(parameters.PictureQuery)
    state = read_for_position(match, ply, query["version"])
    look = _find_look(state, query)
    subject = picture_at(state.stream, position_at(state, ply).version, ply, look)
    kept = KEPT if query["version"] is not None and state.stream == match else ASKED_AGAIN
    return confined(_send(subject, PNG, kept, f"{state.stream}-{ply}.png"), state)


@blueprint.get("/matches/<match>/positions/<int:ply>/card.png")
@charged("heavy")
def send_card(match: str, ply: int) -> Response:
    """Send the picture that stands beside a link to a position."""
    query = parse_query(parameters.PictureQuery)
    state = read_for_position(match, ply, query["version"])
    subject = card_at(state.stream, position_at(state, ply).version, ply)
    kept = KEPT if query["version"] is not None and state.stream == match else ASKED_AGAIN
    return confined(_send(subject, PNG, kept), state)


@blueprint.get("/matches/<match>.gif")
@charged("heavy")
def send_film(match: str) -> Response:
    """Send a match as a GIF."""
    query = parse_query(parameters.PictureQuery)
    state = read_match(match, query["version"])
    look = _find_look(state, query)
    position_at(state, 0)  # the match has begun, and is not damaged from its beginning
    is_fixed = query["version"] is not None or is_final(state)
    if state.play is not None and WAITED not in request.environ:
        charge_size("heavy", min(state.play.ply, FILM_FRAMES), CHEAP_FRAMES)
    subject = film_of(state.stream, state.version, look)
    kept = KEPT if is_fixed and state.stream == match else ASKED_AGAIN
    return confined(_send(subject, GIF, kept, f"{state.stream}.gif"), state)


@blueprint.get("/rulesets/<ruleset>/card.png")
@charged("heavy")
def send_beginning_card(ruleset: str) -> Response:
    """Send the picture that stands beside a link to a game."""
    found = find_rules(ruleset, parse_query(parameters.RulesetQuery)["version"])
    return _send(beginning_of(found.id, found.version), PNG, KEPT)


def _find_look(state: Match, query: Json) -> Look:
    seat, seats = query["seat"], len(state.life.seats)
    if seat is not None and seat > seats:
        raise BadBody(f"the query is invalid: seat: the match has seats 1 to {seats}")
    return Look(query["theme"], seat)


def _send(subject: Subject, media: str, kept: str, name: str | None = None) -> Response:
    """The picture, once it is made; 304 at once if the client has it. With a name it can be saved under that."""
    waited: Awaited | None = request.environ.get(WAITED)
    # A match may have gone on while its film was made.
    tag = (subject if waited is None else waited.subject).name

    def show(report: Json) -> Response:
        return _finish(Response(b64decode(report["base64"]), content_type=media), tag, kept, name)

    if waited is None and find_known(tag) is not None:
        return _finish(Response(content_type=media), tag, kept, name)
    return answer_report(subject, show)


def _finish(response: Response, tag: str, kept: str, name: str | None) -> Response:
    response.headers.update({**HEADERS, "Cache-Control": kept})
    if name is not None:
        response.headers["Content-Disposition"] = f'inline; filename="{name}"'
    return tagged(response, tag)
