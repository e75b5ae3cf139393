"""What an application is told about a request of Granian: the environ of WSGI, or the request as it came."""

import sys
from functools import lru_cache
from typing import Any

from plyscribe.service.web.granian_core import Scope
from plyscribe.service.web.handover import HOLDS, Asked

UNREADABLE = "\xff"
"""Replaces a header value that is not ASCII. No header that we read accepts it."""

Environ = dict[str, Any]


def read_plain(scope: Scope, body: bytes) -> Asked | None:
    """The request; None if a header is there twice, or has a value that Granian hides because it is not ASCII."""
    items = scope.headers.items()
    headers = dict(items)
    # As in make_environ: `items` leaves out what is hidden, and `get` looks at the first of several values.
    if len(headers) < len(items) or any(scope.headers.get(name, None) is None for name in scope.headers.keys()):  # noqa: SIM118
        return None
    client = scope.client.rpartition(":")[0].strip("[]")
    return Asked(scope.method, scope.path, client, headers, body)


def make_environ(scope: Scope) -> Environ:
    """The WSGI environ of a request (PEP 3333), without its body."""
    host, _, port = scope.server.rpartition(":")
    environ: Environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        # WSGI wants bytes, as characters of Latin-1.
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string.encode().decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.url_scheme": scope.scheme,
        **_CONSTANT,
    }
    for name, value in scope.headers.items():
        if key := _environ_name(name):
            environ[key] = f"{environ[key]},{value}" if key in environ else value
    for name in scope.headers.keys():  # noqa: SIM118 (these are Granian's own)
        # Granian hides values that are not ASCII, and `get` looks at the first of several values only. A request with
        # a hidden value must be refused by whatever reads that header, not treated as if the header were missing.
        if (key := _environ_name(name)) and scope.headers.get(name, None) is None:
            environ[key] = UNREADABLE
    return environ


_CONSTANT = {
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": False,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
    HOLDS: True,
}


@lru_cache(maxsize=256)
def _environ_name(header: str) -> str:
    """The key of a header in an environ; empty for one that is left out.

    In an environ `X_Forwarded_For` would look like `X-Forwarded-For`, which proxies take care of.
    """
    if "_" in header:
        return ""
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
