"""A position of Portals, and how pawns come and go."""

from types import MappingProxyType
from typing import Any, NamedTuple

from plyscribe.domain.contest import Contest
from plyscribe.domain.ruleset import Decision, Over, Roll, Turn
from plyscribe.domain.rulesets.portals_v1.board import Board, each, find_passage

DEMONS = 0
"""The colour of demons; the colour of a seat is its number."""

MOST_SEATS = 6
DECISIONS: tuple[Turn, ...] = tuple(Decision(seat) for seat in range(MOST_SEATS + 1))
FIRST_ROLLS: tuple[Turn, ...] = tuple(Roll(8, 1, "first", seat) for seat in range(MOST_SEATS + 1))  # PO3
ACTION_ROLLS: tuple[Turn, ...] = tuple(Roll(8, 1, "action", seat) for seat in range(MOST_SEATS + 1))  # PO19

END_CLAUSES = MappingProxyType({"cleared": "PO11", "stalemate": "PO9", "ply-limit": "PO12", "withdrawal": "PO13"})
"""The clause behind each reason to end."""

Planes = tuple[int, ...]
"""The number of pawns on each platform beyond the first, as binary digits: plane k is the set of platforms whose number
has bit k. Without planes, every pawn stands alone. The last plane is never empty.
"""


class Setup(NamedTuple):
    """What stays the same in a match."""

    board: Board
    seats: int
    pool: int
    capacity: int | None
    demons: bool
    dice: bool
    ply_limit: int | None
    starts: tuple[int, ...]
    """The START of each seat, by seat; entry 0 is unused."""
    foreign: tuple[int, ...]
    """The START platforms of the others, by seat; seats that left are included."""
    turns: tuple[Turn, ...]
    """How a turn begins, by seat: with a decision or a roll."""


class State(NamedTuple):
    """A position: sets of fields, the net of arrows (see `Board`), and whose turn it is."""

    setup: Setup
    ply: int
    left: tuple[int, ...]
    platforms: int
    portals: int
    net: int
    pawns: tuple[int, ...]
    """The platforms that a colour stands on, by colour."""
    taken: int
    """The platforms that any colour stands on."""
    piles: Planes
    pool: tuple[int, ...]
    """The number of pawns in the pool, by colour; demons have no pool."""
    centered: int
    """The seats that fulfilled the first condition, as bits."""
    contest: Contest | None
    d8: int | None
    turn: Turn


def in_play(state: State) -> list[int]:
    """The seats that have not left, ascending."""
    return [seat for seat in range(1, state.setup.seats + 1) if seat not in state.left]


def find_free(state: State, colour: int) -> int:
    """The platforms that can take a pawn of the colour (PO10)."""
    empty = state.platforms ^ state.taken
    capacity = state.setup.capacity
    if capacity == 1:
        return empty
    full = 0 if capacity is None else _find_full(state.taken, state.piles, capacity - 1)
    return empty | state.pawns[colour] & ~full


def _find_full(taken: int, piles: Planes, beyond: int) -> int:
    """The platforms with this number of pawns beyond the first."""
    if beyond >> len(piles):
        return 0
    for bit, plane in enumerate(piles):
        taken &= plane if beyond >> bit & 1 else ~plane
    return taken


def count_pawns(state: State, number: int) -> int:
    """The number of pawns on a platform."""
    return (state.taken >> number & 1) + sum((plane >> number & 1) << bit for bit, plane in enumerate(state.piles))


class Flow(NamedTuple):
    """The platforms that a pawn of the seat on turn or a demon leaves, and the other platforms on which one arrives."""

    off: int = 0
    on: int = 0
    demons_off: int = 0
    demons_on: int = 0


