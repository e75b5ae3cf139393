"""The feed as the relay reads it: one consumer group over the feeds of all buckets. Only on Redis or Valkey."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from redis import Redis
from redis.exceptions import RedisError, ResponseError

from plyscribe.service.store.port import BUCKETS, FeedEntry, StoreError
from plyscribe.service.store.redis import (
    START,
    Script,
    ask,
    ask_all,
    bucket_of_key,
    feed_key,
    parse_feed_entry,
    send,
    translate,
    try_all,
)

GROUP = "relay"
CHUNK = 1000
"""The most entries that one call of the trimming script removes."""

LONGEST_BLOCK_MS = 60_000
"""The longest that a read waits if the client has no timeout. If it has one, the bound is half of that."""

_Delivered = tuple[str, str, dict[bytes, bytes]]
_LOST = "NOGROUP", "UNBLOCKED"
_FEEDS = [feed_key(bucket) for bucket in BUCKETS]


class Backlog(NamedTuple):
    """How many entries wait for the group, and when the oldest was appended, in milliseconds of the server's clock."""

    entries: int
    since_ms: int | None


class FeedGroup:
    """One consumer of the group. Every feed entry is read at least once, and again until it is acknowledged.

    A consumer with the name of one that died continues with the entries that the other did not acknowledge. Not
    thread-safe. The client must not retry: if a reply is lost, this class reads its entries again.
    """

    def __init__(self, client: Redis, consumer: str = "relay") -> None:
        self._client = client
        self._consumer = consumer
        self._trim = Script(client, "trim.lua")
        # How far our pending entries have been read again, by bucket; None once that is finished.
        self._pending: dict[str, str] | None = {}
        timeout_s = client.connection_pool.connection_kwargs.get("socket_timeout")
        self._longest_block_ms = int(timeout_s * 500) if timeout_s else LONGEST_BLOCK_MS

    def ensure(self) -> None:
        """Create the group on every feed that lacks it, to read from the beginning."""
        requests = [("XGROUP CREATE", feed, GROUP, START, "MKSTREAM") for feed in _FEEDS]
        for reply in try_all(self._client, requests):
            if isinstance(reply, ResponseError) and not str(reply).startswith("BUSYGROUP"):
                raise translate(reply) from reply

    def read(self, count: int, block_ms: int = 0) -> list[tuple[str, str, FeedEntry]]:
        """About `count` entries as (bucket, id, entry), ordered within each bucket; waits up to `block_ms` for one.

        A new consumer first gets the entries that were delivered under its name and not acknowledged. So does one
        after an error, because a reply may have been lost. A group that is gone is created again and reads its feed
        from the beginning. Raises the errors of the port.
        """
        try:
            return self._read_pending(count) or self._read_new(count, block_ms)
        except (RedisError, StoreError) as error:
            self.read_again()
            raise translate(error) if isinstance(error, RedisError) else error from error

    def read_again(self) -> None:
        """Make the next reads return the unacknowledged entries again. Call it when handling entries has failed."""
        self._pending = {}

    def ack(self, entries: Iterable[tuple[str, str]]) -> None:
        """Acknowledge entries, given as (bucket, id). They are not read again and may be trimmed."""
        ids: dict[str, list[str]] = {}
        for bucket, id in entries:
            ids.setdefault(bucket, []).append(id)
        if ids:
            ask_all(self._client, [("XACK", feed_key(bucket), GROUP, *each) for bucket, each in ids.items()])

    def trim(self, keep: int) -> int:
        """Remove all acknowledged entries except the newest `keep` of each bucket; return how many were removed.

        An entry stays if it, or an older one, is not acknowledged.
        """
        dropped = 0
        for feed in _FEEDS:
            while chunk := self._trim(1, [feed, GROUP, keep, CHUNK]):
                dropped += chunk
        return dropped

    def lag(self) -> int:
        """How many entries are not acknowledged, delivered or not. Only reads."""
        return self.backlog().entries

    def backlog(self) -> Backlog:
        """The entries that are not acknowledged, delivered or not. Only reads."""
        entries, oldest = 0, []
        for feed, group in zip(_FEEDS, self._groups(), strict=True):
            if lag := self._lag_of(feed, group):
                entries += lag
                oldest += self._oldest_of(feed, group)
        return Backlog(entries, min(oldest, default=None))

    def _groups(self) -> list[dict[str, Any] | None]:
        """The server's information on our group for each feed; None if the group or the feed does not exist yet."""
        replies = try_all(self._client, [("XINFO GROUPS", feed) for feed in _FEEDS])
        return [_find_ours(reply) for reply in replies]

    def _lag_of(self, feed: str, group: dict[str, Any] | None) -> int:
        if group is None:
            return int(ask(self._client, "XLEN", feed))
        return int(group["pending"]) + self._undelivered(feed, group)

    def _oldest_of(self, feed: str, group: dict[str, Any] | None) -> list[int]:
        """When the oldest unacknowledged entry was appended, in milliseconds; empty if there is none."""
        if group is not None and group["pending"]:
            first = ask(self._client, "XPENDING", feed, GROUP)["min"]
        else:
            after = "-" if group is None else f"({group['last-delivered-id'].decode()}"
            first = next((id for id, _ in ask(self._client, "XRANGE", feed, after, "+", "COUNT", 1)), None)
        return [] if first is None else [int(first.partition(b"-")[0])]

    def _undelivered(self, feed: str, group: dict[str, Any]) -> int:
        if group["lag"] is not None:
            return int(group["lag"])
        # The server no longer knows the count, for example because entries were deleted by hand.
        return len(ask(self._client, "XRANGE", feed, f"({group['last-delivered-id'].decode()}", "+"))

    def _read_pending(self, count: int) -> list[tuple[str, str, FeedEntry]]:
        while self._pending is not None:
            ids = [self._pending.get(bucket, START) for bucket in BUCKETS]
            delivered = self._request(count, ids)
            self._pending = {**self._pending, **{bucket: id for bucket, id, _ in delivered}} if delivered else None
            # The server remembers a delivery even if the entry itself is gone.
            self.ack([(bucket, id) for bucket, id, fields in delivered if not fields])
            if found := _parse(delivered):
                return found
        return []

    def _read_new(self, count: int, block_ms: int) -> list[tuple[str, str, FeedEntry]]:
        block = ("BLOCK", min(block_ms, self._longest_block_ms)) if block_ms > 0 else ()
        return _parse(self._request(count, [">"] * len(_FEEDS), *block))

    def _request(self, count: int, ids: Sequence[str], *block: Any) -> list[_Delivered]:
        share = -(-count // len(_FEEDS))
        command = ["XREADGROUP", "GROUP", GROUP, self._consumer, "COUNT", share, *block, "STREAMS", *_FEEDS, *ids]
        try:
            reply = send(self._client, *command)
        except ResponseError as error:
            if not str(error).startswith(_LOST):
                raise
            self.ensure()
            reply = send(self._client, *command)
        return [(bucket_of_key(key), id.decode(), fields) for key, entries in reply for id, fields in entries]


def _find_ours(groups: Any) -> dict[str, Any] | None:
    if isinstance(groups, ResponseError) and str(groups).startswith("no such key"):
        return None
    if isinstance(groups, RedisError):
        raise translate(groups) from groups
    return next((group for group in groups if group["name"] == GROUP.encode()), None)


def _parse(delivered: Iterable[_Delivered]) -> list[tuple[str, str, FeedEntry]]:
    return [(bucket, id, parse_feed_entry(fields)) for bucket, id, fields in delivered if fields]
