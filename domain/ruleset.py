"""The contract between a game's rules and everything else.

States are immutable and hashable, and every method is a pure function of its arguments. Seats count from 1. All text
from outside goes through `parse_move`, so an illegal move cannot reach `apply_move`.

Beyond what the methods say, every ruleset keeps these rules. The proof kit `plyscribe.testing` holds it to them.

- Ids are of letters a-z; versions count from 1. A clause is two capital letters and a number: `PA8`.
- Every ruleset has the option `ply_limit`: null, or a whole number from 1 to 2**53-1. After so many moves the match is
  over at the latest; the rules say how.
- A notation is one line of at most 256 printable ASCII characters, with single spaces and none at its ends. Nothing
  but the exact spelling is read: no leading zeros, no other digits, nothing before or after it.
- Purposes of rolls and reasons to end are lower-case words, joined by hyphens: `ply-limit`.
- A roll takes every face of its dice. Matches that can need a roll say so in `has_chance`.
- Any seat in play can leave before any step. The last one in play wins at once, for the reason `withdrawal`. Seats that
  left rank below all others, the last to leave first; they decide and roll no more.
- A move adds one to `ply` in the view. Rolls, withdrawals and ends do not.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from plyscribe.domain.effects import LEFT, Effect, EffectKind, Moved, Step, Withdrew, list_end
from plyscribe.domain.errors import NotInPlay, OptionError, RollError
from plyscribe.domain.phrases import Phrase, say

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

RandBelow = Callable[[int], int]
"""`randbelow(n)` returns an integer from 0 to n-1, as `random.Random.randrange` does."""


@dataclass(frozen=True, slots=True)
class Decision:
    """`seat` must play a legal move; at least one exists."""

    seat: int


@dataclass(frozen=True, slots=True)
class Roll:
    """`count` dice with `sides` faces must be rolled for `purpose`, for `seat` (None: for the table)."""

    sides: int
    count: int
    purpose: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended. `ranks` has a rank for each seat: 1 is best, and ties share the better rank."""

    reason: str
    ranks: tuple[int, ...]


Turn = Decision | Roll | Over


@dataclass(frozen=True, slots=True)
class Layout:
    """What a roll lays on the board: one thing on each of `places`, and of each kind as many as `kinds` says."""

    places: tuple[str, ...]
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Symmetry(Generic[State, Move]):
    """A way to turn or mirror the board that makes no difference to any seat: see `Ruleset.symmetries`."""

    name: str
    """A word that says what it does to the board, such as `mirror-columns`."""
    map_state: Callable[[State], State]
    map_move: Callable[[Move], Move]


