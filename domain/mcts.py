"""Monte Carlo tree search for any ruleset, with any number of seats, with dice, and with more moves than it can try.

At the root the playouts are shared out by sequential halving (Karnin, Koren and Somekh 2013; in trees Pepels et al.
2014): the moves with the best `evaluate` get equally many, the worse half of them drops out, and so on. So moves are
compared when each was looked into equally far. Otherwise a move that was looked into further, across something that is
due for everybody such as the scoring of a round, looks much better or worse for that alone. A move to which the best
reply wins makes room for another.

Below the root the search is PUCT (Rosin 2011; Silver et al. 2016). Each seat maximises its own reward, as in max^n
(Luckhardt and Irani 1986). A new position gets its value from `evaluate`, without a rollout, because random moves would
drown that value. Moves are tried in the order of the value that `evaluate` gives to their result, a heuristic prior
(Gelly and Silver 2007), and more of them as the node is visited more, as in progressive widening (Coulom 2007). The
value of a move is half the mean of its playouts and half what the best replies lead to (implicit minimax backups,
Lanctot et al. 2014).

A roll is a node of its own, worth the mean of the outcomes drawn so far, of which there are more as it is visited more
(double progressive widening, Couetoux et al. 2011). Outcomes that lead to the same state are one, with more weight. The
n-th outcome of the same dice is the same everywhere in the tree, so that no move looks better for its luck (common
random numbers). If there are few outcomes, each comes once before one comes again.

If `evaluate` says nothing, because it stays the same in random play, random play to the end takes its place.

A position that is reached in two ways is two nodes. Of the nodes of a search with 200 playouts, 2 to 5 % are such
duplicates, in crystals and rings up to 20 %: too few to make a tree into a graph.

The only function used is the square root, which IEEE 754 rounds exactly, as it does + - * /. So all machines play the
same moves.
"""

from collections.abc import Hashable, Iterator
from itertools import islice, product
from math import sqrt
from typing import Any, Generic, NamedTuple, TypeVar

from plyscribe.domain.ruleset import Decision, Over, RandBelow, Roll, Ruleset, Turn, evaluate_over

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

EXPLORATION = 0.7
"""The weight of exploring the move that looks best; the second best has half of it, the third best a third."""

MOST_AT_ROOT = 500
MOST = 100
"""A node with more moves than this gets a random sample of this size."""

STEPS = 30
WALKS = 10
"""Random moves and rolls to measure how much `evaluate` changes in a step, and how often if it did not change."""

LARGE = 8
"""A gain of this many steps is worth half a win."""

LEAST_EACH = 2.5
"""There are this many playouts for each move and round of the halving at least: it limits how many moves take part."""

DECIDED = 500_000
"""Only the value of an ended match is this far from 0."""

LOST = -0.9
"""So low is the reward of a match that is lost, or of a position that is as bad."""

FEW = 36
"""Dice with at most this many outcomes show each of them once before they show one again."""

LONGEST = 300
"""Random play that has not ended after this many moves and rolls is judged by the standing."""


class _Node:
    """A position, and what the search knows about it for each seat."""

    __slots__ = (
        "best",
        "children",
        "drawn",
        "expected",
        "guess",
        "own",
        "promised",
        "rewards",
        "state",
        "turn",
        "visits",
    )

    def __init__(self, state: Any, guess: float = 0.0) -> None:
        self.state = state
        self.guess = guess
        """The reward by `evaluate` for the seat that moved here."""
        self.visits = 0
        self.drawn = 0
        """How many rolls of the dice led here."""

    def open(self, turn: Turn, rewards: list[float]) -> None:
        """Make the first visit, with the rewards of the position itself."""
        self.turn = turn
        self.own = self.rewards = self.expected = rewards
        """The rewards of the position itself; their sum over all visits; those with the best replies found."""
        self.children: dict[Any, _Node] = {}
        """By state after a roll; otherwise by move, the best guess first."""
        self.best: _Node | None = None
        """The visited child that the seat to move expects most from."""
        self.promised = 0.0
        """The sum of the guesses of the children, once for each visit."""
        self.visits = 1

    def add(self, rewards: list[float]) -> None:
        """Count one more visit, which ended with these rewards."""
        self.visits += 1
        self.rewards = [had + reward for had, reward in zip(self.rewards, rewards, strict=True)]

    def expect_roll(self) -> None:
        """Expect the mean of all outcomes, each as often as it was drawn."""
        outcomes = self.children.values()
        drawn = sum(outcome.drawn for outcome in outcomes)
        self.expected = [
            sum(outcome.drawn * outcome.expected[seat] for outcome in outcomes) / drawn for seat in range(len(self.own))
        ]

    def expect_reply(self, child: "_Node", seat: int) -> None:
        """Expect the best reply of this seat (counted from 0), now that the child has another value."""
        if self.best is None or child.expected[seat] >= self.best.expected[seat]:
            self.best = child
        elif child is self.best:
            visited = (each for each in self.children.values() if each.visits)
            self.best = max(visited, key=lambda each: each.expected[seat])
        self.expected = self.best.expected

    def value(self, seat: int) -> float:
        """What the position is worth to the seat (counted from 0), once it was visited."""
        return (self.rewards[seat] / self.visits + self.expected[seat]) / 2


