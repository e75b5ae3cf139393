"""A standing connection: a line a move, a line an answer, for many matches at a time. See docs/api.md for the lines."""

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, cast
from uuid import uuid4

import httpx

from plyscribe.service.client.answers import Json, Receipt
from plyscribe.service.client.connection import (
    PASSING,
    RETRY_PAUSE_S,
    SILENT_S,
    TIMEOUT_S,
    Problem,
    require_success,
)
from plyscribe.service.client.many import MatchChange

PATH = "/v1/connection"
MOST_UNDER_WAY = 64
"""Lines that are said before their answers are heard."""

MAX_FRAME = 1 << 24
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class Standing:
    """A standing connection of one account, for one thread. It is opened when it is first used, and again if it breaks.

    What was said on a connection that broke is said again with the same keys, so it counts once.
    """

    def __init__(self, http: httpx.Client, retry_for_s: float) -> None:
        self._http = http
        self._retry_for_s = retry_for_s
        self._socket: Socket | None = None
        self._next_id = 0
        self._changes: deque[MatchChange] = deque()
        self._follows_after: int | None = None
        self._follows = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. It is opened again when it is used again."""
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.close()

    def move(
        self, match: str, move: str, *, seat: int | None = None, version: int | None = None, key: str | None = None
    ) -> Receipt:
        """Make a move: see Client.move."""
        body = {"move": move} if seat is None else {"move": move, "seat": seat}
        given = {"version": version, "key": key}
        line = {"match": match, "body": body, **{name: value for name, value in given.items() if value is not None}}
        [answer] = self.say_all([line])
        if isinstance(answer, Problem):
            raise answer
        return answer

    def say_all(self, lines: Sequence[Mapping[str, Any]]) -> list[Receipt | Problem]:
        """Say lines that are there at once, and return the answer to each, in their order: a receipt, or the refusal.

        A line has `match` and `body`, and may have `to`, `key`, `version` and `thought_ms`, as in docs/api.md. Without
        `key` it gets one. Lines about one match are executed in their order. They are said again while the server is
        unreachable or unavailable. httpx.TransportError, or the Problem of a refused connection, if that lasts.
        """
        keyed = [{"key": uuid4().hex, **line} for line in lines]
        answers: list[Receipt | Problem | None] = [None] * len(keyed)
        deadline = time.monotonic() + self._retry_for_s
        while (left := [place for place, answer in enumerate(answers) if not _is_final(answer)]) and (
            self._say(keyed, left, answers, deadline)
        ):
            pause_s = max([RETRY_PAUSE_S, *(each.retry_after_s for each in answers if isinstance(each, Problem))])
            if time.monotonic() + pause_s >= deadline:
                break
            time.sleep(pause_s)
        return cast(list[Receipt | Problem], answers)

    def _say(
        self,
        lines: Sequence[Json],
        places: Sequence[int],
        answers: list[Receipt | Problem | None],
        deadline: float,
    ) -> bool:
        """Say the lines at these places and note what is answered; return whether some of them may be said again."""
        try:
            self._exchange(lines, places, answers)
        except (httpx.TransportError, Problem) as error:
            self.close()
            is_passing = not isinstance(error, Problem) or error.status in (*PASSING, 408)
            if not is_passing or time.monotonic() + RETRY_PAUSE_S >= deadline:
                raise
        return any(not _is_final(answers[place]) for place in places)

    def _exchange(self, lines: Sequence[Json], places: Sequence[int], answers: list[Receipt | Problem | None]) -> None:
        socket = self._open()
        to_say, under_way = deque(places), dict[int, int]()
        while to_say or under_way:
            said = []
            while to_say and len(under_way) < MOST_UNDER_WAY:
                place, id = to_say.popleft(), self._make_id()
                under_way[id] = place
                said.append(json.dumps({"id": id, **lines[place]}))
            if said:
                socket.send_lines(said)
            for answer in self._hear(socket):
                if answer["id"] in under_way:
                    answers[under_way.pop(answer["id"])] = _read_answer(answer)

    def changes(self, after: int | None = None) -> Iterator[MatchChange]:
        """Yield the changes of the account's matches, from now on or after an `id`, each once, and never end.

        Between two of them moves may be made on the same connection. Reconnects when it breaks.
        """
        self._follows, self._follows_after = True, after
        self.close()
        while True:
            while self._changes:
                yield self._changes.popleft()
            try:
                for _ in self._hear(self._open()):
                    pass
            except (httpx.TransportError, Problem) as error:
                self.close()
                if isinstance(error, Problem) and error.status not in (*PASSING, 408):
                    raise
                time.sleep(RETRY_PAUSE_S)

    def _make_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def _open(self) -> "Socket":
        if self._socket is None:
            self._socket = Socket(self._http)
            if self._follows:
                after = {} if self._follows_after is None else {"after": self._follows_after}
                self._socket.send_lines([json.dumps({"id": 0, "follow": after})])
        return self._socket

    def _hear(self, socket: "Socket") -> list[Json]:
        """The answers in the next message; Problem if the server ends the connection, TransportError if it broke."""
        answers = []
        for line in socket.receive().splitlines():
            if not line:
                # Show that we are there.
                socket.send_lines([""])
                continue
            heard = json.loads(line)
            match heard.get("type"):
                case "end":
                    raise Problem(heard["problem"])
                case "change":
                    self._changes.append(heard)
                    self._follows_after = heard["id"]
                case "at" | "gap":
                    self._follows_after = heard["id"]
                case _ if heard.get("id") == 0:
                    self._begin_to_follow(heard)
                case _:
                    answers.append(heard)
        return answers

    def _begin_to_follow(self, answer: Json) -> None:
        if "problem" in answer:
            raise Problem(answer["problem"])
        if self._follows_after is None:
            self._follows_after = answer["after"]


def _is_final(answer: Receipt | Problem | None) -> bool:
    """Whether it is worth nothing to say the line again."""
    return answer is not None and not (isinstance(answer, Problem) and answer.status in PASSING)


def _read_answer(answer: Json) -> Receipt | Problem:
    if "receipt" in answer:
        return cast(Receipt, answer["receipt"])
    return Problem(answer["problem"], float(answer["problem"].get("retry_after_s", 0)))


class Socket:
    """The client's side of a WebSocket (RFC 6455), over a connection of httpx. Errors are httpx.TransportError."""

    def __init__(self, http: httpx.Client) -> None:
        """Open it; Problem if the server refuses, and says why."""
        key = "AAAAAAAAAAAAAAAAAAAAAA=="
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        request = http.build_request("GET", PATH, headers={**upgrade, "Sec-WebSocket-Key": key}, timeout=TIMEOUT_S)
        self._response = http.send(request, stream=True)
        if self._response.status_code != 101:
            self._response.close()
            self._raise_refusal(http)
        self._network = self._response.extensions["network_stream"]
        self._rest = b""
        self._message = b""

    def _raise_refusal(self, http: httpx.Client) -> None:
        """Raise the Problem why the server refuses: the same request without a WebSocket is answered with it."""
        try:
            require_success(http.get(PATH))
        except Problem as problem:
            if problem.code != "connection/upgrade":
                raise
        raise httpx.RemoteProtocolError(f"the server refused a WebSocket with {self._response.status_code}")

    def send_lines(self, lines: Sequence[str]) -> None:
        """Send lines, in as few messages as the server takes."""
        sent: list[bytes] = []
        for line in lines:
            data = line.encode() + b"\n"
            if sent and sum(map(len, sent)) + len(data) > 60_000:
                self._send(_TEXT, b"".join(sent))
                sent = []
            sent.append(data)
        self._send(_TEXT, b"".join(sent))

    def receive(self) -> str:
        """The next message."""
        while True:
            opcode, is_last, data = self._read_frame()
            if opcode == _PING:
                self._send(_PONG, data)
            elif opcode == _CLOSE:
                raise httpx.RemoteProtocolError("the server closed the connection without a last line")
            elif opcode <= 2:
                self._message += data
                if is_last:
                    message, self._message = self._message, b""
                    return message.decode()

    def close(self) -> None:
        """Close the connection."""
        with suppress(httpx.TransportError):
            self._send(_CLOSE, b"\x03\xe8")
        self._response.close()

    def _send(self, opcode: int, data: bytes) -> None:
        size = len(data)
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        mask = os.urandom(4)
        whole = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(size, "big")
        _mapped(lambda: self._network.write(head + mask + masked, timeout=TIMEOUT_S))

    def _read_frame(self) -> tuple[int, bool, bytes]:
        first, second = self._read(2)
        size = second & 0x7F
        if size >= 126:
            size = int.from_bytes(self._read(2 if size == 126 else 8), "big")
        if size > MAX_FRAME or second & 0x80:
            raise httpx.RemoteProtocolError("the server sent what no server sends")
        return first & 0x0F, bool(first & 0x80), self._read(size)

    def _read(self, size: int) -> bytes:
        while len(self._rest) < size:
            more = _mapped(lambda: self._network.read(1 << 16, timeout=SILENT_S))
            if not more:
                raise httpx.ReadError("the connection broke")
            self._rest += more
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def _mapped(act: Callable[[], Any]) -> Any:
    """What the stream below httpx returns. It raises errors of its own, each with the name of one of httpx."""
    try:
        return act()
    except Exception as error:
        kind = getattr(httpx, type(error).__name__, httpx.NetworkError)
        raise (kind if issubclass(kind, httpx.TransportError) else httpx.NetworkError)(str(error)) from error
