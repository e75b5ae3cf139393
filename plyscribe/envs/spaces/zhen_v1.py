"""Zhen: an id for each tile to put a cube on, and one for each way to move the cubes of a tile."""

from typing import Any

import numpy as np

from plyscribe.envs.spaces.action_ids import Catalogue
from plyscribe.envs.spaces.planes import Array, Board, Planes, Scene, count_planes, spread


def make_actions(options: dict[str, Any], seats: int) -> Catalogue:
    """`+1`, `+2` …, then the moves of tile 1, of tile 2 …: t + t² ids on t tiles."""
    tiles = range(1, options["tiles"] + 1)
    moves = [f"{tile}-{target or 'goal'}" for tile in tiles for target in (0, *tiles) if target != tile]
    return Catalogue([*(f"+{tile}" for tile in tiles), *moves])


def make_board(options: dict[str, Any], seats: int) -> Board:
    """Planes of a line: place 0 is the goal of seat 1, then come the tiles, then the goal of seat 2."""
    length, cubes = options["tiles"] + 2, options["cubes"]
    places = (length,)

    def read_line(scene: Scene) -> Array:
        return _read_cubes(scene, scene.view, cubes)

    def read_before(scene: Scene) -> Array:
        before = scene.view["before"]
        if before is None:
            return np.zeros((3, length), np.float32)
        return np.concatenate([np.ones((1, length), np.float32), _read_cubes(scene, before, cubes)])

    def read_reserves(scene: Scene) -> Array:
        return spread([reserve / cubes for reserve in scene.from_here(scene.view["reserve"])], places)

    def read_goal(scene: Scene) -> Array:
        goal = np.zeros((1, length), np.float32)
        goal[0, 0 if scene.seat == 1 else -1] = 1
        return goal

    return Board(
        places,
        [
            Planes(("your cubes", "enemy cubes"), "cubes on each place, divided by the cubes of a seat", read_line),
            Planes(
                ("line before", "your cubes before", "enemy cubes before"),
                "1 after the first move; then the line before the last move (ZH5)",
                read_before,
            ),
            Planes(
                ("your reserve", "enemy reserve"), "cubes in reserve, divided by the cubes of a seat", read_reserves
            ),
            Planes(("your goal",), "1 on your goal", read_goal),
            *count_planes(places, seats, options["ply_limit"]),
        ],
    )


def _read_cubes(scene: Scene, line: dict[str, Any], cubes: int) -> Array:
    left, right = line["goals"]
    counts: Array = np.array([left, *line["tiles"], right], np.float32).T / np.float32(cubes)
    return counts if scene.seat == 1 else counts[::-1]
