"""Pathagon: an id for each square to place on, and one for each way to move a piece."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from plyscribe.domain.rulesets.pathagon_v1 import lay_board
from plyscribe.envs.spaces.action_ids import Catalogue
from plyscribe.envs.spaces.planes import Array, Board, Planes, Scene, count_planes, spread


def make_actions(options: dict[str, Any], seats: int) -> Catalogue:
    """Squares in the order of notation, then pairs of squares: n² + n²(n² - 1) ids on n × n squares."""
    names = lay_board(options["size"]).names.values()
    return Catalogue([*names, *(f"{source}-{target}" for source, target in permutations(names, 2))])


def make_board(options: dict[str, Any], seats: int) -> Board:
    """Planes of rows and columns: row 0 is the highest row of the board, column 0 is column a."""
    size, pieces = options["size"], options["pieces"]
    places = (size, size)

    def read_pieces(scene: Scene) -> Array:
        rows = np.frombuffer("".join(scene.view["board"]).encode(), np.uint8).reshape(places)
        own, enemy = (b"1", b"2") if scene.seat == 1 else (b"2", b"1")
        return np.stack([rows == own[0], rows == enemy[0]])

    def read_marks(scene: Scene) -> Array:
        view, marks = scene.view, np.zeros((3, size, size), np.float32)
        for plane, names in enumerate((view["closed"], *_list_resting(scene))):
            for name in names:
                marks[plane, size - int(name[1:]), ord(name[0]) - 97] = 1
        return marks

    def read_reserves(scene: Scene) -> Array:
        return spread([reserve / pieces for reserve in scene.from_here(scene.view["reserve"])], places)

    def read_edges(scene: Scene) -> Array:
        edges = np.zeros((1, size, size), np.float32)
        if scene.seat == 1:
            edges[0, [0, -1], :] = 1
        else:
            edges[0, :, [0, -1]] = 1
        return edges

    return Board(
        places,
        [
            Planes(("your pieces", "enemy pieces"), "1 where one stands", read_pieces),
            Planes(
                ("closed", "your resting piece", "enemy resting piece"), "1 on squares of PA6, then of PA5", read_marks
            ),
            Planes(("your reserve", "enemy reserve"), "pieces in reserve, divided by all pieces", read_reserves),
            Planes(("your edges",), "1 on the two edges that you join", read_edges),
            *count_planes(places, seats, options["ply_limit"]),
        ],
    )


def _list_resting(scene: Scene) -> Iterator[list[str]]:
    """The resting piece of the observing seat and that of the other, each as a list; seat 1 moves at even plies."""
    resting = scene.view["resting"], scene.view["resting_other"]
    is_mine = scene.seat == 1 + scene.view["ply"] % 2
    for name in resting if is_mine else resting[::-1]:
        yield [name] if name else []
