"""Retelling: the view after a step, told from the view before it and the effects of the step alone.

A ruleset can have a file `retelling.py` beside its cases, written from the rules as they are published and not from the
code. It proves that the effects are complete. It has:

- `RETOLD`: for each kind of effect of its own, a function that changes a view as the effect says;
- `settle(view, effects)`: what follows for the rest of the view, such as marks that lapse with each move;
- `CHANGING`: every clause that changes the board, or what lies beside it.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Protocol, cast

from plyscribe.domain.effects import LEFT, RANKED, Effect
from plyscribe.domain.ruleset import Over

View = dict[str, Any]
Retell = Callable[[View, Effect], None]


class Retelling(Protocol):
    """What a ruleset's module has."""

    RETOLD: Mapping[str, Retell]
    CHANGING: frozenset[str]

    @staticmethod
    def settle(view: View, effects: Sequence[Effect]) -> None:
        """Change the view as far as no effect of its own says."""


@cache
def load_retelling(path: Path) -> Retelling:
    """The retelling in this file; AssertionError if it lacks anything."""
    spec = spec_from_file_location(f"retelling_of_{path.parent.name}", path)
    assert spec
    assert spec.loader
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    lacking = [name for name in ("RETOLD", "CHANGING", "settle") if not hasattr(module, name)]
    assert not lacking, f"{path} lacks {', '.join(lacking)}"
    return cast(Retelling, module)


def retell(retelling: Retelling, view: View, effects: Sequence[Effect]) -> tuple[View, Over | None]:
    """The view after these effects, and the outcome if they end the match."""
    view = deepcopy(view)
    # The first effect of a move is chosen, and of nothing else.
    view["ply"] += bool(effects and effects[0].chosen)
    reason, ranks = None, list[int]()
    for effect in effects:
        match effect.kind:
            case "ended":
                reason = effect.word
                continue
            case "ranked":
                assert effect.owner == len(ranks) + 1
                ranks.append(cast(int, effect.amount))
                continue
            case "left":
                view["left"].append(effect.owner)
        retold = retelling.RETOLD.get(effect.kind)
        assert retold or effect.kind == LEFT, f"nobody can retell {effect.kind!r}"
        if retold:
            retold(view, effect)
    retelling.settle(view, effects)
    return view, None if reason is None else Over(reason, tuple(ranks))


def is_over(effects: Sequence[Effect]) -> bool:
    """Whether the match ends with these effects."""
    return any(effect.kind == RANKED for effect in effects)
