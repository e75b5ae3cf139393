"""Checks of the store, and of the server key against the secrets in it."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from statistics import median
from typing import Any, NamedTuple

import orjson
from redis import Redis

from plyscribe.domain.codec import parse_event
from plyscribe.domain.errors import StreamError
from plyscribe.domain.events import MatchCreated, SealedSeeds, ServerDice, SharedDice
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS
from plyscribe.service.composition import Parts
from plyscribe.service.config import ServerKey
from plyscribe.service.health.doctor.finding import Finding, judge, looked_at
from plyscribe.service.health.vitals import TIMEOUT_S, Vitals
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.store.cluster import Client, Share
from plyscribe.service.store.layouts import NEWEST_LAYOUT, parse_layout
from plyscribe.service.store.port import StoreError, Stretch
from plyscribe.service.store.presence import list_present
from plyscribe.service.store.redis import connect_client
from plyscribe.service.store.redis_server import ask, judge_durability, list_shares
from plyscribe.service.store.requirements import Report, examine_store_server, find_forbidden, read_reports

SAMPLE = 10_000
"""The most matches whose secrets are checked against the keys."""

PAGE = 200
"""Matches that are read at a time."""

ROUND_TRIPS = 20
SLOW_MS = 20.0
MOST_SKEW_S = 2.0
FULL = 0.9
"""Above this part of its memory a store counts as full."""

FILLING = 0.8
"""Above this part of its memory the operator is warned."""


def examine_store(parts: Parts) -> Iterator[Finding]:
    """All checks of the store. The first says whether it answers at all."""
    with connect_client(parts.config.redis_url, TIMEOUT_S) as client:
        try:
            obstacles = examine_store_server(client)
            reports, shares = read_reports(client), list_shares(client)
        except StoreError as error:
            remedy = "start it, or correct REDIS_URL; the store must be Redis 7.0, Valkey 7.2 or newer"
            yield Finding("store", "wrong", str(error), remedy)
            return
        if any(obstacle.topic != "memory" for obstacle in obstacles):
            yield from (Finding("store", "wrong", obstacle.text, obstacle.remedy) for obstacle in obstacles)
            return
        engine = str(reports[0].engine or "a server that does not report its version")
        yield Finding("store", "ok", f"{engine}, {len(shares)} nodes" if len(shares) > 1 else engine)
        yield from (Finding(obstacle.topic, "wrong", obstacle.text, obstacle.remedy) for obstacle in obstacles)
        yield from looked_at("releases", lambda: _examine_releases(client, reports))
        for share, report in zip(shares, reports, strict=True):
            for finding in _examine_server(share.client, report, parts.config.replicas):
                yield finding._replace(text=f"{share.name}: {finding.text}") if share.name else finding
        yield from looked_at("round trip", lambda: _examine_speed(parts))
        yield from looked_at("clock", lambda: _examine_clock(shares))
    yield from looked_at("server key", lambda: _examine_key(parts))


def _examine_releases(client: Client, reports: Sequence[Report]) -> Iterator[Finding]:
    """The releases at work on the store, and whether an upgrade is under way."""
    present = Counter(process.release for process in list_present(client))
    # A node of a cluster that does not hold the note reports none.
    noted = max((parse_layout(report.layout) or 0 for report in reports), default=0)
    releases = ", ".join(f"{number} of {release}" for release, number in sorted(present.items())) or "none"
    text = f"processes at work: {releases}; the data has layout {noted} of {NEWEST_LAYOUT}"
    remedy = "an upgrade is under way; `plyscribe upgrade` says how far it is"
    yield judge("releases", len(present) < 2 and noted == NEWEST_LAYOUT, text, remedy, otherwise="note")


def _examine_server(client: Redis, report: Report, replicas: int) -> Iterator[Finding]:
    yield from _examine_writes(report)
    yield from _examine_durability(report, replicas)
    yield from looked_at("replicas", lambda: _examine_replicas(client, report, replicas))
    yield from looked_at("memory", lambda: _examine_memory(client), "allow this account INFO and CONFIG GET")
    yield from looked_at("disk", lambda: _examine_writing(client), "allow this account INFO and CONFIG GET")


def _examine_writes(report: Report) -> Iterator[Finding]:
    if report.write_error is not None:
        yield Finding("writes", "wrong", str(report.write_error), "see 'Trouble with the store' in docs/operations.md")


def _examine_durability(report: Report, awaited: int) -> Iterator[Finding]:
    worth = judge_durability(report.settings, report.info, awaited)
    if not awaited and report.replicas and judge_durability(report.settings, {}) == "always":
        text = f"unknown: {report.replicas} replicas follow the store, and a failover to one may lose the newest moves"
        remedy = "set PLYSCRIBE_REPLICAS, or fail over only with the primary stopped and its replica caught up"
        yield Finding("durability", "note", text, remedy)
        return
    remedy = "set appendonly yes and appendfsync always, or moves may be lost"
    yield judge("durability", worth == "always", worth, remedy)


def _examine_replicas(client: Redis, report: Report, awaited: int) -> Iterator[Finding]:
    if not awaited:
        return
    if find_forbidden(client, [("WAIT", "1", "1")]):
        yield Finding("replicas", "wrong", "this account may not send WAIT", "allow it (ACL SETUSER … +wait)")
    following = "an unknown number of" if report.replicas is None else report.replicas
    text = f"{following} follow the store, and each answer waits for {awaited}"
    remedy = "start the missing ones, or lower PLYSCRIBE_REPLICAS: until then every move is refused"
    yield judge("replicas", report.replicas is None or report.replicas >= awaited, text, remedy)
    least = _setting(client, "min-replicas-to-write")
    if least.isdecimal() and int(least) < awaited:
        text = f"min-replicas-to-write {least}: a primary that was cut off stores what nobody is told was stored"
        yield Finding("replicas", "note", text, f"set min-replicas-to-write {awaited} on every server of the store")


def _examine_memory(client: Redis) -> Iterator[Finding]:
    info: dict[str, Any] = ask(client, "INFO", "memory")
    used, limit = int(info["used_memory"]), int(info["maxmemory"] or info.get("total_system_memory", 0))
    text = f"{used / 2**20:.0f} MiB of {limit / 2**20:.0f} MiB used"
    if limit and used >= FULL * limit:
        yield Finding("memory", "wrong", text, "give the store more memory: it will soon refuse moves")
        return
    yield judge(
        "memory", not limit or used < FILLING * limit, text, "give the store more memory soon", otherwise="note"
    )


def _examine_writing(client: Redis) -> Iterator[Finding]:
    paused = _setting(client, "no-appendfsync-on-rewrite")
    remedy = "set no-appendfsync-on-rewrite no, or moves may be lost while the file is rewritten"
    yield judge("disk", paused == "no", f"no-appendfsync-on-rewrite {paused}", remedy)
    cuts = _setting(client, "aof-load-truncated")
    remedy = "set aof-load-truncated no, or a store whose file was cut off starts without what is missing"
    yield judge("disk", cuts == "no", f"aof-load-truncated {cuts}", remedy, otherwise="note")
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


def _examine_clock(shares: Sequence[Share]) -> Iterator[Finding]:
    remedy = "synchronize both clocks with NTP: tokens, invitations and deadlines depend on them"
    for share in shares:
        before = time.time()
        skew = Vitals(share.client, share.client).store_clock_s() - (before + time.time()) / 2
        text = f"the clock of {share.name or 'the store'} is {skew:+.3f} s from ours"
        yield judge("clock", abs(skew) < MOST_SKEW_S, text, remedy)


def _examine_key(parts: Parts) -> Iterator[Finding]:
    """The keys, and whether the secrets of all matches in progress were made with one of them."""
    key = parts.config.server_key
    sealed = list(_sealed_under_way(parts))
    strange = [each for each in sealed if not each.is_ours(key)]
    text = f"id {key.id}, fits the secrets of {len(sealed) - len(strange)} of {len(sealed)} matches in progress"
    others = ", ".join(sorted({id for each in strange for id in each.keys}))
    yield judge(
        "server key", not strange, text, f"restore the key with id {others}: without it those matches cannot continue"
    )
    uses = Counter(id for each in sealed for id in each.keys)
    for older in key.older:
        yield Finding("older key", "ok", f"id {older.id}, used by the secrets of {uses[older.id]} matches in progress")


class _Sealed(NamedTuple):
    """The secrets that a match has committed to: its dice, and the seeds of its bots."""

    match: str
    dice: ServerDice | None
    seeds: SealedSeeds | None

    @property
    def keys(self) -> set[str]:
        """The ids of the keys behind them."""
        return {each.key for each in (self.dice, self.seeds) if each is not None}

    def is_ours(self, key: ServerKey) -> bool:
        """Whether all of them were made with one of our keys."""
        has_dice = self.dice is None or key.has_secret_of(self.dice)
        return has_dice and (self.seeds is None or key.has_secret_of_seeds(self.seeds, self.match))


def _sealed_under_way(parts: Parts) -> Iterator[_Sealed]:
    """The secrets of the matches in progress according to the list of matches, at most SAMPLE.

    That includes the shared dice of matches that have ended: they are revealed only when the other matches have ended.
    """
    under_way, cursor, left = MatchFilter(status=("open", "playing", "ended")), None, SAMPLE
    while left > 0:
        page = parts.lists.matches.read(under_way, Principal("", OVERSEERS), min(left, PAGE), cursor)
        yield from _read_sealed(parts, {row["match"]: row["status"] for row in map(orjson.loads, page.rows)})
        left, cursor = left - len(page.rows), page.cursor
        if cursor is None:
            return


def _read_sealed(parts: Parts, statuses: Mapping[str, str]) -> Iterator[_Sealed]:
    first_events = parts.matches.read_all_events([Stretch(match, 0, 1) for match in statuses])
    for (match, status), entries in zip(statuses.items(), first_events, strict=True):
        wanted = SharedDice if status == "ended" else ServerDice
        # The relay reports matches that cannot be read.
        with suppress(StreamError, IndexError):
            created = parse_event(entries[0]).data
            if isinstance(created, MatchCreated):
                dice = created.dice if isinstance(created.dice, wanted) else None
                seeds = None if status == "ended" else created.bots
                if dice or seeds:
                    yield _Sealed(match, dice, seeds)
