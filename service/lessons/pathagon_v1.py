"""Pathagon, version 1: place, trap, wait, move, and join the edges."""

from plyscribe.domain.phrases import say
from plyscribe.service.lessons.lesson import Card, Lesson

SMALL = {"size": 5, "pieces": 5}

LESSONS = (
    Lesson(
        "trap",
        say("Trap a piece"),
        say("Trap the piece of Orange: stand on both sides of it."),
        say("It goes back to the reserve of Orange, who has to place it again."),
        "PA8",
        ("b3", "c3"),
        {"kind": "trapped"},
        ("d3",),
        options=SMALL,
    ),
    Lesson(
        "safe",
        say("Step in between"),
        say("Only the seat on turn traps. Step on c3, between the two pieces of Orange: nothing happens to you."),
        say("Stepping in between two enemy pieces is safe."),
        "PA9",
        ("a1", "b3", "a2", "d3"),
        {"kind": "placed", "to": "c3"},
        ("c3",),
        options=SMALL,
    ),
    Lesson(
        "twice",
        say("Trap two at once"),
        say("One piece can trap in each direction. Trap two pieces with one move."),
        say("One move can trap up to four pieces, one in each direction."),
        "PA8",
        ("a3", "b3", "c1", "c2", "e5", "e1"),
        {"kind": "trapped", "from": "c2"},
        ("c3",),
        options=SMALL,
    ),
    Lesson(
        "shift",
        say("Move when nothing is left"),
        say("Your reserve is empty, so now you move a piece, as far as you like. Trap the piece on b4."),
        say("A piece that moved has to rest in your next turn."),
        "PA4",
        ("a4", "e5", "b1", "d5", "c1", "c5", "d1", "a5", "e2", "b4"),
        {"kind": "trapped"},
        ("e2-c4",),
        options=SMALL,
    ),
    Lesson(
        "path",
        say("Join your edges"),
        say("Complete a chain of your pieces from the bottom edge to the top edge. Diagonals do not count."),
        say("A chain from edge to edge wins at once."),
        "PA10",
        ("c1", "a1", "c2", "a2", "c3", "a3", "c4", "e5"),
        {"kind": "ended", "word": "path"},
        ("c5",),
        options=SMALL,
    ),
)

CARDS = (
    Card("pathagon-piece-1", "-26 -26 52 52", say("a piece of the first player, who joins bottom and top")),
    Card("pathagon-piece-2", "-26 -26 52 52", say("a piece of the second player, who joins left and right")),
    Card("pathagon-moon", "-14 -14 28 28", say("this piece moved last turn and rests now")),
    Card("pathagon-closed", "-26 -26 52 52", say("closed for one turn: a piece was trapped here")),
)
