"""Dice that nobody can rig: committed before the first move, salted by the seats, revealed at the end.

The secret of a match's dice is HMAC-SHA256(server key, dice id). Its SHA-256 is recorded when the match is created,
so the dice are fixed then; each seat may add entropy afterwards, so nobody can have picked them; the secret is
recorded at the end, so that anyone can compute every roll again.
"""

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import unpack

from domain.chain import canonical_json


def derive_secret(key: bytes, dice_id: str) -> bytes:
    """The 32 bytes behind the dice of this id under a server key."""
    return hmac.digest(key, dice_id.encode(), "sha256")


def commit(secret: bytes) -> str:
    """The commitment to a secret: its SHA-256 in hex."""
    return sha256(secret).hexdigest()


def roll_dice(
    secret: bytes, dice_id: str, entropies: Sequence[str | None], roll_number: int, sides: int, count: int
) -> tuple[int, ...]:
    """`count` unbiased values 1..`sides`, a pure function of all arguments.

    `entropies` holds the salt of each seat or None; `roll_number` counts the match's rolls, the first one is 1.
    """
    words = _words(secret, dice_id, entropies, roll_number)
    # A word beyond the last whole multiple of `sides` would favour the low faces.
    fair = 2**32 // sides * sides
    counting = (word for word in words if word < fair)
    return tuple(next(counting) % sides + 1 for _ in range(count))


def _words(secret: bytes, dice_id: str, entropies: Sequence[str | None], roll_number: int) -> Iterator[int]:
    block = 0
    while True:
        message = canonical_json(["roll", dice_id, list(entropies), roll_number, block])
        yield from unpack(">8I", hmac.digest(secret, message, "sha256"))
        block += 1
