"""Lists of matches, compared with a plain search through all matches."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from plyscribe.domain.events import Account
from plyscribe.domain.match import STATUSES, Match
from plyscribe.domain.rulesets import register
from plyscribe.domain.waiting import WAITED_FOR, list_waits
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import may_read
from plyscribe.service.composition import Parts, compose
from plyscribe.service.lists.matches import MatchFilter, MatchList
from plyscribe.service.lists.paging import choose_spans
from plyscribe.service.lists.projections import rebuild
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.memory_table import MemoryTable
from plyscribe.service.store.rows import Row, Span
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG
from tests.service.random_matches import PLAYERS, TIMES, TOURNAMENTS, Play, dump

ACCOUNTS = [player.id for player in PLAYERS]


@pytest.fixture(scope="module")
def played() -> tuple[Parts, list[Match]]:
    """A store with a few hundred matches, and the state of each."""
    register(TOY_V1)
    parts = compose(CONFIG, MemoryStore())
    play = Play(parts, seed=7)
    for _ in range(40):
        play.go_on(60)
        # The list follows the feed in many small steps.
        parts.lists.lag()
    return parts, [parts.matches.read(match) for match in play.matches]


filters = st.builds(
    MatchFilter,
    player=st.none() | st.sampled_from(ACCOUNTS),
    ruleset=st.none() | st.sampled_from(["pathagon", "zhen", "toy", "chess"]),
    status=st.just(()) | st.lists(st.sampled_from(STATUSES), min_size=1, max_size=4).map(tuple),
    tournament=st.none() | st.sampled_from(TOURNAMENTS),
    rated=st.none() | st.booleans(),
    since=st.integers(0, TIMES),
    until=st.none() | st.integers(0, TIMES),
)
readers = (
    st.none()
    | st.sampled_from([Principal(account, ("play",)) for account in ACCOUNTS])
    | st.just(Principal("player-" + "o" * 26, ("organise",)))
)


def concerned(match: Match) -> set[str]:
    seats = {seat.occupant.player for seat in match.life.seats if isinstance(seat.occupant, Account)}
    return seats | {match.life.creator} | ({match.life.created.recorder} - {None})


def search(matches: list[Match], wanted: MatchFilter, who: Principal | None) -> list[str]:
    """What a list must show, found by a look at every match."""
    found = [
        match
        for match in matches
        if may_read(match, who)
        and (wanted.player is None or wanted.player in concerned(match))
        and wanted.ruleset in (None, match.life.created.ruleset)
        and (not wanted.status or match.life.status in wanted.status)
        and wanted.tournament in (None, (match.life.created.tournament or {}).get("id"))
        and wanted.rated in (None, match.life.created.rated)
        and wanted.since <= match.life.created_at
        and (wanted.until is None or match.life.created_at < wanted.until)
        and (wanted.waiting_for is None or wanted.waiting_for in {wait.player for wait in list_waits(match)})
    ]
    found.sort(key=lambda match: (match.life.created_at, match.stream), reverse=True)
    return [match.stream for match in found]


def list_all(lists: MatchList, wanted: MatchFilter, who: Principal | None, limit: int = 200) -> list[str]:
    cursor, found = None, []
    while True:
        page = lists.read(wanted, who, limit, cursor)
        assert len(page.rows) <= limit
        found += [match_of(row) for row in page.rows]
        cursor = page.cursor
        if cursor is None:
            return found


def match_of(row: bytes) -> str:
    return row.partition(b'"match":"')[2][:32].decode()


def test_the_matches_are_of_all_kinds(played):
    _, matches = played
    kinds = Counter(match.life.status for match in matches)
    assert kinds.keys() >= set(STATUSES) - {"scored"}
    assert {wait.what for match in matches for wait in list_waits(match)} == set(WAITED_FOR)
    assert len(matches) > 200
    assert sum(match.life.created.private for match in matches) > 20


@hypothesis_settings(max_examples=300)
@given(filters, readers, st.integers(1, 200))
def test_a_list_has_what_a_search_finds_in_the_same_order(played, wanted, who, limit):
    parts, matches = played
    assert list_all(parts.lists.matches, wanted, who, limit) == search(matches, wanted, who)


@hypothesis_settings(max_examples=100)
@given(filters, st.sampled_from(ACCOUNTS), st.integers(1, 50))
def test_what_waits_for_a_player_has_what_a_search_finds(played, wanted, account, limit):
    parts, matches = played
    wanted, who = replace(wanted, waiting_for=account), Principal(account, ("play",))
    assert list_all(parts.lists.matches, wanted, who, limit) == search(matches, wanted, who)


def test_a_list_built_at_once_equals_one_kept_step_by_step(played):
    parts, _ = played
    built = MatchList(MemoryTable(), parts.matches, parts.imports)
    rebuild(parts.store, built)
    assert dump(built.table) == dump(parts.lists.matches.table)


@hypothesis_settings(max_examples=50)
@given(filters, filters)
def test_a_cursor_of_one_list_is_a_place_in_any_other(played, first, other):
    parts, matches = played
    page = parts.lists.matches.read(first, None, 3, None)
    if page.cursor is None:
        return
    last = (json.loads(page.rows[-1])["created_at"], match_of(page.rows[-1])) if page.rows else None
    by_place = {match.stream: (match.life.created_at, match.stream) for match in matches}
    behind = [match for match in search(matches, other, None) if last is not None and by_place[match] < last]
    assert [match_of(row) for row in parts.lists.matches.read(other, None, 200, page.cursor).rows] == behind


def test_the_shortest_lists_are_read():
    table = MemoryTable()
    terms = {"a": ("all", "rare"), "b": ("all", "red"), "c": ("all", "blue")}
    table.put([Row(id, 1, id, its, b"") for id, its in terms.items()])
    rare, colours = [Span("rare")], [Span("red"), Span("blue")]
    assert choose_spans(table, [[Span("all")], rare, colours]) == rare
    assert choose_spans(table, [[Span("all")], colours]) == colours
