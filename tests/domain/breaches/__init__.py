"""Breaches: for every clause that a move can break, positions and moves that break it.

Each ruleset has a file here, `<id>_v<version>.json`. Every sentence with which the ruleset refuses a move occurs in it.
`{NAME}` stands for the text of that name.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plyscribe.domain.errors import IllegalMove, MoveError
from plyscribe.domain.proofs.playthrough import apply_step
from plyscribe.domain.ruleset import AnyRuleset


class Breach(NamedTuple):
    """A move that breaks a clause (None: it cannot be read) after some steps, and the sentence that says so."""

    clause: str | None
    steps: str
    """Moves, rolls and withdrawals, apart by semicolons: `d4; roll 3 5; withdraw 2`."""
    move: str
    says: str
    """The English message without what comes before the reason."""
    options: dict[str, Any] = {}  # noqa: RUF012
    seats: int = 2


def find_breaches(ruleset: AnyRuleset) -> list[Breach]:
    """The breaches of the ruleset."""
    path = Path(__file__).with_name(f"{ruleset.id}_v{ruleset.version}.json")
    told, names = json.loads(path.read_text(encoding="utf-8")), dict[str, str]()
    for name, of in told["names"].items():
        names[name] = of["text"].format_map(names)
    breaches = []
    for clause, steps, move, says, *more in told["breaches"]:
        if more and isinstance(more[0], str):
            more[0] = told["options"][more[0]]
        breaches.append(Breach(clause, steps.format_map(names), move, says.format_map(names), *more))
    return breaches


def commit_breach(ruleset: AnyRuleset, breach: Breach) -> MoveError:
    """The refusal of the move; AssertionError if it is legal."""
    state = ruleset.initial_state(ruleset.parse_options(breach.options), breach.seats)
    for step in filter(None, map(str.strip, breach.steps.split(";"))):
        state = apply_step(ruleset, state, step if step.split()[0] in ("roll", "withdraw") else f"move {step}")
    with pytest.raises(MoveError) as caught:
        ruleset.parse_move(state, breach.move)
    error = caught.value
    assert (error.clause if isinstance(error, IllegalMove) else None) == breach.clause, error
    return error
