"""The port of the event store: what the in-memory twin and the Redis adapter both do.

StoreError
├── StoreUnavailable        store/unavailable   no answer in time; the same append may safely be sent again
├── WrongType               store/wrong-type    a key of ours holds something else
├── BadPosition             store/bad-position  a position that no tail gave
└── UnsupportedServer       store/unsupported   the server is older than what we rely on
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Protocol

from plyscribe.domain.chain import StoredEvent

STREAMS_AT_ONCE = 64


class StoreError(Exception):
    """The store cannot do what was asked."""

    code = "store/error"


class StoreUnavailable(StoreError):
    """The store gave no answer; whether a write was stored is not known, and sending it again is safe."""

    code = "store/unavailable"


class WrongType(StoreError):
    """A key of ours holds a value of another type; nothing was written."""

    code = "store/wrong-type"


class BadPosition(StoreError):
    """A position of the feed that no `tail` of this store gave."""

    code = "store/bad-position"


class UnsupportedServer(StoreError):
    """The server is older than what the store relies on; the message names the oldest that will do."""

    code = "store/unsupported"


class CommandKey(NamedTuple):
    """What the store remembers a command by: 16 bytes of id, 8 bytes of digest of the request."""

    id: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """The events were stored now, as versions first..last."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Seen:
    """The same command was stored before, as versions first..last."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Reused:
    """The command id is known from a request with another digest."""


@dataclass(frozen=True, slots=True)
class Stale:
    """The stream stands at version `have`; `entries` follow the expected version, at most 256 of them.

    They are empty when the stream is behind that version: what the writer believes was never stored, or got lost.
    """

    have: int
    entries: list[StoredEvent]


@dataclass(frozen=True, slots=True)
class Forked:
    """The stream stands at the expected version, `have`, with another head than the expected one."""

    have: int


Appended = Stored | Seen | Reused | Stale | Forked
"""How an append came out. No tuples: those of different kinds would be equal, and Reused false."""


class Loaded(NamedTuple):
    """What is known of the command (None: nothing), and the entries after the version asked for, in order."""

    command: Seen | Reused | None
    entries: list[StoredEvent]


class Append(NamedTuple):
    """What is asked of the store by one append."""

    stream: str
    expected_version: int
    expected_head: bytes
    events: Sequence[StoredEvent]
    types: Sequence[str]
    command: CommandKey


class FeedEntry(NamedTuple):
    """One append as the feed tells of it: versions first..last of `stream`, with the types of these events."""

    stream: str
    first: int
    last: int
    types: tuple[str, ...]


class Tail(NamedTuple):
    """Feed entries after a position, ordered within a bucket, and the position after them."""

    position: str
    entries: list[FeedEntry]


class Stretch(NamedTuple):
    """The entries of a stream after one version, up to another (None: to the newest)."""

    stream: str
    after: int = 0
    upto: int | None = None


class EventStore(Protocol):
    """Streams of events, appended under an expected version and head; every append is one atomic step."""

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """Store `events` (numbered from expected_version + 1) after exactly the expected head, or say why not.

        `expected_head` is b"" at version 0. Checks stand in this order: command seen, version, head. Nothing is
        written unless the answer is Stored; with StoreUnavailable it is unknown. ValueError without events, or
        when they are numbered otherwise.
        """
        ...

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """As `append` for each, in their order and in one round trip; each is an atomic step of its own.

        Where it raises, it is unknown which of them were written.
        """
        ...

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """Entries after version `after` (at most `limit`), and what is known of `command`, in one round trip."""
        ...

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """The entries of each of these stretches, in their order, in one round trip."""
        ...

    def tail(self, position: str = "", limit: int = 256, block_ms: int = 0) -> Tail:
        """At most about `limit` feed entries after an opaque position; "" stands before the first.

        Waits at most `block_ms` for one. No entries: none are left. BadPosition where `position` is none.
        """
        ...

    def feed_end(self) -> str:
        """The position after the newest feed entry."""
        ...

    def streams(self, after: str = "", limit: int = 1000) -> list[str]:
        """Ids of stored streams after `after`, sorted by bucket and id; an empty list ends the listing."""
        ...

    def newest(self, streams: Sequence[str]) -> list[StoredEvent | None]:
        """The newest entry of each of these streams, None where there is none, in their order, in one round trip."""
        ...

    def describe(self) -> dict[str, str]:
        """What the store is (`store`) and what its success is worth (`durability`: always, everysec, unknown).

        StoreUnavailable when it does not answer.
        """
        ...


BUCKETS = tuple(f"{number:02x}" for number in range(64))
"""All buckets, in order."""


def bucket_of(stream: str) -> str:
    """The bucket of a stream, two hex digits, fixed for the life of a store."""
    return BUCKETS[int.from_bytes(sha256(stream.encode()).digest()[:4], "big") % 64]


def require_sequence(expected_version: int, events: Sequence[StoredEvent]) -> None:
    """ValueError unless there are events, numbered from expected_version + 1."""
    if not events or events[0].version != expected_version + 1 or events[-1].version != expected_version + len(events):
        raise ValueError(f"the events to append are not numbered from {expected_version + 1}")


def chunk_streams(store: EventStore, kinds: Sequence[str]) -> Iterator[list[str]]:
    """All streams of these kinds, some at a time, in the order of their buckets."""
    after = ""
    while page := store.streams(after):
        after = page[-1]
        streams = [stream for stream in page if stream.partition("-")[0] in kinds]
        for start in range(0, len(streams), STREAMS_AT_ONCE):
            yield streams[start : start + STREAMS_AT_ONCE]
