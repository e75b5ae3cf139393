"""The contract of sealing: a stream gives way to its place in the archive, and comes back, on each kind of store."""

from base64 import b32encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

import pytest

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.service.store import port
from plyscribe.service.store.memory import MemoryStore
from tests.store.given import append, command, events_after, write_until_stored

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
OTHER = "player-bbbbbbbbbbbbbbbbbbbbbbbbbb"
PLACE, NEW_PLACE = b"\x00\x01 place\xff", b"another place"


@dataclass
class Whole:
    """A stream as an archive would keep it."""

    stream: str
    entries: Sequence[StoredEvent]
    commands: list[port.Remembered]

    @property
    def sealing(self) -> port.Sealing:
        return port.Sealing(self.stream, len(self.entries), self.entries[-1].h, len(self.commands), PLACE)


def read_whole(store: port.EventStore, stream: str) -> Whole:
    [commands] = store.commands([stream])
    return Whole(stream, store.load(stream).entries, commands)


def make(store: port.EventStore, stream: str = STREAM) -> Whole:
    """A stream of three events and two commands."""
    append(store, stream, 2, name="one")
    append(store, stream, 1, name="two")
    return read_whole(store, stream)


def seal(store: port.EventStore, stream: str = STREAM) -> Whole:
    whole = make(store, stream)
    assert store.seal([whole.sealing]) == [True]
    return whole


def picture(store: port.EventStore) -> list[object]:
    """All that a store has to show."""
    streams = [STREAM, OTHER]
    loads = [store.load(stream) for stream in streams]
    return [loads, store.commands(streams), store.places(streams), store.streams(), store.sealed(), store.tail()]


def id_of(number: int, kind: str = "match") -> str:
    """An id of the usual form."""
    return f"{kind}-" + b32encode(sha256(b"%d" % number).digest()).decode().lower()[:26]


# Seal


def test_a_sealed_stream_is_its_place_alone_and_others_stay(store: port.EventStore) -> None:
    other = make(store, OTHER)
    whole = make(store)
    feed = store.tail()
    assert store.seal([whole.sealing]) == [True]
    for part in ((), (2, None, 5), (0, command("one")), (9, command("one", "another"), 3)):
        assert store.load(STREAM, *part) == port.Loaded(None, [], PLACE)
    assert store.load_all([port.Stretch(STREAM), port.Stretch(STREAM, 1, 2)]) == [[], []]
    assert (store.newest([STREAM]), store.commands([STREAM])) == ([None], [[]])
    assert (store.streams(), store.sealed()) == ([OTHER], [(STREAM, PLACE)])
    assert store.places([OTHER, STREAM]) == [None, PLACE]
    assert not store.condense(STREAM, 3, whole.entries[-1].h, events_after(STREAM, [], 1)[0], "left")
    assert (store.tail(), read_whole(store, OTHER)) == (feed, other)


def test_a_stream_that_is_not_sealed_has_no_place(store: port.EventStore) -> None:
    whole = make(store)
    for known in (None, command("unknown")):
        assert store.load(STREAM, 0, known) == port.Loaded(None, list(whole.entries), None)
        assert store.load(STREAM, 3, known).place is None
        assert store.load(OTHER, 0, known).place is None
    assert store.load(STREAM, 3, command("one")).place is None
    assert store.places([STREAM, OTHER]) == [None, None]
    assert store.places([]) == []
    assert store.sealed() == []


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 2},
        {"version": 4},
        {"version": 0, "head": b""},
        {"head": b"\x00" * 32},
        {"commands": 1},
        {"commands": 3},
        {"stream": OTHER},
        {"stream": OTHER, "version": 0, "head": b"", "commands": 0},
    ],
)
def test_only_a_stream_as_it_was_archived_is_sealed(store: port.EventStore, changed: dict[str, object]) -> None:
    sealing = make(store).sealing._replace(**changed)  # type: ignore[arg-type]
    before = picture(store)
    assert store.seal([sealing]) == [False]
    assert picture(store) == before


def test_streams_that_are_sealed_together_are_each_sealed_or_not_and_none_twice(store: port.EventStore) -> None:
    one, other = make(store), make(store, OTHER)
    wrong = one.sealing._replace(version=1)
    assert store.seal([wrong, other.sealing, one.sealing, one.sealing]) == [False, True, True, False]
    before = picture(store)
    for again in (one.sealing, port.Sealing(STREAM, 0, b"", 0, NEW_PLACE)):
        assert store.seal([again]) == [False]
    assert picture(store) == before
    assert store.places([STREAM, OTHER]) == [PLACE, PLACE]
    assert store.seal([]) == []


