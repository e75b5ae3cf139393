"""Sends prepared requests over kept-alive connections, as cheaply as a client can."""

import json
import re
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO

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


def say_all(port: int, token: str, scripts: Sequence[Sequence[bytes]]) -> int:
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
        left = [iter(script) for script in scripts]
        connection.sendall(b"".join(_frame(next(script)) for script in left))
        under_way, answers = len(left), connection.makefile("rb")
        while under_way:
            for line in _read_message(answers).splitlines():
                answer = json.loads(line)
                if answer["status"] != 200:
                    raise LoadError(line.decode())
                following = next(left[answer["id"]], None)
                if following is None:
                    under_way -= 1
                else:
                    connection.sendall(_frame(following))
    return sum(map(len, scripts))


def _frame(text: bytes) -> bytes:
    """A message of a client (RFC 6455, 5.2) that is shorter than 64 KiB, with a mask of zeros."""
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
    return b"\x81" + size + bytes(4) + text


def _read_message(answers: BinaryIO) -> bytes:
    head = answers.read(2)
    if head[:1] != b"\x81":
        raise LoadError(f"the connection ended: {head!r}")
    size = head[1]
    if size >= 126:
        size = int.from_bytes(answers.read(2 if size == 126 else 8), "big")
    return answers.read(size)


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
