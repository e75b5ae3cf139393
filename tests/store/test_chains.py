"""The check of stored hash chains: it finds every change, on a real store, with bounded memory."""

from collections.abc import Iterator

import pytest
from redis import Redis

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.queues import DAMAGED, SCRUB
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams import chains
from plyscribe.service.streams.chains import check_store
from plyscribe.workers.duties import scrub
from plyscribe.workers.duties.scrub import Scrub
from tests.store.given import append

pytestmark = pytest.mark.server

STREAMS = [f"match-{letter * 26}" for letter in "abcdefghijkl"]
EVENTS = 10


class Rig:
    """A store with a dozen streams, which a test damages."""

    def __init__(self, client: Redis) -> None:
        self.client, self.store = client, RedisStore(client)
        for stream in STREAMS:
            append(self.store, stream, EVENTS)

    def entries(self, stream: str) -> tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]:
        [key] = self.client.keys(f"*:ev:{stream}")
        return key, self.client.xrange(key)

    def replace(self, stream: str, version: int, field: bytes, value: bytes) -> None:
        """Put another value into one stored event."""
        key, entries = self.entries(stream)
        self.client.delete(key)
        for id, fields in entries:
            self.client.xadd(key, {**fields, field: value} if id == f"{version}-0".encode() else fields, id=id)

    def flip(self, stream: str, version: int, field: bytes = b"e") -> None:
        """Change one bit of one stored event."""
        value = self.entries(stream)[1][version - 1][1][field]
        self.replace(stream, version, field, bytes([value[0] ^ 1]) + value[1:])

    def find(self) -> dict[str, int]:
        return {damage.stream: damage.version for damage in check_store(self.store)}


@pytest.fixture
def rig(server: EmbeddedServer) -> Iterator[Rig]:
    with connect_client(server.url, 60.0) as client:
        yield Rig(client)


def test_sound_streams_have_no_damage(rig: Rig) -> None:
    seen: list[chains.Progress] = []
    assert list(check_store(rig.store, seen.append)) == []
    assert seen[-1] == (64, 64, len(STREAMS), EVENTS * len(STREAMS))


@pytest.mark.parametrize("short", [256, 3])
@pytest.mark.parametrize("version", [1, 3, 4, EVENTS])
@pytest.mark.parametrize("field", [b"e", b"h"])
def test_one_changed_bit_is_found(rig, version, field, short, monkeypatch):
    monkeypatch.setattr(chains, "SHORT", short)
    monkeypatch.setattr(chains, "PAGE", short)
    rig.flip(STREAMS[3], version, field)
    assert rig.find() == {STREAMS[3]: version}


def test_missing_events_are_found(rig: Rig) -> None:
    rig.client.xdel(rig.entries(STREAMS[0])[0], "1-0")
    rig.client.xdel(rig.entries(STREAMS[1])[0], "5-0")
    rig.client.delete(rig.entries(STREAMS[2])[0])
    assert rig.find() == {STREAMS[0]: 1, STREAMS[1]: 5, STREAMS[2]: 1}


def test_what_is_no_stream_of_events_is_damage_and_holds_nothing_up(rig: Rig) -> None:
    key = rig.entries(STREAMS[4])[0]
    rig.client.delete(key)
    rig.client.set(key, "text")
    other = rig.entries(STREAMS[5])[0]
    rig.client.delete(other)
    rig.client.xadd(other, {"a": "b"}, id="1-0")
    rig.flip(STREAMS[6], 2)
    assert rig.find() == {STREAMS[4]: 1, STREAMS[5]: 1, STREAMS[6]: 2}


# In the relay


@pytest.mark.parametrize("events_per_s", [1, 6, 25, 100_000])
def test_a_pass_goes_on_where_it_stood_and_notes_what_is_damaged(rig, events_per_s, caplog):
    assert Scrub(rig.store, rig.client, 0).chores == (), "a pace of nothing turns it off"
    rig.flip(STREAMS[3], 7)
    rig.flip(STREAMS[8], 1)
    steps = 0
    while not rig.client.hexists(SCRUB, "finished_ms"):
        # Each step by another process.
        Scrub(rig.store, rig.client, events_per_s).step()
        steps += 1
    assert rig.client.hgetall(DAMAGED) == {STREAMS[3].encode(): b"7", STREAMS[8].encode(): b"1"}
    assert f"{STREAMS[3]} is damaged from event 7 on" in caplog.text
    assert int(rig.client.hget(SCRUB, "streams")) == len(STREAMS)
    assert steps == 1 if events_per_s == 100_000 else steps > 3


def test_the_next_pass_begins_after_a_rest_and_forgets_what_was_mended(rig, monkeypatch, caplog):
    scrubber = Scrub(rig.store, rig.client, 100_000)
    rig.flip(STREAMS[3], 7)
    scrubber.step()
    rig.flip(STREAMS[3], 7)
    scrubber.step()
    assert rig.client.hlen(DAMAGED) == 1
    monkeypatch.setattr(scrub, "REST_MS", 0)
    caplog.clear()
    scrubber.step()
    assert rig.client.hlen(DAMAGED) == 0
    assert "no longer damaged" in caplog.text
