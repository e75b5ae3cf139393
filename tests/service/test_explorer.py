"""The explorer, compared with a plain count of all matches, on each engine."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from plyscribe.domain.match import Match
from plyscribe.domain.positions import fold_move, fold_position, position_key
from plyscribe.domain.replay import list_steps
from plyscribe.domain.rulesets import find_ruleset, register
from plyscribe.service.composition import Parts, compose
from plyscribe.service.explorer.counted_matches import format_winners, label_options, month_of
from plyscribe.service.explorer.explored import Wanted
from plyscribe.service.explorer.explorer_tables import OPENING
from plyscribe.service.explorer.query_language import parse_query
from plyscribe.service.lists.projections import rebuild
from plyscribe.service.store.memory import MemoryStore
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG
from tests.service.explored_matches import JULY, Table
from tests.service.random_matches import Play, dump


@pytest.fixture
def parts(any_read_url: str) -> Iterator[Parts]:
    """The parts of a process with an empty store and a read database of each kind."""
    register(TOY_V1)
    parts = compose(replace(CONFIG, read_url=any_read_url), MemoryStore())
    yield parts
    parts.database.close()


MONTH_MS = 31 * 24 * 3_600_000
PATHAGON = find_ruleset("pathagon")
START = PATHAGON.initial_state(PATHAGON.parse_options({}), 2)


def read_start(parts: Parts, latest: int = 10, **wanted: Any) -> Any:
    """What is known of the position that Pathagon starts from."""
    parts.lists.lag()
    return parts.explorer.read("pathagon", position_key(PATHAGON, START), Wanted(**wanted), latest)


def count_start(parts: Parts, **wanted: Any) -> dict[str, int]:
    return {each.move: each.matches for each in read_start(parts, **wanted).moves}


def search(parts: Parts, text: str, ruleset: str = "pathagon", limit: int = 50) -> dict[str, list[int]]:
    """The matches that are found, page after page, with their plies."""
    parts.lists.lag()
    rules, cursor, found = find_ruleset(ruleset), None, dict[str, list[int]]()
    query = parse_query(rules, text)
    while True:
        page = parts.step_search.read(f"{rules.id}@{rules.version}", query, Wanted(), limit, cursor)
        assert not found.keys() & {each.match for each in page.matches}
        found |= {each.match: each.plies for each in page.matches}
        cursor = page.cursor
        if cursor is None:
            return found


def count_plainly(matches: list[Match]) -> Counter[tuple[Any, ...]]:
    """The counts of the moves of these matches."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for match in matches:
        life, play = match.life, match.play
        if life.created.private or life.status not in ("verified", "scored"):
            continue
        assert play is not None
        assert life.outcome is not None
        options = label_options(play.ruleset, life.created.options)
        sort = (len(life.seats), options, month_of(life.ended_at), format_winners(life.outcome.ranks))
        counts.update({(*each, *sort) for each in list_opening(play)})
    return counts


def list_opening(play: Any) -> Iterator[tuple[str, str]]:
    for step in play.steps[:OPENING]:
        if not step.is_copied:
            folded = fold_position(play.ruleset, step.state)
            yield folded.key, fold_move(play.ruleset, folded, play.ruleset.parse_move(step.state, step.move))


def test_random_matches_are_counted_as_a_plain_count_does_and_a_rebuild_counts_the_same(parts: Parts) -> None:
    play = Play(parts, seed=11)
    for _ in range(25):
        play.go_on(60)
        # The explorer follows the feed in many small steps.
        parts.lists.lag()
    matches = [parts.matches.read(match) for match in play.matches]
    expected = count_plainly(matches)
    statuses = Counter(match.life.status for match in matches)
    assert statuses["verified"]
    assert statuses["annulled"]
    assert statuses["refuted"]
    assert any(match.life.created.private for match in matches if match.life.status == "verified")
    kept = dump(parts.match_counts.table)
    counted = {tuple(row)[:-1]: row.matches for name, rows in kept.items() if "_moves" in name for row in rows}
    assert counted == expected
    rebuild(parts.store, parts.match_counts)
    assert dump(parts.match_counts.table) == kept


def test_a_position_has_its_moves_with_counts_results_and_the_latest_matches(parts: Parts) -> None:
    one = Table(parts).play("d4", "e5").end(loser=2)
    two = Table(parts, at=JULY + 5).play("d4", "c5").end(loser=1)
    three = Table(parts, at=JULY + 9).play("a1").end(loser=2)
    found = read_start(parts, 2)
    assert [(each.move, each.matches, each.won, each.drawn) for each in found.moves] == [
        ("d4", 2, {1: 1, 2: 1}, 0),
        ("a1", 1, {1: 1}, 0),
    ]
    assert found.matches == 3
    assert [(each.match, each.ply, each.move, each.winners) for each in found.latest] == [
        (three, 0, "a1", "1"),
        (two, 0, "d4", "2"),
    ]
    assert one not in [each.match for each in found.latest]


def test_only_public_matches_that_are_over_count_and_leave_with_all_that_was_counted_for_them(parts: Parts) -> None:
    Table(parts, private=True).play("d4").end(loser=1)
    Table(parts).play("d4")
    assert count_start(parts) == {}
    assert search(parts, "placed") == {}
    kept, annulled, removed = Table(parts).play("d4"), Table(parts).play("d4", "e5"), Table(parts).play("d4")
    for table in (kept, annulled, removed):
        table.end(loser=1)
    late = parts.match_counts.collect({annulled.id: None})
    assert count_start(parts) == {"d4": 3}
    annulled.annul()
    assert count_start(parts) == {"d4": 2}
    parts.match_counts.remove(removed.id)
    with parts.database.writing() as connection:
        late(connection)
    assert count_start(parts) == {"d4": 1}, "what is read late does not bring back a match that has left"
    assert search(parts, "placed") == {kept.id: [1]}


