"""Lists of matches, compared with a plain search through all matches, on each engine."""

import re
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from plyscribe.domain.commands import Actor
from plyscribe.domain.events import Account, Guest
from plyscribe.domain.match import STATUSES, Match
from plyscribe.domain.player import RegisterPlayer
from plyscribe.domain.rulesets import register
from plyscribe.domain.waiting import WAITED_FOR, list_waits
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS, may_read
from plyscribe.service.composition import Parts, compose
from plyscribe.service.database.engine import Database
from plyscribe.service.lists import match_search, paging
from plyscribe.service.lists.matches import ORDERS, RESULTS, SORTS, MatchFilter, MatchList
from plyscribe.service.lists.paging import Page
from plyscribe.service.lists.projections import rebuild
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.streams.ids import job_command
from tests.conftest import POSTGRESQL
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG
from tests.service.random_matches import PLAYERS, TIMES, TOURNAMENTS, Play, dump

ACCOUNTS = [player.id for player in PLAYERS]
NAMES = dict(zip(ACCOUNTS, ["Ann", "Anna Ko", "Ben", "Ben-Ami", "Œdipe", "Straße 9", "★"], strict=True))
WORDS = ["ann", "anna", "AN", "ben", "ben ann", "ann b", "ada", "ko anna", "strasse", "STRASSE 9", "œd", "x", "9"]
NOTED = ["turin", "new turin", "TUR", "club", "club cup", "evening", "évening", "2", "e", "zz"]


@pytest.fixture(scope="module", params=["memory", "sqlite", POSTGRESQL])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an empty database."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            yield stack.enter_context(request.getfixturevalue("postgres").new_database())
        else:
            yield f"sqlite:///{tmp_path_factory.mktemp('read')}/read.db" if request.param == "sqlite" else "sqlite://"


@pytest.fixture(scope="module")
def played(url: str) -> Iterator[tuple[Parts, list[Match]]]:
    """A store with a few hundred matches, and the state of each."""
    register(TOY_V1)
    parts = compose(replace(CONFIG, read_url=url), MemoryStore())
    for account, name in NAMES.items():
        fields = {"name": name, "scopes": ("play",), "digest": "00" * 32}
        command = RegisterPlayer(actor=Actor("system", "test"), at=1, id="00", **fields)
        parts.accounts.players.execute(account, lambda _, command=command: command, job_command(account), new=True)
    play = Play(parts, seed=7)
    for _ in range(40):
        play.go_on(60)
        # The list follows the feed in many small steps.
        parts.lists.lag()
    yield parts, [parts.matches.read(match) for match in play.matches]
    parts.database.close()


accounts = st.sampled_from(ACCOUNTS)
rarely = st.none() | st.none()
filters = st.builds(
    MatchFilter,
    player=st.none() | accounts,
    ruleset=st.none() | st.sampled_from(["pathagon", "zhen", "toy", "chess"]),
    status=st.just(()) | st.lists(st.sampled_from(STATUSES), min_size=1, max_size=4).map(tuple),
    tournament=rarely | st.sampled_from(TOURNAMENTS),
    rated=st.none() | st.booleans(),
    imported=rarely | st.booleans(),
    reason=rarely | st.sampled_from(["withdrawal", "agreement", "finish", "never"]),
    names=st.just("") | st.just("") | st.sampled_from(WORDS),
    place=st.just("") | st.just("") | st.sampled_from(NOTED),
    about=st.just("") | st.just("") | st.sampled_from(NOTED),
    since=st.integers(0, TIMES),
    until=st.none() | st.integers(0, TIMES),
    min_plies=st.just(0) | st.integers(0, 8),
    max_plies=st.none() | st.integers(0, 8),
)
meetings = st.builds(
    MatchFilter,
    player=accounts,
    opponent=st.none() | accounts,
    result=st.none() | st.sampled_from(RESULTS),
    names=st.just("") | st.sampled_from(WORDS),
    min_plies=st.just(0) | st.integers(0, 3),
)
overseer = Principal("player-" + "o" * 26, ("organise",))
readers = st.none() | st.sampled_from([Principal(account, ("play",)) for account in ACCOUNTS]) | st.just(overseer)
orders = st.tuples(st.sampled_from(SORTS), st.sampled_from(ORDERS))


def seated(match: Match) -> set[str]:
    return {seat.occupant.player for seat in match.life.seats if isinstance(seat.occupant, Account)}


def concerned(match: Match) -> set[str]:
    return seated(match) | {match.life.creator} | ({match.life.created.recorder} - {None})


