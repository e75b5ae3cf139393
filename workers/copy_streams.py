"""The job that copies what is not sealed into the archive: accounts, tournaments, ledgers, imports, names."""

import logging
import time
from collections.abc import Sequence

from plyscribe.service.archive.copies import read_progress
from plyscribe.service.archive.copying import copy_streams as copy_some
from plyscribe.service.archive.copying import drop_emptied_copies, merge_small_copies
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.workers.parts import process_parts

WORK_S = 120.0
"""How long a job copies at most, so that matches that wait to be sealed have their turn."""

log = logging.getLogger(__name__)


def copy_streams(_: Sequence[str]) -> None:
    """Go on with the pass over all streams, or begin one if it is time. May run any number of times."""
    copy_due(process_parts())


def copy_due(parts: Parts) -> None:
    """Copy for WORK_S at most, unless the last complete pass is recent; then merge small packs, remove emptied ones."""
    rest_s = parts.config.seal_after_s
    if parts.archive is None or rest_s is None:
        return
    copies = parts.archive.copies
    progress = read_progress(copies)
    # Half of the time that a change may rest, so that a pass may take as long again.
    if progress.begun_ms is None and now_ms() - (progress.copied_ms or 0) < rest_s * 500:
        return
    enough_s = time.monotonic() + WORK_S
    done = copy_some(parts.store.within, copies, now_ms, lambda: time.monotonic() > enough_s)
    if done.streams:
        log.info("copied %d streams with %d events that were new", done.streams, done.events)
    merged = merge_small_copies(copies)
    if merged is not None:
        log.info("merged %d small packs of copies into pack %s", merged.packs, ", ".join(merged.new))
    for name in drop_emptied_copies(copies, now_ms()):
        log.info("removed pack %s of copies: all that was in it has long been in other packs", name)
