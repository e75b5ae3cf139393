"""The layouts of a store's data: which of them this release reads, and which one a store has.

A release reads the layout of the release before it too, and writes nothing else until the upgrade is finished (see
`plyscribe.service.store.presence`). So both may work on one store.
"""

from contextlib import suppress

from plyscribe.domain.layouts import NEWEST
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import BUCKETS, StoreError
from plyscribe.service.store.redis_keys import feed_key
from plyscribe.service.store.redis_server import ask, ask_all

OLDEST_LAYOUT, NEWEST_LAYOUT = 1, NEWEST
"""The layouts that this release reads."""

LAYOUT_KEY = "{00}:layout"
"""Holds the layout of the data. A store without this key has layout 1."""


def parse_layout(kept: bytes | None) -> int | None:
    """The layout of a store in which LAYOUT_KEY has this value; None if it is no layout."""
    if kept is None:
        return 1
    return int(kept) if kept.isdigit() else None


def is_readable(layout: int | None) -> bool:
    """Whether this release reads data of this layout."""
    return layout is not None and OLDEST_LAYOUT <= layout <= NEWEST_LAYOUT


def read_layout(client: Client) -> int:
    """The layout of the store's data, 0 if the note is none of ours. Raises the errors of the port."""
    return parse_layout(ask(client, "GET", LAYOUT_KEY)) or 0


def mark_layout(client: Client) -> None:
    """Note the layout of a store that has no such note: the newest if it is empty.

    A store that takes no writes now is left as it is.
    """
    with suppress(StoreError):
        ask(client, "SET", LAYOUT_KEY, 1 if _has_events(client) else NEWEST_LAYOUT, "NX")


def _has_events(client: Client) -> bool:
    return any(ask_all(client, [("EXISTS", feed_key(bucket)) for bucket in BUCKETS]))
