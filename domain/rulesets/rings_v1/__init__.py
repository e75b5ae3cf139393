"""Rings: march inwards over four turning rings of terrain, and hold the field in the middle.

docs/rulesets/rings.md has the rules RI1..RI26. `board` and `state` define a position; `turns` and `payments`, who may
act and at what cost; `moving`, `fighting` and `ringwork`, what an action does; `play`, what follows from it; `legal`,
`sampling` and `breaches`, which moves are legal; `laying`, terrain as it lies; `happenings`, what a step did.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from plyscribe.domain.effects import Effect, Step
from plyscribe.domain.errors import BadNotation, IllegalMove, NotInPlay, OptionError
from plyscribe.domain.options import Choice, Integer, options_schema, parse_options
from plyscribe.domain.phrases import say
from plyscribe.domain.ruleset import Layout, Over, RandBelow, Ruleset, Turn, require_seats
from plyscribe.domain.rulesets.rings_v1.board import NO_TERRAIN
from plyscribe.domain.rulesets.rings_v1.breaches import find_breach
from plyscribe.domain.rulesets.rings_v1.drawing import render_state, view_state
from plyscribe.domain.rulesets.rings_v1.happenings import EFFECT_KINDS, END_CLAUSES, list_happenings
from plyscribe.domain.rulesets.rings_v1.laying import encode_terrain, find_layout
from plyscribe.domain.rulesets.rings_v1.legal import list_moves
from plyscribe.domain.rulesets.rings_v1.moves import EXPECTED, Move, format_move, read_move
from plyscribe.domain.rulesets.rings_v1.play import play_move, play_roll, play_withdrawal
from plyscribe.domain.rulesets.rings_v1.sampling import draw_move
from plyscribe.domain.rulesets.rings_v1.state import Setup, State, lay_table
from plyscribe.domain.rulesets.rings_v1.turns import await_terrain, end, rank_by_points
from plyscribe.domain.rulesets.rings_v1.valuing import value_state

RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Terrain:
    """Random terrain, or terrain given ring by ring."""

    name: str = "terrain"
    default: str = RANDOM

    def parse(self, value: object) -> Any:
        """The value itself; OptionError unless it is `"random"` or four strings with 3 L, 2 M and 2 H each."""
        if value == RANDOM and isinstance(value, str):
            return value
        rings = value if isinstance(value, list) else []
        if len(rings) == 4 and all(isinstance(ring, str) and sorted(ring) == sorted("LLLMMHH") for ring in rings):
            return list(rings)
        raise OptionError(self.name, value, say('"random", or four strings of 3 L, 2 M and 2 H, ring a first'))

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        ring = {"type": "string", "pattern": "^(?=(.*L){3})(?=(.*M){2})(?=(.*H){2})[HLM]{7}$"}
        rings = {"type": "array", "items": ring, "minItems": 4, "maxItems": 4}
        return {"anyOf": [{"const": RANDOM}, rings], "default": RANDOM}


OPTIONS = (
    Terrain(),
    Choice("scoring", "race", ("race", "countdown")),
    Integer("target", 30, 1, 100),
    Choice("casualties", "supply", ("supply", "out")),
    Integer("ply_limit", 2500, 1, nullable=True),
)


class RingsV1(Ruleset[State, Move]):
    """Rings, version 1."""

    id = "rings"
    version = 1
    behaviour = "ff5a31bfc0438f1e02b7bcc42a8e734c33c69bbd66273339fd77e7895136fae5"
    released = True
    title = "Rings"
    effect_kinds = EFFECT_KINDS
    end_clauses = END_CLAUSES
    min_seats = 2
    max_seats = 4

    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return parse_options(raw, OPTIONS)

    def options_schema(self) -> dict[str, Any]:
        return options_schema(OPTIONS)

    def has_chance(self, options: dict[str, Any]) -> bool:
        """True: every round begins with dice."""
        return True

    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        require_seats(self, seats)
        setup = Setup(seats, *(options[name] for name in ("scoring", "target", "casualties", "ply_limit")))
        given = "" if options["terrain"] == RANDOM else "".join(options["terrain"]) + NO_TERRAIN
        return await_terrain(lay_table(setup, given))

    def turn(self, state: State) -> Turn:
        return state.turn

    def legal_moves(self, state: State, prefix: str = "") -> Iterator[Move]:
        return list_moves(state, prefix)

    def sample_move(self, state: State, randbelow: RandBelow) -> Move:
        """A legal move: one of the seat's dice is drawn, then what to do with it, until that is legal.

        One draw in 16 is a drop. An R recruits any kind. An M moves: a field with own units, a kind and a target are
        drawn; one such draw in four proposes an alliance, if the field allows one. Half of the time, a T is paired with
        another T to move; otherwise it turns a ring, moves the START or swaps terrain, each equally often. After eight
        draws without a legal move, a die is dropped. STARTs, second warriors of a pair and backers are drawn uniformly,
        and half of the answers decline. Every legal move is possible.
        """
        return draw_move(state, randbelow)

    def parse_move(self, state: State, text: str) -> Move:
        move = read_move(text, state.setup.seats)
        if move is None:
            raise BadNotation(text, state.ply, EXPECTED)
        breach = find_breach(state, move)
        if breach:
            raise IllegalMove(text, state.ply, *breach)
        return move

    def format_move(self, state: State, move: Move) -> str:
        return format_move(move)

    def apply_move(self, state: State, move: Move) -> State:
        return play_move(state, move)

    def apply_roll(self, state: State, values: tuple[int, ...]) -> State:
        return play_roll(state, values)

    def layout(self, state: State) -> Layout | None:
        return find_layout(state)

    def _encode_layout(self, state: State, laid: Mapping[str, str]) -> tuple[int, ...]:
        return encode_terrain(laid)

    def withdraw(self, state: State, seat: int) -> State:
        if isinstance(state.turn, Over) or seat not in state.in_play:
            raise NotInPlay(seat)
        return play_withdrawal(state, seat)

    def end(self, state: State, over: Over) -> State:
        return end(state, over)

    def standing(self, state: State) -> tuple[int, ...]:
        return state.turn.ranks if isinstance(state.turn, Over) else rank_by_points(state)

    def evaluate(self, state: State, seat: int) -> int:
        return value_state(state, seat)

    def view(self, state: State) -> dict[str, Any]:
        return {"ruleset": self.id, "ply": state.ply, "left": list(state.left), **view_state(state)}

    def render_text(self, state: State) -> str:
        return render_state(state)

    def _list_effects(self, before: State, step: Step, after: State) -> Iterator[Effect]:
        return list_happenings(before, step, after)


RINGS_V1 = RingsV1()
