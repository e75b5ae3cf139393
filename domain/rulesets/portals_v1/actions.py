"""The actions of a seat: where each kind is possible, in which ways, and what it does."""

from collections.abc import Iterator
from itertools import combinations

from plyscribe.domain.ruleset import Decision, RandBelow
from plyscribe.domain.rulesets.portals_v1.board import (
    ARROWS_WITHIN,
    EVERY_DIRECTION,
    each,
    find_beside,
    find_neighbours,
    find_passage,
    find_unblocked,
    join,
)
from plyscribe.domain.rulesets.portals_v1.moves import ENTER, EXIT, LAUNCH, PLATFORM, PORTAL, Move
from plyscribe.domain.rulesets.portals_v1.state import DEMONS, Flow, State, find_free

BUILD = (PORTAL, PLATFORM)
FREE = (PORTAL, PLATFORM, LAUNCH, ENTER)
BY_ROLL = (FREE, BUILD, BUILD, BUILD, (LAUNCH,), (LAUNCH,), (LAUNCH,), (ENTER,), (ENTER,))
"""The kinds of action that each roll allows (PO19); first, those of a turn without dice."""

WAYLESS = (0,)
MOST_EXITS = 6


def find_kinds(state: State) -> tuple[int, ...]:
    """The kinds of action that the turn allows, possible or not; none unless a seat decides."""
    turn = state.turn
    if not isinstance(turn, Decision):
        return ()
    d8 = state.d8
    if (not d8 or d8 == 8) and state.pawns[turn.seat] >> state.setup.board.center & 1:
        return (EXIT,)  # PO8, PO19
    return BY_ROLL[d8 or 0]


def can_act(state: State, seat: int) -> bool:
    """Whether the seat would have an action if its turn began now; with dice, for any roll (PO9)."""
    # Cheap tests come first.
    if find_sites(state, seat, ENTER) or find_sites(state, seat, EXIT):
        return True
    empty = state.setup.board.everywhere ^ state.platforms ^ state.portals
    if empty and (find_sites(state, seat, PORTAL) or find_sites(state, seat, PLATFORM)):
        return True
    return any(find_launches(state, seat, portal) for portal in each(_find_unblocked(state, seat)))


def find_sites(state: State, seat: int, kind: int) -> int:
    """The fields where an action of the kind is possible for the seat; field 0 stands for actions without a field."""
    board = state.setup.board
    if kind in BUILD:  # PO4
        beside = find_beside(board, _find_connectable(state, seat, kind))
        return beside & (board.everywhere ^ state.platforms ^ state.portals)
    if kind == LAUNCH:
        return _find_launchable(state, seat)
    if kind == ENTER:  # PO7
        return find_free(state, seat) >> state.setup.starts[seat] & 1 if state.pool[seat] else 0
    return state.pawns[seat] >> board.center & 1  # PO8


def find_ways(state: State, seat: int, kind: int, number: int) -> tuple[int, ...]:
    """The possible ways of the action on one of its fields."""
    if kind in BUILD:
        return ARROWS_WITHIN[find_neighbours(state.setup.board, number, _find_connectable(state, seat, kind))]
    return find_launches(state, seat, number) if kind == LAUNCH else WAYLESS


def _find_connectable(state: State, seat: int, kind: int) -> int:
    """The elements that arrows of a new element may join (PO4, PO5)."""
    return state.portals if kind == PLATFORM else state.platforms & ~state.setup.foreign[seat]


def _find_launchable(state: State, seat: int) -> int:
    """The portals that the seat can launch."""
    found = _find_unblocked(state, seat)
    if not found or (state.pool[seat] >= MOST_EXITS and not state.setup.demons):
        return found
    return join(number for number in each(found) if find_launches(state, seat, number))


def _find_unblocked(state: State, seat: int) -> int:
    """The portals whose entries all have pawns of the seat or demons, and whose exits can all take some pawn."""
    setup = state.setup
    free = find_free(state, seat)
    if setup.demons:
        free |= find_free(state, DEMONS)
    # PO6, PO15: without the variant there are no demons.
    usable = state.pawns[seat] | state.pawns[DEMONS]
    return find_unblocked(setup.board, state.net, state.portals, usable, free)


