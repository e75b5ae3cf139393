"""Rings: an id for each notation that the board allows, and a line of fields."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from plyscribe.domain.rulesets.rings_v1.board import (
    BORDERS,
    FIELDS,
    KIND_NAMES,
    KINDS,
    NEXT,
    RINGS,
    RUNNER,
    SLOTS,
    TOP,
    WARRIOR,
    start_of,
)
from plyscribe.domain.rulesets.rings_v1.moves import (
    Accept,
    Attach,
    Decline,
    Drop,
    Move,
    Propose,
    Recruit,
    Settle,
    Spin,
    Swap,
    Walk,
    format_move,
)
from plyscribe.domain.rulesets.rings_v1.payments import DICE
from plyscribe.envs.spaces.action_ids import Catalogue
from plyscribe.envs.spaces.planes import Array, Board, Planes, Scene, count_planes, name_seats, spread, squash

PAYMENTS = ("R", "M", "TT")
STEPS = {RUNNER: 3, WARRIOR: 2}
"""The most steps of a kind; a blocker takes one."""


def make_actions(options: dict[str, Any], seats: int) -> Catalogue:
    """Setup, recruits, walks, proposals, answers, rings, STARTs, swaps and drops, in this order.

    Walks and proposals lead only as far as the unit can get; a START counts as next to every field of ring a.
    """
    return Catalogue(format_move(move) for move in _list_moves(seats))


def _list_moves(seats: int) -> Iterator[Move]:
    sources = range(start_of(seats) + 1)
    yield from (Settle(field) for field in range(SLOTS))
    yield from (Recruit(pay, kind) for pay, kind in product(PAYMENTS, KINDS.values()))
    for pay, (kind, source) in product(PAYMENTS, product(KINDS.values(), sources)):
        yield from (Walk(pay, kind, source, target) for target in _reach(source, STEPS.get(kind, 1)))
    if seats > 2:  # two seats have no ally
        for pay, ally, source in product(PAYMENTS, range(1, seats + 1), sources):
            yield from (Propose(pay, ally, source, at) for at in _reach(source, 1))
        yield from map(Accept, sources)
        yield Decline()
    yield from (Spin("T", ring, step) for ring, step in product(range(len(RINGS)), (1, -1)))
    yield from (Attach("T", field) for field in range(SLOTS))
    yield from (Swap("T", one, two) for one, two in BORDERS)
    yield from map(Drop, DICE)


def _reach(source: int, steps: int) -> list[int]:
    """The fields where a unit from here can end, in order, on any terrain."""
    reached = {source} if source <= TOP else set(range(SLOTS))
    for _ in range(steps if source <= TOP else steps - 1):
        reached |= {beside for field in reached for beside in NEXT[field]}
    return sorted(reached - {source})


def make_board(options: dict[str, Any], seats: int) -> Board:
    """Planes of a line: a1..a7, b1..b7, c1..c7, d1..d7, `top`, then the START of each seat, seat 1 first."""
    length = start_of(seats) + 1
    places = (length,)

    def read_terrain(scene: Scene) -> Array:
        letters = "".join(ring or "-" * SLOTS for ring in scene.view["terrain"]).ljust(length, "-")
        return np.stack([np.frombuffer(letters.encode(), np.uint8) == ord(letter) for letter in "LMH"])

    def read_starts(scene: Scene) -> Array:
        planes = np.zeros((2 * seats, length), np.float32)
        for row, slot in enumerate(scene.from_here(scene.view["starts"])):
            if slot is not None:
                planes[row, slot - 1] = 1
        for row, seat in enumerate(scene.from_here(range(1, seats + 1))):
            planes[seats + row, start_of(seat)] = 1
        return planes

    def read_units(scene: Scene) -> Array:
        planes = np.zeros((seats, 3, length), np.float32)
        for name, units in scene.view["units"].items():
            planes[scene.distance(units["seat"]), :, FIELDS[name]] = _divide(units)
        return planes.reshape(-1, length)

    def read_supplies(scene: Scene) -> Array:
        return spread([part for supply in scene.from_here(scene.view["supply"]) for part in _divide(supply)], places)

    def read_dice(scene: Scene) -> Array:
        hands = scene.from_here(scene.view["dice"])
        return spread([hand[die] / 4 for hand in hands for die in DICE], places)

    def read_points(scene: Scene) -> Array:
        return spread([points / (options["target"] + 1) for points in scene.from_here(scene.view["points"])], places)

    def read_clock(scene: Scene) -> Array:
        view = scene.view
        return spread([squash(view["round"]), view["pass"] / 2, view["uses"] / 2, float(view["declined"])], places)

    def read_attack(scene: Scene) -> Array:
        planes = np.zeros((5, length), np.float32)
        engaged, alliance = scene.view["engaged"] or {}, scene.view["alliance"] or {}
        named = (engaged.get("at"), engaged.get("from"), alliance.get("at"), alliance.get("from"), alliance.get("with"))
        for row, name in enumerate(named):
            if name is not None:
                planes[row, FIELDS[name]] = 1
        return planes

    def read_alliance(scene: Scene) -> Array:
        alliance = scene.view["alliance"] or {}
        ally = scene.distance(alliance["ally"]) if alliance else None
        paid = [float(alliance.get("pay") == pay) for pay in PAYMENTS]
        return spread([*(float(ally == distance) for distance in range(seats)), *paid], places)

    kinds = tuple(KIND_NAMES.values())
    return Board(
        places,
        [
            Planes(("light", "medium", "heavy"), "1 on fields with this terrain; 0 before it is laid", read_terrain),
            Planes(
                (*name_seats("slot of the START", seats), *name_seats("place of the START", seats)),
                "1 on the field of ring a that the START is attached to; 1 on the place of the START in these planes",
                read_starts,
            ),
            Planes(
                tuple(f"{kind}s{whose}" for whose in name_seats("", seats) for kind in kinds),
                "units on each field, divided by all of the kind that a seat has: 2, 5 and 2",
                read_units,
            ),
            Planes(
                tuple(f"{kind}s in supply{whose}" for whose in name_seats("", seats) for kind in kinds),
                "units in supply, divided likewise",
                read_supplies,
            ),
            Planes(
                tuple(f"{die} dice{whose}" for whose in name_seats("", seats) for die in DICE),
                "dice left, divided by 4",
                read_dice,
            ),
            Planes(name_seats("points", seats), "points divided by (target + 1)", read_points),
            Planes(
                ("round", "pass", "uses", "declined"),
                "round r as r / (1 + r); pass and uses left divided by 2; 1 after a declined proposal",
                read_clock,
            ),
            Planes(
                ("engaged at", "engaged from", "alliance at", "alliance from", "backed from"),
                "1 on the field: of a pair's first warrior (RI16), then of a proposal (RI17)",
                read_attack,
            ),
            Planes(
                (*name_seats("alliance with", seats), *(f"alliance paid with {pay}" for pay in PAYMENTS)),
                "1 for the ally of a proposal, and for what it was paid with",
                read_alliance,
            ),
            *count_planes(places, seats, options["ply_limit"]),
        ],
    )


def _divide(units: dict[str, int]) -> list[float]:
    return [units["runner"] / 2, units["warrior"] / 5, units["blocker"] / 2]
