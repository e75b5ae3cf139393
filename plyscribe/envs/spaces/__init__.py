"""What the numbers of actions and observations mean, for each ruleset and for rulesets from outside."""

from collections.abc import Callable
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.envs.spaces import crystals_v1, pathagon_v1, portals_v1, rings_v1, zhen_v1
from plyscribe.envs.spaces.action_ids import Actions, Spelling
from plyscribe.envs.spaces.planes import Hashed, Observer

Options = dict[str, Any]


class Spaces(NamedTuple):
    """How to make the spaces of a ruleset from its complete options and the number of seats."""

    actions: Callable[[Options, int], Actions] = lambda options, seats: Spelling()
    observer: Callable[[Options, int], Observer] = lambda options, seats: Hashed()
    most_sides: int | None = None
    """The most sides of a die; None if they are not known, so that OpenSpiel cannot list what a roll may be."""


FOR_ANY = Spaces()
"""What a ruleset has unless it registers something else."""

_SPACES: dict[tuple[str, int], Spaces] = {
    ("crystals", 1): Spaces(crystals_v1.make_actions, crystals_v1.make_board, 6),
    ("pathagon", 1): Spaces(pathagon_v1.make_actions, pathagon_v1.make_board, 0),
    ("portals", 1): Spaces(portals_v1.make_actions, portals_v1.make_board, 8),
    ("rings", 1): Spaces(rings_v1.make_actions, rings_v1.make_board, 210),
    ("zhen", 1): Spaces(zhen_v1.make_actions, zhen_v1.make_board, 0),
}


def register_spaces(ruleset_id: str, version: int, spaces: Spaces) -> None:
    """Give a ruleset from outside action ids and planes of its own, once or again.

    ValueError if it has others: ids that change their meaning need a new version of the ruleset.
    """
    known = _SPACES.setdefault((ruleset_id, version), spaces)
    if known != spaces:
        raise ValueError(f"{ruleset_id} version {version} has other spaces already: register them once")


def find_spaces(ruleset: AnyRuleset) -> Spaces:
    """The spaces of a ruleset; of one that registered none, those that any ruleset can have."""
    return _SPACES.get((ruleset.id, ruleset.version), FOR_ANY)
