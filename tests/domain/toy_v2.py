"""Toy, version 2: as version 1, but for one clause, so that two versions of a ruleset stand side by side.

TO12  Nobody gives more than two coins at once.

No default registry holds it, as with version 1.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from plyscribe.domain.errors import IllegalMove
from plyscribe.domain.rulesets import RULESETS, register
from tests.domain.toy import TOY_V1, Give, Race, ToyMove, ToyV1

MOST_GIVEN = 2


class ToyV2(ToyV1):
    """A race in which nobody runs far on others' backs."""

    version = 2
    behaviour = "ea32943328c3fefdbf5a57f4ae289f9167fb1e9971edbb93f845a6722994edf6"

    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        return (move for move in super().legal_moves(state, prefix) if not gives_too_much(move))

    def parse_move(self, state: Race, text: str) -> ToyMove:
        move = super().parse_move(state, text)
        if gives_too_much(move):
            raise IllegalMove(text, state.ply, "TO12", f"nobody gives more than {MOST_GIVEN} coins at once")
        return move


def gives_too_much(move: ToyMove) -> bool:
    return isinstance(move, Give) and move.coins > MOST_GIVEN


TOY_V2 = ToyV2()


@contextmanager
def registered_beside() -> Iterator[None]:
    """While it lasts both versions are registered, and the newest toy is this one."""
    register(TOY_V1)
    register(TOY_V2)
    try:
        yield
    finally:
        RULESETS.remove(TOY_V2)
