"""Toy: a race with dice, small enough to read at a glance, that takes every turn a ruleset can take.

TO1   Each seat has one runner on field 0 and no coins. The track has 10 fields. With dice the table first rolls two
      seven-sided dice (`track`): the track has 5 fields and their sum; then each seat in seat order rolls one
      three-sided die (`start`): the field its runner starts on.
TO2   `push`: the seat rolls `dice` five-sided dice (`push`) and its runner runs their sum. Two or more dice that all
      show the same: it rolls once more (`again`) and runs on. Without dice it runs one field.
TO3   `hold`: the seat takes a coin; a seat has at most 4 coins.
TO4   `give <seat> <n>`: the seat hands n coins to another one and its own runner runs 2n fields. What the other cannot
      hold is lost.
TO5   Nobody gives to itself.
TO6   Nobody gives to a seat that left.
TO7   Nobody gives more coins than it has.
TO8   A runner that reaches the end of the track stops there and wins at once, reason `finish`.
TO9   With dice, after the last seat in play had its turn, the table rolls a ten-sided die (`weather`): a 1 throws every
      runner back a field, a 10 ends the match, reason `storm`, ranks by standing.
TO10  Standing: by fields, then by coins.
TO11  A seat that leaves takes its runner back to field 0 and its coins away. Its start roll, turn or push is dropped.

No default registry holds it: `plyscribe.domain.rulesets.register(TOY_V1)` does, for those who need it found by its id.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from plyscribe.domain.effects import LEFT, ROLLED, Effect, EffectKind, Moved, Rolled, Step, Withdrew, list_end_kinds
from plyscribe.domain.errors import BadNotation, IllegalMove, NotInPlay, OptionError
from plyscribe.domain.options import Integer, options_schema, parse_options
from plyscribe.domain.ruleset import Decision, Over, RandBelow, Roll, Ruleset, Turn, rank_seats, require_roll

OPTIONS = (Integer("dice", default=2, low=0, high=3), Integer("ply_limit", default=100, low=1, nullable=True))
PLAIN_TRACK = 10
MOST_COINS = 4
END_CLAUSES = {"finish": "TO8", "storm": "TO9"}
PURPOSES = {"track": "TO1", "start": "TO1", "push": "TO2", "again": "TO2", "weather": "TO9"}
EFFECT_KINDS = (
    EffectKind("pushed", ("TO2",), ("seat",)),
    EffectKind("took", ("TO3",), ("seat", "amount")),
    EffectKind("gave", ("TO4",), ("seat", "amount")),
    EffectKind("received", ("TO4",), ("owner", "amount")),
    EffectKind(ROLLED, tuple(dict.fromkeys(PURPOSES.values())), ("amount", "word"), ("seat",), words=tuple(PURPOSES)),
    EffectKind("laid", ("TO1",), ("amount",)),
    EffectKind("ran", ("TO1", "TO2", "TO4", "TO9"), ("owner", "source", "target")),
    *list_end_kinds(END_CLAUSES, leaving="TO11"),
)
NOTATION = re.compile(r"push|hold|give ([1-9]) ([1-9])")


@dataclass(frozen=True, slots=True)
class Push:
    """Run by dice."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Take a coin."""


@dataclass(frozen=True, slots=True)
class Give:
    """Hand `coins` to `seat`."""

    seat: int
    coins: int


ToyMove = Push | Hold | Give


@dataclass(frozen=True, slots=True)
class Race:
    """The state: what lies on the table and the one thing that it waits for."""

    dice: int
    ply_limit: int | None
    ply: int
    left: tuple[int, ...]
    track: int | None
    runners: tuple[int, ...]
    coins: tuple[int, ...]
    awaits: Turn

    @property
    def in_play(self) -> list[int]:
        """The seats that have not left, ascending."""
        return [seat for seat in range(1, len(self.runners) + 1) if seat not in self.left]


