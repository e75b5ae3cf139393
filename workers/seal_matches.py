"""The job that seals settled matches: it puts them into the archive and takes them out of the store's memory."""

import logging
from collections.abc import Sequence

from plyscribe.service import metrics
from plyscribe.service.archive.repacking import drop_emptied, merge_small
from plyscribe.service.archive.sealing import seal_streams
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.workers.parts import process_parts

log = logging.getLogger(__name__)


def seal_matches(matches: Sequence[str]) -> None:
    """Seal those of these matches that are settled. May run any number of times, also at the same time.

    What cannot be sealed now stays where it is, and the relay sends it again.
    """
    seal_all(process_parts(), matches)


def seal_all(parts: Parts, streams: Sequence[str]) -> int:
    """Seal these matches in one pack, merge small packs, remove emptied ones, and return how many were sealed."""
    if parts.archive is None:
        return 0
    outcome = seal_streams(parts.store, parts.archive, streams)
    metrics.note_sealed(outcome.sealed, outcome.events)
    if outcome.sealed:
        log.info("sealed %d matches with %d events in pack %s", outcome.sealed, outcome.events, outcome.pack)
    merged = merge_small(parts.store, parts.archive)
    if merged is not None:
        log.info("merged %d small packs into pack %s", merged.packs, ", ".join(merged.new))
    for name in drop_emptied(parts.store, parts.archive, now_ms()):
        log.info("removed pack %s: all that was in it has long been in other packs", name)
    return outcome.sealed
