"""Sends prepared requests over kept-alive connections, as cheaply as a client can."""

import json
import re
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from wsproto.connection import Connection as Frames
from wsproto.connection import ConnectionType
from wsproto.events import TextMessage

HOST = "127.0.0.1"
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


class LoadError(Exception):
    """A request failed."""


def prepare(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def send_all(port: int, scripts: Sequence[Sequence[bytes]]) -> int:
    """Send each script over a connection of its own, all at the same time, and return the number of requests."""
    with ThreadPoolExecutor(len(scripts)) as pool:
        return sum(pool.map(lambda script: _send(port, script), scripts))


def say_all(port: int, token: str, scripts: Sequence[Sequence[str]]) -> int:
    """Say the lines of all scripts over one standing connection, and return how many they are.

    Each script has one line under way at a time, whose `id` is the number of the script.
    """
    with socket.create_connection((HOST, port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(
            prepare(
                "GET",
                "/v1/connection",
                Authorization=f"Bearer {token}",
                Connection="Upgrade",
                Upgrade="websocket",
                Sec_WebSocket_Version="13",
                Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==",
            )
        )
        head = connection.recv(65536)
        if not head.startswith(b"HTTP/1.1 101"):
            raise LoadError(head.decode(errors="replace"))
        frames, left, under_way = Frames(ConnectionType.CLIENT), [iter(script) for script in scripts], len(scripts)
        connection.sendall(b"".join(frames.send(TextMessage(next(script))) for script in left))
        while under_way:
            for line in _read_message(connection, frames).splitlines():
                answer = json.loads(line)
                if answer["status"] != 200:
                    raise LoadError(line)
                following = next(left[answer["id"]], None)
                if following is None:
                    under_way -= 1
                else:
                    connection.sendall(frames.send(TextMessage(following)))
    return sum(map(len, scripts))


def _read_message(connection: socket.socket, frames: Frames) -> str:
    parts: list[str] = []
    while True:
        for event in frames.events():
            if not isinstance(event, TextMessage):
                raise LoadError(f"the connection ended: {event}")
            parts.append(event.data)
            if event.message_finished:
                return "".join(parts)
        frames.receive_data(connection.recv(65536) or None)


def _send(port: int, script: Sequence[bytes]) -> int:
    with socket.create_connection((HOST, port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in script:
            connection.sendall(request)
            _receive(connection)
    return len(script)


def _receive(connection: socket.socket) -> None:
    answer = b""
    while b"\r\n\r\n" not in answer or len(answer) < _length_of(answer):
        chunk = connection.recv(65536)
        if not chunk:
            raise LoadError(f"the answer broke off: {answer[:200]!r}")
        answer += chunk
    if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
        raise LoadError(answer.decode(errors="replace"))


def _length_of(answer: bytes) -> int:
    head = answer.index(b"\r\n\r\n") + 4
    found = _LENGTH.search(answer, 0, head)
    return head + int(found[1]) if found else head
