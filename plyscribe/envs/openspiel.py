"""Any ruleset as a game of OpenSpiel, in Python.

    import random
    from plyscribe.envs import openspiel

    game = openspiel.load("rings", seats=3)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes())
            state.apply_action(random.choices(outcomes, odds)[0])
        else:
            state.apply_action(random.choice(state.legal_actions()))
    print(state.returns())

The game is registered as `plyscribe`, so what OpenSpiel wrote of a game or a state can be read again where this module
was imported. Players count from 0 there: player p has seat p + 1.
"""

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        "plyscribe.envs.openspiel needs OpenSpiel: install it with pip install 'plyscribe[openspiel]'"
    ) from error

from plyscribe.domain.chain import canonical_json, parse_json
from plyscribe.domain.ruleset import Decision, Over, Roll, Turn
from plyscribe.envs.stepping import Position, Table

EXPLICIT = "explicit"
SAMPLED = "sampled"
MOST_SIDES = 1_000
"""Dice with more sides are only sampled."""

MOST_PLIES = 1_000_000
"""The longest match that OpenSpiel is told of, if no option `ply_limit` says more."""

DICE_A_PLY = 16
"""What four seats of Rings roll for a round, in which each of them moves."""

_WITHOUT = {"ruleset": "", "seats": 2, "options": "", "version": 0, "chance": "", "seed": 0}


def load(
    ruleset_id: str,
    seats: int = 2,
    options: Mapping[str, Any] | None = None,
    version: int | None = None,
    chance: str | None = None,
    seed: int = 0,
) -> Any:
    """The game as a `pyspiel.Game`.

    `chance="explicit"`, the default for dice of at most 1,000 sides, makes each die a chance node of its own, with all
    outcomes and their probabilities. `chance="sampled"` makes each roll one chance node, of the mode
    SAMPLED_STOCHASTIC: its only action, 0, draws all dice from a generator of the game that starts with `seed`.
    OpenSpiel cannot write a Python game of this mode and its states to one string. UnknownRuleset or OptionError, if
    there is no such game or it cannot be played so; ValueError if the dice have too many sides to list.
    """
    table = Table(ruleset_id, seats, options, version)
    if chance not in (None, EXPLICIT, SAMPLED):
        raise ValueError(f"unknown chance mode {chance!r}: choose {EXPLICIT}, {SAMPLED} or None")
    can_list = (table.most_sides or 0) <= MOST_SIDES
    if chance == EXPLICIT and not can_list:
        raise ValueError(_say_too_many(table))
    params = {
        "ruleset": ruleset_id,
        "seats": seats,
        "options": quote(canonical_json(table.options).decode(), safe=""),
        "version": table.rules.version,
        "chance": chance or (EXPLICIT if can_list else SAMPLED),
        "seed": seed,
    }
    return PlyscribeGame(params)


def _make_type(table: Table | None, chance: str) -> Any:
    modes = pyspiel.GameType.ChanceMode
    if table is None or not table.has_chance:
        mode = modes.DETERMINISTIC
    else:
        mode = modes.EXPLICIT_STOCHASTIC if chance == EXPLICIT else modes.SAMPLED_STOCHASTIC
    return pyspiel.GameType(
        short_name="plyscribe",
        long_name="Plyscribe" if table is None else table.rules.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=mode,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=12 if table is None else table.rules.max_seats,
        min_num_players=1 if table is None else table.rules.min_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        default_loadable=False,
        parameter_specification=_WITHOUT,
    )


