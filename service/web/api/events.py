"""Pages and exports of stored events, for matches and tournaments."""

from typing import Any

from flask import Response

from plyscribe.service.matches import queries
from plyscribe.service.streams.handler import Handler
from plyscribe.service.web.api.exports import answer_export
from plyscribe.service.web.api.http import NDJSON, answer, path_with


def give_events(
    kind: str, handler: Handler[Any], stream: str, version: int, media: str, query: dict[str, Any]
) -> Response:
    """The events after `after` of a stream at this version: all of them as NDJSON, or a page as JSON.

    `kind` is the page's field for the stream's id. NDJSON ends with a line of count, head hash and SHA-256;
    it is an export.
    """
    if media == NDJSON:
        pages = queries.read_pages(handler, stream, query["after"], version)
        return answer_export(queries.export_lines(pages), NDJSON)
    events = handler.read_events(stream, query["after"], query["limit"])
    more = bool(events) and events[-1].version < version
    page = {
        kind: stream,
        "version": version,
        "events": queries.dump_events(events),
        "next": path_with(after=events[-1].version) if more else None,
    }
    return answer(page)
