"""Portals, version 1: enter, build a way, launch it, go to CENTER and off it, clear the board, obey the die."""

from plyscribe.domain.phrases import say
from plyscribe.service.lessons.lesson import Card, Lesson

SMALL = {"radius": 2, "first": 1}
ALONE = {**SMALL, "pool": 1}

LESSONS = (
    Lesson(
        "enter",
        say("Bring in a pawn"),
        say("Your pawns wait in your pool. Put one on your START, the blue corner."),
        say("A START takes one pawn only. It has to leave before the next one can enter."),
        "PO7",
        (),
        {"kind": "entered"},
        ("enter",),
        options={**SMALL, "pool": 3},
    ),
    Lesson(
        "build",
        say("Build a portal and launch it"),
        say(
            "Orange has built a portal with an arrow from its START and an arrow to CENTER. "
            "Build the same for your pawn on d3. Launch it in your next turn."
        ),
        say("A launch takes a pawn from where arrows come in, and puts one where arrows lead to."),
        "PO4",
        ("enter", "portal b3 <a3 >c3"),
        {"kind": "arrived", "to": "c3"},
        ("portal d3 <e3 >c3", "launch d3"),
        options=ALONE,
        answers=("enter",),
    ),
    Lesson(
        "launch",
        say("From one pawn, two"),
        say(
            "Two arrows lead out of your portal. Launch it so that a pawn arrives at both ends: "
            "first put one where the arrow comes in."
        ),
        say(
            "Every arrow in takes a pawn of yours, every arrow out gives you one. "
            "Your pool pays for what is missing, and gets what is left over."
        ),
        "PO6",
        ("portal d3 <e3 >c3", "platform d4 <d3"),
        {"kind": "supplied"},
        ("enter", "launch d3"),
        options={**SMALL, "pool": 3},
        answers=("enter",),
    ),
    Lesson(
        "center",
        say("To CENTER and off again"),
        say(
            "You win once a pawn of yours has gone from CENTER to your pool and none of them is left on the board. "
            "Do it in two turns."
        ),
        say(
            "A pawn on CENTER has to leave in your next turn: you may do nothing else. "
            "It was your only pawn on the board, so you win."
        ),
        "PO8",
        ("enter", "portal b3 <a3 >c3", "portal d3 <e3 >c3", "platform b2 <b3"),
        {"kind": "ended", "word": "cleared"},
        ("launch d3", "exit"),
        options={**SMALL, "pool": 2},
        answers=("enter",),
    ),
    Lesson(
        "clear",
        say("Clear the board"),
        say(
            "The star in your pool says that you have been to CENTER. Get your last pawn off the board with one launch."
        ),
        say("A portal without an arrow out sends pawns back to the pool. With none left on the board, you win."),
        "PO11",
        (
            "portal d3 <e3 >c3",
            "platform d4 <d3",
            "enter",
            "portal c4 <d4 >c3",
            "launch d3",
            "portal d5 <d4",
            "exit",
            "enter",
        ),
        {"kind": "ended", "word": "cleared"},
        ("launch d5",),
        options={**SMALL, "pool": 3},
    ),
    Lesson(
        "dice",
        say("Do what the die says"),
        say(
            "With dice, 1 to 3 is for building, 4 to 6 for launching, 7 for entering, 8 for leaving CENTER. "
            "You rolled 2: build what will get your last pawn off the board, and win with your next roll."
        ),
        say("Orange could do nothing with its roll and was passed over. So be ready for what you may roll."),
        "PO19",
        (
            (1,),
            "portal d3 <e3 >c3",
            (2,),
            "platform d4 <d3",
            (7,),
            "enter",
            (7,),
            "enter",
            (4,),
            "launch d3",
            (5,),
            (8,),
            "exit",
            (6,),
            (2,),
        ),
        {"kind": "ended", "word": "cleared"},
        ("portal d5 <d4", "launch d5"),
        options={**SMALL, "pool": 3, "dice": True},
        dice=((5,), (6,)),
    ),
)

CARDS = (
    Card("portals-pawn-1", "0 0 32 41", say("a pawn, in the colour of its player")),
    Card("portals-start-1", "-22 -20 44 44", say("a START, in the colour of its player: pawns come in here")),
    Card("portals-center", "-24 -23 48 50", say("CENTER: one of your pawns has to go from here to the pool")),
    Card("portals-star", "-12 -12 24 24", say("a gold star in a pool: its player has been to CENTER")),
    Card("portals-dais", "-22 -20 44 44", say("a platform: pawns stand on it")),
    Card("portals-gate", "-29 -27 58 58", say("a portal: a launch takes pawns through it, along its arrows")),
    Card("portals-way-1", "-13 -13 26 26", say("an arrow: into a portal, or out of it"), "portals-arrow"),
    Card("portals-demon", "0 0 32 41", say("a demon, in the demons variant: it helps every player like an own pawn")),
    Card("portals-die", "-29 -31 58 62", say("the die, in the dice variant: it says what the turn is for")),
)
