"""Crystals, version 1: fill START and move, attack, teleport, move a short way, attack from afar, and come home."""

from plyscribe.domain.phrases import say
from plyscribe.service.lessons.lesson import Card, Lesson

SMALL = {"section": 8}
"""The shortest loop."""
APART = (
    *("choose rider", "choose archer", "spawn scout", "spawn scout", (1,), (2,)),
    *((6,), "move scout", "spawn miner", (2,), "move miner", "spawn tower"),
    *((3,), "move scout", "spawn miner"),
)
"""Blue has its scout on 7, its miner on 3 and its tower on START; the scout of Orange is on 12, its miner on START."""

LESSONS = (
    Lesson(
        "turn",
        say("Fill START, then move"),
        say(
            "You rolled a six, so you have another turn. First put a character from your base on your START, which is "
            "empty. Then the die falls: move your scout."
        ),
        say("In each turn you move one character clockwise, as far as the die says."),
        "CR7",
        ("choose rider", "choose archer", "spawn scout", "spawn tower", (1,), (2,), (6,), "move scout"),
        {"kind": "moved", "piece": "scout"},
        ("spawn miner", "move scout"),
        options=SMALL,
        dice=((3,),),
    ),
    Lesson(
        "attack",
        say("Land on an enemy"),
        say(
            "The die shows 5. Move the character that lands exactly on the scout of Orange. "
            "Then give the point that you earn to one of your classes."
        ),
        say(
            "The enemy goes back to its base. A class with two points is on level 2, with five points on level 3. "
            "You win if all four of your classes are on level 3."
        ),
        "CR11",
        (*APART, (5,)),
        {"kind": "levelled"},
        ("move scout", "xp scout"),
        options=SMALL,
    ),
    Lesson(
        "teleport",
        say("Take the teleport"),
        say(
            "The die shows 3. A character that stops exactly on a teleport goes on to the next one. "
            "Attack the archer of Orange, which stands on a teleport."
        ),
        say("Only the field where a move ends counts. Whoever passes over a teleport does not take it."),
        "CR9",
        (
            *("choose rider", "choose archer", "spawn scout", "spawn archer", (1,), (2,)),
            *((2,), "move scout", "spawn tower"),
            *((6,), "move archer", "spawn scout", (6,), "move archer", (1,), "move archer", (3,)),
        ),
        {"kind": "killed", "piece": "archer"},
        ("move scout",),
        options=SMALL,
    ),
    Lesson(
        "mine",
        say("Move a short way"),
        say(
            "The die shows 1. A scout that moves so little gets another turn, and a miner leaves a mine behind. "
            "Leave a mine."
        ),
        say(
            "An enemy that stops on the mine dies. The level says which moves are short: "
            "one step on level 1, up to three steps on level 3."
        ),
        "CR18",
        (*APART, (1,)),
        {"kind": "mined"},
        ("move miner",),
        options=SMALL,
    ),
    Lesson(
        "afar",
        say("Attack from afar"),
        say(
            "The die shows 3. Behind the wall of its tower, an enemy may be saved by a roll. After its move, your "
            "archer attacks the field ahead of it. Kill the scout of Orange, which no tower covers."
        ),
        say(
            "A tower covers four fields to each side. A rider attacks backwards, an archer forwards: "
            "one field on level 1, three on level 3."
        ),
        "CR16",
        (
            *("choose archer", "choose rider", "spawn scout", "spawn scout", (1,), (2,)),
            *((2,), "move scout", "spawn archer"),
            *((6,), "move scout", "spawn tower", (6,), "move scout", (4,), "move tower", "spawn miner"),
            *((4,), "move scout", (1,), "move miner", "spawn rider", (3,)),
        ),
        {"kind": "killed-from-afar"},
        ("move archer",),
        options=SMALL,
        dice=((1,),),
    ),
    Lesson(
        "home",
        say("Bring a crystal home"),
        say(
            "The die shows 5. A character that gets all the way round comes home and takes a crystal, even if the die "
            "shows more than it needs. Take your third crystal."
        ),
        say("Three crystals win at once."),
        "CR8",
        (
            *("choose archer", "choose rider", "spawn scout", "spawn scout", (1,), (2,)),
            *((6,), "move scout", "spawn miner", (6,), "move scout", (6,), "move scout"),
            *((6,), "move miner", "spawn tower", (6,), "move miner", (6,), "move miner"),
            *((6,), "move tower", "spawn scout", (6,), "move tower", (3,), "move scout", "spawn archer"),
            *((2,), "move scout", "spawn rider", (5,)),
        ),
        {"kind": "ended", "word": "crystals"},
        ("move tower",),
        options=SMALL,
    ),
)

FIGURE = "-20.5 -22 42 42"

CARDS = (
    Card("crystals-scout", FIGURE, say("the scout: a move no longer than its level gives another turn")),
    Card("crystals-miner", FIGURE, say("the miner: after a move no longer than its level, it leaves a mine behind")),
    Card("crystals-tower", FIGURE, say("the tower: a roll may save it and its friends nearby, behind the wall")),
    Card("crystals-rider", FIGURE, say("the rider: attacks those behind it, too")),
    Card("crystals-archer", FIGURE, say("the archer: attacks those ahead of it, too")),
    Card("crystals-level-2", "-15 4 30 19", say("the level of a character, from one dot to three")),
    Card("crystals-xp-5", "-24 -58 57 57", say("experience of a class: from two points level 2, with five level 3")),
    Card(
        "crystals-start",
        "-14 -14 32 28",
        say("a START: characters of its colour begin here and go clockwise"),
        "seat-1-line",
    ),
    Card("crystals-gate", "-18 -20 36 38", say("a home: whoever has gone round takes a crystal here")),
    Card("crystals-portal", "-22 -22 44 44", say("a teleport: whoever stops here goes on to the next one")),
    Card("crystals-mine", "-18 -18 36 36", say("a mine: kills whoever stops here, but not its owner's characters")),
    Card("crystals-stone", "-21 -21 42 42", say("a crystal: three win")),
)
