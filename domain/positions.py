"""Positions by key, and moves in them: what the explorer and datasets count by.

Two positions have the same key if they look the same and the same seat is to act, however many moves led to them.
Positions that a symmetry of the ruleset carries into each other have one key, too. One of them stands for all; a move
is written as it is played there. A key says nothing of options that a position does not show, such as a limit of moves.
"""

from base64 import b32encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from plyscribe.domain.chain import plain_json
from plyscribe.domain.errors import MoveError
from plyscribe.domain.ruleset import AnyRuleset, Symmetry, format_turn

KEY_LENGTH = 24
"""The characters of a key: small letters, and digits from 2 to 7."""

_BYTES = KEY_LENGTH * 5 // 8

AnySymmetry = Symmetry[Any, Any]

IDENTITY: AnySymmetry = Symmetry("same", lambda state: state, lambda move: move)


class Folded(NamedTuple):
    """A position, and the one that stands for all that symmetries carry it to."""

    key: str
    representative: Any
    """The state that stands for all."""
    ways: tuple[AnySymmetry, ...]
    """The symmetries that carry the position to its representative: several if the position is symmetric itself."""


def position_key(ruleset: AnyRuleset, state: Any) -> str:
    """The key of a position: KEY_LENGTH characters, equal for positions that a symmetry carries into each other.

    It is the same in every process and release, as long as the ruleset's version is the same.
    """
    return fold_position(ruleset, state).key


def fold_position(ruleset: AnyRuleset, state: Any) -> Folded:
    """The position folded: of the keys of all its images, the least one counts."""
    images = [(way, image, _digest(ruleset, image)) for way, image in _list_images(ruleset, state)]
    least = min(digest for *_, digest in images)
    representative = next(image for _, image, digest in images if digest == least)
    return Folded(
        b32encode(least).decode().lower(),
        representative,
        tuple(way for way, _, digest in images if digest == least),
    )


def fold_move(ruleset: AnyRuleset, folded: Folded, move: Any) -> str:
    """The notation of a legal move of a position as it is played in its representative.

    Moves that a symmetry of the position carries into each other have the same.
    """
    images = (ruleset.format_move(folded.representative, way.map_move(move)) for way in folded.ways)
    return min(images)


def unfold_move(ruleset: AnyRuleset, folded: Folded, state: Any, text: str) -> str | None:
    """The notation in `state`, which was folded, of a move in its representative; None if it is not legal here.

    Of several moves that come to the same, it is the first in the order of their notations. A move may be illegal
    although it was played in a position that looks the same: under other options.
    """
    try:
        move = ruleset.parse_move(folded.representative, text)
    except MoveError:
        return None
    ways = (way for way, image in _list_images(ruleset, folded.representative) if image == state)
    return min((ruleset.format_move(state, way.map_move(move)) for way in ways), default=None)


def _list_images(ruleset: AnyRuleset, state: Any) -> Sequence[tuple[AnySymmetry, Any]]:
    return [(way, way.map_state(state)) for way in (IDENTITY, *ruleset.symmetries(state))]


def _digest(ruleset: AnyRuleset, state: Any) -> bytes:
    seen = {name: value for name, value in ruleset.view(state).items() if name != "ply"}
    place = [ruleset.id, ruleset.version, seen, format_turn(ruleset.turn(state))]
    return sha256(plain_json(place)).digest()[:_BYTES]
