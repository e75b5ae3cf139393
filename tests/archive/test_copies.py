"""Copies of streams that are not sealed: they follow the store, and what the store lost comes back from them."""

from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

import pytest

from plyscribe.domain.chain import first_link, link_all
from plyscribe.service.archive import copying, restoring
from plyscribe.service.archive.copies import Progress, Segment, follow_copy, note_progress, read_progress, walk_copies
from plyscribe.service.archive.copying import (
    Copied,
    copy_streams,
    drop_emptied_copies,
    merge_copies,
    merge_small_copies,
)
from plyscribe.service.archive.errors import ArchiveUnavailable
from plyscribe.service.archive.restoring import Restored, restore_copies
from plyscribe.service.archive.storage import Archive
from plyscribe.service.clock import now_ms
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import CommandKey, EventStore, Stored
from tests.archive.settled import picture
from tests.archive.stranger import read_pack
from tests.archive.test_sealing import Died, dying, open_again

LINE = b'{"at":%d,"by":"system:test","cause":"%b","data":{"text":"%b"},"type":"tested","version":%d}'
ANN, CUP, LEDGER, TAKEN, MATCH = "player-ann", "tournament-cup", "ratings-zhen", "import-taken", "match-under-way"
OTHERS = [ANN, CUP, LEDGER, TAKEN]
CLOCK = count(1)


@pytest.fixture
def copies(archive: Archive) -> Archive:
    return archive.copies


def grow(store: EventStore, stream: str, events: int = 1, text: bytes = b"x") -> None:
    """Append a command with so many events to a stream."""
    have = store.load(stream).entries
    version, head = len(have), have[-1].h if have else b""
    id = Random(f"{stream} {version} {text!r}").randbytes(16)
    lines = [LINE % (version + n, id.hex().encode(), text, version + n) for n in range(1, events + 1)]
    stored = link_all(head or first_link(stream), version + 1, lines)
    key = CommandKey(id, Random(version).randbytes(8))
    assert store.append(stream, version, head, stored, ["tested"] * events, key) == Stored(
        version + 1, version + events
    )


def fill(store: EventStore) -> None:
    for number, stream in enumerate([*OTHERS, MATCH], 1):
        for _ in range(number):
            grow(store, stream, number)


def copy(store: EventStore, copies: Archive, clock=CLOCK) -> Copied:
    return copy_streams(store, copies, lambda: next(clock))


def restore(copies: Archive, store: EventStore | None = None) -> MemoryStore:
    """The store, or an empty one, after everything was restored without a fault."""
    store = MemoryStore() if store is None else store
    assert restore_copies(store, copies).faults == ()
    return store


def others(store: EventStore) -> dict:
    """All that a store has to show of the streams that are copied."""
    return {stream: of for stream, of in picture(store)["streams"].items() if stream != MATCH}


def segments_of(copies: Archive, stream: str) -> list[Segment]:
    names = [pack.name for pack in copies.list_packs()]
    return dict(walk_copies(copies, names, pytest.fail)).get(stream, [])


def test_an_empty_store_gets_all_streams_but_matches_from_their_copies(store, copies, monkeypatch):
    fill(store)
    with monkeypatch.context() as patched:
        patched.setattr(copies, "put", raise_away)
        with pytest.raises(ArchiveUnavailable):
            copy(store, copies)
    done = copy(store, copies)
    assert (done.looked_at, done.streams, done.events, done.is_complete) == (4, 4, 1 + 4 + 9 + 16, True)
    again = MemoryStore()
    restored = restore_copies(again, open_again(copies))
    kinds = {"player": 1, "tournament": 1, "ratings": 1, "import": 1}
    assert restored == Restored(read_progress(copies).copied_ms, kinds, kinds, 30, ())
    assert others(again) == others(store)
    assert again.load(MATCH).entries == []
    assert again.tail().entries == []


def raise_away(*_: object) -> None:
    raise ArchiveUnavailable("away")


def test_a_pass_copies_only_what_came_since_the_last_one(store, copies):
    fill(store)
    copy(store, copies)
    packs = len(list(copies.list_packs()))
    assert copy(store, copies) == Copied(4, 0, 0, is_complete=True)
    assert len(list(copies.list_packs())) == packs
    grow(store, LEDGER, 2)
    grow(store, "name-new")
    assert copy(store, copies) == Copied(5, 2, 3, is_complete=True)
    assert [(each.after, each.upto) for each in segments_of(copies, LEDGER)] == [(0, 9), (9, 11)]
    assert others(restore(copies)) == others(store)


