"""Sealing: whatever dies, every stream is whole, in the store or in a pack, and reads as before."""

from pathlib import Path

import pytest

from plyscribe.domain.chain import link_all
from plyscribe.service.archive.errors import ArchiveUnavailable, PackDamaged
from plyscribe.service.archive.packs import parse_place
from plyscribe.service.archive.repacking import drop_emptied, merge_small, repack
from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.sealing import MOST_STREAMS, Outcome, is_settled, seal_streams
from plyscribe.service.archive.storage import Archive
from plyscribe.service.clock import now_ms
from plyscribe.service.store import port
from plyscribe.service.store.memory import MemoryStore
from tests.archive.given import make_match
from tests.archive.settled import fill, make_settled, picture

NEW = port.CommandKey(b"n" * 16, b"d" * 8)


def open_again(archive: Archive) -> Archive:
    """As another process would open it."""
    return Archive(archive.address)


def test_settled_matches_leave_the_store_once_and_read_as_before(store, archive):
    matches = fill(store, [make_settled(number) for number in range(5)])
    before = picture(store)
    outcome = seal_streams(store, archive, matches)
    events = sum(len(store_events) for store_events, _ in before["streams"].values())
    assert outcome == Outcome(5, events, 0, 0, outcome.pack)
    assert seal_streams(store, archive, matches) == Outcome()
    assert store.streams() == []
    assert [store.load(match).entries for match in matches] == [[]] * 5
    assert [pack.name for pack in archive.list_packs()] == [outcome.pack]
    assert picture(SealedStore(store, archive)) == picture(SealedStore(store, open_again(archive))) == before


def test_a_match_that_is_not_settled_stays(store, archive):
    settled, open_ = make_settled(1), make_match(2)
    assert is_settled(settled.events)
    assert not is_settled(open_.events)
    fill(store, [settled, open_])
    outcome = seal_streams(store, archive, [settled.stream, open_.stream, "match-" + "q" * 26])
    assert (outcome.sealed, outcome.unfit) == (1, 1)
    assert store.streams() == [open_.stream]


def test_a_damaged_match_stays_where_it_is(store, archive, caplog):
    kept = make_settled(1)
    lines = [event.e for event in kept.events]
    broken = kept._replace(events=[*kept.events[:2], *link_all(b"other", 3, lines[2:])])
    fill(store, [broken])
    assert seal_streams(store, archive, [kept.stream]) == Outcome(unfit=1)
    assert store.load(kept.stream).entries == broken.events
    assert "is not sealed" in caplog.text
    assert not list(archive.list_packs())


def test_a_pack_has_only_so_many_streams(store, archive, monkeypatch):
    monkeypatch.setattr("plyscribe.service.archive.sealing.LOADED_AT_ONCE", 2)
    monkeypatch.setattr("plyscribe.service.archive.sealing.MOST_STREAMS", 3)
    assert MOST_STREAMS == 4096
    matches = fill(store, [make_settled(number) for number in range(6)])
    assert seal_streams(store, archive, matches).sealed == 4
    assert len(store.streams()) == 2


def test_a_match_that_changes_while_it_is_packed_stays(store, archive, monkeypatch):
    kept = make_settled(1)
    fill(store, [kept, make_settled(2)])
    put = archive.put

    def put_and_append(pack):
        put(pack)
        [event] = link_all(kept.head, len(kept.events) + 1, [b"{}"])
        assert store.append(kept.stream, len(kept.events), kept.head, [event], ["x"], NEW) == port.Stored(
            event.version, event.version
        )

    monkeypatch.setattr(archive, "put", put_and_append)
    outcome = seal_streams(store, archive, [kept.stream, make_settled(2).stream])
    assert (outcome.sealed, outcome.moved_on) == (1, 1)
    assert len(SealedStore(store, archive).load(kept.stream).entries) == len(kept.events) + 1


