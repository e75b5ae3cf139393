"""The in-memory twin of the outbox: the same answers, but gone when the process ends."""

import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from plyscribe.service.store.outbox import (
    KNOWN,
    LEASE_MS,
    MOST_WAITING,
    Lane,
    LaneState,
    Message,
    Topics,
    Tried,
    Waiting,
)


@dataclass
class _Lane:
    waiting: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    tries: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    known: dict[str, None] = field(default_factory=dict)
    holder: str = ""
    held_until: int = 0
    paused_until: int = 0
    last: Tried | None = None
    failures: int = 0
    failing_since: int | None = None
    dropped: int = 0

    def remove(self, key: str) -> None:
        self.waiting.pop(key, None)
        self.bodies.pop(key, None)
        self.tries.pop(key, None)

    def recover(self) -> None:
        self.failures, self.failing_since, self.paused_until = 0, None, 0


class MemoryOutbox:
    """An outbox in memory; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wants: dict[str, tuple[int, Topics]] = {}
        self._lanes: defaultdict[Lane, _Lane] = defaultdict(_Lane)
        self._due: dict[Lane, int] = {}

    def subscribe(self, player: str, version: int, wants: Topics) -> None:
        """See Outbox.subscribe."""
        with self._lock:
            if version > self._wants.get(player, (0, {}))[0] and (wants or player in self._wants):
                self._wants[player] = version, {webhook: tuple(topics) for webhook, topics in wants.items()}

    def count_changes(self) -> int:
        """See Outbox.count_changes."""
        with self._lock:
            return len(self._wants)

    def list_wanting(self) -> frozenset[str]:
        """See Outbox.list_wanting."""
        with self._lock:
            return frozenset(self._wants)

    def list_wants(self, players: Sequence[str]) -> dict[str, Topics]:
        """See Outbox.list_wants."""
        with self._lock:
            found = {player: self._wants[player][1] for player in players if player in self._wants}
        return {player: wants for player, wants in found.items() if wants}

    def put(self, lane: Lane, message: Message, now_ms: int) -> bool:
        """See Outbox.put."""
        with self._lock:
            its = self._lanes[lane]
            if message.key in its.known:
                return False
            its.known[message.key] = None
            for key in list(its.known)[: max(0, len(its.known) - KNOWN)]:
                del its.known[key]
            its.waiting[message.key], its.bodies[message.key] = now_ms, message.body
            if len(its.waiting) > MOST_WAITING:
                its.remove(min(its.waiting, key=lambda key: (its.waiting[key], key)))
                its.dropped += 1
            self._due[lane] = max(its.paused_until, min(now_ms, self._due.get(lane, now_ms)))
            return True

    def wake(self, lane: Lane, now_ms: int) -> None:
        """See Outbox.wake."""
        with self._lock:
            its = self._lanes[lane]
            its.recover()
            its.waiting = dict.fromkeys(its.waiting, now_ms)
            if its.waiting:
                self._due[lane] = now_ms

    def list_due(self, now_ms: int, limit: int) -> list[Lane]:
        """See Outbox.list_due."""
        with self._lock:
            due = sorted((at, str(lane), lane) for lane, at in self._due.items() if at <= now_ms)
        return [lane for *_, lane in due[:limit]]

    def postpone(self, lanes: Sequence[Lane], until_ms: int) -> None:
        """See Outbox.postpone."""
        with self._lock:
            self._due |= dict.fromkeys(lanes, until_ms)

    def take(self, lane: Lane, holder: str, now_ms: int, limit: int) -> list[Waiting] | None:
        """See Outbox.take."""
        with self._lock:
            its = self._lanes[lane]
            if its.holder not in ("", holder) and now_ms < its.held_until:
                return None
            its.holder, its.held_until = holder, now_ms + LEASE_MS
            due = sorted((at, key) for key, at in its.waiting.items() if at <= now_ms)
            return [Waiting(key, its.bodies[key], its.tries[key]) for _, key in due[:limit]]

    def settle(self, lane: Lane, key: str, tried: Tried, again_ms: int | None = None) -> None:
        """See Outbox.settle."""
        with self._lock:
            its = self._lanes[lane]
            its.last = tried
            if tried.error is None:
                its.recover()
                its.remove(key)
                return
            its.failures += 1
            its.failing_since = tried.at if its.failing_since is None else its.failing_since
            if again_ms is None:
                its.remove(key)
                its.dropped += 1
            elif key in its.waiting:
                its.waiting[key] = again_ms
                its.tries[key] += 1

    def release(self, lane: Lane, holder: str, pause_until_ms: int) -> None:
        """See Outbox.release."""
        with self._lock:
            its = self._lanes[lane]
            if its.holder != holder:
                return
            its.holder, its.held_until, its.paused_until = "", 0, pause_until_ms
            self._due.pop(lane, None)
            if its.waiting:
                self._due[lane] = max(pause_until_ms, min(its.waiting.values()))

    def describe(self, lanes: Sequence[Lane]) -> list[LaneState]:
        """See Outbox.describe."""
        with self._lock:
            return [self._describe(lane, self._lanes[lane]) for lane in lanes]

    def _describe(self, lane: Lane, its: _Lane) -> LaneState:
        next_at = self._due.get(lane)
        return LaneState(len(its.waiting), its.last, its.failures, its.failing_since, next_at, its.dropped)

    def drop(self, lane: Lane) -> None:
        """See Outbox.drop."""
        with self._lock:
            its = self._lanes[lane]
            for key in list(its.waiting):
                its.remove(key)
            self._due.pop(lane, None)

    def count_lanes(self) -> int:
        """See Outbox.count_lanes."""
        with self._lock:
            return len(self._due)
