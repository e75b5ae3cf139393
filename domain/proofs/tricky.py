"""Positions in which playing programs tend to fail, found by playing: the same arguments find the same ones.

Matches are played at random or by a greedy sample, with few and with many seats, with options at their bounds, with
dice, and with seats that leave. A few positions are taken from each match, each for a reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from plyscribe.domain.errors import NotInPlay, OptionError
from plyscribe.domain.proofs.perft import fixed_dice, fixed_randbelow
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, RandBelow, Roll, next_in_play

MOST_MATCHES = 400
MOST_PLIES = 300
LARGEST_BOUND = 100
"""Options with larger bounds limit time rather than describe a size, so their bounds are not played."""

FARTHEST = 20
COUNTED_MOVES = 2000
GREEDY_SAMPLES = 6
LEAVES_ONE_IN = 12
LAST = 2

REASONS = (
    "start",
    "last decision",
    "longest list",
    "only move",
    "same seat again",
    "out of turn",
    "after a roll",
    "after a withdrawal",
    "near the end",
    "middle",
)
"""Why a position is worth testing; the reasons that find most faults come first."""


@dataclass(frozen=True, slots=True)
class TrickyPosition:
    """A state that waits for a decision of `seat`, how it was reached, and why it was taken (one of REASONS)."""

    reason: str
    options: dict[str, Any]
    seats: int
    seat: int
    moves: tuple[str, ...]
    state: Any


def find_tricky_positions(ruleset: AnyRuleset, wanted: int) -> list[TrickyPosition]:
    """`wanted` distinct positions, fewer if 400 matches have no more. Every reason gets its share."""
    found: dict[str, list[TrickyPosition]] = {reason: [] for reason in REASONS}
    distinct: set[Any] = set()
    settings = list(list_settings(ruleset))
    for number in range(max(MOST_MATCHES, len(settings))):
        options, seats = settings[number % len(settings)]
        for position in _find_in_match(ruleset, options, seats, number):
            found[position.reason].append(position)
            distinct.add(_key(position))
        # Every setting is played once, if so many positions are wanted. Then stop as soon as there are enough.
        if number + 1 >= min(len(settings), wanted) and len(distinct) >= 2 * wanted:
            break
    chosen: dict[Any, TrickyPosition] = {}
    for rank in range(max(map(len, found.values()))):
        for positions in found.values():
            if rank < len(positions) and len(chosen) < wanted:
                chosen.setdefault(_key(positions[rank]), positions[rank])
    return list(chosen.values())


def _key(position: TrickyPosition) -> Any:
    return str(position.options), position.seats, position.state


def list_settings(ruleset: AnyRuleset) -> Iterator[tuple[dict[str, Any], int]]:
    """Complete options with a number of seats that fits: the defaults, the presets, each option at its bounds."""
    seen = []
    for raw in ({}, *ruleset.presets.values(), *_list_variants(ruleset)):
        options = ruleset.parse_options(dict(raw))
        counts = range(ruleset.min_seats, ruleset.max_seats + 1)
        for seats in counts if not raw else dict.fromkeys((counts[0], counts[-1])):
            setting = (options, seats)
            if setting not in seen and fits(ruleset, options, seats):
                seen.append(setting)
                yield setting


def fits(ruleset: AnyRuleset, options: dict[str, Any], seats: int) -> bool:
    """Whether a match can start with these complete options and so many seats."""
    try:
        ruleset.initial_state(options, seats)
    except OptionError:
        return False
    return True


def _list_variants(ruleset: AnyRuleset) -> Iterator[dict[str, Any]]:
    """Options that set one value: every word of an enum, both booleans, the bounds of a number."""
    for name, schema in ruleset.options_schema()["properties"].items():
        types = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
        low, high = schema.get("minimum", 2**53), schema.get("maximum", 2**53)
        values = [*schema.get("enum", ()), *([False, True] if "boolean" in types else [])]
        yield from ({name: value} for value in values if _takes(ruleset, {name: value}))
        # Other options may narrow a number. Then the nearest value that they allow counts as its bound.
        for bound, step in ((low, 1), (high, -1)):
            if bound <= LARGEST_BOUND:
                nearest = ({name: bound + step * far} for far in range(FARTHEST))
                yield from islice((raw for raw in nearest if _takes(ruleset, raw)), 1)
        if "null" in types:
            yield {name: None}


def _takes(ruleset: AnyRuleset, raw: dict[str, Any]) -> bool:
    try:
        ruleset.parse_options(raw)
    except OptionError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Met:
    """A decision that came up in a match."""

    state: Any
    seat: int
    moves: int
    reasons: tuple[str, ...]


def _find_in_match(ruleset: AnyRuleset, options: dict[str, Any], seats: int, number: int) -> Iterator[TrickyPosition]:
    """For each reason, the first position of a match that it fits, if any."""
    texts: list[str] = []
    met = list(_play(ruleset, options, seats, number, texts))
    if not met:
        return
    at: dict[str, int] = {"start": 0, "last decision": len(met) - 1, "middle": len(met) // 2}
    at["near the end"] = max(0, len(met) - 1 - LAST)
    at["longest list"] = max(range(len(met)), key=lambda place: met[place].moves)
    for place, each in enumerate(met):
        for reason in each.reasons:
            at.setdefault(reason, place)
    for reason, place in at.items():
        each = met[place]
        yield TrickyPosition(reason, options, seats, each.seat, tuple(texts[:place]), each.state)


def _play(ruleset: AnyRuleset, options: dict[str, Any], seats: int, number: int, texts: list[str]) -> Iterator[_Met]:
    """The decisions of a match; appends the moves that were made there to `texts`."""
    seed = f"tricky/{ruleset.id}/{number}"
    draw, leave = fixed_randbelow(f"{seed}/moves"), fixed_randbelow(f"{seed}/leaving")
    is_greedy, seats_leave = leave(2) == 0, leave(2) == 0 and seats > 2
    state, before, rolled, has_rolled = ruleset.initial_state(options, seats), 0, 0, False
    for _ in count():
        turn = ruleset.turn(state)
        if isinstance(turn, Over) or len(texts) == MOST_PLIES:
            return
        if seats_leave and texts and leave(LEAVES_ONE_IN) == 0:
            state = _let_leave(ruleset, state, leave(seats) + 1)
        elif isinstance(turn, Roll):
            state = ruleset.apply_roll(state, fixed_dice(f"{seed}/rolls", rolled, turn))
            rolled, has_rolled = rolled + 1, True
        else:
            left = ruleset.view(state)["left"]
            moves = sum(1 for _ in islice(ruleset.legal_moves(state), COUNTED_MOVES))
            yield _Met(state, turn.seat, moves, tuple(_list_reasons(turn, before, seats, left, moves, has_rolled)))
            move = _choose(ruleset, state, turn.seat, draw, greedy=is_greedy)
            texts.append(ruleset.format_move(state, move))
            state, before, has_rolled = ruleset.apply_move(state, move), turn.seat, False


def _list_reasons(
    turn: Decision, before: int, seats: int, left: list[int], moves: int, has_rolled: bool
) -> Iterator[str]:
    if moves == 1:
        yield "only move"
    if turn.seat == before:
        yield "same seat again"
    elif before and turn.seat != next_in_play(before, seats, left):
        yield "out of turn"
    if has_rolled:
        yield "after a roll"
    if left:
        yield "after a withdrawal"


def _let_leave(ruleset: AnyRuleset, state: Any, seat: int) -> Any:
    try:
        return ruleset.withdraw(state, seat)
    except NotInPlay:
        return state


def _choose(ruleset: AnyRuleset, state: Any, seat: int, draw: RandBelow, *, greedy: bool) -> Any:
    moves = [ruleset.sample_move(state, draw) for _ in range(GREEDY_SAMPLES if greedy else 1)]
    return max(moves, key=lambda move: ruleset.evaluate(ruleset.apply_move(state, move), seat))
