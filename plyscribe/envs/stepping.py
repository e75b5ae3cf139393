"""A match in steps for programs that learn: an action or a die at a time.

`Table` has what stays the same in all matches of an environment, and pure functions on positions.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from plyscribe.domain.errors import UnknownRuleset
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll, Turn, require_seats
from plyscribe.domain.rulesets import RULESETS, find_ruleset
from plyscribe.envs.spaces import find_spaces
from plyscribe.envs.spaces.action_ids import Actions, Path, shorten
from plyscribe.envs.spaces.planes import Array, Observer, Scene

Mask = npt.NDArray[np.int8]

MOST_NAMED = 20
"""How many ids a message lists."""


class IllegalAction(ValueError):
    """The id leads to no legal move here."""


@dataclass(frozen=True, slots=True)
class Position:
    """A state, the ids chosen so far for a move, and the dice of the due roll that have fallen so far."""

    state: Any
    path: Path = ()
    dice: tuple[int, ...] = ()
    ids: list[int] = field(default_factory=list, compare=False, repr=False)
    """The legal ids, listed when they are first asked for; nobody may change them."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        """The position itself, which never changes."""
        return self


class Table:
    """A ruleset with its options, seats, action ids and observations."""

    def __init__(
        self,
        ruleset_id: str,
        seats: int = 2,
        options: Mapping[str, Any] | None = None,
        version: int | None = None,
    ) -> None:
        """UnknownRuleset or OptionError, if there is no such game, or it cannot be played so."""
        self.rules: AnyRuleset = find_rules(ruleset_id, version)
        require_seats(self.rules, seats)
        self.seats = seats
        self.options = self.rules.parse_options(dict(options or {}))
        self._first = Position(self.rules.initial_state(self.options, seats))
        spaces = find_spaces(self.rules)
        self.actions: Actions = spaces.actions(self.options, seats)
        self.observer: Observer = spaces.observer(self.options, seats)
        self.has_chance = self.rules.has_chance(self.options)
        self.most_sides = spaces.most_sides

    def __deepcopy__(self, memo: dict[int, Any]) -> "Table":
        """The table itself, which never changes."""
        return self

    # ---- positions

    def start(self) -> Position:
        """The position before the first move or roll."""
        return self._first

    def turn(self, position: Position) -> Turn:
        """What the position waits for."""
        return self.rules.turn(position.state)

    def list_ids(self, position: Position) -> list[int]:
        """The legal ids, ascending; empty unless a seat decides. Do not change the list."""
        if not position.ids:
            position.ids.extend(self.actions.list_ids(self.rules, position.state, position.path))
        return position.ids

    def mask(self, position: Position) -> Mask:
        """1 for each legal id, 0 for all others."""
        mask = np.zeros(self.actions.size, np.int8)
        mask[self.list_ids(position)] = 1
        return mask

    def act(self, position: Position, id: int) -> Position:
        """The position after this id was chosen; IllegalAction unless it is legal."""
        ids = self.list_ids(position)
        if id not in ids:
            raise IllegalAction(self._explain(position, id, ids))
        path = (*position.path, int(id))
        move = self.actions.find_move(self.rules, position.state, path)
        if move is None:
            return Position(position.state, path)
        return Position(self.rules.apply_move(position.state, move))

    def play(self, position: Position, move: Any) -> Position:
        """The position after a whole legal move; no id may have been chosen for another."""
        assert not position.path, "a move is under way"
        return Position(self.rules.apply_move(position.state, move))

    def roll_die(self, position: Position, value: int) -> Position:
        """The position after the next die of the due roll showed `value`; RollError if it cannot."""
        turn, dice = self.turn(position), (*position.dice, value)
        if isinstance(turn, Roll) and len(dice) < turn.count and 1 <= value <= turn.sides:
            return Position(position.state, (), dice)
        return Position(self.rules.apply_roll(position.state, dice))

    def roll(self, position: Position, random: Random) -> Position:
        """The position after all due dice were drawn, until a seat decides or the match is over."""
        while isinstance(turn := self.turn(position), Roll):
            position = self.roll_die(position, 1 + random.randrange(turn.sides))
        return position

    # ---- what seats see and get

    def observe(self, position: Position, seat: int) -> Array:
        """What the seat sees: an array of the observer's shape."""
        view = self.rules.view(position.state)
        return self.observer.observe(Scene(view, self.turn(position), position.path, seat, self.seats))

    def returns(self, position: Position) -> list[float]:
        """The return of each seat, seat 1 first; all 0 until the match is over."""
        turn = self.turn(position)
        return score_ranks(turn.ranks) if isinstance(turn, Over) else [0.0] * self.seats

    def format_ids(self, path: Sequence[int]) -> str:
        """Ids in words, for logs."""
        return " ".join(self.actions.describe(id) for id in path)

    def find_ids(self, position: Position, notation: str) -> Path:
        """The ids of the move with this notation; BadNotation or IllegalMove if it is not legal."""
        move = self.rules.parse_move(position.state, notation)
        return self.actions.find_path(self.rules, position.state, move)

    def _explain(self, position: Position, id: int, ids: list[int]) -> str:
        what = self.actions.describe(id) if 0 <= id < self.actions.size else "no action"
        turn = self.turn(position)
        if not isinstance(turn, Decision):
            return f"action {id} ({what}): nobody is to move; reset the environment or let the dice roll"
        some = shorten(ids[:MOST_NAMED]) + (" …" if len(ids) > MOST_NAMED else "")
        return f"action {id} ({what}) is not legal for seat {turn.seat}: choose one that the mask allows, as {some}"


def score_ranks(ranks: Sequence[int]) -> list[float]:
    """What each seat gets: the seats that it is better than, less those that are better, of all others.

    From -1 (last alone) to 1 (first alone); the sum is always 0, and ties get the same.

    >>> score_ranks((1, 2)), score_ranks((1, 1)), score_ranks((1, 3, 1, 4))
    ([1.0, -1.0], [0.0, 0.0], [0.6666666666666666, -0.3333333333333333, 0.6666666666666666, -1.0])
    """
    others = max(1, len(ranks) - 1)
    return [(sum(rank > mine for rank in ranks) - sum(rank < mine for rank in ranks)) / others for mine in ranks]


def find_rules(ruleset_id: str, version: int | None = None) -> AnyRuleset:
    """The ruleset, also one from outside that PLYSCRIBE_RULESETS names; UnknownRuleset if there is none."""
    try:
        return find_ruleset(ruleset_id, version)
    except UnknownRuleset:
        from plyscribe.service.config import register_rulesets

        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    try:
        return find_ruleset(ruleset_id, version)
    except UnknownRuleset as error:
        known = ", ".join(f"{ruleset.id} {ruleset.version}" for ruleset in RULESETS)
        error.add_note(f"Known are {known}. Name one of your own in PLYSCRIBE_RULESETS=module:NAME, or install it.")
        raise
