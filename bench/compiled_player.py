"""`python -m bench.compiled_player RULESET` plays random games with the rules that come first on its path.

A line of input says how many steps; the answer is how many the whole games had, and the CPU time that they took.
"""

import gc
import sys
import time

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.envs.playing import Task, play_games
from plyscribe.envs.probe import is_compiled


def main(id: str) -> None:
    """Play until the input ends."""
    assert is_compiled()
    ruleset = find_ruleset(id)
    task = Task(ruleset, ruleset.parse_options({}), ruleset.min_seats, 1, (), False, False, 100_000)
    number = 0
    for line in sys.stdin:
        gc.collect()
        steps, start = 0, time.process_time()
        while steps < int(line):
            [game] = play_games(task, (number,))
            steps += game.plies + game.rolls
            number += 1
        print(steps, time.process_time() - start, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
