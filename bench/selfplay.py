"""Self-play: random games of every ruleset beside those of OpenSpiel and PettingZoo."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy
import pyspiel

from bench.measuring import Claim, Row, Run, Sample, compare, measure, take_rounds, times_as_fast
from bench.rig import ROOT, Rig
from plyscribe.domain.rulesets import list_newest
from plyscribe.envs.compiled import find_build
from plyscribe.envs.selfplay import play_random

STEPS = 20_000
PETTINGZOO_STEPS = 1_000
SPIEL = "OpenSpiel hex 7×7"
ZOO = "PettingZoo connect four"

IDS = [ruleset.id for ruleset in list_newest()]
HARD = ("pathagon", "zhen")
"""The rulesets whose moves are so cheap that they are held against moves made in C++."""


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure plies and rolls of random games, each played as its library says, in one process.

    Ours come a second time with compiled rules, each ruleset in a process of its own, if `plyscribe compile` was run.
    """
    runs: dict[str, Run] = {
        SPIEL: lambda: measure(lambda: _play(_play_hex(random.Random(1)), STEPS)),
        ZOO: lambda: measure(lambda: _play(_play_connect_four(random.Random(1)), PETTINGZOO_STEPS)),
    }
    runs |= {id: _player(id) for id in IDS}
    claims = _claim("random games")
    if build := find_build():
        runs |= {f"{id}, compiled": _compiled_player(rig, build, id) for id in IDS}
        claims += _claim("random games, compiled rules", ", compiled")
    rows = compare(take_rounds(runs, rounds), claims)
    return rows if build else [*rows, Row("compiled rules: not measured, run plyscribe compile first", "")]


def _claim(what: str, name: str = "") -> list[Claim]:
    return [
        *(Claim(f"{id}, {what}", "ply or roll", id + name, ZOO, times_as_fast(5)) for id in IDS),
        *(Claim(f"{id}, {what}", "ply", id + name, SPIEL, times_as_fast(0.5)) for id in HARD),
    ]


def _compiled_player(rig: Rig, build: Path, id: str) -> Run:
    path = os.pathsep.join([str(build), str(ROOT), *filter(None, sys.path)])
    argv = [sys.executable, "-P", "-m", "bench.compiled_player", id]
    pipe = subprocess.PIPE
    player = subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": path}, stdin=pipe, stdout=pipe, text=True)
    rig.end_with(player)

    def play_games() -> Sample:
        assert player.stdin is not None
        assert player.stdout is not None
        print(STEPS, file=player.stdin, flush=True)
        steps, cpu_s = player.stdout.readline().split()
        return Sample(int(steps), float(cpu_s))

    return play_games


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
