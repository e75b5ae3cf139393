"""Read matches back: their events, in pages, at once or live, and any position."""

from base64 import b64encode
from functools import cache
from hashlib import sha256

from flask import Response

from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match, damaged
from plyscribe.domain.replay import position_at
from plyscribe.service.boards.colours import render_colours
from plyscribe.service.errors import BadRequest
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches import queries
from plyscribe.service.matches.story import render_steps
from plyscribe.service.web.api.events import give_events
from plyscribe.service.web.api.http import (
    JSON,
    NDJSON,
    SVG,
    TEXT,
    accepted,
    answer,
    negotiate_language,
    parse_query,
    parts,
    spoken,
)
from plyscribe.service.web.api.live import SSE, last_event_id, require_known, stream_events, wait_for_news
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.effects import list_told, tag_told
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

TOLD_EVENTS = 500
"""Past events whose effects a stream sends for the price of one heavy request."""


@blueprint.get("/<match>/events")
@operation(
    "replay",
    media={JSON: answers.EventPage, NDJSON: None, SSE: None},
    query=parameters.EventsQuery,
    problems=(400, 401, 404, 409),
    open=True,
    followed=True,
    spoken=True,
)
def list_events(match: str) -> Response:
    """List a match's events.

    Get pages as JSON, all events at once as NDJSON, or a live stream of server-sent events. With `wait`, an empty page
    waits for the next event. NDJSON ends with a line that has the number of events, the hash of the last one, and the
    SHA-256 of all bytes before this line. A live stream starts after `Last-Event-ID`, or else after `after`. When the
    match is scored, aborted or annulled, the stream sends an event `end` and closes; connecting again gets 204. With
    `include=effects` the data of each event in a stream also has the `effects` and `sentences` of its step. They are
    empty if the event is no step, or if its step was taken back since.
    """
    media = accepted(JSON, NDJSON, SSE)
    query = parse_query(parameters.EventsQuery)
    if query["include"] and media != SSE:
        raise BadRequest(f"the events have their effects in a live stream alone: ask for {SSE}", "effects/not-live")
    after = last_event_id(query["after"])
    state = read_match(match)
    if media == NDJSON:
        charge_size("heavy", state.version, 2000)
    else:
        rest = max(0, state.version - query["after"])
        charge_size("reads", min(rest, query["limit"]) if media == JSON else rest, 100)
    if media == SSE:
        require_known(match, after, state.version)
        language = negotiate_language(query["language"]) if query["include"] else None
        if language:
            charge_size("heavy", rest, TOLD_EVENTS)
        response = _stream_events(state, after, language)
        return confined(varied(spoken(response, language) if language else response), state)
    given = give_events("match", parts().matches, state.stream, state.version, media, query)
    # A client that asks for events beyond the next one gets its empty page at once.
    if media == JSON and query["after"] == state.version and not _is_still(state):
        wait_for_news(parts().match_events, state.stream, query["after"], query["wait"])
    return confined(varied(given), state)


def _is_still(state: Match) -> bool:
    """Whether the match can have no more events here."""
    return is_final(state) or is_address(state.stream)


def _stream_events(state: Match, after: int, language: str | None) -> Response:
    """The events after a version as they come, with sentences if there is a language for them."""
    if _is_still(state) and after >= state.version:
        return Response(status=204)
    source = parts().told_events[language] if language else parts().match_events
    upto = state.version if _is_still(state) else None
    return stream_events(source, state.stream, after, right_to_read(state), upto=upto, form=language or "")


@blueprint.get("/<match>/positions/<int:ply>")
@operation(
    "replay",
    media={JSON: answers.PositionOut, TEXT: None, SVG: None},
    query=parameters.PositionQuery,
    problems=(401, 404, 409),
    open=True,
    tagged=True,
    spoken=True,
)
def get_position(match: str, ply: int) -> Response:
    """Get the position just before move `ply` + 1.

    The position comes as JSON, as text for a terminal or as a picture of the board. With `version`, the answer is
    exact and never changes. Without it, a take-back by the recorder can change it. Of a match with a damaged event
    you get the positions before that event; the others are refused with `match/damaged`. The picture marks the move
    that led to the position. A later release may draw it differently, so the picture's `ETag` also has a digest of the
    drawing. With `include=effects`, JSON and text also have what the steps that led to the position did.
    """
    media = accepted(JSON, TEXT, SVG)
    query = parse_query(parameters.PositionQuery)
    version, language = query["version"], negotiate_language(query["language"])
    state = read_for_position(match, ply, version)
    position = position_at(state, ply)
    if version is not None and state.fault and state.play and ply == state.play.ply and version >= state.fault.version:
        raise damaged(state.fault)
    steps = list_told(state, ply, ply, language) if query["include"] and media != SVG else None
    tag, kept = str(position.version), "public, max-age=31536000, immutable"
    if media == SVG:
        picture = queries.draw_position(state, position)
        response = Response(picture, content_type=SVG, headers=_picture_headers())
        tag, kept = f"{tag}-{sha256(picture.encode()).hexdigest()[:16]}", "public, max-age=86400"
    elif media == TEXT:
        told = "".join(f"{line}\n" for line in ["", *render_steps(steps)]) if steps else ""
        response = Response(queries.render_position(state, position) + told, content_type=f"{TEXT}; charset=utf-8")
    else:
        more = {} if steps is None else {"steps": steps}
        response = answer({**queries.describe_position(state, position), **more})
    if steps is not None:
        tag, kept = tag_told(response, position.version), "public, max-age=86400"
        spoken(response, language)
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
