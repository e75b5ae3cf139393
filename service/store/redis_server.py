"""What a Redis or Valkey server is, and how it is asked: commands, pipelines and scripts.

Nothing here sends a write twice.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple

from redis import Redis
from redis.exceptions import NoScriptError, RedisClusterException, RedisError

from plyscribe.service.store.cluster import AnyWire, Client, Share, shares_of
from plyscribe.service.store.port import StoreUnavailable, UnsupportedServer
from plyscribe.service.store.redis_errors import code_of, translate

OLDEST: Final = {"redis": (7, 0), "valkey": (7, 2)}
"""The oldest supported version of each engine."""

Durability = Literal["always", "everysec", "unknown"]
LEVELS: Final[tuple[Durability, ...]] = ("unknown", "everysec", "always")
"""From the least to the most."""


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


def list_shares(client: Client) -> list[Share]:
    """The servers that hold the store, each with its buckets. Raises the errors of the port."""
    try:
        return shares_of(client)
    except RedisError as error:
        raise translate(error) from error


def read_engine(client: Client) -> Engine | None:
    """The engine that the server reports; None if it reports none. The nodes of a cluster all have one."""
    [info] = try_all(list_shares(client)[0].client, [("INFO", "server")])
    _require_answers([info])
    return engine_of(info) if isinstance(info, dict) else None


def engine_of(info: Mapping[str, Any]) -> Engine | None:
    """The engine in a reply to INFO; None if it names none."""
    # Valkey also reports the version of Redis with which it is compatible.
    for name in ("valkey", "redis"):
        if version := info.get(f"{name}_version"):
            return Engine(name, tuple(int(part) for part in re.findall(r"\d+", str(version))[:3]))
    return None


def durability(client: Client, awaited: int = 0) -> Durability:
    """What a success of the server is worth: on disk (always), on disk within a second (everysec), or unknown.

    `awaited` is how many replicas have it by then. Of a cluster it is the least that a node gives.
    """
    return weakest(_durability_of(share.client, awaited) for share in list_shares(client))


def weakest(levels: Iterable[Durability]) -> Durability:
    """The least of these levels."""
    return min(levels, key=LEVELS.index)


def _durability_of(client: Redis, awaited: int) -> Durability:
    settings, info = try_all(client, [("CONFIG GET", "appendonly", "appendfsync"), ("INFO", "replication")])
    _require_answers([settings, info])
    described = settings if isinstance(settings, dict) else {}, info if isinstance(info, dict) else {}
    return judge_durability(*described, awaited)


def _require_answers(replies: Iterable[Any]) -> None:
    """StoreUnavailable unless the server answers. It may forbid us to ask, or not know the command."""
    for reply in replies:
        if isinstance(reply, RedisError) and code_of(reply) != "NOPERM":
            error = translate(reply)
            if isinstance(error, StoreUnavailable):
                raise error from reply


def judge_durability(settings: Mapping[str, str], info: Mapping[str, Any], awaited: int = 0) -> Durability:
    """As `durability`, from the server's settings and its INFO.

    With replicas that no answer waits for it is unknown: any failover may lose the newest moves.
    """
    if settings.get("appendonly") != "yes" or (int(info.get("connected_slaves", 0)) and not awaited):
        return "unknown"
    match settings.get("appendfsync"):
        case "always":
            return "always"
        case "everysec":
            return "everysec"
    return "unknown"


class Script:
    """A Lua script of this package, called by its digest and loaded into the server if need be."""

    def __init__(self, client: Client, name: str, send: Callable[..., Any] | None = None) -> None:
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

    def __init__(self, client: Client, name: str, wire: AnyWire) -> None:
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
        return require_all(replies)


def send_all(wire: AnyWire, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """As `try_all`, over a Wire: the replies are those of the server, undecoded."""
    try:
        return wire.send_all(commands)
    except RedisError as error:
        raise translate(error) from error


def send(client: Client, *command: Any) -> Any:
    """The server's reply to a command. Raises redis-py's errors."""
    return client.execute_command(*command)  # type: ignore[no-untyped-call]


def ask(client: Client, *command: Any) -> Any:
    """The server's reply to a command. Raises the errors of the port."""
    try:
        return send(client, *command)
    except RedisError as error:
        raise translate(error) from error


def ask_all(client: Client, commands: Iterable[Sequence[Any]]) -> list[Any]:
    """The replies to commands, in order, in one round trip. Raises the error of the first refused one, as `ask`."""
    return require_all(try_all(client, commands))


def run_together(wire: AnyWire, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """The replies to commands that the server runs as one transaction, in one round trip.

    Raises the error of the first refused one, as `ask`. A server that is full then writes nothing.
    """
    replies = require_all(send_all(wire, [("MULTI",), *commands, ("EXEC",)]))
    return require_all(replies[-1])


def require_all(replies: list[Any]) -> list[Any]:
    """The replies themselves. Raises the error of the first that is a refusal, as `ask`."""
    for reply in replies:
        if isinstance(reply, RedisError):
            raise translate(reply) from reply
    return replies


def try_all(client: Client, commands: Iterable[Sequence[Any]]) -> list[Any]:
    """As `ask_all`, but a refusal is returned as redis-py's exception."""
    try:
        with client.pipeline(transaction=False) as pipeline:
            for command in commands:
                send(pipeline, *command)
            # If it raised them, it would put text of its own before the server's error code.
            replies: list[Any] = pipeline.execute(raise_on_error=False)
    except (RedisError, RedisClusterException) as error:
        raise translate(error) from error
    return replies
