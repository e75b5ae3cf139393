"""Puts before an application what our own server does with requests for moves: they are tried together first."""

from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import Any

from flask import Flask

from plyscribe.service.web.api.moves_together import MovesTogether
from plyscribe.service.web.handover import TRIED, Asked, Leave, Reply

Environ = dict[str, Any]


class OurServer:
    """A WSGI application that tries each request for a move as a batch of one, and else has another answer."""

    def __init__(self, app: Flask) -> None:
        self._app = app.wsgi_app
        self.together = MovesTogether(app)
        self.replies = 0
        """How many requests were answered without the application."""

    def __call__(self, environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("QUERY_STRING") or not self.together.takes(environ["REQUEST_METHOD"], environ["PATH_INFO"]):
            return self._app(environ, start)
        [reply] = self.try_all([asked := read_environ(environ)])
        if isinstance(reply, Reply):
            start(f"{reply.status} OK", reply.headers)
            return [reply.body]
        noted = {} if reply.tried is None else {TRIED: reply.tried}
        return self._app({**environ, "wsgi.input": BytesIO(asked.body), **noted}, start)

    def try_all(self, asked: Sequence[Asked]) -> Sequence[Reply | Leave]:
        replies = self.together.answer_all(asked)
        self.replies += sum(isinstance(reply, Reply) for reply in replies)
        return replies


def read_environ(environ: Environ) -> Asked:
    """The request, as our server reads it."""
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_") or (name in ("CONTENT_TYPE", "CONTENT_LENGTH") and value)
    }
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    return Asked(environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["REMOTE_ADDR"], headers, body)
