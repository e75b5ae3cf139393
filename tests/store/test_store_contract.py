"""The contract of event stores: in memory, on the fake and on real servers they give the same answers."""

import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.service.store.port import (
    BUCKETS,
    Append,
    BadPosition,
    CommandKey,
    EventStore,
    FeedEntry,
    Forked,
    Loaded,
    Remembered,
    Reused,
    Seen,
    Stale,
    Stored,
    Stretch,
    WrongType,
    bucket_of,
)
from plyscribe.service.store.redis import RedisStore
from tests.store.given import append, command, events_after, tail_all, write_until_stored

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
OTHER = "player-bbbbbbbbbbbbbbbbbbbbbbbbbb"
WRITERS = 16


def one_stream_a_bucket() -> list[str]:
    found: dict[str, str] = {}
    number = 0
    while len(found) < len(BUCKETS):
        found.setdefault(bucket_of(f"match-{number}"), f"match-{number}")
        number += 1
    return list(found.values())


def by_stream(entries: list[FeedEntry]) -> dict[str, list[FeedEntry]]:
    found = defaultdict(list)
    for entry in entries:
        found[entry.stream].append(entry)
    return found


def test_what_is_appended_loads_back_byte_for_byte(store: EventStore) -> None:
    large = [StoredEvent(version, bytes([version]) * 65536, b"\xff" * 32) for version in (4, 5)]
    events = [*events_after(STREAM, [], 2), StoredEvent(3, b"", b"\r\n\x00\xff" * 8), *large]
    assert store.append(STREAM, 0, b"", events, list("abcde"), command("one")) == Stored(1, 5)
    assert store.load(STREAM).entries == events
    assert store.load(STREAM, 0, command("other")).entries == events


def test_a_thousand_events_are_one_append_whose_command_is_remembered(store: EventStore) -> None:
    events = append(store, STREAM, 998, name="one")
    assert store.load(STREAM).entries == events
    assert [(entry.first, entry.last, len(entry.types)) for entry in store.tail().entries] == [(1, 998, 998)]
    append(store, STREAM, 5, name="two")
    assert store.load(STREAM, 2000, command("one")).command == Seen(1, 998)
    assert store.load(STREAM, 2000, command("two")).command == Seen(999, 1003)


@pytest.mark.parametrize("known", [None, command("unknown")])
def test_a_load_gives_what_follows_a_version_up_to_a_limit(store: EventStore, known: CommandKey | None) -> None:
    events, other = append(store, STREAM, 12), append(store, OTHER, 2)
    assert store.load(STREAM, 9, known).entries == events[9:]
    assert store.load(STREAM, 2, known, limit=3).entries == events[2:5]
    assert store.load(STREAM, 10, known, limit=50).entries == events[10:]
    assert store.load(STREAM, 12, known).entries == store.load(STREAM, 99, known).entries == []
    # A script must not count with numbers that it rounds.
    assert store.load(STREAM, 2**53 - 2, known).entries == store.load("match-none", 2**53 - 2, known).entries == []
    stretches = [(STREAM, 1, 3), (OTHER, 1, None), (STREAM, 12, None), (STREAM, 11, 19), (STREAM, 2, 2)]
    found = store.load_all([Stretch(*each) for each in stretches])
    assert found == [events[1:3], other[1:], [], events[11:], []]


def test_a_writer_that_is_not_up_to_date_is_told_where_the_stream_stands_and_what_it_missed(store: EventStore) -> None:
    events = append(store, STREAM, 300)

    def write_after(known: list[StoredEvent]) -> object:
        head = known[-1].h if known else b""
        return store.append(STREAM, len(known), head, events_after(STREAM, known, 1), ["late"], command("late"))

    assert write_after(events[:298]) == Stale(300, events[298:])
    assert write_after(events[:10]) == Stale(300, events[10:266]), "at most 256 at a time"
    assert write_after([]) == Stale(300, events[:256])
    assert write_after([*events, *events_after(STREAM, events, 1)]) == Stale(300, [])