def test_nothing_leaves_the_store_if_the_pack_reads_otherwise(store, archive, monkeypatch):
    matches = fill(store, [make_settled(number) for number in range(3)])
    before, put = picture(store), archive.put
    monkeypatch.setattr(archive, "put", lambda pack: put(pack._replace(data=pack.data[:-9] + b"x" + pack.data[-8:])))
    with pytest.raises(PackDamaged):
        seal_streams(store, archive, matches)
    assert picture(store) == before


class Died(BaseException):
    """The process ends here."""


def dying(thing: object, after: int, counted: list[int]) -> object:
    """The thing itself, but after so many calls, of any things that count together, it does one more and dies."""

    class Dying:
        def __getattr__(self, name):
            attribute = getattr(thing, name)
            if not callable(attribute):
                return attribute

            def call(*args, **more):
                if counted[0] > after:
                    raise Died
                counted[0] += 1
                if counted[0] > after and counted[0] % 2:
                    # It dies before the call has any effect; otherwise after it.
                    raise Died
                found = attribute(*args, **more)
                if counted[0] > after:
                    raise Died
                return found

            return call

    return Dying()


@pytest.mark.parametrize("after", range(24))
def test_whatever_dies_every_match_is_whole(store, archive, after):
    matches = fill(store, [make_settled(number) for number in range(4)])
    before, counted = picture(store), [0]
    try:
        shaky = dying(store, after, counted), dying(archive, after, counted)
        seal_streams(shaky[0], shaky[1], matches[:2])
        seal_streams(shaky[0], shaky[1], matches[2:])
        repack(shaky[0], shaky[1], [pack.name for pack in archive.list_packs()])
        SealedStore(shaky[0], shaky[1]).append(matches[0], *end_of(before, matches[0]), NEW)
    except Died:
        pass
    again = open_again(archive)
    if picture(SealedStore(store, again)) != before:
        # The append was stored.
        assert after > 12
        assert len(SealedStore(store, again).load(matches[0]).entries) == len(before["streams"][matches[0]][0]) + 1
        assert isinstance(SealedStore(store, again).append(matches[0], *end_of(before, matches[0]), NEW), port.Seen)
    for match in matches:
        seal_streams(store, again, [match])
    after_all = picture(SealedStore(store, again))["streams"]
    assert {match: after_all[match] for match in matches[1:]} == {
        match: before["streams"][match] for match in matches[1:]
    }


def end_of(before: dict, match: str):
    entries, _ = before["streams"][match]
    [event] = link_all(entries[-1].h, len(entries) + 1, [b'{"type":"x","version":1}'])
    return len(entries), entries[-1].h, [event], ["x"]


# Appends to sealed streams


def test_an_append_unseals_the_match_unless_it_is_refused_and_later_it_is_sealed_again(store, archive):
    [match] = fill(store, [make_settled(1)])
    before = picture(store)
    seal_streams(store, archive, [match])
    sealed = SealedStore(store, archive)
    expected, head, events, types = end_of(before, match)
    entries, [first, *_] = before["streams"][match]
    assert sealed.append(match, 0, b"", entries[:1], ["x"], first.command) == port.Seen(first.first, first.last)
    stale = sealed.append(match, 2, head, [events[0]._replace(version=3)], types, NEW)
    assert stale == port.Stale(len(entries), entries[2:258])
    assert isinstance(store.append(match, expected, head, events, types, NEW), port.Sealed)
    assert store.streams() == []
    with pytest.raises(ArchiveUnavailable, match=match):
        SealedStore(store, None).load(match)
    assert sealed.append(match, expected, head, events, types, NEW) == port.Stored(expected + 1, expected + 1)
    assert store.streams() == [match]
    assert store.tail().entries[-1].last == expected + 1
    assert seal_streams(store, archive, [match]).sealed == 1
    assert sealed.append(match, expected, head, events, types, NEW) == port.Seen(expected + 1, expected + 1)
    assert sealed.append(match, expected, head, events, types, NEW._replace(digest=b"x" * 8)) == port.Reused()
    assert len(sealed.load(match).entries) == expected + 1


