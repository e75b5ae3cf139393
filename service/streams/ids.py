"""Ids of commands, derived from the request, and ids of streams, derived from the command that opens them."""

import re
import secrets
from base64 import b32encode
from collections.abc import Iterator
from hashlib import sha256

from plyscribe.service.store.port import CommandKey

COMMAND_ID_BYTES = 16
DIGEST_BYTES = 8
STREAM_ID = re.compile(r"(match|player|tournament|import|imports|name)-[a-z2-7]{26}")
_ADDRESS = re.compile(r"match-[a-z2-7]{26}~[a-z2-7]{26}")


def command_of(actor: str, method: str, route: str, key: str | None, body: bytes) -> CommandKey:
    """The key of a request in the store: the same for the same idempotency key, random without one."""
    if key is None:
        id = secrets.token_bytes(COMMAND_ID_BYTES)
    else:
        # No part can contain a line feed, so the text is unambiguous.
        id = sha256("\n".join((actor, method, route, key)).encode()).digest()[:COMMAND_ID_BYTES]
    return CommandKey(id, sha256(body).digest()[:DIGEST_BYTES])


def job_command(*parts: object) -> CommandKey:
    """The key of a job's command in the store: the same for the same parts."""
    id = sha256("\n".join(("job", *map(str, parts))).encode()).digest()[:COMMAND_ID_BYTES]
    return CommandKey(id, bytes(DIGEST_BYTES))


def list_commands(id: str, count: int) -> Iterator[str]:
    """Ids of `count` commands that one request gives, in hex as its own `id`, which the first one has."""
    yield id
    for number in range(1, count):
        yield sha256(f"{id}\n{number}".encode()).digest()[:COMMAND_ID_BYTES].hex()


def stream_id(kind: str, command: CommandKey) -> str:
    """The id of the stream that a command opens: `<kind>-` and 26 lower-case base32 characters."""
    digest = sha256(f"{kind}\n".encode() + command.id).digest()
    return f"{kind}-{b32encode(digest).decode().lower()[:26]}"


def is_match_name(text: str) -> bool:
    """Whether the text is the id of a match or the address of an imported one."""
    return is_stream_id("match", text) or _ADDRESS.fullmatch(text) is not None


def is_stream_id(kind: str, text: str) -> bool:
    """Whether the text is the id of a stream of this kind."""
    return text.startswith(f"{kind}-") and STREAM_ID.fullmatch(text) is not None
