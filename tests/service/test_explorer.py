"""The explorer, compared with a plain count of all matches, on each engine."""

from collections import Counter
from collections.abc import Iterator
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

MONTH_MS = 31 * 24 * 3_600_000
ALL = Wanted()


@pytest.fixture
def parts(any_read_url: str) -> Iterator[Parts]:
    """The parts of a process with an empty store and a read database of each kind."""
    register(TOY_V1)
    parts = compose(replace(CONFIG, read_url=any_read_url), MemoryStore())
    yield parts
    parts.database.close()


def start_of(ruleset: str, seats: int = 2, **options: Any) -> Any:
    rules = find_ruleset(ruleset)
    return rules.initial_state(rules.parse_options(options), seats)


def read(parts: Parts, key: str, wanted: Wanted = ALL, ruleset: str = "pathagon") -> dict[str, int]:
    parts.lists.lag()
    return {each.move: each.matches for each in parts.explorer.read(ruleset, key, wanted, 10).moves}


def search(
    parts: Parts, text: str, ruleset: str = "pathagon", wanted: Wanted = ALL, limit: int = 50
) -> dict[str, list[int]]:
    """The matches that are found, page after page, with their plies."""
    parts.lists.lag()
    rules, cursor, found = find_ruleset(ruleset), None, dict[str, list[int]]()
    query = parse_query(rules, text)
    while True:
        page = parts.step_search.read(f"{rules.id}@{rules.version}", query, wanted, limit, cursor)
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
    parts.lists.lag()
    found = parts.explorer.read("pathagon", position_key(find_ruleset("pathagon"), start_of("pathagon")), ALL, 2)
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


def test_positions_that_mirror_each_other_count_as_one(parts: Parts) -> None:
    rules = find_ruleset("pathagon")
    for first, second in (("b2", "d4"), ("f2", "d4"), ("b6", "d4"), ("f6", "d4")):
        Table(parts).play(first, second).end(loser=1)
    start = start_of("pathagon")
    [move] = read(parts, position_key(rules, start))
    assert move == "b2"
    after = {position_key(rules, rules.apply_move(start, rules.parse_move(start, move))) for move in ("b2", "f6")}
    assert [read(parts, key) for key in after] == [{"d4": 4}]


def test_private_matches_and_matches_under_way_do_not_count(parts: Parts) -> None:
    Table(parts, private=True).play("d4").end(loser=1)
    Table(parts).play("d4")
    assert read(parts, position_key(find_ruleset("pathagon"), start_of("pathagon"))) == {}
    assert search(parts, "placed") == {}


def test_an_annulled_match_leaves_with_all_that_was_counted_for_it(parts: Parts) -> None:
    kept, gone = Table(parts).play("d4"), Table(parts).play("d4", "e5")
    kept.end(loser=1)
    gone.end(loser=1)
    key = position_key(find_ruleset("pathagon"), start_of("pathagon"))
    assert read(parts, key) == {"d4": 2}
    gone.annul()
    assert read(parts, key) == {"d4": 1}
    assert search(parts, "placed") == {kept.id: [1]}


def test_a_match_that_is_removed_leaves_and_others_stay(parts: Parts) -> None:
    ids = [Table(parts).play("d4").end(loser=1) for _ in range(2)]
    key = position_key(find_ruleset("pathagon"), start_of("pathagon"))
    assert read(parts, key) == {"d4": 2}
    parts.match_counts.remove(ids[0])
    assert read(parts, key) == {"d4": 1}


def test_what_is_read_late_does_not_bring_back_a_match_that_has_left(parts: Parts) -> None:
    table = Table(parts).play("d4")
    table.end(loser=1)
    late = parts.match_counts.collect({table.id: None})
    table.annul()
    key = position_key(find_ruleset("pathagon"), start_of("pathagon"))
    assert read(parts, key) == {}
    with parts.database.writing() as connection:
        late(connection)
    assert read(parts, key) == {}


def test_filters_choose_by_seats_options_and_month(parts: Parts) -> None:
    rules = find_ruleset("zhen")
    Table(parts, "zhen").play("+3").end(loser=1)
    Table(parts, "zhen", at=JULY + MONTH_MS, ply_limit=50).play("+3").end(loser=1)
    key = position_key(rules, start_of("zhen"))

    def count(**wanted: Any) -> dict[str, int]:
        return read(parts, key, Wanted(**wanted), "zhen")

    assert count() == {"+3": 2}
    assert count(seats=2) == {"+3": 2}
    assert count(seats=3) == {}
    assert count(options="default") == {"+3": 1}
    assert count(options=label_options(rules, {"ply_limit": 50})) == {"+3": 1}
    assert count(options=label_options(rules, {"ply_limit": 51})) == {}
    assert count(since=202408) == {"+3": 1}
    assert count(since=202409) == {}


