"""Recovery: a store that lacks sealed matches, or has old places of them, gets their places from the packs again."""

from collections.abc import Callable
from typing import NamedTuple

from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.packs import OpenBlock, PackPlace, Slot, parse_place
from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.port import EventStore, Moved


class Recovered(NamedTuple):
    """How many packs were read and how many streams they have, what became of them, and which packs are damaged."""

    packs: int = 0
    streams: int = 0
    adopted: int = 0
    """The store did not know them."""

    moved: int = 0
    """Their place led nowhere, or to a copy with fewer events."""

    damaged: tuple[str, ...] = ()
    """What is wrong with packs that were passed over."""


def recover_places(
    store: EventStore, archive: Archive, report: Callable[[Recovered, int], object] = lambda *_: None
) -> Recovered:
    """Seal each stream of the packs that the store lacks, and report after each of so many packs.

    Of several copies of a match the one with most events counts. What the store has itself, and what was forgotten,
    stays so. Idempotent. StoreUnavailable, ArchiveUnavailable.
    """
    forgotten, names = archive.list_forgotten(), sorted(pack.name for pack in archive.list_packs())
    so_far = Recovered()
    for name in names:
        try:
            for number, (_, block) in enumerate(archive.open_blocks(name)):
                adopted, moved = _recover_block(store, archive, name, number, block, forgotten)
                so_far = so_far._replace(
                    streams=so_far.streams + len(block.streams),
                    adopted=so_far.adopted + adopted,
                    moved=so_far.moved + moved,
                )
        except PackDamaged as error:
            so_far = so_far._replace(damaged=(*so_far.damaged, f"pack {name}: {error}"))
        so_far = so_far._replace(packs=so_far.packs + 1)
        report(so_far, len(names))
    return so_far


def _recover_block(
    store: EventStore, archive: Archive, name: str, number: int, block: OpenBlock, forgotten: set[str]
) -> tuple[int, int]:
    places = [PackPlace(name, Slot(number, slot)).format() for slot in range(len(block.streams))]
    current = store.places(block.streams)
    unknown, moves = list[tuple[str, bytes]](), list[Moved]()
    for slot, (stream, place, known) in enumerate(zip(block.streams, places, current, strict=True)):
        if stream in forgotten:
            continue
        if known is None:
            unknown.append((stream, place))
        elif known != place and _is_better(archive, block, slot, known):
            moves.append(Moved(stream, known, place))
    return sum(store.adopt(unknown)), sum(store.move(moves))


def _is_better(archive: Archive, block: OpenBlock, slot: int, known: bytes) -> bool:
    """Whether this copy goes on where the one at the known place ends, or that one cannot be read."""
    stream = block.streams[slot]
    try:
        pack, place = parse_place(known)
        other = archive.open_block(pack, place.block)
        number = other.find(stream, place.number)
        ours = other.read_events(number)
    except PackDamaged:
        return True
    theirs = block.read_events(slot)
    return len(theirs) > len(ours) and theirs[len(ours) - 1].h == ours[-1].h
