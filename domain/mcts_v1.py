"""Version 1 of `mcts`, frozen: matches that were begun with it play on and can be computed again.

Monte Carlo tree search for any ruleset, with any number of seats, with dice, and with more moves than it can try.

The search is PUCT (Rosin 2011; Silver et al. 2016), based on UCT (Kocsis and Szepesvari 2006). Each seat maximises its
own reward, as in max^n (Luckhardt and Irani 1986). A new position gets its value from `evaluate`, without a rollout,
because random moves would drown that value. Moves are tried in the order of the value that `evaluate` gives to their
result, a heuristic prior (Gelly and Silver 2007). Later moves get their turn as the node is visited more, as in
progressive widening (Coulom 2007). Dice are drawn at random, and each outcome is a node of its own.

The only function used is the square root, which IEEE 754 rounds exactly, as it does + - * /. So all machines play the
same moves.
"""

from collections.abc import Hashable
from itertools import islice
from math import sqrt
from typing import Any, Generic, TypeVar

from plyscribe.domain.ruleset import Decision, Over, RandBelow, Roll, Ruleset

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

EXPLORATION = 0.7
"""The weight of exploring the move that looks best; the second best has half of it, the third best a third."""

MOST_AT_ROOT = 500
MOST = 100
"""A node with more moves than this gets a random sample of this size."""

STEPS = 30
"""Random moves and rolls to measure how much `evaluate` changes in a step. A gain of that much is worth half a win."""

DECIDED = 500_000
"""Only the value of an ended match is this far from 0."""


class _Node:
    """A position, its value by `evaluate` for the seat that moved there, and the sum of the rewards of each seat."""

    __slots__ = ("children", "guess", "rewards", "state", "visits")

    def __init__(self, state: Any, seats: int, guess: float = 0) -> None:
        self.state = state
        self.guess = guess
        self.visits = 0
        self.rewards = [0.0] * seats
        self.children: dict[Any, _Node] = {}
        """By roll or by move; moves with the best guess first."""


def search(ruleset: Ruleset[State, Move], state: State, playouts: int, randbelow: RandBelow) -> Move:
    """The move that the search tried most often; among equals, the one with the best value by `evaluate`.

    The result depends only on the arguments and the draws. `state` must wait for a decision.
    """
    children = _explore(ruleset, state, playouts, randbelow)
    return max(children, key=lambda move: children[move].visits)


def _explore(ruleset: Ruleset[State, Move], state: State, playouts: int, randbelow: RandBelow) -> "dict[Move, _Node]":
    """The moves with what the search found about each; one move alone is not searched."""
    tree = _Tree(ruleset, state, randbelow)
    if len(tree.root.children) > 1:
        for _ in range(playouts):
            tree.play_out()
    return tree.root.children


class _Tree(Generic[State, Move]):
    """The positions explored from one position on."""

    def __init__(self, ruleset: Ruleset[State, Move], state: State, randbelow: RandBelow) -> None:
        self._ruleset, self._randbelow = ruleset, randbelow
        self._seats = range(1, len(ruleset.standing(state)) + 1)
        self._values = [ruleset.evaluate(state, seat) for seat in self._seats]
        self.root = _Node(state, len(self._seats))
        turn = ruleset.turn(state)
        assert isinstance(turn, Decision)
        self._scale = self._measure_step(turn.seat)
        self._take_in_moves(self.root, turn.seat, MOST_AT_ROOT)

    def play_out(self) -> None:
        """Walk from the root to a new node, or to the end of a match, and add its rewards to all nodes on the way."""
        node, path = self.root, [self.root]
        while node is self.root or node.visits:
            turn = self._ruleset.turn(node.state)
            if isinstance(turn, Over):
                break
            node = self._roll(node, turn) if isinstance(turn, Roll) else self._choose(node, turn.seat)
            path.append(node)
        rewards = [self._reward(self._ruleset.evaluate(node.state, seat), seat) for seat in self._seats]
        for node in path:
            node.visits += 1
            node.rewards = [had + reward for had, reward in zip(node.rewards, rewards, strict=True)]

    def _roll(self, node: _Node, roll: Roll) -> _Node:
        values = self._draw_dice(roll)
        if values not in node.children:
            node.children[values] = _Node(self._ruleset.apply_roll(node.state, values), len(self._seats))
        return node.children[values]

    def _choose(self, node: _Node, seat: int) -> _Node:
        """The most promising child; the guess stands in for the reward of a child that was never tried."""
        if not node.children:
            self._take_in_moves(node, seat, MOST)
        spread = EXPLORATION * sqrt(node.visits)
        best, most = node, -float("inf")
        for rank, child in enumerate(node.children.values(), 1):
            visits = child.visits
            promise = (child.rewards[seat - 1] / visits if visits else child.guess) + spread / (rank * (1 + visits))
            if promise > most:
                best, most = child, promise
        return best

    def _take_in_moves(self, node: _Node, seat: int, most: int) -> None:
        ruleset, state = self._ruleset, node.state
        moves = list(islice(ruleset.legal_moves(state), most + 1))
        if len(moves) > most:
            moves = [ruleset.sample_move(state, self._randbelow) for _ in range(most)]
        states = {move: ruleset.apply_move(state, move) for move in moves}
        values = {move: ruleset.evaluate(after, seat) for move, after in states.items()}
        for move in sorted(values, key=values.__getitem__, reverse=True):
            node.children[move] = _Node(states[move], len(self._seats), self._reward(values[move], seat))

    def _reward(self, value: int, seat: int) -> float:
        """How much better off the seat is than at the root, from -1 to 1."""
        gain = value - self._values[seat - 1]
        return gain / (self._scale + abs(gain))

    def _measure_step(self, seat: int) -> float:
        """The average change of the seat's value from one random move or roll to the next, at least 1."""
        ruleset, state, value, changes = self._ruleset, self.root.state, self._values[seat - 1], [0]
        for _ in range(STEPS):
            turn = ruleset.turn(state)
            if isinstance(turn, Over):
                break
            if isinstance(turn, Roll):
                state = ruleset.apply_roll(state, self._draw_dice(turn))
            else:
                state = ruleset.apply_move(state, ruleset.sample_move(state, self._randbelow))
            before, value = value, ruleset.evaluate(state, seat)
            if abs(value) < DECIDED:
                changes.append(abs(value - before))
        return max(1.0, sum(changes) / len(changes))

    def _draw_dice(self, roll: Roll) -> tuple[int, ...]:
        return tuple(1 + self._randbelow(roll.sides) for _ in range(roll.count))