def test_a_wanted_rating_counts_the_latest_matches_and_none_without_ratings(parts: Parts) -> None:
    Table(parts).play("d4").end(loser=1)
    parts.lists.lag()
    key = position_key(find_ruleset("pathagon"), start_of("pathagon"))
    found = parts.explorer.read("pathagon", key, Wanted(min_rating=0.0), 10)
    assert (found.matches, found.moves, found.latest) == (0, [], [])


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


QUERIES = {
    "pathagon": [
        "placed",
        "placed at=d*",
        "trapped",
        "trapped owner=2 then trapped owner=1",
        "2 closed or ended path",
        "not placed",
        "moved from=a*|b* and not trapped",
        "ply=10 and by=2",
        'move="d4"',
        "ranked owner=1 amount=1 and ended word=path",
        "any clause=PA8",
    ],
    "zhen": ["entered and captured amount>=2", "blocked seat=1", "3 swept", "moved amount=2 to=3|4 then blocked"],
}


def find_plainly(match: Match, text: str) -> list[int]:
    """The plies of the steps that pass, as a reading of the effects one by one finds them. Knows the queries above."""
    play = match.play
    assert play is not None
    steps = [(taken, taken.list_effects(play.ruleset)) for taken in list_steps(play)]
    tests: dict[str, Any] = {
        "placed": lambda _, done: any(each.kind == "placed" for each in done),
        "placed at=d*": lambda _, done: any(each.kind == "placed" and each.target[0] == "d" for each in done),
        "trapped": lambda _, done: any(each.kind == "trapped" for each in done),
        "2 closed or ended path": lambda _, done: (
            sum(each.kind == "closed" for each in done) >= 2 or any(each.word == "path" for each in done)
        ),
        "not placed": lambda _, done: all(each.kind != "placed" for each in done),
        "moved from=a*|b* and not trapped": lambda _, done: (
            any(each.kind == "moved" and each.source[0] in "ab" for each in done)
            and all(each.kind != "trapped" for each in done)
        ),
        "ply=10 and by=2": lambda taken, _: taken.ply == 10 and taken.seat == 2,
        'move="d4"': lambda taken, _: taken.notation == "d4",
        "ranked owner=1 amount=1 and ended word=path": lambda _, done: (
            any(each.kind == "ranked" and (each.owner, each.amount) == (1, 1) for each in done)
            and any(each.word == "path" for each in done)
        ),
        "any clause=PA8": lambda _, done: any(each.clause == "PA8" for each in done),
        "entered and captured amount>=2": lambda _, done: any(
            each.kind == "captured" and each.amount >= 2 for each in done
        ),
        "blocked seat=1": lambda _, done: any(each.kind == "blocked" and each.seat == 1 for each in done),
        "3 swept": lambda _, done: sum(each.kind == "swept" for each in done) >= 3,
    }
    if text == "trapped owner=2 then trapped owner=1":
        by = [[each.owner for each in done if each.kind == "trapped"] for _, done in steps]
        first = next((number for number, owners in enumerate(by) if 2 in owners), len(by))
        return [taken.ply for (taken, _), owners in list(zip(steps, by, strict=True))[first + 1 :] if 1 in owners]
    if text == "moved amount=2 to=3|4 then blocked":
        moved = [any(e.kind == "moved" and e.amount == 2 and e.target in ("3", "4") for e in done) for _, done in steps]
        first = moved.index(True) if True in moved else len(moved)
        return [taken.ply for taken, done in steps[first + 1 :] if any(each.kind == "blocked" for each in done)]
    return [taken.ply for taken, done in steps if tests[text](taken, done)]


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
    for text in QUERIES[ruleset]:
        expected = {table.id: find_plainly(table.match, text) for table in reversed(tables)}
        expected = {match: plies[:20] for match, plies in expected.items() if plies}
        passed += bool(expected)
        assert search(parts, text, ruleset, limit=2) == expected, text
    assert passed > len(QUERIES[ruleset]) / 2


def test_a_search_finds_the_steps_from_a_position_however_it_lies(parts: Parts) -> None:
    rules = find_ruleset("pathagon")
    one, two = Table(parts).play("b2", "d4", "a1"), Table(parts, at=JULY + 1).play("f6", "d4", "g1")
    other = Table(parts).play("c3", "d4")
    for table in (one, two, other):
        table.end(loser=1)
    start = start_of("pathagon")
    key = position_key(rules, rules.apply_move(start, rules.parse_move(start, "b6")))
    assert search(parts, f"position={key}") == {two.id: [2], one.id: [2]}
    assert search(parts, f"position={key} then placed to=a1") == {one.id: [3]}
    assert search(parts, f"position={key} and placed to=a1") == {}
