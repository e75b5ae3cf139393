"""Sealing on a server: its keys and their size, a full server, foreign keys, and death half-way."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from redis import Redis

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store import redis_sealing as adapter
from plyscribe.service.store.port import EventStore, Loaded, Moved, StoreFull, StoreUnavailable, WrongType, bucket_of
from plyscribe.service.store.redis import RedisStore, connect, connect_client
from plyscribe.service.store.sealed_ids import PLAIN, pack_id, unpack_id
from tests.store.conftest import binary_of
from tests.store.conftest import own_client as client
from tests.store.conftest import own_store as store
from tests.store.given import append, command, events_after, eventually
from tests.store.test_sealing_contract import PLACE, STREAM, Whole, make, picture, read_whole, seal

__all__ = ["client", "store"]
BUCKET = f"{{{bucket_of(STREAM)}}}"
NEIGHBOUR = "match-" + "a" * 25 + "b"
LONG = 1200


def seal_long(store: EventStore) -> Whole:
    append(store, STREAM, LONG, name="one")
    whole = read_whole(store, STREAM)
    assert store.seal([whole.sealing]) == [True]
    return whole


def keys_of_parts(client: Redis) -> list[bytes]:
    return sorted(client.keys("*:unsealing:*"))


@pytest.mark.parametrize(
    ("stream", "beginning", "field"),
    [
        ("match-" + "a" * 26, "match-aa", bytes(15)),
        ("match-" + "7" * 26, "match-77", b"\xff" * 15),
        ("import-xyaaaaaaaaaaaaaaaaaaaaaaab", "import-xy", bytes(14) + b"\x01"),
        ("match-abc", "match-ab", PLAIN + b"c"),
        ("match-" + "A" * 26, "match-AA", PLAIN + b"A" * 24),
        ("match-" + "a" * 27, "match-aa", PLAIN + b"a" * 25),
        ("two-part-" + "a" * 26, "two-pa", PLAIN + b"rt-" + b"a" * 26),
        ("x", "x", PLAIN),
        ("", "", PLAIN),
    ],
)
def test_an_id_is_packed_into_its_beginning_and_a_field(stream: str, beginning: str, field: bytes) -> None:
    assert pack_id(stream) == (beginning, field)
    assert unpack_id(beginning, field) == stream


@pytest.mark.server
def test_a_sealed_stream_is_one_field_of_a_compact_hash(store: RedisStore, client: Redis) -> None:
    seal(store)
    hash = f"{BUCKET}:sealed:match-aa"
    assert {key.decode() for key in client.scan_iter()} == {f"{BUCKET}:feed", f"{BUCKET}:sealed", hash}
    assert client.hgetall(hash) == {bytes(15): PLACE}
    assert client.smembers(f"{BUCKET}:sealed") == {b"match-aa"}
    assert client.object("encoding", hash) == b"listpack"


@pytest.mark.server
@pytest.mark.parametrize("last", ["unsealed", "forgotten"])
def test_the_last_stream_that_leaves_a_hash_takes_the_hash_along(store: RedisStore, client: Redis, last: str) -> None:
    streams = [f"match-aa{number:024d}".translate({48: "x", 49: "y", 56: "z", 57: "w"}) for number in range(600)]
    mates = [stream for stream in streams if bucket_of(stream) == bucket_of(streams[0])][:2]
    assert len(mates) == 2
    wholes = [seal(store, stream) for stream in mates]
    index = f"{{{bucket_of(mates[0])}}}:sealed"
    for whole, left in zip(wholes, ({b"match-aa"}, set()), strict=True):
        if last == "unsealed":
            assert store.unseal(whole.stream, PLACE, whole.entries, whole.commands)
        else:
            assert store.move([Moved(whole.stream, PLACE, None)]) == [True]
        assert client.smembers(index) == left
        assert client.exists(f"{index}:match-aa") == len(left)


@pytest.mark.server
def test_a_stream_that_came_back_has_the_same_keys_and_no_lifetime(store: RedisStore, client: Redis) -> None:
    before = make(store)
    keys = {key: client.dump(key) for key in client.scan_iter() if b":feed" not in key}
    store.seal([before.sealing])
    assert store.unseal(STREAM, PLACE, before.entries, before.commands)
    assert {key for key in client.scan_iter() if b":feed" not in key} == set(keys)
    assert [client.pttl(key) for key in keys] == [-1] * len(keys)
    hash = f"{BUCKET}:cmd:{STREAM}".encode()
    assert client.dump(hash) == keys[hash]


@pytest.mark.server
def test_a_full_server_seals_and_moves(store: RedisStore, client: Redis) -> None:
    one, other = make(store), make(store, NEIGHBOUR)
    fill(client)
    assert store.seal([one.sealing, other.sealing]) == [True, True]
    assert store.move([Moved(STREAM, PLACE, b"n" * 40), Moved(NEIGHBOUR, PLACE, None)]) == [True, True]
    assert store.sealed() == [(STREAM, b"n" * 40)]


@pytest.mark.server
@pytest.mark.parametrize(("size", "steps"), [(3, 0), (LONG, 0), (LONG, 2)])
def test_a_server_that_is_full_or_fills_up_between_parts_puts_nothing_back_and_keeps_no_parts(
    store: RedisStore, client: Redis, monkeypatch: pytest.MonkeyPatch, size: int, steps: int
) -> None:
    append(store, STREAM, size, name="one")
    whole = read_whole(store, STREAM)
    store.seal([whole.sealing])
    if steps:
        after_steps(monkeypatch, steps, lambda: fill(client))
    else:
        fill(client)
    with pytest.raises(StoreFull):
        store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    assert keys_of_parts(client) == []
    assert store.load(STREAM) == Loaded(None, [], PLACE)
    client.config_set("maxmemory", "0")
    assert store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    assert read_whole(store, STREAM) == whole


def fill(client: Redis) -> None:
    client.config_set("maxmemory-policy", "noeviction")
    client.config_set("maxmemory", "1mb")


def after_steps(monkeypatch: pytest.MonkeyPatch, steps: int, act: Any) -> None:
    """Act after so many steps of putting a stream back."""
    run, done = adapter.run_together, []

    def run_together(wire: Any, commands: Sequence[Any]) -> list[Any]:
        replies = run(wire, commands)
        done.append(len(commands))
        if len(done) == steps:
            act()
        return replies

    monkeypatch.setattr(adapter, "run_together", run_together)


class Death(BaseException):
    """A process that ends where this is raised."""


def die() -> None:
    raise Death


@pytest.mark.server
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_process_that_dies_between_parts_leaves_the_stream_sealed(server, engine, tmp_path, monkeypatch, steps):
    store, lasts = connect(server.url, 60.0), adapter.UNSEALING_LASTS_MS
    whole = seal_long(store)
    before = picture(store)
    with monkeypatch.context() as patched:
        after_steps(patched, steps, die)
        with pytest.raises(Death):
            store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    with connect_client(server.url) as client:
        assert keys_of_parts(client)
        assert all(0 < client.pttl(key) <= lasts for key in keys_of_parts(client))
    server.process.kill()
    server.process.wait()
    with EmbeddedServer(tmp_path / "data", binary_of(engine)) as again:
        revived = connect(again.url, 60.0)
        assert picture(revived) == before
        assert revived.unseal(STREAM, PLACE, whole.entries, whole.commands)
        assert read_whole(revived, STREAM) == whole
        revived.close()
    store.close()


@pytest.mark.server
def test_parts_that_nobody_completes_end_by_themselves(store, client, monkeypatch):
    whole = seal_long(store)
    monkeypatch.setattr(adapter, "UNSEALING_LASTS_MS", 20)
    after_steps(monkeypatch, 1, die)
    with pytest.raises(Death):
        store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    eventually(lambda: keys_of_parts(client) == [])
    assert store.places([STREAM]) == [PLACE]


@pytest.mark.server
def test_parts_that_end_too_early_put_nothing_back(store, client, monkeypatch):
    whole = seal_long(store)
    after_steps(monkeypatch, 2, lambda: client.delete(*keys_of_parts(client)))
    with pytest.raises(StoreUnavailable, match="took too long"):
        store.unseal(STREAM, PLACE, whole.entries, whole.commands)
    assert keys_of_parts(client) == []
    assert store.load(STREAM) == Loaded(None, [], PLACE)


@pytest.mark.server
def test_a_server_that_dies_after_a_seal_or_an_unseal_still_has_it(server, engine, tmp_path):
    store = connect(server.url, 60.0)
    seal(store)
    back = seal(store, NEIGHBOUR)
    store.unseal(NEIGHBOUR, PLACE, back.entries, back.commands)
    before = picture(store)
    server.process.kill()
    server.process.wait()
    with EmbeddedServer(tmp_path / "data", binary_of(engine)):
        assert picture(store) == before
        assert read_whole(store, NEIGHBOUR) == back
    store.close()


@pytest.mark.server
@pytest.mark.parametrize(
    ("step", "name"),
    [
        *product(("seal", "unseal"), (f"ev:{STREAM}", f"cmd:{STREAM}", "streams")),
        *product(("seal", "unseal", "move"), ("sealed:match-aa", "sealed")),
    ],
)
def test_a_key_of_another_type_stops_every_step_before_anything_is_written(store, client, name, step):
    whole = make(store)
    if step != "seal":
        store.seal([whole.sealing])
    if step == "seal" and not name.startswith("sealed"):
        client.delete(f"{BUCKET}:{name}")
    client.set(f"{BUCKET}:{name}", "foreign")
    before = {key: client.dump(key) for key in client.scan_iter()}
    steps: dict[str, list[Callable[[], object]]] = {
        "seal": [lambda: store.seal([whole.sealing])],
        "unseal": [lambda: store.unseal(STREAM, PLACE, whole.entries, whole.commands)],
        "move": [lambda new=new: store.move([Moved(STREAM, PLACE, new)]) for new in (b"new", None)],  # type: ignore[misc]
    }
    for act in steps[step]:
        with pytest.raises(WrongType):
            act()
    assert {key: client.dump(key) for key in client.scan_iter()} == before


@pytest.mark.server
def test_a_foreign_key_in_the_place_of_places_is_found_by_whoever_needs_it(store: RedisStore, client: Redis) -> None:
    client.set(f"{BUCKET}:sealed:match-aa", "foreign")
    new = events_after(STREAM, [], 1)
    for ask in (
        lambda: store.append(STREAM, 0, b"", new, ["made"], command("one")),
        lambda: store.load(STREAM),
        lambda: store.load(STREAM, 0, command("one")),
        lambda: store.places([STREAM]),
    ):
        with pytest.raises(WrongType):
            ask()
    assert client.keys() == [f"{BUCKET}:sealed:match-aa".encode()]
    client.set(f"{BUCKET}:sealed", "foreign")
    with pytest.raises(WrongType):
        store.sealed()
    client.delete(f"{BUCKET}:sealed:match-aa")
    client.set(f"{BUCKET}:cmd:{STREAM}", "foreign")
    with pytest.raises(WrongType):
        store.commands([STREAM])


@pytest.mark.server
def test_events_that_are_there_are_never_overwritten(store: RedisStore, client: Redis) -> None:
    """As when an operator puts back an old copy of a key."""
    whole = make(store)
    kept = client.dump(f"{BUCKET}:ev:{STREAM}")
    store.seal([whole.sealing])
    client.restore(f"{BUCKET}:ev:{STREAM}", 0, kept)
    assert not store.unseal(STREAM, PLACE, whole.entries[:1], whole.commands)
    assert store.load(STREAM).entries == whole.entries
