"""What `make test` runs, and what it leaves to `make test-all`."""

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

from tests.tiers import (
    EXHAUSTIVE,
    JOURNEYS,
    LONGEST,
    MOST_CASES,
    MOST_ITEMS,
    begin_with_longest,
    find_exhaustive,
    is_left_out,
)

ROOT = Path(__file__).parents[1]


def test_make_test_collects_few_tests(request):
    # Of a run that was asked for less, this says nothing.
    assert len([item for item in request.session.items if not item.get_closest_marker("exhaustive")]) <= MOST_ITEMS


def find_missing(places: Iterable[str]) -> list[str]:
    """Those of the places that the tree does not have: files, folders, and tests by the beginnings of their names."""

    def is_there(place: str) -> bool:
        path, _, test = place.partition("::")
        if not test:
            return (ROOT / path).exists()
        return (ROOT / path).is_file() and f"def {test.partition('[')[0]}" in (ROOT / path).read_text(encoding="utf-8")

    return [place for place in places if not is_there(place)]


def test_the_tables_name_what_is_there():
    assert find_missing([*(place for places in EXHAUSTIVE.values() for place in places), *JOURNEYS, *LONGEST]) == []
    gone = ["tests/gone.py", "tests/test_tiers.py::test_gone"]
    assert find_missing(gone) == gone


def test_of_many_cases_the_first_the_last_and_some_between_stay():
    many = [f"tests/a.py::test_b[{case}]" for case in range(21)]
    kept = [many.index(name) for name in many if name not in find_exhaustive(many)]
    assert kept == [0, 4, 8, 12, 16, 20]
    assert not find_exhaustive(many[:MOST_CASES])


def test_of_the_pages_the_journeys_stay():
    pages = [JOURNEYS[0], "tests/pages/test_play.py::test_another"]
    assert find_exhaustive(pages) == {pages[1]}


def test_each_process_begins_with_some_of_the_longest():
    short = [SimpleNamespace(nodeid=f"tests/a.py::test_{number}") for number in range(10)]
    long = [SimpleNamespace(nodeid=f"{name}::test_a") for name in LONGEST[:3]]
    ordered = begin_with_longest([*short, *long], 2)
    assert sorted(map(id, ordered)) == sorted(map(id, [*short, *long]))
    assert [ordered[place] for place in (0, 1, 6)] == [long[0], long[2], long[1]]
    assert begin_with_longest(long[:1], 4) == long[:1]


def test_a_file_is_not_read_if_all_of_it_is_left_out():
    assert is_left_out("tests/envs/test_openspiel.py")
    assert not is_left_out("tests/system/test_serve.py")


def test_a_run_ends_with_its_costs_and_with_what_was_skipped(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile("import pytest\ndef test_a(): pytest.skip('no browser')\ndef test_b(): pass")
    ran = pytester.runpytest_subprocess("-p", "tests.costs")
    ran.stdout.fnmatch_lines(["*CPU seconds by folder*", "*in all, without collecting", "1 skipped: no browser"])
