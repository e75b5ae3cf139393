"""The feed as the relay reads it: one consumer group over the feeds of all buckets. Only on Redis or Valkey."""

from collections import defaultdict
from collections.abc import Mapping
from secrets import token_hex
from typing import Any, NamedTuple

from redis.exceptions import RedisError, ResponseError

from plyscribe.service.store.cluster import Client, read_feeds, wire_of
from plyscribe.service.store.port import BUCKETS, FeedEntry, Piece, Place, StoreError
from plyscribe.service.store.redis import START, parse_feed_entry
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.store.redis_keys import bucket_of_key, feed_key
from plyscribe.service.store.redis_server import Script, ask, ask_all, try_all

GROUP = "relay"
IDENTITY = "{00}:identity"
"""Names the store, so that tables that follow another one are not taken for its own."""

CHUNK = 1000
"""The most entries that one call of the trimming script removes."""

LONGEST_BLOCK_MS = 60_000
"""The longest that a read waits if the client has no timeout. If it has one, the bound is half of that."""

_NO_GROUP = "NOGROUP", "ERR The XGROUP subcommand requires the key to exist"
_FEEDS = [feed_key(bucket) for bucket in BUCKETS]


class Backlog(NamedTuple):
    """How many entries wait for the group, and when the oldest was appended, in milliseconds of the server's clock."""

    entries: int
    since_ms: int | None


