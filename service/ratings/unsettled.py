"""The finished matches that wait for their verdict or their score, as the relay notes them."""

from typing import Any

from plyscribe.service.queues import UNSETTLED
from plyscribe.service.store.cluster import Client

MOST = 1024
"""How many of them are looked at: those that have waited longest."""


class Unsettled:
    """The list of finished matches that are not settled; always empty without a server."""

    def __init__(self, client: Client | None) -> None:
        self._client = client

    def list(self) -> list[str]:
        """The streams that have waited longest, at most MOST. The relay notes a match before it is verified."""
        members: Any = self._client.zrange(UNSETTLED, 0, MOST - 1) if self._client is not None else []
        return [member.decode() for member in members]
