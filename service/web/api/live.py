"""Streams of server-sent events, and pages that wait for news."""

import re
from collections.abc import Callable, Iterable
from ipaddress import ip_address, ip_network

from flask import Response, request

from plyscribe.service.errors import BadRequest, ServiceError
from plyscribe.service.live.followers import Source
from plyscribe.service.store.port import StoreError
from plyscribe.service.web.api.http import bearer_token, parts, principal_if_any
from plyscribe.service.web.environ import HOLD, HOLDS, WAITED

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


def right_of_token() -> Callable[[int], bool]:
    """A check whether this request's token is still valid, callable from any thread."""
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
    """Everything after `after` in a stream, up to `upto` or without end; LiveFull, LiveShare: see Live.follow.

    The stream breaks off once `may_go_on` returns False. A new connection is then checked like any request. HEAD is
    answered without a stream.
    """
    sent: Iterable[bytes] = ()
    if request.method != "HEAD":
        sent = follower = parts().live.follow(source, stream, after, upto=upto, may_go_on=may_go_on, client=_client())
        if HOLDS in request.environ:
            request.environ[HOLD] = follower
    response = Response(iter(sent), content_type=SSE)
    response.headers["Cache-Control"] = "no-store"
    # Without this header, nginx would buffer the events.
    response.headers["X-Accel-Buffering"] = "no"
    return response


def wait_for_news(source: Source, stream: str, after: int, wait_s: int) -> None:
    """Let the server repeat this request when there is news, or after `wait_s`, instead of answering it now.

    This happens only once, never for HEAD, and only under a server that supports it. An answer may always come early.
    """
    if wait_s and request.method != "HEAD" and HOLDS in request.environ and WAITED not in request.environ:
        request.environ[HOLD] = parts().live.follow(source, stream, after, wait_s=wait_s, client=_client())


def _client() -> str:
    """The client that streams are counted for: the account or, without a token, the network of the request."""
    who = principal_if_any()
    return network_of(request.remote_addr or "") if who is None else who.account


def network_of(address: str) -> str:
    """The network that counts as one client: an IPv4 address, the /64 of an IPv6 address, else the text itself."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if ip.version == 4:
        return address
    return str(ip.ipv4_mapped or ip_network((int(ip), 64), strict=False))
