"""The sequential test, held against results that were published and ones that can be reckoned by hand."""

from math import log
from random import Random

import pytest

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament.schedule import pair_round_robin
from plyscribe.domain.tournament.sprt import (
    Hypotheses,
    count_scores,
    expect_score,
    judge,
    judge_entrants,
    log_likelihood_ratio,
    parse_hypotheses,
)
from tests.domain.given_tournament import GivenTournament, by_number

# Tests of Stockfish on fishtest in 2020 and 2021, as pull requests 2493, 2950, 2951, 2971, 3098, 3209, 3232 and 3331
# of official-stockfish/Stockfish tell them: log-likelihood ratio, hypotheses in logistic Elo, pairs by half points.
PUBLISHED = [
    (2.94, (-1.00, 3.00), (424, 2948, 5832, 3045, 460)),
    (2.94, (0.00, 2.00), (1284, 17437, 55536, 18085, 1292)),
    (2.94, (-0.50, 1.50), (133, 1751, 5094, 1849, 165)),
    (2.95, (0.25, 1.75), (149, 4748, 32785, 5063, 159)),
    (2.95, (-0.50, 1.50), (59, 754, 2467, 865, 75)),
    (2.96, (-0.50, 1.50), (17, 253, 1042, 337, 39)),
    (2.93, (0.25, 1.75), (11, 407, 3238, 513, 11)),
    (2.96, (-0.25, 1.25), (491, 7345, 29693, 7670, 465)),
    (2.97, (0.25, 1.25), (53, 2220, 21459, 2445, 47)),
    (2.94, (-0.25, 1.25), (253, 4282, 17604, 4431, 286)),
    (2.97, (0.25, 1.25), (58, 3302, 33130, 3518, 84)),
    (2.95, (0.25, 1.25), (56, 2977, 37849, 3255, 51)),
    (2.94, (-0.25, 1.25), (115, 2196, 11328, 2317, 136)),
]


@pytest.mark.parametrize(("llr", "elos", "pairs"), PUBLISHED)
def test_the_published_ratios_of_pairs_come_out(llr, elos, pairs):
    assert log_likelihood_ratio(pairs, *elos) == pytest.approx(llr, abs=0.01)


def test_without_ties_the_ratio_is_that_of_a_coin():
    wins, losses = 60, 40
    for elo0, elo1 in [(0, 50), (-20, 10), (100, 400)]:
        s0, s1 = expect_score(elo0), expect_score(elo1)
        by_hand = wins * log(s1 / s0) + losses * log((1 - s1) / (1 - s0))
        assert log_likelihood_ratio((losses, 0, wins), elo0, elo1) == pytest.approx(by_hand, abs=0.01)


def test_expected_scores_are_logistic():
    assert [round(expect_score(elo), 4) for elo in (0, 100, -200, 400)] == [0.5, 0.6401, 0.2403, round(10 / 11, 4)]


@pytest.mark.parametrize("counts", [(3, 1, 7), (10, 5, 2, 5, 10), (0, 0, 0, 0, 3)])
def test_turning_players_and_hypotheses_round_turns_the_sign(counts):
    there = log_likelihood_ratio(counts, -3, 8)
    assert log_likelihood_ratio(counts[::-1], -8, 3) == pytest.approx(-there, abs=1e-9)


def test_nothing_follows_from_nothing_nor_from_what_lies_in_the_middle():
    assert log_likelihood_ratio((0, 0, 0, 0, 0), 0, 5) == 0
    assert log_likelihood_ratio((10, 5, 2, 5, 10), -5, 5) == pytest.approx(0, abs=1e-9)


def test_a_verdict_is_given_at_the_bounds_of_wald_and_told_in_texts():
    verdict = judge((0, 0, 0), Hypotheses(0, 5, 0.05, 0.05))
    assert (round(verdict.lower, 2), round(verdict.upper, 2), verdict.taken) == (-2.94, 2.94, None)
    lower, upper = Hypotheses(0, 5, alpha=0.05, beta=0.1).bounds
    assert (round(lower, 4), round(upper, 4)) == (-2.2513, 2.8904)
    hypotheses = Hypotheses(0, 40, 0.05, 0.05)
    assert judge((10, 20, 14), hypotheses).taken is None
    assert judge((40, 120, 120), hypotheses).taken == "elo1"
    assert judge((120, 120, 40), hypotheses).taken == "elo0"
    told = judge((40, 120, 120), Hypotheses(0, 40, 0.05, 0.05)).dump()
    assert (told["lower"], told["upper"], told["taken"]) == ("-2.9444", "2.9444", "elo1")
    assert float(told["llr"]) > 2.9444


# ------------------------------------------------------------------------------------------------------------ asking


def test_numbers_are_whole_or_decimals_in_texts():
    assert parse_hypotheses({"elo0": 0, "elo1": "2.5"}) == Hypotheses(0, 2.5, 0.05, 0.05)
    assert parse_hypotheses({"elo0": -5, "elo1": 5, "alpha": "0.01", "beta": "0.1"}) == Hypotheses(-5, 5, 0.01, 0.1)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"elo0": 0},
        {"elo0": 5, "elo1": 5},
        *({"elo0": 0, "elo1": elo1} for elo1 in (1001, True, "nan", "five")),
        *({"elo0": 0, "elo1": 5, **more} for more in ({"alpha": 0}, {"beta": "0.5"}, {"gamma": 1})),
    ],
)
def test_what_cannot_be_tested_is_refused(raw):
    with pytest.raises(WrongValue):
        parse_hypotheses(raw)


