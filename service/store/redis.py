"""The event store on a Redis or Valkey server: each append is one script call.

Nothing here sends a write twice. After StoreUnavailable the caller may: the command id makes a repeated append
harmless.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha1
from importlib.resources import files
from itertools import islice
from operator import itemgetter
from secrets import token_hex
from typing import Any, Final, Literal, NamedTuple

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse, NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.store.port import (
    BUCKETS,
    Append,
    Appended,
    BadPosition,
    CommandKey,
    FeedEntry,
    Forked,
    Loaded,
    Moved,
    Remembered,
    Reused,
    Sealed,
    Sealing,
    Seen,
    Stale,
    StoreCannotWrite,
    Stored,
    StoreDenied,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    Stretch,
    Tail,
    UnsupportedServer,
    WrongType,
    bucket_of,
    require_distinct,
    require_sequence,
)
from plyscribe.service.store.sealed_ids import pack_id, unpack_id
from plyscribe.service.store.wire import Wire

TIMEOUT_S = 3.0
"""How long to wait for an answer."""

OLDEST: Final = {"redis": (7, 0), "valkey": (7, 2)}
"""The oldest supported version of each engine."""

UNSEALED_AT_ONCE = 500
"""How many events and commands of a stream are put back in one step, which takes a few milliseconds."""

UNSEALING_LASTS_MS = 60_000
"""How long the parts of a stream that is being put back stay after the last of them came."""

BEGINNINGS_AT_ONCE = 64
"""How many hashes of places are read in one round trip."""

START = "0-0"
"""An id before every entry."""

Durability = Literal["always", "everysec", "unknown"]


def connect(url: str, timeout_s: float = TIMEOUT_S) -> "RedisStore":
    """The store at a redis://, rediss:// or unix:// URL. Connects when it is first used."""
    return RedisStore(connect_client(url, timeout_s))


def connect_client(url: str, timeout_s: float | None = TIMEOUT_S) -> Redis:
    """A client that returns bytes and sends every command only once. With None it waits for answers without limit."""
    try:
        return Redis.from_url(
            url,
            # By default redis-py repeats a command whose answer is late. A repeated append would meet its own events.
            retry=Retry(NoBackoff(), 0),
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s or TIMEOUT_S,
            decode_responses=False,
        )
    except ValueError as error:
        raise StoreError(f"the store's address cannot be read: {error}") from None


