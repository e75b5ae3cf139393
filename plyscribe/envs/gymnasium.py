"""Any ruleset as an environment of Gymnasium: one seat learns, bots or functions have the others.

from plyscribe.envs import gymnasium

env = gymnasium.env("pathagon", options={"size": 5}, seat=1, opponents="greedy")
observation, info = env.reset(seed=7)
over = False
while not over:
    action = env.action_space.sample(info["action_mask"])
    observation, reward, over, truncated, info = env.step(action)
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise ImportError(
        "plyscribe.envs.gymnasium needs Gymnasium: install it with pip install 'plyscribe[gymnasium]'"
    ) from error

from plyscribe.domain.bots import Bot, build_bot, make_bot
from plyscribe.domain.errors import NotInPlay, WrongValue
from plyscribe.domain.ruleset import Decision, Over
from plyscribe.envs.spaces.planes import Array
from plyscribe.envs.stepping import IllegalAction, Mask, Position, Table

Chooser = Callable[[Array, Mask], int]
"""A function from what a seat sees and its mask to a legal id."""

Opponent = str | Bot | Chooser
"""The name of a built-in bot, as `greedy`, or `mcts:50` for other playouts than its own; a bot; or a function."""

RENDER_MODES = ("human", "ansi")
SEEDS = 2**53


class SeatEnv(gymnasium.Env[Array, int]):
    """One seat of a match. `reset` and `step` return when this seat is to act or the match is over.

    `info` has `action_mask`, `seat` and, once the match is over, its `reason` and `ranks`. The reward is 0 until then.
    An illegal action ends the match with a reward of -1 and a sentence in `info["illegal"]`.
    """

    metadata = {"render_modes": [*RENDER_MODES], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        ruleset_id: str,
        seats: int = 2,
        options: Mapping[str, Any] | None = None,
        *,
        seat: int | None = 1,
        opponents: Opponent | Mapping[int, Opponent] = "random",
        version: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """UnknownRuleset, OptionError, NotInPlay or WrongValue, if the game, the seat or a bot does not exist.

        With `seat=None` each match draws a seat. `opponents` is one for all other seats, or one for each seat.
        """
        self.table = Table(ruleset_id, seats, options, version)
        if seat is not None and not 1 <= seat <= seats:
            raise NotInPlay(seat)
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"unknown render mode {render_mode!r}: choose one of {', '.join(RENDER_MODES)} or None")
        self.render_mode = render_mode
        self._seat = seat
        self._opponents = _seat_opponents(opponents, seat, seats)
        observer = self.table.observer
        self.observation_space = spaces.Box(observer.low, observer.high, observer.shape, np.float32)
        self.action_space = spaces.Discrete(self.table.actions.size)  # type: ignore[assignment]
        self.position: Position = self.table.start()
        self.seat = seat or 1
        """The seat of the learner in this match."""
        self._others: dict[int, Bot | Chooser] = {}
        self._random = Random(0)  # noqa: S311 (the dice of an environment shall be repeatable)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new match, up to the learner's first decision.

        The same seed gives the same seat, dice and bots' moves; without one, they go on as they would.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._random = Random(seed)  # noqa: S311
        self.seat = self._seat or 1 + self._random.randrange(self.table.seats)
        self._others = {
            seat: _open(opponent, self._random.randrange(SEEDS)) for seat, opponent in self._opponents.items()
        }
        self.position = self._let_others_play(self.table.start())
        return self._observe(), self._describe()

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Choose an id, then let the dice roll and the others play until the learner decides or the match is over."""
        if not self._others or isinstance(self.table.turn(self.position), Over):
            raise IllegalAction("no match is under way: reset the environment")
        try:
            after = self.table.act(self.position, int(action))
        except IllegalAction as error:
            return self._forfeit(str(error))
        self.position = self._let_others_play(after)
        if self.render_mode == "human":
            self.render()
        over = isinstance(self.table.turn(self.position), Over)
        reward = self.table.returns(self.position)[self.seat - 1]
        return self._observe(), reward, over, False, self._describe()

    def action_masks(self) -> Mask:
        """The mask of the learner's decision, under the name by which sb3-contrib asks for it."""
        return self.table.mask(self.position)

    def render(self) -> str | None:
        """The board as text: printed in the mode `human`, returned in the mode `ansi`; ValueError without a mode."""
        if self.render_mode is None:
            raise ValueError("the environment has no render mode: make it with render_mode='ansi' or 'human'")
        text = self.table.rules.render_text(self.position.state)
        if self.render_mode == "ansi":
            return text
        print(text)  # noqa: T201 (what the mode asks for)
        return None

    def _let_others_play(self, position: Position) -> Position:
        table = self.table
        while True:
            position = table.roll(position, self._random)
            turn = table.turn(position)
            if not isinstance(turn, Decision) or turn.seat == self.seat:
                return position
            other = self._others[turn.seat]
            if isinstance(other, Bot):
                position = table.play(position, other.choose_move(table.rules, position.state))
            else:
                position = table.act(position, other(table.observe(position, turn.seat), table.mask(position)))

    def _forfeit(self, why: str) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        ranks = tuple(2 if seat == self.seat else 1 for seat in range(1, self.table.seats + 1))
        over = self.table.rules.end(self.position.state, Over("withdrawal", ranks))
        observed = self._observe()
        self.position = Position(over)
        return observed, -1.0, True, False, {**self._describe(), "illegal": why}

    def _observe(self) -> Array:
        return self.table.observe(self.position, self.seat)

    def _describe(self) -> dict[str, Any]:
        turn = self.table.turn(self.position)
        info: dict[str, Any] = {"action_mask": self.table.mask(self.position), "seat": self.seat}
        return {**info, "reason": turn.reason, "ranks": turn.ranks} if isinstance(turn, Over) else info


env = SeatEnv
"""`env(ruleset_id, seats=2, options=None, *, seat=1, opponents="random")` makes the environment."""

ENV_ID = "plyscribe/Seat-v0"
"""What `gymnasium.make` and `gymnasium.make_vec` call it, once this module is imported."""

gymnasium.register(ENV_ID, entry_point="plyscribe.envs.gymnasium:SeatEnv")


def _seat_opponents(given: Opponent | Mapping[int, Opponent], seat: int | None, seats: int) -> dict[int, Opponent]:
    """The opponent of each seat that the learner may leave to one."""
    theirs = [other for other in range(1, seats + 1) if other != seat]
    if not isinstance(given, Mapping):
        given = dict.fromkeys(theirs, given)
    missing = [other for other in theirs if other not in given]
    if missing:
        raise ValueError(f"no opponent has seat {missing[0]}: name one for each of the seats {theirs}")
    for opponent in given.values():
        if isinstance(opponent, str):
            build_bot(opponent.partition(":")[0], None, _read_playouts(opponent))
        elif not isinstance(opponent, Bot) and not callable(opponent):
            raise TypeError(f"an opponent is the name of a bot, a bot or a function, not {opponent!r}")
    return {other: given[other] for other in theirs}


def _open(opponent: Opponent, seed: int) -> Bot | Chooser:
    """A named bot with this seed; anything else as it is."""
    if not isinstance(opponent, str):
        return opponent
    return make_bot(opponent.partition(":")[0], seed, _read_playouts(opponent))


def _read_playouts(opponent: str) -> int | None:
    """The number behind the colon; WrongValue if it is none."""
    _, colon, playouts = opponent.partition(":")
    if colon and not playouts.isdecimal():
        raise WrongValue("bot/playouts", f"{opponent!r} has no number of playouts behind the colon: write mcts:50")
    return int(playouts) if colon else None
