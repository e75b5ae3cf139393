"""How many threads of a process may wait for a store in trouble, so that the others stay free for what can be answered.

A request is asked again until its time is over, because a lost connection leaves open what was stored. But if all
threads did so, nothing else would be answered. So each needs a place to wait in. As long as anybody waits, the store is
known to be in trouble. Then a request that finds no place is refused before it is sent.
"""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from plyscribe.service.store.port import StoreUnavailable

PLACES = 48
"""Threads that may wait at the same time, by default: three quarters of those of our web server."""

RETRY_PAUSE_S = 0.1
"""The pause before a request to the store is repeated."""

T = TypeVar("T")


class Patience:
    """The places to wait in; safe to share between threads."""

    def __init__(self, places: int = PLACES) -> None:
        self._lock = threading.Lock()
        self._taken = 0
        self.places = places

    @property
    def is_tried(self) -> bool:
        """Whether anybody waits, so that the store is known to be in trouble."""
        return self._taken > 0

    def ask(self, ask: Callable[[], T], within_s: float) -> T:
        """The store's answer, with retries for so long if there is a place. StoreUnavailable if there is no answer.

        `ask` may be called several times.
        """
        if not self.is_tried:
            # Nobody waits, so the store is well as far as we know. This is all that a healthy store costs.
            try:
                return ask()
            except StoreUnavailable as error:
                if not error.passes_soon or not self._take():
                    raise
        elif not self._take():
            raise StoreUnavailable("the store does not answer, and many wait for it already: this was not sent to it")
        try:
            return _ask_until(ask, time.monotonic() + within_s)
        finally:
            self._leave()

    def _take(self) -> bool:
        with self._lock:
            if self._taken >= self.places:
                return False
            self._taken += 1
            return True

    def _leave(self) -> None:
        with self._lock:
            self._taken -= 1


def _ask_until(ask: Callable[[], T], deadline_s: float) -> T:
    while True:
        try:
            return ask()
        except StoreUnavailable as error:
            if not error.passes_soon or time.monotonic() >= deadline_s:
                raise
            time.sleep(RETRY_PAUSE_S)


PATIENCE = Patience()
"""The places of this process. It has one store."""
