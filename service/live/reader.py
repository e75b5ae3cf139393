"""Following streams live. Each process reads the feed once, and each followed stream once for all its followers.

The feed only says which streams to look at, and only the feed of their buckets is read. The entries themselves are read
from the stream, after the last number that was given. So after any failure, such as a store that was away, all followed
streams are read again, and nothing is missed or repeated. One thread reads the feed; another reads streams and gives
entries to followers. Both start with the first follower.
"""

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import NamedTuple

from plyscribe.service import metrics
from plyscribe.service.database.engine import DatabaseUnavailable
from plyscribe.service.errors import LiveFull, LiveShare
from plyscribe.service.live.followers import EVENTS, Entry, Follower, Framing, News, Source, make_news
from plyscribe.service.store.port import EventStore, StoreError, StoreUnavailable, bucket_of

HEARTBEAT_S = 15.0
PAGE = 1000
"""Entries that are read at a time. As many are kept of each followed stream, for followers that come later."""

FEED_ENTRIES = 1000
BLOCK_MS = 200
"""How long the feed's thread waits for news before it looks whether streams of other buckets are followed."""

REST_S = 0.005
"""The pause after news, in which more may gather. It bounds the cost of reading however fast news comes."""

NARROW_S = 30.0
"""How often buckets of which no stream is followed any more are left out. Those who ask again and again come back."""

RETRY_PAUSE_S = 0.5

CLIENTS_IN_THREADS = 2
"""It takes at least this many clients to take all the threads that streams may have."""

log = logging.getLogger(__name__)


class _Topic:
    """A followed stream in one form: how far it was read, its newest entries, and whether the last one was read."""

    def __init__(self, follower: Follower) -> None:
        self.source = follower.source
        self.stream = follower.stream
        self.has_form = follower.form != ""
        self.is_over = False
        self.bucket = bucket_of(follower.stream)
        self.followers: set[Follower] = set()
        self.begin_at(follower.number)

    def begin_at(self, number: int) -> None:
        """Begin after this number, with no entries kept."""
        self.number = self.first = number
        self.recent: deque[tuple[int, bytes]] = deque(maxlen=PAGE)

    def read(self, after: int) -> list[Entry]:
        """The next page of the stream."""
        return list(self.source.read(self.stream, after, PAGE))

    def keep(self, entries: Sequence[Entry]) -> News:
        """Keep these entries as the newest of the stream, and return them as news."""
        news = make_news(self.number, entries)
        for entry in news.entries:
            if len(self.recent) == PAGE:
                self.first = self.recent[0][0]
            self.recent.append(entry)
        self.number = entries[-1].number
        return news

    def recall(self) -> News:
        """All kept entries, at least one."""
        return News(self.first, list(self.recent), b"".join(data for _, data in self.recent))


class _Watch(NamedTuple):
    """The buckets whose feed is read, from where on, and when those without a followed stream are left out."""

    buckets: frozenset[str]
    position: str
    narrow_at: float


_NOWHERE = _Watch(frozenset(), "", 0.0)


Key = tuple[str, str]
"""What a topic is found by: the stream, and the form of its entries."""


class _Task(NamedTuple):
    """Something to do for a topic. It is repeated later if the store is away."""

    do: Callable[[Key], object]
    key: Key


def _always(_: int) -> bool:
    return True


