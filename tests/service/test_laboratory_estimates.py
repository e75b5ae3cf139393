"""The statistics of studies, against closed forms and against libraries that know them."""

from importlib import import_module
from itertools import pairwise
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from plyscribe.domain.tournament.sprt import Hypotheses, judge
from plyscribe.service.laboratory.branching import MOST_LISTED, count_moves, estimate_kinds
from plyscribe.service.laboratory.conclusions import is_away_from, widen
from plyscribe.service.laboratory.estimates import estimate_mean, estimate_score, estimate_share, fit_chances
from plyscribe.service.laboratory.kinds_of_moves import FEWEST, describe_kinds
from plyscribe.service.laboratory.luck import describe_luck, split_variance
from plyscribe.service.laboratory.sensitivity import list_values
from plyscribe.service.laboratory.sequential_test import (
    LEAST_BOARDS,
    MEASURES,
    Comparison,
    DirectionTest,
    measure_board,
)
from plyscribe.service.laboratory.study_match import MOST_POINTS, Curve, score_seats
from plyscribe.service.laboratory.swings import describe_swings, find_decision, read_leads
from tests.service.toy_contest import CONTEST_V1


def load_scipy() -> ModuleType:
    """The statistics of scipy: a process that only collects tests would import them for most of a second."""
    return import_module("scipy.stats")


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (3, 10), (57, 100), (40, 40)])
def test_the_interval_of_a_share_is_wilsons(successes, n):
    known = load_scipy().binomtest(successes, n).proportion_ci(method="wilson")
    assert estimate_share(successes, n)[1:3] == pytest.approx((known.low, known.high))


def test_the_interval_of_a_mean_is_students_and_stays_within_its_bounds():
    numbers = [0.9, 1.0, 0.7, 1.0]
    low, high = load_scipy().t.interval(0.95, 3, np.mean(numbers), np.std(numbers, ddof=1) / 2)
    assert estimate_mean(numbers)[1:3] == pytest.approx((low, high))
    assert estimate_mean(numbers, (0, 1))[1:3] == pytest.approx((low, 1))


def test_boards_are_worth_as_much_as_they_tell_beyond_their_matches():
    # The first bot wins one match of every board: nothing is left to chance but how many matches there were.
    boards, matches = estimate_score([[1.0, 0.0]] * 20), estimate_score([[1.0], [0.0]] * 20)
    assert boards.value == matches.value == 0.5
    assert boards.high - boards.low < matches.high - matches.low
    assert estimate_score([[1.0, 1.0], [0.0, 0.0]] * 20)[:3] == pytest.approx(matches[:3]), "they repeat one result"


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [((1, 2), (1, 0)), ((1, 1), (0.5, 0.5)), ((1, 2, 2), (1, 0.25, 0.25)), ((2, 1, 3), (0.5, 1, 0))],
)
def test_a_score_is_the_share_of_the_others_that_a_seat_is_placed_above(ranks, scores):
    assert score_seats(ranks) == scores


def test_chances_rise_with_the_lead_and_pool_those_that_would_fall():
    leads, scores = np.array([-2, -1, 1, 2.0]), np.array([0, 0.8, 0.4, 1])
    chances = fit_chances(leads, scores, np.ones(4))
    assert chances.scores == pytest.approx([0, 0.6, 0.6, 1])
    assert chances.read(np.array([-9, -1.5, 1.5, 9])) == pytest.approx([0, 0.3, 0.8, 1])


def test_a_lead_is_measured_from_the_best_of_the_others():
    assert read_leads([(5, 2, 9), (4, 4, 1)]).tolist() == [[-4, -7, 4], [0, 0, -3]]


def test_the_lead_changes_when_another_seat_alone_has_the_best_value():
    curve = Curve()
    for values in [(1, 1), (2, 1), (2, 2), (3, 2), (3, 4), (4, 4), (5, 4)]:
        curve.add(values)
    assert curve.lead_changes == 2


def test_a_long_curve_keeps_evenly_spaced_positions():
    curve = Curve()
    for step in range(10 * MOST_POINTS):
        curve.add((step, 0))
    kept = [first for first, _ in curve.points]
    assert len(kept) <= MOST_POINTS
    assert {after - before for before, after in pairwise(kept)} == {16}
    assert kept[0] == 0


