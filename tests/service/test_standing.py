"""Standing connections as the server keeps them: what waits for what, and what ends them. The sockets are fakes."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from plyscribe.service import metrics
from plyscribe.service.web import standing_connections as standings
from plyscribe.service.web.handover import Talk
from plyscribe.service.web.standing_connections import MAX_MESSAGE_BYTES, MOST_UNDER_WAY, Standing
from tests.service.test_live import eventually


class Socket:
    """A WebSocket whose client sends with `say`, and reads what it is sent at once unless `reads` is False."""

    def __init__(self, reads: bool = True) -> None:
        self.reads = reads
        self.sent: list[str] = []
        self.is_closed = False
        self.listening: Callable[[str | bytes | None], object] | None = None
        self._unsent: list[Callable[[bool], object]] = []

    def accept(self, then: Callable[[bool], object]) -> None:
        then(True)

    def receive(self, then: Callable[[str | bytes | None], object]) -> None:
        assert self.listening is None
        self.listening = then

    def send(self, text: str, then: Callable[[bool], object]) -> None:
        self.sent.append(text)
        if self.reads:
            then(True)
        else:
            self._unsent.append(then)

    def close(self) -> None:
        self.is_closed = True

    def say(self, message: str | bytes | None) -> None:
        eventually(lambda: self.listening is not None)
        hear, self.listening = self.listening, None
        assert hear is not None
        hear(message)

    def read_all(self) -> None:
        self.reads = True
        while self._unsent:
            self._unsent.pop(0)(True)

    @property
    def lines(self) -> list[str]:
        return "".join(self.sent).splitlines()


class Echo:
    """A Talk that answers each line with itself, once `gate` is open."""

    batches: list[int]

    def __init__(self) -> None:
        self.pause_s = 0.0
        self.gate = threading.Event()
        self.gate.set()
        self.is_asked = False
        self.batches = []
        self.last: str | None = None
        self.stopped = 0
        self.fails = False

    def start(self, push: Callable[[str], bool], end: Callable[[str], object]) -> None:
        self.push, self.end = push, end

    def find_end(self) -> str | None:
        return self.last

    def answer_all(self, said: Sequence[tuple[Talk, str]]) -> Sequence[str]:
        self.is_asked = True
        assert self.gate.wait(20)
        self.batches.append(len(said))
        if self.fails:
            raise RuntimeError("a bug")
        return [f"{line}!\n" for _, line in said]

    def format_end(self, code: str, detail: str, status: int) -> str:
        return f"end {code}\n"

    def stop(self) -> None:
        self.stopped += 1


class Kept:
    """The standing connections of a process, and the one under test."""

    def __init__(self) -> None:
        self.standing = Standing()

    def begin(self, reads: bool = True, talk: Echo | None = None) -> tuple[Any, Echo]:
        socket: Any = Socket(reads)
        talk = talk or Echo()
        self.standing.begin(socket, talk)
        return socket, talk


@pytest.fixture
def kept(monkeypatch) -> Iterator[Kept]:
    counted: list[int] = []
    monkeypatch.setattr(metrics, "change_connections", counted.append)
    kept = Kept()
    yield kept
    kept.standing.end_all(0.0)
    eventually(lambda: sum(counted) == 0)


def test_lines_are_answered_in_their_order_and_empty_ones_not_at_all(kept):
    socket, _ = kept.begin()
    socket.say("one\ntwo\n\n \n")
    socket.say(b"three")
    eventually(lambda: socket.lines == ["one!", "two!", "three!"])


def test_lines_that_come_while_others_wait_for_the_store_are_answered_together(kept):
    talk = Echo()
    first, _ = kept.begin(talk=talk)
    second, _ = kept.begin(talk=talk)
    talk.gate.clear()
    first.say("a")
    for line in "bcd":
        first.say(line)
    second.say("e\nf")
    talk.gate.set()
    eventually(lambda: first.lines == ["a!", "b!", "c!", "d!"] and second.lines == ["e!", "f!"])
    assert len(talk.batches) <= 3
    assert sum(talk.batches) == 6


def test_a_connection_with_many_lines_under_way_is_not_read(kept):
    socket, talk = kept.begin()
    talk.gate.clear()
    socket.say("\n".join("x" * MOST_UNDER_WAY))
    assert socket.listening is None
    talk.gate.set()
    eventually(lambda: len(socket.lines) == MOST_UNDER_WAY)
    eventually(lambda: socket.listening is not None)


def test_answers_that_are_not_read_keep_further_lines_back(kept):
    socket, _ = kept.begin(reads=False)
    socket.say("\n".join("x" * MOST_UNDER_WAY))
    eventually(lambda: socket.lines)
    assert socket.listening is None
    socket.read_all()
    eventually(lambda: socket.listening is not None)


def test_a_client_that_does_not_read_is_told_so_if_it_reads_after_all(kept, monkeypatch):
    monkeypatch.setattr(standings, "SLOW_S", 0.0)
    socket, talk = kept.begin(reads=False)
    socket.say("a")
    eventually(lambda: socket.sent == ["a!\n"])
    eventually(lambda: not talk.push(""))
    assert not socket.is_closed
    socket.read_all()
    eventually(lambda: socket.is_closed)
    assert socket.lines == ["a!", "end connection/slow"]
    assert talk.stopped == 1


def test_a_client_that_never_reads_is_cut_off(kept, monkeypatch):
    monkeypatch.setattr(standings, "SLOW_S", 0.0)
    monkeypatch.setattr(standings, "CUT_S", 0.0)
    socket, talk = kept.begin(reads=False)
    socket.say("a")
    eventually(lambda: socket.is_closed)
    assert talk.stopped == 1


def test_news_that_nobody_reads_end_the_connection(kept, monkeypatch):
    monkeypatch.setattr(standings, "MAX_PUSHED", 10)
    socket, talk = kept.begin(reads=False)
    assert talk.push("first\n")
    assert talk.push("12345678\n")
    assert not talk.push("12345678\n")
    socket.read_all()
    eventually(lambda: socket.is_closed)
    assert socket.lines[-1] == "end connection/slow"


def test_a_client_that_says_nothing_gets_heartbeats_and_is_told_and_let_go(kept, monkeypatch):
    monkeypatch.setattr(standings, "HEARTBEAT_S", 0.0)
    socket, _ = kept.begin()
    eventually(lambda: socket.sent.count("\n") >= 2)
    monkeypatch.setattr(standings, "HEARTBEAT_S", 1000.0)
    monkeypatch.setattr(standings, "IDLE_S", 0.0)
    eventually(lambda: socket.is_closed)
    assert socket.lines[-1] == "end connection/idle"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("x" * (MAX_MESSAGE_BYTES + 1), "connection/too-large"),
        ("ü" * (MAX_MESSAGE_BYTES // 2 + 1), "connection/too-large"),
        (b"\xff", "connection/unreadable"),
    ],
)
def test_a_message_that_is_too_long_or_no_text_ends_the_connection(kept, message, code):
    socket, talk = kept.begin()
    socket.say(message)
    eventually(lambda: socket.is_closed)
    assert socket.lines == [f"end {code}"]
    assert talk.batches == []


@pytest.mark.parametrize("is_said", [True, False])
def test_a_talk_that_has_to_end_gets_no_more_answers_even_if_nothing_is_said(kept, monkeypatch, is_said):
    monkeypatch.setattr(standings, "CHECK_S", standings.CHECK_S if is_said else 0.0)
    socket, talk = kept.begin()
    talk.last = "revoked\n"
    if is_said:
        socket.say("a")
    eventually(lambda: socket.is_closed)
    assert socket.lines == ["revoked"]
    assert talk.batches == []


def test_a_server_that_stops_says_so_after_the_answers_to_what_it_has_taken(kept):
    socket, talk = kept.begin()
    talk.gate.clear()
    socket.say("a")
    eventually(lambda: talk.is_asked)
    socket.say("b")
    assert not kept.standing.end_all(0.0)
    threading.Timer(0.05, talk.gate.set).start()
    # It returns when the last line is sent.
    assert kept.standing.end_all(20.0)
    assert socket.is_closed
    assert socket.lines[-1] == "end connection/stopping"
    assert set(socket.lines[:-1]) <= {"a!", "b!"}
    late, _ = kept.begin()
    eventually(lambda: late.is_closed)
    assert late.lines == ["end connection/stopping"]


def test_a_client_that_leaves_is_forgotten(kept):
    socket, talk = kept.begin()
    socket.say(None)
    eventually(lambda: socket.is_closed)
    assert talk.stopped == 1
    assert not talk.push("late")


def test_the_next_lines_of_a_client_that_asked_for_too_much_wait_and_those_of_others_do_not(kept):
    socket, talk = kept.begin()
    other, _ = kept.begin()
    talk.pause_s = 1000.0
    socket.say("a")
    eventually(lambda: socket.lines == ["a!"])
    eventually(lambda: talk.pause_s == 0.0)
    socket.say("b")
    other.say("c")
    eventually(lambda: other.lines == ["c!"])
    assert socket.lines == ["a!"]


def test_an_error_of_ours_ends_the_connections_whose_lines_met_it_and_no_others(kept):
    socket, talk = kept.begin()
    other, _ = kept.begin()
    talk.fails = True
    socket.say("a")
    eventually(lambda: socket.is_closed)
    assert socket.lines == ["end server/error"]
    other.say("b")
    eventually(lambda: other.lines == ["b!"])
