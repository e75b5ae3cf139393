"""Two subjects compared on the same dice with exchanged seats, board by board, until a sequential test has decided.

On each board both subjects are played with the same bots, seeds and dice, once for each seat of the first bot. A
measure of the board is then higher, equal or lower under the second subject. The test asks how probable "higher" is, a
tie being half: 0.5, or 0.5 + `difference`, or 0.5 − `difference`. These are two probability ratio tests (Wald 1945) at
a time, one for each direction, as Sobel and Wald (1949) join them: the answer is "more" or "less" as soon as one of
them leaves 0.5, and "same" once both have taken it. The likelihood ratio is that of the tests in tournaments.
"""

from collections.abc import Sequence
from math import inf, log10
from statistics import fmean
from typing import Any

from plyscribe.domain.tournament.sprt import Hypotheses, judge
from plyscribe.service.laboratory.estimates import DIGITS, estimate_mean
from plyscribe.service.laboratory.playing import score_seats
from plyscribe.service.laboratory.sensitivity import is_drawn

ALPHA, BETA = 0.05, 0.05
"""The allowed rate of wrong "more" or "less" over all measures together, and of a wrong "same" for each."""

LEAST_BOARDS = 16
"""The likelihood ratio leans on the spread that was observed, of which fewer boards say too little."""

MORE, LESS, SAME = "more", "less", "same"

Board = Sequence[dict[str, Any]]


def measure_board(board: Board) -> dict[str, float]:
    """The measures of the matches of a board; in match k, counted from 0, the first bot has seat k + 1."""
    scores = [score_seats(match["ranks"]) for match in board]
    return {
        "seat_1_score": fmean(score[0] for score in scores),
        "first_bot_score": fmean(score[place] for place, score in enumerate(scores)),
        "plies": fmean(match["plies"] for match in board),
        "lead_changes": fmean(match["lead_changes"] for match in board),
        "draws": fmean(is_drawn(match["ranks"]) for match in board),
    }


MEASURES = ("seat_1_score", "first_bot_score", "plies", "lead_changes", "draws")


class DirectionTest:
    """The sequential test of one measure. Once it has a verdict, it keeps it."""

    def __init__(self, difference: float, alpha: float, beta: float) -> None:
        share = 0.5 + difference
        # The tests of tournaments name a mean by its Elo difference.
        self._hypotheses = Hypotheses(0, 400 * log10(share / (1 - share)), alpha, beta)
        self.counts = [0, 0, 0]
        """Boards on which the measure was lower, equal and higher."""
        self.verdict: str | None = None
        self.boards: int | None = None
        """How many boards the verdict took."""
        self._rejected: set[str] = set()

    def add(self, change: float) -> None:
        """Count a board."""
        self.counts[1 + (change > 0) - (change < 0)] += 1
        if self.verdict is None and sum(self.counts) >= LEAST_BOARDS:
            self._judge()

    def _judge(self) -> None:
        for answer, counts in ((MORE, self.counts), (LESS, self.counts[::-1])):
            if answer in self._rejected:
                continue
            taken = judge(counts, self._hypotheses).taken
            if taken == "elo1":
                self.verdict = answer
            elif taken == "elo0":
                self._rejected.add(answer)
        if self.verdict is None and len(self._rejected) == 2:
            self.verdict = SAME
        self.boards = sum(self.counts) if self.verdict else None


class Comparison:
    """The measures of both subjects board by board, until all tests have decided."""

    def __init__(self, difference: float) -> None:
        self._tests = {name: DirectionTest(difference, ALPHA / len(MEASURES), BETA) for name in MEASURES}
        self._seen: list[tuple[dict[str, float], dict[str, float]]] = []

    @property
    def is_decided(self) -> bool:
        """Whether every measure has its verdict."""
        return all(test.verdict for test in self._tests.values())

    def add(self, first: Board, second: Board) -> None:
        """Take in a board, in order; after the decision nothing is taken in."""
        if self.is_decided:
            return
        before, after = measure_board(first), measure_board(second)
        self._seen.append((before, after))
        for name, test in self._tests.items():
            test.add(after[name] - before[name])

    def describe(self) -> dict[str, Any]:
        """The verdicts and estimates for JSON.

        The intervals are those of a fixed number of boards. A test that stops early makes differences look somewhat
        larger than they are.
        """
        return {"boards": len(self._seen), "measures": {name: self._describe(name) for name in MEASURES}}

    def _describe(self, name: str) -> dict[str, Any]:
        test = self._tests[name]
        lower, equal, higher = test.counts
        bounds = (0, inf if name in ("plies", "lead_changes") else 1)
        before, after = [first[name] for first, _ in self._seen], [second[name] for _, second in self._seen]
        return {
            "verdict": test.verdict,
            "boards": test.boards,
            "lower": lower,
            "equal": equal,
            "higher": higher,
            "higher_share": round((higher + equal / 2) / sum(test.counts), DIGITS),
            "first": estimate_mean(before, bounds).describe(),
            "second": estimate_mean(after, bounds).describe(),
            "change": estimate_mean([new - old for old, new in zip(before, after, strict=True)]).describe(),
        }