class RedisStore:
    """An EventStore on a Redis or Valkey server; safe to share between threads. The client must not retry."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._wire = Wire(client)
        self._append = WiredScript(client, "append.lua", self._wire)
        self._load = WiredScript(client, "load.lua", self._wire)
        self._condense = WiredScript(client, "condense.lua", self._wire)
        self._seal = WiredScript(client, "seal.lua", self._wire)
        self._unseal = WiredScript(client, "unseal.lua", self._wire)
        self._move = WiredScript(client, "move.lua", self._wire)
        self._adopt = WiredScript(client, "adopt.lua", self._wire)

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """See EventStore.append."""
        args = _append_args(stream, expected_version, expected_head, events, types, command)
        return _parse_appended(self._append(5, args))

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """See EventStore.append_all."""
        replies = self._append.call_all(5, [_append_args(*each) for each in appends])
        return [_parse_appended(reply) for reply in replies]

    def condense(self, stream: str, version: int, head: bytes, entry: StoredEvent, type: str) -> bool:
        """See EventStore.condense."""
        require_sequence(0, [entry])
        keys = _keys_of(stream)
        return bool(self._condense(2, [keys.events, keys.feed, version, head, stream, entry.e, entry.h, type]))

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """See EventStore.load."""
        keys = _keys_of(stream)
        if command is None:
            # A script takes twice as long for many entries, and a full server refuses a transaction that only reads.
            # The place is read twice, because a stream may be sealed or put back meanwhile.
            bound = () if limit is None else ("COUNT", limit)
            read, look = ("XRANGE", keys.events, f"{after + 1}-0", "+", *bound), ("HGET", keys.places, keys.field)
            before, found, place = _require_all(send_all(self._wire, [look, read, look]))
            if found or before is not None or place is not None:
                return Loaded(None, _parse_entries(found), None if found else before if place is None else place)
            # There is nothing, or it was sealed and put back meanwhile. One step knows; no command has this id.
            command = CommandKey(b"", b"")
        args = [keys.events, keys.commands, keys.places, *command, after, "" if limit is None else limit, keys.field]
        kind, first, last, entries, place = self._load(3, args)
        known = {b"none": None, b"seen": Seen(first, last), b"reused": Reused()}[kind]
        return Loaded(known, _parse_entries(entries), place)

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """See EventStore.load_all."""
        requests = [
            ("XRANGE", _keys_of(stream).events, f"{after + 1}-0", "+" if upto is None else f"{upto}-0")
            for stream, after, upto in stretches
        ]
        replies = send_all(self._wire, requests)
        return [_parse_entries(reply) for reply in _require_all(replies)]

    def tail(self, position: str = "", limit: int = 256, block_ms: int = 0, buckets: Collection[str] = BUCKETS) -> Tail:
        """See EventStore.tail. The client's timeout must be longer than `block_ms`."""
        ids = _parse_position(position)
        block = ("BLOCK", block_ms) if block_ms else ()
        entries: list[FeedEntry] = []
        behind: Collection[str] = buckets
        while behind and (room := limit - len(entries)) > 0:
            share = -(-room // len(behind))
            places = [feed_key(bucket) for bucket in behind], [ids.get(bucket, START) for bucket in behind]
            behind = []
            for key, found in ask(self._client, "XREAD", "COUNT", share, *block, "STREAMS", *places[0], *places[1]):
                bucket = bucket_of_key(key)
                entries += [parse_feed_entry(fields) for _, fields in found]
                ids[bucket] = found[-1][0].decode()
                if len(found) == share:
                    behind.append(bucket)
            block = ()
        return Tail(_format_position(ids) if entries else position, entries)

    def feed_end(self, buckets: Collection[str] = BUCKETS) -> str:
        """See EventStore.feed_end."""
        requests = [("XREVRANGE", feed_key(bucket), "+", "-", "COUNT", 1) for bucket in buckets]
        replies = zip(buckets, ask_all(self._client, requests), strict=True)
        ids = {bucket: found[0][0].decode() for bucket, found in replies if found}
        return _format_position(ids) if ids else ""

    def streams(self, after: str = "", limit: int = 1000) -> list[str]:
        """See EventStore.streams."""
        first = bucket_of(after) if after else BUCKETS[0]
        found: list[str] = []
        for bucket in BUCKETS[BUCKETS.index(first) :]:
            start = f"({after}" if after and bucket == first else "-"
            room = limit - len(found)
            members = ask(self._client, "ZRANGEBYLEX", f"{{{bucket}}}:streams", start, "+", "LIMIT", 0, room)
            found += [member.decode() for member in members]
            if len(found) >= limit:
                break
        return found

    def newest(self, streams: Sequence[str]) -> list[StoredEvent | None]:
        """See EventStore.newest."""
        requests = [("XREVRANGE", _keys_of(stream).events, "+", "-", "COUNT", 1) for stream in streams]
        return [_stored_event(*found[0]) if found else None for found in ask_all(self._client, requests)]

    def commands(self, streams: Sequence[str]) -> list[list[Remembered]]:
        """See EventStore.commands."""
        requests = [("HGETALL", _keys_of(stream).commands) for stream in streams]
        return [_parse_remembered(fields) for fields in ask_all(self._client, requests)]

    def find_commands(self, stream: str, ids: Sequence[bytes]) -> list[Remembered]:
        """See EventStore.find_commands."""
        if not ids:
            return []
        values = _require_all(send_all(self._wire, [("HMGET", _keys_of(stream).commands, *ids)]))[0]
        return _parse_remembered({id: value for id, value in zip(ids, values, strict=True) if value is not None})

    def seal(self, sealings: Sequence[Sealing]) -> list[bool]:
        """See EventStore.seal."""
        calls = []
        for stream, version, head, commands, place in sealings:
            keys = _keys_of(stream)
            places = keys.streams, keys.places, keys.beginnings
            args = stream, keys.beginning, keys.field, version, head, commands, place
            calls.append((keys.events, keys.commands, *places, *args))
        return [bool(reply) for reply in self._seal.call_all(5, calls)]

    def unseal(
        self, stream: str, place: bytes | None, entries: Sequence[StoredEvent], commands: Sequence[Remembered]
    ) -> bool:
        """See EventStore.unseal."""
        require_sequence(0, entries)
        require_distinct(commands)
        keys = _keys_of(stream)
        # The names are new, so another process that puts the same stream back does not meet these parts.
        parts = [f"{{{bucket_of(stream)}}}:unsealing:{token_hex(8)}:{kind}" for kind in ("ev", "cmd")]
        whole = keys.events, keys.commands, keys.streams, keys.places, keys.beginnings
        args = stream, keys.beginning, keys.field, place or b"", len(entries), len(commands)
        try:
            self._write_parts(parts, entries, commands)
            outcome = self._unseal(7, [*whole, *parts, *args])
        except StoreError:
            self._drop_parts(parts)
            raise
        if outcome == 1:
            return True
        self._drop_parts(parts)
        if outcome == 0:
            return False
        raise StoreUnavailable(f"the store took too long to put {stream} back")

    def _write_parts(
        self, parts: Sequence[str], entries: Sequence[StoredEvent], commands: Sequence[Remembered]
    ) -> None:
        # One script for all of a long stream would keep the server from everybody else for too long.
        events, remembered = parts
        lasting = [("PEXPIRE", key, UNSEALING_LASTS_MS) for key in parts]
        writes: list[tuple[Any, ...]] = [
            *(("XADD", events, f"{version}-0", "e", e, "h", h) for version, e, h in entries),
            *(("HSET", remembered, id, digest + b"%d-%d" % (first, last)) for (id, digest), first, last in commands),
        ]
        for start in range(0, len(writes), UNSEALED_AT_ONCE):
            run_together(self._wire, [*writes[start : start + UNSEALED_AT_ONCE], *lasting])

    def _drop_parts(self, parts: Sequence[str]) -> None:
        # They end by themselves too, but a server may be full.
        with suppress(StoreError):
            ask(self._client, "UNLINK", *parts)

    def move(self, moves: Sequence[Moved]) -> list[bool]:
        """See EventStore.move."""
        calls = []
        for stream, old, new in moves:
            keys = _keys_of(stream)
            places = [old] if new is None else [old, new]
            calls.append([keys.places, keys.beginnings, keys.beginning, keys.field, *places])
        return [bool(reply) for reply in self._move.call_all(2, calls)]

    def adopt(self, streams: Sequence[tuple[str, bytes]]) -> list[bool]:
        """See EventStore.adopt."""
        calls = []
        for stream, place in streams:
            keys = _keys_of(stream)
            calls.append((keys.events, keys.places, keys.beginnings, keys.beginning, keys.field, place))
        return [bool(reply) for reply in self._adopt.call_all(3, calls)]

    def places(self, streams: Sequence[str]) -> list[bytes | None]:
        """See EventStore.places."""
        keys = [_keys_of(stream) for stream in streams]
        return _require_all(send_all(self._wire, [("HGET", each.places, each.field) for each in keys]))

    def sealed(self, after: str = "", limit: int = 1000) -> list[tuple[str, bytes]]:
        """See EventStore.sealed."""
        return list(islice(self._walk_sealed(after), limit))

    def _walk_sealed(self, after: str) -> Iterator[tuple[str, bytes]]:
        first = bucket_of(after) if after else BUCKETS[0]
        for bucket in BUCKETS[BUCKETS.index(first) :]:
            behind = after if bucket == first else ""
            members = ask(self._client, "SMEMBERS", beginnings_key(bucket))
            beginnings = sorted(member.decode() for member in members)
            beginnings = beginnings[bisect_left(beginnings, pack_id(behind)[0]) :]
            for start in range(0, len(beginnings), BEGINNINGS_AT_ONCE):
                batch = beginnings[start : start + BEGINNINGS_AT_ONCE]
                hashes = ask_all(self._client, [("HGETALL", places_key(bucket, each)) for each in batch])
                for beginning, fields in zip(batch, hashes, strict=True):
                    found = sorted((unpack_id(beginning, field), place) for field, place in fields.items())
                    yield from (each for each in found if each[0] > behind)

    def announce(self, entries: Sequence[FeedEntry]) -> None:
        """See EventStore.announce."""
        requests = [
            ("XADD", feed_key(bucket_of(stream)), "*", "s", stream, "v", f"{first}-{last}", "t", " ".join(types))
            for stream, first, last, types in entries
        ]
        _require_all(send_all(self._wire, requests))

    def describe(self) -> dict[str, str]:
        """See EventStore.describe."""
        engine = read_engine(self._client)
        return {"store": str(engine) if engine else "unknown", "durability": durability(self._client)}

    def close(self) -> None:
        """Close all connections. The store opens new ones when it is used again."""
        self._wire.close()
        self._client.connection_pool.disconnect()


class Engine(NamedTuple):
    """The engine of a server: `redis` or `valkey`, and its version as numbers."""

    name: str
    version: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name} {'.'.join(map(str, self.version))}"

    def require_supported(self) -> None:
        """UnsupportedServer if the version is older than the oldest supported one."""
        if self.version < OLDEST[self.name]:
            raise UnsupportedServer(f"the store is {self}; Plyscribe needs Redis 7.0, Valkey 7.2 or newer")


