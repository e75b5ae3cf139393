"""Under a WSGI server that is not ours, does in the request's own thread what our server does without one.

Such a server knows nothing of `handover`. A stream holds its thread, for THREAD_S at most, and a page that waits does
too. How many threads may be held at the same time is a setting (PLYSCRIBE_STREAM_THREADS), because WSGI does not say
how many a server has. See "Under another WSGI server" in docs/operations.md for what remains different.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any

from werkzeug.wsgi import ClosingIterator

from plyscribe.service.web.handover import CROWDED, HOLD, HOLDS, MAX_LARGE, WAITED, Held

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class AnyServer:
    """A WSGI application that wraps another. Under our own server it changes nothing."""

    def __init__(self, app: Application, max_body: int, larger_bodies: Mapping[str, int]) -> None:
        self._app = app
        self._max_body = max_body
        self._larger_bodies = larger_bodies
        self._large = threading.BoundedSemaphore(MAX_LARGE)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        if HOLDS in environ:
            return self._app(environ, start_response)
        if not self._has_large_body(environ):
            return self._answer(environ, start_response)
        if not self._large.acquire(blocking=False):
            return self._answer({**environ, CROWDED: True}, start_response)
        try:
            return self._answer(environ, start_response)
        finally:
            self._large.release()

    def _has_large_body(self, environ: Mapping[str, Any]) -> bool:
        length = environ.get("CONTENT_LENGTH") or "0"
        most = self._larger_bodies.get(environ.get("PATH_INFO", ""), 0)
        return length.isdecimal() and self._max_body < int(length) <= most

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        begun: list[Any] = []

        def start(*status_and_headers: Any) -> None:
            begun[:] = status_and_headers

        # Copies: the application may be called a second time, notes things in its environ and reads its input.
        body = self._read_body(environ)
        asked = {**environ, **_hand(body)}
        chunks = self._app(asked, start)
        held: Held | None = asked.pop(HOLD, None)
        if held is not None and held.wait_s is not None:
            _close(chunks)
            held.wait()
            chunks = self._app({**environ, **_hand(body), WAITED: held}, start)
        elif held is not None:
            _close(chunks)
            # A client may leave before the first byte: then nothing is iterated, and closing frees the place.
            chunks = ClosingIterator(held, [held.stop])
        start_response(*begun)
        return chunks

    def _read_body(self, environ: Mapping[str, Any]) -> bytes | None:
        """The body, if it is small and has a length; others are for the application to read."""
        length = environ.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and 0 < int(length) <= self._max_body:
            return bytes(environ["wsgi.input"].read(int(length)))
        return None


def _hand(body: bytes | None) -> dict[str, Any]:
    return {} if body is None else {"wsgi.input": BytesIO(body)}


def _close(chunks: Iterable[bytes]) -> None:
    close = getattr(chunks, "close", None)
    if close is not None:
        close()
