"""Zhen: every way to break a rule."""

from tests.domain.breaches import Breach

SMALL = {"tiles": 4, "cubes": 4}
FEW = {"tiles": 4, "cubes": 2}
EMPTY = "the reserve is empty. Move cubes that are on the tiles."

BREACHES = [
    Breach(None, "", "5", "+1, 2-1 or 1-goal, with tiles from 1 to 10"),
    Breach(
        "ZH2",
        "+5; +6",
        "6-5",
        "tile 6 has no cube of the seat on turn. Choose a tile that has one, or put a cube on an empty tile.",
    ),
    Breach(
        "ZH2",
        "+5",
        "4-5",
        "tile 4 has no cube of the seat on turn. Choose a tile that has one, or put a cube on an empty tile.",
    ),
    Breach(
        "ZH2",
        "+5; +6",
        "5-3",
        "the cubes on tile 5 move one step towards the seat's goal for each of its cubes. Enter 5-4.",
    ),
    Breach(
        "ZH2",
        "+1; +2; +3; 2-3; 3-2; +4",
        "2-goal",
        "the cubes on tile 2 move one step towards the seat's goal for each of its cubes. Enter 2-1.",
    ),
    Breach(
        "ZH2",
        "+3; +2; 3-2; +4; 2-1; +3",
        "1-2",
        "the cubes on tile 1 move one step towards the seat's goal for each of its cubes. Enter 1-goal.",
        SMALL,
    ),
    Breach("ZH3", "+2; +3; +1; +4; 2-1; +2", "1-goal", "2 steps from tile 1 go beyond the goal. Choose another tile."),
    Breach("ZH3", "+1; +2", "1-goal", "tile 1 has no enemy cube to take into the goal. Choose another tile."),
    Breach("ZH4", "+5", "+5", "tile 5 is not empty. Put the cube on an empty tile, or move cubes."),
    Breach("ZH4", "+4; +1; 4-3; 1-2; +4; +1; 4-3", "+4", EMPTY, FEW),
    Breach("ZH4", "+4; +1; 4-3; 1-2; +4; +1; 4-3", "+3", EMPTY, FEW),
    Breach(
        "ZH5",
        "+3; +2; 3-2; +4; 2-1",
        "1-2",
        "the cubes on tile 1 can only undo the enemy's last move. Choose another tile.",
        SMALL,
    ),
    Breach("ZH7", "withdraw 1", "+5", "the match is over, so nobody can move"),
    Breach("ZH9", "+5", "+6", "the match is over, so nobody can move", {"ply_limit": 1}),
]