class Live:
    """All followers in this process; safe to share between threads."""

    def __init__(self, store: EventStore, max_followers: int, max_each: int, max_threads: int = 1) -> None:
        self._store = store
        self._max_threads = max_threads
        self._max_followers = max_followers
        self._max_each = max_each
        self._lock = threading.Lock()
        self._counted: set[Follower] = set()
        self._counts: Counter[str] = Counter()
        self._closed = False
        self._started = False
        self._todo: SimpleQueue[_Task] = SimpleQueue()
        # Only the giving thread changes these.
        self._topics: dict[str, dict[str, _Topic]] = {}
        """The topics of each followed stream, by form."""
        self._buckets: Counter[str] = Counter()
        self._followed = threading.Event()
        self._again: list[_Task] = []
        self._over = False

    def follow(
        self,
        source: Source,
        stream: str,
        after: int,
        *,
        upto: int | None = None,
        wait_s: float | None = None,
        may_go_on: Callable[[int], bool] = _always,
        client: str = "",
        in_thread: bool = False,
        framing: Framing = EVENTS,
        form: str = "",
    ) -> Follower:
        """A follower of what comes after number `after`. Start it or stop it: it takes a place until it ends.

        Followers of a stream in the same form share its entries. A form other than "" takes work for each entry, so
        that its followers wait for each other and not all others for them.

        It ends after number `upto`. With `wait_s` it sends nothing and ends as soon as there is news. Before each
        sending, `may_go_on` is called with the number of the newest entry to send; once it returns False the follower
        ends without sending. `may_go_on` must not raise. With `in_thread` the follower will take a thread of the web
        server, of which there are few.

        LiveFull if all places are taken, LiveShare if this client has all the places that one client may have.
        """
        most, each = self._max_followers, self._max_each
        if in_thread:
            most = min(most, self._max_threads)
            each = min(each, max(1, most // CLIENTS_IN_THREADS))
        follower = Follower(self, source, stream, after, upto, wait_s, may_go_on, client, framing, form)
        with self._lock:
            if self._closed:
                raise LiveFull("this process is stopping: connect again")
            if len(self._counted) >= most:
                raise LiveFull(f"all places for live streams are taken ({most}): try again later")
            if self._counts[client] >= each:
                raise LiveShare(f"you have as many live streams open as one client may have ({each}): close one first")
            self._counted.add(follower)
            self._counts[client] += 1
            self._start()
        metrics.change_followers(1)
        return follower

    def _start(self) -> None:
        if not self._started:
            self._started = True
            self._heartbeat_at = time.monotonic() + HEARTBEAT_S
            for work in (self._watch_feed, self._give):
                threading.Thread(target=work, name=f"live-{work.__name__}", daemon=True).start()

    def close(self) -> None:
        """End all followers and accept no more. Their clients connect again, to another process."""
        with self._lock:
            self._closed = True
            self._todo.put(_Task(self._end_all, ("", "")))
        self._followed.set()

    def enter(self, follower: Follower) -> None:
        """See Giver.enter."""
        with self._lock:
            if not self._closed:
                self._todo.put(_Task(lambda _: self._enter(follower), follower.key))
                return
        follower.end()

    def leave(self, follower: Follower) -> None:
        """See Giver.leave."""
        self._todo.put(_Task(lambda _: self._drop(follower), follower.key))

    # ------------------------------------------------------------------------------------------------ the feed's thread

    def _watch_feed(self) -> None:
        watch = _NOWHERE
        trouble = ""
        while not self._closed:
            if not self._followed.is_set():
                watch = _NOWHERE
                self._followed.wait()
            try:
                watch = self._take_news(watch)
                trouble = ""
            except StoreError as error:
                watch = _NOWHERE
                if str(error) != trouble:
                    # Once for each trouble: it tries again every half second.
                    trouble = str(error)
                    log.warning("the feed cannot be read, trying again: %s", error)
                time.sleep(RETRY_PAUSE_S)

    def _take_news(self, watch: _Watch) -> _Watch:
        """Wake the followed streams that have news; return what to watch next.

        When streams of further buckets are followed, begin to watch these, and wake all.
        """
        followed, now_s = frozenset(self._buckets), time.monotonic()
        if not followed <= watch.buckets:
            buckets = watch.buckets | followed
            watch = _Watch(buckets, self._store.feed_end(buckets), watch.narrow_at or now_s + NARROW_S)
            self._wake(list(self._topics))
            return watch
        if now_s >= watch.narrow_at:
            watch = watch._replace(buckets=followed, narrow_at=now_s + NARROW_S)
        tail = self._store.tail(watch.position, FEED_ENTRIES, BLOCK_MS, watch.buckets)
        if tail.entries:
            self._wake({entry.stream for entry in tail.entries})
            time.sleep(REST_S)
        return watch._replace(position=tail.position)

    def _wake(self, streams: Iterable[str]) -> None:
        for stream in streams:
            for form in list(self._topics.get(stream, ())):
                self._todo.put(_Task(self._advance, (stream, form)))

    # ------------------------------------------------------------------------------------------- the thread that gives

    def _give(self) -> None:
        ticked = time.monotonic()
        while not self._over:
            with suppress(Empty):
                self._do(self._todo.get(timeout=RETRY_PAUSE_S))
            if time.monotonic() - ticked >= RETRY_PAUSE_S:
                ticked = time.monotonic()
                self._tick(ticked)

    def _do(self, task: _Task) -> None:
        try:
            task.do(task.key)
        except (StoreUnavailable, DatabaseUnavailable):
            self._again.append(task)
        except Exception:
            log.exception("%s cannot be followed", task.key[0])
            self._finish_topic(task.key)

    def _tick(self, now_s: float) -> None:
        again, self._again = self._again, []
        for task in again:
            self._todo.put(task)
        self._wake({topic.stream for topic in self._list_topics() if topic.source.is_polled})
        if now_s >= self._heartbeat_at:
            self._heartbeat_at = now_s + HEARTBEAT_S
            for topic in self._list_topics():
                for follower in list(topic.followers):
                    if not follower.beat(now_s):
                        self._finish(follower)

    def _enter(self, follower: Follower) -> None:
        if follower not in self._counted:
            follower.end()
            return
        topic = self._find_topic(follower.key)
        if topic is None:
            topic = self._topics.setdefault(follower.stream, {})[follower.form] = _Topic(follower)
            if not topic.source.is_polled:
                self._buckets[topic.bucket] += 1
                # Watch the feed before reading the stream, so that entries in between are not missed.
                self._followed.set()
            self._todo.put(_Task(self._advance, follower.key))
        topic.followers.add(follower)
        while follower.number < topic.first and follower in topic.followers:
            entries = topic.read(follower.number)
            if not entries:
                # The first follower asked for entries after a number that the stream has not reached yet.
                topic.begin_at(follower.number)
                return
            self._give_to(follower, make_news(follower.number, entries))
        if follower.number < topic.number and follower in topic.followers:
            self._give_to(follower, topic.recall())

    def _find_topic(self, key: Key) -> _Topic | None:
        stream, form = key
        return self._topics.get(stream, {}).get(form)

    def _list_topics(self) -> list[_Topic]:
        return [topic for topics in self._topics.values() for topic in topics.values()]

    def _advance(self, key: Key) -> None:
        """Read new entries of a topic and give them to all its followers."""
        topic = self._find_topic(key)
        while topic is not None and topic.followers and (entries := topic.read(topic.number)):
            topic.is_over |= any(entry.type in topic.source.last_types for entry in entries)
            news = topic.keep(entries)
            for follower in list(topic.followers):
                self._give_to(follower, news)
            if topic.source.is_polled or topic.has_form:
                # It may look through much for each entry, so that others have their turn now.
                self._todo.put(_Task(self._advance, key))
                return
        if topic is not None and topic.is_over:
            for follower in list(topic.followers):
                follower.upto = topic.number
                self._finish(follower)

    def _give_to(self, follower: Follower, news: News) -> None:
        if not follower.give(news):
            self._finish(follower)

    def _finish(self, follower: Follower) -> None:
        self._drop(follower)
        follower.end()

    def _drop(self, follower: Follower) -> None:
        with self._lock:
            if follower not in self._counted:
                return
            self._counted.discard(follower)
            self._counts[follower.client] -= 1
            if not self._counts[follower.client]:
                del self._counts[follower.client]
        metrics.change_followers(-1)
        topic = self._find_topic(follower.key)
        if topic is not None:
            topic.followers.discard(follower)
            if not topic.followers:
                del self._topics[follower.stream][follower.form]
                if not self._topics[follower.stream]:
                    del self._topics[follower.stream]
                if not topic.source.is_polled:
                    self._buckets[topic.bucket] -= 1
                if not self._buckets[topic.bucket]:
                    del self._buckets[topic.bucket]
        if not self._buckets and not self._closed:
            self._followed.clear()

    def _finish_topic(self, key: Key) -> None:
        topic = self._find_topic(key)
        for follower in list(topic.followers) if topic is not None else ():
            self._finish(follower)

    def _end_all(self, _: Key) -> None:
        self._over = True
        for follower in list(self._counted):
            self._finish(follower)
