"""The outbox on a Redis or Valkey server."""

from collections.abc import Sequence
from typing import Any

import orjson
from redis import Redis
from redis.exceptions import RedisError

from plyscribe.service.store.cluster import Client
from plyscribe.service.store.outbox import (
    FORGOTTEN_MS,
    KNOWN,
    LEASE_MS,
    MOST_WAITING,
    Lane,
    LaneState,
    Message,
    Topics,
    Tried,
    Waiting,
    parse_lane,
)
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.store.redis_server import Script, ask, ask_all, send

KEYS = "webhooks"
"""What the keys begin with. In a cluster they are tagged with it, so that they lie on one node: it is {webhooks}."""

_STATE = ("last_at", "last_status", "last_error", "failures", "failing_since", "dropped")
_FAILING = ("failures", "failing_since", "paused_until")


class RedisOutbox:
    """The outbox on a server, or on one node of a cluster; safe to share between threads."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._keys_begin = KEYS if isinstance(client, Redis) else f"{{{KEYS}}}"
        # Hash: what the webhooks of each account want; see subscribe.lua.
        self._wants = f"{self._keys_begin}:wants"
        # Sorted set: lanes with messages that wait, by the time (UTC milliseconds) at which they are due.
        self._due = f"{self._keys_begin}:due"
        self._put = Script(client, "put_message.lua")
        self._take = Script(client, "take_messages.lua")
        self._release = Script(client, "release_lane.lua")
        self._wake = Script(client, "wake_lane.lua")
        self._subscribe = Script(client, "subscribe.lua")

    def subscribe(self, player: str, version: int, wants: Topics) -> None:
        """See Outbox.subscribe."""
        self._subscribe(1, [self._wants, player, version, orjson.dumps(dict(wants))])

    def count_changes(self) -> int:
        """See Outbox.count_changes."""
        return int(ask(self._client, "HLEN", self._wants))

    def list_wanting(self) -> frozenset[str]:
        """See Outbox.list_wanting."""
        return frozenset(player.decode() for player in ask(self._client, "HKEYS", self._wants))

    def list_wants(self, players: Sequence[str]) -> dict[str, Topics]:
        """See Outbox.list_wants."""
        found = ask(self._client, "HMGET", self._wants, *players) if players else []
        parsed = {
            player: orjson.loads(each.partition(b" ")[2])
            for player, each in zip(players, found, strict=True)
            if each is not None
        }
        return {player: wants for player, wants in parsed.items() if wants}

    def put(self, lane: Lane, message: Message, now_ms: int) -> bool:
        """See Outbox.put."""
        keys = [*self._keys(lane, "known", "waiting", "bodies", "state"), self._due]
        args = [str(lane), message.key, message.body, now_ms, KNOWN, MOST_WAITING, FORGOTTEN_MS]
        return bool(self._put(len(keys), [*keys, *args]))

    def wake(self, lane: Lane, now_ms: int) -> None:
        """See Outbox.wake."""
        self._wake(3, [*self._keys(lane, "waiting", "state"), self._due, str(lane), now_ms])

    def list_due(self, now_ms: int, limit: int) -> list[Lane]:
        """See Outbox.list_due."""
        found = ask(self._client, "ZRANGEBYSCORE", self._due, "-inf", now_ms, "LIMIT", 0, limit)
        return [parse_lane(each.decode()) for each in found]

    def postpone(self, lanes: Sequence[Lane], until_ms: int) -> None:
        """See Outbox.postpone."""
        if lanes:
            ask(self._client, "ZADD", self._due, *(part for lane in lanes for part in (until_ms, str(lane))))

    def take(self, lane: Lane, holder: str, now_ms: int, limit: int) -> list[Waiting] | None:
        """See Outbox.take."""
        keys = self._keys(lane, "waiting", "bodies", "state")
        found = self._take(len(keys), [*keys, holder, now_ms, LEASE_MS, limit, FORGOTTEN_MS])
        if found is None:
            return None
        thirds = zip(found[::3], found[1::3], found[2::3], strict=True)
        return [Waiting(key.decode(), body, int(tries)) for key, body, tries in thirds]

    def settle(self, lane: Lane, key: str, tried: Tried, again_ms: int | None = None) -> None:
        """See Outbox.settle."""
        waiting, bodies, state = self._keys(lane, "waiting", "bodies", "state")
        commands: list[tuple[Any, ...]] = [("HSET", state, *_dump_try(tried))]
        if tried.error is None:
            commands.append(("HDEL", state, *_FAILING))
        else:
            commands.append(("HINCRBY", state, "failures", 1))
            commands.append(("HSETNX", state, "failing_since", tried.at))
        if tried.error is not None and again_ms is not None:
            commands.append(("ZADD", waiting, "XX", again_ms, key))
            commands.append(("HINCRBY", bodies, f"t{key}", 1))
        else:
            commands.append(("ZREM", waiting, key))
            commands.append(("HDEL", bodies, f"b{key}", f"t{key}"))
            if tried.error is not None:
                commands.append(("HINCRBY", state, "dropped", 1))
        self._change(commands)

    def release(self, lane: Lane, holder: str, pause_until_ms: int) -> None:
        """See Outbox.release."""
        self._release(3, [*self._keys(lane, "waiting", "state"), self._due, str(lane), holder, pause_until_ms])

    def describe(self, lanes: Sequence[Lane]) -> list[LaneState]:
        """See Outbox.describe."""
        asked: list[tuple[Any, ...]] = []
        for lane in lanes:
            waiting, state = self._keys(lane, "waiting", "state")
            asked += [("ZCARD", waiting), ("HMGET", state, *_STATE), ("ZSCORE", self._due, str(lane))]
        found = ask_all(self._client, asked) if asked else []
        return [_parse_state(*found[place : place + 3]) for place in range(0, len(found), 3)]

    def drop(self, lane: Lane) -> None:
        """See Outbox.drop."""
        self._change([("UNLINK", *self._keys(lane, "waiting", "bodies")), ("ZREM", self._due, str(lane))])

    def count_lanes(self) -> int:
        """See Outbox.count_lanes."""
        return int(ask(self._client, "ZCARD", self._due))

    def _change(self, commands: Sequence[Sequence[Any]]) -> None:
        """Send these commands as one."""
        try:
            with self._client.pipeline(transaction=True) as pipeline:
                for command in commands:
                    send(pipeline, *command)
                pipeline.execute()
        except RedisError as error:
            raise translate(error) from error

    def _keys(self, lane: Lane, *names: str) -> list[str]:
        return [f"{self._keys_begin}:{lane}:{name}" for name in names]


def _dump_try(tried: Tried) -> list[Any]:
    status = "" if tried.status is None else tried.status
    return ["last_at", tried.at, "last_status", status, "last_error", tried.error or ""]


def _parse_state(waiting: int, state: list[bytes | None], next_at: Any) -> LaneState:
    at, status, error, failures, since, dropped = state
    last = None
    if at is not None:
        last = Tried(int(at), int(status) if status else None, error.decode() if error else None)
    failing_since = None if since is None else int(since)
    return LaneState(
        waiting,
        last,
        int(failures or 0),
        failing_since,
        None if next_at is None else int(float(next_at)),
        int(dropped or 0),
    )