def test_another_head_at_the_expected_version_is_a_fork(store: EventStore) -> None:
    new = events_after(STREAM, [], 1)
    assert store.append(STREAM, 0, first_link(STREAM), new, ["made"], command("fork")) == Forked(0)
    events = append(store, STREAM, 2)
    for head in (b"\x00" * 32, b""):
        more = events_after(STREAM, events, 1)
        assert store.append(STREAM, 2, head, more, ["made"], command("fork")) == Forked(2)


def test_appends_that_are_sent_together_are_each_stored_or_not(store: EventStore) -> None:
    old = append(store, STREAM, 2, name="old")
    late, next_one, new = events_after(STREAM, [], 1), events_after(STREAM, old, 1), events_after(OTHER, [], 2)
    assert store.append_all(
        [
            Append(STREAM, 0, b"", late, ["made"], command("late")),
            Append(STREAM, 2, old[-1].h, next_one, ["made"], command("next")),
            Append(OTHER, 0, b"", new, ["made", "made"], command("new")),
            Append(OTHER, 0, b"", new, ["made", "made"], command("new")),
            Append(STREAM, 0, b"", old, ["made", "made"], command("old", "another request")),
            Append(OTHER, 2, b"\x00" * 32, events_after(OTHER, new, 1), ["made"], command("fork")),
        ]
    ) == [Stale(2, old), Stored(3, 3), Stored(1, 2), Seen(1, 2), Reused(), Forked(2)]
    stretches = [Stretch(OTHER), Stretch("match-" + "c" * 26), Stretch(STREAM)]
    assert store.load_all(stretches) == [new, [], [*old, *next_one]]
    assert store.append_all([]) == []
    assert store.load_all([]) == []


def test_what_became_of_a_command_is_known_after_others_have_appended(store: EventStore) -> None:
    one, two = append(store, STREAM, 2, name="one"), append(store, STREAM, 3, name="two")
    assert store.load(STREAM, 2, command("two")) == Loaded(Seen(3, 5), two)
    assert store.load(STREAM, 5, command("one")) == Loaded(Seen(1, 2), [])
    assert store.load(STREAM, 5, command("three")) == Loaded(None, [])
    assert store.load(STREAM, 2, command("two", "another")) == Loaded(Reused(), two)
    assert store.append(STREAM, 0, b"", one, ["made"] * 2, command("one")) == Seen(1, 2)
    # A retry may have been decided anew, on a newer state.
    newer = events_after(STREAM, [*one, *two], 1)
    assert store.append(STREAM, 5, newer[0].h, newer, ["made"], command("one")) == Seen(1, 2)
    assert store.append(STREAM, 5, newer[0].h, newer, ["made"], command("two")) == Seen(3, 5)


@pytest.mark.parametrize("start", [1, 3])
def test_events_that_are_not_numbered_from_the_expected_version_are_no_append(store: EventStore, start: int) -> None:
    append(store, STREAM)
    events = [StoredEvent(start, b"e", b"h" * 32)]
    with pytest.raises(ValueError, match="numbered from 2"):
        store.append(STREAM, 1, store.load(STREAM).entries[0].h, events, ["made"], command("one"))
    with pytest.raises(ValueError, match="numbered from 2"):
        store.append(STREAM, 1, store.load(STREAM).entries[0].h, [], [], command("one"))


def test_racing_writers_lose_double_and_fork_nothing(store: EventStore) -> None:
    names = [f"writer {number} command {turn}" for number in range(WRITERS) for turn in range(3)]
    with ThreadPoolExecutor(WRITERS) as pool:
        answers = list(pool.map(lambda name: write_until_stored(store, STREAM, name, 2), names))
    entries = store.load(STREAM).entries
    check_chain(first_link(STREAM), 0, entries)
    firsts = range(1, 2 * len(names), 2)
    assert sorted(answer.first for answer in answers) == list(firsts)
    for name, answer in zip(names, answers, strict=True):
        assert answer.last == answer.first + 1
        written = entries[answer.first - 1 : answer.last]
        assert all(entry.e.startswith(f"{name} ".encode()) for entry in written)
        assert store.load(STREAM, answer.last, command(name)).command == Seen(answer.first, answer.last)
    assert [(entry.first, entry.last) for entry in tail_all(store, 7)] == [(first, first + 1) for first in firsts]


