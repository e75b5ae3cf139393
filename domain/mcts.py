"""Monte Carlo tree search for any ruleset: any number of seats, dice, and more moves than can be looked at.

UCT (Kocsis and Szepesvari, 2006) over the seats' own rewards, as max^n; rolls are drawn, each outcome a node of its
own; a node takes in moves one by one as it is visited (progressive widening, Coulom 2007), drawn by `sample_move`.
"""

from collections.abc import Hashable
from math import log, sqrt
from typing import Any, TypeVar

from domain.ruleset import Decision, Over, RandBelow, Roll, Ruleset

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

EXPLORATION = 0.7
"""How much a move that was tried little is worth trying, against a reward of 0 to 1."""

FIRST_MOVES = 8
WIDENING = 2.0
"""A node that was visited n times holds at most FIRST_MOVES moves or WIDENING * sqrt(n), whichever is more."""

DRAWS = 16
"""A move that a node takes in is the best by `evaluate` of so many."""

ROLLOUT_PLIES = 4
"""After so many random moves `evaluate` says who stands better."""


class _Node:
    """A position reached by certain moves and rolls: what came of it, for each seat."""

    __slots__ = ("children", "rewards", "visits")

    def __init__(self, seats: int) -> None:
        self.visits = 0
        self.rewards = [0.0] * seats
        self.children: dict[Any, _Node] = {}


def search(ruleset: Ruleset[State, Move], state: State, playouts: int, randbelow: RandBelow) -> Move:
    """The move that was tried most often in so many playouts; of several, the one that was tried first.

    The same for the same arguments and draws. `state` waits for a decision.
    """
    root = _Node(len(ruleset.standing(state)))
    for _ in range(playouts):
        _play_out(ruleset, state, root, randbelow)
    best: Move = max(root.children, key=lambda move: root.children[move].visits)
    return best


def _play_out(ruleset: Ruleset[State, Move], state: State, root: _Node, randbelow: RandBelow) -> None:
    """One way from the root to a new node, from there on by chance, and back with what came of it."""
    node, path = root, [root]
    while node.visits or node is root:
        turn = ruleset.turn(state)
        if isinstance(turn, Over):
            break
        if isinstance(turn, Roll):
            step: Any = _roll(turn, randbelow)
            state = ruleset.apply_roll(state, step)
        else:
            step = _choose(ruleset, state, node, turn.seat, randbelow)
            state = ruleset.apply_move(state, step)
        node = node.children.setdefault(step, _Node(len(root.rewards)))
        path.append(node)
    rewards = _reward(ruleset, _play_at_random(ruleset, state, randbelow), len(root.rewards))
    for node in path:
        node.visits += 1
        node.rewards = [had + reward for had, reward in zip(node.rewards, rewards, strict=True)]


def _choose(ruleset: Ruleset[State, Move], state: State, node: _Node, seat: int, randbelow: RandBelow) -> Move:
    """A new move while the node has room, else the most promising of those that it holds."""
    if len(node.children) < max(FIRST_MOVES, WIDENING * sqrt(node.visits)):
        drawn = [ruleset.sample_move(state, randbelow) for _ in range(DRAWS)]
        new = [move for move in drawn if move not in node.children]
        if new:
            return max(new, key=lambda move: ruleset.evaluate(ruleset.apply_move(state, move), seat))
    spread = EXPLORATION * sqrt(log(node.visits + 1))

    def promise(child: _Node) -> float:
        return child.rewards[seat - 1] / child.visits + spread / sqrt(child.visits)

    best: Move = max(node.children, key=lambda move: promise(node.children[move]))
    return best


def _play_at_random(ruleset: Ruleset[State, Move], state: State, randbelow: RandBelow) -> State:
    plies = 0
    while plies < ROLLOUT_PLIES:
        match ruleset.turn(state):
            case Over():
                break
            case Roll() as roll:
                state = ruleset.apply_roll(state, _roll(roll, randbelow))
            case Decision():
                state = ruleset.apply_move(state, ruleset.sample_move(state, randbelow))
                plies += 1
    return state


def _roll(roll: Roll, randbelow: RandBelow) -> tuple[int, ...]:
    return tuple(1 + randbelow(roll.sides) for _ in range(roll.count))


def _reward(ruleset: Ruleset[State, Move], state: State, seats: int) -> list[float]:
    """For each seat the share of the others that it beats, who is level with it counting half."""
    turn = ruleset.turn(state)
    if isinstance(turn, Over):
        scores = [-rank for rank in turn.ranks]
    else:
        scores = [ruleset.evaluate(state, seat) for seat in range(1, seats + 1)]
    return [
        (sum((score > other) + 0.5 * (score == other) for other in scores) - 0.5) / max(1, seats - 1)
        for score in scores
    ]
