"""Conformance vectors: other simulators can be held against them, and find their faults."""

import re
from collections.abc import Callable
from json import loads
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.errors import OptionError
from plyscribe.domain.proofs.playthrough import apply_step
from plyscribe.domain.proofs.vectors import LISTED, write_vectors
from plyscribe.domain.ruleset import AnyRuleset, format_turn
from tests.domain.prove import every_ruleset
from tests.domain.toy import TOY_V1, ToyV1
from tests.domain.toy_v2 import TOY_V2

PAGE = Path(__file__).parents[2] / "docs" / "vectors.md"


def read_reader() -> Callable[[bytes, Any], None]:
    """The reader that the page shows, which knows nothing of ours."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(found[1], names)
    check: Callable[[bytes, Any], None] = names["check"]
    return check


check = read_reader()


class Game:
    """A simulator as the reader on the page asks for it."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        self._ruleset = ruleset
        self.done: list[str] = []

    def start(self, options: dict[str, Any], seats: int) -> Any:
        return self._ruleset.initial_state(options, seats)

    def turn(self, state: Any) -> dict[str, Any]:
        return format_turn(self._ruleset.turn(state))

    def view(self, state: Any) -> dict[str, Any]:
        view: dict[str, Any] = loads(canonical_json(self._ruleset.view(state)))
        return view

    def legal(self, state: Any) -> list[str]:
        return [self._ruleset.format_move(state, move) for move in self._ruleset.legal_moves(state)]

    def do(self, state: Any, step: dict[str, Any]) -> Any:
        [(kind, value)] = step.items()
        self.done.append(kind)
        text = " ".join(map(str, value)) if kind == "roll" else value
        return apply_step(self._ruleset, state, f"{kind} {text}")


def vectors(ruleset: AnyRuleset, seats: int | None = None, options: dict[str, Any] | None = None, **more: int) -> bytes:
    return b"".join(write_vectors(ruleset, seats or ruleset.min_seats, options or {}, **more))


@every_ruleset
def test_every_ruleset_keeps_to_its_own_vectors(ruleset: AnyRuleset) -> None:
    for seats in range(ruleset.min_seats, ruleset.max_seats + 1):
        check(vectors(ruleset, seats), Game(ruleset))


def test_moves_rolls_and_withdrawals_all_occur() -> None:
    game = Game(TOY_V1)
    check(vectors(TOY_V1, 4, matches=9), game)
    assert set(game.done) == {"move", "roll", "withdraw"}


def test_the_same_arguments_give_the_same_bytes_and_others_others() -> None:
    assert vectors(TOY_V1, seed=1) == vectors(TOY_V1, seed=1)
    assert len({vectors(TOY_V1, seed=seed) for seed in range(3)}) == 3


def test_the_first_line_tells_what_was_asked_for() -> None:
    head = loads(vectors(TOY_V2, 3, {"dice": 3}, matches=2, seed=7).splitlines()[0])
    assert head == {
        "vectors": 1,
        "ruleset": "toy",
        "version": 2,
        "behaviour": TOY_V2.behaviour,
        "options": {"dice": 3, "ply_limit": 100},
        "seats": 3,
        "matches": 2,
        "seed": 7,
        "listed": LISTED,
    }


def test_a_step_holds_a_position_its_moves_what_was_done_and_the_next_position() -> None:
    step = loads(vectors(TOY_V1, options={"dice": 0}).splitlines()[1])
    view = {"ruleset": "toy", "ply": 0, "left": [], "track": 10, "runners": [0, 0], "coins": [0, 0]}
    assert (step["match"], step["step"], step["turn"], step["view"]) == (1, 1, {"decision": 1}, view)
    assert step["legal"] == {"count": 2, "moves": ["push", "hold"]}
    assert step["do"] in ({"move": "push"}, {"move": "hold"})
    assert step["next"]["turn"] == {"decision": 2}
    assert step["next"]["view"]["ply"] == 1


def test_other_rules_are_found_out() -> None:
    file = vectors(TOY_V1, options={"dice": 0}, matches=20)
    with pytest.raises(AssertionError, match="legal moves"):
        check(file, Game(TOY_V2))


def test_a_changed_byte_is_found_out() -> None:
    file = vectors(TOY_V1)
    with pytest.raises(AssertionError, match="damaged"):
        check(file.replace(b'"seed":0', b'"seed":1'), Game(TOY_V1))


def test_moves_that_are_too_many_to_list_are_told_by_count_and_digest() -> None:
    class Wordy(ToyV1):
        def legal_moves(self, state: Any, prefix: str = "") -> Any:
            return iter([*super().legal_moves(state, prefix)] * 300)

    wordy = Wordy()
    file = vectors(wordy)
    counts = [line["legal"] for line in map(loads, file.splitlines()) if line.get("legal")]
    assert {frozenset(count) for count in counts} == {frozenset({"count", "sha256"})}
    check(file, Game(wordy))


@pytest.mark.parametrize(("seats", "options"), [(9, {}), (2, {"dice": 9})])
def test_seats_and_options_must_fit_before_a_line_is_written(seats: int, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        write_vectors(TOY_V1, seats, options)
