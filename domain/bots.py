"""The built-in bots: each chooses a legal move in any ruleset, and the same seed always gives the same moves."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from itertools import islice
from random import Random
from typing import ClassVar, TypeVar

from plyscribe.domain import mcts, mcts_v1
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.layouts import BUILDS, NEWEST
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

    version = 2
    default_playouts = PLAYOUTS

    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """The move that is left when the search has compared the most promising ones."""
        assert self._playouts is not None
        return mcts.search(ruleset, state, self._playouts, self._random.randrange)


class MctsBotV1(Bot):
    """The bot `mcts` up to 0.3: it plays on in matches that were begun with it."""

    default_playouts = PLAYOUTS

    def choose_move(self, ruleset: Ruleset[State, Move], state: State) -> Move:
        """The move that the search tried most often."""
        assert self._playouts is not None
        return mcts_v1.search(ruleset, state, self._playouts, self._random.randrange)


BOTS: dict[str, type[Bot]] = {"random": RandomBot, "greedy": GreedyBot, "mcts": MctsBot}
"""All bots by name, in their current version."""

_VERSIONS: dict[tuple[str, int], type[Bot]] = {
    ("mcts", 1): MctsBotV1,
    **{(name, bot.version): bot for name, bot in BOTS.items()},
}
"""Every version that was ever released, so that everyone can compute again what it played."""


def make_bot(name: str, seed: int | str, playouts: int | None = None) -> Bot:
    """A new bot; WrongValue `bot/unknown` when no bot has this name."""
    return find_bot(name)(seed, playouts)


def find_bot(name: str) -> type[Bot]:
    """The bot of this name; WrongValue `bot/unknown` when there is none."""
    if name not in BOTS:
        raise WrongValue("bot/unknown", f"unknown bot {name!r}; the bots are {', '.join(BOTS)}", known=list(BOTS))
    return BOTS[name]


def build_bot(name: str, seed: int | None, playouts: int | None = None, layout: int = NEWEST) -> BuiltIn:
    """The newest build that a store's data of this layout may have, without a seed if that is to be secret.

    WrongValue as in require_build.
    """
    newest = find_bot(name).version
    version = max(version for version in range(1, newest + 1) if BUILDS.get((name, version), 1) <= layout)
    bot = _VERSIONS[name, version]
    build = BuiltIn(name, bot.version, seed, bot.default_playouts if playouts is None else playouts)
    require_build(build)
    return build


def require_build(build: BuiltIn) -> None:
    """WrongValue unless this release or an earlier one can have made this build."""
    bot = _find_version(build)
    if bot.default_playouts is None and build.playouts is not None:
        raise WrongValue("bot/playouts", f"{build.bot} takes no playouts")
    if bot.default_playouts is not None and not 1 <= (build.playouts or 0) <= MAX_PLAYOUTS:
        raise WrongValue("bot/playouts", f"{build.bot} takes 1 to {MAX_PLAYOUTS} playouts for each decision")


def choose_move(build: BuiltIn, ruleset: Ruleset[State, Move], state: State, seat: int, ply: int) -> Move:
    """The build's move, the same for the same arguments; WrongValue when there is no such version of the bot.

    ValueError for a build whose seed is still secret.
    """
    if build.seed is None:
        raise ValueError(f"the seed of {build.bot} is secret: open it first")
    bot = _find_version(build)(f"{build.seed} {seat} {ply}", build.playouts)
    return bot.choose_move(ruleset, state)


def _find_version(build: BuiltIn) -> type[Bot]:
    newest = find_bot(build.bot).version
    if (build.bot, build.version) not in _VERSIONS:
        raise WrongValue("bot/version", f"{build.bot} has the versions 1 to {newest}, not {build.version}")
    return _VERSIONS[build.bot, build.version]
