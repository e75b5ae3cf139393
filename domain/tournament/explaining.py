"""Why each board of a round was paired as it was, from the events alone.

A reason is a word that never changes, the entrants that it is about, and numbers. Pages make a sentence of it. The
reasons of a round follow from what was known when it was paired: results that were corrected later change nothing.

Each format has one function, in EXPLAINERS of `reasons.py`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from plyscribe.domain.tournament.history import Pair, list_played
from plyscribe.domain.tournament.points import ZERO, score_round
from plyscribe.domain.tournament.state import Game, Penalty, Round, Tournament

Games = tuple[tuple[Game, ...], ...]


class Reason(NamedTuple):
    """A reason why a board or a bye was paired: see `WORDS` in `reasons.py`. Points are exact fractions."""

    word: str
    entrants: tuple[int, ...] = ()
    values: Mapping[str, Any] = {}


class Explanation(NamedTuple):
    """The reasons of a round: for each of its boards, and for each of its byes."""

    boards: tuple[tuple[Reason, ...], ...]
    byes: tuple[tuple[Reason, ...], ...]


class Past:
    """What was known when a round was paired; it moves on from round to round."""

    def __init__(self, state: Tournament) -> None:
        self.state = state
        self.seeds = {number: place for place, number in enumerate(state.list_seeds())}
        """The place of each entrant among the seeds. Those who came later may be in between."""

        numbers = [each.number for each in state.entrants]
        self.seats: dict[int, list[int]] = {each: [0] * state.terms.seats for each in numbers}
        """How often each entrant had each seat."""

        self.sides: dict[int, list[int]] = {each: [] for each in numbers}
        """The seats of each entrant in the first games of its boards, in order, counted from 0."""

        self.meetings: Counter[Pair] = Counter()
        self.byes: Counter[int] = Counter()
        self.rounds: list[Round] = []
        self._scored: dict[int, tuple[Games, dict[int, Fraction]]] = {}
        self._summed: list[Games] = []
        self._sums: dict[int, Fraction] = dict.fromkeys(numbers, ZERO)

    def add(self, round: Round) -> None:
        """Go on to the next round."""
        self.rounds.append(round)
        self.byes.update(round.byes)
        for board in round.boards:
            self.meetings.update(combinations(sorted(board), 2))
            for seat, entrant in enumerate(board):
                self.sides[entrant].append(seat)
        for games in round.games:
            for game in games:
                for seat, entrant in enumerate(game.entrants):
                    self.seats[entrant][seat] += 1

    def list_seeds(self, round: Round) -> list[int]:
        """The entrants who had entered when the round was paired, in the order of their seeds."""
        placed = {*round.byes, *round.absent}.union(*round.boards)
        there = (each for each in self.state.entrants if each.joined <= round.number or each.number in placed)
        return sorted((each.number for each in there), key=lambda each: self.seeds[each])

    def earn(self, round: Round) -> dict[int, Fraction]:
        """The points of each entrant when the round was paired, before penalties."""
        return dict(self._sum(self.list_games(round)))

    def total(self, round: Round) -> dict[int, Fraction]:
        """The points of each entrant when the round was paired, less its penalties."""
        totals = self.earn(round)
        for penalty in self._list_penalties(round):
            if penalty.lifted is None:
                totals[penalty.entrant] -= penalty.points
        return totals

    def list_games(self, round: Round) -> Sequence[Games]:
        """The games of the rounds before, as they stood when the round was paired."""
        return [each.games for each in self.rounds] if round.basis is None else round.basis.games

    def trace_played(self, round: Round) -> tuple[dict[int, list[int]], Counter[Pair]]:
        """`sides` and `meetings` when the round was paired, without the boards that were only forfeited."""
        rounds = self.recall(round).rounds
        if not any(game.forfeited for each in rounds for games in each.games for game in games):
            return self.sides, self.meetings
        sides: dict[int, list[int]] = {each: [] for each in self.sides}
        meetings: Counter[Pair] = Counter()
        for board in (board for each in rounds for board in list_played(each)):
            meetings.update(combinations(sorted(board), 2))
            for seat, entrant in enumerate(board):
                sides[entrant].append(seat)
        return sides, meetings

    def recall(self, round: Round) -> Tournament:
        """The tournament with the rounds before, and their results as they stood when the round was paired."""
        games = self.list_games(round)
        rounds = tuple(each._replace(games=played) for each, played in zip(self.rounds, games, strict=True))
        return replace(self.state, rounds=rounds)

    def _list_penalties(self, round: Round) -> Sequence[Penalty]:
        return self.state.penalties if round.basis is None else round.basis.penalties

    def _sum(self, games: Sequence[Games]) -> dict[int, Fraction]:
        # Mostly nothing was corrected: then only the round before is new.
        known = len(self._summed)
        if known > len(games) or any(one is not other for one, other in zip(self._summed, games, strict=False)):
            self._summed, known = [], 0
            self._sums = dict.fromkeys(self._sums, ZERO)
        for round, played in zip(self.rounds[known:], games[known:], strict=True):
            for entrant, points in self._score(round, played).items():
                self._sums[entrant] += points
        self._summed = list(games)
        return self._sums

    def _score(self, round: Round, games: Games) -> dict[int, Fraction]:
        if id(games) not in self._scored:
            self._scored[id(games)] = games, score_round(self.state, round._replace(games=games))
        return self._scored[id(games)][1]


def walk_past(state: Tournament) -> Iterator[tuple[Past, Round]]:
    """Each round, with the past as it was before it."""
    past = Past(state)
    for round in state.rounds:
        yield past, round
        past.add(round)