class ToyV1(Ruleset[Race, ToyMove]):
    """A race to the end of the track."""

    id = "toy"
    version = 1
    behaviour = "cde12e26fa9494d2ea7c7a53fef4a93b96eab907147fc9eea433a48d4d3c8007"
    title = "Toy race"
    effect_kinds = EFFECT_KINDS
    end_clauses = END_CLAUSES
    min_seats = 2
    max_seats = 4

    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return parse_options(raw, OPTIONS)

    def options_schema(self) -> dict[str, Any]:
        return options_schema(OPTIONS)

    def has_chance(self, options: dict[str, Any]) -> bool:
        return bool(options["dice"])

    def initial_state(self, options: dict[str, Any], seats: int) -> Race:
        if not self.min_seats <= seats <= self.max_seats:
            raise OptionError("seats", seats, f"{self.min_seats}..{self.max_seats}")
        chance = self.has_chance(options)
        return Race(
            dice=options["dice"],
            ply_limit=options["ply_limit"],
            ply=0,
            left=(),
            track=None if chance else PLAIN_TRACK,
            runners=(0,) * seats,
            coins=(0,) * seats,
            awaits=Roll(7, 2, "track", None) if chance else Decision(1),
        )

    def turn(self, state: Race) -> Turn:
        return state.awaits

    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        if isinstance(state.awaits, Decision):
            for move in moves_of(state, state.awaits.seat):
                if self.format_move(state, move).startswith(prefix):
                    yield move

    def sample_move(self, state: Race, randbelow: RandBelow) -> ToyMove:
        """Uniform over the legal moves."""
        moves = list(self.legal_moves(state))
        return moves[randbelow(len(moves))]

    def parse_move(self, state: Race, text: str) -> ToyMove:
        move = read_move(state, text)
        if not isinstance(state.awaits, Decision):
            raise IllegalMove(text, state.ply, "TO2", "nobody decides now")
        if broken := broken_clause(state, state.awaits.seat, move):
            raise IllegalMove(text, state.ply, *broken)
        return move

    def format_move(self, state: Race, move: ToyMove) -> str:
        match move:
            case Push():
                return "push"
            case Hold():
                return "hold"
            case Give(seat, coins):
                return f"give {seat} {coins}"

    def apply_move(self, state: Race, move: ToyMove) -> Race:
        assert isinstance(state.awaits, Decision)
        seat = state.awaits.seat
        moved = play(replace(state, ply=state.ply + 1), seat, move)
        if moved.ply == moved.ply_limit and not isinstance(moved.awaits, Over):
            return end(moved, "ply-limit")
        return moved

    def apply_roll(self, state: Race, values: tuple[int, ...]) -> Race:
        return follow_roll(state, require_roll(state.awaits, values, state.ply), values)

    def withdraw(self, state: Race, seat: int) -> Race:
        awaited = state.awaits
        if isinstance(awaited, Over) or seat not in state.in_play:
            raise NotInPlay(seat)
        state = put(state, seat, field=0, coins=0)
        state = replace(state, left=(*state.left, seat))
        if len(state.in_play) == 1:
            return end(state, "withdrawal")
        if awaited.seat != seat:
            return state
        if isinstance(awaited, Roll) and awaited.purpose == "start":
            return await_start(state, seat)
        return await_next(state, seat)

    def end(self, state: Race, over: Over) -> Race:
        return replace(state, awaits=over)

    def standing(self, state: Race) -> tuple[int, ...]:
        return rank_seats(list(zip(state.runners, state.coins, strict=True)), state.left)  # TO10

    def evaluate(self, state: Race, seat: int) -> int:
        return 2 * state.runners[seat - 1] + state.coins[seat - 1]

    def view(self, state: Race) -> dict[str, Any]:
        return {
            "ruleset": self.id,
            "ply": state.ply,
            "left": list(state.left),
            "track": state.track,
            "runners": list(state.runners),
            "coins": list(state.coins),
        }

    def render_text(self, state: Race) -> str:
        length = PLAIN_TRACK if state.track is None else state.track
        return "\n".join(
            f"{seat} |{'.' * field}{seat}{'.' * (length - field)}| {'o' * coins}".rstrip()
            for seat, (field, coins) in enumerate(zip(state.runners, state.coins, strict=True), 1)
        )

    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        clause = "TO9"
        match step:
            case Moved(Push()) if before.dice:
                assert isinstance(before.awaits, Decision)
                yield Effect("pushed", "TO2", chosen=True, seat=before.awaits.seat)
            case Moved(move):
                assert isinstance(before.awaits, Decision)
                clause = "TO4" if isinstance(move, Give) else "TO2"
                yield from list_choice(before, move, before.awaits.seat, after)
            case Rolled(values):
                assert isinstance(before.awaits, Roll)
                clause = PURPOSES[before.awaits.purpose]
                for value in values:
                    yield Effect(ROLLED, clause, seat=before.awaits.seat, amount=value, word=before.awaits.purpose)
            case Withdrew(seat):
                yield Effect(LEFT, "TO11", owner=seat)
                return
        if before.track != after.track:
            yield Effect("laid", "TO1", amount=after.track)
        for seat, (source, target) in enumerate(zip(before.runners, after.runners, strict=True), 1):
            if source != target:
                yield Effect("ran", clause, owner=seat, source=str(source), target=str(target))


def list_choice(before: Race, move: ToyMove, seat: int, after: Race) -> Iterator[Effect]:
    match move:
        case Push():
            yield Effect("pushed", "TO2", chosen=True, seat=seat)
        case Hold():
            yield Effect("took", "TO3", chosen=True, seat=seat, amount=1)
        case Give(other, coins):
            yield Effect("gave", "TO4", chosen=True, seat=seat, amount=coins)
            if received := after.coins[other - 1] - before.coins[other - 1]:
                yield Effect("received", "TO4", owner=other, amount=received)


