"""The mirror image of a position: the axis runs through the first and the fourth corner, the STARTs of two seats."""

from functools import cache

from plyscribe.domain.ruleset import Symmetry
from plyscribe.domain.rulesets.portals_v1.board import Board, each
from plyscribe.domain.rulesets.portals_v1.moves import Move
from plyscribe.domain.rulesets.portals_v1.state import State


@cache
def make_mirror(board: Board) -> tuple[Symmetry[State, Move]]:
    """The mirror of this board, alone in a tuple."""
    images = _map_fields(board)
    directions = [board.steps.index(images[board.center + step] - board.center) for step in board.steps]

    def map_fields(fields: int) -> int:
        return sum(1 << images[number] for number in each(fields))

    def map_way(way: int) -> int:
        return sum(1 << bit // 6 * 6 + directions[bit % 6] for bit in each(way))

    def map_net(net: int) -> int:
        mapped = 0
        for bit in each(net):
            lane, portal = divmod(bit, board.lane)
            mapped |= 1 << (lane // 6 * 6 + directions[lane % 6]) * board.lane + images[portal]
        return mapped

    def map_state(state: State) -> State:
        return state._replace(
            platforms=map_fields(state.platforms),
            portals=map_fields(state.portals),
            net=map_net(state.net),
            pawns=tuple(map(map_fields, state.pawns)),
            taken=map_fields(state.taken),
            piles=tuple(map(map_fields, state.piles)),
        )

    def map_move(move: Move) -> Move:
        kind, number, way = move
        return kind, images.get(number, 0), map_way(way)

    return (Symmetry("mirror", map_state, map_move),)


def _map_fields(board: Board) -> dict[int, int]:
    """The image of each field. The mirror keeps the step from row to row and turns those beside it into each other."""
    stride, center = board.stride, board.center
    middle, column = divmod(center, stride)
    images = {}
    for number in board.names:
        row, place = divmod(number, stride)
        up, along = row - middle, place - column
        images[number] = center + (up - along) * stride - along
    return images
