"""What a ruleset is: the contract between a game's rules and everything else.

States are immutable and hashable; every method is a pure function of its arguments. Seats count from 1. All text
from outside goes through `parse_move`, so an illegal move cannot reach `apply_move`: parse, do not validate.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from plyscribe.domain.errors import NotInPlay, OptionError, RollError

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

RandBelow = Callable[[int], int]
"""`randbelow(n)` answers an integer from 0 to n-1, as `random.Random.randrange` does."""


@dataclass(frozen=True, slots=True)
class Decision:
    """`seat` must play one of the legal moves; at least one exists."""

    seat: int


@dataclass(frozen=True, slots=True)
class Roll:
    """`count` dice of `sides` faces are due for `purpose`, made for `seat` (None: for the table)."""

    sides: int
    count: int
    purpose: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended: `ranks` holds one rank a seat, 1 is best, ties share the better rank."""

    reason: str
    ranks: tuple[int, ...]


Turn = Decision | Roll | Over


class Ruleset(ABC, Generic[State, Move]):
    """The rules of one game in one version. A released version never changes its behaviour."""

    id: str
    version: int
    title: str
    min_seats: int
    max_seats: int
    presets: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """Options, by name, that rated matches may have beside the defaults. A released version keeps them."""
    behaviour: str | None = None
    """The digest of its proofs, by which two places know that they play by the same rules; None without proofs."""
    released: bool = False
    """Whether this version is frozen: matches that name it replay for ever. A draft may still change."""

    @abstractmethod
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        """The complete options, defaults filled in; OptionError on an unknown name or a value out of range."""

    @abstractmethod
    def options_schema(self) -> dict[str, Any]:
        """JSON Schema of the options, defaults included."""

    @abstractmethod
    def has_chance(self, options: dict[str, Any]) -> bool:
        """Whether a match with these complete options can ever await a roll."""

    @abstractmethod
    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        """The state before the first move, from complete options; OptionError where options and seats do not fit."""

    @abstractmethod
    def turn(self, state: State) -> Turn:
        """The one thing that the state waits for."""

    @abstractmethod
    def legal_moves(self, state: State, prefix: str = "") -> Iterator[Move]:
        """The legal moves whose notation starts with `prefix`: fixed order, no duplicates, lazily.

        Empty exactly when the turn is no Decision (or no notation starts with `prefix`).
        """

    @abstractmethod
    def sample_move(self, state: State, randbelow: RandBelow) -> Move:
        """A legal move drawn without listing all; each ruleset documents the distribution."""

    @abstractmethod
    def parse_move(self, state: State, text: str) -> Move:
        """The legal move that `text` spells; inverse of format_move. BadNotation or IllegalMove otherwise."""

    @abstractmethod
    def format_move(self, state: State, move: Move) -> str:
        """The one ASCII spelling of a legal move; inverse of parse_move."""

    @abstractmethod
    def apply_move(self, state: State, move: Move) -> State:
        """The state after a move that came from legal_moves, sample_move or parse_move of this state."""

    @abstractmethod
    def apply_roll(self, state: State, values: tuple[int, ...]) -> State:
        """The state after the awaited dice showed `values`; RollError where they cannot, or none are awaited."""

    @abstractmethod
    def withdraw(self, state: State, seat: int) -> State:
        """The state after `seat` left the match; NotInPlay when it is not in play or the match is over."""

    @abstractmethod
    def end(self, state: State, over: Over) -> State:
        """The state when the match ends in it with this outcome, as by an agreed draw: nobody is on turn any more.

        Only for a state that is not over.
        """

    @abstractmethod
    def standing(self, state: State) -> tuple[int, ...]:
        """The ranks if the match ended now, one a seat."""

    @abstractmethod
    def evaluate(self, state: State, seat: int) -> int:
        """A heuristic value of the state for `seat`, greater is better; zero-sum not required."""

    @abstractmethod
    def view(self, state: State) -> dict[str, Any]:
        """The complete public state, JSON-ready, with exactly the keys of the ruleset's spec.

        Starts with `ruleset`, `ply` (moves played) and `left` (seats that withdrew, in that order). Two states are
        equal if and only if their views and turns are.
        """

    @abstractmethod
    def render_text(self, state: State) -> str:
        """The board as a person reads it in a terminal: ASCII or box drawing, lines of at most 100 characters."""


AnyRuleset = Ruleset[Any, Any]


