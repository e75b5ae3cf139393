"""The board of Rings: its fields, their neighbours, and how units on a field are counted.

Fields are numbers: a1..a7 are 0..6, b1..b7 are 7..13, and so on inwards; `top` is 28, and the STARTs s1..s4 are 29..32.
"""

from itertools import permutations

RINGS = "abcd"
SLOTS = 7
TOP = 28
NAMES = (*(f"{ring}{slot}" for ring in RINGS for slot in range(1, SLOTS + 1)), "top", "s1", "s2", "s3", "s4")
FIELDS = {name: field for field, name in enumerate(NAMES)}

HEAVY = "H"
NO_TERRAIN = "-"
"""The letter for the terrain of `top`, after the letters of the rings."""
ARRANGEMENTS = tuple("".join(letters) for letters in sorted(set(permutations("HHLLLMM"))))
"""RI3: the terrain of each value of the terrain roll."""

RUNNER, WARRIOR, BLOCKER = 1, 4, 32
"""What a unit adds to the number of a field, which has two bits for runners, three for warriors, two for blockers."""
SEAT = 7
"""The bits of a field's number from this one on are the seat of its units; an empty field is 0."""
KINDS = {"runner": RUNNER, "warrior": WARRIOR, "blocker": BLOCKER}
KIND_NAMES = {unit: name for name, unit in KINDS.items()}
HAS = {RUNNER: 0b11, WARRIOR: 0b111_00, BLOCKER: 0b11_000_00}
RUNNERS, WARRIORS, BLOCKERS = HAS.values()
ALL_UNITS = 2 * RUNNER + 5 * WARRIOR + 2 * BLOCKER
"""The supply of a seat before the first round."""
NUMBER = tuple((units & 3) + (units >> 2 & 7) + (units >> 5 & 3) for units in range(1 << SEAT)) * 5
"""The number of units on a field, by its number without the seat."""
KINDS_AMONG = tuple(tuple(kind for kind in HAS if units & HAS[kind]) for units in range(1 << SEAT)) * 5
"""The kinds of these units."""
CAPACITY = (*(5,) * SLOTS, *(4,) * SLOTS, *(3,) * SLOTS, *(2,) * SLOTS, 1, *(99,) * 4)
"""RI14."""


def count(units: int, kind: int) -> int:
    """The number of units of a kind, in a field's number."""
    return (units & HAS[kind]) // kind


def start_of(seat: int) -> int:
    """The START of a seat."""
    return TOP + seat


def _list_next(field: int) -> tuple[int, ...]:
    if field == TOP:
        return tuple(range(TOP - SLOTS, TOP))
    ring, slot = divmod(field, SLOTS)
    beside = [SLOTS * ring + (slot + step) % SLOTS for step in (1, -1)]
    outward = [field - SLOTS] if ring else []
    inward = field + SLOTS if ring < len(RINGS) - 1 else TOP
    return tuple(sorted([*outward, *beside, inward]))


NEXT = tuple(_list_next(field) for field in range(TOP + 1))
"""The neighbours of each field (RI2), without the STARTs, which are next to the fields that they are attached to."""


def _list_within(field: int, steps: int) -> tuple[int, ...]:
    reached = {field}
    for _ in range(steps):
        reached |= {beside for known in reached for beside in NEXT[known]}
    return tuple(sorted(reached))


RUNS = tuple(tuple(end for end in _list_within(field, 3) if end != field) for field in range(TOP + 1))
"""RI10, RI11: the fields where three steps end."""
FIRST_RUNS = tuple(_list_within(field, 2) for field in range(SLOTS))
"""The fields where they end for a runner whose START is attached to this field of ring a."""
BORDERS = tuple((field, other) for field in range(TOP) for other in NEXT[field] if field < other < TOP)
"""RI21: the pairs of adjacent ring fields."""
