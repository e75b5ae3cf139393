"""Writes that are answered only after replicas have them too."""

from collections.abc import Sequence
from typing import Any, Final

from redis import Redis
from redis.exceptions import ReadOnlyError, RedisError, ResponseError

from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.store.wire import Batch, Wire

WITHIN_MS: Final = 1000
"""How long replicas may take. It is less than a client waits for an answer."""


class ReplicatedWire(Wire):
    """A Wire for writes: each packet ends with a WAIT, so this costs no round trip of its own.

    StoreUnavailable if fewer than `replicas` have the writes in time. The server has them, and may lose them in a
    failover.
    """

    def __init__(self, client: Redis, replicas: int) -> None:
        super().__init__(client)
        self._replicas = replicas

    def send(self, *command: Any) -> Any:
        """See Wire.send."""
        [reply] = self.send_all([command])
        if isinstance(reply, RedisError):
            raise reply
        return reply

    def begin(self, commands: Sequence[tuple[Any, ...]]) -> Batch:
        """See Wire.begin."""
        return super().begin([*commands, ("WAIT", self._replicas, WITHIN_MS)])

    def finish(self, batch: Batch) -> list[Any]:
        """See Wire.finish."""
        *replies, held = super().finish(batch)
        if all(isinstance(reply, RedisError) for reply in replies):
            # Nothing was written, and the first refusal says why.
            return replies
        if isinstance(held, ResponseError) and str(held).startswith("WAIT cannot"):
            raise ReadOnlyError(str(held), status_code="READONLY")
        if isinstance(held, RedisError):
            raise held
        if held < self._replicas:
            raise StoreUnavailable(
                f"the store has it, but only {held} of the {self._replicas} replicas that an answer waits for do: "
                f"it may yet be lost, so send it again"
            )
        return replies
