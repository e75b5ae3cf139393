"""The order in which changes of matches are noted, on each engine."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from plyscribe.service.database.engine import Database
from plyscribe.service.live import match_changes as changes_module
from plyscribe.service.live.match_changes import Change, Changes
from plyscribe.service.store.port import FeedEntry

MATCH = "match-" + "a" * 26


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(changes_module, "FRESH_S", 0.0)


@pytest.fixture
def changes(any_read_url):
    with closing(Database(any_read_url)) as database:
        yield Changes(database)


def append(version: int, stream: str = MATCH) -> FeedEntry:
    return FeedEntry(stream, version, version, ("made",))


def note(changes: Changes, *entries: FeedEntry) -> None:
    enter = changes.collect(entries)
    with changes._database.writing() as connection:
        enter(connection)


def test_appends_to_matches_and_tournaments_are_noted_in_order(changes):
    start, floor = changes.numbers()
    assert start == floor > 0
    assert changes.read(0, 10) == []
    player, tournament = "player-" + "a" * 26, "tournament-" + "a" * 26
    note(changes, append(1, player))
    assert changes.numbers() == (start, floor)
    note(changes, append(1), append(1, player), append(4, tournament))
    note(changes, FeedEntry(MATCH, 3, 7, ("made",)))
    expected = [Change(start + 1, MATCH, 1, 1), Change(start + 2, tournament, 4, 4), Change(start + 3, MATCH, 3, 7)]
    assert changes.read(start, 10) == expected
    assert changes.read(start + 1, 1) == expected[1:2]
    assert changes.numbers() == (start + 3, start)


def test_only_the_newest_are_kept_and_forgotten_when_some_were_missed_and_their_numbers_go_on(changes, monkeypatch):
    monkeypatch.setattr(changes_module, "KEPT", 3)
    start = changes.numbers().newest
    for version in range(1, 6):
        note(changes, append(version))
    assert [change.last for change in changes.read(0, 10)] == [3, 4, 5]
    assert changes.numbers() == (start + 5, start + 2)
    before = changes.numbers().newest
    with changes._database.writing() as connection:
        changes.forget(connection)
    newest, floor = changes.numbers()
    assert newest == floor > before
    assert changes.read(0, 10) == []
    note(changes, append(2))
    assert [change.number for change in changes.read(0, 10)] == [newest + 1]


def test_numbers_go_on_after_the_database_was_lost(monkeypatch):
    first = Changes(Database())
    note(first, append(1))
    second = Changes(Database())
    assert second.numbers().newest > first.numbers().newest


def test_a_transaction_that_fails_notes_nothing(changes):
    before = changes.numbers()

    def fail() -> None:
        with changes._database.writing() as connection:
            changes.collect([append(1)])(connection)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert changes.numbers() == before


def test_a_reader_never_misses_a_change_that_becomes_visible_later(read_url):
    """Two relays write at the same time; whoever reads on after the newest number that they saw gets all."""
    writers = [Changes(Database(read_url)) for _ in range(3)]
    reader = Changes(Database(read_url))
    start = reader.numbers().newest
    seen: list[Change] = []

    def write(number: int) -> None:
        for version in range(20):
            note(writers[number], append(version, f"match-{number}"), append(version, f"match-{number}"))

    with ThreadPoolExecutor(3) as threads:
        writing = [threads.submit(write, number) for number in range(3)]
        while not all(each.done() for each in writing):
            seen += reader.read(seen[-1].number if seen else start, 1000)
    seen += reader.read(seen[-1].number if seen else start, 1000)
    assert [change.number for change in seen] == list(range(start + 1, start + 121))
