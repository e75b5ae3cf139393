"""Writes to players' inboxes which of their webhooks the service disabled."""

from typing import Any

import orjson

from plyscribe.domain.codec import Event
from plyscribe.service.store.inbox import Letter

WEBHOOK_DISABLED = "webhook-disabled"
"""The type of the notice."""


def write_disabled(player: str, event: Event) -> Letter:
    """The letter to the owner of a webhook about the event that disabled it."""
    data: Any = event.data
    about = {"type": WEBHOOK_DISABLED, "webhook": data.webhook, "version": event.version, "at": event.at}
    return Letter(f"{player}:{event.version}:{WEBHOOK_DISABLED}", orjson.dumps({**about, "why": data.why}))
