"""Playing one match of a study: bots by seat, dice that follow from a text, and what is noted of it."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple, Protocol

from plyscribe.domain.bots import Bot
from plyscribe.domain.dice import roll_dice
from plyscribe.domain.effects import Moved, Rolled, Step
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll
from plyscribe.service.laboratory.subject import Subject

MOST_STEPS = 10_000
"""A match that takes more moves and rolls than this is broken off and ranked by its standing."""

BROKEN_OFF = "broken-off"
MOST_POINTS = 64
"""A curve keeps no more positions of a match than this, evenly spaced."""


class Witness(Protocol):
    """Somebody who is shown each step of a match."""

    def note(self, before: Any, step: Step, after: Any, by_bot: bool) -> None:
        """See a move or a roll, and whether a bot chose it."""


class Opening(NamedTuple):
    """The first moves of a match, drawn at random, the same for the same seed.

    Where dice do not make matches differ, bots that think would play the same one again and again, and a hundred copies
    would look like a hundred observations.
    """

    seed: str
    plies: int


class Played(NamedTuple):
    """A match as a study keeps it.

    `line` is a digest of all steps: matches with the same one went the same way. `curve` has the values of all seats by
    `evaluate`, in at most MOST_POINTS positions; `lead_changes` counts all positions. Both are empty unless they
    are asked for.
    """

    ranks: tuple[int, ...]
    reason: str
    plies: int
    rolls: int
    line: str
    lead_changes: int
    curve: list[tuple[int, ...]]


class Curve:
    """The values of the seats from position to position, thinned out to at most MOST_POINTS positions."""

    def __init__(self) -> None:
        self.points: list[tuple[int, ...]] = []
        self.lead_changes = 0
        self._leader: int | None = None
        self._every, self._seen = 1, 0

    def add(self, values: tuple[int, ...]) -> None:
        """Add a position. The lead changes when another seat alone has the best value; a tie changes nothing."""
        if values.count(best := max(values)) == 1:
            leader = values.index(best)
            self.lead_changes += self._leader not in (None, leader)
            self._leader = leader
        if self._seen % self._every == 0:
            if len(self.points) == MOST_POINTS:
                del self.points[1::2]
                self._every *= 2
            if self._seen % self._every == 0:
                self.points.append(values)
        self._seen += 1


def make_dice(text: str) -> Callable[[int, Roll], tuple[int, ...]]:
    """Dice that show the same for the same text and number of the roll, by the method of committed dice."""
    secret = sha256(text.encode()).digest()

    @lru_cache(maxsize=16)
    def roll(number: int, due: Roll) -> tuple[int, ...]:
        return roll_dice(secret, text, (), number, due.sides, due.count)

    return roll


def play(
    subject: Subject,
    bots: Sequence[Bot],
    dice: str,
    opening: Opening,
    witness: Witness | None = None,
    with_curve: bool = False,
) -> Played:
    """Play a match to its end, or for MOST_STEPS steps; a pure function of its arguments and the bots' seeds."""
    ruleset = subject.ruleset
    roll, curve, line = make_dice(dice), Curve(), sha256()
    draw = Random(opening.seed).randrange  # noqa: S311 (a study shall be repeatable)
    state = ruleset.initial_state(subject.complete_options, subject.seats)
    plies = rolls = 0
    by_bot = False
    while not isinstance(turn := ruleset.turn(state), Over):
        if plies + rolls == MOST_STEPS:
            turn = Over(BROKEN_OFF, ruleset.standing(state))
            break
        if with_curve:
            curve.add(value_seats(ruleset, state, subject.seats))
        step: Moved | Rolled
        if isinstance(turn, Roll):
            rolls += 1
            step = Rolled(roll(rolls, turn))
            after = ruleset.apply_roll(state, step.values)
        else:
            by_bot = plies >= opening.plies
            plies += 1
            move = bots[turn.seat - 1].choose_move(ruleset, state) if by_bot else ruleset.sample_move(state, draw)
            step = Moved(move)
            after = ruleset.apply_move(state, move)
        line.update(_format_step(ruleset, state, step))
        if witness:
            witness.note(state, step, after, isinstance(step, Moved) and by_bot)
        state = after
    return Played(turn.ranks, turn.reason, plies, rolls, line.hexdigest()[:16], curve.lead_changes, curve.points)


def _format_step(ruleset: AnyRuleset, state: Any, step: Moved | Rolled) -> bytes:
    text = ruleset.format_move(state, step.move) if isinstance(step, Moved) else repr(step.values)
    return f"{text}\n".encode()


def value_seats(ruleset: AnyRuleset, state: Any, seats: int) -> tuple[int, ...]:
    """The value of the state for each seat by `evaluate`."""
    return tuple(ruleset.evaluate(state, seat) for seat in range(1, seats + 1))


def score_seats(ranks: Sequence[int]) -> tuple[float, ...]:
    """The score of each seat, from 0 to 1: the share of the others that it is placed above, where a tie is half.

    >>> score_seats([1, 2, 2])
    (1.0, 0.25, 0.25)
    """
    others = len(ranks) - 1
    return tuple(
        (sum(2 for rank in ranks if own < rank) + sum(1 for rank in ranks if own == rank) - 1) / (2 * others)
        for own in ranks
    )