def test_the_same_append_from_all_sides_is_stored_once(store: EventStore) -> None:
    events = events_after(STREAM, [], 2)
    asked = STREAM, 0, b"", events, ["made"] * 2, command("one")
    with ThreadPoolExecutor(WRITERS) as pool:
        answers = list(pool.map(lambda _: store.append(*asked), range(WRITERS)))
    assert sorted(answers, key=repr) == [Seen(1, 2)] * (WRITERS - 1) + [Stored(1, 2)]
    assert store.load(STREAM).entries == events
    assert len(store.tail().entries) == 1


def test_a_refused_append_leaves_no_trace(store: EventStore) -> None:
    events = append(store, STREAM, 2, name="one")
    more = events_after(STREAM, events, 1)
    before = store.load(STREAM), store.tail(), store.streams()
    for expected, head, sent, by in [
        (0, b"", events[:1], command("stale")),
        (2, b"\x01" * 32, more, command("forked")),
        (2, events[-1].h, more, command("one")),
        (2, events[-1].h, more, command("one", "another")),
    ]:
        assert not isinstance(store.append(STREAM, expected, head, sent, ["made"], by), Stored)
    fresh = events_after(OTHER, [], 1)
    assert isinstance(store.append(OTHER, 0, b"\x01" * 32, fresh, ["made"], command("forked")), Forked)
    assert (store.load(STREAM), store.tail(), store.streams()) == before
    for name in ("stale", "forked"):
        assert store.load(STREAM, 0, command(name)).command is None
        append(store, STREAM, name=name)


def test_the_feed_tells_of_each_append_with_its_versions_and_types(store: EventStore) -> None:
    events = events_after(STREAM, [], 3)
    store.append(STREAM, 0, b"", events, ["match-created", "seat-taken", "match-started"], command("one"))
    store.append(STREAM, 3, events[-1].h, events_after(STREAM, events, 1), ["move-made"], command("two"))
    assert store.tail().entries == [
        FeedEntry(STREAM, 1, 3, ("match-created", "seat-taken", "match-started")),
        FeedEntry(STREAM, 4, 4, ("move-made",)),
    ]


@pytest.mark.parametrize("limit", [1, 7, 64, 100, 1000])
def test_the_feed_read_by_pages_is_the_feed_read_at_once(store: EventStore, limit: int) -> None:
    streams = one_stream_a_bucket()[::4]
    for turn in range(6):
        for stream in streams[: 1 + turn * turn]:
            append(store, stream)
    at_once = store.tail("", 10_000).entries
    assert by_stream(tail_all(store, limit)) == by_stream(at_once)
    for stream, entries in by_stream(at_once).items():
        assert [entry.first for entry in entries] == list(range(1, len(store.load(stream).entries) + 1))
    for _ in range(34):
        append(store, streams[0])
    assert len(store.tail("", 32).entries) == 32, "a page is full"


