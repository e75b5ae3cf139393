"""What the archive has, and whether it is what was written: packs are read whole, and matches executed again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.domain.errors import BrokenChain, DomainError, UnknownEventShape, UnknownEventType, UnknownRuleset
from plyscribe.domain.events import MatchRefuted
from plyscribe.domain.verification import execute_again
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.packs import OpenBlock, PackPlace, Slot, parse_footer, parse_place
from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.port import EventStore

AT_ONCE = 1000
"""Sealed streams that are asked for in one round trip."""

_REFUTED = f'"type":"{MatchRefuted.type}"'.encode()


class Contents(NamedTuple):
    """What is in a pack: its size in bytes, its streams and events, and the number of streams of each label."""

    name: str
    bytes: int
    streams: int
    events: int
    labels: dict[str, int]
    emptied_ms: int | None
    """Since when (UTC milliseconds) all its streams are elsewhere; None if they are not."""


class Fault(NamedTuple):
    """What is wrong with a pack, or with a stream in it."""

    pack: str
    stream: str | None
    why: str


class Task(NamedTuple):
    """A part of the examination: a pack as a whole (block None), or one of its blocks."""

    pack: str
    block: int | None
    size: int
    """How many bytes of the pack this is about; 0 for the whole, whose blocks have tasks of their own."""


class Examined(NamedTuple):
    """What was found in a task."""

    size: int
    streams: int = 0
    events: int = 0
    in_use: int = 0
    """How many of its streams the store has at their places in it."""

    faults: Sequence[Fault] = ()
    unknown: Sequence[Fault] = ()
    """Matches that cannot be executed again, because this release lacks their rules."""


def list_contents(archive: Archive) -> Iterator[Contents]:
    """What is in each pack, by name. ArchiveUnavailable; PackDamaged if the end of a pack cannot be read."""
    emptied = archive.list_emptied()
    for name, size in sorted(archive.list_packs()):
        labels: Counter[str] = Counter()
        table = archive.read_table(name)
        for block in table:
            labels[block.label] += block.streams
        events = sum(block.events for block in table)
        yield Contents(name, size, labels.total(), events, dict(sorted(labels.items())), emptied.get(name))


def list_tasks(archive: Archive, names: Iterable[str]) -> Iterator[Task]:
    """What is to be examined of these packs: each as a whole, and each of its blocks. ArchiveUnavailable."""
    for name in names:
        yield Task(name, None, 0)
        try:
            table = archive.read_table(name)
        except PackDamaged:
            # The task of the whole pack says so.
            continue
        for number, block in enumerate(table):
            yield Task(name, number, block.length)


def examine(store: EventStore, archive: Archive, task: Task) -> Examined:
    """Check a pack against its name and its table; or read a block, check its chains, and execute its matches again.

    StoreUnavailable, ArchiveUnavailable.
    """
    name, number, size = task
    if number is None:
        return Examined(size, faults=[*_examine_whole(archive, name)])
    try:
        block = archive.open_block(name, number)
    except PackDamaged as error:
        described = archive.read_table(name)[number]
        which = f"{described.streams} streams, {described.first} to {described.last}"
        return Examined(size, faults=[Fault(name, None, f"{which}: {_without_name(error, name)}")])
    faults, unknown, in_use = list[Fault](), list[Fault](), 0
    current = store.places(block.streams)
    for slot, stream in enumerate(block.streams):
        in_use += current[slot] == PackPlace(name, Slot(number, slot)).format()
        try:
            faults += [Fault(name, stream, why) for why in _find_faults(stream, block, slot)]
        except (UnknownRuleset, UnknownEventType, UnknownEventShape) as error:
            unknown.append(Fault(name, stream, str(error)))
    return Examined(size, len(block.streams), sum(block.events), in_use, faults, unknown)


def _examine_whole(archive: Archive, name: str) -> Iterator[Fault]:
    try:
        footer, table = parse_footer(archive.read_pack(name)), archive.read_table(name)
    except PackDamaged as error:
        yield Fault(name, None, _without_name(error, name))
        return
    said, found = (footer.streams, footer.events), (sum(b.streams for b in table), sum(b.events for b in table))
    if said != found:
        yield Fault(name, None, f"its footer counts {said} streams and events, its table {found}")


def _without_name(error: PackDamaged, name: str) -> str:
    return str(error).removeprefix(f"pack {name}").lstrip(": ")


def _find_faults(stream: str, block: OpenBlock, slot: int) -> Iterator[str]:
    try:
        entries, part = (kept := block.read(slot)).events, kept.part
        check_chain(first_link(stream) if part is None else part.before, kept.after, entries)
    except (PackDamaged, BrokenChain) as error:
        yield str(error)
        return
    if stream.startswith("match-"):
        yield from _execute(stream, entries)


def _execute(stream: str, entries: Sequence[StoredEvent]) -> Iterator[str]:
    """Why a match that was not refuted does not follow from its rules."""
    try:
        verdict = execute_again(stream, entries, believe_dice=True).verdict
    except (UnknownRuleset, UnknownEventType, UnknownEventShape):
        raise
    except DomainError as error:
        yield f"it cannot be executed again: {error}"
        return
    # What was found faulty before is kept as it is.
    if isinstance(verdict, MatchRefuted) and not any(_REFUTED in entry.e for entry in entries):
        yield f"event {verdict.version}: {verdict.why}"


def list_sealed(store: EventStore, after: str = "") -> Iterator[tuple[str, bytes]]:
    """The sealed streams of the store after this id, with their places."""
    while page := store.sealed(after, AT_ONCE):
        yield from page
        after = page[-1][0]


def find_strays(store: EventStore, archive: Archive, sealed: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, str]]:
    """Of these sealed streams those whose places do not lead to them, and why. StoreUnavailable, ArchiveUnavailable."""
    for stream, place in sealed:
        try:
            pack, (number, slot) = parse_place(place)
            archive.open_block(pack, number).find(stream, slot)
        except PackDamaged as error:
            # It may have been moved or unsealed meanwhile.
            if store.places([stream]) == [place]:
                yield stream, str(error)