def read_engine(client: Redis) -> Engine | None:
    """The engine that the server reports; None if it reports none."""
    [info] = try_all(client, [("INFO", "server")])
    _require_answers([info])
    return engine_of(info) if isinstance(info, dict) else None


def engine_of(info: Mapping[str, Any]) -> Engine | None:
    """The engine in a reply to INFO; None if it names none."""
    # Valkey also reports the version of Redis with which it is compatible.
    for name in ("valkey", "redis"):
        if version := info.get(f"{name}_version"):
            return Engine(name, tuple(int(part) for part in re.findall(r"\d+", str(version))[:3]))
    return None


def durability(client: Redis) -> Durability:
    """What a success of the server is worth: on disk (always), on disk within a second (everysec), or unknown."""
    settings, info = try_all(client, [("CONFIG GET", "appendonly", "appendfsync"), ("INFO", "replication")])
    _require_answers([settings, info])
    return judge_durability(settings if isinstance(settings, dict) else {}, info if isinstance(info, dict) else {})


def _require_answers(replies: Iterable[Any]) -> None:
    """StoreUnavailable unless the server answers. It may forbid us to ask, or not know the command."""
    for reply in replies:
        if isinstance(reply, RedisError) and code_of(reply) != "NOPERM":
            error = translate(reply)
            if isinstance(error, StoreUnavailable):
                raise error from reply


