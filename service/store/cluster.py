"""The store on a cluster: which node holds which bucket, and how a command finds its node.

All keys of a bucket have the same tag, so they lie in one slot, and so on one node. redis-py keeps the map of slots. If
it is out of date, the node that a command goes to says so.
"""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    RedisClusterException,
    RedisError,
)
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer
from redis.retry import Retry

from plyscribe.service.store.port import BUCKETS
from plyscribe.service.store.replicas import ReplicatedWire
from plyscribe.service.store.wire import Batch, NotSent, Wire

MOST_REDIRECTIONS = 5
"""How often one command follows a node's word that another node has its slot."""

LOOK_AGAIN_S = 0.2
"""The least time between two looks at the map of slots, while nodes do not answer."""

MAP_AGE_S = 2.0
"""How old the map may be for questions to every node, which do not show that it is out of date."""

POLL_S = 0.02
"""How often feeds are looked at while somebody waits for them: no command waits for keys of several slots."""


class Cluster(RedisCluster):
    """A client of a cluster. Connects when it is first used, and again until it can."""

    def __init__(self, nodes: Sequence[tuple[str, int]], **options: Any) -> None:
        """As RedisCluster, with the nodes to ask first. It sends every command only once, as long as nodes answer."""
        self._connecting = threading.RLock()
        self._given = nodes, options
        self._looked_at = -MAP_AGE_S

    def __getattr__(self, name: str) -> Any:
        """Connect, because the client has nothing of this name before. NoConnection if no node answers."""
        if name.startswith("__"):
            raise AttributeError(name)
        with self._connecting:
            if name not in self.__dict__:
                self._connect()
        return self.__dict__[name]

    def _connect(self) -> None:
        nodes, options = self._given
        try:
            super().__init__(
                startup_nodes=[_node(*node) for node in nodes],
                # A cluster that lacks a few slots still serves the others.
                require_full_coverage=False,
                retry=Retry(NoBackoff(), 0),
                **options,
            )
        except RedisClusterException as error:
            raise NoConnection(f"no node of the cluster answers: {error}") from error

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        """As RedisCluster, with redis-py's errors alone."""
        try:
            return super().execute_command(*args, **kwargs)  # type: ignore[no-untyped-call]
        except RedisClusterException as error:
            raise ClusterDownError(f"CLUSTERDOWN {error}") from error

    def get_connection_kwargs(self) -> dict[str, Any]:
        """What each connection is opened with. Connects nothing."""
        return dict(self._given[1])

    def close(self) -> None:
        """Close all connections."""
        if "nodes_manager" in self.__dict__:
            super().close()

    def node_of(self, key: bytes | str) -> ClusterNode:
        """The node that has the slot of this key, as far as is known. ClusterDownError if none has it."""
        try:
            return self.nodes_manager.get_node_from_slot(self.keyslot(key))  # type: ignore[no-untyped-call]
        except RedisClusterException as error:
            raise ClusterDownError(f"CLUSTERDOWN {error}") from error

    def look_again(self, age_s: float = LOOK_AGAIN_S) -> None:
        """Ask the nodes for the map of slots, if it is older than this. Errors are ignored: the old map stays."""
        now = time.monotonic()
        if now - self._looked_at >= age_s:
            self._looked_at = now
            with suppress(RedisClusterException, RedisError):
                self.nodes_manager.initialize()


Client = Redis | Cluster
"""A client of one server, or of a cluster."""


def _node(host: str, port: int) -> ClusterNode:
    return ClusterNode(host, port)  # type: ignore[no-untyped-call]


class Share(NamedTuple):
    """A server of the store, and the buckets that it holds."""

    client: Redis
    name: str
    """Its address in a cluster; empty if there is only one server."""

    buckets: tuple[str, ...]


def shares_of(client: Client) -> list[Share]:
    """The servers that hold the store: the one of a plain client, or the primaries of a cluster that hold buckets.

    Raises redis-py's errors.
    """
    if isinstance(client, Redis):
        return [Share(client, "", BUCKETS)]
    client.look_again(MAP_AGE_S)
    found: defaultdict[str, list[str]] = defaultdict(list)
    nodes = {}
    for bucket in BUCKETS:
        node = client.node_of(f"{{{bucket}}}")
        nodes[node.name] = node
        found[node.name].append(bucket)
    return [Share(client.get_redis_connection(nodes[name]), name, tuple(found[name])) for name in sorted(found)]


def wire_of(client: Client, replicas: int = 0) -> "AnyWire":
    """Fast connections to where the client leads. With replicas they are for writes: see ReplicatedWire."""

    def connect(node: Redis) -> Wire:
        return ReplicatedWire(node, replicas) if replicas else Wire(node)

    return connect(client) if isinstance(client, Redis) else ClusterWire(client, connect)


def close_client(client: Client) -> None:
    """Close all connections of a client, which opens new ones when it is used again."""
    if isinstance(client, Redis):
        client.connection_pool.disconnect()
    else:
        client.close()


