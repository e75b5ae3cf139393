"""Portals: every way to break a rule."""

from typing import Any

from tests.domain.breaches import Breach

FIRST = {"radius": 2, "first": 1}
"""Radius 2: CENTER is c3, START of seat 1 is e3 and START of seat 2 is a3."""
DEMONS = {**FIRST, "demons": True}
DICE = {**FIRST, "dice": True}
MATCH_OVER = "the match is over, so nobody can move"


def breach(clause: str | None, steps: str, move: str, says: str, options: dict[str, Any] = FIRST) -> Breach:
    return Breach(clause, steps, move, says, options)


HAUNTED = "portal c4 >c3; portal d3 <c3; platform d2 <d3; platform d4 <d3; launch c4"
"""A demon is on c3, from where d3 leads to d2 and to d4. Seat 2 is on turn."""

FULL = (
    "enter; portal d3 >c3; portal c2 <c3; platform c1 >c2; platform e4 <d3; portal d2 >c1; portal e5 >e4; enter;"
    "portal b2 >c3; portal b3 <a3; platform c4 >b3; portal d4 >c4; portal b4 >c4; platform b1 <c2; portal d5 >c4;"
    "portal c5 >c4; portal a1 >b1; portal a2 >a3"
)
"""With one pawn a seat, nobody can do anything any more."""

BREACHES = [
    breach(
        None,
        "",
        "portal d3 <e3,c3",
        "portal and a field a1..e5, then < and the platforms that arrows come from, > and those that"
        " they lead to, each list in order, as in portal d4 <c3,c4 >d5",
    ),
    breach(
        None,
        "",
        "platform h1 <d3",
        "platform and a field a1..e5, then < and the portals that arrows come from, > and those that"
        " they lead into, each list in order, as in platform d4 <c3,c4 >d5",
    ),
    breach(
        None,
        "",
        "launch d3 c3",
        "launch and the field of a portal a1..e5, as in launch d4; if demons and pawns both arrive,"
        " also the exits of the demons, in order, as in launch d4 demons d5,e5",
    ),
    breach(None, "", "enter e3", "the word enter alone"),
    breach(None, "", "exit c3", "the word exit alone"),
    breach(None, "", "pass", "portal, platform, launch, enter or exit, as in portal d4 <c3,c4 >d5, launch d4 or enter"),
    breach("PO3", "", "enter", "it is not yet decided who plays first. Roll the die for it, then move.", {}),
    breach("PO4", "portal d3 >c3", "portal d3 >e3", "d3 is not empty. Build on an empty field."),
    breach("PO4", "", "portal d3", "no arrow joins what you build. Name neighbours after < or >, as in portal d4 <c3."),
    breach("PO4", "", "portal d3 <c3,e3 >e3", "only one arrow can join d3 and e3. Name e3 once."),
    breach("PO4", "", "portal d3 <c3 >a1", "a1 is not beside d3. Name neighbours of d3 only."),
    breach("PO4", "", "portal d3 <c3,d2", "d2 has no platform. Join a portal to neighbouring platforms only."),
    breach(
        "PO4", "portal d3 >c3", "platform d2 <d3 >c2", "c2 has no portal. Join a platform to neighbouring portals only."
    ),
    breach("PO5", "", "portal b3 <a3 >c3", "a3 is the START of seat 2. Build a portal that is not joined to it."),
    breach("PO6", "", "launch d3", "there is no portal on d3. Launch one that was built."),
    breach(
        "PO6",
        "portal d3 <e3 >c3",
        "launch d3",
        "no pawn of seat 2 is on the entry e3. Fill every entry before you launch.",
    ),
    breach(
        "PO6",
        "portal d3 <e3 >c3",
        "launch d3",
        "neither a pawn of seat 2 nor a demon is on the entry e3. Fill every entry before you launch.",
        DEMONS,
    ),
    breach(
        "PO6",
        "portal d3 <e3 >c3; platform d2 <d3; enter; enter",
        "launch d3",
        "the pool of seat 1 has too few pawns for all exits. Launch another portal.",
        {**FIRST, "pool": 1},
    ),
    breach(
        "PO7", "enter; enter", "enter", "the pool of seat 1 is empty. Build or launch instead.", {**FIRST, "pool": 1}
    ),
    breach(
        "PO8",
        "portal d3 >c3; enter; launch d3; portal b3 <a3",
        "enter",
        "a pawn of seat 1 is on CENTER and must exit before anything else. Play exit.",
    ),
    breach("PO8", "", "exit", "seat 1 has no pawn on CENTER. Bring one there before you exit."),
    breach("PO9", FULL, "enter", MATCH_OVER, {**FIRST, "pool": 1}),
    breach("PO10", "enter; enter", "enter", "START on e3 cannot take a pawn of seat 1 now. Build or launch instead."),
    breach(
        "PO10",
        "portal d3 <e3 >c3; platform d2 <d3; enter; enter; portal c2 >d2; launch c2",
        "launch d3",
        "the exit d2 cannot take a pawn of seat 1. Launch another portal.",
    ),
    breach(
        "PO10",
        "portal d3 >c3; enter; launch d3; portal b3 <a3",
        "launch d3",
        "the exit c3 cannot take a demon. Launch another portal.",
        DEMONS,
    ),
    breach(
        "PO10",
        f"{HAUNTED}; portal c2 >d2; launch c2",
        "launch d3 demons d4",
        "the exits cannot take these demons and pawns, however chosen. Launch another portal.",
        DEMONS,
    ),
    breach(
        "PO10",
        f"{HAUNTED}; portal e4 >d4; launch e4",
        "launch d3 demons d2",
        "an exit cannot take what it would get. Name other exits, as in launch d3 demons d4.",
        {**DEMONS, "capacity": 2},
    ),
    breach("PO11", "portal d3 >c3; enter; launch d3; portal b3 <a3; exit", "enter", MATCH_OVER),
    breach("PO12", "enter", "enter", MATCH_OVER, {**FIRST, "ply_limit": 1}),
    breach("PO13", "withdraw 2", "enter", MATCH_OVER),
    breach(
        "PO16",
        HAUNTED,
        "launch d3",
        "each demon takes one exit of the portal. Name these exits, as in launch d3 demons d2.",
        DEMONS,
    ),
    breach(
        "PO16",
        HAUNTED,
        "launch d3 demons a1",
        "each demon takes one exit of the portal. Name these exits, as in launch d3 demons d2.",
        DEMONS,
    ),
    breach(
        "PO16",
        "portal c4 >c3",
        "launch c4 demons c3",
        "there is no choice of exits for demons here. Play launch c4 alone.",
        DEMONS,
    ),
    breach(
        "PO17",
        "portal c4 >c3; portal d3 <c3; platform d2 >d3; platform d4 <d3; launch c4; portal c2 >d2; launch c2",
        "launch d3",
        "more demons are on the entries than there are exits. Launch another portal.",
        DEMONS,
    ),
    breach(
        "PO18",
        "portal c4 >c3; enter; launch c4",
        "exit",
        "a demon on CENTER cannot exit. Launch a portal that takes it away from there.",
        DEMONS,
    ),
    breach("PO19", "", "enter", "every turn begins with a roll. Roll the die, then move.", DICE),
    breach("PO19", "roll 2", "enter", "a roll of 2 is for building. Build a portal or a platform.", DICE),
    breach("PO19", "roll 1; portal d3 >c3; roll 5", "enter", "a roll of 5 is for launching. Launch a portal.", DICE),
    breach("PO19", "roll 7", "portal d3 >c3", "a roll of 7 is for entering. Play enter.", DICE),
]
