"""Writes to players' inboxes which of their webhooks the service disabled."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from plyscribe.domain.codec import Event
from plyscribe.domain.webhooks import WebhookDisabled
from plyscribe.service.live.inboxes import Letter
from plyscribe.service.webhooks.delivery import DISABLER

WEBHOOK_DISABLED = "webhook-disabled"
"""The type of the notice."""


def list_disabled(player: str, events: Iterable[Event]) -> Iterator[Letter]:
    """The letters to the owner of webhooks about those of these events that disabled one."""
    for event in events:
        if isinstance(event.data, WebhookDisabled) and event.by == str(DISABLER):
            yield _write_letter(player, event)


def _write_letter(player: str, event: Event) -> Letter:
    data: Any = event.data
    about = {"type": WEBHOOK_DISABLED, "webhook": data.webhook, "version": event.version, "at": event.at}
    key = f"{player}:{event.version}:{WEBHOOK_DISABLED}"
    return Letter(key, event.at, orjson.dumps({**about, "why": data.why}))