def results(match: Match, account: str) -> set[str]:
    """How the match ended for the account, which may have several seats."""
    life = match.life
    if life.outcome is None or life.status in ("refuted", "annulled"):
        return set()
    first = "drawn" if set(life.outcome.ranks) == {1} else "won"
    placed = zip(life.outcome.ranks, life.seats, strict=True)
    return {first if rank == 1 else "lost" for rank, seat in placed if seat.occupant == Account(account)}


def words_of(*texts: str | None) -> list[str]:
    """Words as a search compares them, for the texts of this test."""
    return re.findall(r"\w+", " ".join(text or "" for text in texts).casefold())


def has_words(text: str, found: list[str]) -> bool:
    *whole, last = words_of(text) or [""]
    return set(whole) <= set(found) and (not last or any(word.startswith(last) for word in found))


def names_in(match: Match) -> list[str]:
    guests = [seat.occupant.name for seat in match.life.seats if isinstance(seat.occupant, Guest)]
    return words_of(*(NAMES[account] for account in seated(match)), *guests)


def search(
    matches: list[Match], wanted: MatchFilter, who: Principal | None, sort: str = "created", order: str = "desc"
) -> list[str]:
    """What a list must show, found by a look at every match."""
    found = [
        match
        for match in matches
        for life, about in [(match.life, match.life.created.about or {})]
        for plies in [match.play.ply if match.play else 0]
        if may_read(match, who)
        and (wanted.player is None or wanted.player in concerned(match))
        and (wanted.opponent is None or {wanted.player, wanted.opponent} <= seated(match))
        and (wanted.result is None or wanted.result in results(match, wanted.player or ""))
        and wanted.ruleset in (None, life.created.ruleset)
        and (not wanted.status or life.status in wanted.status)
        and (wanted.reason is None or (life.outcome is not None and life.outcome.reason == wanted.reason))
        and wanted.tournament in (None, (life.created.tournament or {}).get("id"))
        and wanted.rated in (None, life.created.rated)
        and wanted.imported in (None, False)
        and has_words(wanted.names, names_in(match))
        and has_words(wanted.place, words_of(about.get("place")))
        and has_words(wanted.about, words_of(*about.values()))
        and wanted.since <= life.created_at
        and (wanted.until is None or life.created_at < wanted.until)
        and wanted.min_plies <= plies
        and (wanted.max_plies is None or plies <= wanted.max_plies)
        and (wanted.waiting_for is None or wanted.waiting_for in {wait.player for wait in list_waits(match)})
        and (sort == "created" or life.outcome is not None)
    ]
    keys: dict[str, Any] = {
        "created": lambda match: match.life.created_at,
        "ended": lambda match: match.life.ended_at,
        "length": lambda match: match.play.ply,
    }
    found.sort(key=lambda match: (keys[sort](match), match.stream), reverse=order == "desc")
    return [match.stream for match in found]


def read_pages(
    lists: MatchList, wanted: MatchFilter, who: Principal | None, limit: int, order: tuple[str, str]
) -> Iterator[Page]:
    page = lists.read(wanted, who, limit, None, *order)
    yield page
    while page.cursor is not None:
        page = lists.read(wanted, who, limit, page.cursor, *order)
        assert len(page.rows) <= limit
        yield page


def list_all(lists: MatchList, wanted: Any, who: Any, limit: int, order: Any = ("created", "desc")) -> list[str]:
    return [match_of(row) for page in read_pages(lists, wanted, who, limit, order) for row in page.rows]


def match_of(row: bytes) -> str:
    return row.partition(b'"match":"')[2][:32].decode()


def test_the_matches_are_of_all_kinds(played):
    _, matches = played
    kinds = Counter(match.life.status for match in matches)
    assert kinds.keys() >= set(STATUSES) - {"scored"}
    assert {wait.what for match in matches for wait in list_waits(match)} == set(WAITED_FOR)
    assert len(matches) > 200
    assert sum(match.life.created.private for match in matches) > 20
    assert {result for match in matches for account in ACCOUNTS for result in results(match, account)} == set(RESULTS)


@hypothesis_settings(max_examples=50)
@given(filters, accounts, st.integers(1, 50))
def test_what_waits_for_a_player_has_what_a_search_finds(played, wanted, account, limit):
    parts, matches = played
    wanted, who = replace(wanted, waiting_for=account), Principal(account, ("play",))
    assert list_all(parts.lists.matches, wanted, who, limit) == search(matches, wanted, who)


