"""Recovery codes: 100 random bits in letters and digits that people do not mix up (Crockford's base 32).

A code lets somebody who lost the token of an account get another one, once. The store holds only its SHA-256.
"""

import re
import secrets
from base64 import b32encode
from hashlib import sha256

CODE_BYTES = 13
CODE_LENGTH = 20
GROUP = 4

_ALPHABET = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHJKMNPQRSTVWXYZ")
_ALIKE = str.maketrans("OIL", "011")


def new_code() -> str:
    """A new random code."""
    return format_code(secrets.token_bytes(CODE_BYTES))


def format_code(random: bytes) -> str:
    """The code of these random bytes, at least CODE_BYTES of them, in groups to read aloud: `7K2M-…`."""
    code = b32encode(random[:CODE_BYTES]).decode().translate(_ALPHABET)[:CODE_LENGTH]
    return "-".join(code[start : start + GROUP] for start in range(0, CODE_LENGTH, GROUP))


def digest_of_code(code: str) -> str:
    """What is stored of a code: the SHA-256 of its text in hex. Case, hyphens and spaces do not matter, nor O for 0."""
    plain = re.sub(r"[\W_]+", "", code).upper().translate(_ALIKE)
    return sha256(f"recovery code\n{plain}".encode(errors="surrogateescape")).hexdigest()
