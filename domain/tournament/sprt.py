"""The sequential probability ratio test of two players: stop as soon as the games say which of two hypotheses holds.

Hypothesis 0 is that the first is `elo0` stronger than the second, hypothesis 1 that it is `elo1` stronger, in the
logistic model: an expected score of 1 / (1 + 10^(-elo / 400)) a game. Nothing is supposed about the distribution of
scores but its mean, so that the test holds for any share of ties and however the two games of a pair hang together:
the generalised likelihood ratio of M. Van den Bergh, in which both hypotheses have the distribution nearest to what was
seen that has their mean.

Pairs of games with the seats exchanged are counted by what the first scores in both (0, ½, 1, 1½, 2: pentanomial),
single games by what it scores in one (0, ½, 1: trinomial).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from math import log
from typing import Any, NamedTuple

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament.results import Results
from plyscribe.domain.tournament.state import Tournament

MAX_ELO = 1000
RARE = 0.001
"""What a score that was never seen counts as, so that no hypothesis is impossible for want of it."""

BISECTIONS = 60

DEFAULTS: Mapping[str, Any] = {"elo0": None, "elo1": None, "alpha": "0.05", "beta": "0.05"}
"""Of these, both hypotheses must be given."""


class Hypotheses(NamedTuple):
    """What is tested, and how often each hypothesis may be taken where the other one holds."""

    elo0: float
    elo1: float
    alpha: float
    """How often hypothesis 1 may be taken where 0 holds."""

    beta: float
    """How often hypothesis 0 may be taken where 1 holds."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which hypothesis 0, and hypothesis 1, is taken (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


class Verdict(NamedTuple):
    """The log-likelihood ratio of hypothesis 1 to 0, the bounds, and what follows: `elo0`, `elo1` or None, go on."""

    llr: float
    lower: float
    upper: float
    taken: str | None

    def dump(self) -> dict[str, Any]:
        """For JSON, numbers as decimals in texts."""
        llr, lower, upper = (f"{number:.4f}" for number in self[:3])
        return {"llr": llr, "lower": lower, "upper": upper, "taken": self.taken}


def parse_hypotheses(raw: Mapping[str, Any]) -> Hypotheses:
    """What is to be tested; WrongValue `tournament/sprt`. Numbers are whole, or decimals in texts.

    Without alpha and beta both are 0.05.
    """
    if unknown := raw.keys() - DEFAULTS.keys():
        raise WrongValue("tournament/sprt", f"unknown: {', '.join(sorted(unknown))}")
    elo0, elo1, alpha, beta = (_parse_number(name, raw.get(name, default)) for name, default in DEFAULTS.items())
    if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
        raise WrongValue("tournament/sprt", f"elo0 is less than elo1, both within ±{MAX_ELO}")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise WrongValue("tournament/sprt", "alpha and beta lie between 0 and 0.5")
    return Hypotheses(elo0, elo1, alpha, beta)


def _parse_number(name: str, value: object) -> float:
    if type(value) is int or isinstance(value, str):
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return float(number)
    raise WrongValue("tournament/sprt", f"{name} is a number, as a whole one or a text in decimals, not {value!r}")


def judge(counts: Sequence[int], hypotheses: Hypotheses) -> Verdict:
    """What follows from so many of each score, the worst first: three of them for single games, five for pairs."""
    llr = log_likelihood_ratio(counts, hypotheses.elo0, hypotheses.elo1)
    lower, upper = hypotheses.bounds
    taken = "elo0" if llr <= lower else "elo1" if llr >= upper else None
    return Verdict(llr, lower, upper, taken)


def log_likelihood_ratio(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """The logarithm of how much likelier the counts are if the mean score is that of elo1, than if that of elo0.

    0 where nothing was counted.
    """
    if not any(counts):
        return 0.0
    seen = [max(count, RARE) for count in counts]
    scores = [place / (len(seen) - 1) for place in range(len(seen))]
    total = sum(seen)
    shares = [count / total for count in seen]
    tilt0, tilt1 = (_tilt(shares, scores, expect_score(elo)) for elo in (elo0, elo1))
    mean0, mean1 = expect_score(elo0), expect_score(elo1)
    # The share of a score under a hypothesis is that seen, over 1 + tilt * (score - mean): the most likely of all
    # distributions with this mean.
    return sum(
        count * log((1 + tilt0 * (score - mean0)) / (1 + tilt1 * (score - mean1)))
        for count, score in zip(seen, scores, strict=True)
    )


def expect_score(elo: float) -> float:
    """The mean score of one who is so much stronger, from 0 to 1."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def _tilt(shares: Sequence[float], scores: Sequence[float], mean: float) -> float:
    """The root of the sum of share * (score - mean) / (1 + tilt * (score - mean)), where all shares stay positive."""
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(BISECTIONS):
        tilt = (low + high) / 2
        slope = sum(
            share * (score - mean) / (1 + tilt * (score - mean)) for share, score in zip(shares, scores, strict=True)
        )
        low, high = (tilt, high) if slope > 0 else (low, tilt)
    return (low + high) / 2


def count_scores(state: Tournament, first: int, second: int) -> list[int]:
    """How often the first entrant had each score against the second in the games that count.

    Of boards with both orders of two seats only those count of which both games do.
    """
    if len(state.seatings) == 1:
        counts = [0, 0, 0]
        for score in Results(state).scores(first, second):
            counts[int(2 * score)] += 1
        return counts
    counts = [0] * 5
    for round in state.rounds:
        for board, games in zip(round.boards, round.games, strict=True):
            if set(board) == {first, second} and all(game.counts for game in games):
                points = [_score(game.entrants, game.ranks or (), first) for game in games]
                counts[sum(points)] += 1
    return counts


def _score(entrants: Sequence[int], ranks: Sequence[int], first: int) -> int:
    """Half points: 2 for a win."""
    own = ranks[entrants.index(first)]
    return sum(2 if own < rank else 1 if own == rank else 0 for rank in ranks) - 1


def judge_entrants(state: Tournament) -> Verdict | None:
    """What the games of the two entrants say so far; None where the tournament is no test."""
    if state.terms.sprt is None or len(state.entrants) < 2:
        return None
    return judge(count_scores(state, 1, 2), parse_hypotheses(state.terms.sprt))