def test_a_long_stream_is_copied_in_parts_that_end_with_a_command(store, copies, monkeypatch):
    monkeypatch.setattr(copying, "BLOCK_BYTES", 400)
    monkeypatch.setattr(copying, "PACK_BYTES", 2000)
    monkeypatch.setattr(copying, "EVENTS_AT_ONCE", 4)
    for events in (1, 2, 3, 7, 1, 9, 2, 2, 5, 1):
        grow(store, LEDGER, events)
    copy(store, copies)
    chain = follow_copy(segments_of(copies, LEDGER))
    assert len(chain) > 3
    assert {each.upto for each in chain} <= {1, 3, 6, 13, 14, 23, 25, 27, 32, 33}
    assert len(list(copies.list_packs())) > 1
    monkeypatch.setattr(restoring, "WHOLE_BYTES", 1000)
    again = restore(copies)
    assert others(again) == others(store)
    assert sum(entry.last - entry.first + 1 for entry in again.tail().entries) < 33


def test_a_pass_goes_on_where_it_stopped_or_begins_anew(store, copies):
    fill(store)
    clock = iter(range(100, 200))

    class Slow(MemoryStore):
        """Lists one stream at a time."""

        def __init__(self) -> None:
            self.__dict__ = store.__dict__

        def streams(self, after: str = "", limit: int = 1) -> list[str]:
            return super().streams(after, 1)

    steps = 0
    while not copy_streams(Slow(), copies, lambda: next(clock), lambda: True).is_complete:
        assert read_progress(copies).begun_ms == 100
        steps += 1
    assert steps == 5
    assert read_progress(copies) == (None, "", 100)
    assert others(restore(copies)) == others(store)
    grow(store, ANN)
    note_progress(copies, Progress(begun_ms=1, after=store.streams()[-1]))
    done = copy_streams(store, copies, lambda: next(clock), begins_anew=True)
    assert (done.streams, read_progress(copies).copied_ms > 100) == (1, True)


def test_a_stream_that_was_cut_short_is_copied_anew(store, copies):
    fill(store)
    copy(store, copies)
    [last] = link_all(first_link(TAKEN), 1, [b'{"all":"gone"}'])
    newest = store.newest([TAKEN])[0]
    assert store.condense(TAKEN, newest.version, newest.h, last, "dropped")
    copy(store, copies)
    assert restore(copies).load(TAKEN).entries == [last]
    grow(store, TAKEN, 20)
    copy(store, copies)
    assert restore(copies).load(TAKEN).entries == store.load(TAKEN).entries


def test_what_the_store_lost_and_wrote_otherwise_is_copied_as_it_is_now(store, copies):
    fill(store)
    behind = shortened(store, 2)
    copy(store, copies)
    # The store is restored from a backup: nothing is copied, and nothing is lost from the copies.
    assert copy(behind, copies).streams == 0
    assert others(restore(copies)) == others(store)
    grow(behind, LEDGER, 30, b"otherwise")
    assert copy(behind, copies).streams == 1
    assert restore(copies).load(LEDGER).entries == behind.load(LEDGER).entries


def shortened(store: MemoryStore, commands: int) -> MemoryStore:
    """A store in which each stream has only its first commands."""
    behind = MemoryStore()
    for stream in OTHERS:
        [known] = store.commands([stream])
        entries = store.load(stream).entries[: known[:commands][-1].last]
        assert behind.unseal(stream, None, entries, known[:commands])
    return behind


def test_a_damaged_stream_is_copied_up_to_the_damage(store, copies, caplog):
    grow(store, ANN, 3)
    entries = store._events[ANN]
    entries[1] = entries[1]._replace(e=entries[1].e.replace(b"tested", b"tasted"))
    grow(store, CUP)
    assert copy(store, copies).streams == 1
    assert f"{ANN} is not copied" in caplog.text
    assert restore(copies).streams() == [CUP]


# Restoring


