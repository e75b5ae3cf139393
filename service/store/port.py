"""The port of the event store: what the Redis adapter and its in-memory twin both do.

StoreError
├── StoreUnavailable        store/unavailable   no answer in time; sending the same append again is safe
│   ├── StoreReadOnly       store/read-only     the server is a replica, perhaps until a failover has ended
│   ├── StoreFull           store/full          the server has no memory left
│   ├── StoreCannotWrite    store/cannot-write  the server's disk fails, or too few replicas follow it
│   └── StoreDenied         store/denied        the server refuses our password, or forbids us a command
├── WrongType               store/wrong-type    a key holds a value of another type
├── BadPosition             store/bad-position  a position that `tail` never returned
└── UnsupportedServer       store/unsupported   the server cannot hold our data: too old, a cluster, no Redis at all
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Protocol

from plyscribe.domain.chain import StoredEvent

STREAMS_AT_ONCE = 64

BUCKETS = tuple(f"{number:02x}" for number in range(64))
"""All buckets, in order."""


class StoreError(Exception):
    """The store cannot do what it was asked to do."""

    code = "store/error"


class StoreUnavailable(StoreError):
    """The store did not answer. A write may or may not have been stored; sending it again is safe."""

    code = "store/unavailable"
    passes_soon = True
    """Whether it is worth asking again after a moment. Otherwise a person has to do something first."""


class StoreReadOnly(StoreUnavailable):
    """The server is a replica and takes no writes. Nothing was written."""

    code = "store/read-only"


class StoreFull(StoreUnavailable):
    """The server uses all the memory that it may. Nothing was written."""

    code = "store/full"
    passes_soon = False


class StoreCannotWrite(StoreUnavailable):
    """The server takes no writes, because its disk fails or too few replicas follow it. Nothing was written."""

    code = "store/cannot-write"
    passes_soon = False


class StoreDenied(StoreUnavailable):
    """The server refuses our password, or forbids this account a command."""

    code = "store/denied"
    passes_soon = False


class WrongType(StoreError):
    """A key holds a value of another type than expected. Nothing was written."""

    code = "store/wrong-type"


class BadPosition(StoreError):
    """A feed position that `tail` of this store never returned."""

    code = "store/bad-position"


class UnsupportedServer(StoreError):
    """The server cannot hold our data; the message says why and what to do."""

    code = "store/unsupported"


class UpgradeUnfinished(StoreError):
    """Processes of an earlier release may be at work, which could not read the events. Nothing was stored."""

    code = "upgrade/unfinished"


class CommandKey(NamedTuple):
    """Identifies a command in the store: an id of 16 bytes, and 8 bytes of the digest of its request."""

    id: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """The events are now stored, as versions first..last."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Seen:
    """The same command was stored before, as versions first..last."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Reused:
    """The command id was stored before, from a request with another digest."""


@dataclass(frozen=True, slots=True)
class Stale:
    """The stream is at version `have`. `entries` are those after the expected version, at most 256.

    They are empty if the stream is behind the expected version: the writer's state was never stored, or was lost.
    """

    have: int
    entries: list[StoredEvent]


@dataclass(frozen=True, slots=True)
class Forked:
    """The stream is at the expected version, `have`, but its head is not the expected one."""

    have: int


@dataclass(frozen=True, slots=True)
class Sealed:
    """The stream is sealed: its events lie in the archive, at this place."""

    place: bytes


Appended = Stored | Seen | Reused | Stale | Forked | Sealed
"""The result of an append. Not tuples: tuples of different kinds could be equal, and Reused would be false."""


class Loaded(NamedTuple):
    """What the store remembers of the command (None: nothing), and the entries after the given version, in order."""

    command: Seen | Reused | None
    entries: list[StoredEvent]
    place: bytes | None = None
    """Where the stream is if it is sealed; then the store has no entries and remembers no command."""


class Remembered(NamedTuple):
    """A command that the store remembers, with the versions first..last that it was stored as."""

    command: CommandKey
    first: int
    last: int


class Sealing(NamedTuple):
    """A stream to be replaced by its place in the archive, as it was when it was written there."""

    stream: str
    version: int
    head: bytes
    commands: int
    """How many commands were remembered."""

    place: bytes


class Moved(NamedTuple):
    """A sealed stream whose place has changed; without a new place the stream is gone for good."""

    stream: str
    old: bytes
    new: bytes | None


class Append(NamedTuple):
    """The arguments of one append."""

    stream: str
    expected_version: int
    expected_head: bytes
    events: Sequence[StoredEvent]
    types: Sequence[str]
    command: CommandKey


class FeedEntry(NamedTuple):
    """One append in the feed: versions first..last of `stream`, with the types of these events."""

    stream: str
    first: int
    last: int
    types: tuple[str, ...]


class Place(NamedTuple):
    """A place in the feed of a bucket."""

    id: str
    """The last entry before it."""

    passed: int
    """How many entries the server has added up to it, as it counts them."""

    @property
    def order(self) -> tuple[int, int]:
        """What the places of a bucket are ordered by."""
        ms, _, number = self.id.partition("-")
        return int(ms), int(number)


class Piece(NamedTuple):
    """The entries of a bucket's feed from one place to another."""

    before: Place
    after: Place
    entries: Sequence[FeedEntry]


class Tail(NamedTuple):
    """Feed entries after a position, ordered within a bucket, and the position after them."""

    position: str
    entries: list[FeedEntry]


