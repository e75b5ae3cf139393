"""Requests for a token that can be sent again: each repetition gets the same token, although nobody stores it.

The token is derived from the server key and the client's Idempotency-Key. The store has neither of them. Who knows the
client's key gets the token too, so that key must be as hard to guess as a token, and it counts for a short time only.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import NamedTuple

from plyscribe.service.access.recovery_codes import format_code
from plyscribe.service.config import ServerKey
from plyscribe.service.store.port import CommandKey

MIN_KEY_LENGTH = 22
"""Characters of an Idempotency-Key that stands for a token. So many of base64 hold 128 random bits."""

REPEATED_MS = 10 * 60 * 1000
"""How long after a token was issued a repetition of the request still gets it."""


class Repeatable(NamedTuple):
    """A request for a token: its key in the store, the client's key, and our keys, the present one first."""

    command: CommandKey
    key: str
    ring: tuple[ServerKey, ...]

    def derive_secrets(self, account: str) -> Iterator[str]:
        """The secret part of the token of this request, under each of our keys."""
        for derived in self._derive(account):
            yield urlsafe_b64encode(derived).decode().rstrip("=")

    def derive_codes(self, account: str) -> Iterator[str]:
        """The recovery code of this request, under each of our keys."""
        for derived in self._derive(f"{account} recovery code"):
            yield format_code(derived)

    def _derive(self, what: str) -> Iterator[bytes]:
        text = "\n".join((what, self.command.id.hex(), self.command.digest.hex(), self.key))
        for each in self.ring:
            yield hmac.digest(each.token_key, text.encode(), "sha256")
