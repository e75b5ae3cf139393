"""`python -m bench.strength [game …]`: how strong the built-in bots are, in games against each other, as Markdown.

A board is one game for each seat of the first bot, with the same dice; the second bot has all other seats. A row ends
early, after ten boards or more, once an interval that misses only one case in a thousand lies on one side of one half.
What it says of strength does not depend on the machine, except for the CPU time of a playout.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, log10
from random import Random
from typing import Any, NamedTuple

import click

from plyscribe.domain.bots import build_bot, choose_move
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.intervals import Z_95, bound_share
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll
from plyscribe.domain.rulesets import find_ruleset

GAMES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "zhen": ("zhen", 2, {}),
    "pathagon": ("pathagon", 2, {}),
    "pathagon-5": ("pathagon", 2, {"size": 5}),
    "portals": ("portals", 2, {}),
    "rings": ("rings", 2, {}),
    "rings-3": ("rings", 3, {}),
    "crystals": ("crystals", 2, {}),
    "crystals-3": ("crystals", 3, {}),
}
"""Ruleset, seats and options of each game."""

PAIRS = (
    ("greedy", "random"),
    ("mcts 200", "greedy"),
    ("mcts 50", "greedy"),
    ("mcts 200", "mcts 50"),
    ("mcts 800", "mcts 200"),
    ("mcts 800", "greedy"),
)
LEAST_BOARDS = 10
Z_TO_STOP = 3.29
COLUMNS = ("game", "bots", "won, level, lost", "score", "Elo", "CPU a playout")


class Game(NamedTuple):
    """A game as it is played here: `seats` is how many take part."""

    name: str
    ruleset: AnyRuleset
    seats: int
    options: dict[str, Any]


@dataclass
class Tally:
    """What the first bot achieved: each opponent that it is placed above counts as a win."""

    won: int = 0
    level: int = 0
    lost: int = 0
    games: int = 0
    cpu_s: float = 0.0
    playouts: int = 0

    def interval(self, z: float) -> tuple[float, float]:
        """The interval of the expected score (Wilson 1927), each game counted as independent."""
        return bound_share(self.score, self.games, z)

    @property
    def score(self) -> float:
        """The share of the opponents beaten, a tie being half."""
        return (self.won + self.level / 2) / (self.won + self.level + self.lost)

    def is_clear(self) -> bool:
        """Whether one of the two is clearly stronger."""
        low, high = self.interval(Z_TO_STOP)
        return low > 0.5 or high < 0.5


@click.command()
@click.argument("games", nargs=-1, type=click.Choice(list(GAMES)))
@click.option("--boards", type=click.IntRange(LEAST_BOARDS), default=100, show_default=True, help="The most boards.")
@click.option("--pair", "pairs", multiple=True, help="Two bots, as in 'mcts 200/greedy'; by default six pairs.")
def main(games: tuple[str, ...], boards: int, pairs: tuple[str, ...]) -> None:
    """Play games of built-in bots and print a row of the table for each pair."""
    chosen = [tuple(pair.split("/")) for pair in pairs] or PAIRS
    _print_row(COLUMNS)
    _print_row(["---"] * len(COLUMNS))
    for first, second in chosen:
        for name in games or GAMES:
            id, seats, options = GAMES[name]
            ruleset = find_ruleset(id)
            game = Game(name, ruleset, seats, ruleset.parse_options(options))
            _print_row([name, f"{first} – {second}", *_format(play_boards(game, first, second, boards))])


def _print_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def play_boards(game: Game, first: str, second: str, boards: int) -> Tally:
    """What the first bot achieved against the second on so many boards, or on as many as are enough."""
    tally = Tally()
    for board in range(boards):
        for seat in range(1, game.seats + 1):
            _play(game, [first if each == seat else second for each in range(1, game.seats + 1)], seat, board, tally)
        if board + 1 >= LEAST_BOARDS and tally.is_clear():
            break
    return tally


def _play(game: Game, bots: Sequence[str], seat: int, board: int, tally: Tally) -> None:
    """Play one game; the bot in `seat` is the one that counts."""
    builds = [_build(bot, board) for bot in bots]
    ruleset, dice, ply = game.ruleset, Random(board), 0
    state = ruleset.initial_state(game.options, game.seats)
    while not isinstance(turn := ruleset.turn(state), Over):
        if isinstance(turn, Roll):
            state = ruleset.apply_roll(state, tuple(dice.randint(1, turn.sides) for _ in range(turn.count)))
            continue
        build, began = builds[turn.seat - 1], time.process_time()
        move = choose_move(build, ruleset, state, turn.seat, ply)
        if turn.seat == seat and build.playouts:
            tally.cpu_s += time.process_time() - began
            tally.playouts += build.playouts
        state, ply = ruleset.apply_move(state, move), ply + 1
    mine = turn.ranks[seat - 1]
    tally.games += 1
    for rank in (rank for other, rank in enumerate(turn.ranks, 1) if other != seat):
        tally.won += rank > mine
        tally.level += rank == mine
        tally.lost += rank < mine


def _build(bot: str, seed: int) -> BuiltIn:
    name, _, playouts = bot.partition(" ")
    return build_bot(name, seed, int(playouts) if playouts else None)


def _format(tally: Tally) -> Iterator[str]:
    low, high = tally.interval(Z_95)
    yield f"{tally.won}, {tally.level}, {tally.lost}"
    yield f"{low:.2f}–{high:.2f}"
    yield f"{_format_elo(low)} to {_format_elo(high)}"
    yield f"{tally.cpu_s / tally.playouts * 1e6:.0f} µs" if tally.playouts else ""


def _format_elo(score: float) -> str:
    """The difference in logistic Elo at which this score is expected."""
    elo = 400 * log10(score / (1 - score)) if 0 < score < 1 else inf
    return f"{elo:+.0f}"


if __name__ == "__main__":
    main()
