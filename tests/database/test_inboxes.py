"""Inboxes in the read database: each engine keeps them in the same way."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from plyscribe.service.database.engine import Database
from plyscribe.service.live import inboxes
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import FeedEntry, StoreUnavailable

ANN, BEN = "player-" + "a" * 26, "player-" + "b" * 26
AT = 1_800_000_000_000


def letters(*keys: str, at: int = AT) -> list[inboxes.Letter]:
    return [inboxes.Letter(key, at, f"data of {key}".encode()) for key in keys]


class Post:
    """Inboxes, and the store whose feed announces their entries."""

    def __init__(self, url: str, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.inboxes = inboxes.Inboxes(Database(url), self.store)
        self.heeded: list[FeedEntry] = []

    def enter(self, *keys: str, player: str = ANN, at: int = AT) -> None:
        with self.inboxes.database.writing() as connection:
            self.inboxes.enter(connection, {player: letters(*keys, at=at)})

    def fill(self, *keys: str, at: int = AT) -> None:
        with self.inboxes.database.writing() as connection:
            self.inboxes.fill(connection, {ANN: letters(*keys, at=at)})

    def announce(self) -> None:
        self.inboxes.announce(self.heeded.extend)

    def build(self) -> None:
        self.inboxes.tables.finish(self.inboxes.tables.begin(1))

    def count_announcements(self) -> int:
        with self.inboxes.database.reading() as connection:
            return connection.scalar(sa.select(sa.func.count()).select_from(inboxes.ANNOUNCEMENTS))

    def entries(self, after: int = 0, player: str = ANN) -> list[inboxes.Received]:
        return self.inboxes.read(player, after, 10_000).entries

    def numbers(self, player: str = ANN) -> list[int]:
        return [each.number for each in self.entries(player=player)]

    def keys(self, after: int = 0, player: str = ANN) -> list[str]:
        return [each.data.decode().removeprefix("data of ") for each in self.entries(after, player)]


@pytest.fixture
def post(any_read_url: str) -> Post:
    post = Post(any_read_url)
    post.build()
    return post


@pytest.fixture
def shared(read_url: str) -> Post:
    post = Post(read_url)
    post.build()
    return post


def test_letters_are_kept_in_order_each_for_its_player_and_once(post):
    assert post.inboxes.read(ANN, 0, 10) == ([], 0, 0)
    with post.inboxes.database.writing() as connection:
        post.inboxes.enter(connection, {BEN: letters("1"), ANN: letters("2", "1")})
    numbers = post.numbers()
    post.enter("2", "3", "1", "4")
    post.enter("1")
    assert (post.keys(), post.keys(player=BEN)) == (["2", "1", "3", "4"], ["1"])
    assert post.numbers()[:2] == numbers
    post.announce()
    assert max(entry.last for entry in post.heeded) == post.numbers()[-1]


def test_who_reads_on_misses_nothing_while_several_processes_enter_the_same_and_other_letters(shared):
    def enter(writer: int) -> None:
        for number in range(20):
            shared.enter("the same", f"{writer}-{number}", at=AT + (7 * writer + number) % 20)

    read: list[str] = []
    with ThreadPoolExecutor(3) as pool:
        writing = [pool.submit(enter, writer) for writer in range(3)]
        last = 0
        is_over = False
        while not is_over:
            is_over = all(each.done() for each in writing)
            for received in shared.entries(last):
                last = received.number
                read.append(received.data.decode())
        for each in writing:
            each.result()
    others = [f"data of {writer}-{number}" for writer in range(3) for number in range(20)]
    assert sorted(read) == sorted(["data of the same", *others])


def test_a_number_is_the_time_of_the_event_or_follows_the_newest_number(post):
    post.enter("1", "2", at=AT)
    post.enter("3", at=AT + 7)
    post.enter("late", at=AT + 1)
    numbers = post.numbers()
    assert numbers == [AT * 1000, AT * 1000 + 1, (AT + 7) * 1000, (AT + 7) * 1000 + 1]
    assert post.inboxes.read(ANN, 0, 1).newest == numbers[-1] < 2**53
    assert post.keys(after=numbers[1]) == ["3", "late"]
    assert [each.number for each in post.inboxes.read(ANN, numbers[1] - 1, 2).entries] == numbers[1:3]
    assert post.keys(after=numbers[-1]) == []


def test_the_newest_letters_are_kept_and_what_was_dropped_is_known_and_may_come_again(post):
    post.enter("first")
    keys = [str(number) for number in range(inboxes.KEPT + inboxes.SLACK)]
    post.enter(*keys)
    page = post.inboxes.read(ANN, 0, 10_000)
    assert post.keys() == keys[-inboxes.KEPT :]
    assert AT * 1000 < page.dropped < page.entries[0].number
    post.enter("first")
    assert post.keys() == [*keys[-inboxes.KEPT :], "first"]


def test_the_feed_and_those_who_heed_it_hear_of_new_letters_and_of_nothing_else(post):
    post.enter("1", "2")
    post.enter("3", player=BEN)
    post.announce()
    first, last = post.numbers()
    [other] = post.numbers(BEN)
    announced = [
        FeedEntry(inboxes.inbox_of(ANN), first, last, ("inbox",)),
        FeedEntry(inboxes.inbox_of(BEN), other, other, ("inbox",)),
    ]
    assert sorted(post.store.tail().entries) == sorted(post.heeded) == announced
    assert inboxes.player_of(inboxes.inbox_of(ANN)) == ANN
    post.enter("1", "2")
    post.announce()
    assert len(post.store.tail().entries) == 2


def test_what_was_announced_can_be_read_before_the_inboxes_are_built(any_read_url):
    post = Post(any_read_url)
    post.enter("1")
    post.announce()
    post.enter("2", "3")
    post.announce()
    _, announced = post.heeded
    assert [each.data for each in post.inboxes.read_announced(announced)] == [b"data of 2", b"data of 3"]


def test_what_a_process_entered_before_it_died_is_announced_by_the_next(shared):
    shared.enter("1", "2")
    shared.enter("3")
    successor = Post(shared.inboxes.database.url.render_as_string(), shared.store)
    successor.announce()
    assert [(entry.first, entry.last) for entry in shared.store.tail().entries] == [
        (shared.numbers()[0], shared.numbers()[1]),
        (shared.numbers()[2], shared.numbers()[2]),
    ]
    successor.inboxes.strike()
    shared.announce()
    assert len(shared.store.tail().entries) == 2


def test_another_process_announces_what_was_left_when_it_looks_again(shared):
    other = Post(shared.inboxes.database.url.render_as_string(), shared.store)
    other.announce()
    shared.enter("1")
    other.announce()
    assert other.heeded == []
    other.inboxes.look_again()
    other.announce()
    assert len(other.heeded) == len(shared.store.tail().entries) == 1


@pytest.mark.parametrize("fails", ["store", "heed"])
def test_an_announcement_that_fails_is_repeated(post, monkeypatch, fails):
    def fail(entries: Sequence[FeedEntry]) -> None:
        raise StoreUnavailable("away")

    post.enter("1")
    with monkeypatch.context() as broken:
        if fails == "store":
            broken.setattr(post.store, "announce", fail)
        with pytest.raises(StoreUnavailable):
            post.inboxes.announce(fail)
    post.announce()
    assert len(post.heeded) == 1
    assert post.store.tail().entries


def test_letters_that_were_not_stored_are_not_announced(post):
    def enter_and_die() -> None:
        with post.inboxes.database.writing() as connection:
            post.inboxes.enter(connection, {ANN: letters("1")})
            raise SystemExit

    with pytest.raises(SystemExit):
        enter_and_die()
    post.announce()
    assert (post.heeded, post.keys()) == ([], [])


def test_many_announcements_are_made_in_parts_and_noted_with_the_next_letters(post, monkeypatch):
    monkeypatch.setattr("plyscribe.service.live.inboxes.AT_ONCE", 3)
    for number in range(7):
        post.enter("1", player=f"player-{number}")
    post.announce()
    assert (len(post.heeded), post.count_announcements()) == (7, 1)
    post.enter("2")
    assert post.count_announcements() == 1
    post.announce()
    post.inboxes.strike()
    assert (len(post.heeded), post.count_announcements()) == (8, 0)


def test_inboxes_to_which_nothing_comes_are_removed_and_their_numbers_grow_on(post, monkeypatch):
    monkeypatch.setattr("plyscribe.service.live.inboxes.AT_ONCE", 2)
    olds = [f"player-{number}" for number in range(3)]
    for player in olds:
        post.enter("1", player=player)
    post.enter("2", at=AT + 1)
    before = post.numbers(olds[0])[-1]
    now_ms = AT + inboxes.FORGOTTEN_MS + 1
    assert post.inboxes.forget_old(now_ms)
    assert not post.inboxes.forget_old(now_ms)
    assert [post.keys(player=player) for player in olds] == [[]] * 3
    assert post.keys() == ["2"]
    post.enter("1", player=olds[0], at=now_ms)
    assert post.numbers(olds[0])[0] > before


def test_nobody_reads_inboxes_that_are_not_built(any_read_url):
    post = Post(any_read_url)
    build = post.inboxes.tables.begin(1)
    post.enter("2", at=AT + 1)
    with pytest.raises(inboxes.InboxesIncomplete):
        post.entries()
    post.fill("1", "2")
    post.inboxes.tables.finish(build)
    assert post.keys() == ["1", "2"]
    assert post.numbers() == [AT * 1000, (AT + 1) * 1000]


def test_a_build_gives_letters_the_numbers_that_they_had(post):
    for key, at in (("b", 9), ("a", 5), ("c", 9), ("d", 20)):
        post.enter(key, at=at)
    before = post.entries()
    build = post.inboxes.tables.begin(1)
    for key, at in (("d", 20), ("a", 5)):
        post.fill(key, at=at)
    post.enter("e", at=21)
    post.fill("b", "c", at=9)
    post.inboxes.tables.finish(build)
    assert post.entries() == [*before, (21_000, b"data of e")]


def test_a_build_from_the_streams_alone_gives_each_letter_a_number_of_its_own(any_read_url):
    post = Post(any_read_url)
    build = post.inboxes.tables.begin(1)
    post.fill("a", "b")
    post.fill("c", at=AT - 1)
    post.fill("d", "a", at=AT)
    post.enter("e", at=AT)
    post.inboxes.tables.finish(build)
    assert post.keys() == ["c", "a", "b", "d", "e"]
    assert post.inboxes.read(ANN, 0, 1).newest == post.numbers()[-1]


def test_a_build_keeps_as_many_letters(any_read_url):
    post = Post(any_read_url)
    build = post.inboxes.tables.begin(1)
    for number in range(inboxes.KEPT + 2 * inboxes.SLACK):
        post.fill(str(number), at=AT + number)
    post.inboxes.tables.finish(build)
    page = post.inboxes.read(ANN, 0, 10_000)
    assert inboxes.KEPT <= len(page.entries) <= inboxes.KEPT + inboxes.SLACK
    assert page.entries[-1].data.endswith(b"%d" % (inboxes.KEPT + 2 * inboxes.SLACK - 1))
    assert 0 < page.dropped < page.entries[0].number