def test_an_append_to_a_sealed_stream_says_where_it_is_at_any_version(store: port.EventStore) -> None:
    whole = seal(store)
    before = picture(store)
    for upto in range(len(whole.entries) + 1):
        known = whole.entries[:upto]
        head = known[-1].h if known else b""
        for key in (command("new"), command("one"), command("one", "another")):
            events = events_after(STREAM, known, 1)
            for each in (head, b"\x00" * 32):
                assert store.append(STREAM, upto, each, events, ["made"], key) == port.Sealed(PLACE)
    assert picture(store) == before
    late, new = events_after(STREAM, [], 1), events_after(OTHER, [], 1)
    appends = [
        port.Append(each[0], 0, b"", each[1], ["made"], command("late")) for each in ((STREAM, late), (OTHER, new))
    ]
    assert store.append_all(appends) == [port.Sealed(PLACE), port.Stored(1, 1)]


# Unseal


def test_a_stream_comes_back_as_it_was_and_once(store: port.EventStore) -> None:
    make(store, OTHER)
    whole = make(store)
    before = picture(store)
    assert store.seal([whole.sealing]) == [True]
    assert store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    assert picture(store) == before
    assert store.append(STREAM, 0, b"", whole.entries[:2], ["made"] * 2, command("one")) == port.Seen(1, 2)
    assert store.load(STREAM, 3, command("two", "another")).command == port.Reused()
    append(store, STREAM, 2, name="three")
    before = picture(store)
    for place in (PLACE, None):
        assert not store.unseal(STREAM, place, whole.entries, whole.commands)
    assert picture(store) == before
    assert store.seal([read_whole(store, STREAM).sealing]) == [True]


def test_what_does_not_fit_does_not_come_back(store: port.EventStore) -> None:
    whole = make(store, OTHER)
    seal(store)
    before = picture(store)
    for stream, place in ((STREAM, NEW_PLACE), (STREAM, b""), (STREAM, None), (OTHER, PLACE), ("match-none", PLACE)):
        assert not store.unseal(stream, place, whole.entries, whole.commands)
    for entries in ([], whole.entries[1:]):
        with pytest.raises(ValueError, match="numbered from 1"):
            store.unseal(STREAM, PLACE, entries, whole.commands)
    with pytest.raises(ValueError, match="two of the commands"):
        store.unseal(STREAM, PLACE, whole.entries, whole.commands[:1] * 2)
    assert picture(store) == before


@pytest.mark.parametrize("with_commands", [True, False])
def test_a_stream_that_the_store_lacks_comes_whole_and_is_no_news(store: port.EventStore, with_commands: bool) -> None:
    whole = make(MemoryStore())
    if not with_commands:
        whole.commands.clear()
    assert store.unseal(STREAM, None, whole.entries, whole.commands)
    assert read_whole(store, STREAM) == whole
    assert store.streams() == [STREAM]
    assert store.tail().entries == []
    append(store, STREAM, 1, name="three")
    assert store.load(STREAM).entries[:3] == whole.entries
    assert store.seal([read_whole(store, STREAM).sealing]) == [True]


@pytest.mark.parametrize("size", [499, 500, 1500])
def test_a_long_stream_comes_back_whole(store: port.EventStore, size: int) -> None:
    events = append(store, STREAM, size, name="record")
    for number in range(30):
        events += append(store, STREAM, 1, name=f"late {number}")
    whole = read_whole(store, STREAM)
    store.seal([whole.sealing])
    assert store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    assert read_whole(store, STREAM) == whole
    assert whole.entries == events


# Places


def test_a_place_is_changed_if_it_is_the_old_one(store: port.EventStore) -> None:
    whole = seal(store)
    make(store, OTHER)
    moves = [
        port.Moved(STREAM, b"wrong", NEW_PLACE),
        port.Moved(STREAM, PLACE, NEW_PLACE),
        port.Moved(STREAM, PLACE, b"late"),
        port.Moved(OTHER, PLACE, NEW_PLACE),
        port.Moved("match-none", PLACE, None),
    ]
    assert store.move(moves) == [False, True, False, False, False]
    assert store.places([STREAM, OTHER, "match-none"]) == [NEW_PLACE, None, None]
    assert store.sealed() == [(STREAM, NEW_PLACE)]
    assert not store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    assert store.unseal(STREAM, NEW_PLACE, whole.entries, whole.commands)
    assert store.move([]) == []


def test_a_stream_without_a_place_is_gone_until_it_is_adopted_where_it_was_found(store: port.EventStore) -> None:
    whole = seal(store)
    assert store.move([port.Moved(STREAM, NEW_PLACE, None), port.Moved(STREAM, PLACE, None)]) == [False, True]
    feed = store.tail()
    assert store.load(STREAM) == port.Loaded(None, [], None)
    assert (store.places([STREAM]), store.sealed(), store.streams()) == ([None], [], [])
    assert store.adopt([(STREAM, NEW_PLACE), (STREAM, PLACE)]) == [True, False]
    assert (store.sealed(), store.streams(), store.tail()) == ([(STREAM, NEW_PLACE)], [], feed)
    make(store, OTHER)
    before = picture(store)
    assert store.adopt([(STREAM, PLACE), (OTHER, NEW_PLACE)]) == [False, False]
    assert store.adopt([]) == []
    assert picture(store) == before
    assert store.unseal(STREAM, NEW_PLACE, whole.entries, whole.commands)
    assert read_whole(store, STREAM) == whole


