"""The port of inboxes: numbered entries for each player. No entry is written twice, and only the newest are kept.

Numbers always grow, even after an inbox was forgotten, so a reader can always continue after any number it knows.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

PREFIX = "inbox-"
"""The name of an inbox in the feed: this prefix and the player's id without its kind."""

KEPT = 500
"""How many entries of an inbox are kept."""

FORGOTTEN_MS = 90 * 24 * 3600 * 1000
"""An inbox is deleted after this time without a new entry."""


class Letter(NamedTuple):
    """An entry to write: its data, and a key. A key is written only once, as long as its entry is kept."""

    key: str
    data: bytes


class Received(NamedTuple):
    """An entry of an inbox: its number, the number of the entry before it (0: none), and its data."""

    number: int
    previous: int
    data: bytes


class Inboxes(Protocol):
    """An inbox for each player. Raises the errors of the store."""

    def write(self, letters: Mapping[str, Sequence[Letter]]) -> int:
        """Write these letters, by player, in order, and announce them in the feed; return how many were new.

        Each letter is written atomically and only once, so the call may be repeated.
        """
        ...

    def read(self, player: str, after: int, limit: int) -> list[Received]:
        """Entries after a number, in order, at most `limit`.

        If `previous` of the first entry is greater than `after`, entries were dropped in between.
        """
        ...

    def newest(self, player: str) -> int:
        """The number of the newest entry; 0 if there is none."""
        ...


def inbox_of(player: str) -> str:
    """The name of a player's inbox in the feed."""
    return PREFIX + player.partition("-")[2]


def player_of(inbox: str) -> str:
    """The player who owns an inbox; inverse of inbox_of."""
    return "player-" + inbox.removeprefix(PREFIX)
