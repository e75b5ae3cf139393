"""The contract of tables: in memory, on the fake and on real servers they give the same answers."""

import random
from collections.abc import Callable

import pytest
from redis import Redis

from plyscribe.service.store.memory_table import MemoryTable
from plyscribe.service.store.port import WrongType
from plyscribe.service.store.redis_table import RedisTable
from plyscribe.service.store.rows import BuildLost, Row, Span, Table, TableState
from tests.store.conftest import REAL

LAYOUT = 3


@pytest.fixture(params=["memory", "fakeredis", *REAL])
def table(request: pytest.FixtureRequest, client_of: Callable[[str], Redis]) -> Table:
    """An empty table of each kind: all must pass the same tests."""
    return MemoryTable() if request.param == "memory" else RedisTable(client_of(request.param), "test")


def row(id: str, version: int = 1, place: str = "", terms: tuple[str, ...] = ("all",), data: bytes = b"") -> Row:
    return Row(id, version, place or f"place of {id}", terms, data or f"{id} at {version}".encode())


def ids(table: Table, *terms: str, limit: int = 100, newest_first: bool = False) -> list[str]:
    found = table.read([Span(term) for term in terms], limit, newest_first)
    return [each.at.decode().partition("\t")[2] for each in found]


def test_an_empty_table_lists_nothing(table: Table) -> None:
    assert table.read([Span("all")], 10) == []
    assert table.count([Span("all"), Span("b")]) == [0, 0]


def test_a_row_stands_in_the_lists_of_its_terms_alone(table: Table) -> None:
    table.put([row("x", terms=("all", "red")), row("y", terms=("all", "blue"))])
    assert (ids(table, "all"), ids(table, "red"), ids(table, "blue")) == (["x", "y"], ["x"], ["y"])


def test_no_term_is_taken_for_the_beginning_of_another(table: Table) -> None:
    table.put([row("x", terms=("red",)), row("y", terms=("reddish",)), row("z", terms=("red wine",))])
    assert ids(table, "red") == ["x"]


def test_a_newer_version_leaves_the_lists_that_it_has_no_part_in(table: Table) -> None:
    table.put([row("x", 1, terms=("all", "red"))])
    table.put([row("x", 2, place="elsewhere", terms=("all", "blue"))])
    assert (ids(table, "all"), ids(table, "red"), ids(table, "blue")) == (["x"], [], ["x"])
    assert table.read([Span("all")], 10)[0] == (b"elsewhere\tx", b"x at 2")


def test_an_older_version_and_the_same_one_change_nothing(table: Table) -> None:
    table.put([row("x", 5, terms=("red",))])
    table.put([row("x", 4, terms=("blue",)), row("x", 5, terms=("blue",))])
    assert (ids(table, "red"), ids(table, "blue")) == (["x"], [])


def test_versions_are_compared_as_numbers(table: Table) -> None:
    table.put([row("x", 9), row("x", 10), row("x", 9)])
    assert table.read([Span("all")], 10)[0].data == b"x at 10"


def test_rows_are_ordered_by_place_then_id_byte_by_byte(table: Table) -> None:
    places = ["a", "a b", "aa", "B", "z", "é", "ž", "𝕫", *"aaaa"]
    random.Random(1).shuffle(places)
    table.put([row(f"{n}", place=place) for n, place in enumerate(places)])
    expected = sorted(f"{place}\t{n}".encode() for n, place in enumerate(places))
    assert [found.at for found in table.read([Span("all")], 100)] == expected
    assert [found.at for found in table.read([Span("all")], 100, newest_first=True)] == expected[::-1]


@pytest.mark.parametrize("newest_first", [False, True])
def test_spans_are_merged_in_order(table: Table, newest_first: bool) -> None:
    rng = random.Random(2)
    places = rng.sample([f"{letter}{n}" for letter in "aäž-" for n in range(20)], 60)
    table.put([row(place, place=place, terms=(rng.choice(["red", "blue", "green"]),)) for place in places])
    merged = sorted(places, key=str.encode, reverse=newest_first)
    assert ids(table, "red", "blue", "green", newest_first=newest_first) == merged
    assert ids(table, "red", "blue", "green", limit=7, newest_first=newest_first) == merged[:7]


