"""Which names this service answers to, and which pages of other origins may use its API.

A page may name its own server as it likes, and let that name lead to us (DNS rebinding). To the browser such a page is
then of our origin, so requests by a name that is not ours are refused. Addresses cannot be rebound.

Any page may read what everybody may read. Only pages of the origins in PLYSCRIBE_ORIGINS may send a token, or change
anything. The cookie of our own pages never counts for another origin: browsers keep such answers from the page.
"""

import re
from functools import lru_cache
from ipaddress import ip_address

from flask import Flask, Response, current_app
from werkzeug.sansio.utils import host_is_trusted

from plyscribe.service.config import Config
from plyscribe.service.errors import BadRequest
from plyscribe.service.web.api.http import READS, current_request

ALWAYS_OURS = ("localhost", ".localhost")
NAMELESS = ("/healthz", "/readyz")
"""What supervisors ask, by whatever name they know us. The answers say nothing about anybody."""

ANY = "*"
OPEN_PATHS = ("/v1/", "/openapi.yaml", "/oembed")
READ_HEADERS = "If-None-Match, Last-Event-ID"
"""Request headers that any page may send, beside those that browsers always allow."""

COMMAND_HEADERS = f"Authorization, Content-Type, Idempotency-Key, If-Match, Thought-Ms, {READ_HEADERS}"
"""Request headers that a page of a trusted origin may send."""

SHOWN = "Content-Range, ETag, Idempotency-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
"""Headers of an answer that a page can read, beside those that browsers always show."""

REMEMBER_S = 7200
"""How long a browser remembers what it may send. None remembers it for longer."""

DOORS = "plyscribe.doors"

_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?")


def guard_origins(app: Flask, config: Config) -> None:
    """Refuse requests by names that are not ours, and tell browsers what pages of other origins may do."""
    doors = app.extensions[DOORS] = _Doors(config)
    app.before_request(doors.require_ours)
    app.after_request(doors.open)


def goes_by(host: str) -> bool:
    """Whether this is a Host by which clients may know us."""
    doors: _Doors = current_app.extensions[DOORS]
    return _HOST.fullmatch(host) is not None and doors.is_ours(host)


class _Doors:
    def __init__(self, config: Config) -> None:
        self._hosts = [*ALWAYS_OURS, *config.hosts]
        self._origins = frozenset(config.origins)
        self.is_ours = lru_cache(maxsize=256)(self._find_ours)

    def require_ours(self) -> None:
        """BadRequest unless the request has one Host, and that is an address or a name of ours."""
        asked = current_request()
        host: str | None = asked.environ.get("HTTP_HOST")
        if asked.path in NAMELESS or (host is None and asked.environ.get("SERVER_PROTOCOL") == "HTTP/1.0"):
            return
        if host is None or not _HOST.fullmatch(host):
            raise BadRequest("the request needs one Host: a name or an address, and a port if need be", "request/host")
        if not self.is_ours(host):
            why = f"this server does not go by the name {host}: its operator can allow it (PLYSCRIBE_HOSTS)"
            raise BadRequest(why, "request/host")

    def _find_ours(self, host: str) -> bool:
        if ANY in self._hosts:
            return True
        try:
            ip_address(host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0])
        except ValueError:
            return host_is_trusted(host.lower(), self._hosts)
        return True

    def open(self, response: Response) -> Response:
        """Add what a browser needs to know before it gives the answer to a page of another origin."""
        asked = current_request()
        if not asked.path.startswith(OPEN_PATHS):
            return response
        headers, origin = response.headers, asked.environ.get("HTTP_ORIGIN")
        is_trusted = origin is not None and (origin in self._origins or ANY in self._origins)
        if asked.method in READS:
            # The same for every origin, so that caches need not tell them apart.
            headers["Access-Control-Allow-Origin"] = ANY
        elif origin is not None:
            response.vary.add("Origin")
            if is_trusted:
                headers["Access-Control-Allow-Origin"] = origin
        if origin is not None:
            headers["Access-Control-Expose-Headers"] = SHOWN
        if asked.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in asked.environ:
            _answer_preflight(response, is_trusted)
        return response


def _answer_preflight(response: Response, is_trusted: bool) -> None:
    """Say what the page may send; without trust only what reads."""
    headers = response.headers
    allowed = headers.get("Allow", "").split(", ")
    if not is_trusted:
        headers["Access-Control-Allow-Origin"] = ANY
        allowed = [method for method in allowed if method in READS]
    headers["Access-Control-Allow-Methods"] = ", ".join(sorted(allowed))
    headers["Access-Control-Allow-Headers"] = COMMAND_HEADERS if is_trusted else READ_HEADERS
    headers["Access-Control-Max-Age"] = str(REMEMBER_S)
