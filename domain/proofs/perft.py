"""Leaf counts of a ruleset's move tree: the shortest statement of its rules that a machine can check.

As with chess engines, a perft file has one paragraph for each position:

    id default
    seats 2
    options {"size":5}
    dice pathagon
    moves ["a1","b2"]
    perft 1 23
    perft 2 506

`options` are as the author wrote them; `moves` lead from the start to the position. Rolls do not count as depth: their
values follow from `dice`, which is any text, and from the number of rolls before.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from json import loads
from typing import Any

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.ruleset import AnyRuleset, RandBelow, Roll


@dataclass(frozen=True, slots=True)
class PerftCase:
    """A position to count from."""

    name: str
    seats: int
    options: dict[str, Any] = field(default_factory=dict)
    dice: str = ""
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PerftCounts:
    """The number of sequences of 1, 2, .. moves from a position."""

    case: PerftCase
    counts: tuple[int, ...]


def fixed_randbelow(seed: str) -> RandBelow:
    """Pseudo-random numbers that depend on `seed` alone, the same under every release of Python."""
    drawn = 0

    def randbelow(limit: int) -> int:
        nonlocal drawn
        drawn += 1
        return int.from_bytes(sha256(f"{seed}/{drawn}".encode()).digest(), "big") % limit

    return randbelow


def fixed_dice(seed: str, rolled: int, roll: Roll) -> tuple[int, ...]:
    """The values of the roll that comes after `rolled` others: a pure function of the arguments."""
    randbelow = fixed_randbelow(f"{seed}/{rolled}")
    return tuple(randbelow(roll.sides) + 1 for _ in range(roll.count))


def settle(ruleset: AnyRuleset, state: Any, dice: str = "", rolled: int = 0) -> tuple[Any, int]:
    """The state after all rolls that are due, and the number of rolls so far."""
    while isinstance(turn := ruleset.turn(state), Roll):
        state = ruleset.apply_roll(state, fixed_dice(dice, rolled, turn))
        rolled += 1
    return state, rolled


def perft(ruleset: AnyRuleset, state: Any, depth: int, dice: str = "", rolled: int = 0) -> int:
    """The number of sequences of exactly `depth` moves; a match that is over has only the empty one."""
    if depth == 0:
        return 1
    state, rolled = settle(ruleset, state, dice, rolled)
    moves = ruleset.legal_moves(state)
    if depth == 1:
        return sum(1 for _ in moves)
    return sum(perft(ruleset, ruleset.apply_move(state, move), depth - 1, dice, rolled) for move in moves)


def divide(ruleset: AnyRuleset, state: Any, depth: int, dice: str = "", rolled: int = 0) -> dict[str, int]:
    """The leaf counts by first move, in the order of legal_moves; they add up to `perft` at the same depth."""
    state, rolled = settle(ruleset, state, dice, rolled)
    return {
        ruleset.format_move(state, move): perft(ruleset, ruleset.apply_move(state, move), depth - 1, dice, rolled)
        for move in ruleset.legal_moves(state)
    }


def reach_position(ruleset: AnyRuleset, case: PerftCase) -> tuple[Any, int]:
    """The state that the case counts from, and the number of rolls before it; RulesetError if it cannot be reached."""
    state, rolled = ruleset.initial_state(ruleset.parse_options(case.options), case.seats), 0
    for text in case.moves:
        state, rolled = settle(ruleset, state, case.dice, rolled)
        state = ruleset.apply_move(state, ruleset.parse_move(state, text))
    return state, rolled


def count_case(ruleset: AnyRuleset, case: PerftCase, depth: int) -> PerftCounts:
    """The leaf counts of the case at depth 1 to `depth`."""
    state, rolled = reach_position(ruleset, case)
    return PerftCounts(case, tuple(perft(ruleset, state, d, case.dice, rolled) for d in range(1, depth + 1)))


def explain_mismatch(ruleset: AnyRuleset, expected: PerftCounts) -> str | None:
    """The first count that differs from `expected`, with a divide; None if all counts are equal."""
    case = expected.case
    state, rolled = reach_position(ruleset, case)
    for depth, count in enumerate(expected.counts, 1):
        found = perft(ruleset, state, depth, case.dice, rolled)
        if found != count:
            by_move = divide(ruleset, state, depth, case.dice, rolled)
            return "\n".join(
                [
                    f"perft {depth} of {ruleset.id} version {ruleset.version}, {case.name!r}: "
                    f"expected {count}, found {found}. Divide:",
                    *(f"  {text}: {leaves}" for text, leaves in by_move.items()),
                ]
            )
    return None


def format_perft(results: Iterable[PerftCounts]) -> str:
    """The text of a perft file; inverse of parse_perft."""
    return "\n".join(_format_counts(result) for result in results)


def _format_counts(result: PerftCounts) -> str:
    case = result.case
    lines = [f"id {case.name}", f"seats {case.seats}", f"options {_json(case.options)}"]
    lines += [f"dice {case.dice}"] if case.dice else []
    lines += [f"moves {_json(list(case.moves))}"] if case.moves else []
    lines += [f"perft {depth} {count}" for depth, count in enumerate(result.counts, 1)]
    return "\n".join(lines) + "\n"


def _json(value: object) -> str:
    return canonical_json(value).decode()


def parse_perft(text: str) -> list[PerftCounts]:
    """The positions of a perft file with their counts; ValueError naming the line that cannot be read."""
    return [_parse_counts(paragraph) for paragraph in _paragraphs(text)]


def _paragraphs(text: str) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line:
            paragraph.append(line)
        elif paragraph:
            yield paragraph
            paragraph = []


def _parse_counts(lines: list[str]) -> PerftCounts:
    fields: dict[str, Any] = {}
    counts: list[int] = []
    for line in lines:
        key, _, value = line.partition(" ")
        match key:
            case "id":
                fields["name"] = value
            case "seats":
                fields["seats"] = int(value)
            case "options":
                fields["options"] = loads(value)
            case "dice":
                fields["dice"] = value
            case "moves":
                fields["moves"] = tuple(loads(value))
            case "perft" if value.startswith(f"{len(counts) + 1} "):
                counts.append(int(value.split(" ")[1]))
            case _:
                raise ValueError(f"a perft file cannot hold the line {line!r} here")
    return PerftCounts(PerftCase(**fields), tuple(counts))