def test_the_feed_goes_on_from_any_position_and_from_its_end(store: EventStore) -> None:
    assert store.tail(store.feed_end()).entries == []
    for stream in [STREAM, OTHER, STREAM]:
        append(store, stream)
    positions = store.tail().position, store.feed_end()
    for position in positions:
        assert store.tail(position) == (position, [])
    append(store, OTHER)
    append(store, STREAM)
    for position in (*positions, positions[0]):
        later = store.tail(position)
        assert sorted(later.entries) == [FeedEntry(STREAM, 3, 3, ("made",)), FeedEntry(OTHER, 2, 2, ("made",))]
        assert store.tail(later.position) == (later.position, [])


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_the_feed_of_some_buckets_has_their_entries_alone(store: EventStore, limit: int) -> None:
    streams = one_stream_a_bucket()[::8]
    wanted = {bucket_of(stream) for stream in streams[:3]}
    position = store.feed_end(wanted)
    for _ in range(4):
        for stream in streams:
            append(store, stream)
    found: list[FeedEntry] = []
    while (page := store.tail(position, limit, buckets=wanted)).entries:
        found += page.entries
        position = page.position
    assert by_stream(found) == {
        stream: [FeedEntry(stream, n, n, ("made",)) for n in range(1, 5)] for stream in streams[:3]
    }
    assert store.tail(store.feed_end(wanted), buckets=wanted).entries == []


def test_a_position_of_some_buckets_holds_for_fewer(store: EventStore) -> None:
    both, one = {bucket_of(STREAM), bucket_of(OTHER)}, {bucket_of(STREAM)}
    for stream in (STREAM, OTHER):
        append(store, stream)
    position = store.tail(store.feed_end(both), buckets=both).position
    for stream in (OTHER, STREAM):
        append(store, stream)
    assert store.tail(position, buckets=one).entries == [FeedEntry(STREAM, 2, 2, ("made",))]
    assert store.tail(position, buckets=set()) == (position, [])


@pytest.mark.parametrize("position", ["x", "-1", "1.", "5f-0", "1.400:0", "12.0a5", "٣"])
def test_a_position_that_no_tail_gave_is_refused(store: EventStore, position: str) -> None:
    with pytest.raises(BadPosition):
        store.tail(position)


def test_streams_are_listed_once_each_by_bucket_and_id(store: EventStore) -> None:
    streams = [f"match-{number}" for number in range(70)]
    for stream in streams:
        append(store, stream)
        append(store, stream)
    expected = sorted(streams, key=lambda stream: (bucket_of(stream), stream))
    assert store.streams() == expected
    for limit in (1, 3, 70):
        listed: list[str] = []
        while page := store.streams(listed[-1] if listed else "", limit):
            assert len(page) <= limit
            listed += page
        assert listed == expected


def test_every_bucket_is_used_alike(store: EventStore) -> None:
    streams = one_stream_a_bucket()
    for stream in streams:
        append(store, stream, 2)
    assert set(store.streams()) == set(streams)
    assert {entry.stream for entry in tail_all(store, 50)} == set(streams)
    assert [entry.version for entry in store.newest(streams)] == [2] * len(streams)


def test_the_newest_entries_come_in_the_order_asked_for(store: EventStore) -> None:
    one, other = append(store, STREAM, 3), append(store, OTHER, 2)
    assert store.newest([OTHER, STREAM, OTHER]) == [other[-1], one[-1], other[-1]]
    assert store.newest([]) == []
    assert store.newest([STREAM, "match-none"]) == [one[-1], None]


def content_of(client: Redis) -> dict[bytes, object]:
    read = {b"stream": client.xrange, b"hash": client.hgetall, b"string": client.get}
    return {key: read.get(client.type(key), lambda key: client.zrange(key, 0, -1))(key) for key in client.scan_iter()}


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("name", ["ev:" + STREAM, "cmd:" + STREAM, "feed", "streams"])
def test_a_key_of_another_type_refuses_the_append_before_anything_is_written(client, name, before):
    store = RedisStore(client)
    events = append(store, STREAM, before) if before else []
    key = f"{{{bucket_of(STREAM)}}}:{name}"
    client.delete(key)
    client.set(key, "ours")
    content = content_of(client)
    more = events_after(STREAM, events, 1)
    with pytest.raises(WrongType, match="WRONGTYPE"):
        store.append(STREAM, before, events[-1].h if events else b"", more, ["made"], command("one"))
    assert content_of(client) == content