class Ruleset(ABC, Generic[State, Move]):
    """One version of a game's rules. A released version never changes its behaviour."""

    id: str
    version: int
    title: str
    min_seats: int
    max_seats: int
    presets: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """Named options that rated matches may have instead of the defaults. A released version keeps them."""
    behaviour: str | None = None
    """The digest of its proofs; two servers with the same digest play by the same rules. None without proofs."""
    released: bool = False
    """Whether this version is frozen, so that its matches replay for ever. A draft may still change."""
    effect_kinds: tuple[EffectKind, ...]
    """Every kind of effect that a step can have; no two have the same word."""
    end_clauses: Mapping[str, str]
    """The clause behind each reason to end that the rules name."""

    @abstractmethod
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        """The complete options, with defaults; OptionError for an unknown name or a value out of range.

        `ply_limit` is one of them. Complete options are parsed to themselves, and `raw` stays as it is.
        """

    @abstractmethod
    def options_schema(self) -> dict[str, Any]:
        """JSON Schema of the options, with defaults. It takes what `parse_options` takes, and no unknown name."""

    @abstractmethod
    def has_chance(self, options: dict[str, Any]) -> bool:
        """Whether a match with these complete options can ever need a roll."""

    @abstractmethod
    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        """The state before the first move, from complete options; OptionError when options and seats do not fit."""

    @abstractmethod
    def turn(self, state: State) -> Turn:
        """What the state waits for."""

    @abstractmethod
    def legal_moves(self, state: State, prefix: str = "") -> Iterator[Move]:
        """The legal moves whose notation starts with `prefix`: lazily, in a fixed order, without duplicates.

        Empty exactly when the turn is not a Decision (or no notation starts with `prefix`).
        """

    @abstractmethod
    def sample_move(self, state: State, randbelow: RandBelow) -> Move:
        """A random legal move, drawn without listing all; each ruleset documents the distribution."""

    @abstractmethod
    def parse_move(self, state: State, text: str) -> Move:
        """The legal move in this notation, inverse of format_move; BadNotation or IllegalMove if there is none."""

    @abstractmethod
    def format_move(self, state: State, move: Move) -> str:
        """The notation of a legal move, in ASCII; inverse of parse_move."""

    @abstractmethod
    def apply_move(self, state: State, move: Move) -> State:
        """The state after a move; the move must come from legal_moves, sample_move or parse_move of this state."""

    @abstractmethod
    def apply_roll(self, state: State, values: tuple[int, ...]) -> State:
        """The state after the due dice showed `values`; RollError when they cannot, or when no roll is due."""

    def layout(self, state: State) -> Layout | None:
        """What the due roll lays on the board, where people see the board and not the dice; None for other rolls."""
        return None

    def read_layout(self, state: State, laid: Mapping[str, str]) -> tuple[int, ...]:
        """The values of the due roll that lay this kind on each place; RollError if none do.

        `apply_roll` with these values leads to a board that looks so.
        """
        layout = self.layout(state)
        if layout is None:
            raise RollError(say("the dice that are due lay nothing on the board: enter what they show"))
        if laid.keys() != set(layout.places) or Counter(laid.values()) != Counter(layout.kinds):
            kinds = ", ".join(f"{number} {kind}" for kind, number in layout.kinds.items())
            why = say("on {places} lie {kinds}: say what lies on each", places=" ".join(layout.places), kinds=kinds)
            raise RollError(why)
        return self._encode_layout(state, laid)

    def _encode_layout(self, state: State, laid: Mapping[str, str]) -> tuple[int, ...]:
        """The values of the due roll, which has a layout, that lay this; `laid` is such a layout."""
        raise NotImplementedError

    @abstractmethod
    def withdraw(self, state: State, seat: int) -> State:
        """The state after `seat` left the match; NotInPlay when the seat is not in play or the match is over."""

    @abstractmethod
    def end(self, state: State, over: Over) -> State:
        """The state after the match ended here with this outcome, for example by an agreed draw; no seat is on turn.

        `state` must not be over.
        """

    @abstractmethod
    def standing(self, state: State) -> tuple[int, ...]:
        """The rank of each seat if the match ended now."""

    @abstractmethod
    def evaluate(self, state: State, seat: int) -> int:
        """A heuristic value of the state for `seat`; greater is better. It need not be zero-sum."""

    @abstractmethod
    def view(self, state: State) -> dict[str, Any]:
        """The complete public state, JSON-ready, with exactly the keys of the ruleset's spec.

        It starts with `ruleset`, `ply` (moves played) and `left` (seats that withdrew, in order). Two states are equal
        if and only if their views and turns are equal.
        """

    @abstractmethod
    def render_text(self, state: State) -> str:
        """The board for a terminal: ASCII or box-drawing characters, in lines of at most 100 characters."""

    def symmetries(self, state: State) -> Sequence[Symmetry[State, Move]]:
        """The symmetries of the match that `state` belongs to, without the one that changes nothing; by default none.

        All states of a match have the same ones, in the same order. A symmetry keeps the turn, the standing and the
        number of moves. It carries the legal moves of a state to those of its image, and the state after a move to the
        state after the image of the move; the same holds for each roll with the same values. For each symmetry there is
        one that undoes it. The explorer counts positions as one that a symmetry carries into each other.
        """
        return ()

    def effects(self, before: State, step: Step, after: State) -> tuple[Effect, ...]:
        """What the step from `before` to `after` did, in order; see `plyscribe.domain.effects`.

        `after` must be what `apply_move`, `apply_roll`, `withdraw` or `end` made of `before` by this step.
        """
        effects = self._list_effects(before, step, after)
        turn = self.turn(after)
        if not isinstance(turn, Over):
            return tuple(effects)
        return (*effects, *list_end(turn.reason, turn.ranks, self.end_clauses.get(turn.reason)))

    @abstractmethod
    def _list_effects(self, before: State, step: Step, after: State) -> Iterable[Effect]:
        """The effects of the step, without those of an end of the match."""


AnyRuleset = Ruleset[Any, Any]

MATCH_OVER = say("the match is over, so nobody can move")
"""Why no move is legal in a match that has ended."""


class DuelState(Hashable, Protocol):
    """What a duel needs of its states: seat 1 plays at even plies and seat 2 at odd ones, until `over` is set."""

    @property
    def ply(self) -> int:
        """Moves played so far."""

    @property
    def over(self) -> Over | None:
        """The outcome; None until the match is over."""


AnyDuelState = TypeVar("AnyDuelState", bound=DuelState)


