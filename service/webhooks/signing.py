"""Signatures of messages, as Standard Webhooks 1.0 has them, so that any of its libraries can check ours."""

import hmac
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256

ID_DIGITS = 32


def format_secret(secret: bytes) -> str:
    """The secret as its owner gets it: `whsec_` and base64."""
    return f"whsec_{b64encode(secret).decode()}"


def message_id(lane: str, key: str) -> str:
    """The id of a message, the same every time it is sent to this webhook; a receiver drops repetitions by it."""
    return f"msg_{sha256(f'{lane} {key}'.encode()).hexdigest()[:ID_DIGITS]}"


def sign(secrets: Sequence[bytes], id: str, at_s: int, body: bytes) -> dict[str, str]:
    """The headers of a message that is sent at this time (UTC seconds), with a signature under each secret."""
    signed = b".".join((id.encode(), str(at_s).encode(), body))
    signatures = [b64encode(hmac.digest(secret, signed, "sha256")).decode() for secret in secrets]
    return {
        "webhook-id": id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }
