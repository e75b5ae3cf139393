"""Secret seeds of the server's bots: committed to when a match is created, and revealed at its end.

Whoever knows a bot's seed can compute its moves beforehand. So if nobody named a seed, it follows from a secret of the
match: HMAC-SHA256(server key, "bots " + match id). The match records the SHA-256 of that secret when it is created, and
the secret itself at the end. The seed of a seat follows from HMAC-SHA256(secret, ["bot", match id, seat]), where the
message is canonical JSON: it is the first eight bytes as a big-endian number, modulo 2^53.
"""

import hmac
from collections.abc import Iterable
from dataclasses import replace

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.dice import commit, derive_secret
from plyscribe.domain.errors import SeedsKeyMissing
from plyscribe.domain.events import BuiltIn, Occupant, SealedSeeds

SEEDS = 2**53
"""How many seeds there are: 0 .. SEEDS - 1."""


def derive_seeds_secret(key: bytes, match: str) -> bytes:
    """The 32-byte secret of the seeds of this match, under a server key. No dice have this secret."""
    return derive_secret(key, f"bots {match}")


def derive_seed(secret: bytes, match: str, seat: int) -> int:
    """The seed of the bot on this seat."""
    digest = hmac.digest(secret, canonical_json(["bot", match, seat]), "sha256")
    return int.from_bytes(digest[:8]) % SEEDS


def has_secret_seed(occupant: Occupant | None) -> bool:
    """Whether a bot has this seat, and its seed is not known."""
    return isinstance(occupant, BuiltIn) and occupant.seed is None


def open_seeds(match: str, seats: Iterable[Occupant | None], secret: bytes) -> tuple[Occupant | None, ...]:
    """The occupants of the seats from 1 on, each bot with its seed."""
    return tuple(
        replace(who, seed=derive_seed(secret, match, seat)) if isinstance(who, BuiltIn) and who.seed is None else who
        for seat, who in enumerate(seats, 1)
    )


def require_seeds_secret(sealed: SealedSeeds, secret: bytes | None) -> bytes:
    """The secret, if it is the one committed to; otherwise SeedsKeyMissing."""
    if secret is None or commit(secret) != sealed.commitment:
        raise SeedsKeyMissing(sealed.key)
    return secret