def moves_of(state: Race, seat: int) -> Iterator[ToyMove]:
    yield Push()
    if state.coins[seat - 1] < MOST_COINS:
        yield Hold()
    for other in state.in_play:
        if other != seat:
            yield from (Give(other, coins) for coins in range(1, state.coins[seat - 1] + 1))


def read_move(state: Race, text: str) -> ToyMove:
    found = NOTATION.fullmatch(text)
    if found is None or (found[1] and int(found[1]) > len(state.runners)):
        raise BadNotation(text, state.ply, "push, hold or give <seat> <1..9>")
    if found[1]:
        return Give(int(found[1]), int(found[2]))
    return Push() if text == "push" else Hold()


def broken_clause(state: Race, seat: int, move: ToyMove) -> tuple[str, str] | None:
    match move:
        case Hold() if state.coins[seat - 1] == MOST_COINS:
            return "TO3", f"a seat has at most {MOST_COINS} coins"
        case Give(other) if other == seat:
            return "TO5", "nobody gives to itself"
        case Give(other) if other in state.left:
            return "TO6", f"seat {other} left"
        case Give(_, coins) if coins > state.coins[seat - 1]:
            return "TO7", f"seat {seat} has {state.coins[seat - 1]} coins"
    return None


def play(state: Race, seat: int, move: ToyMove) -> Race:
    match move:
        case Push() if state.dice:
            return replace(state, awaits=Roll(5, state.dice, "push", seat))
        case Push():
            return pass_on(run(state, seat, 1), seat)
        case Hold():
            return pass_on(put(state, seat, coins=state.coins[seat - 1] + 1), seat)
        case Give(other, coins):
            state = put(state, seat, coins=state.coins[seat - 1] - coins)
            state = put(state, other, coins=min(MOST_COINS, state.coins[other - 1] + coins))
            return pass_on(run(state, seat, 2 * coins), seat)


def follow_roll(state: Race, roll: Roll, values: tuple[int, ...]) -> Race:
    seat = roll.seat or 0
    match roll.purpose:
        case "track":
            return await_start(replace(state, track=5 + sum(values)), 0)
        case "start":
            return await_start(put(state, seat, field=values[0]), seat)
        case "weather":
            return weather(state, values[0])
    state = run(state, seat, sum(values))
    if roll.purpose == "push" and len(values) > 1 and len(set(values)) == 1 and not finished(state, seat):
        return replace(state, awaits=replace(roll, purpose="again"))
    return pass_on(state, seat)


def weather(state: Race, value: int) -> Race:
    if value == 10:
        return end(state, "storm")
    if value == 1:
        state = replace(state, runners=tuple(max(0, field - 1) for field in state.runners))
    return replace(state, awaits=Decision(state.in_play[0]))


def run(state: Race, seat: int, fields: int) -> Race:
    assert state.track is not None
    return put(state, seat, field=min(state.track, state.runners[seat - 1] + fields))


def put(state: Race, seat: int, *, field: int | None = None, coins: int | None = None) -> Race:
    runners, purses = list(state.runners), list(state.coins)
    runners[seat - 1] = runners[seat - 1] if field is None else field
    purses[seat - 1] = purses[seat - 1] if coins is None else coins
    return replace(state, runners=tuple(runners), coins=tuple(purses))


def finished(state: Race, seat: int) -> bool:
    return state.runners[seat - 1] == state.track


def pass_on(state: Race, seat: int) -> Race:
    return end(state, "finish") if finished(state, seat) else await_next(state, seat)


def await_next(state: Race, seat: int) -> Race:
    later = [other for other in state.in_play if other > seat]
    if not later and state.dice:
        return replace(state, awaits=Roll(10, 1, "weather", None))
    return replace(state, awaits=Decision((later or state.in_play)[0]))


def await_start(state: Race, seat: int) -> Race:
    later = [other for other in state.in_play if other > seat]
    return replace(state, awaits=Roll(3, 1, "start", later[0]) if later else Decision(state.in_play[0]))


def end(state: Race, reason: str) -> Race:
    return TOY_V1.end(state, Over(reason, TOY_V1.standing(state)))


TOY_V1 = ToyV1()


def faulty(**parts: Any) -> type[ToyV1]:
    """The toy with some of its parts replaced."""
    return type("Faulty", (ToyV1,), parts)


def answering(method: str, change: Callable[..., Any]) -> type[ToyV1]:
    """The toy whose method changes its answer; `change` gets the sound answer and what the method was given."""

    def answer(self: ToyV1, *given: Any, **named: Any) -> Any:
        return change(getattr(ToyV1, method)(self, *given, **named), *given, *named.values())

    return faulty(**{method: answer})


def given(method: str, change: Callable[..., tuple[Any, ...]]) -> type[ToyV1]:
    """The toy whose method does what it would do if it were given something else."""

    def answer(self: ToyV1, *sound: Any) -> Any:
        return getattr(ToyV1, method)(self, *change(*sound))

    return faulty(**{method: answer})