def test_what_is_newer_in_the_store_stays_and_what_is_behind_goes_on(store, copies):
    fill(store)
    copy(store, copies)
    behind = shortened(store, 2)
    grow(store, ANN, 2)
    before = others(store)
    assert restore_copies(store, copies).events == 0
    assert others(store) == before
    held = others(behind)
    restored = restore_copies(behind, copies)
    assert restored.restored == {"ratings": 1, "import": 1}
    assert others(behind) == {**before, ANN: held[ANN]}
    assert restore_copies(behind, copies).events == 0


def test_a_stream_that_differs_is_named_and_stays(store, copies):
    fill(store)
    copy(store, copies)
    other = MemoryStore()
    grow(other, ANN, 1, b"otherwise")
    grow(other, LEDGER, 99, b"otherwise")
    before = others(other)
    faults = restore_copies(other, copies).faults
    assert [fault.partition(":")[0] for fault in faults] == [LEDGER, ANN]
    assert others(other) == {**others(store), **before}


def test_a_dropped_record_stays_dropped(store, copies):
    received = link_all(first_link(TAKEN), 1, [b'{"type":"record-received"}', b'{"type":"record-refused"}'])
    older = MemoryStore()
    for each in (store, older):
        each.append(TAKEN, 0, b"", received, ["x", "y"], CommandKey(bytes(16), bytes(8)))
    copy(store, copies)
    line = b'{"data":{"events":2,"head":"%b"},"type":"record-dropped"}' % received[-1].h.hex().encode()
    [dropped] = link_all(first_link(TAKEN), 1, [line])
    store.condense(TAKEN, 2, received[-1].h, dropped, "record-dropped")
    assert restore(copies, store).load(TAKEN).entries == [dropped]
    copy(store, copies)
    assert restore(copies, older).load(TAKEN).entries == received


def test_of_a_lost_pack_the_streams_before_it_come_back_and_the_rest_is_named(store, copies):
    fill(store)
    copy(store, copies)
    packs = {pack.name for pack in copies.list_packs()}
    grow(store, ANN)
    copy(store, copies)
    [lost] = {pack.name for pack in copies.list_packs()} - packs
    grow(store, ANN)
    copy(store, copies)
    copies.delete_pack(lost)
    again = MemoryStore()
    [fault] = restore_copies(again, open_again(copies)).faults
    assert fault.startswith(f"{ANN}: its copy goes to event 1 only")
    assert again.load(ANN).entries == store.load(ANN).entries[:1]
    # The next pass copies again what is missing.
    copy(store, open_again(copies))
    assert others(restore(copies)) == others(store)


@pytest.mark.parametrize("seed", range(30))
def test_no_altered_bit_becomes_an_event(store, copies, seed):
    fill(store)
    for _ in range(3):
        copy(store, copies)
        grow(store, ANN, 3)
        grow(store, CUP, 2)
    copy(store, copies)
    rng, held = Random(seed), others(store)
    name = rng.choice(sorted(pack.name for pack in copies.list_packs()))
    [path] = Path(copies.address.removeprefix("file://")).rglob(f"{name}.pack")
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    again = MemoryStore()
    restored = restore_copies(again, open_again(copies))
    for stream in again.streams():
        entries, commands = held[stream]
        found = again.load(stream).entries
        assert found == entries[: len(found)]
        assert again.commands([stream])[0] == commands[: len(again.commands([stream])[0])]
    if others(again) != held:
        assert restored.faults
    # Copies heal: what is missing is copied again.
    copy(store, open_again(copies))
    after = MemoryStore()
    restore_copies(after, open_again(copies))
    assert others(after) == held


def test_a_damaged_pack_stays_when_the_others_are_merged_and_keeps_nothing_from_being_removed(store, copies):
    clock = count(1)
    for stream in OTHERS:
        grow(store, stream)
        copy(store, copies, clock)
    names = sorted(pack.name for pack in copies.list_packs())
    [path] = Path(copies.address.removeprefix("file://")).rglob(f"{names[0]}.pack")
    path.write_bytes(b"x" * 200)
    again = open_again(copies)
    merged = merge_copies(again, names)
    assert merged.packs == 3
    assert sorted(again.list_emptied()) == names[1:]
    assert sorted(drop_emptied_copies(again, now_ms() + 1, kept_ms=0)) == names[1:]
    assert len(restore_copies(MemoryStore(), again).faults) == 1
    copy(store, again, clock)
    fresh = MemoryStore()
    restore_copies(fresh, again)
    assert others(fresh) == others(store)