# ---------------------------------------------------------------------------------------------------------- counting


def test_single_games_are_counted_by_three():
    tournament = GivenTournament(2, format={"kind": "round-robin", "cycles": 4}).play(
        pair_round_robin, by_number, most=3
    )
    tournament.pair([(1, 2)])
    tournament.decide(4, 1, 1, 1)
    assert (count_scores(tournament.state, 1, 2), count_scores(tournament.state, 2, 1)) == ([0, 1, 3], [3, 1, 0])
    tournament.annul(1, 1)
    assert count_scores(tournament.state, 1, 2) == [0, 1, 2]


def test_pairs_of_games_are_counted_by_five_and_only_where_both_count():
    tournament = GivenTournament(2, format={"kind": "round-robin", "cycles": 4}, repeat="rotations").begun()
    for round, (first, second) in enumerate(
        [((1, 2), (2, 1)), ((1, 2), (1, 2)), ((1, 1), (1, 2)), ((2, 1), (1, 1))], 1
    ):
        tournament.pair([(1, 2)])
        tournament.decide(round, 1, *first, game=1)
        assert sum(count_scores(tournament.state, 1, 2)) == round - 1
        tournament.decide(round, 1, *second, game=2)
    # Both won, one each, a tie and a loss with seat 2, a loss and a tie.
    assert count_scores(tournament.state, 1, 2) == [0, 2, 1, 0, 1]
    assert count_scores(tournament.state, 2, 1) == [1, 0, 1, 2, 0]
    tournament.annul(1, 1, game=2)
    assert count_scores(tournament.state, 1, 2) == [0, 2, 1, 0, 0]


def test_blocks_of_three_seats_are_counted_by_the_sum_over_their_games():
    tournament = GivenTournament(3, seats=3, format={"kind": "swiss", "rounds": 3}, repeat="rotations").begun(
        [(2, 1, 3)]
    )
    # Entrant 1 has seats 2, 1 and 3: it comes first, second, and level with one who is second.
    for game, ranks in enumerate([(2, 1, 3), (2, 1, 3), (1, 2, 2)], 1):
        tournament.decide(1, 1, *ranks, game=game)
        assert sum(count_scores(tournament.state, 1, 2, 3)) == (game == 3)
    assert count_scores(tournament.state, 1, 2, 3).index(1) == 4 + 2 + 1
    assert len(count_scores(tournament.state, 1, 2, 3)) == 3 * 4 + 1
    tournament.annul(1, 1, game=2)
    assert not any(count_scores(tournament.state, 1, 2, 3))


def play_block(rng: Random, seats: int, elo: int) -> int:
    """The score of the first of so many in a block of rotations, in half points.

    Each place goes to one of those left by their strengths, so the first beats each other one with the probability of
    the logistic model. The games of a block depend on each other: in one of three they all go the same way.
    """

    def play() -> int:
        strengths = [10 ** (elo / 400), *[1.0] * (seats - 1)]
        for above in range(seats):
            chosen = rng.choices(range(len(strengths)), strengths)[0]
            if chosen == 0:
                return 2 * (seats - 1 - above)
            del strengths[chosen]
        return 0

    return seats * play() if rng.random() < 1 / 3 else sum(play() for _ in range(seats))


@pytest.mark.parametrize(("seats", "elo", "true"), [(2, 60, 0), (3, 120, 0), (3, 120, 120), (4, 100, 0), (4, 100, 100)])
def test_blocks_lead_to_the_wrong_hypothesis_about_as_seldom_as_asked_for(seats, elo, true):
    hypotheses, rng, wrong, tests = Hypotheses(0, elo, 0.1, 0.1), Random(11), 0, 100
    for _ in range(tests):
        counts = [0] * (2 * (seats - 1) * seats + 1)
        while (taken := judge(counts, hypotheses).taken) is None:
            counts[play_block(rng, seats, true)] += 1
        wrong += taken != ("elo1" if true else "elo0")
    # Ten are expected, and three are the standard deviation.
    assert 1 <= wrong <= 19


def test_a_tournament_that_is_a_test_has_a_verdict():
    terms = {"format": {"kind": "round-robin", "cycles": 40}, "repeat": "rotations"}
    tournament = GivenTournament(2, **terms, sprt={"elo0": 0, "elo1": 200}).play(pair_round_robin, by_number, most=1)
    assert judge_entrants(tournament.state).taken is None
    tournament.play(pair_round_robin, by_number, most=40)
    assert judge_entrants(tournament.state).taken == "elo1"
    assert judge_entrants(GivenTournament(2, **terms).state) is None


@pytest.mark.parametrize("repeat", ["once", "rotations"])
def test_a_game_that_no_match_decided_says_nothing_of_strength(repeat):
    tournament = GivenTournament(2, format={"kind": "round-robin", "cycles": 4}, repeat=repeat).begun()
    for round, rule in ((1, tournament.adjudicate), (2, None)):
        tournament.pair([(1, 2)])
        for game in range(1, len(tournament.state.seatings) + 1):
            if rule:
                rule(round, 1, 1, 2, game=game)
            else:
                tournament.forfeit(round, 1, 2, game=game)
    assert not any(count_scores(tournament.state, 1, 2))