@pytest.mark.parametrize("limit", [1, 3, 50, 1000])
def test_sealed_streams_are_listed_by_bucket_and_id(store: port.EventStore, limit: int) -> None:
    usual = [id_of(number, kind) for number in range(40) for kind in ("match", "import", "imports")]
    # In base32 a digit comes after the letters, in ASCII before them.
    near = [f"match-aa{letters}{'a' * 23}" for letters in "az27"] + [f"match-{letters}{'a' * 25}" for letters in "z27"]
    others = ["match", "match-", "match-a", "match-aa", "match-aaa", f"match-{'A' * 26}", "match-é\n!", "x" * 20]
    streams = sorted([*usual, *near, *others], key=lambda stream: (port.bucket_of(stream), stream))
    sealings = []
    for number, stream in enumerate(streams):
        append(store, stream, 1)
        sealings.append(read_whole(store, stream).sealing._replace(place=b"%d" % number))
    assert all(store.seal(sealings))
    append(store, OTHER)
    listed: list[tuple[str, bytes]] = []
    while page := store.sealed(listed[-1][0] if listed else "", limit):
        assert len(page) <= limit
        listed += page
    assert listed == [(stream, b"%d" % number) for number, stream in enumerate(streams)]
    assert store.streams() == [OTHER]
    store.move([port.Moved(streams[9], b"9", None)])
    assert store.sealed(streams[9], 1000) == listed[10:], "a walk goes on after an id that is gone"


# Adopt


# Several at the same time


ARCHIVE: dict[bytes, Whole] = {}
PLACES = count()


def seal_often(store: port.EventStore, times: int) -> int:
    sealed = 0
    for _ in range(times):
        loaded = store.load(STREAM)
        if not loaded.entries:
            continue
        [commands] = store.commands([STREAM])
        # Two sealers never write to the same place.
        place = b"%d" % next(PLACES)
        ARCHIVE[place] = whole = Whole(STREAM, loaded.entries, commands)
        sealed += store.seal([whole.sealing._replace(place=place)])[0]
    return sealed


def put_back(store: port.EventStore, place: bytes) -> None:
    """Put the stream back. The archive keeps a copy at each place."""
    store.unseal(STREAM, place, ARCHIVE[place].entries, ARCHIVE[place].commands)


def test_appends_beside_seals_are_neither_lost_nor_stored_twice(store: port.EventStore) -> None:
    append(store, STREAM, 1, name="first")
    names = [f"command {number}" for number in range(60)]

    def write(name: str) -> port.Stored:
        return write_until_stored(store, STREAM, name, put_back=lambda place: put_back(store, place))

    with ThreadPoolExecutor(6) as pool:
        sealers = [pool.submit(seal_often, store, 150) for _ in range(2)]
        answers = list(pool.map(write, names))
    assert sum(sealer.result() for sealer in sealers) > 0
    write("last")
    whole = read_whole(store, STREAM)
    check_chain(first_link(STREAM), 0, whole.entries)
    assert sorted(answer.first for answer in answers) == list(range(2, len(names) + 2))
    for name, answer in zip(names, answers, strict=True):
        assert whole.entries[answer.first - 1].e.startswith(f"{name} ".encode())
    assert {each.command for each in whole.commands} == {command(name) for name in ["first", *names, "last"]}
    assert [entry.first for entry in store.tail("", 1000).entries] == list(range(1, len(names) + 3))


def test_of_many_who_put_a_stream_back_one_does(store: port.EventStore) -> None:
    whole = seal(store)
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(store.unseal, STREAM, PLACE, whole.entries, whole.commands) for _ in range(8)]
    assert sorted(call.result() for call in calls) == [False] * 7 + [True]
    assert read_whole(store, STREAM) == whole


def test_a_reader_always_finds_the_stream_or_its_place(store: port.EventStore) -> None:
    whole = make(store)
    found: list[port.Loaded] = []

    def read() -> None:
        for _ in range(150):
            found.extend([store.load(STREAM), store.load(STREAM, 1), store.load(STREAM, 0, command("unknown"))])

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        while not all(reader.done() for reader in readers):
            store.seal([whole.sealing])
            store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    for reader in readers:
        reader.result()
    for loaded in found:
        assert (loaded.place == PLACE) if not loaded.entries else (loaded.place is None)
        assert len(loaded.entries) in (0, 2, 3)
