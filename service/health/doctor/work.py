"""Checks of the relay, the queues, the workers and the lists."""

from collections import Counter
from collections.abc import Iterator
from random import sample

from plyscribe.service.archive.copies import parse_progress
from plyscribe.service.archive.examining import find_strays, list_sealed
from plyscribe.service.archive.packs import pack_of
from plyscribe.service.archive.storage import Archive
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.health.doctor.finding import Finding, State, judge, looked_at
from plyscribe.service.health.vitals import QueueVitals, Vitals, open_vitals
from plyscribe.service.lists.projections import is_complete, needs_build
from plyscribe.service.processes.serving import is_served
from plyscribe.service.queues import DATASET, SEAL
from plyscribe.service.store.requirements import examine_queue_server

SILENT_S = 30.0
"""The relay gives a sign of life twice a second, except while it scans all streams."""

DATABASE_REMEDY = "people can play meanwhile; see 'The read database' in docs/operations.md"

ARCHIVE_REMEDY = "people can play meanwhile; see 'The archive' in docs/operations.md"

LOST_REMEDY = "mount it, restore it from a backup, or correct PLYSCRIBE_ARCHIVE"

PLACES = 100
"""How many packs are looked into."""

SEAL_LATE_S = 3 * 3600.0
"""Matches that may be sealed wait for others for up to an hour, so that packs are not too small."""

COPY_LATE_S = 3600.0
"""Copies may be this much older than a match may rest."""

LATE_S = 60.0
"""If something has waited for longer than this, something is wrong."""


def examine_work(parts: Parts) -> Iterator[Finding]:
    """All checks of the work that is done outside the API."""
    with open_vitals(parts.config) as vitals:
        yield from looked_at("relay", lambda: _examine_relay(vitals))
        yield from looked_at(
            "queue", lambda: _examine_queues(vitals, parts), "start the server that RQ_REDIS_URL names"
        )
        yield from looked_at("refuted", lambda: _examine_refuted(vitals))
        yield from looked_at("damaged", lambda: _examine_chains(vitals))
        yield from looked_at("unsettled", lambda: _examine_unsettled(vitals))
        yield from looked_at("archive", lambda: _examine_archive(parts, vitals), ARCHIVE_REMEDY)
    yield from looked_at("database", lambda: _examine_database(parts), DATABASE_REMEDY)


def _examine_relay(vitals: Vitals) -> Iterator[Finding]:
    feed = vitals.feed()
    start = "start one: `python -P -m plyscribe.workers relay`; if one ended, its log says why"
    if feed.silent_s is None:
        yield Finding("relay", "wrong", "no relay has ever worked on this store", start)
    else:
        yield judge("relay", feed.silent_s < SILENT_S, f"last at work {feed.silent_s:.1f} s ago", start)
    text = f"{feed.entries} appends waiting, the oldest for {feed.oldest_s:.1f} s"
    yield judge("feed", feed.oldest_s < LATE_S, text, "see the relay's log")


def _examine_queues(vitals: Vitals, parts: Parts) -> Iterator[Finding]:
    obstacles = examine_queue_server(vitals.queue_server)
    yield from (Finding("queue", "wrong", obstacle.text, obstacle.remedy) for obstacle in obstacles)
    for queue in [] if obstacles else vitals.queues():
        if is_served(queue.name, parts.config):
            yield from _examine_queue(queue)


def _examine_queue(queue: QueueVitals) -> Iterator[Finding]:
    start = f"start one: `python -P -m plyscribe.workers {queue.name}`"
    yield judge("worker", queue.workers > 0, f"{queue.workers} on the queue {queue.name}", start)
    text = f"{queue.name}: {queue.length} jobs waiting, the oldest for {queue.oldest_s:.1f} s"
    # Whoever waits for a dataset waits for all that are made before it, which may take hours.
    level: State = "note" if queue.name == DATASET else "wrong"
    yield judge("queue", queue.oldest_s < LATE_S, text, "start more workers", level)
    text = f"{queue.name}: {queue.failed} jobs failed in the last week"
    yield judge("queue", not queue.failed, text, "the workers' logs say why; the matches will be tried again", "note")


def _examine_unsettled(vitals: Vitals) -> Iterator[Finding]:
    matches, oldest_s, alarms = vitals.unsettled()
    text = f"{matches} finished matches without a verdict or score, the oldest for {oldest_s:.0f} s"
    yield judge("unsettled", oldest_s < LATE_S, text, "see the logs of the workers and the relay")
    text = f"{alarms} of them were repeatedly sent to the workers in vain"
    yield judge("alarm", not alarms, text, "the relay's log names them; the workers' logs say why")


def _examine_refuted(vitals: Vitals) -> Iterator[Finding]:
    matches, some = vitals.refuted()
    names = f": {', '.join(some)}{', …' if matches > len(some) else ''}" if some else ""
    remedy = "see 'Refuted matches' in docs/operations.md"
    yield judge("refuted", not matches, f"{matches} refuted matches{names}", remedy)


