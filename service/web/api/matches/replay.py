"""Read matches back: their events, in pages, at once or live, and any position."""

from base64 import b64encode
from functools import cache
from hashlib import sha256

from flask import Response

from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match, damaged
from plyscribe.domain.replay import position_at
from plyscribe.service.boards.colours import render_colours
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches import queries
from plyscribe.service.web.api.events import give_events
from plyscribe.service.web.api.http import JSON, NDJSON, SVG, TEXT, accepted, answer, parse_query, parts
from plyscribe.service.web.api.live import SSE, last_event_id, stream_events, wait_for_news
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.reading import (
    confined,
    read_for_position,
    read_match,
    right_to_read,
    varied,
)
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charge_size
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import answers, parameters


@blueprint.get("/<match>/events")
@operation(
    "replay",
    media={JSON: answers.EventPage, NDJSON: None, SSE: None},
    query=parameters.EventsQuery,
    problems=(400, 401, 404, 409),
    open=True,
    followed=True,
)
def list_events(match: str) -> Response:
    """List a match's events.

    Get pages as JSON, all events at once as NDJSON, or a live stream of server-sent events. With `wait`, an empty page
    waits for the next event. NDJSON ends with a line that has the number of events, the hash of the last one, and the
    SHA-256 of all bytes before this line. A live stream starts after `Last-Event-ID`, or else after `after`. When the
    match is scored, aborted or annulled, the stream sends an event `end` and closes; connecting again gets 204.
    """
    media = accepted(JSON, NDJSON, SSE)
    query = parse_query(parameters.EventsQuery)
    after = last_event_id(query["after"])
    state = read_match(match)
    if media == NDJSON:
        charge_size("heavy", state.version, 2000)
    else:
        rest = max(0, state.version - query["after"])
        charge_size("reads", min(rest, query["limit"]) if media == JSON else rest, 100)
    if media == SSE:
        return confined(varied(_stream_events(state, after)), state)
    given = give_events("match", parts().matches, state.stream, state.version, media, query)
    # A client that asks for events beyond the next one gets its empty page at once.
    if media == JSON and query["after"] == state.version and not _is_still(state):
        wait_for_news(parts().match_events, state.stream, query["after"], query["wait"])
    return confined(varied(given), state)


def _is_still(state: Match) -> bool:
    """Whether the match can have no more events here."""
    return is_final(state) or is_address(state.stream)


def _stream_events(state: Match, after: int) -> Response:
    if not _is_still(state):
        return stream_events(parts().match_events, state.stream, after, right_to_read(state))
    if after < state.version:
        return stream_events(parts().match_events, state.stream, after, right_to_read(state), upto=state.version)
    return Response(status=204)


@blueprint.get("/<match>/positions/<int:ply>")
@operation(
    "replay",
    media={JSON: answers.PositionOut, TEXT: None, SVG: None},
    query=parameters.PositionQuery,
    problems=(401, 404, 409),
    open=True,
    tagged=True,
)
def get_position(match: str, ply: int) -> Response:
    """Get the position just before move `ply` + 1.

    The position comes as JSON, as text for a terminal or as a picture of the board. With `version`, the answer is
    exact and never changes. Without it, a take-back by the recorder can change it. Of a match with a damaged event
    you get the positions before that event; the others are refused with `match/damaged`. The picture marks the move
    that led to the position. A later release may draw it differently, so the picture's `ETag` also has a digest of the
    drawing.
    """
    media = accepted(JSON, TEXT, SVG)
    version = parse_query(parameters.PositionQuery)["version"]
    state = read_for_position(match, ply, version)
    position = position_at(state, ply)
    if version is not None and state.fault and state.play and ply == state.play.ply and version >= state.fault.version:
        raise damaged(state.fault)
    tag, kept = str(position.version), "public, max-age=31536000, immutable"
    if media == SVG:
        picture = queries.draw_position(state, position)
        response = Response(picture, content_type=SVG, headers=_picture_headers())
        tag, kept = f"{tag}-{sha256(picture.encode()).hexdigest()[:16]}", "public, max-age=86400"
    elif media == TEXT:
        response = Response(queries.render_position(state, position), content_type=f"{TEXT}; charset=utf-8")
    else:
        response = answer(queries.describe_position(state, position))
    # The id of a match may come to stand for another version of it.
    if version is not None and state.stream == match:
        response.headers["Cache-Control"] = kept
    return confined(varied(tagged(response, tag)), state)


@cache
def _picture_headers() -> dict[str, str]:
    """Headers that keep a picture from loading anything but its own style sheet when a browser opens it directly."""
    style = b64encode(sha256(render_colours("auto").encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style}'"
    return {"Content-Security-Policy": policy}
