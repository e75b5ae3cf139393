"""The campaign of failovers: a primary is killed again and again while several writers append."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent, check_chain, first_link, link_all
from plyscribe.domain.errors import BrokenChain
from plyscribe.service.store.port import EventStore, Seen, Stored, StoreUnavailable
from plyscribe.service.store.redis import connect
from tests.store.given import command, eventually
from tests.store.own_clusters import own_cluster
from tests.store.sentinels import Watched, watched_store

PAUSE_S = 0.05
"""The pause before an append without an answer is sent again, as the service does."""

BETWEEN = 40
"""How many appends are acknowledged between two failovers, by each writer on average."""


class Failovers(NamedTuple):
    failovers: int
    replicas: int
    """How many replicas an answer waits for, of two."""

    writers: int = 6
    victims: int = 1
    """1: the primary dies; 2: the primary and one replica die at the same moment."""

    is_cluster: bool = False
    """Whether one of the three primaries of a cluster dies, drawn by lot, each with a replica; else a watched one."""

    seed: int = 1


@dataclass
class Outcome:
    failovers: int = 0
    sent: int = 0
    acknowledged: int = 0
    unanswered: int = 0
    """Appends that got no answer when they were sent first, and were sent again."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0
    longest_s: float = 0.0
    """The longest time from sending an append first to its answer."""

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.broken)


class Writer:
    """Appends to a stream of its own, sends again what got no answer, and remembers every answer."""

    def __init__(self, store: EventStore, number: int, stop: threading.Event) -> None:
        self.stream = f"match-writer{number}"
        self.acknowledged: list[StoredEvent] = []
        self.sent = self.unanswered = 0
        self.longest_s = 0.0
        self._store, self._stop = store, stop

    def run(self) -> None:
        entries: list[StoredEvent] = []
        while not self._stop.is_set():
            name = f"{self.stream} {self.sent}"
            self.sent += 1
            before = entries[-1].h if entries else first_link(self.stream)
            event = link_all(before, len(entries) + 1, [name.encode()])[0]
            begun = time.monotonic()
            is_stored = self._append(entries, event, name)
            if is_stored is None:
                return
            self.longest_s = max(self.longest_s, time.monotonic() - begun)
            if is_stored:
                self.acknowledged.append(event)
                entries.append(event)
            else:
                # The store is not where its answers left it. What it has lost is counted at the end.
                entries = self.read()

    def _append(self, entries: list[StoredEvent], event: StoredEvent, name: str) -> bool | None:
        """Whether the event is stored; None if it is time to stop before an answer comes."""
        head = entries[-1].h if entries else b""
        first = True
        while first or not self._stop.is_set():
            try:
                answer = self._store.append(self.stream, len(entries), head, [event], ["made"], command(name))
            except StoreUnavailable:
                self.unanswered += first
                first = False
                time.sleep(PAUSE_S)
                continue
            return isinstance(answer, (Stored, Seen))
        return None

    def read(self) -> list[StoredEvent]:
        """What the store has of the stream, once it answers."""
        while True:
            try:
                return list(self._store.load(self.stream).entries)
            except StoreUnavailable:
                time.sleep(PAUSE_S)


def run_failovers(
    binary: Path, folder: Path, plan: Failovers, say: Callable[[int], object] = lambda failovers: None
) -> Outcome:
    """Kill as planned while writers append; then compare what the store has with what it had acknowledged."""
    lot, stop, outcome = random.Random(plan.seed), threading.Event(), Outcome()
    begun = time.monotonic()
    with _start(binary, folder, plan, lot) as (url, fail_over):
        store = connect(url, replicas=plan.replicas)
        writers = [Writer(store, number, stop) for number in range(plan.writers)]
        with ThreadPoolExecutor(plan.writers) as pool:
            running = [pool.submit(writer.run) for writer in writers]
            try:
                for number in range(plan.failovers):
                    await_appends(writers, BETWEEN * plan.writers)
                    time.sleep(lot.uniform(0, 0.05))
                    fail_over()
                    outcome.failovers += 1
                    say(number + 1)
                await_appends(writers, BETWEEN * plan.writers)
            finally:
                stop.set()
            for each in running:
                each.result()
        for writer in writers:
            judge(writer, writer.read(), outcome)
        store.close()
    outcome.seconds = time.monotonic() - begun
    return outcome


@contextmanager
def _start(
    binary: Path, folder: Path, plan: Failovers, lot: random.Random
) -> Iterator[tuple[str, Callable[[], object]]]:
    """The address of a store, and what kills its primary and returns once the dead server is back."""
    if plan.is_cluster:
        with own_cluster(binary, folder, replicas=1) as cluster:
            yield cluster.url, lambda: cluster.fail_over(lot.randrange(len(cluster.primaries)))
    else:
        with watched_store(binary, folder) as watched:
            yield watched.url, lambda: _fail_over(watched, plan.victims, lot)


def await_appends(writers: list[Writer], count: int) -> None:
    start = sum(len(writer.acknowledged) for writer in writers)
    eventually(lambda: sum(len(writer.acknowledged) for writer in writers) >= start + count)


def _fail_over(watched: Watched, victims: int, lot: random.Random) -> None:
    spare = lot.choice(watched.replicas)
    dead = [watched.kill_primary()]
    if victims == 2:
        spare.stop()
        dead.append(spare)
    watched.follow_failover()
    watched.restart(*dead)


def judge(writer: Writer, entries: list[StoredEvent], outcome: Outcome) -> None:
    """Add to the outcome what the store has of this writer, compared with what it was answered."""
    stored = {entry.version: entry for entry in entries}
    outcome.sent += writer.sent
    outcome.acknowledged += len(writer.acknowledged)
    outcome.unanswered += writer.unanswered
    outcome.longest_s = max(outcome.longest_s, writer.longest_s)
    outcome.lost += [
        f"{writer.stream} {each.version}" for each in writer.acknowledged if stored.get(each.version) != each
    ]
    counts = Counter(entry.e for entry in entries)
    outcome.doubled += [f"{writer.stream} {name.decode()}" for name, count in counts.items() if count > 1]
    try:
        check_chain(first_link(writer.stream), 0, entries)
    except BrokenChain as error:
        outcome.broken.append(f"{writer.stream}: {error}")
