"""Portals: the players build a net of portals and platforms, through which their pawns travel to the centre.

docs/rulesets/portals.md has the rules PO1..PO20. The modules, each importing only those above it:

    moves.py        a move, and its words
    board.py        fields, directions and arrows, and the numbers that stand for them
    state.py        a position, and how pawns come and go
    actions.py      what a seat can do, and where
    breaches.py     why a move is illegal
    notation.py     moves as text
    turns.py        whose turn it is, and how a match ends
    happenings.py   what a step did
    symmetry.py     the mirror image of a position
    prospect.py     the value of a position
    drawing.py      the board in a terminal
"""

from collections.abc import Iterator, Sequence
from typing import Any

from plyscribe.domain.contest import enter_roll, leave_contest, open_contest
from plyscribe.domain.effects import Effect, Step
from plyscribe.domain.errors import NotInPlay, OptionError
from plyscribe.domain.options import Choice, Flag, Integer, Option, options_schema, parse_options
from plyscribe.domain.phrases import say
from plyscribe.domain.ruleset import (
    Decision,
    Over,
    RandBelow,
    Ruleset,
    Symmetry,
    Turn,
    rank_seats,
    require_roll,
    require_seats,
)
from plyscribe.domain.rulesets.portals_v1.actions import draw_move, find_flow, find_kinds, find_sites
from plyscribe.domain.rulesets.portals_v1.board import join, lay_board
from plyscribe.domain.rulesets.portals_v1.drawing import draw
from plyscribe.domain.rulesets.portals_v1.happenings import EFFECT_KINDS, list_effects
from plyscribe.domain.rulesets.portals_v1.moves import EXIT, PLATFORM, PORTAL, Move
from plyscribe.domain.rulesets.portals_v1.notation import format_move, list_legal_moves, parse_move
from plyscribe.domain.rulesets.portals_v1.prospect import evaluate
from plyscribe.domain.rulesets.portals_v1.state import (
    ACTION_ROLLS,
    DECISIONS,
    END_CLAUSES,
    Setup,
    State,
    finish,
    has_won,
    in_play,
    move_pawns,
    remove_colour,
    view,
)
from plyscribe.domain.rulesets.portals_v1.symmetry import make_mirror
from plyscribe.domain.rulesets.portals_v1.turns import (
    begin_turn,
    end_by_standing,
    end_if_stalled,
    find_next,
    find_standing,
    follow_contest,
)

OPTIONS: list[Option] = [
    Integer("radius", 4, 2, 8),
    Integer("pool", 8, 1, 50),
    Integer("capacity", 1, 1, 50, nullable=True),
    Flag("demons"),
    Flag("dice"),
    Choice("first", "roll", ("roll", 1, 2, 3, 4, 5, 6)),
    Integer("ply_limit", 300, 1, nullable=True),
]

CORNERS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 3, 4, 5)}  # PO2


