"""Breaches: for every clause that a move can break, positions and moves that break it.

Each ruleset has a module here, `<id>_v<version>`, with BREACHES. Every sentence with which the ruleset refuses a move
occurs in them.
"""

from importlib import import_module
from typing import Any, NamedTuple, cast

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
    return cast(list[Breach], import_module(f"{__name__}.{ruleset.id}_v{ruleset.version}").BREACHES)


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
