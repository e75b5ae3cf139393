"""Ids of sealed streams, packed: the streams of a bucket that begin alike are fields of one hash.

A field is what follows the beginning. It takes 15 bytes for an id of the usual form, `<kind>-` and 26 characters of
base32. A bucket has 1,024 such hashes for a kind. So they stay small, and the engine keeps them in its compact form.
"""

import re
from base64 import b32decode, b32encode

_USUAL = re.compile(r"([^-]*-[a-z2-7]{2})([a-z2-7]{24})")
_PACKED_BYTES = 15

PLAIN = bytes(_PACKED_BYTES + 1)
"""What the field of any other id starts with. This makes it longer than the field of a usual id."""


def pack_id(stream: str) -> tuple[str, bytes]:
    """The beginning of an id, and the field for the rest. Beginnings sort as their ids do."""
    if usual := _USUAL.fullmatch(stream):
        return usual[1], b32decode(usual[2].upper())
    kind, dash, rest = stream.partition("-")
    return f"{kind}{dash}{rest[:2]}", PLAIN + rest[2:].encode()


def unpack_id(beginning: str, field: bytes) -> str:
    """The id. Inverse of `pack_id`."""
    if len(field) == _PACKED_BYTES:
        return beginning + b32encode(field).decode().lower()
    return beginning + field.removeprefix(PLAIN).decode()