def search(ruleset: Ruleset[State, Move], state: State, playouts: int, randbelow: RandBelow) -> Move:
    """The move that is left when all playouts are made; with up to three, the best by `evaluate`.

    The result depends only on the arguments and the draws. `state` must wait for a decision.
    """
    return _Tree(ruleset, state, randbelow).rank_moves(playouts)[0][0]


class Weighed(NamedTuple):
    """A move as a search found it.

    `share` is the part of the playouts that tried it. `gain` is how much better off the seat would be than it is now,
    from -1 to 1. It is half for a gain as large as what a random step changes.
    """

    move: Any
    share: float
    gain: float


def weigh_moves(ruleset: Ruleset[State, Move], state: State, playouts: int, randbelow: RandBelow) -> list[Weighed]:
    """The moves that the search tried, the best first. Its first move is that of `search`."""
    tree = _Tree(ruleset, state, randbelow)
    ranked = tree.rank_moves(playouts)
    if len(ranked) == 1:
        return [Weighed(move, 1.0, _enlarge(node.guess)) for move, node in ranked]
    made = sum(node.visits for _, node in ranked)
    return [Weighed(move, node.visits / made, _enlarge(tree.value(node))) for move, node in ranked]


def _enlarge(reward: float) -> float:
    """The reward if one step, and not LARGE of them, were worth half a win."""
    return LARGE * reward / (1 + (LARGE - 1) * abs(reward))


