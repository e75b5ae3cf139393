"""Standing connections: WebSockets on which clients send lines and get lines, with many lines under way at a time.

Granian's thread hears messages and hands over connections that have lines. The lines of all connections that have some
are answered together, as a batch (see `batching`). A connection is in one batch at a time, so its lines are answered in
their order.

Everything is bounded. Of a connection with MOST_UNDER_WAY lines that are not answered, or whose answers the kernel does
not take because the client does not read, nothing more is read, until the client's own sending waits. A client that
leaves what it is sent unread for SLOW_S, or says nothing for IDLE_S, gets a last line and is cut off.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from plyscribe.service import metrics
from plyscribe.service.web.batching import Batches
from plyscribe.service.web.granian_core import WebSocket
from plyscribe.service.web.handover import Talk

MAX_MESSAGE_BYTES = 64 * 1024
"""The longest message, as many lines as it may have; so a line is as long as a body at most."""

MOST_UNDER_WAY = 256
"""Lines of a connection that are not answered yet, or whose answers the kernel has not taken."""

MAX_PUSHED = 1 << 20
"""Bytes that we say of our own accord and that wait for a client to read."""

HEARTBEAT_S = 15.0
IDLE_S = 60.0
SLOW_S = 10.0
CUT_S = 30.0
"""How long a client may take to read its last line. The kernel cuts off those who read nothing as early."""

CHECK_S = 5.0
"""How often it is asked whether a connection on which nothing is said has to end."""

TICK_S = 0.25
HEARTBEAT = "\n"

log = logging.getLogger(__name__)


class Standing:
    """All standing connections of a process; safe to share between threads. Its threads start with the first one."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._open: set[_Connection] = set()
        self._ready: Batches[_Connection] = Batches("standing", self._answer_or_end, _Connection.count_waiting)
        self._is_watched = self._is_stopping = False

    def begin(self, socket: WebSocket, talk: Talk) -> None:
        """Accept the WebSocket and begin to talk; returns at once."""
        connection = _Connection(socket, talk, self._ready.put, self._forget)
        with self._lock:
            self._open.add(connection)
            self._start()
        metrics.change_connections(1)
        connection.accept()
        if self._is_stopping:
            connection.end(*STOPPING)

    def end_all(self, within_s: float) -> bool:
        """End all connections, each after the answers to the lines that are being answered: this process stops.

        Returns once the kernel has the last line of each, or after this time; and whether it has all of them.
        """
        self._is_stopping = True
        for connection in self._list_open():
            connection.end(*STOPPING)
        with self._lock:
            return self._lock.wait_for(lambda: not self._open, within_s)

    def _start(self) -> None:
        if not self._is_watched:
            self._is_watched = True
            threading.Thread(target=self._watch, name="standing-watch", daemon=True).start()

    def _list_open(self) -> list["_Connection"]:
        with self._lock:
            return list(self._open)

    def _forget(self, connection: "_Connection") -> None:
        with self._lock:
            self._open.remove(connection)
            self._lock.notify_all()
        metrics.change_connections(-1)

    def _answer_or_end(self, ready: list["_Connection"]) -> None:
        try:
            self._answer([(connection, connection.take()) for connection in ready])
        except Exception:
            log.exception("lines of a standing connection could not be answered")
            for connection in ready:
                connection.end("server/error", "an error of the server; its log has it", 500)
        finally:
            for connection in ready:
                connection.give_back()

    def _answer(self, taken: list[tuple["_Connection", list[str]]]) -> None:
        said: list[tuple[Talk, str]] = []
        answered: list[tuple[_Connection, int]] = []
        for connection, lines in taken:
            last = connection.talk.find_end()
            if last is not None:
                # Its lines get no answer, and do not count.
                connection.end_with(last)
            elif lines:
                said += [(connection.talk, line) for line in lines]
                answered.append((connection, len(lines)))
        if not said:
            return
        answers = said[0][0].answer_all(said)
        begin = 0
        for connection, count in answered:
            connection.answer(answers[begin : begin + count])
            begin += count

    def _watch(self) -> None:
        while True:
            time.sleep(TICK_S)
            now_s = time.monotonic()
            self._ready.relieve()
            for connection in self._list_open():
                try:
                    connection.tick(now_s)
                except Exception:
                    # All other connections need this thread.
                    log.exception("a standing connection could not be looked after")


STOPPING = "connection/stopping", "the server stops: connect again, and repeat what was not answered", 503
IDLE = "connection/idle", f"nothing was heard for {IDLE_S:.0f} s: send an empty line when you have nothing to say", 408
SLOW = "connection/slow", f"what you were sent was not read for {SLOW_S:.0f} s: read while you write", 408
TOO_LARGE = "connection/too-large", f"a message has {MAX_MESSAGE_BYTES} bytes at most", 413
UNREADABLE = "connection/unreadable", "a message is UTF-8", 400


