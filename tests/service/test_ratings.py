"""Ratings as the fold of a ledger: sane with ties, the same however folded, with no trace of unrated matches."""

from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openskill.models import PlackettLuce, ThurstoneMostellerFull

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.ledger import LEDGER, Ledger, RateMatch, RatingsOpened, UnrateMatch, ledger_of
from plyscribe.domain.ruleset import rank_by
from plyscribe.service.errors import UnknownModel
from plyscribe.service.ratings.book import Book, Change, compare_standings, fold_book
from plyscribe.service.ratings.model import MICRO, Model, Rating, open_ratings

STREAM = ledger_of("toy")
OPENING = open_ratings("toy")
MODEL = Model(OPENING)
SCORER = Actor("system", "score")
EMPTY = Book(STREAM)


class Entries:
    """A ledger being written."""

    def __init__(self) -> None:
        self.ledger = Ledger(STREAM)
        self.stored: list[StoredEvent] = []

    def rate(self, match: str, *players: str, ranks: tuple[int, ...] = ()) -> None:
        ranks = ranks or tuple(range(1, len(players) + 1))
        self._append(RateMatch(actor=SCORER, opening=OPENING, match=match, players=players, ranks=ranks))

    def unrate(self, match: str) -> None:
        self._append(UnrateMatch(actor=SCORER, opening=OPENING, match=match, why="cheat"))

    def _append(self, command: Any) -> None:
        ledger = self.ledger
        encoded = map(format_event, LEDGER.decide(command, ledger).events)
        stored = link_all(ledger.head or first_link(STREAM), ledger.version + 1, encoded)
        self.stored += stored
        self.ledger = LEDGER.fold(ledger, stored)

    def book(self) -> Book:
        return fold_book(EMPTY, self.stored)


def ratings_of(book: Book) -> dict[str, Rating]:
    return {player: standing.rating for player, standing in book.standings.items()}


def after_one_match(ranks: tuple[int, ...], model: Any = MODEL) -> list[Rating]:
    return list(model.rate([MODEL.newcomer] * len(ranks), ranks))


# ------------------------------------------------------------------------------------------------------------ model


def all_ranks(seats: int) -> list[tuple[int, ...]]:
    """Every outcome for this many seats, the best seat first."""
    scores = combinations_with_replacement(range(seats), seats)
    return sorted({tuple(sorted(rank_by(list(each)))) for each in scores})


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_newcomers_come_out_in_the_order_of_their_ranks_and_equal_if_they_tie(seats):
    for ranks in all_ranks(seats):
        rated = after_one_match(ranks)
        for here, there in combinations(range(seats), 2):
            tied = ranks[here] == ranks[there]
            assert rated[here] == rated[there] if tied else rated[here].mu > rated[there].mu, ranks


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_match_in_which_all_tie_moves_no_newcomer_and_leaves_them_uncertain(seats):
    for mu, sigma in after_one_match((1,) * seats):
        assert mu == MODEL.newcomer.mu
        assert MODEL.newcomer.sigma * 3 // 4 < sigma < MODEL.newcomer.sigma


def test_plackett_luce_would_rank_two_winners_that_tie_below_the_third():
    model = PlackettLuce()
    [first], _, [third], *_ = model.rate([[model.rating()] for _ in range(5)], ranks=[1, 1, 3, 4, 5])
    assert first.mu < third.mu
    first, _, third, *_ = after_one_match((1, 1, 3, 4, 5))
    assert first.mu > third.mu


def test_thurstone_mosteller_would_be_all_but_certain_of_newcomers_that_tie():
    model = ThurstoneMostellerFull()
    tied = model.rate([[model.rating()] for _ in range(5)], ranks=[1] * 5)
    assert all(one.sigma < 0.1 for [one] in tied)
    assert all(rating.sigma > 7 * MICRO for rating in after_one_match((1,) * 5))


def test_what_some_win_the_others_lose():
    for ranks in all_ranks(4):
        assert abs(sum(mu - MODEL.newcomer.mu for mu, _ in after_one_match(ranks))) <= len(ranks)


def test_the_numbers_of_the_library_never_change():
    entries = Entries()
    entries.rate("m1", "ann", "ben")
    entries.rate("m2", "ben", "ann", "cat")
    entries.rate("m3", "ann", "ben", "cat", "dan", ranks=(1, 1, 3, 4))
    assert ratings_of(entries.book()) == {
        "ann": Rating(30724438, 6921157),
        "ben": Rating(31567678, 6930514),
        "cat": Rating(19108308, 7098205),
        "dan": Rating(16809231, 7429930),
    }


def test_the_model_and_its_parameters_come_from_the_ledger():
    other = Model(RatingsOpened("toy", OPENING.model, {**OPENING.parameters, "mu": 1500 * MICRO}, ""))
    assert other.newcomer.mu == 1500 * MICRO
    assert other.rate([other.newcomer] * 2, (1, 2))[0].mu > 1500 * MICRO


@pytest.mark.parametrize("change", [{"model": "elo"}, {"parameters": {"k": 32}}])
def test_a_model_that_this_release_does_not_have_is_named(change):
    fields = {"ruleset": "toy", "model": OPENING.model, "parameters": OPENING.parameters, "library": ""}
    with pytest.raises(UnknownModel):
        Model(RatingsOpened(**{**fields, **change}))


# ------------------------------------------------------------------------------------------------------------- fold


def test_before_its_first_match_a_ledger_rates_nobody():
    assert EMPTY.table == []


def test_an_ordinal_is_three_deviations_below_the_mean():
    assert Rating(25, 8).ordinal == 1


