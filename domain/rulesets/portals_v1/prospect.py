"""The value of a position for a seat: the turns that it may still need, compared with what the others need."""

from plyscribe.domain.ruleset import Over, evaluate_over
from plyscribe.domain.rulesets.portals_v1.actions import find_sites
from plyscribe.domain.rulesets.portals_v1.board import (
    Board,
    each,
    find_beside,
    find_exits,
    find_fed,
    find_passage,
    find_unblocked,
)
from plyscribe.domain.rulesets.portals_v1.moves import ENTER, LAUNCH
from plyscribe.domain.rulesets.portals_v1.state import DEMONS, State, in_play

FAR = 8
"""How many launches along the net to look ahead."""
LATER = 3
"""The turns to CENTER of an opponent that cannot get there at once."""
HARMLESS = 6
"""An opponent that needs more turns than this is too far from its goal to matter."""


def evaluate(state: State, seat: int) -> int:
    """Twice the turns that the opponent nearest to its goal still needs, minus the turns that the seat needs.

    They count twice because that opponent moves before the seat does.
    """
    if isinstance(state.turn, Over):
        return evaluate_over(state.turn, seat)
    threat = min((_count_turns(state, other, 1) for other in in_play(state) if other != seat), default=0)
    return 2 * min(threat, HARMLESS) - _count_turns(state, seat, FAR)


def _count_turns(state: State, seat: int, ahead: int) -> int:
    """About how many turns the seat needs to win: to reach CENTER, to leave it, and to get rid of its other pawns."""
    pawns = state.setup.pool - state.pool[seat]
    if state.centered >> seat & 1:
        return 2 * pawns - _has_sink(state, seat)
    turns, on_its_way = _approach(state, seat, ahead)
    return turns + 1 + 2 * max(0, pawns - on_its_way)


def _has_sink(state: State, seat: int) -> bool:
    """Whether the seat can launch a portal with more entries than exits."""
    for portal in each(find_sites(state, seat, LAUNCH)):
        entries, exits = find_passage(state.setup.board, state.net, portal)
        if entries.bit_count() > exits.bit_count():
            return True
    return False


def _approach(state: State, seat: int, ahead: int) -> tuple[int, bool]:
    """About how many turns until a pawn of the seat is on CENTER, along the net or else by building.

    Also whether that pawn is already on the board, rather than in the pool.
    """
    board, own = state.setup.board, state.pawns[seat]
    center = 1 << board.center
    if own & center:
        return 0, True
    open = state.platforms ^ state.taken | own
    wait = 0 if open & center else _count_wait(state, seat)
    start = find_sites(state, seat, ENTER) << state.setup.starts[seat]
    have, helping = own, state.pawns[DEMONS]
    for turns in range(1, ahead + 1):
        ready = find_unblocked(board, state.net, state.portals, have | helping, open | center)
        fed = ready & find_fed(board, state.net, have)
        if state.setup.demons:  # PO14, PO16: demons alone produce only demons.
            ready = fed
        reached = find_exits(board, state.net, ready)
        if reached & center:
            on_board = bool(find_exits(board, state.net, fed) & center)
            return (turns + wait if ahead > 1 else min(turns + wait, LATER)), on_board
        if not (reached | start) & ~have:
            break
        have |= reached | start
    if ahead == 1:
        return LATER, True
    return wait + (not own) + _count_builds(state, have | start, ready), True


def _count_wait(state: State, seat: int) -> int:
    """About how many turns until CENTER is free: a pawn there leaves by itself, a demon has to be moved."""
    center = state.setup.board.center
    if not state.pawns[DEMONS] >> center & 1:
        return 2
    ways_out = find_fed(state.setup.board, state.net, 1 << center) & state.portals
    return 4 - bool(ways_out) - bool(ways_out & find_sites(state, seat, LAUNCH))


def _count_builds(state: State, platforms: int, portals: int) -> int:
    """About how many turns it takes to build from these platforms or portals to CENTER, and to travel there."""
    board = state.setup.board
    empty = board.everywhere ^ state.platforms ^ state.portals | 1 << board.center
    by_platform, by_portal = (_count_steps(board, elements, empty) for elements in (platforms, portals))
    # Elements alternate, and the last one before CENTER is a portal.
    builds = min(by_platform - 1 + by_platform % 2, max(2, by_portal - by_portal % 2))
    return builds + (builds + 1) // 2


def _count_steps(board: Board, fields: int, empty: int) -> int:
    """The least number of steps from any of the fields over empty ones to CENTER."""
    for steps in range(1, 4 * board.radius):
        fields = find_beside(board, fields) & empty | fields
        if fields >> board.center & 1:
            return steps
    return 4 * board.radius
