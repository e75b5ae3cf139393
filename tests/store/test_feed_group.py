"""How the relay reads the feed: at least once, in order within a bucket, and nothing is trimmed too early."""

from collections.abc import Iterator

import pytest
from redis import Redis
from redis.exceptions import TimeoutError as RedisTimeoutError

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store import feed
from plyscribe.service.store.feed import CHUNK, GROUP, FeedGroup
from plyscribe.service.store.port import BUCKETS, FeedEntry, StoreUnavailable, WrongType, bucket_of
from plyscribe.service.store.redis import RedisStore, connect_client, feed_key, send
from tests.store.given import append

pytestmark = pytest.mark.server

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
FEED = feed_key(bucket_of(STREAM))


@pytest.fixture
def client(server: EmbeddedServer) -> Iterator[Redis]:
    client = connect_client(server.url)
    yield client
    client.connection_pool.disconnect()


@pytest.fixture
def store(client: Redis) -> RedisStore:
    return RedisStore(client)


@pytest.fixture
def group(client: Redis) -> FeedGroup:
    return FeedGroup(client)


def made(*versions: int) -> list[FeedEntry]:
    return [FeedEntry(STREAM, version, version, ("made",)) for version in versions]


def read_all(group: FeedGroup, count: int = 64) -> list[FeedEntry]:
    """Read everything there is, and acknowledge it page by page."""
    entries = []
    while page := group.read(count):
        entries += [entry for _, _, entry in page]
        group.ack([(bucket, id) for bucket, id, _ in page])
    return entries


