"""Connections to the store's server without the overhead of redis-py's client and pool."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from hiredis import pack_command
from redis import Redis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import ReadOnlyError, RedisError, ResponseError

Connection = Any
"""redis-py's connection, whose methods have no type hints."""

_REPLICA = ("UNBLOCKED ", "WAIT cannot be used with replica instances")
"""How a server says so to one that waits for replicas."""

MAX_IDLE = 128
"""The most connections that are kept open while idle."""


class NotSent(NoConnection):
    """No connection could be opened, so nothing was sent."""


class Batch(NamedTuple):
    """Commands that were sent together, and whose replies are still to be read."""

    connection: Connection
    unread: int


class Wire:
    """Sends commands over its own connections, one caller at a time on each; safe to share between threads.

    The work that redis-py's client does around a command costs more than the command itself.
    """

    def __init__(self, client: Redis) -> None:
        self._pool = client.connection_pool
        self._idle: deque[Connection] = deque()

    def send(self, *command: Any) -> Any:
        """The server's reply, undecoded. Raises redis-py's errors if the server refuses or does not answer.

        Never sends a command twice.
        """
        connection = self._take()
        try:
            connection.send_packed_command((pack_command(command),), check_health=False)
            reply = connection.read_response()
        except ResponseError as refusal:
            if _is_of_replica(refusal):
                self._drop_all(connection)
            else:
                self._give_back(connection)
            raise
        except RedisError:
            self._drop_all(connection)
            raise
        except BaseException:
            connection.disconnect()
            raise
        self._give_back(connection)
        return reply

    def send_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Send commands together and return their replies. A refusal is returned as redis-py's exception."""
        return self.finish(self.begin(commands))

    def begin(self, commands: Sequence[tuple[Any, ...]]) -> Batch:
        """Send commands together. `finish` or `abandon` what is returned."""
        connection = self._take()
        try:
            connection.send_packed_command((b"".join(map(pack_command, commands)),), check_health=False)
        except RedisError:
            self._drop_all(connection)
            raise
        except BaseException:
            connection.disconnect()
            raise
        return Batch(connection, len(commands))

    def finish(self, batch: Batch) -> list[Any]:
        """The replies to commands that were sent: see `send_all`."""
        connection = batch.connection
        try:
            replies = [_read_reply(connection) for _ in range(batch.unread)]
        except RedisError:
            self._drop_all(connection)
            raise
        except BaseException:
            connection.disconnect()
            raise
        if any(map(_is_of_replica, replies)):
            self._drop_all(connection)
        else:
            self._give_back(connection)
        return replies

    def abandon(self, batch: Batch) -> None:
        """Read no replies to what was sent. The server may do it all the same."""
        batch.connection.disconnect()

    def close(self) -> None:
        """Close the idle connections; new ones are opened when needed."""
        while self._idle:
            self._idle.pop().disconnect()

    def _drop_all(self, connection: Connection) -> None:
        # After a failover this connection and the idle ones lead to the old primary. A new one finds the new primary.
        connection.disconnect()
        self.close()

    def _take(self) -> Connection:
        """A connection that seems open and has nothing left to read."""
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                with suppress(RedisError):
                    if not connection.can_read():
                        return connection
                connection.disconnect()
        fresh: Connection = self._pool.connection_class(**self._pool.connection_kwargs)
        try:
            # Sending would connect too, but only this asks Sentinels where the primary is.
            fresh.connect()
        except NoConnection as error:
            if type(error) is not NoConnection:
                # The server answered, and said why not.
                raise
            raise NotSent(*error.args) from error
        return fresh

    def _give_back(self, connection: Connection) -> None:
        if len(self._idle) < MAX_IDLE:
            self._idle.append(connection)
        else:
            connection.disconnect()


def _is_of_replica(reply: Any) -> bool:
    """Whether a server that is a replica, or has just become one, refuses the command for that reason."""
    return isinstance(reply, ReadOnlyError) or (isinstance(reply, ResponseError) and str(reply).startswith(_REPLICA))


def _read_reply(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as refusal:
        return refusal
