"""Dice that nobody can rig: committed before the first move, salted by the seats, revealed at the end.

The secret of a match's dice is HMAC-SHA256(server key, dice id). Its SHA-256 is recorded when the match is created,
so the dice are fixed then; each seat may add entropy afterwards, so nobody can have picked them; the secret is
recorded at the end, so that anyone can compute every roll again.
"""

import hmac
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from struct import unpack

from plyscribe.domain.chain import canonical_json

WORDS = 2**32
"""How many words there are: as many sides a die has at most."""


def derive_secret(key: bytes, dice_id: str) -> bytes:
    """The 32 bytes behind the dice of this id under a server key."""
    return hmac.digest(key, dice_id.encode(), "sha256")


def commit(secret: bytes) -> str:
    """The commitment to a secret: its SHA-256 in hex."""
    return sha256(secret).hexdigest()


def parse_secret(text: str) -> bytes:
    """The secret that hex digits spell; what is no hex is no secret of any dice, b""."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def roll_dice(
    secret: bytes, dice_id: str, entropies: Sequence[str | None], roll_number: int, sides: int, count: int
) -> tuple[int, ...]:
    """`count` unbiased values 1..`sides`, a pure function of all arguments; ValueError beyond 1..2^32 sides.

    `entropies` holds the salt of each seat or None; `roll_number` counts the match's rolls, the first one is 1.
    """
    if not 1 <= sides <= WORDS:
        raise ValueError(f"dice have 1 to {WORDS} sides, not {sides}")
    return tuple(islice(pick_values(_words(secret, dice_id, entropies, roll_number), sides), count))


def pick_values(words: Iterable[int], sides: int) -> Iterator[int]:
    """The values 1..`sides` that these words of 32 bits give, each as likely as any other if the words are.

    A word from the last whole multiple of `sides` on gives none: it would favour the low values.
    """
    fair = WORDS // sides * sides
    return (word % sides + 1 for word in words if word < fair)


def _words(secret: bytes, dice_id: str, entropies: Sequence[str | None], roll_number: int) -> Iterator[int]:
    block = 0
    while True:
        message = canonical_json(["roll", dice_id, list(entropies), roll_number, block])
        yield from unpack(">8I", hmac.digest(secret, message, "sha256"))
        block += 1
