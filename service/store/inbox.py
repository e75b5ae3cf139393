"""The port of inboxes: what players were told, numbered, each entry once, the newest ones kept.

The numbers of an inbox grow with time, even after it was forgotten: whoever knows one can go on after it for ever.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

PREFIX = "inbox-"
"""What the feed calls an inbox: this, and the player's id without its kind."""

KEPT = 500
"""Entries of an inbox that are kept."""

FORGOTTEN_MS = 90 * 24 * 3600 * 1000
"""After this time without a new entry an inbox is forgotten."""


class Letter(NamedTuple):
    """An entry to write: its key, which is never written twice among those that are kept, and its data."""

    key: str
    data: bytes


class Received(NamedTuple):
    """An entry of an inbox: its number, that of the entry before it (0: there was none), and its data."""

    number: int
    previous: int
    data: bytes


class Inboxes(Protocol):
    """An inbox for each player. Errors as of the store."""

    def write(self, letters: Mapping[str, Sequence[Letter]]) -> int:
        """How many of these letters, by player, were not there yet; they are now, in order, and the feed tells of it.

        Each letter is written in one atomic step, so all of this may be done again.
        """
        ...

    def read(self, player: str, after: int, limit: int) -> list[Received]:
        """Entries after a number, in order, at most `limit`.

        Where `previous` of the first one is a greater number than that, entries were dropped in between.
        """
        ...

    def newest(self, player: str) -> int:
        """The number of the newest entry, 0 where there is none."""
        ...


def inbox_of(player: str) -> str:
    """What the feed calls the inbox of a player."""
    return PREFIX + player.partition("-")[2]


def player_of(inbox: str) -> str:
    """The player that an inbox belongs to; inverse of inbox_of."""
    return "player-" + inbox.removeprefix(PREFIX)
