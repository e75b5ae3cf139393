"""What is wrong with what works beside the API: relay, queues, workers, lists."""

from collections.abc import Iterator

from plyscribe.service.composition import Parts
from plyscribe.service.health.doctor.finding import Finding, judge, looked_at
from plyscribe.service.health.vitals import QueueVitals, Vitals, open_vitals
from plyscribe.service.lists.projections import is_complete, needs_build

SILENT_S = 30.0
"""The relay asks for the feed twice a second, unless it scans all streams."""

LATE_S = 60.0
"""What waits for longer than this waits for something that is wrong."""


def examine_work(parts: Parts) -> Iterator[Finding]:
    """All findings on what works beside the API."""
    with open_vitals(parts.config) as vitals:
        yield from looked_at("relay", lambda: _examine_relay(vitals))
        yield from looked_at("queue", lambda: _examine_queues(vitals), "start the server that RQ_REDIS_URL names")
        yield from looked_at("refuted", lambda: _examine_refuted(vitals))
        yield from looked_at("unsettled", lambda: _examine_unsettled(vitals))
    yield from looked_at("list", lambda: _examine_lists(parts))


def _examine_relay(vitals: Vitals) -> Iterator[Finding]:
    feed = vitals.feed()
    start = "start one: `python -m plyscribe.workers relay`; its log says why it ended"
    if feed.silent_s is None:
        yield Finding("relay", "wrong", "none has ever followed the feed", start)
    else:
        yield judge("relay", feed.silent_s < SILENT_S, f"asked for the feed {feed.silent_s:.1f} s ago", start)
    text = f"{feed.entries} appends wait for it, the oldest for {feed.oldest_s:.1f} s"
    yield judge("feed", feed.oldest_s < LATE_S, text, "see the relay's log")


def _examine_queues(vitals: Vitals) -> Iterator[Finding]:
    for queue in vitals.queues():
        yield from _examine_queue(queue)


def _examine_queue(queue: QueueVitals) -> Iterator[Finding]:
    start = f"start one: `python -m plyscribe.workers {queue.name}`"
    yield judge("worker", queue.workers > 0, f"{queue.workers} on the queue {queue.name}", start)
    text = f"{queue.name}: {queue.length} jobs wait, the oldest for {queue.oldest_s:.1f} s"
    yield judge("queue", queue.oldest_s < LATE_S, text, "start more workers")
    text = f"{queue.name}: {queue.failed} jobs failed within a week"
    yield judge("queue", not queue.failed, text, "the workers' logs say why; the matches are tried again", "note")


def _examine_unsettled(vitals: Vitals) -> Iterator[Finding]:
    matches, oldest_s, alarms = vitals.unsettled()
    text = f"{matches} finished matches wait for verdict or score, the oldest for {oldest_s:.0f} s"
    yield judge("unsettled", oldest_s < LATE_S, text, "see the logs of workers and relay")
    text = f"{alarms} of them were sent to the workers again and again, to no avail"
    yield judge("alarm", not alarms, text, "the relay's log names them, the workers' logs say why")


def _examine_refuted(vitals: Vitals) -> Iterator[Finding]:
    matches, some = vitals.refuted()
    names = f": {', '.join(some)}{', …' if matches > len(some) else ''}" if some else ""
    remedy = "see 'Refuted matches' in docs/operations.md"
    yield judge("refuted", not matches, f"{matches} matches are refuted and set aside{names}", remedy)


def _examine_lists(parts: Parts) -> Iterator[Finding]:
    for projection in parts.lists.projections:
        if is_complete(projection):
            yield Finding("list", "ok", f"{projection.name}, complete")
        elif needs_build(projection):
            yield Finding("list", "note", f"{projection.name}, not built", "a relay does it, or `plyscribe rebuild`")
        else:
            yield Finding("list", "note", f"{projection.name}, being built")
