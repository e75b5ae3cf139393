"""The gauges: numbers that `/metrics` reads from the store with each request."""

import logging
from collections.abc import Iterator

from redis.exceptions import RedisError

from plyscribe.service.composition import Parts
from plyscribe.service.health.vitals import Vitals, open_vitals
from plyscribe.service.lists.projections import is_complete
from plyscribe.service.lists.registry import Lists
from plyscribe.service.metrics import Reading
from plyscribe.service.store.port import StoreError

log = logging.getLogger(__name__)


def read_gauges(parts: Parts) -> Iterator[Reading]:
    """All gauges; only `store_up` 0 if the store does not answer; none if the store is in memory."""
    if not parts.config.redis_url:
        return
    try:
        with open_vitals(parts.config) as vitals:
            readings = [*_read_feed(vitals), *_read_queues(vitals), *_read_unsettled(vitals), *_read_lists(parts.lists)]
    except (RedisError, StoreError) as error:
        log.warning("cannot read the gauges from the store: %s", error)
        yield _up(0)
        return
    yield _up(1)
    yield from readings


def _up(value: int) -> Reading:
    return Reading("store_up", "Whether the store and the queues answer.", value)


def _read_feed(vitals: Vitals) -> Iterator[Reading]:
    feed = vitals.feed()
    yield Reading("feed_lag_entries", "Appends that the relay has not processed yet.", feed.entries)
    yield Reading("feed_lag_seconds", "How long the oldest of them has been waiting.", feed.oldest_s)
    if feed.silent_s is not None:
        yield Reading("relay_silent_seconds", "Time since the relay last read the feed.", feed.silent_s)


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


def _read_lists(lists: Lists) -> Iterator[Reading]:
    for projection in lists.projections:
        labels = {"list": projection.name}
        yield Reading("list_complete", "Whether the list was built from all streams.", is_complete(projection), labels)
