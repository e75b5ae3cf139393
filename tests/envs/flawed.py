"""Toy with a fault: it prints whatever happens, and fails in some games."""

from typing import Any

from plyscribe.domain.ruleset import RandBelow
from tests.domain.toy import ToyV1


class Flawed(ToyV1):
    id = "flawed"

    def sample_move(self, state: Any, randbelow: RandBelow) -> Any:
        print("a ruleset may print")
        if not randbelow(300):
            raise RuntimeError("this game is broken")
        return super().sample_move(state, randbelow)


FLAWED = Flawed()