def judge_durability(settings: Mapping[str, str], info: Mapping[str, Any]) -> Durability:
    """As `durability`, from the server's settings and its INFO.

    With replicas it is unknown: a failover may lose the newest moves.
    """
    if settings.get("appendonly") != "yes" or int(info.get("connected_slaves", 0)):
        return "unknown"
    match settings.get("appendfsync"):
        case "always":
            return "always"
        case "everysec":
            return "everysec"
    return "unknown"


class Script:
    """A Lua script of this package, called by its digest and loaded into the server if need be."""

    def __init__(self, client: Redis, name: str, send: Callable[..., Any] | None = None) -> None:
        self._client = client
        self._send = send or client.execute_command
        self._source = files(__package__).joinpath(name).read_bytes()
        self._digest = sha1(self._source, usedforsecurity=False).hexdigest()

    def __call__(self, keys: int, args: Sequence[Any]) -> Any:
        """The script's reply. The first `keys` of `args` are keys. Raises the errors of `ask`."""
        try:
            try:
                return self._send("EVALSHA", self._digest, keys, *args)
            except NoScriptError:
                # The script did not run, so this does not repeat a write.
                self._install()
                return self._send("EVALSHA", self._digest, keys, *args)
        except RedisError as error:
            raise translate(error) from error

    def _install(self) -> None:
        # This runs before the first append to a server, so check its version here, once.
        if engine := read_engine(self._client):
            engine.require_supported()
        send(self._client, "SCRIPT LOAD", self._source)


