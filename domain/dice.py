"""Dice that nobody can rig: the server commits to them before the first move, the seats salt them, and the server
reveals them at the end.

The secret of a match's dice is HMAC-SHA256(server key, dice id). Its SHA-256 is recorded when the match is created,
which fixes the dice. Each seat may then add entropy, so the server cannot have picked the rolls. The secret is recorded
at the end, so anyone can compute every roll again.
"""

import hmac
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from struct import unpack

from plyscribe.domain.chain import canonical_json

WORDS = 2**32
"""The number of words of 32 bits, and the most sides that a die can have."""


def derive_secret(key: bytes, dice_id: str) -> bytes:
    """The 32-byte secret of the dice with this id, under a server key."""
    return hmac.digest(key, dice_id.encode(), "sha256")


def commit(secret: bytes) -> str:
    """The commitment to a secret: its SHA-256 in hex."""
    return sha256(secret).hexdigest()


def parse_secret(text: str) -> bytes:
    """The secret in a text of hex digits; b"", which is never a secret, if the text is not hex."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def roll_dice(
    secret: bytes, dice_id: str, entropies: Sequence[str | None], roll_number: int, sides: int, count: int
) -> tuple[int, ...]:
    """`count` unbiased values 1..`sides`, a pure function of all arguments; ValueError beyond 1..2^32 sides.

    `entropies` has the salt of each seat, or None. `roll_number` counts the match's rolls from 1.
    """
    if not 1 <= sides <= WORDS:
        raise ValueError(f"dice have 1 to {WORDS} sides, not {sides}")
    return tuple(islice(pick_values(_words(secret, dice_id, entropies, roll_number), sides), count))


def pick_values(words: Iterable[int], sides: int) -> Iterator[int]:
    """The values 1..`sides` from these words of 32 bits, all equally likely if the words are.

    Words from the last whole multiple of `sides` on are skipped, since they would favour low values.
    """
    fair = WORDS // sides * sides
    return (word % sides + 1 for word in words if word < fair)


def _words(secret: bytes, dice_id: str, entropies: Sequence[str | None], roll_number: int) -> Iterator[int]:
    block = 0
    while True:
        message = canonical_json(["roll", dice_id, list(entropies), roll_number, block])
        yield from unpack(">8I", hmac.digest(secret, message, "sha256"))
        block += 1
