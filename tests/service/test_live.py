"""Following streams: every follower gets each entry once and in order, whatever happens."""

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence

import pytest

from plyscribe.service.database.engine import DatabaseUnavailable
from plyscribe.service.errors import LiveFull, LiveShare
from plyscribe.service.live import reader as live_module
from plyscribe.service.live.followers import Entry, Follower
from plyscribe.service.live.reader import Live
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import StoreUnavailable, Tail, bucket_of
from tests.store.given import append

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
OTHER = "match-bbbbbbbbbbbbbbbbbbbbbbbbbb"


class Numbers:
    """A source over the store: an event is just its number, and number `last` is the final one."""

    def __init__(self, store: MemoryStore) -> None:
        self.last_types = {"last"}
        self.is_polled = False
        self.last = 0
        self.reads: list[tuple[str, int]] = []
        self.trouble: Exception | None = None
        self._store = store

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        self.reads.append((stream, after))
        if self.trouble:
            raise self.trouble
        events = self._store.load(stream, after, limit=limit).entries
        return [Entry(each.version, "last" if each.version == self.last else "made", b"{}") for each in events]


class Client:
    """Takes what a follower sends."""

    def __init__(self, follower: Follower, limit: int | None = None) -> None:
        self.text = b""
        self.has_ended = threading.Event()
        self._limit = limit
        self.follower = follower
        follower.start(self._take, self.has_ended.set)

    def _take(self, data: bytes) -> None:
        if self._limit is not None and len(self.text) > self._limit:
            raise ConnectionError("the client is gone")
        self.text += data

    @property
    def numbers(self) -> list[int]:
        return [int(line[4:]) for line in self.text.split(b"\n") if line.startswith(b"id: ")]


class Rig:
    """A store, its source, and followers."""

    def __init__(self, most: int = 5000, each: int = 5000) -> None:
        self.store = MemoryStore()
        self.source = Numbers(self.store)
        self.live = Live(self.store, most, each)

    def follow(self, after: int = 0, stream: str = STREAM, **more: object) -> Client:
        return Client(self.live.follow(self.source, stream, after, **more))

    def append(self, count: int = 1, stream: str = STREAM) -> None:
        append(self.store, stream, count)


@pytest.fixture
def rig() -> Iterator[Rig]:
    made = Rig()
    yield made
    made.live.close()


def eventually(check: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not check():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.005)


def test_an_entry_is_sent_with_its_number_and_type(rig):
    rig.append()
    client = rig.follow()
    eventually(lambda: client.numbers == [1])
    assert client.text == b"retry: 1000\n\nid: 1\nevent: made\ndata: {}\n\n"


def test_a_follower_that_claims_to_know_more_than_there_is_gets_nothing_twice_and_disturbs_nobody(rig):
    rig.append(2)
    ahead, farther = rig.follow(after=4), rig.follow(after=1000)
    honest = rig.follow()
    eventually(lambda: honest.numbers == [1, 2])
    rig.append(3)
    eventually(lambda: ahead.numbers == [5] and honest.numbers == [1, 2, 3, 4, 5])
    assert not farther.numbers
    assert not farther.has_ended.is_set()


def test_who_may_not_go_on_is_given_nothing_more_and_no_end(rig):
    may = [True]
    client, other = rig.follow(may_go_on=lambda _: may[0]), rig.follow()
    rig.append()
    eventually(lambda: client.numbers == [1])
    may[0] = False
    rig.append()
    eventually(client.has_ended.is_set)
    eventually(lambda: other.numbers == [1, 2])
    assert client.numbers == [1]
    assert b"event: end" not in client.text


def test_one_stream_is_read_once_for_all_who_follow_it(rig):
    clients = [rig.follow() for _ in range(100)]
    rig.append()
    eventually(lambda: all(client.numbers == [1] for client in clients))
    rig.source.reads.clear()
    rig.append()
    eventually(lambda: all(client.numbers == [1, 2] for client in clients))
    assert rig.source.reads.count((STREAM, 1)) == 1
    told = Numbers(rig.store)
    others = [Client(rig.live.follow(told, STREAM, 2, form="de")) for _ in range(20)]
    eventually(lambda: told.reads)
    rig.append()
    eventually(lambda: all(other.numbers == [3] for other in others))
    assert len(told.reads) < len(others)
    for client in (*clients, *others):
        client.follower.stop()
    eventually(lambda: not rig.live._topics)