class PlyscribeGame(pyspiel.Game):  # type: ignore[misc]
    """A ruleset with its options and seats. Make it with `load`, or read it with `pyspiel.load_game`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**_WITHOUT, **(params or {})}
        chance = given["chance"] or EXPLICIT
        self.walk_key: Key = (given["ruleset"], given["seats"], given["options"], given["version"], chance)
        table = _lay_table(self.walk_key)
        plies = table.options.get("ply_limit") or MOST_PLIES
        info = pyspiel.GameInfo(
            num_distinct_actions=table.actions.size,
            max_chance_outcomes=_count_outcomes(table, chance),
            num_players=table.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=plies * table.actions.longest,
        )
        super().__init__(_make_type(table, chance), info, given)
        self.table = table
        self._random = Random(given["seed"])  # noqa: S311 (the rolls of a game shall be repeatable)

    def draw_dice(self, roll: Roll) -> list[int]:
        """The dice of the next roll of a sampled game."""
        return [1 + self._random.randrange(roll.sides) for _ in range(roll.count)]

    def new_initial_state(self) -> "PlyscribeState":
        """The state before the first move or roll."""
        return PlyscribeState(self)

    def max_chance_nodes_in_history(self) -> int:
        """A generous guess: no number is certain, since dice are rolled again after some ties."""
        return DICE_A_PLY * self.max_game_length() if self.table.has_chance else 0

    def observation_tensor_shape(self) -> list[int]:
        """The shape of the planes."""
        return list(self.table.observer.shape)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "PlyscribeObserver":
        """An observer that writes the planes of docs/environments.md."""
        if params:
            raise ValueError(f"observers of Plyscribe take no parameters, but got {params}")
        return PlyscribeObserver(self.table)


def _count_outcomes(table: Table, chance: str) -> int:
    if not table.has_chance:
        return 0
    if chance == SAMPLED:
        return 1
    return MOST_SIDES if table.most_sides is None else table.most_sides


def _say_too_many(table: Table) -> str:
    return f"a die of {table.rules.title} has more than {MOST_SIDES} sides: load the game with chance={SAMPLED!r}"


class PlyscribeState(pyspiel.State):  # type: ignore[misc]
    """A position."""

    def __init__(self, game: PlyscribeGame) -> None:
        super().__init__(game)
        # OpenSpiel copies a state by deepcopy of its attributes, and writes it by pickle: this is the only one.
        self._walk = _Walk(game.walk_key, game.table, game.table.start())

    @property
    def position(self) -> Position:
        """Where the match stands."""
        return self._walk.position

    @property
    def _turn(self) -> Turn:
        return self._walk.table.turn(self._walk.position)

    def current_player(self) -> int:
        """The player who decides, or PlayerId.CHANCE or PlayerId.TERMINAL."""
        match self._turn:
            case Decision(seat):
                return seat - 1
            case Roll():
                return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return self._walk.table.list_ids(self.position) if player == self.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The faces of the next die, from 0; in a sampled game 0 alone, which rolls all due dice."""
        turn = self._turn
        if not isinstance(turn, Roll):
            raise ValueError("no roll is due: ask for chance outcomes at chance nodes only")
        if self._walk.is_explicit:
            if turn.sides > MOST_SIDES:
                raise ValueError(_say_too_many(self._walk.table))
            return [(face, 1 / turn.sides) for face in range(turn.sides)]
        return [(0, 1.0)]

    def _apply_action(self, action: int) -> None:
        turn = self._turn
        if isinstance(turn, Roll):
            dice = [action + 1] if self._walk.is_explicit else self.get_game().draw_dice(turn)
            self._walk = self._walk.roll(dice)
        else:
            self._walk = self._walk.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player >= 0:
            return self._walk.table.actions.describe(action)
        return f"die {action + 1}" if self._walk.is_explicit else "roll"

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return isinstance(self._turn, Over)

    def returns(self) -> list[float]:
        """From the ranks, as docs/environments.md says; all 0 before the end."""
        return self._walk.table.returns(self.position)

    def information_state_string(self, player: int | None = None) -> str:
        """The actions and dice so far: nothing is hidden."""
        return self.history_str()  # type: ignore[no-any-return]

    def observation_string(self, player: int | None = None) -> str:
        """The view as canonical JSON, then the ids that were chosen for a move and the dice that fell for a roll."""
        position = self.position
        shown = [self._walk.table.rules.view(position.state), list(position.path), list(position.dice)]
        return canonical_json(shown).decode()

    def __str__(self) -> str:
        """The board as text."""
        return self._walk.table.rules.render_text(self.position.state)


Key = tuple[str, int, str, int, str]
"""Ruleset, seats, options as in the parameters of the game, version and chance mode."""


Step = int | list[int]
"""An action of a seat, or dice."""


class _Walk:
    """A position, and the steps that led to it. Nothing changes it, so its copy is itself; written are the steps."""

    __slots__ = ("before", "key", "position", "step", "table")

    def __init__(
        self, key: Key, table: Table, position: Position, before: "_Walk | None" = None, step: Step = 0
    ) -> None:
        self.key, self.table, self.position, self.before, self.step = key, table, position, before, step

    @property
    def is_explicit(self) -> bool:
        return self.key[-1] == EXPLICIT

    def act(self, action: int) -> "_Walk":
        """The walk after a decision."""
        return _Walk(self.key, self.table, self.table.act(self.position, action), self, action)

    def roll(self, dice: list[int]) -> "_Walk":
        """The walk after these dice."""
        position = self.position
        for value in dice:
            position = self.table.roll_die(position, value)
        return _Walk(self.key, self.table, position, self, dice)

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Walk":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        steps, walk = [], self
        while walk.before is not None:
            steps.append(walk.step)
            walk = walk.before
        return _walk_again, (self.key, steps[::-1])


def _walk_again(key: Key, steps: list[Step]) -> _Walk:
    table = _lay_table(key)
    walk = _Walk(key, table, table.start())
    for step in steps:
        walk = walk.act(step) if isinstance(step, int) else walk.roll(step)
    return walk


@lru_cache(16)
def _lay_table(key: Key) -> Table:
    ruleset, seats, options, version, _ = key
    return Table(ruleset, seats, parse_json(unquote(options).encode()) if options else {}, version or None)


class PlyscribeObserver:
    """What a player sees, as a flat tensor and, under `planes`, in its shape."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.tensor = np.zeros(int(np.prod(table.observer.shape)), np.float32)
        self.dict = {"planes": self.tensor.reshape(table.observer.shape)}

    def set_from(self, state: PlyscribeState, player: int) -> None:
        """Write what the player sees."""
        self.dict["planes"][:] = self._table.observe(state.position, player + 1)

    def string_from(self, state: PlyscribeState, player: int) -> str:
        """What the player sees, as text."""
        return state.observation_string(player)


pyspiel.register_game(_make_type(None, EXPLICIT), PlyscribeGame)
