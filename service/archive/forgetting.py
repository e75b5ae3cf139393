"""Forgetting: a match is deleted for good, from the store and from every pack, where the law asks for it.

What is done is noted in the archive first. So the match does not come back when places are recovered from packs, and
whoever runs the deletion again after it died completes it.
"""

from collections.abc import Sequence

import orjson

from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.repacking import repack
from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.port import EventStore, Moved, StoreUnavailable


def find_copies(archive: Archive, stream: str) -> list[str]:
    """The packs that have a copy of a stream. ArchiveUnavailable; PackDamaged if a pack does not say."""
    found = []
    for name, _ in sorted(archive.list_packs()):
        for number, block in enumerate(archive.read_table(name)):
            if block.first <= stream <= block.last and stream in archive.open_block(name, number).streams:
                found.append(name)
                break
    return found


def forget_match(
    store: EventStore, archive: Archive, match: str, copies: Sequence[str], by: str, why: str, now_ms: int
) -> None:
    """Delete a match that is sealed, or that the store has no more, from the store and from these packs.

    Who did it, when and why is noted in the archive, with the hash of the match's last event. StoreUnavailable,
    ArchiveUnavailable, PackDamaged; call this again to continue.
    """
    [place] = store.places([match])
    note = {"at": now_ms, "by": by, "head": _find_head(archive, match, copies), "match": match, "why": why}
    archive.note_forgotten(match, orjson.dumps(note) + b"\n")
    if place is not None and store.move([Moved(match, place, None)]) != [True]:
        raise StoreUnavailable(f"{match} was moved or unsealed meanwhile: try again")
    if copies:
        kept = repack(store, archive, copies, lambda stream: stream == match).new
        for name in copies:
            if name not in kept:
                archive.delete_pack(name)


def _find_head(archive: Archive, match: str, copies: Sequence[str]) -> str | None:
    """The hash of the last event in the copy with most events, in hexadecimal."""
    found = [
        (block.events[slot], block.heads[slot].hex())
        for name in copies
        for _, block in archive.open_blocks(name)
        for slot, stream in enumerate(block.streams)
        if stream == match
    ]
    if copies and not found:
        raise PackDamaged(f"{match} is in none of these packs any more: try again")
    return max(found)[1] if found else None
