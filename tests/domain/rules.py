"""A ruleset as the tests of its clauses use it: play on, say what is legal, and be refused by a clause."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from plyscribe.domain.errors import IllegalMove
from plyscribe.domain.ruleset import AnyRuleset


class Rules:
    def __init__(self, ruleset: AnyRuleset) -> None:
        self.ruleset = ruleset

    def start(self, seats: int = 2, **options: Any) -> Any:
        return self.ruleset.initial_state(self.ruleset.parse_options(options), seats)

    def play(self, state: Any, *steps: str | int | tuple[int, ...]) -> Any:
        """The state after moves, as text, and rolls, as values."""
        for step in steps:
            if isinstance(step, str):
                state = self.ruleset.apply_move(state, self.ruleset.parse_move(state, step))
            else:
                state = self.ruleset.apply_roll(state, (step,) if isinstance(step, int) else step)
        return state

    def legal(self, state: Any, prefix: str = "") -> list[str]:
        return [self.ruleset.format_move(state, move) for move in self.ruleset.legal_moves(state, prefix)]

    def refuse(self, state: Any, text: str, clause: str) -> None:
        with pytest.raises(IllegalMove) as refused:
            self.ruleset.parse_move(state, text)
        assert refused.value.clause == clause, refused.value
        assert text not in self.legal(state)

    def require_sampled_alike(self, state: Any, times: int) -> None:
        """Every legal move is drawn about so many times."""
        legal, random = self.legal(state), Random(8)
        moves = (self.ruleset.sample_move(state, random.randrange) for _ in range(times * len(legal)))
        drawn = Counter(self.ruleset.format_move(state, move) for move in moves)
        assert sorted(drawn) == sorted(legal)
        assert times * 0.6 < min(drawn.values()) <= max(drawn.values()) < times * 1.5
