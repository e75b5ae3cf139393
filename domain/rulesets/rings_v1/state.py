"""What a position of rings is, and the draft in which its units are moved about."""

from typing import Any, NamedTuple

from plyscribe.domain.ruleset import Decision, Turn
from plyscribe.domain.rulesets.rings_v1.board import ALL_UNITS, HAS, NO_TERRAIN, RINGS, SEAT, SLOTS, TOP, start_of

Dice = tuple[int, int, int]
"""How many R, M and T."""

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
    """RI16, between the two moves: the field that is attacked, and where the first warrior came from."""

    at: int
    source: int


class Alliance(NamedTuple):
    """RI17: the proposal of `seat`; `backer` is the field of the ally's warrior once it accepted."""

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
    """A letter a field as far as the rings are laid; once all are, NO_TERRAIN for `top` behind them."""
    starts: tuple[int | None, ...]
    """The field of ring a to which each seat's START is attached."""
    units: tuple[int, ...]
    """A number a field: what stands there, and whose it is."""
    supply: tuple[int, ...]
    """A number a seat, which counts units as those of fields do."""
    dice: tuple[Dice, ...]
    """What each seat has left."""
    round: int
    pass_: int
    uses: int
    points: tuple[int, ...]
    engaged: Engaged | None
    alliance: Alliance | None
    declined: bool
    turn: Turn

    @property
    def in_play(self) -> list[int]:
        """The seats that have not left, ascending."""
        return [seat for seat in range(1, self.setup.seats + 1) if seat not in self.left]


def lay_table(setup: Setup, terrain: str) -> State:
    """The table before anything is rolled or attached; what comes first is still to be said."""
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
    """The terrain with one more ring; the fourth one has `top` inside."""
    terrain += letters
    return terrain + NO_TERRAIN if len(terrain) == TOP else terrain


def list_own(state: State, seat: int) -> list[int]:
    """The fields with units of the seat, in order."""
    return [field for field, units in enumerate(state.units) if units >> SEAT == seat]


def list_rings(terrain: str) -> list[str | None]:
    """The letters of each ring, None for one that is not laid."""
    return [terrain[SLOTS * ring : SLOTS * (ring + 1)] or None for ring in range(len(RINGS))]


class Forces:
    """The units of all seats, on the board and in supply, as they change by one move."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.units = list(state.units)
        self.supply = list(state.supply)

    def has(self, field: int, kind: int) -> int:
        """Whether such a unit stands there."""
        return self.units[field] & HAS[kind]

    def owner(self, field: int) -> int:
        """Whose units stand there, 0 on an empty field."""
        return self.units[field] >> SEAT

    def put(self, field: int, seat: int, kind: int) -> None:
        """One more unit of the seat on the field."""
        self.units[field] = (self.units[field] or seat << SEAT) + kind

    def take(self, field: int, kind: int) -> None:
        """One unit less on the field."""
        left = self.units[field] - kind
        self.units[field] = left if left & (1 << SEAT) - 1 else 0

    def lose(self, seat: int, kind: int) -> None:
        """A unit that is on no field any more goes where the option `casualties` says."""
        if self._state.setup.casualties != OUT:
            self.supply[seat - 1] += kind

    def remove(self, field: int, kind: int) -> None:
        """A unit on the field is removed by a fight."""
        seat = self.owner(field)
        self.take(field, kind)
        self.lose(seat, kind)

    def settle(self, **changes: Any) -> State:
        """The state with the units as they stand now, and further changes."""
        return self._state._replace(units=tuple(self.units), supply=tuple(self.supply), **changes)