# Whatever dies


@pytest.mark.parametrize("after", range(40))
def test_whatever_dies_copies_are_sound_and_the_next_pass_completes_them(store, copies, after, monkeypatch):
    monkeypatch.setattr(copying, "PACK_BYTES", 500)
    fill(store)
    counted, clock = [0], count(1)
    shaky = dying(store, after, counted), dying(copies, after, counted)
    try:
        copy(*shaky, clock)
        grow(store, ANN)
        copy(*shaky, clock)
        merge_copies(shaky[1], [pack.name for pack in copies.list_packs()])
        grow(store, ANN)
        copy(*shaky, clock)
    except Died:
        pass
    again = restore(open_again(copies))
    for stream in again.streams():
        entries = again.load(stream).entries
        assert entries == store.load(stream).entries[: len(entries)]
    while not copy(store, open_again(copies), clock).is_complete:
        pass
    assert others(restore(open_again(copies))) == others(store)


@pytest.mark.parametrize("after", range(40))
def test_a_restore_that_died_is_completed_by_running_it_again(store, copies, after, monkeypatch):
    monkeypatch.setattr(restoring, "WHOLE_BYTES", 100)
    fill(store)
    copy(store, copies)
    again, counted = MemoryStore(), [0]
    with suppress(Died):
        restore_copies(dying(again, after, counted), dying(copies, after, counted))
    assert others(restore(copies, again)) == others(store)


# Merging


def test_many_small_packs_become_one_in_which_parts_are_joined(store, copies, monkeypatch):
    monkeypatch.setattr(copying, "SMALL_PACKS", 5)
    fill(store)
    clock = count(1)
    for number in range(5):
        assert merge_small_copies(copies) is None
        grow(store, LEDGER, number + 1)
        grow(store, f"player-{number}")
        copy(store, copies, clock)
    old = {pack.name for pack in copies.list_packs()}
    merged = merge_small_copies(copies)
    assert (merged.packs, len(merged.new)) == (5, 1)
    assert set(copies.list_emptied()) == old
    # Old packs are there still, and do no harm.
    assert others(restore(copies)) == others(store)
    assert copy(store, copies, clock).streams == 0
    assert sorted(drop_emptied_copies(copies, now_ms() + 1, kept_ms=0)) == sorted(old)
    [segment] = segments_of(copies, LEDGER)
    assert (segment.after, segment.upto) == (0, 24)
    assert others(restore(copies)) == others(store)
    assert merge_small_copies(copies) is None


def test_merging_some_packs_only_keeps_the_order_in_which_parts_were_copied(store, copies):
    clock, names = count(1), []
    for text in (b"one", b"two", b"three"):
        before = {pack.name for pack in copies.list_packs()}
        grow(store, ANN, 2, text)
        if text == b"two":
            # It lost its end, and was written otherwise.
            store = MemoryStore()
            grow(store, ANN, 3, text)
        copy(store, copies, clock)
        [name] = {pack.name for pack in copies.list_packs()} - before
        names.append(name)
    merge_copies(copies, [names[0], names[2]])
    drop_emptied_copies(copies, now_ms() + 1, kept_ms=0)
    assert others(restore(copies)) == others(store)
    merge_copies(copies, [pack.name for pack in copies.list_packs()])
    drop_emptied_copies(copies, now_ms() + 1, kept_ms=0)
    assert len(segments_of(copies, ANN)) == 1
    assert others(restore(copies)) == others(store)


def test_a_stranger_reads_copies_by_the_documentation_alone(store, copies):
    fill(store)
    copy(store, copies)
    grow(store, LEDGER, 2)
    copy(store, copies)
    found: dict[str, list[bytes]] = {}
    packs = [read_pack(copies.read_pack(pack.name), {}) for pack in copies.list_packs()]
    for (stream, after, _), (lines, _) in sorted((key, part) for parts in packs for key, part in parts.items()):
        assert len(found.setdefault(stream, [])) == after
        found[stream] += lines
    assert found == {stream: [entry.e for entry in store.load(stream).entries] for stream in OTHERS}
