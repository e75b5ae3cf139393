"""`python -m bench.effects`: what it costs to ask what a move did, beside making it."""

import time
from random import Random
from statistics import median
from typing import Any

from plyscribe.domain.effects import Moved, Rolled, Step
from plyscribe.domain.proofs.playthrough import take_step
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll
from plyscribe.domain.rulesets import list_newest

PLIES = 4_000
ROUNDS = 7
SEATS = {"crystals": 4, "portals": 3, "rings": 3}


def play(ruleset: AnyRuleset, plies: int) -> list[tuple[Any, Step, Any]]:
    """The steps of random matches, with the states around them."""
    random, steps = Random(1), list[tuple[Any, Step, Any]]()
    while len(steps) < plies:
        seats = SEATS.get(ruleset.id, ruleset.min_seats)
        state = ruleset.initial_state(ruleset.parse_options({}), seats)
        while not isinstance(turn := ruleset.turn(state), Over) and len(steps) < plies:
            step: Step
            if isinstance(turn, Roll):
                step = Rolled(tuple(random.randint(1, turn.sides) for _ in range(turn.count)))
            else:
                step = Moved(ruleset.sample_move(state, random.randrange))
            after = take_step(ruleset, state, step)
            steps.append((state, step, after))
            state = after
    return steps


def measure(ruleset: AnyRuleset) -> tuple[float, float]:
    """Microseconds of a step, and of its effects: medians of interleaved rounds."""
    steps = play(ruleset, PLIES)
    taking, asking = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for before, step, _ in steps:
            take_step(ruleset, before, step)
        between = time.perf_counter()
        for before, step, after in steps:
            ruleset.effects(before, step, after)
        asking.append(time.perf_counter() - between)
        taking.append(between - start)
    return median(taking) / PLIES * 1e6, median(asking) / PLIES * 1e6


def main() -> None:
    """Print a line for each game."""
    for ruleset in list_newest():
        taking, asking = measure(ruleset)
        print(f"{ruleset.id:10} step {taking:6.2f} us   effects {asking:6.2f} us   ratio {asking / taking:.2f}")


if __name__ == "__main__":
    main()
