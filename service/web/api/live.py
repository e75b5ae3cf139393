"""Streams of server-sent events, and answers that wait for news."""

import re
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import Any

from flask import Response, request

from plyscribe.service.errors import BadRequest, LiveFull, LiveShare, ServiceError
from plyscribe.service.live.followers import Follower, Source
from plyscribe.service.store.port import StoreError
from plyscribe.service.web.api.http import bearer_token, parts, principal_if_any
from plyscribe.service.web.handover import HOLD, HOLDS, WAITED

SSE = "text/event-stream"
_NUMBER = re.compile(r"[0-9]{1,16}")


def last_event_id(otherwise: int) -> int:
    """The number that the client has seen last, as Last-Event-ID tells; BadRequest where that is none of ours."""
    text = request.headers.get("Last-Event-ID")
    if text is None:
        return otherwise
    if not _NUMBER.fullmatch(text):
        raise BadRequest("Last-Event-ID is the id of an event of ours, a number", "request/last-event-id")
    return int(text)


def right_of_token() -> Callable[[int], bool]:
    """Whether this request's token is valid still: to be asked later, from any thread."""
    accounts, token = parts().accounts, bearer_token()

    def holds(_: int) -> bool:
        try:
            accounts.authenticate(token)
        except (ServiceError, StoreError):
            return False
        return True

    return holds


def stream_events(
    source: Source, stream: str, after: int, may_go_on: Callable[[int], bool], upto: int | None = None
) -> Response:
    """Stream what follows `after`, up to `upto` or without end. LiveFull, LiveShare: see Live.follow.

    The stream breaks off once `may_go_on` returns False; a client that connects again is judged anew. HEAD gets no
    stream.
    """
    if request.method != "HEAD":
        request.environ[HOLD] = _follow(source, stream, after, upto=upto, may_go_on=may_go_on)
    response = Response(iter(()), content_type=SSE)
    response.headers["Cache-Control"] = "no-store"
    # Without this, a proxy that buffers responses would hold the events back (nginx).
    response.headers["X-Accel-Buffering"] = "no"
    return response


def wait_for_news(source: Source, stream: str, after: int, wait_s: int) -> None:
    """Have this request answered again when there is news or the time is up, instead of now.

    Once only, and not for HEAD. A server without a thread to spare answers now: an answer may always come early.
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
    return parts().live.follow(source, stream, after, client=_client(), in_thread=in_thread, **how)


def _client() -> str:
    """Who has a share of the streams: the account, or without a token the network that the request comes from."""
    who = principal_if_any()
    return network_of(request.remote_addr or "") if who is None else who.account


def network_of(address: str) -> str:
    """What is one client's of this address: all of it, or of IPv6 the 64 bits that one network has; else the text."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if ip.version == 4:
        return address
    return str(ip.ipv4_mapped or ip_network((int(ip), 64), strict=False))
