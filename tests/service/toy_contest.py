"""Contest: a game small enough that what a study must find is known beforehand.

TC1   Each seat in turn picks a number from 0 to `most`. A pick of 0 is a bluff.
TC2   With `dice`, one die with `sides` sides is rolled before the first pick.
TC3   After the last pick the match is over. By `picks` the greater number is better and equal numbers tie. By `die`,
      a 1 makes seat 1 last and any other number makes it the only winner; the others tie.
TC4   A pick of 1,000,000 ends the match at once. There is no such pick, so nobody ever sees this.

So with `die` luck is all, and seat 1 wins with the probability 1 − 1 / `sides`; with `picks` skill is all, whether an
idle die is rolled or not.
"""

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, NamedTuple

from plyscribe.domain.effects import ROLLED, Effect, EffectKind, Moved, Rolled, Step, list_end_kinds
from plyscribe.domain.errors import BadNotation, IllegalMove, OptionError
from plyscribe.domain.options import Choice, Flag, Integer, options_schema, parse_options
from plyscribe.domain.ruleset import (
    Decision,
    Over,
    RandBelow,
    Roll,
    Ruleset,
    Turn,
    evaluate_over,
    rank_by,
    require_roll,
)

OPTIONS = (
    Choice("decides", "picks", ("picks", "die")),
    Flag("dice"),
    Integer("sides", 2, 2, 6),
    Integer("most", 9, 1, 5000),
)


class State(NamedTuple):
    """The options, the seats, the die (None before the roll), the picks so far, and an outcome from outside."""

    decides: str
    dice: bool
    sides: int
    most: int
    seats: int
    die: int | None = None
    picks: tuple[int, ...] = ()
    over: Over | None = None


class ContestV1(Ruleset[State, int]):
    """The contest."""

    id, version, title = "contest", 1, "Contest"
    min_seats, max_seats = 2, 3
    end_clauses = MappingProxyType({"picked": "TC3"})
    effect_kinds = (
        EffectKind("picked", ("TC1",), ("seat", "amount")),
        EffectKind("bluffed", ("TC1",), ("seat",)),
        EffectKind("exploded", ("TC4",), ()),
        EffectKind(ROLLED, ("TC2",), ("amount",)),
        *list_end_kinds(end_clauses),
    )

    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return parse_options(raw, OPTIONS)

    def options_schema(self) -> dict[str, Any]:
        return options_schema(OPTIONS)

    def has_chance(self, options: dict[str, Any]) -> bool:
        return options["decides"] == "die" or bool(options["dice"])

    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        if not 2 <= seats <= 3:
            raise OptionError("seats", seats, "2..3")
        return State(**options, seats=seats)

    def turn(self, state: State) -> Turn:
        if state.over:
            return state.over
        if state.die is None and (state.dice or state.decides == "die"):
            return Roll(state.sides, 1, "luck", None)
        if len(state.picks) < state.seats:
            return Decision(len(state.picks) + 1)
        return Over("picked", self.standing(state))

    def legal_moves(self, state: State, prefix: str = "") -> Iterator[int]:
        if isinstance(self.turn(state), Decision):
            yield from (pick for pick in range(state.most + 1) if str(pick).startswith(prefix))

    def sample_move(self, state: State, randbelow: RandBelow) -> int:
        """Uniform."""
        return randbelow(state.most + 1)

    def parse_move(self, state: State, text: str) -> int:
        if not text.isdecimal():
            raise BadNotation(text, len(state.picks), "a number")
        if int(text) > state.most or not isinstance(self.turn(state), Decision):
            raise IllegalMove(text, len(state.picks), "TC1", "too great")
        return int(text)

    def format_move(self, state: State, move: int) -> str:
        return str(move)

    def apply_move(self, state: State, move: int) -> State:
        return state._replace(picks=(*state.picks, move))

    def apply_roll(self, state: State, values: tuple[int, ...]) -> State:
        require_roll(self.turn(state), values, len(state.picks))
        return state._replace(die=values[0])

    def withdraw(self, state: State, seat: int) -> State:
        return self.end(
            state, Over("withdrawal", tuple(2 if each == seat else 1 for each in range(1, state.seats + 1)))
        )

    def end(self, state: State, over: Over) -> State:
        return state._replace(over=over)

    def standing(self, state: State) -> tuple[int, ...]:
        if state.decides == "die":
            return rank_by([state.die != 1, *[state.die == 1] * (state.seats - 1)])
        return rank_by([*state.picks, *[0] * (state.seats - len(state.picks))])

    def evaluate(self, state: State, seat: int) -> int:
        if isinstance(over := self.turn(state), Over):
            return evaluate_over(over, seat)
        return state.picks[seat - 1] if len(state.picks) >= seat else 0

    def view(self, state: State) -> dict[str, Any]:
        return {"ruleset": self.id, "ply": len(state.picks), "left": [], **state._replace(over=None)._asdict()}

    def render_text(self, state: State) -> str:
        return " ".join(map(str, state.picks))

    def _list_effects(self, before: State, step: Step, after: State) -> Iterable[Effect]:
        match step:
            case Moved(0):
                return [Effect("bluffed", "TC1", True, seat=len(after.picks))]
            case Moved(move):
                return [Effect("picked", "TC1", True, seat=len(after.picks), amount=move)]
            case Rolled(values):
                return [Effect(ROLLED, "TC2", amount=values[0])]
        return []


CONTEST_V1 = ContestV1()