def test_groups_are_created_once_and_harmlessly_again(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    append(store, STREAM)
    group.ensure()
    assert len(group.read(64)) == 1
    group.ensure()
    assert group.read(64) == []
    assert {client.xinfo_groups(feed_key(bucket))[0]["name"] for bucket in BUCKETS} == {GROUP.encode()}


def test_a_group_reads_the_feed_from_its_beginning_in_order(store: RedisStore, group: FeedGroup) -> None:
    for _ in range(5):
        append(store, STREAM)
    append(store, "match-other")
    entries = read_all(group)
    assert [entry for entry in entries if entry.stream == STREAM] == made(1, 2, 3, 4, 5)
    assert sorted(entries) == sorted(store.tail().entries)


def test_a_count_bounds_what_one_bucket_gives(store: RedisStore, group: FeedGroup) -> None:
    for _ in range(5):
        append(store, STREAM)
    assert [entry for _, _, entry in group.read(128)] == made(1, 2)


def test_a_read_waits_for_an_entry_and_returns_without_one(store: RedisStore, group: FeedGroup) -> None:
    assert group.read(64, block_ms=20) == []
    append(store, STREAM)
    ((bucket, _, entry),) = group.read(64, block_ms=10_000)
    assert (bucket, entry) == (bucket_of(STREAM), *made(1))


def test_a_wait_beyond_the_clients_time_out_is_cut_short(server: EmbeddedServer) -> None:
    client = connect_client(server.url, timeout_s=0.2)
    assert FeedGroup(client).read(64, block_ms=60_000) == []
    client.connection_pool.disconnect()


def test_a_consumer_after_a_crash_reads_again_what_was_not_acknowledged(
    store: RedisStore, group: FeedGroup, client: Redis
) -> None:
    for _ in range(6):
        append(store, STREAM)
    first = [group.read(64)[0] for _ in range(4)]
    group.ack([first[1][:2]])
    again = FeedGroup(client)
    assert read_all(again) == made(1, 3, 4, 5, 6)
    assert read_all(FeedGroup(client)) == []


def test_pending_entries_are_passed_over_once_even_if_nobody_acknowledges(
    store: RedisStore, group: FeedGroup, client: Redis
) -> None:
    for _ in range(3):
        append(store, STREAM)
    group.read(64 * 3)
    append(store, STREAM)
    again = FeedGroup(client)
    assert [entry for _ in range(4) for _, _, entry in again.read(64)] == made(1, 2, 3, 4)
    assert again.read(64) == []


def test_another_consumer_does_not_get_what_is_pending_elsewhere(store: RedisStore, client: Redis) -> None:
    append(store, STREAM)
    assert len(FeedGroup(client, "one").read(64)) == 1
    assert FeedGroup(client, "two").read(64) == []


def test_entries_lost_on_their_way_are_read_again(
    store: RedisStore, client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = FeedGroup(client)
    assert group.read(64) == []
    append(store, STREAM)

    def lose_the_answer(client: Redis, *command: object) -> object:
        send(client, *command)
        raise RedisTimeoutError("the answer is lost")

    with monkeypatch.context() as patch:
        patch.setattr(feed, "send", lose_the_answer)
        with pytest.raises(StoreUnavailable):
            group.read(64)
    assert read_all(group) == made(1)


def test_lost_groups_and_feeds_are_made_again(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    append(store, STREAM)
    assert read_all(group) == made(1)
    client.xgroup_destroy(FEED, GROUP)
    assert read_all(group) == made(1)
    client.delete(FEED)
    append(store, STREAM)
    assert read_all(group) == made(2)
    client.flushall()
    assert group.read(64) == []
    group.ack([("00", "1-0")])
    assert group.trim(0) == 0
    assert group.lag() == 0


def test_pending_entries_that_are_gone_do_not_stop_a_consumer(
    store: RedisStore, group: FeedGroup, client: Redis
) -> None:
    for _ in range(3):
        append(store, STREAM)
    page = group.read(64 * 3)
    client.xdel(FEED, page[0][1])
    again = FeedGroup(client)
    assert read_all(again) == made(2, 3)
    assert again.lag() == 0


def test_the_lag_counts_what_is_not_delivered_or_not_acknowledged(store: RedisStore, group: FeedGroup) -> None:
    assert group.lag() == 0
    for _ in range(3):
        append(store, STREAM)
    append(store, "match-other")
    assert group.lag() == 4
    page = group.read(64)
    assert len(page) == 2
    assert group.lag() == 4
    group.ack([(bucket, id) for bucket, id, _ in page])
    assert group.lag() == 2
    read_all(group)
    assert group.lag() == 0


def test_asking_for_the_lag_changes_nothing(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    assert group.lag() == 0
    assert client.keys() == []
    append(store, STREAM)
    keys = client.keys()
    assert group.lag() == 1
    assert client.xinfo_groups(FEED) == []
    assert client.keys() == keys


def test_the_backlog_tells_since_when_its_oldest_entry_waits(
    store: RedisStore, group: FeedGroup, client: Redis
) -> None:
    for _ in range(2):
        append(store, STREAM)
    first, second = (int(id.partition(b"-")[0]) for id, _ in client.xrange(FEED))
    assert group.backlog() == (2, first)
    [(bucket, id, _)] = group.read(64)
    assert group.backlog() == (2, first)
    group.ack([(bucket, id)])
    assert group.backlog() == (1, second)
    read_all(group)
    assert group.backlog() == (0, None)


def test_the_lag_is_counted_where_the_server_lost_count(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    for _ in range(5):
        append(store, STREAM)
    group.read(64)
    client.xdel(FEED, client.xrange(FEED)[2][0])
    assert client.xinfo_groups(FEED)[0]["lag"] is None
    assert group.lag() == 4


def test_the_lag_after_trimming_and_the_loss_of_the_group(store: RedisStore, group: FeedGroup, client: Redis) -> None:
    for _ in range(5):
        append(store, STREAM)
    read_all(group)
    assert group.trim(2) == 3
    assert group.lag() == 0
    append(store, STREAM)
    assert group.lag() == 1
    client.xgroup_destroy(FEED, GROUP)
    assert group.lag() == 3


def versions_in_feed(store: RedisStore) -> list[int]:
    return [entry.first for entry in store.tail("", 10_000).entries]


def test_trimming_keeps_the_newest_of_each_bucket(store: RedisStore, group: FeedGroup) -> None:
    for _ in range(5):
        append(store, STREAM)
    append(store, "match-other")
    assert group.trim(0) == 0
    read_all(group)
    assert group.trim(5) == 0
    assert group.trim(2) == 3
    assert versions_in_feed(store) in ([4, 5, 1], [1, 4, 5])
    assert group.trim(0) == 3
    assert versions_in_feed(store) == []


def test_trimming_never_drops_what_is_not_acknowledged(store: RedisStore, group: FeedGroup) -> None:
    for _ in range(6):
        append(store, STREAM)
    page = group.read(64 * 4)
    group.ack([page[0][:2], page[2][:2]])
    assert group.trim(0) == 1
    assert versions_in_feed(store) == [2, 3, 4, 5, 6]
    group.ack([page[1][:2]])
    assert group.trim(0) == 2
    assert versions_in_feed(store) == [4, 5, 6]
    group.ack([page[3][:2]])
    assert group.trim(0) == 1
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


def test_the_tail_goes_on_across_a_trim(store: RedisStore, group: FeedGroup) -> None:
    for _ in range(4):
        append(store, STREAM)
    position = store.tail("", 64 * 2).position
    read_all(group)
    group.trim(0)
    append(store, STREAM)
    assert store.tail(position).entries == made(5)


def test_a_group_is_refused_where_a_feed_is_something_else(group: FeedGroup, client: Redis) -> None:
    client.set(FEED, "ours")
    for use in (group.ensure, group.lag, lambda: group.read(64), lambda: group.trim(0)):
        with pytest.raises(WrongType):
            use()
    client.delete(FEED)
    assert group.read(64) == []
