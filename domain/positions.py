"""Keys of positions: two states of a ruleset have the same key if play can go on from both in the same way."""

from hashlib import sha256
from typing import Any

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.ruleset import AnyRuleset, format_turn

COUNTERS = ("ply",)
"""What a view counts and a position does not depend on."""


def position_key(ruleset: AnyRuleset, state: Any) -> str:
    """SHA-256, in hex, of the canonical JSON of the state's view and turn, without the number of moves made."""
    view = {name: value for name, value in ruleset.view(state).items() if name not in COUNTERS}
    return sha256(canonical_json({"turn": format_turn(ruleset.turn(state)), "view": view})).hexdigest()
