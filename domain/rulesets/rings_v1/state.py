"""A position of Rings, and the draft in which its units move."""

from functools import cache
from itertools import compress
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import Decision, Turn
from plyscribe.domain.rulesets.rings_v1.board import ALL_UNITS, HAS, NO_TERRAIN, RINGS, SEAT, SLOTS, TOP, start_of

Dice = tuple[int, int, int]
"""The number of R, M and T."""

_NUMBERS = range(start_of(4) + 1)

COUNTDOWN = "countdown"
OUT = "out"


class Setup(NamedTuple):
    """What stays the same in a match."""

    seats: int
    scoring: str
    target: int
    casualties: str
    ply_limit: int | None


class Engaged(NamedTuple):
    """RI16, between the two moves of a pair: the attacked field, and the field that the first warrior came from."""

    at: int
    source: int


class Alliance(NamedTuple):
    """RI17: the proposal of `seat`; `backer` is the field of the ally's warrior, once the ally has accepted."""

    seat: int
    ally: int
    source: int
    at: int
    pay: str
    backer: int | None = None


class State(NamedTuple):
    """A position."""

    setup: Setup
    ply: int
    left: tuple[int, ...]
    terrain: str
    """A letter for each field of the rings laid so far; once all are laid, NO_TERRAIN for `top` as well."""
    starts: tuple[int | None, ...]
    """The field of ring a that each seat's START is attached to."""
    units: tuple[int, ...]
    """A number for each field: its units and their seat."""
    supply: tuple[int, ...]
    """A number for each seat, which counts units like that of a field."""
    dice: tuple[Dice, ...]
    """The dice that each seat has left."""
    round: int
    pass_: int
    uses: int
    points: tuple[int, ...]
    engaged: Engaged | None
    alliance: Alliance | None
    declined: bool
    turn: Turn

    @property
    def in_play(self) -> tuple[int, ...]:
        """The seats that have not left, ascending."""
        return _list_in_play(self.setup.seats, self.left)


@cache
def _list_in_play(seats: int, left: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(seat for seat in range(1, seats + 1) if seat not in left)


_PLACES = {name: place for place, name in enumerate(State._fields)}


def change(state: State, **changes: Any) -> State:
    """The state with these fields changed. `State._replace` takes twice as long."""
    values = list(state)
    for name, value in changes.items():
        values[_PLACES[name]] = value
    return tuple.__new__(State, values)


def lay_table(setup: Setup, terrain: str) -> State:
    """The position before anything is rolled or attached; the caller sets what comes first."""
    seats = setup.seats
    return State(
        setup,
        ply=0,
        left=(),
        terrain=terrain,
        starts=(None,) * seats,
        units=(0,) * (start_of(seats) + 1),
        supply=(ALL_UNITS,) * seats,
        dice=((0, 0, 0),) * seats,
        round=0,
        pass_=0,
        uses=0,
        points=(0,) * seats,
        engaged=None,
        alliance=None,
        declined=False,
        turn=Decision(seats),
    )


def lay_ring(terrain: str, letters: str) -> str:
    """The terrain with one more ring; the fourth ring adds `top`."""
    terrain += letters
    return terrain + NO_TERRAIN if len(terrain) == TOP else terrain


def list_own(state: State, seat: int) -> list[int]:
    """The fields with units of the seat, in order."""
    units = state.units
    # Most fields are empty, and `compress` is quick to skip them.
    return [field for field in compress(_NUMBERS, units) if units[field] >> SEAT == seat]


def list_rings(terrain: str) -> list[str | None]:
    """The letters of each ring; None for a ring that is not laid."""
    return [terrain[SLOTS * ring : SLOTS * (ring + 1)] or None for ring in range(len(RINGS))]


class Forces:
    """The units of all seats, on the board and in supply, while a move changes them."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.units = list(state.units)
        self.supply = list(state.supply)

    def has(self, field: int, kind: int) -> int:
        """Whether the field has a unit of this kind and seat."""
        return self.units[field] & HAS[kind]

    def owner(self, field: int) -> int:
        """The seat of the units on a field; 0 if it is empty."""
        return self.units[field] >> SEAT

    def put(self, field: int, seat: int, kind: int) -> None:
        """Put a unit of the seat on the field."""
        self.units[field] = (self.units[field] or seat << SEAT) + kind

    def take(self, field: int, kind: int) -> None:
        """Take a unit off the field."""
        left = self.units[field] - kind
        self.units[field] = left if left & (1 << SEAT) - 1 else 0

    def lose(self, seat: int, kind: int) -> None:
        """Send a unit that is off the board where the option `casualties` says."""
        if self._state.setup.casualties != OUT:
            self.supply[seat - 1] += kind

    def remove(self, field: int, kind: int) -> None:
        """Remove a unit from the field after a fight."""
        seat = self.owner(field)
        self.take(field, kind)
        self.lose(seat, kind)

    def settle(self, **changes: Any) -> State:
        """The state with these units, and with further changes."""
        return change(self._state, units=tuple(self.units), supply=tuple(self.supply), **changes)