def test_the_table_goes_by_ordinal_and_equals_share_a_place():
    entries = Entries()
    entries.rate("m1", "ann", "ben")
    entries.rate("m2", "cat", "dan")
    table = entries.book().table
    assert [(row.rank, row.player) for row in table] == [(1, "ann"), (1, "cat"), (3, "ben"), (3, "dan")]
    assert [row.standing.matches for row in table] == [1, 1, 1, 1]


def test_a_history_has_each_match_of_the_player_with_before_and_after():
    entries = Entries()
    entries.rate("m1", "ann", "ben")
    entries.rate("m2", "cat", "dan")
    entries.rate("m3", "ben", "ann")
    book = entries.book()
    steps = book.history("ann")
    assert [step.entry.match for step in steps] == ["m1", "m3"]
    assert steps[0].before[0] == MODEL.newcomer
    assert steps[0].after[0] == steps[1].before[1]
    assert steps[1].after[1] == book.standings["ann"].rating


def test_a_match_that_was_entered_twice_counts_once():
    once, twice = Entries(), Entries()
    once.rate("m1", "ann", "ben")
    for _ in range(2):
        twice.rate("m1", "ann", "ben")
    assert ratings_of(once.book()) == ratings_of(twice.book())
    assert twice.book().standings["ann"].matches == 1


def test_an_unrated_match_leaves_no_trace_outside_the_ledger():
    entries, without = Entries(), Entries()
    for match, players in (("m1", ("ann", "ben")), ("m2", ("ben", "cat")), ("m3", ("cat", "ann"))):
        entries.rate(match, *players)
        if match != "m1":
            without.rate(match, *players)
    entries.unrate("m1")
    assert ratings_of(entries.book()) == ratings_of(without.book())
    assert [step.entry.match for step in entries.book().history("ann")] == ["m3"]


def test_a_player_whose_only_match_is_unrated_is_not_in_the_table():
    entries = Entries()
    entries.rate("m1", "ann", "ben")
    entries.unrate("m1")
    assert entries.book().table == []


def test_unrating_reports_every_player_that_it_changes_before_and_after():
    entries = Entries()
    entries.rate("m1", "ann", "ben")
    entries.rate("m2", "ben", "cat")
    entries.rate("m3", "dan", "eve")
    before = entries.book()
    entries.unrate("m1")
    after = entries.book()
    changes = compare_standings(before.standings, after.standings)
    was, now = ratings_of(before), ratings_of(after)
    assert changes[0] == Change("ann", was["ann"], None)
    assert {change.player: (change.before, change.after) for change in changes} == {
        "ann": (was["ann"], None),
        "ben": (was["ben"], now["ben"]),
        "cat": (was["cat"], now["cat"]),
    }


def test_a_book_stays_as_it_was_when_a_newer_one_is_made_of_it():
    entries = Entries()
    entries.rate("m1", "ann", "ben")
    book, was = entries.book(), ratings_of(entries.book())
    entries.rate("m2", "ben", "ann")
    entries.unrate("m1")
    assert [step.entry.match for step in fold_book(book, entries.stored[2:]).history("ann")] == ["m2"]
    assert ratings_of(book) == was
    assert [step.entry.match for step in book.history("ann")] == ["m1"]


PLAYERS = ["ann", "ben", "cat", "dan", "eve", "fay"]


@st.composite
def ledgers(draw: st.DrawFn) -> Entries:
    """Random matches of two to six players with ties, some of them unrated."""
    entries = Entries()
    for number in range(draw(st.integers(1, 12))):
        if draw(st.booleans()):
            seats = draw(st.lists(st.sampled_from(PLAYERS), min_size=2, max_size=6, unique=True))
            scores = draw(st.lists(st.integers(0, 3), min_size=len(seats), max_size=len(seats)))
            if f"m{number}" not in entries.ledger.unrated:
                entries.rate(f"m{number}", *seats, ranks=rank_by(scores))
        match = f"m{draw(st.integers(0, 14))}"
        if draw(st.integers(0, 3)) == 0 and match not in entries.ledger.unrated:
            entries.unrate(match)
    return entries


@settings(max_examples=150, deadline=None)
@given(ledgers(), st.randoms(use_true_random=False))
def test_a_ledger_folds_in_any_pieces_to_what_it_folds_to_at_once(entries, random):
    stored, book = list(entries.stored), EMPTY
    while stored:
        piece = random.randint(1, len(stored))
        book, stored = fold_book(book, stored[:piece]), stored[piece:]
    assert book == entries.book()


@settings(max_examples=150, deadline=None)
@given(ledgers())
def test_unrated_matches_count_as_if_they_were_never_played(entries):
    book, without = entries.book(), Entries()
    for entry in sorted(book.entered.values()):
        if entry.match not in book.unrated:
            without.rate(entry.match, *entry.players, ranks=entry.ranks)
    assert ratings_of(book) == ratings_of(without.book())


@settings(max_examples=150, deadline=None)
@given(ledgers())
def test_any_older_version_can_be_asked_for(entries):
    book = entries.book()
    for version in range(len(entries.stored) + 1):
        assert book.standings_at(version) == fold_book(EMPTY, entries.stored[:version]).standings


@settings(max_examples=100, deadline=None)
@given(ledgers())
def test_a_match_can_be_left_out_before_it_is_unrated(entries):
    book = entries.book()
    for match in {*book.entered} - {*book.unrated}:
        after = Entries()
        after.ledger, after.stored = entries.ledger, list(entries.stored)
        after.unrate(match)
        assert book.standings_at(book.version, without=match) == after.book().standings
