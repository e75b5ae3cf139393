"""How the relay reads the feed: at least once, in order within a bucket, and nothing is trimmed too early."""

from typing import Any

import pytest
from redis import Redis
from redis.exceptions import TimeoutError as RedisTimeoutError

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store import feed
from plyscribe.service.store.cluster import read_feeds
from plyscribe.service.store.feed import CHUNK, GROUP, FeedGroup
from plyscribe.service.store.port import BUCKETS, FeedEntry, StoreUnavailable, WrongType, bucket_of
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.store.redis_keys import feed_key
from tests.store.conftest import own_client as client
from tests.store.conftest import own_store as store
from tests.store.given import append

__all__ = ["client", "store"]
pytestmark = pytest.mark.server

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
FEED = feed_key(bucket_of(STREAM))


@pytest.fixture
def group(client: Redis) -> FeedGroup:
    return FeedGroup(client)


def made(*versions: int) -> list[FeedEntry]:
    return [FeedEntry(STREAM, version, version, ("made",)) for version in versions]


def read_all(group: FeedGroup, count: int = 64) -> list[FeedEntry]:
    """Read everything there is, and acknowledge it page by page."""
    entries = []
    while page := group.read(count):
        entries += page
        group.ack()
    return entries


def make(store: RedisStore, count: int) -> None:
    for _ in range(count):
        append(store, STREAM)