class Stretch(NamedTuple):
    """The entries of a stream after one version, up to another (None: up to the newest)."""

    stream: str
    after: int = 0
    upto: int | None = None


class EventStore(Protocol):
    """Streams of events. Every append names the expected version and head and is one atomic step."""

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """Store `events`, numbered from expected_version + 1, directly after the expected head; else say why not.

        `expected_head` is b"" at version 0. The order of the checks: command seen, sealed, version, head. Nothing is
        written unless the result is Stored; after StoreUnavailable that is unknown. ValueError if there are no events
        or their numbers are wrong.
        """
        ...

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """Append each, in order and in one round trip. Each append is atomic, but not all of them together.

        If this raises, it is unknown which were written.
        """
        ...

    def condense(self, stream: str, version: int, head: bytes, entry: StoredEvent, type: str) -> bool:
        """Replace all events of a stream by this one, of version 1; False unless it is at the given version and head.

        Atomic. What is remembered of the commands on the stream stays. A store loses events in this way only, so that
        nobody can fill it with what is worth nothing, and by `seal`, after they were archived. It also works when the
        store is full.
        """
        ...

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """Entries after version `after`, at most `limit`, and what is remembered of `command`, in one round trip."""
        ...

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """The entries of each stretch, in the given order, in one round trip."""
        ...

    def tail(self, position: str = "", limit: int = 256, block_ms: int = 0, buckets: Collection[str] = BUCKETS) -> Tail:
        """About `limit` feed entries of these buckets at most after an opaque position; "" is before the first entry.

        Waits up to `block_ms` for an entry. An empty result means that there are no more. The position after them holds
        for these buckets, or some of them, and for no others. BadPosition if `position` is not one.
        """
        ...

    def feed_end(self, buckets: Collection[str] = BUCKETS) -> str:
        """The position after the newest feed entry of these buckets; it holds for these, or some of them."""
        ...

    def streams(self, after: str = "", limit: int = 1000) -> list[str]:
        """Ids of streams that are not sealed, after the id `after`, sorted by bucket and id; empty at the end."""
        ...

    def newest(self, streams: Sequence[str]) -> list[StoredEvent | None]:
        """The newest entry of each stream (None: no entries), in the given order, in one round trip."""
        ...

    def commands(self, streams: Sequence[str]) -> list[list[Remembered]]:
        """All commands that are remembered of each stream, ordered by version, in one round trip."""
        ...

    def find_commands(self, stream: str, ids: Sequence[bytes]) -> list[Remembered]:
        """Those of these commands that are remembered of the stream, ordered by version, in one round trip."""
        ...

    def seal(self, sealings: Sequence[Sealing]) -> list[bool]:
        """Replace each stream by its place, with the commands remembered of it, in one round trip.

        False, and nothing written, unless the stream is at the given version and head and exactly so many commands are
        remembered. Each is atomic, but not all of them together: if this raises, it is unknown which were sealed. It
        also works when the store is full.
        """
        ...

    def unseal(
        self, stream: str, place: bytes | None, entries: Sequence[StoredEvent], commands: Sequence[Remembered]
    ) -> bool:
        """Put a sealed stream back, with its commands; False, and nothing written, unless it is sealed at this place.

        Without a place, put back a stream that the store lacks. Atomic, and it leaves no feed entry. After
        StoreUnavailable it is unknown whether the stream is back; the same call again is safe. ValueError if the
        entries are not numbered from 1, or two commands have the same id.
        """
        ...

    def move(self, moves: Sequence[Moved]) -> list[bool]:
        """Change the place of each sealed stream, in one round trip; False unless it is sealed at the old place.

        Each is atomic, but not all of them together. It also works when the store is full.
        """
        ...

    def adopt(self, streams: Sequence[tuple[str, bytes]]) -> list[bool]:
        """Seal each stream at its place, in one round trip; False if the store has events of it, or its place, already.

        Each is atomic, but not all of them together. It leaves no feed entries.
        """
        ...

    def places(self, streams: Sequence[str]) -> list[bytes | None]:
        """The place of each stream (None: it is not sealed), in the given order, in one round trip."""
        ...

    def sealed(self, after: str = "", limit: int = 1000) -> list[tuple[str, bytes]]:
        """Ids of sealed streams after the id `after`, with places, sorted by bucket and id; empty at the end."""
        ...

    def announce(self, entries: Sequence[FeedEntry]) -> None:
        """Add entries to the feed for things that are not streams, in one round trip.

        Each goes to the bucket of its name. If this raises, it is unknown which were added.
        """
        ...

    def describe(self) -> dict[str, str]:
        """The engine (`store`) and what a success is worth (`durability`: always, everysec, unknown).

        With replicas that no answer waits for the durability is unknown, because any failover may lose the newest
        moves. StoreUnavailable if the store does not answer.
        """
        ...


def bucket_of(stream: str) -> str:
    """The bucket of a stream: two hex digits that never change."""
    return BUCKETS[int.from_bytes(sha256(stream.encode()).digest()[:4], "big") % 64]


def require_sequence(expected_version: int, events: Sequence[StoredEvent]) -> None:
    """ValueError unless there are events, numbered from expected_version + 1."""
    if not events or events[0].version != expected_version + 1 or events[-1].version != expected_version + len(events):
        raise ValueError(f"the events to append are not numbered from {expected_version + 1}")


def require_distinct(commands: Sequence[Remembered]) -> None:
    """ValueError if two of the commands have the same id."""
    if len({each.command.id for each in commands}) < len(commands):
        raise ValueError("two of the commands have the same id")
