"""A standing connection: a line a move, a line an answer, for many matches at a time. See docs/api.md for the lines."""

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast
from uuid import uuid4

import httpx
from wsproto.connection import Connection as Frames
from wsproto.connection import ConnectionType
from wsproto.events import CloseConnection, Event, Ping, TextMessage
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import LocalProtocolError, RemoteProtocolError, generate_accept_token, generate_nonce

from plyscribe.service.client.answers import Json, Receipt
from plyscribe.service.client.connection import (
    PASSING,
    RETRY_PAUSE_S,
    SILENT_S,
    TIMEOUT_S,
    Closing,
    Problem,
    require_success,
)
from plyscribe.service.client.many import MatchChange

PATH = "/v1/connection"
MOST_UNDER_WAY = 64
"""Lines that are said before their answers are heard."""

MAX_MESSAGE_BYTES = 64 * 1024
"""The longest message that the server takes."""


class Standing(Closing):
    """A standing connection of one account, for one thread. It is opened when it is first used, and again if it breaks.

    Lines that were not answered before it broke are sent again with the same keys, so each counts once.
    """

    def __init__(self, http: httpx.Client, retry_for_s: float) -> None:
        self._http = http
        self._retry_for_s = retry_for_s
        self._socket: Socket | None = None
        self._next_id = 0
        self._changes: deque[MatchChange] = deque()
        self._follows_after: int | None = None
        self._follows = False

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
        """Send lines, and return the answers in the order of the lines: for each the receipt, or why it was refused.

        A line has `match` and `body`, and may have `to`, `key`, `version` and `thought_ms`, as in docs/api.md. Without
        `key` it gets one. Lines about one match are executed in their order. Lines without a final answer are sent
        again while the server is unreachable or unavailable. If that lasts: httpx.TransportError, or the Problem with
        which the connection was refused.
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
        nonce = generate_nonce()
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        headers = {**upgrade, "Sec-WebSocket-Key": nonce.decode()}
        self._response = http.send(http.build_request("GET", PATH, headers=headers, timeout=TIMEOUT_S), stream=True)
        if self._response.status_code != 101:
            self._response.close()
            self._raise_refusal(http)
        if self._response.headers.get("Sec-WebSocket-Accept") != generate_accept_token(nonce).decode():
            self._response.close()
            raise httpx.RemoteProtocolError("what answered opens no WebSockets")
        self._network = self._response.extensions["network_stream"]
        self._frames = Frames(ConnectionType.CLIENT)
        self._events: deque[Event] = deque()

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
        text, size = list[str](), 0
        for line in lines:
            length = len(line.encode()) + 1
            if text and size + length > MAX_MESSAGE_BYTES:
                self._send(TextMessage("".join(text)))
                text, size = [], 0
            text.append(f"{line}\n")
            size += length
        self._send(TextMessage("".join(text)))

    def receive(self) -> str:
        """The next message."""
        parts: list[str] = []
        while True:
            match self._next_event():
                case TextMessage(data=data, message_finished=is_whole):
                    parts.append(data)
                    if is_whole:
                        return "".join(parts)
                case Ping() as ping:
                    self._send(ping.response())
                case CloseConnection():
                    raise httpx.RemoteProtocolError("the server closed the connection without a last line")

    def _next_event(self) -> Event:
        while not self._events:
            received = _mapped(lambda: self._network.read(1 << 16, timeout=SILENT_S))
            if not received:
                raise httpx.ReadError("the connection broke")
            try:
                self._frames.receive_data(received)
                self._events.extend(self._frames.events())
            except RemoteProtocolError as error:
                raise httpx.RemoteProtocolError(str(error)) from error
        return self._events.popleft()

    def close(self) -> None:
        """Close the connection."""
        with suppress(httpx.TransportError, LocalProtocolError):
            self._send(CloseConnection(CloseReason.NORMAL_CLOSURE))
        self._response.close()

    def _send(self, event: Event) -> None:
        data = self._frames.send(event)
        _mapped(lambda: self._network.write(data, timeout=TIMEOUT_S))


def _mapped(act: Callable[[], Any]) -> Any:
    """What the stream below httpx returns. It raises errors of its own, each with the name of one of httpx."""
    try:
        return act()
    except Exception as error:
        kind = getattr(httpx, type(error).__name__, httpx.NetworkError)
        raise (kind if issubclass(kind, httpx.TransportError) else httpx.NetworkError)(str(error)) from error
