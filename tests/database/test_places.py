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


def test_places_begin_where_the_feed_is_and_anew_for_another_store(database):
    places = Places(database)
    assert places.read(STORE) == {}
    for store, begun in ((STORE, START), ("another store", {A: Place("5-0", 5)})):
        with database.writing() as connection:
            places.begin(connection, store, begun)
        assert places.read(store) == begun
    assert places.read(STORE) == {}


def test_a_place_moves_with_the_rows(places):
    step(places, 0, A, B)
    step(places, 1, B)
    assert places.read(STORE) == START | {A: Place("1-0", 1), B: Place("2-0", 2)}
    assert read_count(places.database) == 2


@pytest.mark.parametrize("buckets", [(A,), (A, B, C), ("no bucket",)])
def test_one_place_that_is_taken_or_unknown_keeps_all_where_they_are(places, buckets):
    step(places, 0, A)
    step(places, 0)
    with pytest.raises(PlaceTaken):
        step(places, 0, *buckets)
    assert places.read(STORE) == START | {A: Place("1-0", 1)}
    assert read_count(places.database) == 2, "no pieces move nothing"


def race(url: str, count: int) -> None:
    """Enter each of the entries unless another has."""
    places = Places(Database(url))
    for number in range(count):
        for order in ((A, B), (B, A)):
            try:
                step(places, number, *order)
            except PlaceTaken:
                continue


def race_in_process(url: str) -> None:
    code = f"from tests.database.test_places import race; race({url!r}, 25)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("race_once", [lambda url: race(url, 25), race_in_process], ids=["threads", "processes"])
def test_writers_enter_each_entry_once(read_url, race_once):
    begin(read_url)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(race_once, [read_url] * 4))
    assert read_count(Database(read_url)) == 25


def begin(url: str) -> None:
    database = Database(url)
    places = Places(database)
    with database.writing() as connection:
        places.begin(connection, STORE, START)
    prepare_count(database)