class ClusterWire:
    """A Wire to each node of a cluster; safe to share between threads.

    A command is repeated only after a node has refused it because another one has its slot.
    """

    def __init__(self, cluster: Cluster, connect: Callable[[Redis], Wire]) -> None:
        self._cluster = cluster
        self._connect = connect
        self._wires: dict[str, Wire] = {}
        self._is_stale = False

    def send(self, *command: Any) -> Any:
        """See Wire.send. The command has a key."""
        wire = self._wire_to(_key_of(command))
        for _ in range(MOST_REDIRECTIONS):
            try:
                return wire.send(*command)
            except MovedError as moved:
                wire = self._follow(moved)
            except AskError as elsewhere:
                return _require(self._ask_at(elsewhere, [command])[0])
            except (NoConnection, NoAnswer, ClusterDownError) as error:
                self._is_stale = True
                other = self._wire_to(_key_of(command))
                if other is wire or not isinstance(error, NotSent):
                    raise
                wire = other
        raise ClusterDownError("CLUSTERDOWN the nodes do not agree which of them has a slot")

    def send_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """See Wire.send_all. Each command has a key, or they are one transaction, whose keys share a slot.

        All nodes are asked before the first reply is read, so they work at the same time. If one does not answer, the
        others may have done what was asked.
        """
        if commands and commands[0][0] == "MULTI":
            return self._send_together(commands)
        places: defaultdict[Wire, list[int]] = defaultdict(list)
        for place, command in enumerate(commands):
            places[self._wire_to(_key_of(command))].append(place)
        replies: list[Any] = [None] * len(commands)
        begun: deque[tuple[Wire, list[int], Batch]] = deque()
        try:
            for wire, of_node in places.items():
                begun.append((wire, of_node, wire.begin([commands[place] for place in of_node])))
            while begun:
                wire, of_node, batch = begun.popleft()
                for place, reply in zip(of_node, wire.finish(batch), strict=True):
                    replies[place] = reply
        except BaseException as error:
            for wire, _, batch in begun:
                wire.abandon(batch)
            self._is_stale |= isinstance(error, (NoConnection, NoAnswer))
            raise
        return [self._send_after(commands[place], reply) for place, reply in enumerate(replies)]

    def close(self) -> None:
        """Close the idle connections; new ones are opened when needed."""
        for wire in list(self._wires.values()):
            wire.close()

    def _send_after(self, command: tuple[Any, ...], reply: Any) -> Any:
        """The reply, or that of the node to which the first one led."""
        if not isinstance(reply, AskError):
            self._is_stale |= isinstance(reply, ClusterDownError)
            return reply
        try:
            if isinstance(reply, MovedError):
                self._follow(reply)
                return self.send(*command)
            return self._ask_at(reply, [command])[0]
        except (NoConnection, NoAnswer):
            raise
        except RedisError as refusal:
            return refusal

    def _send_together(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        wire = self._wire_to(_key_of(commands[1]))
        replies: list[Any] = []
        for _ in range(MOST_REDIRECTIONS):
            try:
                replies = wire.send_all(commands)
            except (NoConnection, NoAnswer):
                self._is_stale = True
                raise
            # A node refuses each command of a transaction before it runs any.
            led = next((reply for reply in replies if isinstance(reply, AskError)), None)
            if not isinstance(led, MovedError):
                break
            wire = self._follow(led)
        return replies

    def _ask_at(self, elsewhere: AskError, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The replies of the node to which a slot is just moving."""
        wire = self._wire_at(_node(elsewhere.host, elsewhere.port))
        asking = [part for command in commands for part in (("ASKING",), command)]
        return wire.send_all(asking)[1::2]

    def _follow(self, moved: MovedError) -> Wire:
        self._cluster.nodes_manager.move_slot(moved)
        self._is_stale = True
        return self._wire_at(_node(moved.host, moved.port))

    def _wire_to(self, key: bytes | str) -> Wire:
        if self._is_stale:
            self._is_stale = False
            self._cluster.look_again()
        try:
            return self._wire_at(self._cluster.node_of(key))
        except ClusterDownError:
            self._is_stale = True
            raise

    def _wire_at(self, node: ClusterNode) -> Wire:
        wire = self._wires.get(node.name)
        if wire is None:
            wire = self._wires[node.name] = self._connect(self._cluster.get_redis_connection(node))
        return wire


AnyWire = Wire | ClusterWire
"""Fast connections to one server, or to the nodes of a cluster."""


def _require(reply: Any) -> Any:
    if isinstance(reply, RedisError):
        raise reply
    return reply


def _key_of(command: Sequence[Any]) -> bytes | str:
    """The first key of a command: scripts have theirs behind their number, all others behind the name."""
    key: bytes | str = command[3] if command[0] == "EVALSHA" else command[1]
    return key


def read_feeds(
    client: Client, wire: AnyWire, after: Mapping[str, str], count: int, block_ms: int
) -> list[tuple[bytes, list[Any]]]:
    """At most `count` entries of each of these streams after an id, as XREAD has them; waits for one if there is none.

    Raises redis-py's errors.
    """
    if isinstance(client, Redis):
        block = ("BLOCK", block_ms) if block_ms else ()
        command = "XREAD", "COUNT", count, *block, "STREAMS", *after, *after.values()
        return client.execute_command(*command) or []  # type: ignore[no-untyped-call]
    until = time.monotonic() + block_ms / 1000
    commands = [("XRANGE", key, f"({id}", "+", "COUNT", count) for key, id in after.items()]
    while True:
        replies = [_require(reply) for reply in wire.send_all(commands)]
        found = [(key.encode(), _pair(reply)) for key, reply in zip(after, replies, strict=True) if reply]
        if found or time.monotonic() >= until:
            return found
        time.sleep(POLL_S)


def _pair(entries: Sequence[Any]) -> list[Any]:
    """Undecoded entries of a stream with their fields as a dict."""
    return [(id, dict(zip(fields[::2], fields[1::2], strict=True))) for id, fields in entries]