class _Tree(Generic[State, Move]):
    """The positions explored from one position on."""

    def __init__(self, ruleset: Ruleset[State, Move], state: State, randbelow: RandBelow) -> None:
        self._ruleset, self._randbelow, self._dice = ruleset, randbelow, _Dice(randbelow)
        turn = ruleset.turn(state)
        assert isinstance(turn, Decision)
        self._seat = turn.seat - 1
        self._seats = range(1, len(ruleset.standing(state)) + 1)
        self._values = [ruleset.evaluate(state, seat) for seat in self._seats]
        step = self._measure_step(state, turn.seat)
        self._half = LARGE * max(1.0, step)
        """The gain that is worth half a win."""
        self._is_blind = not step
        """Whether `evaluate` says nothing, so that rewards come from random play."""
        self._moves = self._list_moves(state, turn.seat, MOST_AT_ROOT)

    def rank_moves(self, playouts: int) -> list[tuple[Move, _Node]]:
        """The moves that took part, the best first, after the playouts; there are none if only one move takes part."""
        count = _count_candidates(len(self._moves), playouts)
        if count == 1:
            return list(islice(self._moves.items(), 1))
        left, dropped = self._pick_candidates(count, playouts // 2)
        playouts -= sum(node.visits for _, node in left + dropped)
        for rounds in range(_count_rounds(len(left)), 0, -1):
            each = playouts // rounds // len(left)
            playouts -= each * len(left)
            for _, node in left * each:
                self._play_out(node)
            left.sort(key=lambda each: self.value(each[1]), reverse=True)
            half = (len(left) + 1) // 2
            left, dropped = left[:half], left[half:] + dropped
        return left + dropped

    def _pick_candidates(self, count: int, playouts: int) -> tuple[list[tuple[Move, _Node]], list[tuple[Move, _Node]]]:
        """The most promising moves, and others that gave way to the next because the best reply to them wins.

        Each costs two playouts: one sees the position, one the best reply by `evaluate`.
        """
        fair: list[tuple[Move, _Node]] = []
        lost: list[tuple[Move, _Node]] = []
        for move, node in self._moves.items():
            if len(fair) == count or 2 * len(fair + lost) + 2 > max(playouts, 2 * count):
                break
            self._play_out(node)
            self._play_out(node)
            is_lost = node.expected[self._seat] < LOST and not self._is_blind
            (lost if is_lost else fair).append((move, node))
        return (fair, lost) if fair else (lost, [])

    def value(self, node: _Node) -> float:
        """What the node is worth to the seat at the root."""
        return node.value(self._seat) if node.visits else node.guess

    def _play_out(self, node: _Node) -> None:
        """Walk from a move at the root to a new node, or to the end of a match, and add its rewards on the way."""
        path = []
        while node.visits:
            path.append(node)
            turn = node.turn
            if isinstance(turn, Over):
                break
            node = self._roll(node, turn) if isinstance(turn, Roll) else self._choose(node, turn.seat)
        if not node.visits:
            turn = self._ruleset.turn(node.state)
            node.open(turn, self._judge(node.state, turn))
        rewards = node.own
        for each in path:
            each.add(rewards)
        for parent in reversed(path):
            if isinstance(parent.turn, Decision):
                parent.expect_reply(node, parent.turn.seat - 1)
            elif isinstance(parent.turn, Roll):
                parent.expect_roll()
            node = parent

    def _roll(self, node: _Node, roll: Roll) -> _Node:
        """A new outcome while there are few for so many visits; otherwise the one that is visited too little."""
        outcomes = node.children
        if len(outcomes) ** 2 >= node.visits:
            return min(outcomes.values(), key=lambda outcome: outcome.visits / outcome.drawn)
        state = self._ruleset.apply_roll(
            node.state, self._dice.find(roll, sum(each.drawn for each in outcomes.values()))
        )
        if state not in outcomes:
            outcomes[state] = _Node(state)
        outcomes[state].drawn += 1
        return outcomes[state]

    def _choose(self, node: _Node, seat: int) -> _Node:
        """The most promising child.

        A child that was never tried is expected to keep what it promises as much as those that were.
        """
        if not node.children:
            node.children = self._list_moves(node.state, seat, MOST)
        seat -= 1
        tried = node.visits - 1
        drift = (node.rewards[seat] - node.own[seat] - node.promised) / tried if tried else 0.0
        spread = EXPLORATION * sqrt(node.visits)
        best, most = node, -float("inf")
        for rank, child in enumerate(node.children.values(), 1):
            visits = child.visits
            if visits:
                promise = (child.rewards[seat] / visits + child.expected[seat]) / 2 + spread / (rank * (1 + visits))
            else:
                promise = child.guess + drift + spread / rank
            if promise > most:
                best, most = child, promise
        node.promised += best.guess
        return best

    def _list_moves(self, state: State, seat: int, most: int) -> dict[Move, _Node]:
        """The moves, or a sample of them, with the nodes they lead to; the best guess first."""
        ruleset = self._ruleset
        moves = list(islice(ruleset.legal_moves(state), most + 1))
        if len(moves) > most:
            moves = [ruleset.sample_move(state, self._randbelow) for _ in range(most)]
        if self._is_blind:
            _shuffle(moves, self._randbelow)
        states = {move: ruleset.apply_move(state, move) for move in moves}
        values = {move: self._evaluate(after, ruleset.turn(after), seat) for move, after in states.items()}
        best_first = sorted(values, key=values.__getitem__, reverse=True)
        return {move: _Node(states[move], self._reward(values[move], seat)) for move in best_first}

    def _judge(self, state: State, turn: Turn) -> list[float]:
        """The reward of each seat for a position, by `evaluate` or by random play."""
        if self._is_blind:
            return _reward_ranks(self._play_randomly(state, turn))
        return [self._reward(self._evaluate(state, turn, seat), seat) for seat in self._seats]

    def _evaluate(self, state: State, turn: Turn, seat: int) -> int:
        """The value of a state, even if `evaluate` does not know who has won."""
        return evaluate_over(turn, seat) if isinstance(turn, Over) else self._ruleset.evaluate(state, seat)

    def _reward(self, value: int, seat: int) -> float:
        """How much better off the seat is than at the root, from -1 to 1."""
        gain = value - self._values[seat - 1]
        return gain / (self._half + abs(gain))

    def _play_randomly(self, state: State, turn: Turn) -> tuple[int, ...]:
        """The ranks after random play to the end, or by the standing if that is far."""
        for _ in range(LONGEST):
            if isinstance(turn, Over):
                return turn.ranks
            state = self._step(state, turn)
            turn = self._ruleset.turn(state)
        return self._ruleset.standing(state)

    def _measure_step(self, state: State, seat: int) -> float:
        """The average change of the seat's value from one random move or roll to the next.

        It is 0 only if `evaluate` seems to change with the end of the match alone.
        """
        changes = [0]
        for _ in range(WALKS):
            changes += self._walk(state, seat)
            if any(changes):
                break
        return sum(changes) / len(changes)

    def _walk(self, state: State, seat: int) -> Iterator[int]:
        """The changes of the seat's value in random play, except to that of an ended match."""
        value = self._values[seat - 1]
        for _ in range(STEPS):
            turn = self._ruleset.turn(state)
            if isinstance(turn, Over):
                break
            state = self._step(state, turn)
            before, value = value, self._ruleset.evaluate(state, seat)
            if abs(value) < DECIDED:
                yield abs(value - before)

    def _step(self, state: State, turn: Decision | Roll) -> State:
        """The state after a random move or roll."""
        if isinstance(turn, Roll):
            return self._ruleset.apply_roll(state, self._dice.draw(turn))
        return self._ruleset.apply_move(state, self._ruleset.sample_move(state, self._randbelow))


class _Dice:
    """The outcomes that dice show in a search."""

    def __init__(self, randbelow: RandBelow) -> None:
        self._randbelow = randbelow
        self._shown: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        """By sides and count of the dice."""

    def find(self, roll: Roll, number: int) -> tuple[int, ...]:
        """The outcome with this number, counted from 0: the same for all rolls of equal dice."""
        shown = self._shown.setdefault((roll.sides, roll.count), [])
        while len(shown) <= number:
            shown += self._draw_all(roll) if roll.sides**roll.count <= FEW else [self.draw(roll)]
        return shown[number]

    def draw(self, roll: Roll) -> tuple[int, ...]:
        """An outcome of its own."""
        return tuple(1 + self._randbelow(roll.sides) for _ in range(roll.count))

    def _draw_all(self, roll: Roll) -> list[tuple[int, ...]]:
        """All outcomes in random order."""
        outcomes = list(product(range(1, roll.sides + 1), repeat=roll.count))
        _shuffle(outcomes, self._randbelow)
        return outcomes


def _shuffle(values: list[Any], randbelow: RandBelow) -> None:
    """Bring the values into random order (Fisher and Yates)."""
    for last in range(len(values) - 1, 0, -1):
        other = randbelow(last + 1)
        values[last], values[other] = values[other], values[last]


def _count_candidates(moves: int, playouts: int) -> int:
    """How many of the moves take part: as many as get LEAST_EACH playouts each in the first round, or two."""
    enough = (count for count in range(moves, 2, -1) if count * LEAST_EACH * _count_rounds(count) <= playouts)
    return next(enough, min(moves, max(1, playouts // 2), 2))


def _count_rounds(moves: int) -> int:
    """How often half of the moves drop out until one is left."""
    return (moves - 1).bit_length()


def _reward_ranks(ranks: tuple[int, ...]) -> list[float]:
    """For each seat the share of the others that it is ahead of, less the share that is ahead of it."""
    others = max(1, len(ranks) - 1)
    return [(sum(rank > mine for rank in ranks) - sum(rank < mine for rank in ranks)) / others for mine in ranks]