def test_a_pack_that_is_lost_or_altered_is_named_and_spares_the_others(store, archive):
    matches = fill(store, [make_settled(number) for number in range(3)])
    packs = [seal_streams(store, archive, [match]).pack for match in matches]
    path = Path(archive.address.removeprefix("file://"), "packs", packs[0][:2], f"{packs[0]}.pack")
    data = path.read_bytes()
    sealed = SealedStore(store, open_again(archive))
    path.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
    with pytest.raises(PackDamaged, match=f"{matches[0]}.*{packs[0]}"):
        sealed.load(matches[0])
    path.unlink()
    with pytest.raises(PackDamaged, match=f"{matches[0]}.*{packs[0]}.*missing"):
        SealedStore(store, open_again(archive)).load(matches[0])
    assert sealed.load(matches[1]).entries
    path.write_bytes(data)
    assert sealed.load(matches[0]).entries


# Repacking


def test_packs_are_merged_and_who_has_an_old_place_finds_the_new_one(store, archive, monkeypatch):
    matches = fill(store, [make_settled(number) for number in range(6)])
    before = picture(store)
    packs = [seal_streams(store, archive, [match]).pack for match in matches]
    assert merge_small(store, archive) is None
    monkeypatch.setattr("plyscribe.service.archive.repacking.SMALL_PACKS", 6)
    merged = merge_small(store, archive)
    assert (merged.packs, merged.streams) == (6, 6)
    assert {parse_place(place).pack for place in store.places(matches)} == {merged.pack}
    assert sorted(archive.list_emptied()) == sorted(packs)
    assert merge_small(store, archive) is None
    assert picture(SealedStore(store, archive)) == before
    moved = repack(store, archive, [merged.pack], without=lambda stream: stream == matches[0])
    assert moved.streams == 5
    assert {stream for _, block in archive.open_blocks(moved.pack) for stream in block.streams} == set(matches[1:])


def test_a_reader_on_its_way_to_a_dropped_pack_finds_the_new_one(store, archive):
    matches = fill(store, [make_settled(number) for number in range(2)])
    before = picture(store)
    old = [seal_streams(store, archive, [match]).pack for match in matches]

    class Late(MemoryStore):
        """Answers the first question as it was before the packs were repacked."""

        def __init__(self, within: MemoryStore) -> None:
            self.__dict__ = within.__dict__
            self.late = {match: within.load(match) for match in matches}

        def load(self, stream, *args, **more):
            return self.late.pop(stream, None) or super().load(stream, *args, **more)

    late = Late(store)
    repack(store, archive, old)
    assert sorted(drop_emptied(store, archive, now_ms() + 1, kept_ms=0)) == sorted(old)
    assert [pack.name for pack in archive.list_packs()] != old
    reader = SealedStore(late, open_again(archive))
    assert [reader.load(match).entries for match in matches] == [before["streams"][match][0] for match in matches]


def test_an_emptied_pack_is_kept_for_a_while_and_as_long_as_the_store_names_it(store, archive):
    matches = fill(store, [make_settled(number) for number in range(2)])
    old = [seal_streams(store, archive, [match]).pack for match in matches]
    backup = store.places(matches)
    moved = repack(store, archive, old)
    assert drop_emptied(store, archive, now_ms()) == []
    assert len(list(archive.list_packs())) == 3
    current = store.places(matches)
    # The store is restored from a backup.
    assert store.move([port.Moved(*each) for each in zip(matches, current, backup, strict=True)]) == [True, True]
    assert drop_emptied(store, archive, now_ms() + 1, kept_ms=0) == []
    assert sorted(archive.list_emptied()) == []
    assert SealedStore(store, archive).load(matches[0]).entries
    assert moved.streams == 2


def test_streams_that_are_sealed_again_and_again_end_in_an_error(archive):
    class Restless(MemoryStore):
        def unseal(self, *args):
            return False

    store: port.EventStore = Restless()
    [match] = fill(store, [make_settled(1)])
    before = picture(store)
    seal_streams(store, archive, [match])
    with pytest.raises(port.StoreUnavailable, match="again and again"):
        SealedStore(store, archive).append(match, *end_of(before, match), NEW)