class _Connection:
    """One standing connection. All its functions return at once."""

    def __init__(
        self,
        socket: WebSocket,
        talk: Talk,
        ready: Callable[["_Connection"], object],
        forget: Callable[["_Connection"], object],
    ) -> None:
        self.talk = talk
        self._socket = socket
        self._ready = ready
        self._forget = forget
        # Reentrant: what is sent may be done at once.
        self._lock = threading.RLock()
        self._waiting: deque[str] = deque()
        self._unread = 0
        """Lines that were taken and whose answers the kernel does not have yet."""
        self._unsent: list[str] = []
        self._answered = self._pushed = 0
        """How many of them are answers, and how many bytes the others have."""
        self._is_open = self._is_taken = self._is_hearing = self._is_sending = self._is_over = False
        self._last: str | None = None
        self._is_last_sent = False
        self._heard_s = self._sent_s = self._checked_s = time.monotonic()
        self._ready_s = 0.0
        """When its next lines may be taken."""

    # ------------------------------------------------------------------------------------------- from Granian's thread

    def accept(self) -> None:
        """Accept the WebSocket."""
        self._socket.accept(self._open)

    def _open(self, is_there: bool) -> None:
        if not is_there:
            self._leave()
            return
        with self._lock:
            self._is_open = True
        self.talk.start(self.push, self.end_with)
        self._flush()
        self._listen()

    def _listen(self) -> None:
        with self._lock:
            has_room = self._unread + len(self._waiting) < MOST_UNDER_WAY
            if not has_room or self._is_hearing or not self._is_open or self._last is not None or self._is_over:
                return
            self._is_hearing = True
            self._socket.receive(self._hear)

    def _hear(self, message: str | bytes | None) -> None:
        with self._lock:
            self._is_hearing = False
            self._heard_s = time.monotonic()
        if message is None:
            self._leave()
            return
        if _size_of(message) > MAX_MESSAGE_BYTES:
            self.end(*TOO_LARGE)
            return
        try:
            text = message if isinstance(message, str) else message.decode()
        except UnicodeDecodeError:
            self.end(*UNREADABLE)
            return
        lines = [line for line in text.split("\n") if line and not line.isspace()]
        with self._lock:
            if self._last is None:
                self._waiting.extend(lines)
        self._hand_over()
        self._listen()

    # ------------------------------------------------------------------------------------------------ for the batches

    def _hand_over(self, is_due: bool = False) -> None:
        """Have it put into a batch, if there are lines or something else is due, and it is in none."""
        with self._lock:
            is_wanted = self._waiting and time.monotonic() >= self._ready_s
            if self._is_taken or self._is_over or self._last is not None or not (is_wanted or is_due):
                return
            self._is_taken = True
        self._ready(self)

    def count_waiting(self) -> int:
        """How many lines wait."""
        return len(self._waiting)

    def take(self) -> list[str]:
        """The lines that wait."""
        with self._lock:
            self._checked_s = time.monotonic()
            lines = list(self._waiting) if self._checked_s >= self._ready_s else []
            if lines:
                self._waiting.clear()
            self._unread += len(lines)
            return lines

    def answer(self, answers: Sequence[str]) -> None:
        """Send the answers to the lines that were taken."""
        with self._lock:
            self._unsent += answers
            self._answered += len(answers)
        self._flush()

    def give_back(self) -> None:
        """Its batch is done."""
        with self._lock:
            self._is_taken = False
            if self.talk.pause_s:
                self._ready_s = time.monotonic() + self.talk.pause_s
                self.talk.pause_s = 0.0
        self._flush()
        self._hand_over()

    # ------------------------------------------------------------------------------------------------- from any thread

    def push(self, lines: str) -> bool:
        """Send lines of our own accord; return whether the client may still be there, and reads what it is sent."""
        with self._lock:
            if self._last is not None or self._is_over:
                return False
            self._unsent.append(lines)
            self._pushed += len(lines)
            is_slow = self._pushed > MAX_PUSHED
        if is_slow:
            self.end(*SLOW)
        else:
            self._flush()
        return not is_slow

    def end(self, code: str, detail: str, status: int) -> None:
        """End with a last line about this reason."""
        self.end_with(self.talk.format_end(code, detail, status))

    def end_with(self, last: str) -> None:
        """End with this last line, after the answers to the lines that are being answered."""
        with self._lock:
            if self._last is None:
                self._last = last
                self._waiting.clear()
        self._flush()

    def _flush(self) -> None:
        """Begin to send what is to be sent, unless the kernel has not taken yet what was sent before."""
        with self._lock:
            if self._is_sending or self._is_over or not self._is_open:
                return
            if not self._unsent and self._last is not None and not self._is_taken and not self._is_last_sent:
                self._is_last_sent = True
                self._unsent.append(self._last)
            if not self._unsent:
                return
            text, answered = "".join(self._unsent), self._answered
            self._unsent, self._answered, self._pushed = [], 0, 0
            self._is_sending, self._sent_s = True, time.monotonic()
            self._socket.send(text, lambda is_there: self._go_on(is_there, answered))

    def _go_on(self, is_there: bool, answered: int) -> None:
        with self._lock:
            self._is_sending, self._sent_s = False, time.monotonic()
            self._unread -= answered
            is_done = self._is_last_sent and not self._unsent
        if not is_there or is_done:
            self._leave()
            return
        self._flush()
        self._listen()

    def _leave(self) -> None:
        with self._lock:
            if self._is_over:
                return
            self._is_over = True
            self._waiting.clear()
            self._unsent = []
            self._socket.close()
        self.talk.stop()
        self._forget(self)

    def tick(self, now_s: float) -> None:
        """Look after it: called again and again."""
        with self._lock:
            waits_s = now_s - self._sent_s
            is_stuck = self._is_sending and waits_s > (CUT_S if self._is_last_sent else SLOW_S)
            is_silent = not self._is_sending and waits_s > HEARTBEAT_S
            is_idle = now_s - self._heard_s > IDLE_S and not (self._unread or self._waiting)
            is_due = now_s - self._checked_s > CHECK_S
        if is_stuck and self._last is not None and waits_s > CUT_S:
            self._leave()
        elif is_stuck:
            self.end(*SLOW)
        elif is_idle:
            self.end(*IDLE)
        elif is_silent:
            self.push(HEARTBEAT)
        self._hand_over(is_due)


def _size_of(message: str | bytes) -> int:
    return len(message) if isinstance(message, bytes) or message.isascii() else len(message.encode())
