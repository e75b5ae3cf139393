"""The changes of matches as the relay notes them, over a real store and each kind of read database."""

import pytest
from redis import Redis

from plyscribe.service.database.engine import Database
from plyscribe.service.live import match_changes as changes_module
from plyscribe.service.live.match_changes import Changes
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.redis import RedisStore
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.relay import Relay
from tests.store.given import append

pytestmark = pytest.mark.server

STREAMS = tuple(f"match-{letter * 26}" for letter in "abcdefgh")


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(changes_module, "FRESH_S", 0.0)


class OneRelay:
    """A relay that notes changes and does nothing else."""

    def __init__(self, url: str, redis: Redis) -> None:
        self.changes = Changes(Database(url))
        feed = FeedGroup(redis)
        self.projector = Projector(feed, self.changes._database, [self.changes], [self.changes])
        self.projector.chores[0]._every_s = 0.0
        self.relay = Relay(feed, [self.projector])

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.relay.step(block_ms=0)

    def list_noted(self) -> list[tuple[str, int]]:
        return [(change.match, change.last) for change in self.changes.read(0, 1000)]


def test_appends_that_the_relay_missed_are_a_gap(redis, read_url):
    store, relay = RedisStore(redis), OneRelay(read_url, redis)
    relay.step(2)
    append(store, STREAMS[0])
    relay.step()
    noted = relay.changes.numbers()
    append(store, STREAMS[0])
    group = FeedGroup(redis)
    while group.read(1000):
        group.ack()
    group.trim(0)
    OneRelay(read_url, redis).step(2)
    newest, floor = relay.changes.numbers()
    assert newest == floor > noted.newest
    assert relay.list_noted() == []