def move_pawns(state: State, seat: int, flow: Flow) -> tuple[tuple[int, ...], int, Planes, tuple[int, ...]]:
    """The pawns, the occupied platforms, the piles and the pools after the flow."""
    off, on, demons_off, demons_on = flow
    pawns, taken, piles, pool = state.pawns, state.taken, state.piles, state.pool
    leaving, arriving = off | demons_off, on | demons_on
    piled, joined = 0, arriving & taken
    if piles:
        for plane in piles:
            piled |= plane & leaving
    if piled or joined:
        piles = _grow(_shrink(piles, piled), joined)
    gone = leaving ^ piled
    colour = pawns[seat]
    colour = colour ^ colour & gone | on
    demons = pawns[DEMONS]
    if demons_off or demons_on:
        demons = demons ^ demons & gone | demons_on
    return (
        (demons, *pawns[1:seat], colour, *pawns[seat + 1 :]),
        taken ^ gone | arriving,
        piles,
        (*pool[:seat], pool[seat] + off.bit_count() - on.bit_count(), *pool[seat + 1 :]),
    )


def remove_colour(state: State, seat: int) -> State:
    """The state after all pawns of the seat returned to its pool (PO13)."""
    own = state.pawns[seat]
    pawns = (*state.pawns[:seat], 0, *state.pawns[seat + 1 :])
    pool = (*state.pool[:seat], state.setup.pool, *state.pool[seat + 1 :])
    piles = _trim([plane & ~own for plane in state.piles])
    return state._replace(pawns=pawns, taken=state.taken ^ own, piles=piles, pool=pool)


def _grow(piles: Planes, fields: int) -> Planes:
    """The planes with one more pawn on each of the fields; a carry goes from plane to plane."""
    grown = []
    for plane in piles:
        grown.append(plane ^ fields)
        fields &= plane
    return (*grown, fields) if fields else tuple(grown)


def _shrink(piles: Planes, fields: int) -> Planes:
    """The planes with one pawn less on each of the fields; each must have a pawn beyond the first."""
    shrunk = []
    for plane in piles:
        shrunk.append(plane ^ fields)
        fields &= ~plane
    return _trim(shrunk)


def _trim(planes: list[int]) -> Planes:
    while planes and not planes[-1]:
        planes.pop()
    return tuple(planes)


def has_won(state: State, seat: int) -> bool:
    """Whether the seat fulfilled the first condition and has no pawn on the board (PO11)."""
    return bool(state.centered >> seat & 1) and state.pool[seat] == state.setup.pool


def finish(state: State, over: Over) -> State:
    """The state after the match ended with this outcome."""
    return state._replace(contest=None, d8=None, turn=over)


def view(state: State) -> dict[str, Any]:
    """The view of the state, without the ruleset."""
    setup, names = state.setup, state.setup.board.names
    return {
        "ply": state.ply,
        "left": list(state.left),
        "radius": setup.board.radius,
        "platforms": {names[number]: _view_platform(state, number) for number in each(state.platforms)},
        "portals": {names[number]: _view_portal(state, number) for number in each(state.portals)},
        "pool": list(state.pool[1:]),
        "centered": [bool(state.centered >> seat & 1) for seat in range(1, setup.seats + 1)],
        "contest": None if state.contest is None else list(state.contest),
        "d8": state.d8,
    }


def _view_platform(state: State, number: int) -> dict[str, Any]:
    setup = state.setup
    colour = find_colour(state, number)
    return {
        "start": setup.starts.index(number) if number in setup.starts else None,
        "center": number == setup.board.center,
        "colour": "demon" if colour == DEMONS else colour,
        "pawns": 0 if colour is None else count_pawns(state, number),
    }


def _view_portal(state: State, number: int) -> dict[str, Any]:
    board = state.setup.board
    come, go = find_passage(board, state.net, number)
    return {"in": [board.names[entry] for entry in each(come)], "out": [board.names[exit] for exit in each(go)]}


def find_colour(state: State, number: int) -> int | None:
    """The colour on a platform; None if it is empty."""
    if not state.taken >> number & 1:
        return None
    return next(colour for colour, fields in enumerate(state.pawns) if fields >> number & 1)
