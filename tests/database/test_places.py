"""The place in the feed moves with the rows, exactly once, however many come with the same entries."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plyscribe.service.database.engine import Database
from plyscribe.service.database.feed_places import Places, PlaceTaken
from plyscribe.service.store.port import BUCKETS, Piece, Place
from tests.database.given import count_one, prepare_count, read_count

ROOT = Path(__file__).parents[2]
STORE = "a store"
A, B, C, *_ = BUCKETS
START = {bucket: Place("0-0", 0) for bucket in BUCKETS}


@pytest.fixture
def places(database):
    places = Places(database)
    with database.writing() as connection:
        places.begin(connection, STORE, START)
    prepare_count(database)
    return places


def piece(number: int) -> Piece:
    """The entries after this many."""
    return Piece(Place(f"{number}-0", number), Place(f"{number + 1}-0", number + 1), [])


def step(places: Places, number: int, *buckets: str) -> None:
    """Count the entries after this many as one, and move on."""
    with places.database.writing() as connection:
        count_one(connection)
        places.move(connection, dict.fromkeys(buckets, piece(number)))


def test_at_first_there_are_no_places(database):
    assert Places(database).read(STORE) == {}


def test_places_begin_where_the_feed_is(places):
    assert places.read(STORE) == START


def test_the_places_in_another_store_are_none(places):
    assert places.read("another store") == {}


def test_beginning_anew_forgets_all_places(places):
    anew = {A: Place("5-0", 5)}
    with places.database.writing() as connection:
        places.begin(connection, "another store", anew)
    assert places.read("another store") == anew
    assert places.read(STORE) == {}


def test_a_place_moves_with_the_rows(places):
    step(places, 0, A, B)
    step(places, 1, B)
    assert places.read(STORE) == START | {A: Place("1-0", 1), B: Place("2-0", 2)}
    assert read_count(places.database) == 2


def test_rows_that_were_entered_before_are_not_entered_again(places):
    step(places, 0, A)
    with pytest.raises(PlaceTaken):
        step(places, 0, A)
    assert read_count(places.database) == 1


def test_one_place_that_is_taken_keeps_all_where_they_are(places):
    step(places, 0, A)
    with pytest.raises(PlaceTaken):
        step(places, 0, A, B, C)
    assert places.read(STORE) == START | {A: Place("1-0", 1)}


def test_a_bucket_without_a_place_does_not_move(places):
    with pytest.raises(PlaceTaken):
        step(places, 0, "no bucket")


def test_no_pieces_move_nothing(places):
    step(places, 0)
    assert places.read(STORE) == START


def race(url: str, count: int) -> None:
    """Enter each of the entries unless another has."""
    places = Places(Database(url))
    for number in range(count):
        for order in ((A, B), (B, A)):
            try:
                step(places, number, *order)
            except PlaceTaken:
                continue


def test_writers_in_threads_enter_each_entry_once(read_url):
    begin(read_url)
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(race, read_url, 25) for _ in range(4)]:
            each.result()
    assert read_count(Database(read_url)) == 25


def test_writers_in_processes_enter_each_entry_once(read_url):
    begin(read_url)
    code = f"from tests.database.test_places import race; race({read_url!r}, 25)"
    racers = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(3)]
    assert [racer.wait() for racer in racers] == [0, 0, 0]
    assert read_count(Database(read_url)) == 25


def begin(url: str) -> None:
    database = Database(url)
    places = Places(database)
    with database.writing() as connection:
        places.begin(connection, STORE, START)
    prepare_count(database)
