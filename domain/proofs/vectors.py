"""Conformance vectors: matches as JSON lines, to test other simulators of the same game against.

docs/vectors.md explains the fields. The same arguments give the same bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.errors import NotInPlay
from plyscribe.domain.proofs.perft import fixed_dice, fixed_randbelow
from plyscribe.domain.proofs.playthrough import apply_step
from plyscribe.domain.proofs.trials import Walk, read_step
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, RandBelow, Roll, Turn, format_turn

FORMAT = 1
LISTED = 500
"""The longest list of legal moves that is written in full. Of a longer one: its length and a digest."""

LEAVING_EVERY = 3
"""Seats may leave in every third match."""

LEAVES_ONE_IN = 20


def write_vectors(
    ruleset: AnyRuleset, seats: int, options: dict[str, Any], matches: int = 3, seed: int = 0
) -> Iterator[bytes]:
    """The lines of a file with this many random matches, each with its line feed.

    Moves are drawn by sample_move. In every third match, seats may leave before any step. OptionError is raised before
    the first line.
    """
    complete = ruleset.parse_options(options)
    start = ruleset.initial_state(complete, seats)
    head = _describe_head(ruleset, complete, seats, matches, seed)
    return _close(_describe_matches(head, ruleset, start))


def format_vector(ruleset: AnyRuleset, walk: Walk) -> Iterator[bytes]:
    """The lines of a file with one given match, which may be unfinished: then its last line of steps is its end."""
    trial, states = walk
    head = _describe_head(ruleset, trial.options, trial.seats, 1, None)
    return _close([head, *_describe_walk(ruleset, trial.steps, states)])


def _describe_head(
    ruleset: AnyRuleset, options: dict[str, Any], seats: int, matches: int, seed: int | None
) -> dict[str, Any]:
    return {
        "vectors": FORMAT,
        "ruleset": ruleset.id,
        "version": ruleset.version,
        "behaviour": ruleset.behaviour,
        "options": options,
        "seats": seats,
        "matches": matches,
        "seed": seed,
        "listed": LISTED,
    }


def _close(lines: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    digest, count = sha256(), 0
    for described in lines:
        line = canonical_json(described) + b"\n"
        digest.update(line)
        count += 1
        yield line
    yield canonical_json({"lines": count, "sha256": digest.hexdigest()}) + b"\n"


def _describe_walk(ruleset: AnyRuleset, steps: Sequence[str], states: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for number, step in enumerate(steps, 1):
        yield _describe_step(ruleset, 1, number, states[number - 1], read_step(step), states[number])
    turn = ruleset.turn(states[-1])
    if isinstance(turn, Over):
        yield {"match": 1, "steps": len(steps), **format_turn(turn)}


def _describe_matches(head: dict[str, Any], ruleset: AnyRuleset, start: Any) -> Iterator[dict[str, Any]]:
    yield head
    for match in range(1, head["matches"] + 1):
        state, steps, draw = start, 0, _Drawing(f"{head['seed']}/{match}", leaving=match % LEAVING_EVERY == 0)
        while not isinstance(turn := ruleset.turn(state), Over):
            step, after = draw.step(ruleset, state, turn)
            steps += 1
            yield _describe_step(ruleset, match, steps, state, step, after)
            state = after
        yield {"match": match, "steps": steps, **format_turn(turn)}


def _describe_step(
    ruleset: AnyRuleset, match: int, number: int, state: Any, step: dict[str, Any], after: Any
) -> dict[str, Any]:
    return {
        "match": match,
        "step": number,
        **_describe(ruleset, state),
        "legal": _describe_moves(ruleset, state) if isinstance(ruleset.turn(state), Decision) else None,
        "do": step,
        "next": _describe(ruleset, after),
    }


class _Drawing:
    """Draws the next step of a match: a pure function of the seed and of the steps before."""

    def __init__(self, seed: str, *, leaving: bool) -> None:
        self._seed = seed
        self._moves = fixed_randbelow(f"{seed}/moves")
        self._leaving = fixed_randbelow(f"{seed}/leaving") if leaving else None
        self._rolled = 0

    def step(self, ruleset: AnyRuleset, state: Any, turn: Turn) -> tuple[dict[str, Any], Any]:
        """The step as JSON, and the state after it."""
        if self._leaving and self._leaving(LEAVES_ONE_IN) == 0:
            left = _let_leave(ruleset, state, self._leaving)
            if left:
                return left
        if isinstance(turn, Roll):
            values = fixed_dice(f"{self._seed}/rolls", self._rolled, turn)
            self._rolled += 1
            return {"roll": list(values)}, ruleset.apply_roll(state, values)
        text = ruleset.format_move(state, ruleset.sample_move(state, self._moves))
        return {"move": text}, apply_step(ruleset, state, f"move {text}")


def _let_leave(ruleset: AnyRuleset, state: Any, randbelow: RandBelow) -> tuple[dict[str, Any], Any] | None:
    """The step in which a randomly drawn seat leaves; None if that seat is not in play."""
    seat = randbelow(len(ruleset.standing(state))) + 1
    try:
        return {"withdraw": seat}, ruleset.withdraw(state, seat)
    except NotInPlay:
        return None


def _describe(ruleset: AnyRuleset, state: Any) -> dict[str, Any]:
    return {"turn": format_turn(ruleset.turn(state)), "view": ruleset.view(state)}


def _describe_moves(ruleset: AnyRuleset, state: Any) -> dict[str, Any]:
    texts = [ruleset.format_move(state, move) for move in ruleset.legal_moves(state)]
    if len(texts) <= LISTED:
        return {"count": len(texts), "moves": texts}
    return {"count": len(texts), "sha256": sha256("\n".join(texts).encode()).hexdigest()}
