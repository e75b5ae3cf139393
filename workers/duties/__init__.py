"""The relay's duties, one a module: each does one thing with the entries of the feed."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from redis.exceptions import RedisError

from plyscribe.service.store.port import FeedEntry, StoreError
from plyscribe.workers.outages import Pauses, explain

RETRY_CHORE_S = 10.0
LONGEST_PAUSE_S = 4.0
"""Chores that are more frequent than this are retried less and less often, down to this."""

log = logging.getLogger(__name__)


class Chore:
    """Something that the relay does at its start and then at a fixed interval."""

    def __init__(self, name: str, do: Callable[[], object], every_s: float) -> None:
        self._name = name
        self._do = do
        self._every_s = every_s
        self._due_at = 0.0
        self._pauses = Pauses(LONGEST_PAUSE_S)

    def do_if_due(self) -> bool:
        """Do it if its time has come, and return whether more of it is due at once: then what it does returns True.

        A failure is logged, holds up nothing else, and is retried soon.
        """
        if time.monotonic() < self._due_at:
            return False
        self._due_at = time.monotonic() + self._every_s
        try:
            has_more = self._do() is True
            self._pauses.reset()
            if has_more:
                self._due_at = 0.0
            return has_more
        except (RedisError, StoreError) as error:
            soon = min(max(self._every_s, self._pauses.next_s()), RETRY_CHORE_S)
            self._due_at = time.monotonic() + soon
            log.warning("the %s of the relay failed: retrying in %.0f s: %s", self._name, soon, explain(error))
            return False


class Duty(Protocol):
    """One thing that the relay does with the feed."""

    @property
    def chores(self) -> Sequence[Chore]:
        """What the duty does at intervals, whatever the feed brings."""
        ...

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do what these entries call for. They are in order within each stream.

        Every entry comes at least once. After RedisError, StoreError or a crash, the whole batch comes again to all
        duties, so `take` must be idempotent. A failure with one stream must not hold up the others.
        """
        ...
