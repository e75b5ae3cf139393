"""Inboxes on a Redis or Valkey server, in the bucket of their player."""

from collections.abc import Mapping, Sequence
from typing import Any

from redis import Redis

from plyscribe.service.store.inbox import FORGOTTEN_MS, KEPT, Letter, Received, inbox_of
from plyscribe.service.store.port import bucket_of
from plyscribe.service.store.redis import WiredScript, ask, feed_key
from plyscribe.service.store.wire import Wire

KEYS = 3
"""The number of keys in a call of the script."""


class RedisInboxes:
    """Inboxes on a server; safe to share between threads. The client must not retry."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._write = WiredScript(client, "write_inbox.lua", Wire(client))

    def write(self, letters: Mapping[str, Sequence[Letter]]) -> int:
        """See Inboxes.write."""
        return sum(self._write.call_all(KEYS, [_write_args(*each) for each in letters.items()]))

    def read(self, player: str, after: int, limit: int) -> list[Received]:
        """See Inboxes.read."""
        found = ask(self._client, "XRANGE", _key(player), f"{after + 1}-0", "+", "COUNT", limit)
        return [Received(int(id[:-2]), int(fields[b"p"]), fields[b"d"]) for id, fields in found]

    def newest(self, player: str) -> int:
        """See Inboxes.newest."""
        found = ask(self._client, "XREVRANGE", _key(player), "+", "-", "COUNT", 1)
        return int(found[0][0][:-2]) if found else 0


def _write_args(player: str, letters: Sequence[Letter]) -> list[Any]:
    bucket = bucket_of(player)
    inbox = inbox_of(player)
    # Those who follow the inbox read the feed of its bucket.
    keys = [_key(player), f"{{{bucket}}}:inbox-keys:{player}", feed_key(bucket_of(inbox))]
    return [*keys, inbox, KEPT, FORGOTTEN_MS, *(field for letter in letters for field in letter)]


def _key(player: str) -> str:
    return f"{{{bucket_of(player)}}}:inbox:{player}"