def test_groups_are_created_once_and_by_no_question(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    assert (group.lag(), client.keys()) == (0, [])
    append(store, STREAM)
    keys = client.keys()
    assert group.lag() == 1
    assert (client.xinfo_groups(FEED), client.keys()) == ([], keys)
    group.ensure()
    assert len(group.read(64)) == 1
    group.ensure()
    assert group.read(64) == []
    assert {client.xinfo_groups(feed_key(bucket))[0]["name"] for bucket in BUCKETS} == {GROUP.encode()}


def test_a_busy_bucket_is_read_up_to_the_count_and_keeps_no_other_waiting(store: RedisStore, group: FeedGroup) -> None:
    make(store, 5)
    append(store, "match-other")
    entries = group.read(4)
    assert [entry.stream for entry in entries].count("match-other") == 1
    assert [entry for entry in entries if entry.stream == STREAM] == made(1, 2, 3)
    assert sum(len(piece.entries) for piece in group.pieces().values()) == 4
    assert read_all(group) == made(4, 5)


def test_a_read_waits_for_an_entry_and_returns_without_one(store: RedisStore, group: FeedGroup) -> None:
    assert group.read(64, block_ms=20) == []
    append(store, STREAM)
    assert group.read(64, block_ms=10_000) == made(1)


def test_a_wait_beyond_the_clients_time_out_is_cut_short(server: EmbeddedServer) -> None:
    client = connect_client(server.url, timeout_s=6.0)
    assert FeedGroup(client).read(64, block_ms=60_000) == []
    client.connection_pool.disconnect()


def test_what_was_not_acknowledged_is_read_again_after_a_failure_or_a_crash(store, group, client):
    make(store, 6)
    assert group.read(2) == made(1, 2)
    group.ack()
    assert group.read(1) == made(3)
    group.read_again()
    assert group.read(2) == made(3, 4)
    assert read_all(FeedGroup(client)) == made(3, 4, 5, 6)
    assert read_all(FeedGroup(client)) == []


def test_several_readers_each_read_everything_and_trim_nothing_too_early(store: RedisStore, client: Redis) -> None:
    one, other = FeedGroup(client), FeedGroup(client)
    assert one.read(64) == other.read(64) == []
    make(store, 4)
    assert read_all(one) == made(1, 2, 3, 4)
    assert other.read(1) == made(1)
    other.ack()
    assert other.lag() == 3
    assert other.trim(0) == 1
    assert read_all(other) == made(2, 3, 4)
    assert one.read(64) == []
    assert one.lag() == 0


def test_a_place_is_all_that_a_server_writes_for_what_was_read(store, group, client):
    read_all(group)
    append(store, STREAM)
    client.config_resetstat()
    assert read_all(group) == made(1)
    stats = client.info("commandstats")
    written = {name for name in stats if name.startswith(("cmdstat_xclaim", "cmdstat_xreadgroup", "cmdstat_xack"))}
    assert written == set()
    assert stats["cmdstat_xgroup|setid"]["calls"] == 1


def test_what_an_earlier_release_left_delivered_is_read_again(store, group, client):
    group.ensure()
    make(store, 5)
    [[_, delivered]] = client.xreadgroup(GROUP, "relay", {FEED: ">"}, count=4)
    client.xack(FEED, GROUP, delivered[0][0], delivered[2][0])
    assert read_all(group) == made(2, 3, 4, 5)
    [info] = client.xinfo_groups(FEED)
    assert (info["pending"], info["lag"], group.lag()) == (0, 0, 0)
    assert group.trim(0) == 5


def test_entries_lost_on_their_way_are_read_again(store, client, monkeypatch):
    group = FeedGroup(client)
    assert group.read(64) == []
    append(store, STREAM)

    def lose_the_answer(*asked: Any) -> object:
        read_feeds(*asked)
        raise RedisTimeoutError("the answer is lost")

    with monkeypatch.context() as patch:
        patch.setattr(feed, "read_feeds", lose_the_answer)
        with pytest.raises(StoreUnavailable):
            group.read(64)
    assert read_all(group) == made(1)


def test_lost_groups_and_feeds_are_made_again(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    append(store, STREAM)
    assert read_all(group) == made(1)
    client.xgroup_destroy(FEED, GROUP)
    append(store, STREAM)
    # The loss shows when the next entry is acknowledged. Then the feed is read from its beginning.
    assert read_all(group) == made(2, 1, 2)
    client.delete(FEED)
    append(store, STREAM)
    assert read_all(group) == made(3, 3)
    client.flushall()
    assert group.read(64) == []
    group.ack()
    assert group.trim(0) == 0
    assert group.lag() == 0


def test_the_backlog_counts_what_is_not_acknowledged_and_tells_since_when_it_waits(store, group, client):
    make(store, 2)
    first, second = (int(id.partition(b"-")[0]) for id, _ in client.xrange(FEED))
    assert (group.backlog(), group.lag()) == ((2, first), 2)
    assert group.read(1) == made(1)
    assert (group.backlog(), group.lag()) == ((2, first), 2)
    group.ack()
    append(store, "match-other")
    assert (group.backlog(), group.lag()) == ((2, second), 2)
    read_all(group)
    assert (group.backlog(), group.lag()) == ((0, None), 0)


def test_entries_that_are_gone_stop_no_reader_and_are_not_counted(store, group, client):
    make(store, 5)
    group.read(1)
    group.ack()
    client.xdel(FEED, client.xrange(FEED)[2][0])
    assert client.xinfo_groups(FEED)[0]["lag"] is None, "the server lost count"
    assert group.lag() == 3
    group.read(1)
    client.xdel(FEED, client.xrange(FEED)[1][0])
    assert read_all(FeedGroup(client)) == made(4, 5)
    assert group.lag() == 0


def versions_in_feed(store: RedisStore) -> list[int]:
    return [entry.first for entry in store.tail("", 10_000).entries]


def test_trimming_keeps_the_newest_of_each_bucket(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    make(store, 5)
    append(store, "match-other")
    position = store.tail("", 4).position
    assert group.trim(0) == 0
    read_all(group)
    assert group.trim(5) == 0
    assert group.trim(2) == 3
    assert versions_in_feed(store) in ([4, 5, 1], [1, 4, 5])
    assert group.lag() == 0
    assert group.trim(0) == 3
    assert versions_in_feed(store) == []
    append(store, STREAM)
    assert made(6)[0] in store.tail(position).entries, "a tail goes on across a trim"
    client.xgroup_destroy(FEED, GROUP)
    assert group.lag() == 1, "without a group nothing of the feed is read"


def test_trimming_never_drops_what_is_not_acknowledged(store: RedisStore, group: FeedGroup) -> None:
    make(store, 6)
    group.read(1)
    group.ack()
    group.read(3)
    assert group.trim(0) == 1
    assert versions_in_feed(store) == [2, 3, 4, 5, 6]
    group.ack()
    assert group.trim(0) == 3
    assert versions_in_feed(store) == [5, 6]
    assert read_all(group) == made(5, 6)


def test_trimming_goes_on_until_it_is_done(group: FeedGroup, client: Redis) -> None:
    group.ensure()
    with client.pipeline() as pipeline:
        for number in range(2 * CHUNK + 10):
            pipeline.xadd(FEED, {"s": STREAM, "v": f"{number}-{number}", "t": "made"})
        pipeline.execute()
    assert len(read_all(group, 64 * 500)) == 2 * CHUNK + 10
    assert group.trim(5) == 2 * CHUNK + 5
    assert client.xlen(FEED) == 5


def test_a_group_is_refused_where_a_feed_is_something_else(group: FeedGroup, client: Redis) -> None:
    client.set(FEED, "ours")
    for use in (group.ensure, group.lag, lambda: group.read(64), lambda: group.trim(0)):
        with pytest.raises(WrongType):
            use()
    client.delete(FEED)
    assert group.read(64) == []
