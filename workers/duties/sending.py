"""Puts jobs on queues whose server may be away: the relay then does without it what needs no queue.

A duty notes a stream on its agenda before it sends a job for it. So a job that could not be sent is not lost: the
duty's sweep sends it when the server is back.
"""

import logging
import time
from collections.abc import Callable, Sequence

from redis.exceptions import RedisError

from plyscribe.workers.outages import Pauses, explain

log = logging.getLogger(__name__)


class Sender:
    """Sends jobs for all duties of a relay. After a failure it does not try again for a while, which costs time."""

    def __init__(self) -> None:
        self._pauses = Pauses()
        self._away = False
        self._try_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether the last try failed."""
        return self._away

    def may_try(self) -> bool:
        """Whether `send` would try now."""
        return not self._away or time.monotonic() >= self._try_at

    def send(self, due: Sequence[object], *enqueue: Callable[[], object]) -> bool:
        """Call these, which enqueue what is due, and return True; False if the server takes no jobs now.

        If nothing is due, that is True without a look at the server.
        """
        if not due:
            return True
        if not self.may_try():
            return False
        try:
            for each in enqueue:
                each()
        except RedisError as error:
            self._note_failure(error)
            return False
        if self._away:
            log.warning("the queues' server takes jobs again")
        self._away = False
        self._pauses.reset()
        return True

    def _note_failure(self, error: RedisError) -> None:
        pause_s = self._pauses.next_s()
        self._away, self._try_at = True, time.monotonic() + pause_s
        reason = "the queues' server takes no jobs, next try in %.1f s; everything else goes on: %s"
        log.warning(reason, pause_s, explain(error))
