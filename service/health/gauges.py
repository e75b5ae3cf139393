"""The gauges: numbers that `/metrics` reads from the store with each request."""

import logging
from collections.abc import Callable, Iterator

from redis.exceptions import RedisError

from plyscribe.service.archive.copies import parse_progress
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.health.readiness import Readiness
from plyscribe.service.health.vitals import Vitals, open_vitals
from plyscribe.service.lists.projections import is_complete
from plyscribe.service.metrics import Reading
from plyscribe.service.store.port import StoreError, StoreUnavailable

log = logging.getLogger(__name__)


def read_gauges(parts: Parts, readiness: Readiness) -> Iterator[Reading]:
    """All gauges; none if the store is in memory. Without an answer from a server, its gauge of being up is 0.

    Then the gauges that come from that server are missing.
    """
    if not parts.config.redis_url:
        return
    try:
        readiness.require_answer()
    except StoreUnavailable:
        # To ask for more would only take time.
        yield _up("store", 0)
        return
    with open_vitals(parts.config) as vitals:
        stored = _try(
            lambda: [
                *_read_memory(vitals),
                *_read_feed(vitals),
                *_read_unsettled(vitals),
                *_read_chains(vitals),
                Reading("webhooks_waiting", "Webhooks with messages that wait.", parts.outbox.count_lanes()),
            ]
        )
        queued = _try(lambda: [*_read_queues(vitals)])
    listed = _try(lambda: [*_read_lists(parts)])
    archived = _try(lambda: [*_read_archive(parts)])
    yield _up("store", stored is not None)
    yield _up("lists", listed is not None)
    yield _up("queues", queued is not None)
    yield Reading("store_takes_writes", "Whether the store takes writes now.", _takes_writes(readiness))
    if parts.archive is not None:
        yield _up("archive", archived is not None)
    yield from [*(stored or ()), *(queued or ()), *(listed or ()), *(archived or ())]


def _takes_writes(readiness: Readiness) -> bool:
    try:
        readiness.read()
    except StoreError:
        return False
    return True


def _try(read: Callable[[], list[Reading]]) -> list[Reading] | None:
    try:
        return read()
    except (RedisError, StoreError) as error:
        log.warning("some gauges cannot be read: %s", error)
        return None


def _up(server: str, value: int) -> Reading:
    return Reading(f"{server}_up", f"Whether the server of the {server} answers.", value)


def _read_memory(vitals: Vitals) -> Iterator[Reading]:
    memory = vitals.memory()
    if memory is None:
        return
    yield Reading("store_memory_bytes", "Memory that the store uses.", memory.used)
    yield Reading("store_memory_limit_bytes", "Memory that it may use; 0: no limit.", memory.limit)


def _read_feed(vitals: Vitals) -> Iterator[Reading]:
    feed = vitals.feed()
    yield Reading("feed_lag_entries", "Appends that the relay has not processed yet.", feed.entries)
    yield Reading("feed_lag_seconds", "How long the oldest of them has been waiting.", feed.oldest_s)
    if feed.silent_s is not None:
        yield Reading("relay_silent_seconds", "Time since the relay last gave a sign of life.", feed.silent_s)


def _read_queues(vitals: Vitals) -> Iterator[Reading]:
    for queue in vitals.queues():
        labels = {"queue": queue.name}
        yield Reading("queue_jobs", "Waiting jobs.", queue.length, labels)
        yield Reading("queue_oldest_seconds", "How long the oldest of them has been waiting.", queue.oldest_s, labels)
        yield Reading("queue_failed_jobs", "Failed jobs, kept for inspection.", queue.failed, labels)
        yield Reading("queue_workers", "Workers that have given a sign of life lately.", queue.workers, labels)


def _read_unsettled(vitals: Vitals) -> Iterator[Reading]:
    matches, oldest_s, alarms = vitals.unsettled()
    yield Reading("unsettled_matches", "Finished matches without a verdict or score.", matches)
    yield Reading("unsettled_oldest_seconds", "How long the oldest of them has been waiting.", oldest_s)
    yield Reading("refuted_matches", "Matches whose second execution had another result.", vitals.refuted().matches)
    yield Reading("unsettled_alarms", "Unsettled matches that were repeatedly sent to the workers in vain.", alarms)


def _read_chains(vitals: Vitals) -> Iterator[Reading]:
    chains = vitals.chains()
    yield Reading("damaged_streams", "Streams whose hash chain is broken.", chains.damaged)
    yield Reading("scrub_streams", "Streams whose chain was checked in the present pass.", chains.checked)
    if chains.silent_s is not None:
        yield Reading("scrub_silent_seconds", "Time since all chains were last checked.", chains.silent_s)


def _read_lists(parts: Parts) -> Iterator[Reading]:
    lag = parts.lists.lag()
    yield Reading("list_lag_entries", "Appends that are not entered in the read database yet.", lag.entries)
    yield Reading("list_lag_seconds", "How long the oldest of them has been waiting.", lag.ms / 1000)
    for projection in parts.projections:
        labels = {"list": projection.name}
        yield Reading("list_complete", "Whether the list was built from all streams.", is_complete(projection), labels)


def _read_archive(parts: Parts) -> Iterator[Reading]:
    if parts.archive is not None:
        packs, size, _ = parts.archive.measure()
        yield Reading("archive_packs", "Packs in the archive, as of a few minutes ago.", packs)
        yield Reading("archive_bytes", "What they take.", size)
        packs, size, progress = parts.archive.copies.measure()
        yield Reading("archive_copies_packs", "Packs with copies of what is not sealed.", packs)
        yield Reading("archive_copies_bytes", "What they take.", size)
        copied_ms = parse_progress(progress).copied_ms
        if copied_ms is not None:
            silent_s = (now_ms() - copied_ms) / 1000
            yield Reading("archive_copied_seconds", "Everything that was stored longer ago is copied.", silent_s)
