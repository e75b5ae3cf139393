"""Which relay follows which buckets of the feed: each has its share, for as long as it gives signs of life.

A relay that was silent for too long may go on with buckets that another has taken over. That does no harm: whatever a
relay does may be done twice, and rows of the read database are entered once all the same.
"""

import time
from collections.abc import Sequence
from secrets import token_hex

from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import BUCKETS
from plyscribe.service.store.redis_server import Script

RELAYS, OWNERS = "{00}:relays", "{00}:relay-buckets"

LASTS_S = 2.0
"""How long a relay keeps its buckets without a sign of life. So long the buckets of one that was killed rest."""

RENEW_S = 0.5


class Leases:
    """The buckets of one relay. Not thread-safe."""

    def __init__(self, client: Client) -> None:
        self.relay = token_hex(8)
        self._share = Script(client, "share_buckets.lua")
        self._held: tuple[str, ...] = ()
        self._renew_at = 0.0

    def hold(self) -> tuple[str, ...]:
        """The buckets to follow now, renewed if it is time. Raises the errors of the port."""
        now_s = time.monotonic()
        if now_s >= self._renew_at:
            self._held = self._ask(LASTS_S)
            self._renew_at = now_s + RENEW_S
        return self._held

    def leave(self) -> None:
        """Give all buckets back. Raises the errors of the port."""
        self._held, self._renew_at = (), 0.0
        self._ask(0.0)

    def _ask(self, lasts_s: float) -> tuple[str, ...]:
        numbers: Sequence[int] = self._share(2, [RELAYS, OWNERS, self.relay, int(lasts_s * 1000), len(BUCKETS)])
        return tuple(BUCKETS[number] for number in sorted(numbers))