class Feed:
    """Notes for which buckets the feed is read."""

    def __init__(self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read: list[frozenset[str]] = []
        self._tail = store.tail
        monkeypatch.setattr(store, "tail", self._note)

    def _note(self, position: str, limit: int, block_ms: int, buckets: frozenset[str]) -> Tail:
        self.read.append(buckets)
        return self._tail(position, limit, min(block_ms, 20), buckets)


def test_only_the_feed_of_buckets_that_are_followed_is_read_and_without_any_nothing(rig, monkeypatch):
    monkeypatch.setattr(live_module, "NARROW_S", 0.01)
    feed = Feed(rig.store, monkeypatch)
    here = rig.follow()
    eventually(lambda: feed.read)
    assert set(feed.read) == {frozenset({bucket_of(STREAM)})}
    there = rig.follow(stream=OTHER)
    eventually(lambda: feed.read[-1] == {bucket_of(STREAM), bucket_of(OTHER)})
    rig.append(stream=OTHER)
    eventually(lambda: there.numbers == [1])
    assert here.numbers == []
    there.follower.stop()
    eventually(lambda: feed.read[-1] == {bucket_of(STREAM)})
    rig.append(stream=OTHER)
    back = rig.follow(stream=OTHER, after=2)
    rig.append()
    rig.append(stream=OTHER)
    eventually(lambda: (here.numbers, back.numbers) == ([1], [3]))
    here.follower.stop()
    back.follower.stop()

    def is_idle() -> bool:
        before = len(feed.read)
        time.sleep(0.1)
        return len(feed.read) == before

    eventually(is_idle)


def test_what_comes_before_a_new_bucket_is_watched_is_not_missed(rig, monkeypatch):
    feed_end = rig.store.feed_end
    rig.follow()
    eventually(lambda: rig.live._topics)

    def append_first(buckets: frozenset[str]) -> str:
        rig.append(stream=OTHER)
        return feed_end(buckets)

    monkeypatch.setattr(rig.store, "feed_end", append_first)
    there = rig.follow(stream=OTHER)
    eventually(lambda: there.numbers == [1])


def test_a_form_that_fails_ends_its_own_followers_alone(rig):
    told = Numbers(rig.store)
    told.trouble = LookupError("a fault of the program")
    plain, other = rig.follow(), Client(rig.live.follow(told, STREAM, 0, form="de"))
    eventually(other.has_ended.is_set)
    rig.append()
    eventually(lambda: plain.numbers == [1])


@pytest.mark.parametrize("form", ["", "de"])
def test_a_stream_ends_after_its_last_event(rig, form):
    rig.source.last = 3
    client = rig.follow(form=form)
    rig.append(3)
    eventually(client.has_ended.is_set)
    over = rig.follow(after=1, upto=3, form=form)
    eventually(over.has_ended.is_set)
    assert (client.numbers, over.numbers) == ([1, 2, 3], [2, 3])
    for each in (client, over):
        assert each.text.endswith(b"event: end\ndata: {}\n\n")


def test_a_long_stream_comes_whole(rig, monkeypatch):
    monkeypatch.setattr(live_module, "PAGE", 7)
    rig.append(30)
    first = rig.follow()
    eventually(lambda: first.numbers == list(range(1, 31)))
    late, later = rig.follow(), rig.follow(after=20)
    eventually(lambda: late.numbers == list(range(1, 31)) and later.numbers == list(range(21, 31)))
    rig.append()
    eventually(lambda: {client.numbers[-1] for client in (first, late, later)} == {31})


@pytest.mark.parametrize("trouble", [StoreUnavailable("away"), DatabaseUnavailable("away")])
def test_what_a_server_that_is_away_holds_back_comes_when_it_is_there_again(rig, trouble):
    client = rig.follow()
    rig.append()
    eventually(lambda: client.numbers == [1])
    rig.source.trouble = trouble
    rig.append(2)
    newcomer = rig.follow()
    eventually(lambda: len(rig.source.reads) > 3)
    rig.source.trouble = None
    eventually(lambda: client.numbers == [1, 2, 3] and newcomer.numbers == [1, 2, 3])


def test_a_feed_that_was_away_hides_nothing_and_is_logged_once(rig, monkeypatch, caplog):
    monkeypatch.setattr("plyscribe.service.live.reader.RETRY_PAUSE_S", 0.01)
    client = rig.follow()
    rig.append()
    eventually(lambda: client.numbers == [1])
    tries: list[str] = []

    def fail(*_: object) -> None:
        tries.append("try")
        raise StoreUnavailable("away")

    with monkeypatch.context() as patch:
        for name in ("tail", "feed_end"):
            patch.setattr(rig.store, name, fail)
        eventually(lambda: len(tries) > 5)
        rig.append()
    eventually(lambda: client.numbers == [1, 2])
    said = [record.getMessage() for record in caplog.records if "the feed cannot be read" in record.getMessage()]
    assert said == ["the feed cannot be read, trying again: away"]


def test_a_follower_that_is_gone_gets_no_more_and_the_others_do(rig):
    gone = Client(rig.live.follow(rig.source, STREAM, 0), limit=50)
    stays = rig.follow()
    for number in range(1, 6):
        rig.append()
        eventually(lambda number=number: stays.numbers[-1:] == [number])
    assert gone.has_ended.is_set()
    assert len(gone.numbers) < 5


@pytest.mark.parametrize("end", [lambda rig, follower: follower.stop(), lambda rig, follower: rig.live.close()])
def test_a_follower_that_ended_holds_nothing_of_its_client(rig, end):
    follower = rig.live.follow(rig.source, STREAM, 0)
    known = weakref.ref(Client(follower))
    end(rig, follower)
    eventually(lambda: gc.collect() is not None and known() is None)


def test_who_is_sent_too_much_at_a_time_must_connect_again(rig, monkeypatch):
    monkeypatch.setattr(live_module, "PAGE", 2)
    monkeypatch.setattr("plyscribe.service.live.followers.MAX_SENT", 100)
    rig.append(10)
    seen: list[int] = []
    for _ in range(10):
        client = rig.follow(after=seen[-1] if seen else 0)
        seen_before = len(seen)
        eventually(lambda client=client: client.has_ended.is_set() or client.numbers[-1:] == [10])
        seen += client.numbers
        assert len(seen) > seen_before
        if seen[-1] == 10:
            break
    assert seen == list(range(1, 11))


def try_to(follow: Callable[[], Client]) -> bool:
    try:
        follow()
    except (LiveFull, LiveShare):
        return False
    return True


@pytest.mark.parametrize(
    ("bounds", "more", "refusal"), [((2, 5000), {}, LiveFull), ((4, 2), {"wait_s": 30}, LiveShare)]
)
def test_there_is_a_bound_to_followers_and_to_those_of_one_client_and_a_place_becomes_free(bounds, more, refusal):
    rig = Rig(*bounds)
    one, _ = rig.follow(client="ann"), rig.follow(client="ann", **more)
    with pytest.raises(refusal):
        rig.follow(client="ann")
    assert try_to(lambda: rig.follow(client="ben")) is (refusal is LiveShare)
    one.follower.stop()
    one.follower.stop()
    eventually(lambda: try_to(lambda: rig.follow(client="ann")))
    with pytest.raises(refusal):
        rig.follow(client="ann")
    rig.live.close()


def test_who_waits_is_told_at_once_of_what_is_there_and_of_what_comes(rig):
    rig.append()
    waiting = rig.follow(wait_s=30)
    eventually(waiting.has_ended.is_set)
    assert waiting.text == b""
    waiting = rig.follow(after=1, wait_s=30)
    time.sleep(0.05)
    assert not waiting.has_ended.is_set()
    rig.append()
    eventually(waiting.has_ended.is_set)


def test_heartbeats_show_that_the_stream_lives(monkeypatch):
    monkeypatch.setattr(live_module, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(live_module, "RETRY_PAUSE_S", 0.01)
    rig = Rig()
    client = rig.follow()
    eventually(lambda: client.text.count(b":\n\n") >= 2)
    rig.live.close()


def test_when_the_process_stops_streams_end_without_an_end(rig):
    client, follower = rig.follow(), rig.live.follow(rig.source, STREAM, 0)
    rig.append()
    eventually(lambda: client.numbers == [1])
    rig.live.close()
    eventually(client.has_ended.is_set)
    eventually(Client(follower).has_ended.is_set)
    assert b"event: end" not in client.text
    with pytest.raises(LiveFull):
        rig.follow()


def test_nothing_is_missed_or_doubled_while_followers_come_and_go(rig):
    enough = threading.Event()

    def write() -> None:
        for _ in range(300):
            rig.append()
        enough.set()

    writer = threading.Thread(target=write)
    writer.start()
    clients = []
    while not enough.is_set():
        clients.append(rig.follow(after=len(clients) % 7))
        time.sleep(0.002)
    writer.join()
    eventually(lambda: all(client.numbers[-1:] == [300] for client in clients))
    for number, client in enumerate(clients):
        assert client.numbers == list(range(number % 7 + 1, 301))
