"""The built-in bots: each chooses a legal move in any ruleset, and the same seed always gives the same moves."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from itertools import islice
from random import Random
from typing import ClassVar, TypeVar

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.mcts import search
from plyscribe.domain.ruleset import Decision, Ruleset

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

MOST_MOVES = 500
"""The greedy bot looks at no more moves than this."""

PLAYOUTS = 200
MAX_PLAYOUTS = 10_000


class Bot(ABC):
    """A player whose only state is its random generator."""

    version: ClassVar[int] = 1
    """Goes up when a released bot's play changes."""

    default_playouts: ClassVar[int | None] = None
    """Playouts for each decision unless the build says otherwise; None for a bot without playouts."""

    def __init__(self, seed: int | str, playouts: int | None = None) -> None:
        self._random = Random(seed)  # noqa: S311 (a bot shall be repeatable, not unpredictable)
        self._playouts = playouts or self.default_playouts

    @abstractmethod
    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """A legal move in a state that waits for a decision."""


class RandomBot(Bot):
    """Plays a random move."""

    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """A move that the ruleset samples."""
        return ruleset.sample_move(state, self._random.randrange)


class GreedyBot(Bot):
    """Plays the move after which the ruleset values the state highest for its seat. It looks one move ahead."""

    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """The best move, or the best of a sample if there are more than MOST_MOVES; ties are broken at random."""
        turn = ruleset.turn(state)
        assert isinstance(turn, Decision)
        moves = list(islice(ruleset.legal_moves(state), MOST_MOVES + 1))
        if len(moves) > MOST_MOVES:
            moves = [ruleset.sample_move(state, self._random.randrange) for _ in range(MOST_MOVES)]
        values = [ruleset.evaluate(ruleset.apply_move(state, move), turn.seat) for move in moves]
        best = max(values)
        return self._random.choice([move for move, value in zip(moves, values, strict=True) if value == best])


class MctsBot(Bot):
    """Searches the tree of possible moves; each playout adds one position."""

    default_playouts = PLAYOUTS

    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """The move that the search tried most often."""
        assert self._playouts is not None
        return search(ruleset, state, self._playouts, self._random.randrange)


BOTS: dict[str, type[Bot]] = {"random": RandomBot, "greedy": GreedyBot, "mcts": MctsBot}
"""All bots by name."""


def make_bot(name: str, seed: int | str, playouts: int | None = None) -> Bot:
    """A new bot; WrongValue `bot/unknown` when no bot has this name."""
    return find_bot(name)(seed, playouts)


def find_bot(name: str) -> type[Bot]:
    """The bot of this name; WrongValue `bot/unknown` when there is none."""
    if name not in BOTS:
        raise WrongValue("bot/unknown", f"unknown bot {name!r}; the bots are {', '.join(BOTS)}", known=list(BOTS))
    return BOTS[name]


def build_bot(name: str, seed: int | None, playouts: int | None = None) -> BuiltIn:
    """A bot as this release builds it, without a seed if that is to be secret; WrongValue as in require_build."""
    bot = find_bot(name)
    build = BuiltIn(name, bot.version, seed, bot.default_playouts if playouts is None else playouts)
    require_build(build)
    return build


def require_build(build: BuiltIn) -> None:
    """WrongValue unless this release or an earlier one can have made this build."""
    bot = find_bot(build.bot)
    if not 1 <= build.version <= bot.version:
        raise WrongValue("bot/version", f"{build.bot} has versions 1..{bot.version}, not {build.version}")
    if bot.default_playouts is None and build.playouts is not None:
        raise WrongValue("bot/playouts", f"{build.bot} takes no playouts")
    if bot.default_playouts is not None and not 1 <= (build.playouts or 0) <= MAX_PLAYOUTS:
        raise WrongValue("bot/playouts", f"{build.bot} takes 1 to {MAX_PLAYOUTS} playouts for each decision")


def choose_move(build: BuiltIn, ruleset: Ruleset[State, Move], state: State, seat: int, ply: int) -> Move:
    """The build's move, the same for the same arguments; WrongValue when this release has another version of it.

    ValueError for a build whose seed is still secret.
    """
    if build.seed is None:
        raise ValueError(f"the seed of {build.bot} is secret: open it first")
    if build.version != find_bot(build.bot).version:
        raise WrongValue("bot/version", f"{build.bot} version {build.version} is not in this release")
    return make_bot(build.bot, f"{build.seed} {seat} {ply}", build.playouts).choose_move(ruleset, state)