@pytest.mark.parametrize("buckets", [BUCKETS, {bucket_of(STREAM)}], ids=["all", "one"])
def test_whoever_waits_for_the_feed_of_buckets_hears_of_the_next_append_in_them(store, buckets):
    position = store.feed_end(buckets)
    assert store.tail(position, 10, 10, buckets).entries == []

    def wait_for_news() -> list[FeedEntry]:
        while not (news := store.tail(position, 10, 2000, buckets).entries):
            pass
        return news

    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(wait_for_news)
        time.sleep(0.1)
        if buckets is not BUCKETS:
            append(store, OTHER)
        append(store, STREAM)
        assert waiting.result() == [FeedEntry(STREAM, 1, 1, ("made",))]


def test_the_feed_tells_of_what_is_announced_in_the_bucket_of_its_name(store: EventStore) -> None:
    announced = [FeedEntry(f"inbox-{letter * 26}", 1, 2**53 - 1, ("inbox", "more")) for letter in "abc"]
    position = store.feed_end()
    store.announce(announced)
    assert sorted(store.tail(position).entries) == announced
    for entry in announced:
        assert entry in store.tail(position, buckets={bucket_of(entry.stream)}).entries
    assert store.streams() == []
    store.announce([])
    assert len(store.tail(position).entries) == 3


def test_a_condensed_stream_has_one_event_in_the_place_of_all(store: EventStore) -> None:
    events, others = append(store, STREAM, 3, name="first"), append(store, OTHER, 2)
    end = store.feed_end()
    [left] = events_after(STREAM, [], 1, "left")
    assert store.condense(STREAM, 3, events[-1].h, left, "left")
    assert store.load(STREAM, 0, command("first")) == Loaded(Seen(1, 3), [left])
    assert store.append(STREAM, 0, b"", events, ["made"] * 3, command("first")) == Seen(1, 3)
    assert store.load(STREAM).entries == store.newest([STREAM]) == [left]
    assert store.tail(end).entries == [FeedEntry(STREAM, 1, 1, ("left",))]
    assert store.load(OTHER).entries == others
    assert sorted(store.streams()) == [STREAM, OTHER]
    more = events_after(STREAM, [left], 1)
    assert store.append(STREAM, 1, left.h, more, ["made"], command("later")) == Stored(2, 2)


def test_only_the_stream_as_it_was_read_is_condensed(store: EventStore) -> None:
    events = append(store, STREAM, 2)
    [left] = events_after(STREAM, [], 1, "left")
    end = store.feed_end()
    assert not store.condense(STREAM, 1, events[0].h, left, "left")
    assert not store.condense(STREAM, 2, events[0].h, left, "left")
    assert not store.condense(OTHER, 0, b"", left, "left")
    assert store.load(STREAM).entries == events
    assert store.load(OTHER).entries == []
    assert store.streams() == [STREAM]
    assert store.condense(STREAM, 2, events[-1].h, left, "left")
    assert not store.condense(STREAM, 2, events[-1].h, left, "left")
    assert len(store.tail(end).entries) == 1


def test_commands_of_streams_come_by_version(store: EventStore) -> None:
    assert store.load(STREAM, 5, command("unknown")) == store.load(STREAM) == Loaded(None, [])
    assert (store.tail().entries, store.streams()) == ([], [])
    for name, count in (("zebra", 9), ("first", 1), ("ant", 90)):
        append(store, STREAM, count, name=name)
    append(store, OTHER, 1, name="zebra")
    zebra = command("zebra")
    expected = [Remembered(zebra, 1, 9), Remembered(command("first"), 10, 10), Remembered(command("ant"), 11, 100)]
    assert store.commands([OTHER, "match-none", STREAM]) == [[Remembered(zebra, 1, 1)], [], expected]
    assert store.commands([]) == []
    ids = [command(name).id for name in ("ant", "unknown", "zebra")]
    assert store.find_commands(STREAM, ids) == [expected[0], expected[2]]
    assert store.find_commands(STREAM, []) == store.find_commands("match-none", ids) == []
