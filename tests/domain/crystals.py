"""Positions of crystals as drawings: a row of fields a seat, each field as what is on it.

`.` is an empty field, `1s` the scout of seat 1 (`m` miner, `t` tower, `r` rider, `a` archer), `*2` a mine of seat 2.
A row begins with its seat's START. Characters that are not drawn are in the base; attackers not drawn are riders.
"""

from collections.abc import Mapping
from random import Random
from types import MappingProxyType

from plyscribe.domain.ruleset import Over, Roll
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.domain.rulesets.crystals_v1.state import ARCHER, MOVE, RIDER, ROLL, Setup, State
from plyscribe.domain.rulesets.crystals_v1.track import lay_track
from tests.domain.rules import Rules

LETTERS = "smtr"
RULES = Rules(CRYSTALS_V1)
start, play, legal, refuse = RULES.start, RULES.play, RULES.legal, RULES.refuse


def begun(seats: int, first: int = 1, **options: object) -> State:
    """The first turn of a match in which all chose riders and deployed scouts; the seat `first` begins."""
    opening = [*["choose rider"] * seats, *["spawn scout"] * seats]
    return play(start(seats, **options), *opening, *(1 if seat == first else 2 for seat in range(1, seats + 1)))


def position(
    drawing: str,
    *,
    seat: int = 1,
    roll: int = 0,
    xp: Mapping[str, int] = MappingProxyType({}),
    crystals: tuple[int, ...] = (0, 0, 0, 0),
    teleport: int = 5,
    ply_limit: int | None = 2000,
) -> State:
    """The state that the drawing shows: the seat has to move by `roll`, or to roll where there is none.

    `xp` holds the experience of classes that have more than one.
    """
    rows = [row.split() for row in drawing.strip().splitlines()]
    seats, fields = len(rows), [token for row in rows for token in row]
    at, experience, mines, attackers = [0] * 4 * seats, [1] * 4 * seats, [0] * seats, [RIDER] * seats
    for field, token in enumerate(fields, 1):
        if token[0] == "*":
            mines[int(token[1]) - 1] |= 1 << field
        elif token != ".":
            at[character(token)] = field
        if token[-1] == "a":
            attackers[int(token[0]) - 1] = ARCHER
    for token, points in xp.items():
        experience[character(token)] = points
    return State(
        setup=Setup(lay_track(seats, len(rows[0]), teleport), ply_limit),
        ply=100,
        left=(),
        phase=MOVE if roll else ROLL,
        seat=seat,
        actor=seat,
        roll=roll,
        extra=roll == 6,
        attackers=tuple(attackers),
        at=tuple(at),
        experience=tuple(experience),
        mines=tuple(mines),
        crystals=crystals[:seats],
        due=(0,) * seats,
        attack=None,
        contest=None,
        over=None,
    )


def character(token: str) -> int:
    return 4 * (int(token[0]) - 1) + LETTERS.index(token[1].replace("a", "r"))


def draw(state: State) -> str:
    """The drawing of a state, as `position` reads it."""
    view = CRYSTALS_V1.view(state)
    contents = {field: f"*{seat}" for seat, mines in enumerate(view["mines"], 1) for field in mines}
    for seat, own in enumerate(view["characters"], 1):
        contents |= {character["at"]: f"{seat}{name[0]}" for name, character in own.items()}
    section = view["fields"] // len(view["starts"])
    rows = [[contents.get(field, ".") for field in range(first, first + section)] for first in view["starts"]]
    return "\n".join(" ".join(row) for row in rows)


def require_board(state: State, drawing: str) -> None:
    assert draw(state) == "\n".join(" ".join(row.split()) for row in drawing.strip().splitlines())


def play_on(state: State, random: Random) -> State:
    """The state after the awaited roll, or a sampled move."""
    if isinstance(CRYSTALS_V1.turn(state), Roll):
        return CRYSTALS_V1.apply_roll(state, (random.randint(1, 6),))
    return CRYSTALS_V1.apply_move(state, CRYSTALS_V1.sample_move(state, random.randrange))


def roll_for(purpose: str, seat: int) -> Roll:
    return Roll(6, 1, purpose, seat)


def is_over(state: State, reason: str, *ranks: int) -> bool:
    return CRYSTALS_V1.turn(state) == Over(reason, ranks)