def test_filters_choose_by_seats_options_month_and_rating(parts: Parts) -> None:
    Table(parts).play("d4").end(loser=1)
    Table(parts, at=JULY + MONTH_MS, ply_limit=50).play("d4").end(loser=1)
    for wanted, count in (
        ({"seats": 2}, 2),
        ({"seats": 3}, 0),
        ({"options": "default"}, 1),
        ({"options": label_options(PATHAGON, {"ply_limit": 50})}, 1),
        ({"options": label_options(PATHAGON, {"ply_limit": 51})}, 0),
        ({"since": 202408}, 1),
        ({"since": 202409}, 0),
        ({"min_rating": 0.0}, 0),
    ):
        assert count_start(parts, **wanted) == ({"d4": count} if count else {}), wanted


def test_moves_beyond_the_opening_are_searched_but_not_counted(parts: Parts) -> None:
    table = Table(parts, "zhen", ply_limit=OPENING + 10).play_out(seed=4)
    assert table.match.play is not None
    assert table.match.play.ply > OPENING
    table.end()
    parts.lists.lag()
    counted = dump(parts.match_counts.table)
    [plies] = [rows for name, rows in counted.items() if "_plies" in name]
    assert len(plies) == OPENING
    [found] = search(parts, f"ply>{OPENING} and by=1", "zhen").values()
    assert min(found) > OPENING


Step = tuple[Any, list[Any]]
"""A step, and its effects."""


def some(kind: str, is_meant: Callable[[Any], bool] = lambda _: True, least: int = 1) -> Callable[[Step], bool]:
    """Whether a step has effects of a kind that are meant."""
    return lambda step: sum(each.kind == kind and is_meant(each) for each in step[1]) >= least


placed, trapped, captured = some("placed"), some("trapped"), some("captured", lambda each: each.amount >= 2)
ended_by_path = some("ended", lambda each: each.word == "path")
ranked_first = some("ranked", lambda each: (each.owner, each.amount) == (1, 1))
moved_from_ab = some("moved", lambda each: each.source[0] in "ab")
QUERIES: dict[str, dict[str, list[Callable[[Step], bool]]]] = {
    "pathagon": {
        "placed": [placed],
        "placed at=d*": [some("placed", lambda each: each.target[0] == "d")],
        "trapped": [trapped],
        "trapped owner=2 then trapped owner=1": [
            some("trapped", lambda each: each.owner == 2),
            some("trapped", lambda each: each.owner == 1),
        ],
        "2 closed or ended path": [lambda step: some("closed", least=2)(step) or ended_by_path(step)],
        "not placed": [lambda step: not placed(step)],
        "moved from=a*|b* and not trapped": [lambda step: moved_from_ab(step) and not trapped(step)],
        "ply=10 and by=2": [lambda step: (step[0].ply, step[0].seat) == (10, 2)],
        'move="d4"': [lambda step: step[0].notation == "d4"],
        "ranked owner=1 amount=1 and ended word=path": [lambda step: ranked_first(step) and ended_by_path(step)],
        "any clause=PA8": [lambda step: any(each.clause == "PA8" for each in step[1])],
    },
    "zhen": {
        "entered and captured amount>=2": [lambda step: some("entered")(step) and captured(step)],
        "blocked seat=1": [some("blocked", lambda each: each.seat == 1)],
        "3 swept": [some("swept", least=3)],
        "moved amount=2 to=3|4 then blocked": [
            some("moved", lambda each: each.amount == 2 and each.target in ("3", "4")),
            some("blocked"),
        ],
    },
}
"""Queries, each with what the steps must do that it finds, one after the other."""


def find_plainly(match: Match, tests: list[Callable[[Step], bool]]) -> list[int]:
    """The plies of the steps that pass, as a reading of the effects one by one finds them."""
    play = match.play
    assert play is not None
    steps = [(taken, taken.list_effects(play.ruleset)) for taken in list_steps(play)]
    *before, last = tests
    for test in before:
        first = next((number for number, step in enumerate(steps) if test(step)), len(steps))
        steps = steps[first + 1 :]
    return [step[0].ply for step in steps if last(step)]


@pytest.mark.parametrize("any_read_url", ["memory"], indirect=True)
@pytest.mark.parametrize("ruleset", QUERIES)
def test_a_search_finds_what_a_reading_of_all_effects_finds(parts: Parts, ruleset: str) -> None:
    tables = [
        Table(parts, ruleset, at=JULY + seed, **({"size": 5} if ruleset == "pathagon" else {})).play_out("greedy", seed)
        for seed in range(4)
    ]
    for table in tables:
        table.end()
    passed = 0
    for text, tests in QUERIES[ruleset].items():
        expected = {table.id: find_plainly(table.match, tests) for table in reversed(tables)}
        expected = {match: plies[:20] for match, plies in expected.items() if plies}
        passed += bool(expected)
        assert search(parts, text, ruleset, limit=2) == expected, text
    assert passed > len(QUERIES[ruleset]) / 2


def test_a_search_finds_the_steps_from_a_position_however_it_lies(parts: Parts) -> None:
    one, two = Table(parts).play("b2", "d4", "a1"), Table(parts, at=JULY + 1).play("f6", "d4", "g1")
    other = Table(parts).play("c3", "d4")
    for table in (one, two, other):
        table.end(loser=1)
    key = position_key(PATHAGON, PATHAGON.apply_move(START, PATHAGON.parse_move(START, "b6")))
    assert search(parts, f"position={key}") == {two.id: [2], one.id: [2]}
    assert search(parts, f"position={key} then placed to=a1") == {one.id: [3]}
    assert search(parts, f"position={key} and placed to=a1") == {}
