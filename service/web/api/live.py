"""Streams of server-sent events, and pages that wait for news."""

import re
from collections.abc import Callable
from typing import Any

from flask import Response, request

from plyscribe.service.errors import BadRequest, LiveFull, LiveShare, Lost, ServiceError
from plyscribe.service.live.followers import EVENTS, Follower, Framing, Source
from plyscribe.service.store.port import StoreError
from plyscribe.service.web.api.http import name_client, parts, principal_if_any, who_asks
from plyscribe.service.web.handover import HOLD, HOLDS, WAITED

SSE = "text/event-stream"
_NUMBER = re.compile(r"[0-9]{1,16}")


def last_event_id(otherwise: int) -> int:
    """The number in Last-Event-ID, `otherwise` without that header; BadRequest if it is not a number."""
    text = request.headers.get("Last-Event-ID")
    if text is None:
        return otherwise
    if not _NUMBER.fullmatch(text):
        raise BadRequest("Last-Event-ID must be the id of an event, which is a number", "request/last-event-id")
    return int(text)


def require_known(stream: str, after: int, version: int) -> None:
    """Raise Lost if a reader has read further than the stream goes: what comes next would not follow what they have."""
    if after > version:
        raise Lost(stream, after, version)


def right_of_token() -> Callable[[int], bool]:
    """A check whether this request's token or session is still valid, callable from any thread."""
    find_principal = who_asks()

    def holds(_: int) -> bool:
        try:
            find_principal()
        except (ServiceError, StoreError):
            return False
        return True

    return holds


def stream_events(
    source: Source,
    stream: str,
    after: int,
    may_go_on: Callable[[int], bool],
    upto: int | None = None,
    media: str = SSE,
    framing: Framing = EVENTS,
    form: str = "",
) -> Response:
    """Everything after `after` in a stream, up to `upto` or without end; LiveFull, LiveShare: see Live.follow.

    The stream breaks off once `may_go_on` returns False. A new connection is then checked like any request. HEAD is
    answered without a stream.
    """
    if request.method != "HEAD":
        request.environ[HOLD] = _follow(
            source, stream, after, upto=upto, may_go_on=may_go_on, framing=framing, form=form
        )
    response = Response(iter(()), content_type=media)
    response.headers["Cache-Control"] = "no-store"
    # Without this header, nginx would buffer the events.
    response.headers["X-Accel-Buffering"] = "no"
    return response


def wait_for_news(source: Source, stream: str, after: int, wait_s: int) -> None:
    """Repeat this request when there is news, or after `wait_s`, instead of answering it now.

    This happens only once, and never for HEAD. A server without a thread to spare answers at once: an answer may
    always come early.
    """
    if not wait_s or request.method == "HEAD" or WAITED in request.environ:
        return
    try:
        request.environ[HOLD] = _follow(source, stream, after, wait_s=wait_s)
    except (LiveFull, LiveShare):
        if HOLDS in request.environ:
            raise


def _follow(source: Source, stream: str, after: int, **how: Any) -> Follower:
    """A follower for this request's client, who has a share of the places."""
    in_thread = HOLDS not in request.environ
    if in_thread and not request.environ["wsgi.multithread"]:
        raise LiveFull("this server answers one request at a time, so it keeps no stream open: give it threads")
    return parts().live.follow(
        source, stream, after, client=name_client(principal_if_any()), in_thread=in_thread, **how
    )
