"""The sequential probability ratio test of a player: stop as soon as the games decide between two hypotheses.

Hypothesis 0 says that the first player is `elo0` stronger than the second; hypothesis 1 says `elo1`. In the logistic
model, the expected score of a game is 1 / (1 + 10^(-elo / 400)). The test assumes nothing about the distribution of
scores except its mean, so it is valid for any share of ties, and however the two games of a pair depend on each other.
It uses the generalised likelihood ratio of M. Van den Bergh: for each hypothesis, it takes the distribution with that
mean which is nearest to the observed one.

Pairs of games with the seats exchanged are counted by the first player's score in both (0, ½, 1, 1½, 2: pentanomial),
and single games by its score in one (0, ½, 1: trinomial).

With three to six seats, the first entrant is tested against all others, who are on every board with it. Its score in a
game is the share of the others that it is placed above, where a tie is half: if it beats each of them with the
probability of the logistic model, that is the mean. All games of a board, with the same dice or opening and the seats
rotated or permuted, are one observation, counted by the sum of these scores: from 0 to games * (seats - 1) by halves.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from math import log
from reprlib import repr as shorten
from typing import Any, NamedTuple

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament.state import Tournament

MAX_ELO = 1000
RARE = 0.001
"""The count of a score that was never observed, so that no hypothesis becomes impossible because of it."""

BISECTIONS = 60

DEFAULTS: Mapping[str, Any] = {"elo0": None, "elo1": None, "alpha": "0.05", "beta": "0.05"}
"""The default of each parameter; elo0 and elo1 have none and must be given."""


class Hypotheses(NamedTuple):
    """The two hypotheses, and the allowed rate of each error."""

    elo0: float
    elo1: float
    alpha: float
    """How often the test may accept hypothesis 1 when 0 is true."""

    beta: float
    """How often the test may accept hypothesis 0 when 1 is true."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test accepts hypothesis 0 and hypothesis 1 (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


class Verdict(NamedTuple):
    """The log-likelihood ratio of hypothesis 1 to 0, the bounds, and the accepted hypothesis (None: play on)."""

    llr: float
    lower: float
    upper: float
    taken: str | None

    def dump(self) -> dict[str, Any]:
        """The verdict for JSON, with numbers as decimals in strings."""
        llr, lower, upper = (f"{number:.4f}" for number in self[:3])
        return {"llr": llr, "lower": lower, "upper": upper, "taken": self.taken}


def parse_hypotheses(raw: Mapping[str, Any]) -> Hypotheses:
    """The hypotheses of a test; WrongValue `tournament/sprt`.

    Numbers are ints, floats, or decimals in strings. alpha and beta default to 0.05. A refusal names
    the field in `errors`, as those of other fields of a body do.
    """
    if unknown := sorted(raw.keys() - DEFAULTS.keys()):
        paths = ", ".join(f"sprt.{name}" for name in unknown)
        raise _refusal(unknown[0], f"unknown fields: {paths}")
    elo0, elo1, alpha, beta = (_parse_number(name, raw.get(name, default)) for name, default in DEFAULTS.items())
    if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
        why = f"sprt.elo0 must be less than sprt.elo1, and both within ±{MAX_ELO}"
        raise _refusal("elo0", why)
    for name, rate in (("alpha", alpha), ("beta", beta)):
        if not 0 < rate < 0.5:
            raise _refusal(name, f"sprt.{name} must be between 0 and 0.5")
    return Hypotheses(elo0, elo1, alpha, beta)


def format_hypotheses(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as an event records them, complete: whole numbers as they are, others as decimals in strings.

    Strings stay as they are. WrongValue as in parse_hypotheses.
    """
    parse_hypotheses(raw)
    return {name: _format_number(value) for name, value in {**DEFAULTS, **raw}.items()}


def _format_number(value: Any) -> Any:
    # An event has no floats.
    return f"{Decimal(repr(value)):f}" if isinstance(value, float) else value


def _parse_number(name: str, value: object) -> float:
    if type(value) is int or isinstance(value, str | float):
        try:
            number = Decimal(str(value))
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return float(number)
    given = "nothing" if value is None else shorten(value)
    why = f"sprt.{name} must be a number, or a decimal in a string, not {given}"
    raise _refusal(name, why)


def _refusal(name: str, why: str) -> WrongValue:
    return WrongValue("tournament/sprt", why, errors={"sprt": {name: [why]}})


def judge(counts: Sequence[int], hypotheses: Hypotheses) -> Verdict:
    """The verdict on these counts of each score, worst score first, by equal steps from 0 to all that can be won.

    Three counts are for single games of two seats, five for pairs of them.
    """
    llr = log_likelihood_ratio(counts, hypotheses.elo0, hypotheses.elo1)
    lower, upper = hypotheses.bounds
    taken = "elo0" if llr <= lower else "elo1" if llr >= upper else None
    return Verdict(llr, lower, upper, taken)


def log_likelihood_ratio(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """The logarithm of how much more likely the counts are with the mean score of elo1 than with that of elo0.

    0 without any counts.
    """
    if not any(counts):
        return 0.0
    seen = [max(count, RARE) for count in counts]
    scores = [place / (len(seen) - 1) for place in range(len(seen))]
    total = sum(seen)
    shares = [count / total for count in seen]
    tilt0, tilt1 = (_tilt(shares, scores, expect_score(elo)) for elo in (elo0, elo1))
    mean0, mean1 = expect_score(elo0), expect_score(elo1)
    # Under a hypothesis, the share of a score is the observed one divided by 1 + tilt * (score - mean). This is the
    # most likely distribution with that mean.
    return sum(
        count * log((1 + tilt0 * (score - mean0)) / (1 + tilt1 * (score - mean1)))
        for count, score in zip(seen, scores, strict=True)
    )


def expect_score(elo: float) -> float:
    """The mean score, from 0 to 1, of a player who is this much stronger."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def _tilt(shares: Sequence[float], scores: Sequence[float], mean: float) -> float:
    """The tilt for which the sum of share * (score - mean) / (1 + tilt * (score - mean)) is 0.

    All shares stay positive.
    """
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(BISECTIONS):
        tilt = (low + high) / 2
        slope = sum(
            share * (score - mean) / (1 + tilt * (score - mean)) for share, score in zip(shares, scores, strict=True)
        )
        low, high = (tilt, high) if slope > 0 else (low, tilt)
    return (low + high) / 2


def count_scores(state: Tournament, first: int, *others: int) -> list[int]:
    """How often the first entrant had each score against the others on the boards of all of them.

    Only games that were played and count are counted, and a board only if all its games do.
    """
    counts = [0] * (2 * len(others) * len(state.seatings) + 1)
    for round in state.rounds:
        for board, games in zip(round.boards, round.games, strict=True):
            if set(board) == {first, *others} and all(game.was_played for game in games):
                points = [_score(game.entrants, game.ranks or (), first) for game in games]
                counts[sum(points)] += 1
    return counts


def _score(entrants: Sequence[int], ranks: Sequence[int], first: int) -> int:
    """The score in half points: 2 for each other one it is placed above, 1 for each that it ties with."""
    own = ranks[entrants.index(first)]
    return sum(2 if own < rank else 1 if own == rank else 0 for rank in ranks) - 1


def judge_entrants(state: Tournament) -> Verdict | None:
    """The verdict on the first entrant against all others so far; None when the tournament is not a test."""
    if state.terms.sprt is None or len(state.entrants) < state.terms.seats:
        return None
    return judge(count_scores(state, *range(1, state.terms.seats + 1)), parse_hypotheses(state.terms.sprt))
