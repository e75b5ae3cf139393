"""How a worker process lives through trouble of the servers: it waits longer and longer, and says why in one line."""

import logging
import signal
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from plyscribe.service.store.port import StoreError, StoreUnavailable
from plyscribe.service.store.redis_errors import translate

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 10.0

log = logging.getLogger(__name__)


class Pauses:
    """The seconds to wait before each further try: FIRST_PAUSE_S, then twice as long each time, up to the longest."""

    def __init__(self, longest_s: float = LONGEST_PAUSE_S) -> None:
        self._longest_s = longest_s
        self._next_s = FIRST_PAUSE_S

    def next_s(self) -> float:
        """The next pause."""
        pause_s, self._next_s = self._next_s, min(2 * self._next_s, self._longest_s)
        return pause_s

    def reset(self) -> None:
        """Begin anew, because a try succeeded."""
        self._next_s = FIRST_PAUSE_S


def explain(error: RedisError | StoreError) -> str:
    """What is wrong, in the words of the port."""
    return str(translate(error) if isinstance(error, RedisError) else error)


def end_at_signals() -> None:
    """From here on a signal to stop ends the process at once: nothing is in hand."""
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, signal.SIG_DFL)


def wait_for(name: str, ask: Callable[[], object]) -> None:
    """Call `ask` until it raises neither RedisError nor StoreUnavailable. Each failure is one line in the log.

    From here on a signal to stop ends the process.
    """
    end_at_signals()
    pauses = Pauses()
    while True:
        try:
            ask()
            return
        except (RedisError, StoreUnavailable) as error:
            pause_s = pauses.next_s()
            log.warning("waiting for %s, next try in %.1f s: %s", name, pause_s, explain(error))
            time.sleep(pause_s)
