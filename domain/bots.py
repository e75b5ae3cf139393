"""Players made of code: each chooses a legal move of any ruleset, always the same ones for the same seed."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from itertools import islice
from random import Random
from typing import TypeVar

from domain.errors import WrongValue
from domain.ruleset import Decision, Ruleset

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

MOST_MOVES = 500
"""How many moves the greedy bot looks at."""


class Bot(ABC):
    """A player without memory, but for what its generator has drawn."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 (a bot shall be repeatable, not unpredictable)

    @abstractmethod
    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """A legal move of a state that waits for a decision."""


class RandomBot(Bot):
    """Plays what the ruleset samples."""

    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """A sampled move."""
        return ruleset.sample_move(state, self._random.randrange)


class GreedyBot(Bot):
    """Plays the move after which the ruleset values the state highest for it, looking no further."""

    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """The best of all moves, or of a sample where there are more than MOST_MOVES; ties are drawn."""
        turn = ruleset.turn(state)
        assert isinstance(turn, Decision)
        moves = list(islice(ruleset.legal_moves(state), MOST_MOVES + 1))
        if len(moves) > MOST_MOVES:
            moves = [ruleset.sample_move(state, self._random.randrange) for _ in range(MOST_MOVES)]
        values = [ruleset.evaluate(ruleset.apply_move(state, move), turn.seat) for move in moves]
        best = max(values)
        return self._random.choice([move for move, value in zip(moves, values, strict=True) if value == best])


BOTS: dict[str, type[Bot]] = {"random": RandomBot, "greedy": GreedyBot}
"""All bots by name."""


def make_bot(name: str, seed: int) -> Bot:
    """A fresh bot; WrongValue `bot/unknown` when none has that name."""
    if name not in BOTS:
        raise WrongValue("bot/unknown", f"unknown bot {name!r}: there are {', '.join(BOTS)}", known=list(BOTS))
    return BOTS[name](seed)
