"""Self-play: random games of every ruleset beside those of OpenSpiel and PettingZoo."""

import os
import random
from collections.abc import Iterator

import numpy
import pyspiel

from bench.measuring import Claim, Row, Run, compare, measure, take_rounds, times_as_fast
from bench.rig import Rig
from plyscribe.domain.rulesets import list_newest
from plyscribe.envs.selfplay import play_random

STEPS = 20_000
PETTINGZOO_STEPS = 1_000
SPIEL = "OpenSpiel hex 7×7"
ZOO = "PettingZoo connect four"

IDS = [ruleset.id for ruleset in list_newest()]
CLAIMS = [
    *(Claim(f"{id}, random games", "ply or roll", id, ZOO, times_as_fast(5)) for id in IDS),
    Claim("pathagon, random games", "ply", "pathagon", SPIEL, times_as_fast(0.5)),
    Claim("zhen, random games", "ply", "zhen", SPIEL, times_as_fast(0.5)),
]


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure plies and rolls of random games, each played as its library says, in one process."""
    runs: dict[str, Run] = {
        SPIEL: lambda: measure(lambda: _play(_play_hex(random.Random(1)), STEPS)),
        ZOO: lambda: measure(lambda: _play(_play_connect_four(random.Random(1)), PETTINGZOO_STEPS)),
    }
    runs |= {id: _player(id) for id in IDS}
    return compare(take_rounds(runs, rounds), CLAIMS)


def _player(id: str) -> Run:
    def play_games() -> Iterator[int]:
        for game in play_random(id, 10**9, workers=0, seed=1):
            yield game.plies + game.rolls

    return lambda: measure(lambda: _play(play_games(), STEPS))


def _play(games: Iterator[int], least: int) -> int:
    """The steps of whole games, at least so many."""
    steps = 0
    while steps < least:
        steps += next(games)
    return steps


def _play_hex(rng: random.Random) -> Iterator[int]:
    game = pyspiel.load_game("hex(board_size=7)")
    while True:
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            plies += 1
        yield plies


def _play_connect_four(rng: random.Random) -> Iterator[int]:
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    while True:
        env.reset(seed=rng.getrandbits(31))
        plies = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(rng.choice(numpy.flatnonzero(observation["action_mask"])))
                plies += 1
        yield plies
