"""The relay's duties, one a module: each does one thing with the entries of the feed."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from redis.exceptions import RedisError

from plyscribe.service.store.port import FeedEntry, StoreError

RETRY_CHORE_S = 10.0

log = logging.getLogger(__name__)


class Chore:
    """Something that the relay does at its start and then at a fixed interval."""

    def __init__(self, name: str, do: Callable[[], object], every_s: float) -> None:
        self._name = name
        self._do = do
        self._every_s = every_s
        self._due_at = 0.0

    def do_if_due(self) -> None:
        """Do it if its time has come. A failure is logged, holds up nothing else, and is retried soon."""
        if time.monotonic() < self._due_at:
            return
        self._due_at = time.monotonic() + self._every_s
        try:
            self._do()
        except (RedisError, StoreError):
            soon = min(self._every_s, RETRY_CHORE_S)
            self._due_at = time.monotonic() + soon
            log.exception("the %s of the relay failed: retrying in %.0f s", self._name, soon)


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
