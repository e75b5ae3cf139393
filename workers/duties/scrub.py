"""Checks the hash chains of all streams over and over, slowly, so that damage is noticed before it is asked for."""

import logging
from collections.abc import Sequence
from typing import Any, cast

from plyscribe.service.clock import now_ms
from plyscribe.service.queues import DAMAGED, SCRUB
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import EventStore, FeedEntry
from plyscribe.service.streams.chains import PAGE, Damage, Place, check_part, start_of
from plyscribe.workers.duties import Chore

STEP_EVERY_S = 2.0
REST_MS = 3_600_000
"""The shortest time from the beginning of one pass of a process to the beginning of the next."""

STREAM_COST = 4
"""A stream takes as much time as this many events, besides its events."""

log = logging.getLogger(__name__)


class Scrub:
    """Checks so many events a second, and keeps its place in the store. Damaged streams are logged and noted."""

    def __init__(self, store: EventStore, connection: Client, events_per_s: int) -> None:
        self._store = store
        self._redis = connection
        self._at_once = int(events_per_s * STEP_EVERY_S)
        # Damage is likeliest where something was stopped and started, so the first pass of a process does not wait.
        self._has_begun = False
        self.chores = (Chore("scrub", self.step, STEP_EVERY_S),) if events_per_s else ()

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do nothing: every stream has its turn."""

    def step(self) -> None:
        """Check the next events; between two passes, nothing."""
        found = cast(dict[bytes, bytes], self._redis.hgetall(SCRUB))
        known = {name.decode(): value for name, value in found.items()}
        begun, checked = int(known.get("begun_ms", 0)), int(known.get("streams", 0))
        if "after" not in known:
            if self._has_begun and now_ms() - begun < REST_MS:
                return
            begun, checked = now_ms(), 0
        self._has_begun = True
        after, place = known.get("after", b"").decode(), _parse_place(known)
        left = self._at_once
        while left > 0:
            if place is None:
                following = self._store.streams(after, 1)
                if not following:
                    self._finish(begun, checked)
                    return
                place = start_of(following[0])
            reached, damage, ended = check_part(self._store, place, min(left, PAGE))
            left -= STREAM_COST + reached.version - place.version
            place = reached
            if ended:
                self._note(place.stream, damage)
                after, place, checked = place.stream, None, checked + 1
        self._save(begun, checked, after, place)

    def _note(self, stream: str, damage: Damage | None) -> None:
        if damage is None:
            if self._redis.hexists(DAMAGED, stream):
                self._redis.hdel(DAMAGED, stream)
                log.warning("%s is no longer damaged", stream)
        elif self._redis.hset(DAMAGED, stream, str(damage.version)):
            log.error("%s is damaged from event %d on: %s", stream, damage.version, damage.why)

    def _save(self, begun: int, checked: int, after: str, place: Place | None) -> None:
        inside = {} if place is None else {"stream": place.stream, "version": place.version, "head": place.head.hex()}
        progress: dict[Any, Any] = {"begun_ms": begun, "streams": checked, "after": after, **inside}
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hdel(SCRUB, "stream", "version", "head")
            pipeline.hset(SCRUB, mapping=progress)
            pipeline.execute()

    def _finish(self, begun: int, checked: int) -> None:
        done: dict[Any, Any] = {"begun_ms": begun, "streams": checked, "finished_ms": now_ms()}
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hdel(SCRUB, "after", "stream", "version", "head")
            pipeline.hset(SCRUB, mapping=done)
            pipeline.execute()


def _parse_place(known: dict[str, bytes]) -> Place | None:
    """The place within a stream; None between two streams."""
    if "stream" not in known:
        return None
    return Place(known["stream"].decode(), int(known["version"]), bytes.fromhex(known["head"].decode()))
