"""What the relay does with the feed: one duty a module."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from redis.exceptions import RedisError

from plyscribe.service.store.port import FeedEntry, StoreError

RETRY_CHORE_S = 10.0

log = logging.getLogger(__name__)


class Chore:
    """Something to do at the start and every so often."""

    def __init__(self, name: str, do: Callable[[], object], every_s: float) -> None:
        self._name = name
        self._do = do
        self._every_s = every_s
        self._due_at = 0.0

    def do_if_due(self) -> None:
        """Do it if its time has come. What goes wrong in it is logged, and keeps nothing else from being done."""
        if time.monotonic() < self._due_at:
            return
        self._due_at = time.monotonic() + self._every_s
        try:
            self._do()
        except (RedisError, StoreError):
            soon = min(self._every_s, RETRY_CHORE_S)
            self._due_at = time.monotonic() + soon
            log.exception("the %s of the relay failed, it is tried again in %.0f s", self._name, soon)


class Duty(Protocol):
    """One thing that the relay does with the feed."""

    @property
    def chores(self) -> Sequence[Chore]:
        """What it does beside, at the start and every so often."""
        ...

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do what these entries call for; ordered within a stream.

        Every entry comes at least once: after RedisError or StoreError, or a death, the batch comes again to all
        duties, so doing it twice must be as good as once. What cannot be done for one stream must not stop the others.
        """
        ...
