"""The hexagons of one radius, and the numbers that stand for sets of fields and nets of arrows.

A field is a number, and a set of fields is the number with the bits of its fields. A field has neighbours in six
directions, and a set of directions is six bits. The arrows between a field and its neighbours are twelve bits: the
lower six are the directions that arrows come in from, the upper six those that arrows go out to.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from plyscribe.domain.rulesets.portals_v1.moves import BARE, WORDS, Move

EVERY_DIRECTION = 63


@dataclass(frozen=True, slots=True)
class Board:
    """The geometry of one radius (PO1).

    Numbers of the fields at radius 2, where a row takes six:

        e          33  34  35
        d        26  27  28  29
        c      19  20  21  22  23  5
        b        13  14  15  16  4
        a           7   8   9  3
                      1   2

    A field's number is six times its row (a is 1) plus its number in the row. The sixth number of a row is not a field,
    so a step beyond the end of a row leads nowhere. Each step adds one of these numbers; its direction is the bit of
    its place in `steps`:

         6   7       bit 4   5
        -1   ·   1       2   ·   3
        -7  -6           0   1

    A net is twelve lanes of `lane` bits. Bit f of lane d (0..5) says that an arrow leads into portal f from its
    neighbour in direction d; bit f of lane 6 + d says that an arrow leads from it to that neighbour. This tests all
    portals at once: `a_set * board.come` has bit f of lane d if the neighbour of f in direction d is in the set, and
    `a_set * board.go` has the same in the upper lanes.
    """

    radius: int
    stride: int = field(compare=False, repr=False)
    """The numbers that a row takes."""
    names: dict[int, str] = field(compare=False, repr=False)
    """The name of each field, in the order of notation."""
    numbers: dict[str, int] = field(compare=False, repr=False)
    everywhere: int = field(compare=False, repr=False)
    center: int = field(compare=False, repr=False)
    corners: tuple[int, ...] = field(compare=False, repr=False)
    """Clockwise from the upper left."""
    steps: tuple[int, ...] = field(compare=False, repr=False)
    """The step to the neighbour in each direction, ascending, so neighbours come in the order of notation."""
    origin: int = field(compare=False, repr=False)
    """The difference between a field and its lowest neighbour."""
    star: int = field(compare=False, repr=False)
    """The neighbours of the field `origin`."""
    reach: tuple[int, ...] = field(compare=False, repr=False)
    """By directions: the neighbours of the field `origin` that they lead to."""
    directions: dict[int, int] = field(compare=False, repr=False)
    """The inverse of `reach`."""
    lane: int = field(compare=False, repr=False)
    come: int = field(compare=False, repr=False)
    go: int = field(compare=False, repr=False)
    rays: int = field(compare=False, repr=False)
    """Bit 0 of every lane."""
    of_portal: dict[int, int] = field(compare=False, repr=False)
    """By arrows: the net of a portal on field 0 with these arrows."""
    of_platform: dict[int, int] = field(compare=False, repr=False)
    """By arrows: the net of the portals round a platform on field 0 with these arrows."""
    arrows: dict[int, int] = field(compare=False, repr=False)
    """The inverse of `of_portal`."""
    passages: dict[int, tuple[int, int]] = field(compare=False, repr=False)
    """By the net of a portal on field 0: its entries and its exits, as if it stood on the field `origin`."""
    plain: dict[str, Move] = field(compare=False, repr=False)
    """The move of every notation that lists no fields."""
    lists: dict[int, tuple[str, ...]] = field(compare=False, repr=False)
    """For each field, by directions: the names of these neighbours, as listed in notation."""
    spelled: dict[str, dict[str, int]] = field(compare=False, repr=False)
    """For each field by name: the arrows of a list of neighbours with its `<` or `>`."""


@cache
def lay_board(radius: int) -> Board:
    """The board with this number of rings round its centre."""
    size, stride = 2 * radius + 1, 2 * radius + 2
    names = {
        stride * (row + 1) + number: f"{chr(97 + row)}{number}"
        for row in range(size)
        for number in range(max(1, row - radius + 1), min(size, row + radius + 1) + 1)
    }  # PO1
    numbers = {name: number for number, name in names.items()}
    steps = (-stride - 1, -stride, -1, 1, stride, stride + 1)
    origin, lane = stride + 1, stride * (size + 3)
    reach = tuple(sum(1 << origin + steps[d] for d in range(6) if dirs >> d & 1) for dirs in range(64))
    come = sum(1 << d * lane - step for d, step in enumerate(steps))
    of_portal = {arrows: sum(1 << bit * lane for bit in range(12) if arrows >> bit & 1) for arrows in ARROWS}
    lists = {number: tuple(",".join(_neighbours(names, number, steps, dirs)) for dirs in range(64)) for number in names}
    return Board(
        radius,
        stride,
        names,
        numbers,
        everywhere=sum(1 << number for number in names),
        center=stride * (radius + 1) + radius + 1,  # PO2
        corners=tuple(
            stride * (row + 1) + number
            for row, number in (
                (2 * radius, radius + 1),
                (2 * radius, size),
                (radius, size),
                (0, radius + 1),
                (0, 1),
                (radius, 1),
            )
        ),
        steps=steps,
        origin=origin,
        star=reach[EVERY_DIRECTION],
        reach=reach,
        directions={places: dirs for dirs, places in enumerate(reach)},
        lane=lane,
        come=come,
        go=come << 6 * lane,
        rays=sum(1 << bit * lane for bit in range(12)),
        of_portal=of_portal,
        of_platform={arrows: sum(_turned(arrows, steps, lane)) for arrows in ARROWS},
        arrows={net: arrows for arrows, net in of_portal.items()},
        passages={net: (reach[arrows & EVERY_DIRECTION], reach[arrows >> 6]) for arrows, net in of_portal.items()},
        plain=dict(_spell_plain(numbers)),
        lists=lists,
        spelled={name: dict(_spell_arrows(lists[number])) for name, number in numbers.items()},
    )


def _arrows() -> Iterator[int]:
    for choice in product((0, 1, 1 << 6), repeat=6):
        yield sum(arrow << direction for direction, arrow in enumerate(choice))


ARROWS = tuple(sorted(_arrows()))
"""All ways to draw arrows to six neighbours, at most one to each, including no arrows."""


def _arrows_within(directions: int) -> tuple[int, ...]:
    return tuple(arrows for arrows in ARROWS[1:] if not (arrows | arrows >> 6) & EVERY_DIRECTION & ~directions)


ARROWS_WITHIN = tuple(_arrows_within(directions) for directions in range(64))
"""By directions: all ways to draw at least one arrow, in these directions only."""


def _turned(arrows: int, steps: tuple[int, ...], lane: int) -> Iterator[int]:
    """The arrows of a platform on field 0, each as the bit of the portal at its other end."""
    for direction, step in enumerate(steps):
        opposite = 5 - direction
        if arrows >> direction & 1:
            yield 1 << (6 + opposite) * lane + step
        if arrows >> 6 + direction & 1:
            yield 1 << opposite * lane + step


def _neighbours(names: dict[int, str], number: int, steps: tuple[int, ...], directions: int) -> Iterator[str]:
    for direction, step in enumerate(steps):
        if directions >> direction & 1 and number + step in names:
            yield names[number + step]


def _spell_plain(numbers: dict[str, int]) -> Iterator[tuple[str, Move]]:
    for kind, word in enumerate(WORDS):
        if kind in BARE:
            yield word, (kind, 0, 0)
        else:
            yield from ((f"{word} {name}", (kind, number, 0)) for name, number in numbers.items())


def _spell_arrows(lists: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for directions in range(63, 0, -1):  # The smallest set with a text wins, because it has real neighbours only.
        if lists[directions]:
            yield "<" + lists[directions], directions
            yield ">" + lists[directions], directions << 6


def each(fields: int) -> Iterator[int]:
    """The numbers of the fields in a set, ascending, as in notation."""
    while fields:
        lowest = fields & -fields
        yield lowest.bit_length() - 1
        fields ^= lowest


def join(fields: Iterable[int]) -> int:
    """The set of the fields with these numbers."""
    return sum(1 << number for number in fields)


def find_beside(board: Board, fields: int) -> int:
    """The neighbours of the fields in a set, and numbers that are not fields."""
    up, down = fields << board.stride, fields >> board.stride
    return up | down | (fields | up) << 1 | (fields | down) >> 1


def find_neighbours(board: Board, number: int, fields: int) -> int:
    """The directions of those neighbours of a field that are in the set."""
    return board.directions[fields >> number - board.origin & board.star]


def find_arrows(board: Board, net: int, portal: int) -> int:
    """The arrows of a portal."""
    return board.arrows[net >> portal & board.rays]


def find_passage(board: Board, net: int, portal: int) -> tuple[int, int]:
    """The entries and the exits of a portal."""
    come, go = board.passages[net >> portal & board.rays]
    shift = portal - board.origin
    return come << shift, go << shift


def find_unblocked(board: Board, net: int, portals: int, usable: int, free: int) -> int:
    """The portals whose entries are all in `usable` and whose exits are all in `free`."""
    lane = board.lane
    blocked = net ^ net & (usable * board.come | free * board.go)
    blocked |= blocked >> 6 * lane
    blocked |= blocked >> 3 * lane
    blocked |= blocked >> lane | blocked >> 2 * lane
    return portals ^ portals & blocked


def find_fed(board: Board, net: int, fields: int) -> int:
    """The portals into which an arrow leads from any of the fields, and bits that are not portals."""
    lane = board.lane
    fed = net & fields * board.come
    fed |= fed >> 3 * lane
    return (fed | fed >> lane | fed >> 2 * lane) & (1 << lane) - 1


def find_exits(board: Board, net: int, portals: int) -> int:
    """The platforms to which arrows lead from any of the portals."""
    found = 0
    for direction, step in enumerate(board.steps):
        ends = net >> (6 + direction) * board.lane & portals
        found |= ends << step if step > 0 else ends >> -step
    return found