def test_a_span_holds_its_low_end_and_not_its_high_one(table: Table) -> None:
    table.put([row(name, place=name) for name in "abcde"])
    span = Span("all", b"b\tb", b"d\td")
    assert [found.at for found in table.read([span], 10)] == [b"b\tb", b"c\tc"]
    assert table.count([span, Span("all"), Span("all", b"c")]) == [2, 5, 3]


def test_many_rows_are_entered_at_once(table: Table) -> None:
    table.put([row(f"{n:03}") for n in range(300)])
    assert table.count([Span("all")]) == [300]


def test_data_is_kept_byte_for_byte(table: Table) -> None:
    data = bytes(range(256))
    table.put([row("x", data=data)])
    assert table.read([Span("all")], 1)[0].data == data


def test_a_table_that_was_never_built_takes_rows_and_says_so(table: Table) -> None:
    table.put([row("x")])
    assert table.state() == TableState(0, None)
    assert ids(table, "all") == ["x"]


def test_what_is_read_stays_until_the_build_ends(table: Table) -> None:
    table.put([row("old")])
    build = table.begin(now_ms=1000)
    assert table.state() == TableState(0, 1000)
    table.put([row("new")])
    assert ids(table, "all") == ["new", "old"]
    table.finish(build, LAYOUT)
    assert ids(table, "all") == ["new"]
    assert table.state() == TableState(LAYOUT, None)


def test_rows_put_in_a_build_keep_their_newest_version_in_both_halves(table: Table) -> None:
    table.put([row("x", 3, terms=("red",))])
    build = table.begin(0)
    table.put([row("x", 4, terms=("blue",))])
    table.put([row("x", 3, terms=("red",))])
    assert (ids(table, "red"), ids(table, "blue")) == ([], ["x"])
    table.finish(build, LAYOUT)
    assert (ids(table, "red"), ids(table, "blue")) == ([], ["x"])


def test_a_build_drops_whatever_the_same_version_had_before(table: Table) -> None:
    table.put([row("x", 3, terms=("wrong",), data=b"wrong")])
    build = table.begin(0)
    table.put([row("x", 3, terms=("right",), data=b"right")])
    table.finish(build, LAYOUT)
    assert ids(table, "wrong") == []
    assert table.read([Span("right")], 1)[0].data == b"right"


def test_a_later_build_starts_from_nothing_and_the_earlier_one_is_lost(table: Table) -> None:
    first = table.begin(0)
    table.put([row("half done")])
    second = table.begin(1)
    table.put([row("all")])
    for step in (lambda: table.renew(first, 2), lambda: table.finish(first, LAYOUT)):
        with pytest.raises(BuildLost):
            step()
    table.finish(second, LAYOUT)
    assert ids(table, "all") == ["all"]


def test_a_build_ends_once(table: Table) -> None:
    build = table.begin(0)
    table.finish(build, LAYOUT)
    with pytest.raises(BuildLost):
        table.finish(build, LAYOUT)


def test_a_sign_of_life_is_noted(table: Table) -> None:
    build = table.begin(0)
    table.renew(build, 77)
    assert table.state().build_ms == 77


def test_builds_follow_one_another(table: Table) -> None:
    for n in range(4):
        build = table.begin(n)
        table.put([row(f"{n}")])
        table.finish(build, LAYOUT)
        assert ids(table, "all") == [f"{n}"]


@pytest.mark.server
@pytest.mark.parametrize("part", ["rows", "marks", "lists"])
def test_a_key_that_holds_something_else_is_told_and_what_was_put_is_not_lost(engine, client_of, part: str) -> None:
    client = client_of(engine)
    table, key = RedisTable(client, "test"), f"{{test}}:a:{part}"
    client.set(key, "something else")
    with pytest.raises(WrongType):
        table.put([row("x")])
    client.delete(key)
    table.put([row("x")])
    assert table.read([Span("all")], 1) == [(row("x").at, b"x at 1")]
