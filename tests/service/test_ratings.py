"""Ratings as the fold of a ledger: sane with ties, the same however folded, with no trace of unrated matches."""

from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings

from plyscribe.domain.ledger import RatingsOpened
from plyscribe.domain.ruleset import rank_by
from plyscribe.service.database.engine import Database
from plyscribe.service.errors import UnknownModel
from plyscribe.service.ratings.annulments import Change
from plyscribe.service.ratings.model import MICRO, Model, Rating, open_ratings
from plyscribe.service.ratings.ratings import RatedPlayer, Ratings
from tests.service.ledgers import Entries, fold_plainly, ledgers

OPENING = open_ratings("toy")
MODEL = Model(OPENING)


def folded(entries: Entries) -> Ratings:
    """The ratings that the ledger amounts to, in a new database."""
    return Ratings(entries.store, Database(), by_itself=True)


def table_of(entries: Entries) -> list[RatedPlayer]:
    return folded(entries).read_table(entries.ruleset, 100).rows


def ratings_of(entries: Entries) -> dict[str, Rating]:
    return {row.player: row.rating for row in table_of(entries)}


def history_of(entries: Entries, player: str) -> list[Any]:
    return folded(entries).read_history(entries.ruleset, player, 0, 100).matches


def compare(before: dict[str, Rating], after: dict[str, Rating]) -> set[Change]:
    players = before.keys() | after.keys()
    changes = {Change(who, before.get(who), after.get(who)) for who in players}
    return {change for change in changes if change.before != change.after}


def after_one_match(ranks: tuple[int, ...], model: Any = MODEL) -> list[Rating]:
    return list(model.rate([MODEL.newcomer] * len(ranks), ranks))


def all_ranks(seats: int) -> list[tuple[int, ...]]:
    """Every outcome for this many seats, the best seat first."""
    scores = combinations_with_replacement(range(seats), seats)
    return sorted({tuple(sorted(rank_by(list(each)))) for each in scores})


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_newcomers_come_out_in_the_order_of_their_ranks_and_equal_if_they_tie(seats):
    for ranks in all_ranks(seats):
        rated = after_one_match(ranks)
        assert abs(sum(mu - MODEL.newcomer.mu for mu, _ in rated)) <= len(ranks), "what some win the others lose"
        for here, there in combinations(range(seats), 2):
            tied = ranks[here] == ranks[there]
            assert rated[here] == rated[there] if tied else rated[here].mu > rated[there].mu, ranks
    for mu, sigma in after_one_match((1,) * seats):
        assert mu == MODEL.newcomer.mu
        assert MODEL.newcomer.sigma * 3 // 4 < sigma < MODEL.newcomer.sigma


def test_the_numbers_of_the_library_never_change():
    entries = Entries()
    entries.rate("m1", "ann", "ben")
    entries.rate("m2", "ben", "ann", "cat")
    entries.rate("m3", "ann", "ben", "cat", "dan", ranks=(1, 1, 3, 4))
    assert ratings_of(entries) == {
        "ann": Rating(30724438, 6921157),
        "ben": Rating(31567678, 6930514),
        "cat": Rating(19108308, 7098205),
        "dan": Rating(16809231, 7429930),
    }


@pytest.mark.parametrize("change", [{"model": "elo"}, {"parameters": {"k": 32}}])
def test_the_model_and_its_parameters_come_from_the_ledger_and_an_unknown_one_is_named(change):
    fields = {"ruleset": "toy", "model": OPENING.model, "parameters": OPENING.parameters, "library": ""}
    other = Model(RatingsOpened(**{**fields, "parameters": {**OPENING.parameters, "mu": 1500 * MICRO}}))
    assert other.newcomer.mu == 1500 * MICRO
    assert other.rate([other.newcomer] * 2, (1, 2))[0].mu > 1500 * MICRO
    with pytest.raises(UnknownModel):
        Model(RatingsOpened(**{**fields, **change}))


def test_the_latest_matches_of_a_history_come_newest_first_and_one_entered_twice_counts_once():
    once, twice = Entries(), Entries()
    for match in ("m1", "m2", "m3"):
        for entries, times in ((once, 1), (twice, 2)):
            for _ in range(times):
                entries.rate(match, "ann", "ben")
    for entries in (once, twice):
        latest = folded(entries).read_latest(entries.ruleset, "ann", 2)
        assert [step.match for step in latest.matches] == ["m3", "m2"]
        assert latest.has_more
        assert [row.matches for row in table_of(entries)] == [3, 3]
    assert ratings_of(once) == ratings_of(twice)


def test_an_unrated_match_is_in_no_history():
    entries = Entries()
    for match, players in (("m1", ("ann", "ben")), ("m2", ("ben", "cat")), ("m3", ("cat", "ann"))):
        entries.rate(match, *players)
    entries.unrate("m1")
    assert [step.match for step in history_of(entries, "ann")] == ["m3"]


@settings(max_examples=150, deadline=None)
@given(ledgers())
def test_unrated_matches_count_as_if_they_were_never_played(entries):
    assert ratings_of(entries) == fold_plainly(entries)


@settings(max_examples=100, deadline=None)
@given(ledgers())
def test_what_unrating_a_match_changed_at_the_time_can_be_asked_at_any_later_version(entries):
    ratings = folded(entries)
    for match in entries.ledger.unrated:
        version = entries.find_unrated(match)
        expected = compare(fold_plainly(entries, version - 1), fold_plainly(entries, version))
        assert set(ratings.report(entries.ruleset, match)) == expected


@settings(max_examples=100, deadline=None)
@given(ledgers())
def test_a_match_can_be_left_out_at_any_version_before_it_is_unrated(entries):
    ratings = folded(entries)
    for match in entries.list_counted():
        for version in range(len(entries.stored) + 1):
            expected = compare(fold_plainly(entries, version), fold_plainly(entries, version, without=match))
            assert set(ratings.preview(entries.ruleset, match, version)) == expected
