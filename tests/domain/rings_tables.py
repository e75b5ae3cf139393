"""Positions of rings in short notation, for tests.

Units are written as `b1:1WW top:2R`: the field, the seat, a letter a unit. If nothing else is said, slots 1 to 3 of all
rings are light, 4 and 5 medium, 6 and 7 heavy, and START n is attached to slot 2n - 1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from plyscribe.domain.ruleset import Decision, Over, Roll, Turn
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from plyscribe.domain.rulesets.rings_v1.board import ALL_UNITS, FIELDS, KINDS, NO_TERRAIN, SEAT
from plyscribe.domain.rulesets.rings_v1.state import Setup, State, lay_table
from tests.domain.rules import Rules

RULES = Rules(RINGS_V1)
start, play, legal, refuse = RULES.start, RULES.play, RULES.legal, RULES.refuse
FLAT = ["LLLMMHH"] * 4
ALLIES = "b3:1W b4:2B b5:3W"
"""Seats 1 and 3 beside a blocker of seat 2."""
UNITS = {name[0].upper(): unit for name, unit in KINDS.items()}


def table(
    units: str = "",
    *,
    seats: int = 2,
    on_turn: int = 1,
    dice: str | Mapping[int, str] = "MM",
    uses: int = 2,
    round: int = 5,
    pass_: int = 1,
    starts: Sequence[int] = (1, 3, 5, 7),
    terrain: Sequence[str] = FLAT,
    supply: Mapping[int, str] | None = None,
    points: Sequence[int] | None = None,
    scoring: str = "race",
    target: int = 30,
    casualties: str = "supply",
    ply_limit: int | None = None,
) -> State:
    """A position in which `on_turn` decides; what is not on the board is in supply, if that is not given."""
    setup = Setup(seats, scoring, target, casualties, ply_limit)
    state = lay_table(setup, "".join(terrain) + NO_TERRAIN)
    fields, reserves = list(state.units), [ALL_UNITS] * seats
    for token in units.split():
        field, _, letters = token.partition(":")
        seat, count = int(letters[0]), sum(UNITS[letter] for letter in letters[1:])
        fields[FIELDS[field]] = (seat << SEAT) + count
        reserves[seat - 1] -= count
    for seat, letters in (supply or {}).items():
        reserves[seat - 1] = sum(UNITS[letter] for letter in letters)
    held = {on_turn: dice} if isinstance(dice, str) else dice
    return state._replace(
        starts=tuple(slot - 1 for slot in starts[:seats]),
        units=tuple(fields),
        supply=tuple(reserves),
        dice=tuple(tuple(map(held.get(seat, "").count, "RMT")) for seat in range(1, seats + 1)),  # type: ignore[misc]
        round=round,
        pass_=pass_,
        uses=uses,
        points=tuple(points or (0,) * seats),
        turn=Decision(on_turn),
    )


def draw(state: State) -> str:
    """The units on the board as `table` takes them."""
    told = RINGS_V1.view(state)["units"].items()
    return " ".join(f"{field}:{units['seat']}{spell(units)}" for field, units in told)


def spell(units: Mapping[str, int]) -> str:
    """Units of a view, a letter each."""
    return "".join(name[0].upper() * units[name] for name in KINDS)


def spell_dice(state: State, seat: int) -> str:
    """The dice of a seat, a letter each."""
    return "".join(die * number for die, number in RINGS_V1.view(state)["dice"][seat - 1].items())


def spell_supply(state: State, seat: int) -> str:
    """The supply of a seat, a letter a unit."""
    return spell(RINGS_V1.view(state)["supply"][seat - 1])


def turn(state: State) -> Turn:
    return RINGS_V1.turn(state)


def over(state: State) -> Over:
    ended = turn(state)
    assert isinstance(ended, Over)
    return ended


def round_roll(seat: int) -> Roll:
    return Roll(6, 4, "round", seat)


def look(state: State, key: str) -> Any:
    """The value of a key of the view."""
    return RINGS_V1.view(state)[key]


def ends(state: State, prefix: str) -> str:
    """Where the legal moves that begin so end, such as `b1 b2`."""
    return " ".join(text.removeprefix(prefix) for text in legal(state, prefix))