class PortalsV1(Ruleset[State, Move]):
    """Portals, version 1."""

    id = "portals"
    version = 1
    behaviour = "bb7e41dc3980137a3352ac84a0f83485dad01237c812ee8c152f0d156a0917b9"
    released = True
    title = "Portals"
    effect_kinds = EFFECT_KINDS
    end_clauses = END_CLAUSES
    min_seats = 2
    max_seats = 6

    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return parse_options(raw, OPTIONS)

    def options_schema(self) -> dict[str, Any]:
        return options_schema(OPTIONS)

    def has_chance(self, options: dict[str, Any]) -> bool:
        """True with dice, and when a roll decides who plays first."""
        return bool(options["dice"]) or options["first"] == "roll"

    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        require_seats(self, seats)
        first = options["first"]
        if first != "roll" and first > seats:
            raise OptionError("first", first, say("roll or a seat 1..{last}", last=seats))
        setup = _set_up(options, seats)
        platforms = join((*setup.starts[1:], setup.board.center))  # PO2
        pool = (0, *(setup.pool,) * seats)
        start = State(setup, 0, (), platforms, 0, 0, (0,) * (seats + 1), 0, (), pool, 0, None, None, setup.turns[seats])
        if first == "roll":
            return follow_contest(start, open_contest(seats))
        return start._replace(turn=setup.turns[first])

    def turn(self, state: State) -> Turn:
        return state.turn

    def legal_moves(self, state: State, prefix: str = "") -> Iterator[Move]:
        return list_legal_moves(state, prefix)

    def sample_move(self, state: State, randbelow: RandBelow) -> Move:
        """A legal move, drawn uniformly in three steps: a possible kind of action, a possible field, a possible way."""
        turn = state.turn
        assert isinstance(turn, Decision)
        return draw_move(state, turn.seat, randbelow)

    def parse_move(self, state: State, text: str) -> Move:
        return parse_move(state, text)

    def format_move(self, state: State, move: Move) -> str:
        return format_move(state.setup.board, move)

    def apply_move(self, state: State, move: Move) -> State:
        setup, ply, left, platforms, portals, net, pawns, taken, piles, pool, centered, _, _, turn = state
        assert isinstance(turn, Decision)
        (kind, number, way), seat = move, turn.seat
        if kind == PORTAL:
            portals |= 1 << number
            net |= setup.board.of_portal[way] << number
        elif kind == PLATFORM:
            platforms |= 1 << number
            net |= setup.board.of_platform[way] << number
        else:
            pawns, taken, piles, pool = move_pawns(state, seat, find_flow(state, seat, move))
            if kind == EXIT:
                centered |= 1 << seat  # PO8
        following = find_next(state, seat)
        # State(...) takes twice as long.
        after = tuple.__new__(
            State,
            (
                setup,
                ply + 1,
                left,
                platforms,
                portals,
                net,
                pawns,
                taken,
                piles,
                pool,
                centered,
                None,
                None,
                setup.turns[following],
            ),
        )
        if has_won(after, seat):
            winners = [other == seat for other in range(1, setup.seats + 1)]
            return finish(after, Over("cleared", rank_seats(winners, left)))  # PO11
        after = begin_turn(after, following)
        if ply + 1 == setup.ply_limit and not isinstance(after.turn, Over):
            return end_by_standing(after, "ply-limit")
        return after

    def apply_roll(self, state: State, values: tuple[int, ...]) -> State:
        roll = require_roll(state.turn, values, state.ply)
        if state.contest:
            return follow_contest(state, enter_roll(state.contest, values[0], max))
        seat = roll.seat
        assert seat
        rolled = state._replace(d8=values[0], turn=DECISIONS[seat])  # PO19
        if any(find_sites(rolled, seat, kind) for kind in find_kinds(rolled)):
            return rolled
        return state._replace(turn=ACTION_ROLLS[find_next(state, seat)])  # PO20

    def withdraw(self, state: State, seat: int) -> State:
        turn = state.turn
        if isinstance(turn, Over) or seat not in in_play(state):
            raise NotInPlay(seat)
        after = remove_colour(state, seat)._replace(left=(*state.left, seat))  # PO13
        if len(in_play(after)) == 1:
            return end_by_standing(after, "withdrawal")
        if state.contest:
            return follow_contest(after, leave_contest(state.contest, seat, max))
        if turn.seat == seat:
            return begin_turn(after._replace(d8=None), find_next(after, seat))
        return end_if_stalled(after)

    def end(self, state: State, over: Over) -> State:
        return finish(state, over)

    def standing(self, state: State) -> tuple[int, ...]:
        return find_standing(state)

    def evaluate(self, state: State, seat: int) -> int:
        return evaluate(state, seat)

    def view(self, state: State) -> dict[str, Any]:
        return {"ruleset": self.id, **view(state)}

    def render_text(self, state: State) -> str:
        return draw(state)

    def symmetries(self, state: State) -> Sequence[Symmetry[State, Move]]:
        """With two seats, the mirror through their STARTs. With more, a mirror or a turn would move a START."""
        return make_mirror(state.setup.board) if state.setup.seats == 2 else ()

    def _list_effects(self, before: State, step: Step, after: State) -> Iterator[Effect]:
        return list_effects(before, step, after)


def _set_up(options: dict[str, Any], seats: int) -> Setup:
    board = lay_board(options["radius"])
    starts = (0, *(board.corners[corner] for corner in CORNERS[seats]))  # PO2
    closed = join(starts[1:])
    return Setup(
        board,
        seats,
        options["pool"],
        options["capacity"],
        options["demons"],
        options["dice"],
        options["ply_limit"],
        starts,
        foreign=(closed, *(closed ^ 1 << start for start in starts[1:])),
        turns=ACTION_ROLLS if options["dice"] else DECISIONS,
    )


PORTALS_V1 = PortalsV1()
