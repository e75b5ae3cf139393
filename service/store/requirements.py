"""What a server must be so that it can hold our data: one list of checks, for the start of a process and the doctor.

Everything but the mark of the layout only reads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from redis import Redis
from redis.exceptions import RedisError

from plyscribe.service.store.cluster import Client, Share
from plyscribe.service.store.layouts import (
    LAYOUT_KEY,
    NEWEST_LAYOUT,
    OLDEST_LAYOUT,
    is_readable,
    mark_layout,
    parse_layout,
)
from plyscribe.service.store.port import BUCKETS, StoreDenied, StoreError, StoreUnavailable, UnsupportedServer
from plyscribe.service.store.redis import connect_client, connect_queues
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.store.redis_keys import bucket_of_key
from plyscribe.service.store.redis_server import (
    OLDEST,
    Durability,
    Engine,
    Script,
    engine_of,
    judge_durability,
    list_shares,
    try_all,
)

_S, _E = "{00}:x", "1-0"
STORE_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("XADD", _S, "*", "e", "1"),
    ("XRANGE", _S, "-", "+"),
    ("XREVRANGE", _S, "+", "-"),
    ("XREAD", "STREAMS", _S, _E),
    ("XLEN", _S),
    ("XTRIM", _S, "MINID", _E),
    ("XGROUP", "CREATE", _S, "g", _E, "MKSTREAM"),
    ("XGROUP", "SETID", _S, "g", _E),
    ("XGROUP", "DESTROY", _S, "g"),
    ("XINFO", "GROUPS", _S),
    ("XINFO", "STREAM", _S),
    ("XPENDING", _S, "g"),
    ("HGET", _S, "f"),
    ("HGETALL", _S),
    ("HMGET", _S, "f"),
    ("HSET", _S, "f", "1"),
    ("HDEL", _S, "f"),
    ("HINCRBY", _S, "f", "1"),
    ("HSETNX", _S, "f", "1"),
    ("HKEYS", _S),
    ("HVALS", _S),
    ("HLEN", _S),
    ("PTTL", _S),
    ("ZADD", _S, "1", "m"),
    ("ZREM", _S, "m"),
    ("ZREMRANGEBYRANK", _S, "0", "1"),
    ("ZREMRANGEBYSCORE", _S, "0", "1"),
    ("ZSCORE", _S, "m"),
    ("ZCARD", _S),
    ("ZRANGE", _S, "0", "1"),
    ("ZRANGEBYSCORE", _S, "0", "1"),
    ("ZRANGEBYLEX", _S, "-", "+"),
    ("SADD", _S, "m"),
    ("SREM", _S, "m"),
    ("SCARD", _S),
    ("SMEMBERS", _S),
    ("GET", _S),
    ("SET", _S, "1"),
    ("GETSET", _S, "1"),
    ("EXISTS", _S),
    ("PEXPIRE", _S, "1"),
    ("PERSIST", _S),
    ("RENAME", _S, _S),
    ("UNLINK", _S),
    ("TIME",),
    ("MULTI",),
    ("EXEC",),
)
"""The commands that we send to a store, also those in scripts, each with arguments that suit it."""

_Q = "rq:x"
QUEUE_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("RPUSH", _Q, "j"),
    ("LPUSH", _Q, "j"),
    ("LREM", _Q, "1", "j"),
    ("LLEN", _Q),
    ("LRANGE", _Q, "0", "1"),
    ("LINDEX", _Q, "0"),
    ("LMOVE", _Q, _Q, "LEFT", "RIGHT"),
    ("BLMOVE", _Q, _Q, "LEFT", "RIGHT", "1"),
    ("HSET", _Q, "f", "1"),
    ("HGET", _Q, "f"),
    ("HGETALL", _Q),
    ("HINCRBY", _Q, "f", "1"),
    ("EXPIRE", _Q, "1"),
    ("PERSIST", _Q),
    ("DEL", _Q),
    ("SADD", _Q, "m"),
    ("SREM", _Q, "m"),
    ("SMEMBERS", _Q),
    ("ZADD", _Q, "1", "m"),
    ("ZREM", _Q, "m"),
    ("ZRANGE", _Q, "0", "1"),
    ("ZRANGEBYSCORE", _Q, "0", "1"),
    ("ZREMRANGEBYSCORE", _Q, "0", "1"),
    ("XADD", _Q, "*", "e", "1"),
    ("SET", _Q, "1"),
    ("GET", _Q),
    ("EXISTS", _Q),
    ("MULTI",),
    ("EXEC",),
    ("WATCH", _Q),
    ("SUBSCRIBE", "rq:pubsub:x"),
)
"""The main commands that rq sends to the server of the queues."""


class Report(NamedTuple):
    """What a server says of itself. Without the right to ask for INFO or settings, these are empty."""

    info: Mapping[str, Any]
    settings: Mapping[str, str]
    layout: bytes | None
    write_error: StoreError | None
    """Why the server takes no writes now; None if it does."""

    node: str = ""
    """The address of the server in a cluster; empty if it is the only one."""

    @property
    def engine(self) -> Engine | None:
        """The engine; None if the server does not say."""
        return engine_of(self.info)

    @property
    def replicas(self) -> int | None:
        """How many replicas follow the server; None if it does not say."""
        return int(self.info["connected_slaves"]) if "connected_slaves" in self.info else None

    @property
    def durability(self) -> Durability:
        """See EventStore.describe."""
        return judge_durability(self.settings, self.info)

    @property
    def memory_percent(self) -> int | None:
        """How much of the memory that it may use the server uses; None without a limit or an answer."""
        limit = int(self.info.get("maxmemory", 0))
        # What the engine itself leaves out of account does not make a store full.
        used = int(self.info.get("used_memory", 0)) - int(self.info.get("mem_not_counted_for_evict", 0))
        return 100 * used // limit if limit else None

    @property
    def mode(self) -> str:
        """`standalone`, `cluster` or `sentinel`; empty if the server does not say."""
        return str(self.info.get("redis_mode") or self.info.get("server_mode") or "")


class Obstacle(NamedTuple):
    """Why a server cannot serve us, and what to do about it."""

    topic: str
    text: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.text}: {self.remedy}"


SECTIONS = ("server", "replication", "memory", "persistence", "cluster")


def read_reports(client: Client) -> list[Report]:
    """What each server that holds a part of the store says of itself; see `read_report`."""
    return [_read_share(share) for share in list_shares(client)]


def read_report(client: Redis) -> Report:
    """What the server says of itself, in one round trip.

    StoreUnavailable if it does not answer, StoreDenied if it refuses our password, UnsupportedServer if it is none.
    """
    return _read_share(Share(client, "", BUCKETS))


def _read_share(share: Share) -> Report:
    # A node of a cluster answers for its own keys alone.
    layout_key = LAYOUT_KEY if bucket_of_key(LAYOUT_KEY.encode()) in share.buckets else _probe(share)
    names = "appendonly", "appendfsync", "maxmemory-policy"
    # The write is accepted only if others are, and writes nothing: there is no such key.
    written = "SET", _probe(share), "1", "XX"
    info, settings, layout, refused = try_all(
        share.client, [("INFO", *SECTIONS), ("CONFIG GET", *names), ("GET", layout_key), written]
    )
    return Report(
        info if isinstance(info, dict) else {},
        settings if isinstance(settings, dict) else {},
        layout if isinstance(layout, bytes) else None,
        translate(refused) if isinstance(refused, RedisError) else None,
        share.name,
    )


def _probe(share: Share) -> str:
    return f"{{{share.buckets[0]}}}:probe"


def find_obstacles(report: Report) -> Iterator[Obstacle]:
    """Why this server cannot be the store, as far as its report says; empty if it can."""
    for check in (_check_mode, _check_age, _check_role, _check_eviction, _check_layout):
        yield from check(report)


def find_queue_obstacles(report: Report) -> Iterator[Obstacle]:
    """As `find_obstacles`, for the server of the queues. It may evict: the relay finds jobs that were lost."""
    for check in (_check_mode, _check_role):
        yield from check(report)


def _check_mode(report: Report) -> Iterator[Obstacle]:
    if report.mode == "sentinel":
        remedy = "write redis+sentinel://host:port/NAME, or name the port of the server that it watches"
        yield Obstacle("mode", "this is a Sentinel, which holds no data", remedy)
    elif report.mode == "cluster" and not report.node:
        remedy = "for the store, name the cluster, as redis+cluster://host:port; the queues need one server by itself"
        yield Obstacle("mode", "this server is a node of a cluster", remedy)


def _check_age(report: Report) -> Iterator[Obstacle]:
    engine = report.engine
    if engine is not None and engine.version < OLDEST[engine.name]:
        yield Obstacle("age", f"this is {engine}", "Plyscribe needs Redis 7.0, Valkey 7.2 or newer")


def _check_role(report: Report) -> Iterator[Obstacle]:
    if report.info.get("role") == "slave":
        where = f"{report.info.get('master_host', 'unknown')} port {report.info.get('master_port', 'unknown')}"
        yield Obstacle("role", "this server is a replica, which takes no writes", f"name its primary, {where}")


def _check_eviction(report: Report) -> Iterator[Obstacle]:
    policy = report.settings.get("maxmemory-policy") or report.info.get("maxmemory_policy") or "noeviction"
    if policy != "noeviction":
        remedy = "set maxmemory-policy noeviction: any other policy deletes data when memory runs out"
        yield Obstacle("memory", f"maxmemory-policy {policy}", remedy)


def _check_layout(report: Report) -> Iterator[Obstacle]:
    layout = parse_layout(report.layout)
    if not is_readable(layout):
        age = "a newer" if layout is not None and layout > NEWEST_LAYOUT else "another"
        has = (report.layout or b"")[:20].decode(errors="replace")
        reads = f"{OLDEST_LAYOUT} to {NEWEST_LAYOUT}" if OLDEST_LAYOUT < NEWEST_LAYOUT else NEWEST_LAYOUT
        text = f"{age} release of Plyscribe wrote this store: its data has layout {has!r}, and this one reads {reads}"
        yield Obstacle("layout", text, "install the release that wrote it, or name another store")


def find_forbidden(client: Redis, commands: Sequence[Sequence[str]]) -> list[str]:
    """Which of these commands the account may not send. Sends none of them.

    StoreDenied if it may not call scripts. Empty if the server cannot tell.
    """
    try:
        places = Script(client, "needed_rights.lua")(0, [orjson.dumps(commands)])
    except StoreUnavailable:
        raise
    except StoreError:
        return []
    return [_name_of(commands[place - 1]) for place in places]


def _name_of(command: Sequence[str]) -> str:
    return " ".join(command[: 2 if command[0] in ("XGROUP", "XINFO") else 1])


def _check_rights(client: Redis, commands: Sequence[Sequence[str]]) -> Iterator[Obstacle]:
    try:
        forbidden = find_forbidden(client, commands)
    except StoreDenied:
        yield Obstacle("rights", "this account may not call scripts", "allow it EVALSHA and SCRIPT LOAD (ACL SETUSER)")
        return
    if forbidden:
        yield Obstacle("rights", f"this account may not send {', '.join(forbidden)}", "allow it these (ACL SETUSER)")


def examine_store_server(client: Client) -> list[Obstacle]:
    """Why the servers cannot be the store; empty if they can. StoreUnavailable if one does not answer now."""
    try:
        shares = list_shares(client)
    except StoreDenied as error:
        return [_denied("REDIS_URL", error)]
    found = [each for share in shares for each in _examine(share, find_obstacles, STORE_COMMANDS, "REDIS_URL")]
    return list(dict.fromkeys(found))


def examine_queue_server(client: Redis) -> list[Obstacle]:
    """As `examine_store_server`, for the server of the queues."""
    return _examine(Share(client, "", BUCKETS), find_queue_obstacles, QUEUE_COMMANDS, "RQ_REDIS_URL")


def _denied(setting: str, error: StoreDenied) -> Obstacle:
    return Obstacle("password", str(error), f"correct the user and the password in {setting}")


def _examine(
    share: Share, find: Callable[[Report], Iterator[Obstacle]], commands: Sequence[Sequence[str]], setting: str
) -> list[Obstacle]:
    try:
        found = list(find(_read_share(share)))
        # A Sentinel has no commands, and a replica no use for them.
        return found or list(_check_rights(share.client, commands))
    except StoreDenied as error:
        return [_denied(setting, error)]
    except UnsupportedServer as error:
        return [Obstacle("server", str(error), f"correct {setting}: it must name Redis 7.0, Valkey 7.2 or newer")]


def require_store(client: Client) -> None:
    """UnsupportedServer, with what to do, unless the server can be the store. StoreUnavailable: no answer."""
    _require("the store", "REDIS_URL", examine_store_server(client))


def require_queues(client: Redis) -> None:
    """UnsupportedServer, with what to do, unless the server can hold the queues. StoreUnavailable: no answer."""
    _require("the queues' server", "RQ_REDIS_URL", examine_queue_server(client))


def require_store_at(url: str, mark: bool = False) -> None:
    """As `require_store`. With `mark`, a store without a note of its layout gets one, for later releases."""
    with connect_client(url) as client:
        require_store(client)
        if mark:
            mark_layout(client)


def require_queues_at(url: str) -> None:
    """See `require_queues`."""
    with connect_queues(url) as client:
        require_queues(client)


def _require(what: str, setting: str, obstacles: Sequence[Obstacle]) -> None:
    if obstacles:
        raise UnsupportedServer(f"{what} cannot be used ({setting}): {'; '.join(map(str, obstacles))}")
