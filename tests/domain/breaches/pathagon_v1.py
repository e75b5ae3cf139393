"""Pathagon: every way to break a rule."""

from tests.domain.breaches import Breach

SMALL = {"size": 5, "pieces": 5}
FULL = "a1; a3; b1; b3; c1; c3; d1; d3; e2; e4"
"""Both reserves are empty, and seat 1 is on turn."""

BREACHES = [
    Breach(None, "", "h1", "a square a1..g7, or two squares as in a1-b2"),
    Breach("PA4", "d4; d5", "d4-d3", "a piece is in reserve. Place it: name one empty square."),
    Breach("PA4", "d4", "d4", "d4 is not empty. Choose an empty square."),
    Breach("PA4", FULL, "e5", "the reserve is empty. Move a piece on the board: name two squares.", SMALL),
    Breach("PA4", FULL, "a3-a4", "a3 has no piece of the seat on turn. Start from one of its own.", SMALL),
    Breach(
        "PA5",
        f"{FULL}; a1-a5; e4-e5",
        "a5-a4",
        "the piece on a5 moved in its seat's last turn. Move another one.",
        SMALL,
    ),
    Breach(
        "PA6",
        "c3; c4; d1; a1; c5",
        "c4",
        "c4 is closed for this turn: a piece was just trapped there. Choose another square.",
        {"size": 5},
    ),
    Breach("PA10", "withdraw 1", "d4", "the match is over, so nobody can move"),
    Breach("PA11", "d4", "d5", "the match is over, so nobody can move", {"ply_limit": 1}),
]
