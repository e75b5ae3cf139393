"""Random play: our rulesets against python-chess, which bot authors know, and those with dice against pathagon."""

import random
from collections.abc import Callable
from typing import Any

import chess

from bench.measuring import Claim, Row, Run, Sample, compare, measure, take_rounds, times_as_fast, times_the_cost
from bench.rig import Rig
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll
from plyscribe.domain.rulesets import find_ruleset

PLIES = 20_000
CHESS = "python-chess"
CHESS_PLIES = 300
"""Random games of chess are cut off here, because otherwise bare kings wander about for long."""

CLAIMS = [
    Claim("pathagon, moves sampled", "ply", "pathagon sampled", CHESS, times_as_fast(5)),
    Claim("pathagon, moves listed", "ply", "pathagon listed", CHESS, times_as_fast(2.5)),
    Claim("zhen, moves sampled", "ply", "zhen sampled", CHESS, times_as_fast(5)),
    Claim("zhen, moves listed", "ply", "zhen listed", CHESS, times_as_fast(2.5)),
    Claim("rings, moves sampled", "ply or roll", "rings sampled", "pathagon sampled", times_the_cost(10)),
    Claim("rings, moves listed", "ply or roll", "rings listed", "pathagon listed", times_the_cost(8)),
    Claim("crystals, moves sampled", "ply or roll", "crystals sampled", "pathagon sampled", times_the_cost(2.5)),
    Claim("crystals, moves listed", "ply or roll", "crystals listed", "pathagon listed", times_the_cost(1)),
    Claim("portals, moves sampled", "ply or roll", "portals sampled", "pathagon sampled", times_the_cost(6)),
    Claim("portals, moves listed", "ply or roll", "portals listed", "pathagon listed", times_the_cost(6)),
    Claim("portals, a typed move checked", "move", "portals typed", "pathagon typed", times_the_cost(3)),
]


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure plies and rolls of games that are played at random to their end."""
    runs: dict[str, Run] = {CHESS: lambda: _play(_play_chess)}
    for id in ("pathagon", "zhen", "rings", "crystals", "portals"):
        runs[f"{id} sampled"] = _player(find_ruleset(id), _sample)
        runs[f"{id} listed"] = _player(find_ruleset(id), _pick)
    for id in ("pathagon", "portals"):
        runs[f"{id} typed"] = _checker(find_ruleset(id))
    return compare(take_rounds(runs, rounds), CLAIMS)


def _play(play_game: Callable[[random.Random], int]) -> Sample:
    rng = random.Random(1)

    def play() -> int:
        plies = 0
        while plies < PLIES:
            plies += play_game(rng)
        return plies

    return measure(play)


def _player(ruleset: AnyRuleset, choose: Callable[[AnyRuleset, Any, random.Random], Any]) -> Run:
    start = ruleset.initial_state(ruleset.parse_options({}), 2)

    def play_game(rng: random.Random) -> int:
        state, steps = start, 0
        while not isinstance(turn := ruleset.turn(state), Over):
            if isinstance(turn, Roll):
                values = tuple(rng.randrange(turn.sides) + 1 for _ in range(turn.count))
                state = ruleset.apply_roll(state, values)
            else:
                state = ruleset.apply_move(state, choose(ruleset, state, rng))
            steps += 1
        return steps

    return lambda: _play(play_game)


def _checker(ruleset: AnyRuleset) -> Run:
    """Moves of random play as text, each parsed and checked in its position."""
    typed: list[tuple[Any, str]] = []

    def note(ruleset: AnyRuleset, state: Any, rng: random.Random) -> Any:
        move = _sample(ruleset, state, rng)
        typed.append((state, ruleset.format_move(state, move)))
        return move

    _player(ruleset, note)()

    def check() -> int:
        for state, text in typed:
            ruleset.parse_move(state, text)
        return len(typed)

    return lambda: measure(check)


def _sample(ruleset: AnyRuleset, state: Any, rng: random.Random) -> Any:
    return ruleset.sample_move(state, rng.randrange)


def _pick(ruleset: AnyRuleset, state: Any, rng: random.Random) -> Any:
    return rng.choice(list(ruleset.legal_moves(state)))


def _play_chess(rng: random.Random) -> int:
    board = chess.Board()
    for ply in range(CHESS_PLIES):
        moves = list(board.legal_moves)
        if not moves:
            return ply
        board.push(rng.choice(moves))
    return CHESS_PLIES