def test_a_match_is_decided_when_the_winner_passes_what_the_losers_ever_had():
    assert find_decision(np.array([0.5, 0.4, 0.7, 0.9]), 0.6) == 0.5
    assert find_decision(np.array([0.5, 0.4]), 0.6) == 1


def test_a_comeback_is_a_win_from_a_quarter_or_less():
    # Who leads after the first position wins 9 of 10 times, so the tenth match is a comeback from a chance of 0.1.
    ahead = {"ranks": (1, 2), "curve": [(0, 0), (3, 0)], "lead_changes": 0, "plies": 2, "rolls": 0}
    behind = {**ahead, "ranks": (2, 1)}
    found = describe_swings([ahead] * 9 + [behind])
    assert found["comebacks"]["value"] == 0.1
    assert found["deepest"]["least"] == pytest.approx(0.1)
    assert found["drama_maximum"]["value"] == pytest.approx(0.1 * 0.8)
    assert found["leader_wins"][-1] == 0.9
    assert found["leader_wins"][0] is None


def spread(lineup=0.0, dice=0.0, seeds=0.0, rest=0.0, shape=(40, 8, 40)):
    """Scores of one seat, drawn with these standard deviations; those of lineups and dice are exact."""
    rng = np.random.default_rng(1)

    def draw(*shape):
        drawn = rng.standard_normal(shape)
        return (drawn - drawn.mean()) / (drawn.std(ddof=1) or 1)

    lineups, repeats, throws = shape
    parts = (
        lineup * draw(lineups, 1, 1),
        dice * (draw(1, 1, throws) if throws > 1 else 0),
        seeds * rng.standard_normal((lineups, repeats, 1)),
        rest * rng.standard_normal((lineups, repeats, throws)),
    )
    return sum(parts)[..., None] + np.zeros((*shape, 1))


def test_pure_dice_are_all_luck_and_pure_skill_is_none():
    for made, expected in ((spread(dice=1), (1, 0)), (spread(lineup=1), (0, 1))):
        found = split_variance(made)
        assert (found.luck, found.skill) == pytest.approx(expected, abs=1e-9)


def test_the_components_come_back_from_what_they_made():
    found = split_variance(spread(lineup=2, dice=1, seeds=1, rest=1))
    for name, variance, share in (("lineup", 4, 0.1), ("dice", 1, 0.1), ("seeds", 1, 0.2), ("rest", 1, 0.05)):
        assert getattr(found, name) == pytest.approx(variance, rel=share)


def test_the_components_of_a_small_table_are_those_worked_out_by_hand():
    # Two lineups on two dice, one seed: the effects of lineup and dice are ± 3 and ± 1, that of both ± 0.5.
    table = np.array([3 + 1 + 0.5, 3 - 1 - 0.5, -3 + 1 - 0.5, -3 - 1 + 0.5]).reshape(2, 1, 2, 1)
    found = split_variance(table)
    # Mean squares 36, 4 and 1; no seeds and no rest to be told apart.
    assert found == pytest.approx(((36 - 1) / 2, (4 - 1) / 2, 1, 0, 0))


def test_without_dice_what_the_lineup_does_not_explain_is_choice():
    found = describe_luck(spread(lineup=1, seeds=1, shape=(30, 20, 1)))
    assert found["luck"]["value"] == 0
    assert found["skill"]["low"] < 0.5 < found["skill"]["high"]
    assert found["shares"]["seeds"] == pytest.approx(1 - found["skill"]["value"])


def test_the_components_of_all_seats_are_added_up():
    one = spread(lineup=1, dice=1, shape=(5, 2, 5))
    both = split_variance(np.concatenate([one, -one], axis=3))
    assert both == pytest.approx([2 * part for part in split_variance(one)])


def count_with(most: int) -> Any:
    state = CONTEST_V1.initial_state(CONTEST_V1.parse_options({"most": most}), 2)
    return count_moves(CONTEST_V1, state, Random(1).randrange)


def test_moves_are_counted_where_they_can_be_listed_and_else_estimated_from_a_sample():
    assert count_with(MOST_LISTED - 1)[:2] == (MOST_LISTED, True)
    count = count_with(4999)
    assert not count.is_exact
    assert count.number == pytest.approx(5000, rel=0.25)


def test_kinds_that_were_never_drawn_are_estimated_from_those_drawn_once_and_twice():
    assert estimate_kinds([1, 1, 1, 1, 2, 7]) == 6 + 4 * 3 / (2 * 2)
    assert estimate_kinds([5, 5]) == 2


