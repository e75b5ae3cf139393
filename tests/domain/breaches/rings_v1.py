"""Rings: every way to break a rule."""

from plyscribe.domain.proofs.playthrough import read_steps
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from tests.domain.breaches import Breach
from tests.domain.prove import subject_of

FLAT = {"terrain": ["LLLMMHH"] * 4}
OUT = {"terrain": ["LLLMHMH", "HLLLMHM", "LLLHHMM", "LLMLMHH"], "target": 100, "casualties": "out"}
EXPECTED = (
    "R +runner, M warrior s1-b2, M ally 3 b3xb4, accept b5, decline, T spin b +, T start a5, T swap a1 b1, drop R or, "
    "before the first round, start a3"
)
WAIT = "the dice are rolled first. Move after the roll."
OVER = "the match is over, so nobody can move"

STARTS = "start a3; start a1"
RECRUITS = "roll 1 1 1 1; roll 1 1 1 1"
IDLE = f"{RECRUITS}; {'; '.join(['drop R'] * 8)}"
"""A round in which nothing happens."""
WARRIOR = "R +warrior; M warrior s1-a1"
BLOCKER = "R +blocker; M blocker s2-a2"
BESIDE = f"start a2; start a1; roll 1 3 3 3; roll 1 3 3 3; {WARRIOR}; {BLOCKER}"
"""A warrior of seat 1 on a1, beside a blocker of seat 2 on a2."""
PAIR = f"start a2; start a1; roll 1 1 3 3; roll 1 3 3 3; R +warrior; R +warrior; {BLOCKER}"
"""Two warriors of seat 1 on its START, and the blocker on a2."""
ALLIES = (
    "start a3; start a2; start a1; roll 1 3 3 3; roll 1 3 3 3; roll 1 3 3 3; "
    f"{WARRIOR}; {BLOCKER}; R +warrior; M warrior s3-a3"
)
"""Warriors of seats 1 and 3 on both sides of the blocker."""
CLIMB = (
    "roll 1 3 3 3; roll 1 1 1 1; R +warrior; M warrior s1-b1; R +warrior; R +warrior; "
    "M warrior b1-d1; M warrior d1-top; drop R; drop R"
)
"""A round in which a warrior of seat 1 goes to top."""
ON_TOP = f"{STARTS}; {CLIMB.removesuffix('; drop R; drop R')}"
EVERYONE_OUT = "; ".join(
    step.removeprefix("move ") for step in read_steps(subject_of(RINGS_V1).read("playthrough-everyone-is-out.txt"))
)