def find_launches(state: State, seat: int, portal: int) -> tuple[int, ...]:
    """The ways in which the seat can launch the portal on the field; none if it cannot."""
    setup, pool = state.setup, state.pool[seat]
    board = setup.board
    # As in find_passage. The call alone would take as long as the work.
    come, go = board.passages[state.net >> portal & board.rays]
    if not (come or go):
        return ()
    shift = portal - board.origin
    entries, exits, own = come << shift, go << shift, state.pawns[seat]
    if not setup.demons:
        free = state.platforms ^ state.taken if setup.capacity == 1 else find_free(state, seat)
        enough = pool >= MOST_EXITS or pool + entries.bit_count() >= exits.bit_count()
        return WAYLESS if enough and entries & own == entries and exits & free == exits else ()  # PO6
    demons = entries & state.pawns[DEMONS]
    if entries & ~(own | demons):  # PO15
        return ()
    open_to_demons = find_free(state, DEMONS)
    if not entries:
        return () if exits & ~open_to_demons else WAYLESS  # PO14
    if not exits:
        return WAYLESS  # PO17
    count, places = demons.bit_count(), exits.bit_count()
    if count > places or pool + entries.bit_count() < places:  # PO17, PO16
        return ()
    needed = board.directions[(exits & ~find_free(state, seat)) >> shift]
    barred = board.directions[(exits & ~open_to_demons) >> shift]
    ways = tuple(way for way in CHOICES[board.directions[go]][count] if not needed & ~way and not barred & way)  # PO16
    return ways if 0 < count < places else WAYLESS[: len(ways)]


def _choices(directions: int) -> Iterator[tuple[int, ...]]:
    """For each number, the ways to choose that many of the directions."""
    single = [1 << direction for direction in range(6) if directions >> direction & 1]
    for number in range(len(single) + 1):
        yield tuple(sum(chosen) for chosen in combinations(single, number))


CHOICES = tuple(tuple(_choices(directions)) for directions in range(64))


def is_possible(state: State, seat: int, move: Move) -> bool:
    """Whether the seat can take this action, if its turn allows the kind."""
    kind, number, way = move
    if kind == LAUNCH:
        return way in find_launches(state, seat, number)
    if kind not in BUILD:
        return bool(find_sites(state, seat, kind))
    if (state.platforms | state.portals) >> number & 1 or not way or way & way >> 6:  # PO4
        return False
    board = state.setup.board
    joined = board.reach[(way | way >> 6) & EVERY_DIRECTION] << number - board.origin
    return joined & _find_connectable(state, seat, kind) == joined


def find_flow(state: State, seat: int, move: Move) -> Flow:
    """The pawns that a move takes off the board and puts there; the move must not build."""
    kind, number, way = move
    board = state.setup.board
    if kind == ENTER:
        return Flow(on=1 << state.setup.starts[seat])
    if kind == EXIT:
        return Flow(off=1 << board.center)
    entries, exits = find_passage(board, state.net, number)
    if not state.setup.demons:
        return Flow(entries, exits)
    demons = entries & state.pawns[DEMONS]
    # PO14, PO16: without a choice, all exits get demons, or none does.
    alone = not entries or demons.bit_count() == exits.bit_count()
    haunted = exits if alone else board.reach[way] << number - board.origin
    return Flow(entries ^ demons, exits ^ haunted, demons, haunted)


def draw_move(state: State, seat: int, randbelow: RandBelow) -> Move:
    """A possible kind of action, then one of its fields, then a way, each drawn uniformly."""
    kinds = list(find_kinds(state))
    while not (sites := find_sites(state, seat, kind := kinds.pop(randbelow(len(kinds))))):
        pass
    for _ in range(randbelow(sites.bit_count())):
        sites &= sites - 1
    number = (sites & -sites).bit_length() - 1
    ways = find_ways(state, seat, kind, number)
    return kind, number, ways[randbelow(len(ways))]
