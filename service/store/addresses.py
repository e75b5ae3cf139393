"""Addresses of a store: one server, the primary that Sentinels know, or a cluster; and clients of what they name.

    redis://[user:password@]host[:port][/DB]                            a server; rediss:// with TLS
    unix://[user:password@]/path                                        a server of this machine
    redis+sentinel://[user:password@]host[:port],…/NAME[/DB]            the primary that the Sentinels call NAME
    redis+cluster://[user:password@]host[:port],…                       a cluster

`valkey` and `valkeys` mean the same as `redis` and `rediss`. User and password are those of the servers;
`?sentinel_username=…&sentinel_password=…` are those of the Sentinels.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from redis import ConnectionPool, Redis, Sentinel
from redis.backoff import NoBackoff
from redis.connection import SSLConnection, parse_url
from redis.driver_info import DriverInfo
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, SentinelConnectionPool

from plyscribe.service.store.cluster import Client, Cluster
from plyscribe.service.store.port import StoreError

SENTINELS_WITHIN_S = 1.0
"""How long one Sentinel may take to answer. The next is asked then."""

_BASES: Final = {"redis": "redis", "valkey": "redis", "rediss": "rediss", "valkeys": "rediss", "unix": "unix"}
_PORTS: Final = {"server": 6379, "sentinel": 26379, "cluster": 6379}
_OF_SENTINELS = "sentinel_"
_NODE = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_DATABASE = re.compile(r"[0-9]{0,5}")
_DRIVER: Final = DriverInfo()
"""How connections introduce themselves. Otherwise each one reads the version of redis-py from the disk."""

_ALLOWED = "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// (valkey means the same as redis)"

Kind = Literal["server", "sentinel", "cluster"]
_KINDS: Final[dict[str, Kind]] = {"": "server", "sentinel": "sentinel", "cluster": "cluster"}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is. Its `repr` has no password."""

    kind: Kind
    nodes: tuple[tuple[str, int], ...]
    """Hosts and ports: of the server, of the Sentinels, or of some nodes of the cluster. Empty for a socket."""

    name: str = ""
    """What the Sentinels call the primary."""

    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The other arguments of redis-py's connections to the servers."""

    of_sentinels: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Those of the connections to the Sentinels."""


def parse_address(url: str) -> Address:
    """The address in a URL; StoreError, which names what is wrong and never the password."""
    scheme, mark, rest = url.partition("://")
    base, _, suffix = scheme.partition("+")
    kind = _KINDS.get(suffix)
    if not mark or kind is None or base not in _BASES or (base == "unix" and suffix):
        raise _unreadable(f"it must begin with {_ALLOWED}")
    base = _BASES[base]
    if base == "unix":
        return Address("server", (), options=_parse_options(f"unix://{rest}"))
    place, _, query = rest.partition("?")
    authority, _, path = place.partition("/")
    user, at, hosts = authority.rpartition("@")
    if "@" in path or "@" in query.partition("=")[0] or "#" in rest:
        # What stands before the sign would be taken for a host, and shown.
        raise _unreadable("write / as %2F, ? as %3F, # as %23 and @ as %40 in user and password")
    if kind == "server" and not hosts:
        hosts = "localhost"
    nodes = tuple(_parse_node(node, _PORTS[kind]) for node in hosts.split(","))
    if kind == "server" and len(nodes) > 1:
        raise _unreadable("it names several servers; name one, or write redis+sentinel:// or redis+cluster://")
    name, database = _parse_path(kind, path)
    options = _parse_options(f"{base}://{user}{at}host/{database}?{query}")
    del options["host"]
    named = {key: value for key, value in options.items() if key.startswith(_OF_SENTINELS)}
    if named and (kind != "sentinel" or not named.keys() <= {"sentinel_username", "sentinel_password"}):
        raise _unreadable("of Sentinels it may say sentinel_username and sentinel_password, in redis+sentinel:// only")
    shared = {key: value for key, value in options.items() if key.startswith("ssl_")}
    of_sentinels = {**shared, **{key.removeprefix(_OF_SENTINELS): value for key, value in named.items()}}
    if kind == "sentinel" and base == "rediss":
        of_sentinels["ssl"] = True
    return Address(kind, nodes, name, {key: value for key, value in options.items() if key not in named}, of_sentinels)


def _parse_node(text: str, port: int) -> tuple[str, int]:
    found = _NODE.fullmatch(text)
    if not text:
        raise _unreadable("it names no host")
    if found is None or not 0 < int(found[3] or port) < 65_536:
        # It may be a part of a password.
        raise _unreadable("a host is a name or an address, an IPv6 one in brackets, and a port from 1 to 65535")
    return found[1] or found[2], int(found[3] or port)


def _parse_path(kind: Kind, path: str) -> tuple[str, str]:
    """The name of the primary and the number of the database; each may be empty."""
    name, _, database = path.rstrip("/").partition("/") if kind == "sentinel" else ("", "", path.rstrip("/"))
    if kind == "sentinel" and not _NAME.fullmatch(name):
        raise _unreadable("after the Sentinels it must name the primary, as in redis+sentinel://host:26379/NAME")
    if kind == "cluster" and database:
        raise _unreadable("a cluster has no names and no numbered databases: nothing comes after the hosts")
    if not _DATABASE.fullmatch(database):
        raise _unreadable("what comes after the last / must be the number of a database")
    return name, database


def _parse_options(url: str) -> dict[str, Any]:
    try:
        options: dict[str, Any] = parse_url(url)  # type: ignore[no-untyped-call]
    except ValueError as error:
        # What Python says of a bad URL repeats the user and the password.
        why = str(error) if str(error).startswith("Invalid value for") else "user or password are not percent-encoded"
        raise _unreadable(why) from None
    return options


def _unreadable(why: str) -> StoreError:
    return StoreError(f"the store's address cannot be read: {why}")


def open_client(address: Address, **settings: Any) -> Client:
    """A client of what the address names, with these settings of redis-py unless the address says otherwise.

    Connects when it is first used. A client over Sentinels asks them for the primary at each new connection.
    """
    settings = {"driver_info": _DRIVER, **settings, **address.options}
    match address.kind:
        case "cluster":
            return _open_cluster(address, settings)
        case "sentinel":
            pool: ConnectionPool = _open_sentinel_pool(address, settings)
        case "server":
            if address.nodes:
                settings["host"], settings["port"] = address.nodes[0]
            pool = ConnectionPool(**settings)
    return Redis.from_pool(pool)


def _open_cluster(address: Address, settings: dict[str, Any]) -> Cluster:
    # A client of a cluster has its own way to try again, which is set to none.
    settings.pop("retry", None)
    if settings.pop("connection_class", None) is SSLConnection:
        settings["ssl"] = True
    return Cluster(address.nodes, **settings)


def require_for_queues(address: Address) -> None:
    """StoreError if the queues cannot be there."""
    if address.kind == "cluster":
        raise StoreError("the job queues cannot be in a cluster: set RQ_REDIS_URL to one server or to Sentinels")


def _open_sentinel_pool(address: Address, settings: dict[str, Any]) -> ConnectionPool:
    settings["ssl"] = settings.pop("connection_class", None) is SSLConnection
    sentinels = _Sentinels(
        address.nodes,
        sentinel_kwargs={
            "socket_timeout": SENTINELS_WITHIN_S,
            "socket_connect_timeout": SENTINELS_WITHIN_S,
            "retry": Retry(NoBackoff(), 0),
            "driver_info": _DRIVER,
            **address.of_sentinels,
        },
    )
    return SentinelConnectionPool(address.name, sentinels, **settings)  # type: ignore[no-untyped-call]


class _Sentinels(Sentinel):
    """redis-py's Sentinels, safe to share between threads."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)  # type: ignore[no-untyped-call]
        self._lock = threading.Lock()

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Where the primary is. redis-py's ConnectionError if no Sentinel knows one that is up."""
        # redis-py moves the Sentinel that answered to the front. Two threads at once would lose one from its list.
        with self._lock:
            try:
                found: tuple[str, int] = super().discover_master(service_name)  # type: ignore[no-untyped-call]
            except MasterNotFoundError as error:
                # redis-py's text has one line of settings for each Sentinel.
                why = f"no Sentinel knows a primary {service_name!r} that is up"
                raise RedisConnectionError(why) from error
        return found