BREACHES = [
    Breach(None, "", "+runner", EXPECTED),
    Breach(None, "", "M ally 3 b3xb4", EXPECTED),
    # dice
    Breach("RI3", "", "start a3", WAIT),
    Breach("RI5", STARTS, "R +warrior", WAIT, FLAT),
    Breach("RI17", f"{ALLIES}; M ally 3 a1xa2; accept a3", "decline", WAIT, FLAT, 3),
    # STARTs
    Breach("RI4", "", "R +warrior", "the STARTs are attached first. Choose a field for yours, as in start a3.", FLAT),
    Breach("RI4", "", "start b1", "b1 is not in ring a. Attach the START to a field of that ring.", FLAT),
    Breach("RI4", "start a3", "start a3", "a3 has a START already. Attach yours to another field of ring a.", FLAT),
    Breach(
        "RI4",
        f"{STARTS}; {RECRUITS}",
        "start a2",
        "the STARTs are attached already. Move yours with a turn die, as in T start a3.",
        FLAT,
    ),
    Breach(
        "RI20",
        f"{STARTS}; roll 5 5 5 5; roll 1 1 1 1",
        "T start top",
        "top is not in ring a. Attach the START to a field of that ring.",
        FLAT,
    ),
    Breach(
        "RI20",
        f"{STARTS}; roll 5 5 5 5; roll 1 1 1 1",
        "T start a3",
        "a3 has a START already. Attach yours to another field of ring a.",
        FLAT,
    ),
    # dice and what they pay for
    Breach("RI7", f"{STARTS}; {RECRUITS}", "drop M", "seat 1 has no M to drop. Drop a die that is left.", FLAT),
    Breach(
        "RI8",
        f"{STARTS}; roll 1 3 5 5; roll 1 1 1 1",
        "T +warrior",
        "this costs R, M or TT. Pay with the dice that seat 1 has for it: R, M or TT.",
        FLAT,
    ),
    Breach(
        "RI8",
        f"{STARTS}; roll 1 3 5 5; roll 1 1 1 1; R +warrior",
        "R warrior s1-a1",
        "this costs M or TT. Pay with the dice that seat 1 has for it: M or TT.",
        FLAT,
    ),
    Breach(
        "RI8",
        f"{STARTS}; roll 1 3 5 5; roll 1 1 1 1",
        "M spin a +",
        "this costs T. Pay with the dice that seat 1 has for it: T.",
        FLAT,
    ),
    Breach(
        "RI8",
        f"{STARTS}; {RECRUITS}; R +warrior",
        "R warrior s1-a1",
        "this costs M or TT, and seat 1 has no dice for it. Use the other dice for something else.",
        FLAT,
    ),
    Breach(
        "RI8",
        f"{STARTS}; {RECRUITS}",
        "R spin a +",
        "this costs T, and seat 1 has no dice for it. Use the other dice for something else.",
        FLAT,
    ),
    Breach(
        "RI8",
        f"{PAIR}; M warrior s1-a2",
        "R warrior s1-a2",
        "this costs M or TT. Pay with the dice that seat 1 has for it: M.",
        FLAT,
    ),
    # recruits
    Breach(
        "RI9",
        f"{STARTS}; {RECRUITS}",
        "R +runner",
        "runners are recruited from round 3 on. Recruit a warrior or blocker.",
        FLAT,
    ),
    Breach(
        "RI9",
        f"{STARTS}; {RECRUITS}; R +blocker; R +blocker; R +warrior; R +warrior",
        "R +blocker",
        "seat 1 has no blocker left in supply. Recruit another unit.",
        FLAT,
    ),
    # moves
    Breach(
        "RI10", BESIDE, "M warrior a2-a3", "seat 1 has no warrior on a2. Start from a field where one stands.", FLAT
    ),
    Breach("RI10", BESIDE, "M warrior a1-s1", "no unit moves to a START. Choose a field of a ring, or top.", FLAT),
    Breach(
        "RI10", BESIDE, "M warrior a1-a1", "a move does not end on a1, where it begins. Choose another field.", FLAT
    ),
    Breach(
        "RI10",
        BESIDE,
        "M warrior a1-a4",
        "a4 is too far from a1 for a warrior. Choose a field at a distance of at most 2.",
        FLAT,
    ),
    Breach(
        "RI11",
        f"start a2; start a1; {IDLE}; {IDLE}; roll 1 3 3 3; roll 1 3 3 3; R +runner; M runner s1-a1; {BLOCKER}",
        "M runner a1-a2",
        "enemies stand on a2, and a runner does not attack. End its move on a field without enemies.",
        FLAT,
    ),
    Breach(
        "RI12", BESIDE, "M warrior a1-a7", "a7 is heavy terrain. Move the warrior to light or medium terrain.", FLAT
    ),
    Breach(
        "RI12",
        "start a2; start a6; roll 1 3 3 3; roll 1 3 3 3; R +warrior",
        "M warrior s1-a5",
        "heavy terrain or enemies are in the way of the warrior to a5. Choose a field with a free way.",
        FLAT,
    ),
    Breach(
        "RI13",
        "start a2; start a4; roll 1 3 3 3; roll 1 3 3 3; R +blocker",
        "M blocker s1-a4",
        "a4 is not light terrain. Move the blocker to light terrain.",
        FLAT,
    ),
    Breach(
        "RI13",
        f"start a2; start a1; roll 1 3 3 3; roll 1 3 3 3; R +blocker; M blocker s1-a1; {BLOCKER}",
        "M blocker a1-a2",
        "enemy warriors or blockers stand on a2. Move the blocker where at most runners stand.",
        FLAT,
    ),
    Breach(
        "RI14",
        f"{STARTS}; {CLIMB}; {CLIMB[: CLIMB.index('; M warrior d1-top')]}",
        "M warrior d1-top",
        "top is full: it has room for 1. Choose another field.",
        FLAT,
    ),
    # fights
    Breach(
        "RI16",
        BESIDE,
        "M warrior a1-a2",
        "a blocker falls to two warriors only, and no second one can enter a2 in the next use. "
        "Attack when two warriors, two uses and the dice for both are at hand.",
        FLAT,
    ),
    Breach(
        "RI16",
        f"{PAIR}; M warrior s1-a2",
        "drop M",
        "the attack on a2 needs a second warrior now. Move one there.",
        FLAT,
    ),
    Breach(
        "RI16",
        f"{PAIR}; M warrior s1-a2",
        "M warrior b2-a2",
        "seat 1 has no warrior on b2 that can reach a2. Choose one that can.",
        FLAT,
    ),
    Breach(
        "RI17",
        BESIDE,
        "decline",
        "nobody has proposed an alliance, so there is nothing to answer. Choose another move.",
        FLAT,
    ),
    Breach(
        "RI17",
        BESIDE,
        "M ally 2 a1xa2",
        "an alliance takes three seats in play. Attack with two warriors of your own.",
        FLAT,
    ),
    Breach(
        "RI17",
        ALLIES,
        "M ally 2 a1xa2",
        "the blocker of a third seat must be on a2, next to warriors of seat 1 on a1 and of seat 2. "
        "Name an attack for which this is so.",
        FLAT,
        3,
    ),
    Breach(
        "RI17",
        f"{ALLIES}; M ally 3 a1xa2; decline",
        "M ally 3 a1xa2",
        "an alliance was declined in this turn. Propose one in a later turn.",
        FLAT,
        3,
    ),
    Breach(
        "RI17",
        f"{ALLIES}; M ally 3 a1xa2",
        "drop M",
        "seat 3 is asked for an alliance. Accept it with a warrior next to a2, or decline.",
        FLAT,
        3,
    ),
    Breach(
        "RI17",
        f"{ALLIES}; M ally 3 a1xa2",
        "accept b2",
        "seat 3 has no warrior on b2 that is next to a2. Name the field of one that is, or decline.",
        FLAT,
        3,
    ),
    # terrain
    Breach(
        "RI21",
        f"{STARTS}; roll 5 5 5 5; roll 1 1 1 1",
        "T swap a1 c1",
        "a1 and c1 are no neighbours in the rings. Choose two that are.",
        FLAT,
    ),
    Breach(
        "RI21",
        f"{STARTS}; roll 5 5 5 5; roll 1 1 1 1",
        "T swap a1 a2",
        "a1 and a2 have the same terrain. Choose two fields that differ.",
        FLAT,
    ),
    Breach(
        "RI21",
        f"{STARTS}; roll 1 3 5 5; roll 1 1 1 1; {WARRIOR}; drop R; drop R",
        "T swap a1 a7",
        "a unit on a1 or a7 would stand on terrain that it cannot enter. Choose other fields.",
        FLAT,
    ),
    # the end
    Breach("RI22", ON_TOP, "drop R", OVER, {**FLAT, "target": 1}),
    Breach("RI23", ON_TOP, "drop R", OVER, {**FLAT, "target": 1, "scoring": "countdown"}),
    Breach("RI24", "start a3", "start a1", OVER, {**FLAT, "ply_limit": 1}),
    Breach("RI25", "withdraw 2", "start a1", OVER),
    Breach("RI26", EVERYONE_OUT, "drop R", OVER, OUT),
]
