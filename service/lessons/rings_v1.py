"""Rings, version 1: bring in a unit, walk, turn the ground, fight, break a blocker, and hold the summit."""

from plyscribe.domain.phrases import say
from plyscribe.service.lessons.lesson import Card, Lesson

RECRUITS, TO_MOVE = (1, 1, 1, 1), (1, 1, 3, 3)
"""What four dice show: recruit dice alone, or as many move dice."""
QUIET = (RECRUITS, RECRUITS, *("drop R",) * 8)
"""A round in which nobody does anything."""
NOT_NOW = ("drop R",) * 4
"""A first pass in which both seats wait for the second one."""

LESSONS = (
    Lesson(
        "recruit",
        say("Bring in a warrior"),
        say("Attach your START to a field of the outer ring. Then the dice fall: bring in a warrior from your supply."),
        say("It stands on your START. In a turn you act twice, and what you do costs dice: here it was a recruit die."),
        "RI9",
        ("start a1",),
        {"kind": "recruited", "piece": "warrior"},
        ("start a4", "R +warrior"),
        options={"terrain": ["LMHLLMH", "MLHLLHM", "LLMLMHH", "LLHLMMH"]},
        dice=(RECRUITS, RECRUITS),
    ),
    Lesson(
        "walk",
        say("Walk round the mountains"),
        say(
            "For a move die a warrior walks one or two steps, inwards or to the side, but not into mountains. "
            "Walk to ring c with your two move dice."
        ),
        say("A runner walks up to three steps over any ground. A blocker walks one step, over light ground alone."),
        "RI12",
        ("start a1", "start a4", TO_MOVE, RECRUITS, "R +warrior", "drop R", "R +warrior", "drop R"),
        {"kind": "moved", "to": "c5"},
        ("M warrior s1-a5", "M warrior a5-c5"),
        options={"terrain": ["LLHLMMH", "MLLHLMH", "LMLHLMH", "LMLHLMH"]},
    ),
    Lesson(
        "turn",
        say("Turn the ground"),
        say(
            "Mountains part your warrior from the summit in the middle. Turn ring d by one of its arrows, so that an "
            "open field comes before your warrior. Then walk to the summit."
        ),
        say(
            "A turn die turns a ring by one field, with all that stands on it. "
            "It can also swap two terrains, or move your START."
        ),
        "RI19",
        (
            *("start a1", "start a4", (1, 3, 3, 3), RECRUITS),
            *("R +warrior", "M warrior s1-b4", "R +warrior", "drop R"),
            *("M warrior b4-c4", "drop M", "drop R", "drop R"),
            *((1, 1, 3, 5), RECRUITS, *NOT_NOW),
        ),
        {"kind": "moved", "to": "top"},
        ("T spin d -", "M warrior c4-top"),
        options={"terrain": ["LMHLLMH", "HLMLMLH", "LLMLMHH", "LLHHLMM"]},
    ),
    Lesson(
        "attack",
        say("Choose your fight"),
        say(
            "You attack by walking onto enemies. If you attack a warrior, both warriors are removed. "
            "Attack the runner of Orange instead."
        ),
        say("A warrior removes all runners on the field and stays there. Removed units go back to the supply."),
        "RI15",
        (
            *("start a6", "start a4", (1, 1, 1, 3), (1, 3, 3, 3)),
            *("R +warrior", "M warrior s1-b4", "R +warrior", "M warrior s2-b6"),
            *("drop R", "drop R", "M warrior b6-c5", "M warrior c5-c4"),
            *QUIET,
            *((1, 1, 1, 3), (1, 1, 1, 3), "drop R", "drop R", "R +runner", "M runner s2-b6"),
        ),
        {"kind": "killed", "piece": "runner"},
        ("M warrior b4-b6",),
        options={"terrain": ["LMHLMLH", "HMHLMLL", "LLHMLMH", "LLHHLMM"]},
    ),
    Lesson(
        "blocker",
        say("Break a blocker"),
        say("A blocker falls only to two warriors that attack it in the same turn. Attack it with both of yours."),
        say("You lose one of the two warriors, and the other one takes the field."),
        "RI16",
        (
            *("start a5", "start a4", TO_MOVE, (1, 3, 3, 3)),
            *("R +warrior", "R +warrior", "R +blocker", "M blocker s2-a5"),
            *("M warrior s1-b4", "M warrior s1-a4", "M blocker a5-b5", "drop M"),
            *(TO_MOVE, RECRUITS, *NOT_NOW),
        ),
        {"kind": "killed", "piece": "blocker"},
        ("M warrior b4-b5", "M warrior a4-b5"),
        options={"terrain": ["LMHLLMH", "HMHLLLM", "LLHLMMH", "LLHHLMM"]},
    ),
    Lesson(
        "summit",
        say("Hold the summit"),
        say(
            "If your turn ends with a warrior or a blocker on the summit, you get one point; with a runner, two. "
            "Two points win here. Take your runner to the summit: mountains and enemies do not stop it."
        ),
        say("In a match you need 30 points: get to the summit, and stay there turn after turn."),
        "RI22",
        (
            *("start a5", "start a4", (1, 3, 3, 3), (1, 3, 3, 3)),
            *("R +warrior", "M warrior s1-b4", "R +blocker", "M blocker s2-a5"),
            *("M warrior b4-c3", "M warrior c3-d3", "M blocker a5-b5", "M blocker b5-b4"),
            *QUIET,
            *(TO_MOVE, RECRUITS, "R +runner", "drop R", "drop R", "drop R"),
        ),
        {"kind": "ended", "word": "points"},
        ("M runner s1-c4", "M runner c4-top"),
        options={"terrain": ["LMHLLMH", "HMLLLHM", "LLMHLMH", "LLLHMMH"], "target": 2},
    ),
)

UNIT, TILE = "-1 -1 42 50", "-1 -1 42 42"

CARDS = (
    Card("rings-runner-1", UNIT, say("a runner: up to three steps, over any ground and any units")),
    Card("rings-warrior-1", UNIT, say("a warrior: up to two steps, not into mountains; it attacks")),
    Card("rings-blocker-1", UNIT, say("a blocker: one step, over light ground; it falls to two warriors")),
    Card("rings-light", TILE, say("light ground: open to all")),
    Card("rings-medium", TILE, say("medium ground: not for blockers")),
    Card("rings-heavy", TILE, say("mountains, the heavy ground: for runners alone")),
    Card("rings-floor", "8 8 84 84", say("the summit: units that stay here earn points")),
    Card("rings-die-R", TILE, say("a recruit die: brings a unit from your supply to your START")),
    Card("rings-die-M", TILE, say("a move die: moves a unit")),
    Card(
        "rings-die-T",
        TILE,
        say("a turn die: turns a ring, swaps two terrains or moves your START; two of them count as a move die"),
    ),
    Card("rings-token", "-1 -1 18 18", say("an action that is left in this turn")),
    Card("rings-round", "-31 -30 62 64", say("the round, and a dot for each of its two passes: you act twice in each")),
    Card("rings-crown", "0 0 30 30", say("points")),
)