def test_a_kind_of_move_that_is_hardly_ever_chosen_is_dead_and_one_nearly_always_dominant():
    offered = 10 * FEWEST
    seen = {"offered": {"a": offered, "b": offered, "c": 3}, "taken": {"a": offered}, "by_chance": {"a": 150_000_000}}
    kinds = {each["kind"]: each for each in describe_kinds([seen])}
    assert [kinds[name]["verdict"] for name in "abc"] == ["dominant", "dead", None]
    assert kinds["a"]["by_chance"] == 0.5


def test_a_measure_that_is_always_higher_is_more_and_one_that_never_differs_is_the_same():
    tests = {change: DirectionTest(0.1, 0.05, 0.05) for change in (1, -1, 0)}
    for change, test in tests.items():
        for _ in range(400):
            test.add(change)
    assert [test.verdict for test in tests.values()] == ["more", "less", "same"]
    assert LEAST_BOARDS <= tests[1].boards < 2 * LEAST_BOARDS


def test_a_verdict_is_that_of_the_tests_of_tournaments_and_stays():
    test = DirectionTest(0.1, 0.05, 0.05)
    while test.verdict is None:
        test.add(1)
        test.add(0)
    share = 0.6
    hypotheses = Hypotheses(0, 400 * np.log10(share / (1 - share)), 0.05, 0.05)
    assert judge([0, test.boards // 2, -(-test.boards // 2)], hypotheses).taken == "elo1"
    for _ in range(100):
        test.add(-1)
    assert test.verdict == "more"


def test_the_test_is_seldom_wrong():
    random = Random(3)
    verdicts = []
    for _ in range(40):
        test = DirectionTest(0.15, 0.05, 0.05)
        while test.verdict is None and sum(test.counts) < 1000:
            test.add(random.choice([-1, 0, 1]))
        verdicts.append(test.verdict)
    # 5 % of error for each direction makes 4 of 40; 10 would be a fault of the test, not bad luck.
    assert verdicts.count("same") >= 30


def test_a_board_is_measured_over_all_its_seatings():
    one = {"ranks": (1, 2), "plies": 10, "lead_changes": 1}
    measured = measure_board([one, {"ranks": (1, 1), "plies": 20, "lead_changes": 2}])
    assert measured == {"seat_1_score": 0.75, "first_bot_score": 0.75, "plies": 15, "lead_changes": 1.5, "draws": 0.5}
    assert tuple(measured) == MEASURES


def test_a_comparison_takes_nothing_in_once_all_is_decided():
    comparison = Comparison(0.2)
    board = [{"ranks": (1, 2), "plies": 10, "lead_changes": 1}, {"ranks": (2, 1), "plies": 10, "lead_changes": 1}]
    while not comparison.is_decided:
        comparison.add(board, board)
    boards = comparison.describe()["boards"]
    comparison.add(board, board)
    assert comparison.describe()["boards"] == boards
    assert {each["verdict"] for each in comparison.describe()["measures"].values()} == {"same"}


@pytest.mark.parametrize(
    ("schema", "now", "values"),
    [
        ({"type": "integer", "minimum": 5, "maximum": 9}, 7, [5, 6, 8, 9]),
        ({"type": "integer", "minimum": 1, "maximum": 100}, 30, [15, 23, 37, 60]),
        ({"type": ["integer", "null"], "minimum": 1, "maximum": 50}, 1, [2, None]),
        ({"type": ["integer", "null"], "minimum": 1, "maximum": 50}, None, []),
        ({"type": "boolean"}, True, [False]),
        ({"enum": ["roll", 1, 2, 3, 4, 5, 6]}, "roll", [1, 2, 3, 4]),
        ({"type": "string"}, "random", []),
        ({"oneOf": []}, None, []),
    ],
)
def test_an_option_is_varied_around_its_value(schema, now, values):
    assert list_values(schema, now) == values


def test_the_more_questions_there_are_the_clearer_an_answer_must_be():
    estimate = {"value": 0.6, "low": 0.51, "high": 0.69}
    assert widen(1) == pytest.approx(1)
    assert is_away_from(0.5, estimate, 1)
    assert not is_away_from(0.5, estimate, 6)
    assert is_away_from(0.5, {"value": 0.3, "low": 0.2, "high": 0.4}, 6)
