"""Crystals: every way to break a rule."""

from tests.domain.breaches import Breach

SMALL = {"section": 8, "teleport": 7}
CHOSEN = "choose rider; choose archer"
DEPLOYED = f"{CHOSEN}; spawn rider; spawn tower"
BEGUN = f"{DEPLOYED}; roll 1; roll 2"
"""Seat 1 rolls next, with its rider on START."""

MOVED = f"{BEGUN}; roll 6; move rider"
"""The rider of seat 1 has gone from 1 to 7, and START is empty."""

KILLED = f"{MOVED}; spawn scout; roll 3; move rider"
"""The rider has killed the tower of seat 2 on its START from afar."""

ATTACKED = f"{DEPLOYED}; roll 2; roll 1; roll 1; move tower; spawn scout; roll 6; move rider; spawn scout; roll 3; \
move rider"
"""The rider attacks the tower of seat 2 on 10, which covers itself."""

LEARNED = "choose archer; choose archer; spawn miner; spawn tower; roll 5; roll 6; roll 3; move miner; spawn archer; \
roll 6; move tower; spawn miner; roll 5; move tower; xp scout; roll 4; move archer; spawn miner; roll 3; move tower; \
roll 6; move miner; roll 1; xp scout; spawn tower; roll 6; move miner; roll 3; move archer; roll 1; xp scout; roll 3; \
move miner; xp scout; spawn scout; roll 2; move archer; roll 5; move miner"
"""A seat has a point to give, and its scout has five."""

BREACHES = [
    Breach(None, "", "choose tower", "choose, spawn, move or xp, then a class, as in move scout"),
    Breach("CR14", "", "move scout", "seat 1 must choose an attacker now. Choose rider or archer."),
    Breach("CR14", CHOSEN, "choose rider", "seat 1 must put the first character on START now. Spawn one."),
    Breach(
        "CR5",
        CHOSEN,
        "spawn archer",
        "the attacker of seat 1 is the rider, not the archer. Name a class that the seat has.",
    ),
    Breach("CR14", DEPLOYED, "spawn scout", "seat 1 must roll for the first turn now. Go on after the roll."),
    Breach("CR14", BEGUN, "move rider", "seat 1 must roll now. Move after the roll."),
    Breach(
        "CR14", f"{BEGUN}; roll 6", "spawn scout", "seat 1 must move by the roll now. Move a character on the loop."
    ),
    Breach("CR7", f"{BEGUN}; roll 6", "move scout", "the scout is in the base. Move a character that is on the loop."),
    Breach(
        "CR7",
        f"{BEGUN}; roll 6",
        "move archer",
        "the attacker of seat 1 is the rider, not the archer. Name a class that the seat has.",
    ),
    Breach(
        "CR14", MOVED, "move rider", "seat 1 must fill the empty START now. Spawn a character from the base.", SMALL
    ),
    Breach("CR6", MOVED, "spawn rider", "the rider is already on the loop. Spawn one that is in the base.", SMALL),
    Breach(
        "CR10",
        f"{MOVED}; spawn scout; roll 6",
        "move scout",
        "the scout would end on 7, where another character of its seat stands. Move another one.",
        SMALL,
    ),
    Breach("CR14", KILLED, "spawn miner", "seat 1 must give out experience now. Name a class after xp.", SMALL),
    Breach(
        "CR14",
        f"{KILLED}; xp rider",
        "move scout",
        "seat 2 must fill the empty START now. Spawn a character from the base.",
        SMALL,
    ),
    Breach(
        "CR6",
        f"{KILLED}; xp rider",
        "spawn rider",
        "the attacker of seat 2 is the archer, not the rider. Name a class that the seat has.",
        SMALL,
    ),
    Breach("CR14", ATTACKED, "move scout", "seat 2 must roll for the defence now. Go on after the roll.", SMALL),
    Breach(
        "CR19",
        LEARNED,
        "xp scout",
        "the scout has 5 experience, the most there is. Name another class.",
        {"section": 8},
    ),
    Breach(
        "CR19",
        LEARNED,
        "xp rider",
        "the attacker of seat 2 is the archer, not the rider. Name a class that the seat has.",
        {"section": 8},
    ),
    Breach("CR14", f"{BEGUN}; withdraw 1", "move rider", "the match is over, so nobody can move"),
]