@hypothesis_settings(max_examples=400)
@given(filters | meetings, readers, st.integers(1, 200), orders, st.booleans())
def test_a_list_has_what_a_search_finds_and_no_cursor_names_a_match_that_may_not_be_seen(
    played, wanted, who, limit, order, looks_at_few
):
    parts, matches = played
    seen = {match.stream for match in matches if may_read(match, who)}
    with pytest.MonkeyPatch.context() as patch:
        if looks_at_few:
            for module in (match_search, paging):
                patch.setattr(module, "MAX_SCANNED", 25)
            patch.setattr(match_search, "MAX_BEGINNINGS", 1)
        pages = list(read_pages(parts.lists.matches, wanted, who, limit, order))
    assert [match_of(row) for page in pages for row in page.rows] == search(matches, wanted, who, *order)
    cursors = [urlsafe_b64decode(page.cursor + "==").decode() for page in pages if page.cursor]
    assert {cursor.split("\t")[2] for cursor in cursors} <= seen


def test_a_list_built_at_once_equals_one_kept_step_by_step(played):
    parts, _ = played
    followed = dump(parts.lists.matches.table)
    built = MatchList(Database(), parts.matches, parts.imports, parts.accounts.players)
    rebuild(parts.store, built)
    assert dump(built.table) == followed
    assert all(followed.values())
    rebuild(parts.store, parts.lists.matches)
    assert dump(parts.lists.matches.table) == followed


@pytest.mark.parametrize("account", ACCOUNTS)
def test_matches_are_counted_by_ruleset_and_those_that_count_for_quotas_are_found(played, account):
    parts, matches = played
    public = Counter(match.life.created.ruleset for match in matches if not match.life.created.private)
    assert parts.lists.matches.count(["zhen", "pathagon", "toy", "chess"]) == {**public, "chess": 0}
    under_way = {
        match.stream
        for match in matches
        for life in [match.life]
        if life.status in ("open", "playing") and life.creator == account and not life.created.tournament
    }
    assert parts.lists.matches.list_open(account, 1000) == under_way
    assert len(parts.lists.matches.list_open(account, 2)) == min(2, len(under_way))
    assert parts.lists.matches.list_open_with_bots(account, 1000) == set()


@hypothesis_settings(max_examples=50)
@given(filters, filters, orders)
def test_a_cursor_of_one_filter_is_a_place_under_any_other_in_the_same_order(played, first, other, order):
    parts, matches = played
    page = parts.lists.matches.read(first, None, 3, None, *order)
    if page.cursor is None:
        return
    everything = search(matches, MatchFilter(), Principal("", OVERSEERS), *order)
    before = everything[: everything.index(match_of(page.rows[-1])) + 1]
    behind = [match for match in search(matches, other, None, *order) if match not in before]
    assert [match_of(row) for row in parts.lists.matches.read(other, None, 200, page.cursor, *order).rows] == behind


def test_a_cursor_belongs_to_its_order(played):
    parts, _ = played
    cursor = parts.lists.matches.read(MatchFilter(), None, 3, None, "ended", "asc").cursor
    for order in (("ended", "desc"), ("length", "asc"), ("created", "desc")):
        with pytest.raises(paging.BadRequest, match="this list did not issue the cursor"):
            parts.lists.matches.read(MatchFilter(), None, 3, cursor, *order)


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize(
    "wanted",
    [
        MatchFilter(),
        MatchFilter(player=ACCOUNTS[0], opponent=ACCOUNTS[1], result="won"),
        MatchFilter(status=("open", "scored"), ruleset="zhen", rated=False, since=3, until=40, min_plies=1),
        MatchFilter(names="ann b", place="t", about="x"),
    ],
)
def test_an_index_finds_what_is_looked_at(played, wanted, sort):
    parts, _ = played
    if not parts.database.is_sqlite:
        pytest.skip("PostgreSQL reads small tables as a whole")
    asked: list[tuple[str, Any]] = []
    with parts.database.reading() as connection:
        engine = connection.engine

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    sa.event.listen(engine, "before_cursor_execute", note)
    for who in (None, Principal(ACCOUNTS[0], ("play",)), overseer):
        cursor = parts.lists.matches.read(wanted, who, 2, None, sort).cursor
        parts.lists.matches.read(wanted, who, 2, cursor, sort)
    sa.event.remove(engine, "before_cursor_execute", note)
    selects = [each for each in asked if each[0].startswith(("SELECT", "WITH"))]
    assert selects
    with parts.database.reading() as connection:
        for statement, parameters in selects:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps = [row.detail for row in plan if "SCAN match" in row.detail]
            assert not steps, statement
