"""A position of Crystals, and the mutable table that computes the next one."""

from typing import NamedTuple

from plyscribe.domain.contest import Contest
from plyscribe.domain.ruleset import Decision, Over, Roll, Turn, rank_seats
from plyscribe.domain.rulesets.crystals_v1.track import Track

CLASSES = ("scout", "miner", "tower", "rider", "archer")
SCOUT, MINER, TOWER, ATTACKER = range(4)
"""The slots of a seat's characters."""
RIDER, ARCHER = 3, 4
"""The two classes that a seat's attacker can have, as places in CLASSES."""

BASE = 0
"""The place of a character that is not on a field."""
LEVELS = (0, 1, 2, 2, 2, 3)
"""The level by experience (CR3)."""
MOST_EXPERIENCE = 5
MOST_MINES = 4
ENOUGH_CRYSTALS = 3

CHOOSE, DEPLOY, FIRST = "choose", "deploy", "first"
SPAWN, ROLL, MOVE, DEFENCE, XP, RESPAWN = "spawn", "roll", "move", "defence", "xp", "respawn"
OVER = "over"

_DECISIONS: tuple[Turn, ...] = tuple(map(Decision, range(5)))


def _rolls(purpose: str) -> tuple[Turn, ...]:
    return tuple(Roll(6, 1, purpose, seat) for seat in range(5))


TURNS = {
    **dict.fromkeys((CHOOSE, DEPLOY, SPAWN, MOVE, XP, RESPAWN), _DECISIONS),
    FIRST: _rolls("first"),
    ROLL: _rolls("turn"),
    DEFENCE: _rolls("defence"),
}
"""The turn, by phase and acting seat."""

Attack = tuple[int, int, bool]
"""The attacking character, the attacked one, and whether the attack is ranged (CR16)."""


class Setup(NamedTuple):
    """What stays the same in a match."""

    track: Track
    ply_limit: int | None


class State(NamedTuple):
    """A position. Seats count from 1. A character is a number: four times (its seat minus 1), plus its slot."""

    setup: Setup
    ply: int
    left: tuple[int, ...]
    phase: str
    seat: int
    """The seat on turn; 0 for none."""
    actor: int
    """The seat that decides or rolls; in DEFENCE and XP it may not be the one on turn. 0 when the match is over."""
    roll: int
    """The roll of the turn; 0 before it."""
    extra: bool
    attackers: tuple[int, ...]
    """RIDER or ARCHER for each seat; 0 until chosen."""
    at: tuple[int, ...]
    """The field of each character, or BASE."""
    experience: tuple[int, ...]
    """The experience of each character."""
    mines: tuple[int, ...]
    """The fields with mines of each seat, as bits: bit n for field n."""
    crystals: tuple[int, ...]
    due: tuple[int, ...]
    attack: Attack | None
    """The attack that the due defence roll decides."""
    contest: Contest | None
    over: Over | None


class Table:
    """The mutable parts of a State: copied from one state, and frozen into the next."""

    __slots__ = (*State._fields, "track")

    def __init__(self, state: State) -> None:
        (
            self.setup,
            self.ply,
            self.left,
            self.phase,
            self.seat,
            self.actor,
            self.roll,
            self.extra,
            attackers,
            at,
            experience,
            mines,
            crystals,
            due,
            self.attack,
            self.contest,
            self.over,
        ) = state
        self.track = self.setup.track
        self.attackers = list(attackers)
        self.at = list(at)
        self.experience = list(experience)
        self.mines = list(mines)
        self.crystals = list(crystals)
        self.due = list(due)

    def freeze(self) -> State:
        """The table as a State."""
        # State(...) takes twice as long.
        return tuple.__new__(
            State,
            (
                self.setup,
                self.ply,
                self.left,
                self.phase,
                self.seat,
                self.actor,
                self.roll,
                self.extra,
                tuple(self.attackers),
                tuple(self.at),
                tuple(self.experience),
                tuple(self.mines),
                tuple(self.crystals),
                tuple(self.due),
                self.attack,
                self.contest,
                self.over,
            ),
        )

    def end(self, over: Over) -> None:
        """End the match: no seat is on turn, nothing is pending, and everything else stays."""
        self.over = over
        self.phase = OVER
        self.seat = self.actor = self.roll = 0
        self.extra = False
        self.due = [0] * len(self.due)
        self.attack = self.contest = None

    def rank(self, winner: int = 0) -> tuple[int, ...]:
        """Ranks by crystals, then by total experience; a winner is first, and seats that left are last (CR20)."""
        scores = [
            (seat == winner, crystals, sum(self.experience[4 * seat - 4 : 4 * seat]))
            for seat, crystals in enumerate(self.crystals, 1)
        ]
        return rank_seats(scores, self.left)


Position = State | Table
"""Where characters stand: read-only, or mutable."""


def name_class(position: Position, character: int) -> str:
    """The class of a character, whose attacker must be chosen."""
    slot = character & 3
    return CLASSES[position.attackers[character // 4] if slot == ATTACKER else slot]
