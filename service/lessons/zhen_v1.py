"""Zhen, version 1: put, move together, reach the goal exactly, join, undo nothing, and leave no action."""

from plyscribe.domain.phrases import say
from plyscribe.service.lessons.lesson import Card, Lesson

LESSONS = (
    Lesson(
        "put",
        say("Put a cube"),
        say(
            "In each turn you put a cube from your reserve on an empty tile, or you move the cubes of a tile. "
            "Put a cube."
        ),
        say("A new cube always takes an empty tile. Cubes meet when they move."),
        "ZH4",
        ("+2", "+3"),
        {"kind": "placed"},
        ("+4",),
        options={"tiles": 4, "cubes": 3},
    ),
    Lesson(
        "move",
        say("Move together"),
        say(
            "All cubes on a tile move together towards your goal: one step for each of your own cubes among them. "
            "Bring an orange cube to tile 1."
        ),
        say("Two blue cubes made two steps. Orange cubes come along, but they add no steps."),
        "ZH2",
        ("+3", "+1", "+5", "+4", "5-4", "+2", "4-3", "1-2", "+4", "2-4"),
        {"kind": "carried", "to": "1"},
        ("3-1",),
        options={"tiles": 5, "cubes": 4},
    ),
    Lesson(
        "goal",
        say("Reach your goal"),
        say(
            "Each orange cube in your goal counts for you. Bring one in: the number of steps must fit exactly, "
            "and blue cubes cannot enter alone."
        ),
        say("The player with more enemy cubes in their own goal wins. Blue cubes in the blue goal count for nothing."),
        "ZH3",
        ("+2", "+1", "+3", "1-2", "3-2", "+1", "+3", "2-3", "+2", "1-2", "+1", "+4"),
        {"kind": "captured"},
        ("3-goal",),
        options={"tiles": 4, "cubes": 5},
    ),
    Lesson(
        "join",
        say("Join your cubes"),
        say("Bring the orange cube into your goal in two turns. Tile 3 is three steps away from it."),
        say("A blue cube more on the tile is a step more. Steps that lead beyond the goal are not allowed."),
        "ZH3",
        ("+2", "+1", "+3", "1-2", "+4", "2-3"),
        {"kind": "captured"},
        ("4-3", "3-goal"),
        options={"tiles": 5, "cubes": 3},
        answers=("+5",),
    ),
    Lesson(
        "undo",
        say("Never move straight back"),
        say(
            "Orange has just moved the cubes of tile 2 to tile 3. You may not undo that. "
            "Carry another orange cube towards your goal."
        ),
        say("You may not restore what was there before the enemy's last turn. One turn later, you may."),
        "ZH5",
        ("+4", "+3", "4-3", "3-4", "+3", "+2", "3-2", "2-3"),
        {"kind": "carried"},
        ("4-3",),
        options={"tiles": 4, "cubes": 3},
    ),
    Lesson(
        "win",
        say("Leave no action"),
        say(
            "Orange has no cube in reserve, and the two on tile 4 would go too far. "
            "Take away its only other move, and you win."
        ),
        say(
            "Orange cannot act, so all cubes on the tiles go into your goal. "
            "It has three orange cubes now, the goal of Orange has no blue one: you win."
        ),
        "ZH7",
        ("+3", "+1", "3-2", "+3", "2-1", "+4", "+2", "3-4"),
        {"kind": "ended", "word": "blocked"},
        ("1-goal",),
        options={"tiles": 4, "cubes": 3},
    ),
)

CARDS = (
    Card("zhen-foot-1", "-30 -42 60 64", say("a cube of the first player, who moves towards tile 1")),
    Card("zhen-foot-2", "-30 -42 60 64", say("a cube of the second player, who moves the other way")),
    Card("zhen-home-1", "-67 -67 134 134", say("the goal of the first player: only cubes of the second count here")),
    Card("zhen-home-2", "-67 -67 134 134", say("the goal of the second player: only cubes of the first count here")),
)
