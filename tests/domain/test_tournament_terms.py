"""What can be agreed of a tournament, and what cannot."""

import doctest

import pytest

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament import groups, history, points, schedule, terms
from plyscribe.domain.tournament.points import score_game
from plyscribe.domain.tournament.terms import (
    DEFAULT_TIEBREAKS,
    TIEBREAKS,
    list_seatings,
    parse_format,
    parse_scoring,
    parse_tiebreaks,
)
from plyscribe.service.tournaments.pairing import pods


@pytest.mark.parametrize("module", [groups, history, points, schedule, terms, pods])
def test_the_examples_in_docstrings_hold(module):
    assert doctest.testmod(module).failed == 0


# ----------------------------------------------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("raw", "complete"),
    [
        ({"kind": "round-robin"}, {"kind": "round-robin", "cycles": 1}),
        ({"kind": "swiss"}, {"kind": "swiss", "rounds": 5}),
        ({"kind": "swiss", "rounds": 100}, {"kind": "swiss", "rounds": 100}),
        ({"kind": "knockout", "lives": 2}, {"kind": "knockout", "lives": 2}),
        ({"kind": "gauntlet", "cycles": 10}, {"kind": "gauntlet", "cycles": 10}),
    ],
)
def test_a_format_is_completed(raw, complete):
    assert parse_format(raw, 2) == complete


@pytest.mark.parametrize("kind", ["round-robin", "swiss"])
@pytest.mark.parametrize("seats", [3, 4, 6])
def test_pods_play_round_robins_and_swisses(kind, seats):
    assert parse_format({"kind": kind}, seats)["kind"] == kind


@pytest.mark.parametrize(
    ("raw", "seats"),
    [
        *(({}, 2), ({"kind": "tower"}, 2), ({"kind": None}, 2), ({"kind": ["swiss"]}, 2)),
        *(({"kind": "swiss", "rounds": rounds}, 2) for rounds in (0, 101, "5")),
        ({"kind": "swiss", "cycles": 1}, 2),
        ({"kind": "knockout", "lives": 3}, 2),
        ({"kind": "gauntlet", "cycles": 11}, 2),
        ({"kind": "round-robin", "cycles": 1001}, 2),
        *(({"kind": kind}, 3) for kind in ("knockout", "gauntlet")),
    ],
)
def test_what_no_format_is_or_none_of_pods_is_refused(raw, seats):
    with pytest.raises(WrongValue) as refused:
        parse_format(raw, seats)
    assert refused.value.code == "tournament/format"


# ---------------------------------------------------------------------------------------------------------- seatings


def test_a_board_is_played_once_or_over_all_rotations_or_permutations():
    assert list_seatings(3, "once") == [(0, 1, 2)]
    assert list_seatings(2, "rotations") == list_seatings(2, "permutations") == [(0, 1), (1, 0)]
    assert len(list_seatings(4, "permutations")) == 24


@pytest.mark.parametrize(("seats", "repeat"), [(seats, "rotations") for seats in range(2, 7)] + [(3, "permutations")])
def test_over_its_games_everybody_has_each_seat_equally_often(seats, repeat):
    seatings = list_seatings(seats, repeat)
    for seat in range(seats):
        assert {[seating[seat] for seating in seatings].count(place) for place in range(seats)} == {
            len(seatings) // seats
        }


@pytest.mark.parametrize(("seats", "repeat"), [(2, "twice"), (5, "permutations"), (6, "permutations")])
def test_boards_of_too_many_games_are_refused(seats, repeat):
    with pytest.raises(WrongValue) as refused:
        list_seatings(seats, repeat)
    assert refused.value.code == "tournament/repeat"


# ----------------------------------------------------------------------------------------------------------- scoring


@pytest.mark.parametrize(
    ("raw", "seats", "games", "complete"),
    [
        ({}, 2, 1, {"places": None, "bye": 2, "absence": 0}),
        ({}, 4, 4, {"places": None, "bye": 24, "absence": 0}),
        ({"places": [3, 1]}, 2, 2, {"places": [3, 1], "bye": 6, "absence": 0}),
        ({"places": [5, 3, 0], "bye": 0, "absence": 1}, 3, 1, {"places": [5, 3, 0], "bye": 0, "absence": 1}),
    ],
)
def test_scoring_is_completed_and_a_bye_is_a_win_in_each_game(raw, seats, games, complete):
    assert parse_scoring(raw, seats, games) == complete


@pytest.mark.parametrize(
    "raw",
    [
        *({"places": places} for places in ([1, 2], [1], [1001, 0], [1, -1], [1.5, 0], [True, 0], "10")),
        {"bye": -1},
        {"bye": 1001},
        {"absence": "0"},
        {"win": 3},
    ],
)
def test_scores_are_whole_numbers_that_never_rise_by_place(raw):
    with pytest.raises(WrongValue) as refused:
        parse_scoring(raw, 2, 1)
    assert refused.value.code == "tournament/scoring"


@pytest.mark.parametrize(
    ("places", "ranks", "points"),
    [
        (None, (1, 2), ["2", "0"]),
        (None, (1, 1), ["1", "1"]),
        (None, (2, 1, 3, 3), ["4", "6", "1", "1"]),
        ([10, 5, 1], (1, 1, 1), ["16/3", "16/3", "16/3"]),
        ([10, 5, 1], (3, 1, 1), ["1", "15/2", "15/2"]),
        ([7, 0, 0, 0, 0, 0], (1, 1, 1, 1, 1, 1), ["7/6"] * 6),
    ],
)
def test_seats_that_tie_share_the_points_of_their_places(places, ranks, points):
    assert [str(each) for each in score_game({"places": places}, ranks)] == points


# --------------------------------------------------------------------------------------------------------- tiebreaks


def test_tiebreaks_are_an_ordered_list():
    assert parse_tiebreaks(None) == DEFAULT_TIEBREAKS
    assert parse_tiebreaks([]) == ()
    assert parse_tiebreaks(list(TIEBREAKS[::-1])) == TIEBREAKS[::-1]


@pytest.mark.parametrize("raw", [["elo"], ["wins", "wins"], ["Wins"]])
def test_unknown_tiebreaks_and_repeated_ones_are_refused(raw):
    with pytest.raises(WrongValue) as refused:
        parse_tiebreaks(raw)
    assert refused.value.code == "tournament/tiebreaks"
