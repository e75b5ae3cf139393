"""How much of an answer without a length the real server holds for clients that read slowly or not at all."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from tests.system.running import WITHIN_S, free_port, process, wait_for

PIECES = 1000
PIECE = b"x" * (1 << 16)
SLOW = 80
"""More than the server has threads."""

PROGRAM = """\
import sys
from tests.system.test_slow_readers import PIECE, PIECES
from plyscribe.service.web.server import serve_application

made = 0

def pieces():
    global made
    for _ in range(PIECES):
        made += 1
        yield PIECE

def app(environ, start):
    start("200 OK", [])
    return [str(made).encode()] if environ["PATH_INFO"] == "/made" else pieces()

serve_application(app, "127.0.0.1", int(sys.argv[1]))
"""


@pytest.fixture
def server() -> Iterator[tuple[int, int]]:
    """Its process and port."""
    port = free_port()
    with process("-c", PROGRAM, str(port)) as child:
        wait_for(lambda: count_made(port) == 0, why="the server")
        yield child.pid, port


def count_made(port: int) -> int:
    return int(httpx.get(f"http://127.0.0.1:{port}/made", timeout=WITHIN_S).text)


def ask(port: int) -> socket.socket:
    connection = socket.socket()
    # The kernel's buffers on both sides are small compared with the answer.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    connection.connect(("127.0.0.1", port))
    connection.sendall(b"GET /pieces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return connection


def settle(port: int) -> int:
    """The number of pieces that were made by the time no more are."""
    made = -1
    while made != (made := count_made(port)):
        time.sleep(0.5)
    return made


def test_an_answer_is_made_as_it_is_read_and_comes_whole(server):
    _, port = server
    with closing(ask(port)) as connection:
        assert settle(port) < PIECES / 2
        answer = b"".join(iter(lambda: connection.recv(1 << 20), b""))
    assert answer.endswith(b"0\r\n\r\n")
    assert answer.count(b"x") == PIECES * len(PIECE)
    assert count_made(port) == PIECES


def test_slow_clients_hold_up_nobody_and_leave_nothing(server):
    pid, port = server
    before = count_files(pid)
    with ExitStack() as slow:
        for _ in range(SLOW):
            slow.enter_context(closing(ask(port)))
        assert settle(port) < SLOW * PIECES / 2
        with closing(ask(port)) as quick:
            assert sum(map(len, iter(lambda: quick.recv(1 << 20), b""))) > PIECES * len(PIECE)
    wait_for(lambda: count_files(pid) <= before, why="the end of what they held")


def count_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
