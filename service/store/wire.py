"""Held connections to the store's server: what commands cost without a client's pool around them."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hiredis import pack_command
from redis import Redis
from redis.exceptions import RedisError, ResponseError

Connection = Any
"""redis-py's connection, whose methods bear no types."""

MAX_IDLE = 128
"""Connections that are kept open while nobody uses them."""


class Wire:
    """Sends commands over connections of its own, for one caller at a time on each; safe to share between threads.

    redis-py's client does much around every command, which costs more than the command itself.
    """

    def __init__(self, client: Redis) -> None:
        self._pool = client.connection_pool
        self._idle: deque[Connection] = deque()

    def send(self, *command: Any) -> Any:
        """The server's reply as it comes, in bytes; what redis-py raises where it refuses or does not answer.

        Nothing is sent twice.
        """
        connection = self._take()
        try:
            connection.send_packed_command((pack_command(command),), check_health=False)
            reply = connection.read_response()
        except ResponseError:
            self._give_back(connection)
            raise
        except BaseException:
            connection.disconnect()
            raise
        self._give_back(connection)
        return reply

    def send_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The replies to commands that are sent together, with refusals among them as what redis-py would raise."""
        connection = self._take()
        try:
            connection.send_packed_command((b"".join(map(pack_command, commands)),), check_health=False)
            replies = [_read_reply(connection) for _ in commands]
        except BaseException:
            connection.disconnect()
            raise
        self._give_back(connection)
        return replies

    def close(self) -> None:
        """Close the connections that nobody uses at the moment; new ones are opened as they are needed."""
        while self._idle:
            self._idle.pop().disconnect()

    def _take(self) -> Connection:
        """A connection that is open as far as can be told, with nothing left to read on it."""
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                with suppress(RedisError):
                    if not connection.can_read():
                        return connection
                connection.disconnect()
        fresh: Connection = self._pool.connection_class(**self._pool.connection_kwargs)
        return fresh

    def _give_back(self, connection: Connection) -> None:
        if len(self._idle) < MAX_IDLE:
            self._idle.append(connection)
        else:
            connection.disconnect()


def _read_reply(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as refusal:
        return refusal
