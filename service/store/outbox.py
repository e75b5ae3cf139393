"""The port of the outbox: what waits to be posted to webhooks, each message in the lane of its webhook.

A lane sends one message at a time, whoever works on it. No message enters a lane twice, as long as the lane knows its
key. The outbox holds nothing that a match or tournament depends on.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

MOST_WAITING = 200
"""How many messages may wait in a lane. One more drops the one that has been due for longest."""

KNOWN = 1000
"""How many keys a lane knows, the newest ones."""

LEASE_MS = 60_000
"""How long a lane belongs to a worker that has taken it and does not release it, because it died."""

FORGOTTEN_MS = 30 * 24 * 3600 * 1000
"""A lane is forgotten after this time without a new message."""

Topics = Mapping[str, Sequence[str]]
"""What an account's webhooks want, by their ids."""


class Lane(NamedTuple):
    """A webhook of an account."""

    player: str
    webhook: str

    def __str__(self) -> str:
        return f"{self.player}_{self.webhook}"


def parse_lane(text: str) -> Lane:
    """The lane in a text; inverse of `str`."""
    player, _, webhook = text.partition("_")
    return Lane(player, webhook)


class Message(NamedTuple):
    """A message: a key that no other message of its lane has, and what to post."""

    key: str
    body: bytes


class Waiting(NamedTuple):
    """A message that is due, and how often it was tried in vain."""

    key: str
    body: bytes
    tries: int


class Tried(NamedTuple):
    """One try: when (UTC milliseconds), the status of the answer, and why it failed (None: it did not)."""

    at: int
    status: int | None
    error: str | None


class LaneState(NamedTuple):
    """How a lane does. Times are UTC milliseconds."""

    waiting: int = 0
    last: Tried | None = None
    failures: int = 0
    """Tries that failed since the last one that did not."""

    failing_since: int | None = None
    next_at: int | None = None
    """When it goes on; None if nothing waits."""

    dropped: int = 0
    """Messages that were given up, or that others took the place of."""


class Outbox(Protocol):
    """The lanes of all webhooks, and who wants what. Raises the errors of the store."""

    def subscribe(self, player: str, version: int, wants: Topics) -> None:
        """Note what the account's active webhooks want as of a version. An older version changes nothing."""
        ...

    def count_changes(self) -> int:
        """A number that differs whenever `list_wanting` may."""
        ...

    def list_wanting(self) -> frozenset[str]:
        """All accounts that want something, and some that once did."""
        ...

    def list_wants(self, players: Sequence[str]) -> dict[str, Topics]:
        """What each of these accounts wants; those without active webhooks are left out. One round trip."""
        ...

    def put(self, lane: Lane, message: Message, now_ms: int) -> bool:
        """Enter a message and make the lane due, unless it is paused; False if it knows the message already."""
        ...

    def wake(self, lane: Lane, now_ms: int) -> None:
        """Forget that the lane failed, and make everything that waits in it due."""
        ...

    def list_due(self, now_ms: int, limit: int) -> list[Lane]:
        """The lanes that are due, the earliest first."""
        ...

    def postpone(self, lanes: Sequence[Lane], until_ms: int) -> None:
        """Make lanes due at this time, whenever they were due before."""
        ...

    def take(self, lane: Lane, holder: str, now_ms: int, limit: int) -> list[Waiting] | None:
        """The first messages that are due, for the one worker that holds the lane; None while another one does."""
        ...

    def settle(self, lane: Lane, key: str, tried: Tried, again_ms: int | None = None) -> None:
        """Note a try. A message that failed is due again at `again_ms`; None: it is given up."""
        ...

    def release(self, lane: Lane, holder: str, pause_until_ms: int) -> None:
        """End the lease. The lane is due when its first message is, but not before `pause_until_ms`."""
        ...

    def describe(self, lanes: Sequence[Lane]) -> list[LaneState]:
        """How these lanes do."""
        ...

    def drop(self, lane: Lane) -> None:
        """Drop all that waits. How the lane did stays known."""
        ...

    def count_lanes(self) -> int:
        """How many lanes have messages that wait."""
        ...