class Duel(Ruleset[AnyDuelState, Move]):
    """A ruleset for two seats that alternate, without chance."""

    min_seats = 2
    max_seats = 2

    def has_chance(self, options: dict[str, Any]) -> bool:
        """False."""
        return False

    def turn(self, state: AnyDuelState) -> Turn:
        """The outcome if the match is over; otherwise a decision of seat 1 or 2, in turn."""
        return state.over or _DECISIONS[state.ply & 1]

    def apply_roll(self, state: AnyDuelState, values: tuple[int, ...]) -> NoReturn:
        """RollError, always."""
        raise RollError(say("{game} has no dice: make a move instead", game=self.title))

    def withdraw(self, state: AnyDuelState, seat: int) -> AnyDuelState:
        """The state after `seat` left: the other seat wins."""
        if state.over or seat not in (1, 2):
            raise NotInPlay(seat)
        return self.end(state, Over("withdrawal", (2, 1) if seat == 1 else (1, 2)))

    def _list_effects(self, before: AnyDuelState, step: Step, after: AnyDuelState) -> Iterable[Effect]:
        match step:
            case Moved(move):
                return self._list_move_effects(before, move, after)
            case Withdrew(seat):
                return [Effect(LEFT, None, owner=seat)]
        return ()

    @abstractmethod
    def _list_move_effects(self, before: AnyDuelState, move: Move, after: AnyDuelState) -> Iterable[Effect]:
        """The effects of a move, without those of an end of the match."""

    def _starting_with(self, prefix: str, state: AnyDuelState, moves: Iterator[Move]) -> Iterator[Move]:
        return (move for move in moves if self.format_move(state, move).startswith(prefix)) if prefix else moves

    def _view_head(self, state: AnyDuelState) -> dict[str, Any]:
        left = [state.over.ranks.index(2) + 1] if state.over and state.over.reason == "withdrawal" else []
        return {"ruleset": self.id, "ply": state.ply, "left": left}


_DECISIONS = (Decision(1), Decision(2))


def require_seats(ruleset: AnyRuleset, seats: int) -> None:
    """OptionError unless the game can be played with this number of seats."""
    low, high = ruleset.min_seats, ruleset.max_seats
    if not low <= seats <= high:
        raise OptionError("seats", seats, f"{low}" if low == high else f"{low}..{high}")


def evaluate_over(over: Over, seat: int) -> int:
    """The value of an ended match for `seat`: a million for each seat ranked worse, minus one for each ranked better.

    >>> evaluate_over(Over("path", (1, 2)), 2)
    -1000000
    """
    mine = over.ranks[seat - 1]
    return 1_000_000 * (sum(rank > mine for rank in over.ranks) - sum(rank < mine for rank in over.ranks))


def rank_by(scores: Sequence[Any]) -> tuple[int, ...]:
    """Ranks from scores, where greater is better: 1 + the number of seats with a better score, so ties share a rank.

    >>> rank_by([5, 9, 5])
    (2, 1, 2)
    """
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def rank_seats(scores: Sequence[Any], left: Sequence[int]) -> tuple[int, ...]:
    """Ranks from scores, where greater is better. Seats that left rank below all others, the last to leave first.

    >>> rank_seats([7, 9, 5, 7], left=[2, 1])
    (3, 4, 2, 1)
    """
    return rank_by([(-1, left.index(seat)) if seat in left else (0, score) for seat, score in enumerate(scores, 1)])


def next_in_play(seat: int, seats: int, left: Sequence[int]) -> int:
    """The next seat in play, clockwise; the seat itself when no other seat is in play.

    >>> next_in_play(3, seats=4, left=[4, 1])
    2
    """
    following: list[int] = [*range(seat + 1, seats + 1), *range(1, seat + 1)]
    return next(other for other in following if other not in left)


def require_roll(turn: Turn, values: tuple[int, ...], ply: int) -> Roll:
    """The due roll; RollError when its dice cannot show `values`, or when no roll is due."""
    if not isinstance(turn, Roll):
        raise RollError(say("no roll is due at move {number}: {turn}", number=ply + 1, turn=_say_turn(turn)))
    if len(values) != turn.count:
        raise RollError(
            say(
                "{count} dice with {sides} sides are rolled at move {number}, not {given}: enter {count} numbers",
                count=turn.count,
                sides=turn.sides,
                number=ply + 1,
                given=len(values),
            )
        )
    for value in values:
        if type(value) is not int or not 1 <= value <= turn.sides:
            raise RollError(
                say(
                    "a die with {sides} sides cannot show {value} at move {number}: enter a number from 1 to {sides}",
                    sides=turn.sides,
                    value=repr(value),
                    number=ply + 1,
                )
            )
    return turn


def _say_turn(turn: Decision | Over) -> Phrase:
    return say("the match is over") if isinstance(turn, Over) else say("{seat} makes a move", seat=turn.seat)


def format_turn(turn: Turn) -> dict[str, Any]:
    """The turn for JSON: `{"decision": seat}`, `{"roll": {..}}` or `{"over": {..}}`."""
    match turn:
        case Decision(seat):
            return {"decision": seat}
        case Roll(sides, count, purpose, seat):
            return {"roll": {"sides": sides, "count": count, "purpose": purpose, "seat": seat}}
        case Over(reason, ranks):
            return {"over": {"reason": reason, "ranks": list(ranks)}}