class FeedGroup:
    """Reads the feed on from the place to which it was acknowledged. Every entry is read at least once.

    A consumer group keeps that place in each bucket's feed. The group has nothing delivered: for that, a server writes
    more than three times as much for each entry. Several readers of the group each read everything; the last one to
    acknowledge sets the place, even back. Not thread-safe. The client must not retry: if a reply is lost, this class
    reads the entries again.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._wire = wire_of(client)
        self._trim = Script(client, "trim.lua")
        # Where the next read begins, and what is acknowledged, by bucket; both empty until they are looked up.
        self._read_upto: dict[str, Place] = {}
        self._acked_upto: dict[str, Place] = {}
        self._unacked: defaultdict[str, list[FeedEntry]] = defaultdict(list)
        self.buckets: tuple[str, ...] = BUCKETS
        timeout_s = client.get_connection_kwargs().get("socket_timeout")
        self._longest_block_ms = int(timeout_s * 500) if timeout_s else LONGEST_BLOCK_MS

    def follow(self, buckets: tuple[str, ...]) -> None:
        """Read, acknowledge and trim these buckets alone; at first it is all of them."""
        if buckets != self.buckets:
            self.buckets = buckets
            self._acked_upto = {}
            self.read_again()

    def ensure(self) -> None:
        """Create the group on every feed that lacks it, to read from the beginning."""
        requests = [("XGROUP CREATE", feed, GROUP, START, "MKSTREAM") for feed in _FEEDS]
        for reply in try_all(self._client, requests):
            if isinstance(reply, ResponseError) and not str(reply).startswith("BUSYGROUP"):
                raise translate(reply) from reply

    def read(self, count: int, block_ms: int = 0) -> list[FeedEntry]:
        """About `count` entries, ordered within each bucket; waits up to `block_ms` for one.

        They follow those of the last read. The first read, and one after an error, begins after the entries that are
        acknowledged. A group that is gone is created again and reads its feed from the beginning. Raises the errors of
        the port.
        """
        try:
            return self._read(count, block_ms)
        except (RedisError, StoreError) as error:
            self.read_again()
            raise translate(error) if isinstance(error, RedisError) else error from error

    def read_again(self) -> None:
        """Make the next read return the unacknowledged entries again. Call it when handling entries has failed."""
        self._read_upto = {}
        self._unacked.clear()

    def pieces(self) -> dict[str, Piece]:
        """What was read and is not acknowledged, by bucket."""
        return {
            bucket: Piece(self._acked_upto[bucket], self._read_upto[bucket], entries)
            for bucket, entries in self._unacked.items()
        }

    def places(self) -> dict[str, Place]:
        """Where the group stands in each bucket that is followed: all before it is acknowledged.

        Raises the errors of the port.
        """
        places = self._acked_upto or self._find_places()
        return {bucket: places[bucket] for bucket in self.buckets}

    def all_places(self) -> dict[str, Place]:
        """Where the group stands in each bucket, also of those that others follow. Raises the errors of the port."""
        return self._find_places()

    def read_between(self, spans: Mapping[str, tuple[Place, Place]], count: int) -> dict[str, Piece]:
        """About `count` entries between two places of each bucket, in pieces that begin at the first place."""
        share = -(-count // max(1, len(spans)))
        requests = [
            ("XRANGE", feed_key(bucket), f"({first.id}", last.id, "COUNT", share)
            for bucket, (first, last) in spans.items()
        ]
        pieces = {}
        for (bucket, (first, last)), found in zip(spans.items(), ask_all(self._client, requests), strict=True):
            entries = [parse_feed_entry(fields) for _, fields in found]
            upto = last if len(found) < share else Place(found[-1][0].decode(), first.passed + len(found))
            pieces[bucket] = Piece(first, upto, entries)
        return pieces

    def list_gaps(self, places: Mapping[str, Place]) -> list[str]:
        """The buckets in which entries after these places are gone, or that never came to them."""
        feeds = [feed_key(bucket) for bucket in places]
        gaps = []
        for (bucket, place), info in zip(
            places.items(), try_all(self._client, [("XINFO STREAM", feed) for feed in feeds]), strict=True
        ):
            if isinstance(info, ResponseError) and str(info).startswith("no such key"):
                info = {"last-generated-id": b"0-0", "entries-added": 0, "length": 0}
            if isinstance(info, RedisError):
                raise translate(info) from info
            newest = Place(info["last-generated-id"].decode(), int(info["entries-added"]))
            if place.order > newest.order or place.passed < newest.passed - int(info["length"]):
                gaps.append(bucket)
        return gaps

    def identify(self) -> str:
        """A name of the store that no other store has. It stays with the data."""
        ask(self._client, "SET", IDENTITY, token_hex(8), "NX")
        return self.read_identity()

    def read_identity(self) -> str:
        """The name of the store; empty if nobody has asked for one yet. Only reads."""
        found: bytes | None = ask(self._client, "GET", IDENTITY)
        return "" if found is None else found.decode()

    def ack(self) -> None:
        """Acknowledge all entries that were read. They are not read again, and may be trimmed.

        If the group is gone, they are read again instead.
        """
        moved = [each for each in self._read_upto.items() if each not in self._acked_upto.items()]
        requests = [
            ("XGROUP SETID", feed_key(bucket), GROUP, place.id, "ENTRIESREAD", place.passed) for bucket, place in moved
        ]
        for (bucket, place), reply in zip(moved, try_all(self._client, requests), strict=True):
            if isinstance(reply, ResponseError) and str(reply).startswith(_NO_GROUP):
                self.read_again()
            elif isinstance(reply, RedisError):
                raise translate(reply) from reply
            else:
                self._acked_upto[bucket] = place
        self._unacked.clear()

    def trim(self, keep: int, places: Mapping[str, Place] | None = None) -> int:
        """Remove all acknowledged entries except the newest `keep` of each bucket; return how many were removed.

        What comes after these places stays too.
        """
        dropped = 0
        for bucket in self.buckets:
            bound = places[bucket].id if places and bucket in places else ""
            while chunk := self._trim(1, [feed_key(bucket), GROUP, keep, CHUNK, bound]):
                dropped += chunk
        return dropped

    def lag(self) -> int:
        """How many entries are not acknowledged. Only reads."""
        return self.backlog().entries

    def backlog_after(self, places: Mapping[str, Place]) -> Backlog:
        """The entries after these places. Only reads."""
        infos = try_all(self._client, [("XINFO STREAM", feed_key(bucket)) for bucket in places])
        behind = []
        for (bucket, place), info in zip(places.items(), infos, strict=True):
            if isinstance(info, dict) and int(info["entries-added"]) > place.passed:
                behind.append((bucket, place, int(info["entries-added"]) - place.passed))
            elif isinstance(info, RedisError) and not str(info).startswith("no such key"):
                raise translate(info) from info
        asked = [("XRANGE", feed_key(bucket), f"({place.id}", "+", "COUNT", 1) for bucket, place, _ in behind]
        entries, oldest = 0, []
        for (*_, number), found in zip(behind, ask_all(self._client, asked), strict=True):
            # Entries that were deleted by hand count for the server, although nobody will read them.
            if found:
                entries += number
                oldest.append(int(found[0][0].partition(b"-")[0]))
        return Backlog(entries, min(oldest, default=None))

    def backlog(self) -> Backlog:
        """The entries that are not acknowledged. Only reads."""
        entries, oldest = 0, []
        for feed, group in zip(_FEEDS, self._groups(), strict=True):
            # Entries that were deleted by hand count for the server, although nobody will read them.
            if (lag := self._lag_of(feed, group)) and (since := self._oldest_of(feed, group)):
                entries += lag
                oldest += since
        return Backlog(entries, min(oldest, default=None))

    def _groups(self) -> list[dict[str, Any] | None]:
        """The server's information on our group for each feed; None if the group or the feed does not exist yet."""
        replies = try_all(self._client, [("XINFO GROUPS", feed) for feed in _FEEDS])
        return [_find_ours(reply) for reply in replies]

    def _lag_of(self, feed: str, group: dict[str, Any] | None) -> int:
        if group is None:
            return int(ask(self._client, "XLEN", feed))
        if group["lag"] is not None:
            return int(group["lag"])
        # The server no longer knows the count, for example because entries were deleted by hand.
        return len(ask(self._client, "XRANGE", feed, f"({group['last-delivered-id'].decode()}", "+"))

    def _oldest_of(self, feed: str, group: dict[str, Any] | None) -> list[int]:
        """When the oldest unacknowledged entry was appended, in milliseconds; empty if there is none."""
        after = "-" if group is None else f"({group['last-delivered-id'].decode()}"
        found = ask(self._client, "XRANGE", feed, after, "+", "COUNT", 1)
        return [int(id.partition(b"-")[0]) for id, _ in found]

    def _read(self, count: int, block_ms: int) -> list[FeedEntry]:
        if not self._read_upto:
            self._acked_upto = self._find_places()
            self._read_upto = dict(self._acked_upto)
        if not self.buckets:
            return []
        block_ms = max(0, min(block_ms, self._longest_block_ms))
        found, buckets = list[FeedEntry](), list(self.buckets)
        while buckets and len(found) < count:
            share = -(-(count - len(found)) // len(buckets))
            after = {feed_key(each): self._read_upto[each].id for each in buckets}
            buckets = []
            for key, entries in read_feeds(self._client, self._wire, after, share, block_ms):
                bucket = bucket_of_key(key)
                parsed = [parse_feed_entry(fields) for _, fields in entries]
                found += parsed
                self._unacked[bucket] += parsed
                self._read_upto[bucket] = Place(entries[-1][0].decode(), self._read_upto[bucket].passed + len(entries))
                if len(entries) == share:
                    # It may have more. The others have less than their share.
                    buckets.append(bucket)
            block_ms = 0
        return found

    def _find_places(self) -> dict[str, Place]:
        """Where the group stands in each bucket."""
        groups = self._groups()
        if None in groups:
            self.ensure()
            groups = self._groups()
        return {
            bucket: self._find_place(feed_key(bucket), group)
            for bucket, group in zip(BUCKETS, groups, strict=True)
            if group is not None
        }

    def _find_place(self, feed: str, group: dict[str, Any]) -> Place:
        id, passed = group["last-delivered-id"].decode(), group["entries-read"]
        if group["pending"]:
            # An earlier release had the server deliver entries, and died before it had handled these.
            id, passed = _before(ask(self._client, "XPENDING", feed, GROUP)["min"].decode()), None
            ask_all(self._client, [("XGROUP DESTROY", feed, GROUP), ("XGROUP CREATE", feed, GROUP, id)])
        if passed is None:
            added = ask(self._client, "XINFO STREAM", feed)["entries-added"]
            passed = int(added) - len(ask(self._client, "XRANGE", feed, f"({id}", "+"))
        return Place(id, int(passed))


def _find_ours(groups: Any) -> dict[str, Any] | None:
    if isinstance(groups, ResponseError) and str(groups).startswith("no such key"):
        return None
    if isinstance(groups, RedisError):
        raise translate(groups) from groups
    return next((group for group in groups if group["name"] == GROUP.encode()), None)


def _before(id: str) -> str:
    """The id just before this one."""
    ms, sequence = map(int, id.split("-"))
    return f"{ms}-{sequence - 1}" if sequence else f"{ms - 1}-{2**64 - 1}"
