"""The mats of Rings: what each seat has beside the board, in the corners or below."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from markupsafe import Markup

from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.figures import KINDS, TALL, Thing, lay_box, mark_thing


class Plan(NamedTuple):
    """Where everything is on a mat, and how large."""

    outline: str
    head: tuple[int, int, int]
    points: tuple[int, int, int]
    dice: tuple[int, int, int, int]
    supply: tuple[int, int, int, int]
    words: int
    tokens: tuple[str, str]
    """What shows how many uses of the turn are left."""


class Dice(NamedTuple):
    """The dice of one class that a seat has left."""

    touch: str
    box: Markup
    dice: list[Thing]


class Supply(NamedTuple):
    """The units of one kind that a seat has beside the board."""

    touch: str
    box: Markup
    unit: Thing
    number: int
    at: tuple[int, int]


class Mat(NamedTuple):
    """What a seat has beside the board."""

    seat: int
    plan: Plan
    points: int
    dice: list[Dice]
    supply: list[Supply]
    waits: bool
    left: bool
    moves: bool
    uses: int
    last: bool


OWN = Plan(
    "M24 716H696a14 14 0 0 1 14 14V786a14 14 0 0 1-14 14H24a14 14 0 0 1-14-14V730a14 14 0 0 1 14-14Z",
    head=(50, 758, 25),
    points=(86, 769, 30),
    dice=(196, 733, 50, 57),
    supply=(438, 732, 43, 92),
    words=28,
    tokens=("M166 743a8 8 0 0 1 16 0a8 8 0 0 1-16 0", "M166 773a8 8 0 0 1 16 0a8 8 0 0 1-16 0"),
)
"""The mat below the board."""
OTHERS = (
    Plan(
        "M706 10H514V27A362 362 0 0 1 632 118H710V14Z",
        head=(688, 32, 16),
        points=(650, 112, 20),
        dice=(550, 18, 27, 29),
        supply=(590, 56, 24, 38),
        words=17,
        tokens=("M635 97a5 5 0 0 1 10 0a5 5 0 0 1-10 0", "M635 110a5 5 0 0 1 10 0a5 5 0 0 1-10 0"),
    ),
    Plan(
        "M14 700H206V681A362 362 0 0 1 88 592H10V696Z",
        head=(32, 678, 16),
        points=(18, 612, 20),
        dice=(54, 664, 27, 29),
        supply=(16, 622, 24, 38),
        words=17,
        tokens=("M75 599a5 5 0 0 1 10 0a5 5 0 0 1-10 0", "M75 612a5 5 0 0 1 10 0a5 5 0 0 1-10 0"),
    ),
    Plan(
        "M706 700H514V681A362 362 0 0 0 632 592H710V696Z",
        head=(688, 678, 16),
        points=(650, 612, 20),
        dice=(550, 664, 27, 29),
        supply=(590, 622, 24, 38),
        words=17,
        tokens=("M635 599a5 5 0 0 1 10 0a5 5 0 0 1-10 0", "M635 612a5 5 0 0 1 10 0a5 5 0 0 1-10 0"),
    ),
)
"""The mats in the corners. Their edges follow the board."""


def list_mats(view: dict[str, Any], last: LastMove | None, home: int, mover: int | None) -> Iterator[Mat]:
    """The mats of all seats, the one of `home` below the board; `mover` is the seat that decides, if there is one."""
    alliance = view["alliance"]
    on_turn = view["units"][alliance["from"]]["seat"] if alliance else mover
    seats = range(1, len(view["points"]) + 1)
    for seat, plan in zip((home, *seats[home:], *seats[: home - 1]), (OWN, *OTHERS), strict=False):
        yield Mat(
            seat,
            plan,
            view["points"][seat - 1],
            list(_list_dice(view["dice"][seat - 1], seat, plan)),
            list(_list_supply(view["supply"][seat - 1], seat, plan)),
            view["starts"][seat - 1] is None,
            seat in view["left"],
            seat == mover,
            view["uses"] if seat == on_turn else 0,
            last is not None and last.seat == seat and last.move.startswith(("drop", "decline")),
        )


def _list_dice(held: dict[str, int], seat: int, plan: Plan) -> Iterator[Dice]:
    left, top, side, step = plan.dice
    for kind, number in held.items():
        if number:
            dice = [
                Thing(
                    kind,
                    lay_box(left + at * step, top, side, side),
                    mark_thing(f"die-{seat}-{kind}-{at}", f"dice-{seat}", seat),
                )
                for at in range(number)
            ]
            yield Dice(f"die:{kind}", lay_box(left - 1, top - 1, number * step - (step - side) + 2, side + 2), dice)
            left += number * step


def _list_supply(held: dict[str, int], seat: int, plan: Plan) -> Iterator[Supply]:
    left, top, width, step = plan.supply
    height = round(TALL * width)
    for at, kind in enumerate(KINDS):
        x = left + at * step
        marks = mark_thing(f"supply-{seat}-{kind}-x{held[kind]}", f"supply-{seat}", seat)
        unit = Thing(f"{kind}-{seat}", lay_box(x, top, width, height), marks)
        number_at = x + width + 1, top + round(0.5 * height + 0.36 * plan.words)
        yield Supply(f"{kind}:supply", lay_box(x - 2, top - 3, step - 2, height + 6), unit, held[kind], number_at)
