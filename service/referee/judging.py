"""Whole matches under a simulator and under our rules up to the first difference, and the shrinking of such a match."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from typing import Any, NamedTuple

from plyscribe.domain.proofs.shrinking import shrink
from plyscribe.domain.proofs.trials import GREEDY_SAMPLES, Trial, Walk, draw_walk
from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.service.bridge.protocol import NO_ANSWER, Fault
from plyscribe.service.referee.comparing import LEGAL, TURN, VIEW, Difference, find_difference
from plyscribe.service.referee.simulator import Simulator
from plyscribe.service.referee.simulator_lines import Said

GREEDY_EVERY = 4
LEAVING_EVERY = 3
"""In every fourth drawn match seats play greedily; in every third they may leave."""

Setting = tuple[dict[str, Any], int]
"""Complete options, and a number of seats."""


class Finding(NamedTuple):
    """A difference, and the match that leads to it: it shows after the last step.

    `is_fault` says that the simulator broke off or could not be read, so that nothing was compared there.
    """

    walk: Walk
    difference: Difference
    is_fault: bool = False

    @property
    def steps(self) -> int:
        """The length of the match."""
        return len(self.walk.trial.steps)


class Smallest(NamedTuple):
    """A finding after shrinking. `is_steady` is false if it did not show again with the same match."""

    finding: Finding
    runs: int = 0
    is_done: bool = False
    is_steady: bool = True


class Referee:
    """Holds one simulator against a ruleset, and counts what was compared."""

    def __init__(self, ruleset: AnyRuleset, simulator: Simulator, most_legal: int) -> None:
        self._ruleset = ruleset
        self._simulator = simulator
        self._most_legal = most_legal
        self.matches = 0
        self.plies = 0
        """Steps after which a position was compared."""

        self.compared: Counter[str] = Counter()
        """How often a turn, legal moves and a view were compared."""

        self.unsupported: Counter[str] = Counter()
        """What the simulator could not play, with the number of matches that it left for that."""

    def judge(self, walked: Walk) -> Finding | None:
        """The first difference in a match; None if there is none as far as the simulator plays it."""
        self.matches += 1
        for place, state in enumerate(walked.states):
            moves = self._list_moves(state)
            try:
                said = self._ask(walked.trial, place, asks_legal=moves is not None)
                if said.unsupported is not None:
                    self.unsupported[said.unsupported] += 1
                    return None
                differs = find_difference(self._ruleset, state, said, moves)
            except Fault as fault:
                broken = Difference(fault.kind, frozenset({fault.kind}), "an answer", fault.why)
                return Finding(walked.cut(place), broken, is_fault=True)
            self._count(said, place, has_moves=moves is not None)
            if differs:
                return Finding(walked.cut(place), differs)
        return None

    def _list_moves(self, state: Any) -> list[Any] | None:
        """All legal moves; none unless a seat decides; None if they are too many."""
        if not isinstance(self._ruleset.turn(state), Decision):
            return []
        moves = list(islice(self._ruleset.legal_moves(state), self._most_legal + 1))
        return moves if len(moves) <= self._most_legal else None

    def _ask(self, trial: Trial, place: int, *, asks_legal: bool) -> Said:
        if not place:
            return self._simulator.start(self._ruleset, trial, asks_legal=asks_legal)
        return self._simulator.step(trial.steps[place - 1], asks_legal=asks_legal)

    def _count(self, said: Said, place: int, *, has_moves: bool) -> None:
        self.plies += place > 0
        self.compared[TURN] += said.turn is not None
        self.compared[LEGAL] += said.legal is not None and has_moves
        self.compared[VIEW] += said.view is not None

    def shrink(self, finding: Finding, most_runs: int) -> Smallest:
        """The smallest match found that shows such a difference. Silence is not shrunk: each run would wait for it."""
        if not most_runs or finding.difference.kind == NO_ANSWER or not self._simulator.answered:
            return Smallest(finding)
        shown = finding

        def shows(walked: Walk) -> int | None:
            nonlocal shown
            found = self.judge(walked)
            if found is None or not found.difference.is_like(finding.difference):
                return None
            shown = found
            return found.steps

        shrunk = shrink(self._ruleset, finding.walk.trial, shows, most_runs)
        if shrunk is None:
            return Smallest(finding, runs=1, is_steady=False)
        # The last match that showed it need not be the smallest one.
        is_steady = shows(shrunk.walk) == len(shrunk.trial.steps)
        return Smallest(shown if is_steady else finding, shrunk.runs, shrunk.is_done, is_steady)


def draw_walks(
    ruleset: AnyRuleset, settings: Iterable[Setting], matches: int, seed: int, most_steps: int, *, leaving: bool
) -> Iterator[tuple[str, Walk]]:
    """Random matches, each with its name, over all settings in turn: a function of the arguments."""
    for number, (options, seats) in enumerate(islice(cycle(settings), matches), 1):
        name = f"random match {number}"
        leaves, greedy = leaving and number % LEAVING_EVERY == 0, 1 if number % GREEDY_EVERY else GREEDY_SAMPLES
        begun = Trial(seats, options)
        yield name, draw_walk(ruleset, begun, f"{seed}/{number}", most_steps, leaving=leaves, greedy=greedy)