def _examine_chains(vitals: Vitals) -> Iterator[Finding]:
    chains = vitals.chains()
    names = "".join(f", {stream} from event {version} on" for stream, version in chains.some)
    more = ", …" if chains.damaged > len(chains.some) else ""
    remedy = "see 'Damaged streams' in docs/operations.md"
    yield judge("damaged", not chains.damaged, f"{chains.damaged} damaged streams{names}{more}", remedy)


def _examine_archive(parts: Parts, vitals: Vitals) -> Iterator[Finding]:
    archive, some = parts.archive, parts.store.sealed(limit=1)
    if archive is None:
        text = "none, but there are sealed matches" if some else "none: matches stay in the store's memory"
        yield judge("archive", not some, text, "set PLYSCRIBE_ARCHIVE to where they are")
        return
    if archive.is_there():
        archive.require_writable()
        packs, size, _ = archive.measure()
        yield Finding("archive", "ok", f"{packs} packs with {size / 2**20:.1f} MiB at {archive.address}")
        yield from _examine_places(parts, archive)
        if is_served(SEAL, parts.config):
            yield _examine_copies(archive.copies, parts.config.seal_after_s or 0)
    elif some:
        yield Finding("archive", "wrong", f"there are sealed matches, and {archive.address} is missing", LOST_REMEDY)
    else:
        yield Finding("archive", "note", f"{archive.address} does not exist yet: it is made with the first pack")
    if is_served(SEAL, parts.config):
        matches, oldest_s = vitals.sealable()
        text = f"{matches} settled matches wait until they are sealed, the oldest due for {oldest_s:.0f} s"
        yield judge("sealing", oldest_s < SEAL_LATE_S, text, "see the logs of the relay and the queue seal")


def _examine_copies(copies: Archive, rest_s: int) -> Finding:
    """How old the copies are of what is not sealed."""
    if not copies.is_there():
        return Finding(
            "copies", "note", "none yet: the first ones are made within minutes, or by `plyscribe archive copy`"
        )
    packs, size, progress = copies.measure()
    copied_ms = parse_progress(progress).copied_ms
    taken = f"{packs} packs with {size / 2**20:.1f} MiB"
    if copied_ms is None:
        return Finding("copies", "note", f"{taken}; the first pass over all streams is not complete")
    age_s = (now_ms() - copied_ms) / 1000
    text = f"{taken}, with everything stored more than {age_s / 3600:.1f} hours ago"
    return judge("copies", age_s < rest_s + COPY_LATE_S, text, "see the logs of the relay and the queue seal")


def _examine_places(parts: Parts, archive: Archive) -> Iterator[Finding]:
    """Check that all packs with sealed matches are there, and find one match in each of a random sample of packs."""
    matches, one_of_each = Counter[str](), dict[str, tuple[str, bytes]]()
    for stream, place in list_sealed(parts.store):
        matches[pack_of(place)] += 1
        one_of_each[pack_of(place)] = stream, place
    there = matches.keys() & {pack.name for pack in archive.list_packs()}
    lost = sorted(matches.keys() - there)
    looked_for = [*lost, *sample(sorted(there), min(PLACES, len(there)))]
    strays = [*find_strays(parts.store, archive, (one_of_each[pack] for pack in looked_for))]
    text = f"{matches.total()} sealed matches are in {len(matches)} packs, which are all there"
    if strays:
        gone = f"{sum(matches[pack] for pack in lost)} of {matches.total()} sealed matches are in packs that are gone; "
        more = f", and {len(strays) - 1} more" if len(strays) > 1 else ""
        text = f"{gone if lost else ''}{': '.join(strays[0])}{more}"
    yield judge(
        "places", not strays, text, "run `plyscribe archive verify`, and see 'The archive' in docs/operations.md"
    )


def _examine_database(parts: Parts) -> Iterator[Finding]:
    url = parts.database.url.render_as_string()
    yield Finding("database", "ok", f"{parts.database.ask()} at {url}")
    lag = parts.lists.lag()
    text = f"{lag.entries} appends are not entered yet, the oldest for {lag.ms / 1000:.1f} s"
    yield judge("database", lag.ms < LATE_S * 1000, text, "see the relay's log")
    yield from _examine_lists(parts)


def _examine_lists(parts: Parts) -> Iterator[Finding]:
    for projection in parts.projections:
        if is_complete(projection):
            yield Finding("list", "ok", f"{projection.name}, complete")
        elif needs_build(projection):
            yield Finding(
                "list", "note", f"{projection.name}, not built", "a relay will build it, or run `plyscribe rebuild`"
            )
        else:
            yield Finding("list", "note", f"{projection.name}, being built")