class WiredScript(Script):
    """A script that is called over a Wire."""

    def __init__(self, client: Redis, name: str, wire: Wire) -> None:
        super().__init__(client, name, wire.send)
        self._wire = wire

    def call_all(self, keys: int, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """The replies to calls with these args, sent together. Raises the error of the first refused call, as `ask`.

        If it raises, some of the calls may have run.
        """
        commands = [("EVALSHA", self._digest, keys, *args) for args in calls]
        replies = send_all(self._wire, commands)
        unknown = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:
            # These did not run, so this does not repeat a write.
            self._install()
            for place, reply in zip(unknown, send_all(self._wire, [commands[n] for n in unknown]), strict=True):
                replies[place] = reply
        return _require_all(replies)


def send_all(wire: Wire, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """As `try_all`, over a Wire: the replies are those of the server, undecoded."""
    try:
        return wire.send_all(commands)
    except RedisError as error:
        raise translate(error) from error


def send(client: Redis, *command: Any) -> Any:
    """The server's reply to a command. Raises redis-py's errors."""
    return client.execute_command(*command)  # type: ignore[no-untyped-call]


def ask(client: Redis, *command: Any) -> Any:
    """The server's reply to a command. Raises the errors of the port."""
    try:
        return send(client, *command)
    except RedisError as error:
        raise translate(error) from error


def ask_all(client: Redis, commands: Iterable[Sequence[Any]]) -> list[Any]:
    """The replies to commands, in order, in one round trip. Raises the error of the first refused one, as `ask`."""
    return _require_all(try_all(client, commands))


def run_together(wire: Wire, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """The replies to commands that the server runs as one transaction, in one round trip.

    Raises the error of the first refused one, as `ask`. A server that is full then writes nothing.
    """
    replies = _require_all(send_all(wire, [("MULTI",), *commands, ("EXEC",)]))
    return _require_all(replies[-1])


def _require_all(replies: list[Any]) -> list[Any]:
    for reply in replies:
        if isinstance(reply, RedisError):
            raise translate(reply) from reply
    return replies


def try_all(client: Redis, commands: Iterable[Sequence[Any]]) -> list[Any]:
    """As `ask_all`, but a refusal is returned as redis-py's exception."""
    with client.pipeline(transaction=False) as pipeline:
        for command in commands:
            send(pipeline, *command)
        try:
            # If it raised them, it would put text of its own before the server's error code.
            replies: list[Any] = pipeline.execute(raise_on_error=False)
        except RedisError as error:
            raise translate(error) from error
        return replies


_TROUBLES: Final[dict[str, tuple[type[StoreError], str]]] = {
    "LOADING": (StoreUnavailable, "the store is loading its data"),
    "BUSY": (StoreUnavailable, "a script keeps the store busy"),
    "UNKILLABLE": (StoreUnavailable, "a script keeps the store busy"),
    "NOSCRIPT": (StoreUnavailable, "the store has just lost its scripts"),
    "CLUSTERDOWN": (StoreUnavailable, "the store's cluster is down"),
    "TRYAGAIN": (StoreUnavailable, "the store's cluster is moving keys"),
    "MASTERDOWN": (StoreReadOnly, "the store is a replica that has lost its primary"),
    "READONLY": (StoreReadOnly, "the store is a replica, which takes no writes"),
    "OOM": (StoreFull, "the store's memory is full"),
    "MISCONF": (StoreCannotWrite, "the store cannot write to its disk"),
    "NOREPLICAS": (StoreCannotWrite, "too few replicas follow the store"),
    "NOAUTH": (StoreDenied, "the store asks for a password"),
    "WRONGPASS": (StoreDenied, "the store refuses the password"),
    "NOPERM": (StoreDenied, "the store forbids us a command"),
    "MOVED": (UnsupportedServer, "the store is one node of a cluster"),
    "ASK": (UnsupportedServer, "the store is one node of a cluster"),
    "CROSSSLOT": (UnsupportedServer, "the store is one node of a cluster"),
    "WRONGTYPE": (WrongType, "a key in the store holds a value of another type"),
}
"""What an error reply means, by its first word."""

_CODE = re.compile(r"([A-Z]+) ")
_FORBIDDEN_IN_SCRIPT = re.compile(r"ACL failure in script|The user executing the script can't ")
"""How a server says NOPERM of a command in a script, 7.0 and later ones."""

_ABORTED = re.compile(r"Transaction discarded because of: ([A-Z]+) ")
"""How a server says why it does not run a transaction that it has taken."""


def code_of(error: RedisError) -> str:
    """The first word of the server's error reply; empty if the error is not a reply."""
    if _FORBIDDEN_IN_SCRIPT.search(str(error)):
        return "NOPERM"
    if aborted := _ABORTED.search(str(error)):
        return aborted[1]
    # redis-py cuts the first word off the text if it has a class for it.
    if code := error.status_code:
        return str(code)
    found = _CODE.match(str(error)) if isinstance(error, ResponseError) else None
    return found[1] if found else ""


def translate(error: RedisError) -> StoreError:
    """The port's error for an error of redis-py."""
    code, text = code_of(error), str(error)
    if code in _TROUBLES:
        kind, meaning = _TROUBLES[code]
        return kind(f"{meaning}: {text}")
    if isinstance(error, InvalidResponse):
        return UnsupportedServer(f"what answers is not a Redis or Valkey server: {text}")
    if isinstance(error, (RedisConnectionError, RedisTimeoutError)):
        return StoreUnavailable(f"the store does not answer: {text}")
    return StoreError(f"the store refuses the request: {text}")


class _Keys(NamedTuple):
    """Where the parts of a stream lie. If it is sealed, a field of the hash `places` says where it is."""

    events: bytes
    commands: bytes
    feed: bytes
    streams: bytes
    places: bytes
    beginnings: bytes
    beginning: bytes
    field: bytes


@lru_cache(maxsize=4096)
def _keys_of(stream: str) -> _Keys:
    bucket = bucket_of(stream)
    beginning, field = pack_id(stream)
    return _Keys(
        f"{{{bucket}}}:ev:{stream}".encode(),
        f"{{{bucket}}}:cmd:{stream}".encode(),
        feed_key(bucket).encode(),
        f"{{{bucket}}}:streams".encode(),
        places_key(bucket, beginning).encode(),
        beginnings_key(bucket).encode(),
        beginning.encode(),
        field,
    )


def places_key(bucket: str, beginning: str) -> str:
    """The key of the hash with the places of a bucket's sealed streams that begin so."""
    return f"{{{bucket}}}:sealed:{beginning}"


def beginnings_key(bucket: str) -> str:
    """The key of the set of beginnings that a bucket's sealed streams have."""
    return f"{{{bucket}}}:sealed"


def feed_key(bucket: str) -> str:
    """The key of a bucket's feed."""
    return f"{{{bucket}}}:feed"


def bucket_of_key(key: bytes) -> str:
    """The bucket of a key."""
    return key[1:3].decode()


def parse_feed_entry(fields: dict[bytes, bytes]) -> FeedEntry:
    """The feed entry in fields that a script has written."""
    first, _, last = fields[b"v"].partition(b"-")
    return FeedEntry(fields[b"s"].decode(), int(first), int(last), tuple(fields[b"t"].decode().split(" ")))


def _append_args(
    stream: str,
    expected_version: int,
    expected_head: bytes,
    events: Sequence[StoredEvent],
    types: Sequence[str],
    command: CommandKey,
) -> list[Any]:
    require_sequence(expected_version, events)
    keys = _keys_of(stream)
    args: list[Any] = [*keys[:5], *command, expected_version, expected_head, stream, " ".join(types), keys.field]
    for event in events:
        args += event[1:]
    return args


def _parse_appended(reply: Any) -> Appended:
    match reply[0]:
        case b"stored":
            return Stored(reply[1], reply[2])
        case b"seen":
            return Seen(reply[1], reply[2])
        case b"reused":
            return Reused()
        case b"stale":
            return Stale(reply[1], _parse_entries(reply[2]))
        case b"sealed":
            return Sealed(reply[1])
        case _:
            return Forked(reply[1])


def _parse_remembered(fields: Mapping[bytes, bytes]) -> list[Remembered]:
    found = []
    for id, value in fields.items():
        first, _, last = value[8:].partition(b"-")
        found.append(Remembered(CommandKey(id, value[:8]), int(first), int(last)))
    return sorted(found, key=itemgetter(1, 2, 0))


def _parse_entries(replies: Iterable[Any]) -> list[StoredEvent]:
    # Undecoded replies: the fields are a flat list, in the order in which they were written.
    # Calling StoredEvent(..) takes twice as long.
    return [tuple.__new__(StoredEvent, (int(id[:-2]), fields[1], fields[3])) for id, fields in replies]


def _stored_event(id: bytes, fields: dict[bytes, bytes]) -> StoredEvent:
    return StoredEvent(int(id[:-2]), fields[b"e"], fields[b"h"])


_POSITION = re.compile(r"[0-9a-f]{1,12}(\.[0-3][0-9a-f][0-9a-f]{1,12}:[0-9a-f]{1,16})+")


def _format_position(ids: dict[str, str]) -> str:
    """The newest time in hexadecimal; then, for each bucket, how much older its last entry is, and its number.

    The times of recent entries are close together, so 64 buckets take about 600 characters.
    """
    places = {bucket: tuple(map(int, id.split("-"))) for bucket, id in ids.items()}
    newest = max(ms for ms, _ in places.values())
    return ".".join([f"{newest:x}", *(f"{bucket}{newest - ms:x}:{n:x}" for bucket, (ms, n) in sorted(places.items()))])


def _parse_position(position: str) -> dict[str, str]:
    if not position:
        return {}
    if not _POSITION.fullmatch(position):
        raise BadPosition(f"{position[:80]!r} is not a position in the feed")
    newest, *places = position.split(".")
    ids = {}
    for place in places:
        age, _, number = place[2:].partition(":")
        ids[place[:2]] = f"{int(newest, 16) - int(age, 16)}-{int(number, 16)}"
    return ids
