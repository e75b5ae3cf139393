"""Checks of the store, and of the server key against the dice in it."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from statistics import median
from typing import Any

import orjson
from redis import Redis

from plyscribe.domain.codec import parse_event
from plyscribe.domain.errors import StreamError
from plyscribe.domain.events import MatchCreated, ServerDice, SharedDice
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS
from plyscribe.service.composition import Parts
from plyscribe.service.health.doctor.finding import Finding, judge, looked_at
from plyscribe.service.health.vitals import TIMEOUT_S, Vitals
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.store.port import StoreError, Stretch
from plyscribe.service.store.redis import ask, connect_client, read_engine

SAMPLE = 10_000
"""The most matches whose dice are checked against the keys."""

PAGE = 200
"""Matches that are read at a time."""

ROUND_TRIPS = 20
SLOW_MS = 20.0
MOST_SKEW_S = 2.0
FULL = 0.9
"""Above this part of its memory a store counts as full."""


def examine_store(parts: Parts) -> Iterator[Finding]:
    """All checks of the store. The first says whether it answers at all."""
    with connect_client(parts.config.redis_url, TIMEOUT_S) as client:
        try:
            engine = read_engine(client)
            if engine is not None:
                engine.require_supported()
        except StoreError as error:
            remedy = "start it, or correct REDIS_URL; the store must be Redis 7.0, Valkey 7.2 or newer"
            yield Finding("store", "wrong", str(error), remedy)
            return
        yield Finding("store", "ok", str(engine or "a server that does not report its version"))
        yield _examine_durability(parts)
        yield from looked_at("memory", lambda: _examine_memory(client), "allow this account INFO and CONFIG GET")
        yield from looked_at("disk", lambda: _examine_writing(client), "allow this account INFO and CONFIG GET")
        yield from looked_at("round trip", lambda: _examine_speed(parts))
        yield from looked_at("clock", lambda: _examine_clock(client))
    yield from looked_at("server key", lambda: _examine_key(parts))


def _examine_durability(parts: Parts) -> Finding:
    found = parts.store.describe()["durability"]
    remedy = "set appendonly yes and appendfsync always, or moves may be lost"
    return judge("durability", found == "always", found, remedy)


def _examine_memory(client: Redis) -> Iterator[Finding]:
    policy = _setting(client, "maxmemory-policy")
    remedy = "set maxmemory-policy noeviction: the other policies delete matches when memory runs out"
    yield judge("memory", policy == "noeviction", f"maxmemory-policy {policy}", remedy)
    info: dict[str, Any] = ask(client, "INFO", "memory")
    used, limit = int(info["used_memory"]), int(info["maxmemory"] or info.get("total_system_memory", 0))
    text = f"{used / 2**20:.0f} MiB of {limit / 2**20:.0f} MiB used"
    yield judge(
        "memory", not limit or used < FULL * limit, text, "give the store more memory: it will soon refuse moves"
    )


def _examine_writing(client: Redis) -> Iterator[Finding]:
    paused = _setting(client, "no-appendfsync-on-rewrite")
    remedy = "set no-appendfsync-on-rewrite no, or moves may be lost while the file is rewritten"
    yield judge("disk", paused == "no", f"no-appendfsync-on-rewrite {paused}", remedy)
    info: dict[str, Any] = ask(client, "INFO", "persistence")
    written = str(info.get("aof_last_write_status", "unknown"))
    yield judge("disk", written == "ok", f"last write of the append-only file: {written}", "see the store's log")


def _setting(client: Redis, name: str) -> str:
    return str(ask(client, "CONFIG GET", name).get(name, "unknown"))


def _examine_speed(parts: Parts) -> Iterator[Finding]:
    times = []
    for _ in range(ROUND_TRIPS):
        started = time.perf_counter()
        parts.store.load(f"match-{'a' * 26}")
        times.append(1000 * (time.perf_counter() - started))
    text = f"median {median(times):.2f} ms, slowest {max(times):.2f} ms, of {ROUND_TRIPS}"
    yield judge(
        "round trip",
        median(times) < SLOW_MS,
        text,
        "every move takes at least one: move the store and the API closer together",
    )


def _examine_clock(client: Redis) -> Iterator[Finding]:
    before = time.time()
    skew = Vitals(client, client).store_clock_s() - (before + time.time()) / 2
    remedy = "synchronize both clocks with NTP: tokens, invitations and deadlines depend on them"
    yield judge("clock", abs(skew) < MOST_SKEW_S, f"the store's clock is {skew:+.3f} s from ours", remedy)


def _examine_key(parts: Parts) -> Iterator[Finding]:
    """The keys, and whether the dice of all matches in progress were made with one of them."""
    key = parts.config.server_key
    with_dice = list(_dice_under_way(parts))
    strange = [dice for dice in with_dice if not key.has_secret_of(dice)]
    text = f"id {key.id}, fits the dice of {len(with_dice) - len(strange)} of {len(with_dice)} matches in progress"
    others = ", ".join(sorted({dice.key for dice in strange}))
    yield judge(
        "server key", not strange, text, f"restore the key with id {others}: without it those matches cannot continue"
    )
    uses = Counter(dice.key for dice in with_dice)
    for each in key.older:
        yield Finding("older key", "ok", f"id {each.id}, used by the dice of {uses[each.id]} matches in progress")


def _dice_under_way(parts: Parts) -> Iterator[ServerDice]:
    """The dice of the matches in progress according to the list of matches, at most SAMPLE.

    That includes the shared dice of matches that have ended: they are revealed only when the other matches have ended.
    """
    under_way, cursor, left = MatchFilter(status=("open", "playing", "ended")), None, SAMPLE
    while left > 0:
        page = parts.lists.matches.read(under_way, Principal("", OVERSEERS), min(left, PAGE), cursor)
        yield from _read_dice(parts, {row["match"]: row["status"] for row in map(orjson.loads, page.rows)})
        left, cursor = left - len(page.rows), page.cursor
        if cursor is None:
            return


def _read_dice(parts: Parts, statuses: Mapping[str, str]) -> Iterator[ServerDice]:
    first_events = parts.matches.read_all_events([Stretch(match, 0, 1) for match in statuses])
    for status, entries in zip(statuses.values(), first_events, strict=True):
        wanted = SharedDice if status == "ended" else ServerDice
        # The relay reports matches that cannot be read.
        with suppress(StreamError, IndexError):
            created = parse_event(entries[0]).data
            if isinstance(created, MatchCreated) and isinstance(created.dice, wanted):
                yield created.dice
