"""How relays share the buckets: each bucket has one of them, and nobody's bucket rests for long."""

from collections.abc import Iterator

import pytest
from redis import Redis

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store import leases as leases_module
from plyscribe.service.store.leases import RELAYS, Leases
from plyscribe.service.store.port import BUCKETS
from plyscribe.service.store.redis import connect_client

pytestmark = pytest.mark.server


@pytest.fixture
def client(server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Redis]:
    monkeypatch.setattr(leases_module, "RENEW_S", 0.0)
    monkeypatch.setattr(leases_module, "LASTS_S", 60.0)
    client = connect_client(server.url, 60.0)
    yield client
    client.connection_pool.disconnect()


@pytest.mark.parametrize("count", [1, 3, len(BUCKETS) + 3])
def test_relays_share_and_no_bucket_has_two(client, count):
    relays = [Leases(client) for _ in range(count)]
    for _ in range(3):
        held = [relay.hold() for relay in relays]
    assert sorted(bucket for each in held for bucket in each) == list(BUCKETS)
    assert max(map(len, held)) <= -(-len(BUCKETS) // count)
    assert [relay.hold() for relay in relays] == held, "nobody takes from anybody without need"


def test_the_buckets_of_one_that_is_dead_or_leaves_go_to_the_others(client):
    first, second = Leases(client), Leases(client)
    for _ in range(3):
        first.hold()
        second.hold()
    # It gives no signs any more, and its time is over.
    client.zadd(RELAYS, {first.relay: 1})
    assert second.hold() == BUCKETS
    assert first.hold() == (), "it comes back, and gets its share when the other gives it up"
    assert len(second.hold()) == len(first.hold()) == len(BUCKETS) // 2
    first.leave()
    assert second.hold() == BUCKETS


def test_between_two_signs_of_life_nothing_is_asked(client, monkeypatch):
    relay = Leases(client)
    relay.hold()
    monkeypatch.setattr(leases_module, "RENEW_S", 600.0)
    relay.hold()
    client.flushall()
    assert relay.hold() == BUCKETS
    assert client.exists(RELAYS) == 0
