"""The contract of inboxes: in memory, on the fake and on real servers they give the same answers."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from plyscribe.service.store.inbox import FORGOTTEN_MS, KEPT, Inboxes, Letter, inbox_of, player_of
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.memory_inbox import MemoryInboxes
from plyscribe.service.store.port import EventStore, WrongType, bucket_of
from plyscribe.service.store.redis import RedisStore
from plyscribe.service.store.redis_inbox import RedisInboxes
from tests.store.conftest import REAL

ANN, BEN = "player-" + "a" * 26, "player-" + "b" * 26


class Post:
    """Inboxes, and the store whose feed announces their entries."""

    def __init__(self, store: EventStore, inboxes: Inboxes) -> None:
        self.store = store
        self.inboxes = inboxes

    def write(self, *keys: str, player: str = ANN) -> int:
        return self.inboxes.write({player: [Letter(key, f"data of {key}".encode()) for key in keys]})

    def texts(self, after: int = 0, limit: int = 1000, player: str = ANN) -> list[str]:
        return [each.data.decode().removeprefix("data of ") for each in self.inboxes.read(player, after, limit)]


@pytest.fixture(params=["memory", "fakeredis", *REAL])
def post(request: pytest.FixtureRequest, client_of: Callable[[str], Redis]) -> Post:
    if request.param == "memory":
        store = MemoryStore()
        return Post(store, MemoryInboxes(store.announce))
    client = client_of(request.param)
    return Post(RedisStore(client), RedisInboxes(client))


def test_an_inbox_without_letters_is_empty(post):
    assert post.texts() == []
    assert post.inboxes.newest(ANN) == 0


def test_letters_are_kept_in_order_each_for_its_player(post):
    assert post.inboxes.write({ANN: [Letter("1", b"x"), Letter("2", b"y")], BEN: [Letter("1", b"z")]}) == 3
    assert [each.data for each in post.inboxes.read(ANN, 0, 10)] == [b"x", b"y"]
    assert [each.data for each in post.inboxes.read(BEN, 0, 10)] == [b"z"]


def test_a_letter_is_written_once_whoever_writes_it(post):
    assert post.write("1", "2") == 2
    assert post.write("2", "3", "1") == 1
    assert post.write("1") == 0
    assert post.texts() == ["1", "2", "3"]


def test_letters_are_written_once_by_many_at_a_time(post):
    keys = [str(number) for number in range(50)]
    with ThreadPoolExecutor(8) as pool:
        written = sum(pool.map(lambda _: post.write(*keys), range(8)))
    assert written == 50
    assert sorted(post.texts(), key=int) == keys


def test_numbers_grow_and_each_entry_names_the_one_before(post):
    for key in "1234":
        post.write(key)
    received = post.inboxes.read(ANN, 0, 10)
    numbers = [each.number for each in received]
    assert numbers == sorted(set(numbers))
    assert [each.previous for each in received] == [0, *numbers[:-1]]
    assert post.inboxes.newest(ANN) == numbers[-1] < 2**53


def test_reading_goes_on_after_any_number(post):
    post.write(*"12345")
    numbers = [each.number for each in post.inboxes.read(ANN, 0, 10)]
    assert post.texts(after=numbers[2]) == ["4", "5"]
    assert post.texts(after=numbers[2] - 1, limit=2) == ["3", "4"]
    assert post.texts(after=numbers[-1]) == []


def test_the_newest_letters_are_kept_and_the_first_of_them_tells_of_the_dropped_ones(post):
    post.write("first")
    first = post.inboxes.newest(ANN)
    keys = [str(number) for number in range(KEPT + 1)]
    post.write(*keys)
    received = post.inboxes.read(ANN, 0, KEPT + 10)
    assert post.texts() == keys[1:]
    assert received[0].previous > first


def test_what_was_dropped_is_no_longer_known(post):
    post.write("old")
    post.write(*map(str, range(KEPT)))
    assert post.write("old") == 1


def test_the_feed_tells_of_new_letters_and_of_nothing_else(post):
    position = post.store.feed_end()
    post.write("1", "2")
    [entry] = post.store.tail(position, buckets={bucket_of(inbox_of(ANN))}).entries
    numbers = [each.number for each in post.inboxes.read(ANN, 0, 10)]
    assert (entry.stream, entry.first, entry.last, entry.types) == (inbox_of(ANN), *numbers, ("inbox",))
    assert player_of(entry.stream) == ANN
    position = post.store.feed_end()
    post.write("1", "2")
    assert post.store.tail(position).entries == []


def test_who_waits_for_the_feed_hears_of_a_letter(post):
    position = post.store.feed_end()
    timer = threading.Timer(0.1, post.write, ["1"])
    timer.start()
    assert post.store.tail(position, 10, 2000).entries
    timer.join()


@pytest.mark.parametrize("engine", ["fakeredis", *REAL])
def test_an_inbox_that_nothing_comes_to_is_forgotten_and_its_numbers_grow_on(engine, client_of):
    client = client_of(engine)
    post = Post(RedisStore(client), RedisInboxes(client))
    post.write("1")
    keys = [f"{{{bucket_of(ANN)}}}:{name}:{ANN}" for name in ("inbox", "inbox-keys")]
    assert all(client.pttl(key) > 0 for key in keys)
    before = post.inboxes.newest(ANN)
    client.delete(*keys)
    post.write("2")
    [received] = post.inboxes.read(ANN, 0, 10)
    assert received.number > before
    assert received.previous == 0


@pytest.mark.parametrize("engine", ["fakeredis", *REAL])
@pytest.mark.parametrize("name", ["inbox", "inbox-keys", "feed"])
def test_nothing_is_written_where_a_key_holds_something_else(engine, name, client_of):
    client = client_of(engine)
    inboxes = RedisInboxes(client)
    bucket = bucket_of(ANN)
    client.set(f"{{{bucket_of(inbox_of(ANN))}}}:feed" if name == "feed" else f"{{{bucket}}}:{name}:{ANN}", "ours")
    with pytest.raises(WrongType):
        inboxes.write({ANN: [Letter("1", b"x")]})
    assert client.dbsize() == 1


@pytest.mark.parametrize("engine", ["fakeredis", *REAL])
def test_an_inbox_is_kept_alive_by_few_writes(engine, client_of):
    client = client_of(engine)
    post = Post(RedisStore(client), RedisInboxes(client))
    post.write("1")
    keys = [f"{{{bucket_of(ANN)}}}:{name}:{ANN}" for name in ("inbox", "inbox-keys")]
    for left, is_extended in ((0.995, False), (0.98, True)):
        for key in keys:
            client.pexpire(key, int(FORGOTTEN_MS * left))
        post.write(f"at {left}")
        assert all((client.pttl(key) > FORGOTTEN_MS * 0.999) == is_extended for key in keys)
