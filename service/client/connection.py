"""HTTP requests with retries, live streams, and the problems that the server answers with."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from email.utils import parsedate_to_datetime
from functools import cache, partial
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self, cast
from uuid import uuid4

import httpx

from plyscribe.service.client.answers import Json, Receipt
from plyscribe.service.client.positions import Positions

RETRY_FOR_S = 60.0
RETRY_PAUSE_S = 0.2
PASSING = (429, 502, 503, 504)
"""The statuses of temporary problems. 429 is one: a stream that broke off can keep its place for a moment.

502 and 504 come from a proxy that had no answer from the server. Nobody knows whether it did what was asked, as when a
connection breaks.
"""

BROKEN_OFF = ("request/too-slow", "request/truncated")
"""Problems of a request whose body did not arrive as it was sent. Nothing was done, and the network is to blame."""

TIMEOUT_S = 30.0
SILENT_S = 40.0
"""A stream that is silent for this long counts as broken: the server sends something every 15 seconds."""


class Problem(Exception):
    """A refusal by the server. `document` is the problem document, and `code` and `status` are its fields."""

    def __init__(self, document: Json, retry_after_s: float = 0.0) -> None:
        super().__init__(f"{document['code']}: {document['detail']}")
        self.code: str = document["code"]
        self.status: int = document["status"]
        self.document = document
        self.retry_after_s = retry_after_s


class Closing(ABC):
    """What is closed at the end of a `with` statement."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close it."""


@cache
def _read_certificates() -> SSLContext:
    """The certificates that httpx trusts. To read them takes 40 ms, so all connections of a process share them."""
    return httpx.create_ssl_context()


class Connection(Closing):
    """Sends requests with one token, and retries until a deadline while the server is unreachable or unavailable."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        retry_for_s: float = RETRY_FOR_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.url = url
        self.token = token
        self._retry_for_s = retry_for_s
        self._positions = Positions()
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=TIMEOUT_S, transport=transport, verify=_read_certificates()
        )

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def _get(self, path: str, query: Mapping[str, Any] | None = None) -> Json:
        got: Json = self._ask("GET", path, params=query).json()
        return got

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Json]:
        page = self._get(path, query)
        while page["next"] is not None:
            yield page
            page = self._get(page["next"])
        yield page

    def _command(
        self,
        method: str,
        path: str,
        body: Json | None,
        key: str | None,
        version: int | None = None,
        thought_ms: int | None = None,
    ) -> Receipt:
        headers = {"Idempotency-Key": key or uuid4().hex}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        if thought_ms is not None:
            headers["Thought-Ms"] = str(thought_ms)
        receipt = cast(Receipt, self._ask(method, path, json=body, headers=headers).json())
        self._positions.note(receipt.get("match"), receipt.get("version"))
        return receipt

    def _follow(self, path: str, after: int | None) -> Iterator[Json]:
        """Yield the data of the server-sent events after an id, each once, until the stream ends for good."""
        while True:
            with closing(self._retry(partial(self._open_stream, path, after))) as stream:
                if stream.status_code == 204:
                    return
                # If the stream breaks, continue after the last complete event.
                with suppress(httpx.TransportError):
                    for fields in _read_events(stream.iter_lines()):
                        if fields.get("event") == "end":
                            return
                        after = int(fields["id"])
                        yield json.loads(fields["data"])
            time.sleep(RETRY_PAUSE_S)

    def _open_stream(self, path: str, after: int | None) -> httpx.Response:
        headers = {"Accept": "text/event-stream", **({} if after is None else {"Last-Event-ID": str(after)})}
        timeout = httpx.Timeout(TIMEOUT_S, read=SILENT_S)
        request = self._http.build_request("GET", path, headers=headers, timeout=timeout)
        stream = self._http.send(request, stream=True)
        if not stream.is_success:
            with closing(stream):
                stream.read()
        return require_success(stream)

    def _ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        return self._retry(partial(self._send, method, path, **request))

    def _retry(self, ask: Callable[[], httpx.Response]) -> httpx.Response:
        """The answer, with retries until the deadline while the server is unreachable or unavailable."""
        deadline = time.monotonic() + self._retry_for_s
        while True:
            try:
                return ask()
            except httpx.TransportError as error:
                if time.monotonic() >= deadline:
                    # A reason such as "Connection refused" does not say whose.
                    error.args = (f"{self.url} does not answer: {error}",)
                    raise
            except Problem as problem:
                is_passing = problem.status in PASSING or problem.code in BROKEN_OFF
                if not is_passing or time.monotonic() + problem.retry_after_s >= deadline:
                    raise
                time.sleep(max(0.0, problem.retry_after_s - RETRY_PAUSE_S))
            time.sleep(RETRY_PAUSE_S)

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        return require_success(self._http.request(method, path, **request))


def require_success(response: httpx.Response) -> httpx.Response:
    """The answer; Problem if it is a refusal."""
    if response.is_success:
        return response
    try:
        document = response.json()
    except ValueError:
        document = None
    if not (isinstance(document, dict) and "code" in document and "detail" in document):
        document = {"code": "server/unreadable", "detail": response.text[:200], "status": response.status_code}
    raise Problem(document, _retry_after_s(response))


def _read_events(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each complete server-sent event that has data."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        if "data" in fields:
            yield fields
        fields = {}


def _retry_after_s(response: httpx.Response) -> float:
    """How long the server asks to wait, in either form of RFC 9110, 10.2.3; 0 if it does not say."""
    text = response.headers.get("Retry-After", "")
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return 0.0
