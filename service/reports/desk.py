"""Where requests wait for reports: one thread of a process looks after all of them, and each holds none.

A report is made elsewhere (see Makers), once for all who ask for it at the same time, in whatever process they ask.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from plyscribe.service.errors import ReportBusy, ReportFailed, ServiceError
from plyscribe.service.reports.subjects import Json, Subject
from plyscribe.service.store.port import StoreError

WAIT_S = 20.0
"""How long a request waits for its report. The report is made even if nobody waits any more."""

POLL_S = 0.05
"""How often the thread looks whether awaited reports are made. It sleeps while nobody waits."""

REMIND_S = 5.0
"""How often it has the reports begun that are still awaited, in case their jobs got lost."""

MAX_AWAITED = 1000
"""Requests of one process that may wait at the same time, each a connection and some 20 kB."""

Trouble = ServiceError | StoreError

log = logging.getLogger(__name__)


class Makers(Protocol):
    """Those who make reports. The same contract holds for a queue with its workers and for this process alone."""

    def begin(self, subject: Subject) -> None:
        """Have the report made, unless it is being made or is kept. One that failed or was lost is made anew.

        ReportBusy if as many wait to be made as may; StoreUnavailable.
        """
        ...

    def look(self, subjects: Sequence[Subject]) -> Mapping[Subject, Json | None]:
        """The reports of these that are made, or None for one that failed; nothing of those still being made.

        StoreUnavailable.
        """
        ...


class Awaited:
    """A request that waits for a report: what the web server knows as a follower that waits for news."""

    def __init__(self, desk: "Desk", subject: Subject) -> None:
        self.subject = subject
        self.wait_s: float | None = WAIT_S
        self.has_left = False
        self._desk = desk
        self._hear: Callable[[], object] = _do_nothing
        self._outcome: Json | Trouble = ReportBusy(
            f"the report takes longer than {WAIT_S:.0f} s: it is being made, so ask again later"
        )

    def start(self, send: Callable[[bytes], object], hear: Callable[[], object]) -> None:
        """Call `hear` once, from another thread, when there is an outcome. `send` is not used."""
        self._hear = hear
        self._desk.enter(self)

    def stop(self) -> None:
        """Wait no longer. May be called twice."""
        self._desk.leave(self)

    def wait(self) -> None:
        """Wait for the outcome for at most `wait_s`. Blocks the calling thread."""
        ended = threading.Event()
        self.start(_drop, ended.set)
        ended.wait(self.wait_s)
        self.stop()

    def settle(self, outcome: Json | Trouble) -> None:
        """Give the outcome, and call `hear`."""
        self._outcome = outcome
        self._hear()

    def read(self) -> Json:
        """The report. ReportBusy if it is not made yet, ReportFailed, StoreUnavailable."""
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


class Desk:
    """All requests of this process that wait for reports; safe to share between threads."""

    def __init__(self, makers: Makers, max_threads: int) -> None:
        self._makers = makers
        self._max_threads = max_threads
        self._changed = threading.Condition()
        self._places = 0
        self._awaited: dict[Subject, set[Awaited]] = {}
        self._fresh: set[Subject] = set()
        self._thread: threading.Thread | None = None
        self._closed = False

    def wait_for(self, subject: Subject, in_thread: bool = False) -> Awaited:
        """A place to wait for a report: start it. ReportBusy if all places are taken.

        With `in_thread` waiting will take a thread of the web server, of which there are few.
        """
        most = min(MAX_AWAITED, self._max_threads) if in_thread else MAX_AWAITED
        if self._places >= most:
            raise ReportBusy(f"{self._places} requests wait for reports here already: try again later")
        return Awaited(self, subject)

    def enter(self, awaited: Awaited) -> None:
        """Begin to wait, unless the client has left already."""
        with self._changed:
            if awaited.has_left:
                return
            if self._closed:
                awaited.settle(ReportBusy("this process is stopping: ask again"))
                return
            self._awaited.setdefault(awaited.subject, set()).add(awaited)
            self._fresh.add(awaited.subject)
            self._places += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._attend, name="reports", daemon=True)
                self._thread.start()
            self._changed.notify()

    def leave(self, awaited: Awaited) -> None:
        """Wait no longer. May be called twice."""
        with self._changed:
            awaited.has_left = True
            waiting = self._awaited.get(awaited.subject, set())
            if awaited in waiting:
                self._places -= 1
                waiting.remove(awaited)
                if not waiting:
                    del self._awaited[awaited.subject]

    def close(self) -> None:
        """Let all go, and let nobody wait any more: this process stops."""
        with self._changed:
            self._closed = True
        self._settle_all(ReportBusy("this process is stopping: ask again"))

    def _attend(self) -> None:
        reminded_s = time.monotonic()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._fresh, POLL_S if self._awaited else None)
                if (now_s := time.monotonic()) - reminded_s >= REMIND_S:
                    reminded_s = now_s
                    self._fresh.update(self._awaited)
                fresh, self._fresh = self._fresh & self._awaited.keys(), set()
            try:
                for subject in fresh:
                    self._begin(subject)
                self._look()
            except Exception as error:
                if not isinstance(error, StoreError):
                    log.exception("reports cannot be looked after")
                self._settle_all(error if isinstance(error, StoreError) else ReportFailed())

    def _begin(self, subject: Subject) -> None:
        try:
            self._makers.begin(subject)
        except ReportBusy as error:
            self._settle(subject, error)

    def _look(self) -> None:
        with self._changed:
            # One that was asked for meanwhile is not begun yet, so it only looks as if it had failed.
            subjects = [subject for subject in self._awaited if subject not in self._fresh]
        if subjects:
            for subject, report in self._makers.look(subjects).items():
                self._settle(subject, ReportFailed() if report is None else report)

    def _list_awaited(self) -> list[Subject]:
        with self._changed:
            return list(self._awaited)

    def _settle_all(self, trouble: Trouble) -> None:
        for subject in self._list_awaited():
            self._settle(subject, trouble)

    def _settle(self, subject: Subject, outcome: Json | Trouble) -> None:
        with self._changed:
            waiting = self._awaited.pop(subject, set())
            self._places -= len(waiting)
        for awaited in waiting:
            awaited.settle(outcome)


def _drop(data: Any) -> None:
    """Stands in for `send`."""


def _do_nothing() -> None:
    """Stands in for `hear` before the start."""