class DuelState(Hashable, Protocol):
    """What a duel asks of its states: seat 1 plays at even plies, seat 2 at odd ones, until `over` is set."""

    @property
    def ply(self) -> int:
        """Moves played so far."""

    @property
    def over(self) -> Over | None:
        """The outcome, once there is one."""


AnyDuelState = TypeVar("AnyDuelState", bound=DuelState)


class Duel(Ruleset[AnyDuelState, Move]):
    """A ruleset for two seats that alternate, without chance."""

    min_seats = 2
    max_seats = 2

    def has_chance(self, options: dict[str, Any]) -> bool:
        """False."""
        return False

    def turn(self, state: AnyDuelState) -> Turn:
        """A decision of the seats by turns until the match is over."""
        return state.over or _DECISIONS[state.ply & 1]

    def apply_roll(self, state: AnyDuelState, values: tuple[int, ...]) -> NoReturn:
        """RollError, always."""
        raise RollError(f"{self.id} has no dice: no roll is awaited at ply {state.ply}")

    def withdraw(self, state: AnyDuelState, seat: int) -> AnyDuelState:
        """The state in which the other seat has won."""
        if state.over or seat not in (1, 2):
            raise NotInPlay(seat)
        return self.end(state, Over("withdrawal", (2, 1) if seat == 1 else (1, 2)))

    def _starting_with(self, prefix: str, state: AnyDuelState, moves: Iterator[Move]) -> Iterator[Move]:
        return (move for move in moves if self.format_move(state, move).startswith(prefix)) if prefix else moves

    def _view_head(self, state: AnyDuelState) -> dict[str, Any]:
        left = [state.over.ranks.index(2) + 1] if state.over and state.over.reason == "withdrawal" else []
        return {"ruleset": self.id, "ply": state.ply, "left": left}


_DECISIONS = (Decision(1), Decision(2))


def require_seats(ruleset: AnyRuleset, seats: int) -> None:
    """OptionError unless so many seats can play the game."""
    low, high = ruleset.min_seats, ruleset.max_seats
    if not low <= seats <= high:
        raise OptionError("seats", seats, f"{low}" if low == high else f"{low}..{high}")


def evaluate_over(over: Over, seat: int) -> int:
    """The value of an ended match for `seat`: a million for each seat placed worse, minus one for each placed better.

    >>> evaluate_over(Over("path", (1, 2)), 2)
    -1000000
    """
    mine = over.ranks[seat - 1]
    return 1_000_000 * (sum(rank > mine for rank in over.ranks) - sum(rank < mine for rank in over.ranks))


def rank_by(scores: Sequence[Any]) -> tuple[int, ...]:
    """Ranks from scores, greater is better: 1 + the number of seats placed better, ties share.

    >>> rank_by([5, 9, 5])
    (2, 1, 2)
    """
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def rank_seats(scores: Sequence[Any], left: Sequence[int]) -> tuple[int, ...]:
    """Ranks from scores, greater is better, with the seats that left below all others, who left last first.

    >>> rank_seats([7, 9, 5, 7], left=[2, 1])
    (3, 4, 2, 1)
    """
    return rank_by([(-1, left.index(seat)) if seat in left else (0, score) for seat, score in enumerate(scores, 1)])


def next_in_play(seat: int, seats: int, left: Sequence[int]) -> int:
    """The seat in play that follows clockwise, which is the seat itself when nobody else is in play.

    >>> next_in_play(3, seats=4, left=[4, 1])
    2
    """
    following: list[int] = [*range(seat + 1, seats + 1), *range(1, seat + 1)]
    return next(other for other in following if other not in left)


def require_roll(turn: Turn, values: tuple[int, ...], ply: int) -> Roll:
    """The awaited roll; RollError where its dice cannot show `values`, or where none is awaited."""
    if not isinstance(turn, Roll):
        raise RollError(f"no roll is awaited at ply {ply}")
    if len(values) != turn.count or not all(type(value) is int and 1 <= value <= turn.sides for value in values):
        raise RollError(f"{turn.count}d{turn.sides} cannot show {values} at ply {ply}")
    return turn


def format_turn(turn: Turn) -> dict[str, Any]:
    """The turn as it stands in answers: `{"decision": seat}`, `{"roll": {..}}` or `{"over": {..}}`."""
    match turn:
        case Decision(seat):
            return {"decision": seat}
        case Roll(sides, count, purpose, seat):
            return {"roll": {"sides": sides, "count": count, "purpose": purpose, "seat": seat}}
        case Over(reason, ranks):
            return {"over": {"reason": reason, "ranks": list(ranks)}}
