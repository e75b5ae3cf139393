"""The Redis adapter when a server is slow, restarted, too old, or has lost its scripts."""

import os
import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from importlib.resources import files
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.domain.kinds import STREAM_KINDS
from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store import redis_server
from plyscribe.service.store.port import (
    Seen,
    Stored,
    StoreError,
    StoreFull,
    StoreUnavailable,
    UnsupportedServer,
    WrongType,
    bucket_of,
)
from plyscribe.service.store.redis import TIMEOUT_S, RedisStore, connect, connect_client
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.store.redis_server import Engine, durability, read_engine
from tests.store.conftest import binary_of
from tests.store.conftest import own_client as client
from tests.store.conftest import own_store as store
from tests.store.given import append, command, events_after, eventually

__all__ = ["client", "store"]
pytestmark = pytest.mark.server

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
IMPATIENT_S = 0.3


def is_reached(store: RedisStore) -> bool:
    try:
        return bool(store.load(STREAM).entries)
    except StoreUnavailable:
        return False


def appends_received(client: Redis) -> int:
    return int(client.info("commandstats")["cmdstat_evalsha"]["calls"])


def test_an_append_to_a_stalled_server_is_stored_once_though_its_answer_never_came(server, store, client):
    impatient = connect(server.url, IMPATIENT_S)
    first = append(store, STREAM)
    eventually(lambda: is_reached(impatient))
    received = appends_received(client)
    events = events_after(STREAM, first, 1)
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable):
            impatient.append(STREAM, 1, first[-1].h, events, ["made"], command("two"))
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    eventually(lambda: len(store.load(STREAM).entries) == 2)
    assert appends_received(client) == received + 1
    assert store.load(STREAM).entries == [*first, *events]
    assert len(store.tail().entries) == 2
    assert store.append(STREAM, 1, first[-1].h, events, ["made"], command("two")) == Seen(2, 2)
    impatient.close()


def test_an_append_whose_connection_breaks_before_its_answer_is_not_sent_again(server, store, client, monkeypatch):
    first = append(store, STREAM)
    events = events_after(STREAM, first, 1)
    broken = connect(server.url, 60.0)
    assert broken.load(STREAM).entries == first
    received = appends_received(client)

    def lose(*_: object, **__: object) -> None:
        raise RedisConnectionError("the connection is broken")

    monkeypatch.setattr(broken._wire._idle[-1], "read_response", lose)
    with pytest.raises(StoreUnavailable):
        broken.append(STREAM, 1, first[-1].h, events, ["made"], command("two"))
    eventually(lambda: store.load(STREAM).entries == [*first, *events])
    assert broken.append(STREAM, 1, first[-1].h, events, ["made"], command("two")) == Seen(2, 2)
    assert appends_received(client) == received + 2
    assert len(store.tail().entries) == 2
    broken.close()


def test_a_server_that_lost_its_scripts_gets_them_again(store: RedisStore, client: Redis) -> None:
    for _ in range(3):
        append(store, STREAM)
        client.script_flush()
    assert store.load(STREAM, 1, command("at 0")).command == Seen(1, 1)
    assert len(store.load(STREAM).entries) == 3


def test_every_acknowledged_append_survives_kill_9(engine: str, tmp_path: Path) -> None:
    binary = binary_of(engine)
    server = EmbeddedServer(tmp_path / "data", binary)
    store = connect(server.url)
    acknowledged: dict[str, list[StoredEvent]] = {f"match-{number}": [] for number in range(8)}
    underway = threading.Barrier(len(acknowledged) + 1)

    def write(stream: str) -> None:
        entries = acknowledged[stream]
        while True:
            events = events_after(stream, entries, 1)
            head = entries[-1].h if entries else b""
            try:
                answer = store.append(stream, len(entries), head, events, ["made"], command(f"{len(entries)}"))
            except StoreUnavailable:
                return
            assert isinstance(answer, Stored)
            entries += events
            if len(entries) == 20:
                underway.wait()

    with ThreadPoolExecutor(len(acknowledged)) as pool:
        writers = [pool.submit(write, stream) for stream in acknowledged]
        underway.wait()
        server.process.kill()
        server.process.wait()
    for writer in writers:
        writer.result()
    with EmbeddedServer(tmp_path / "data", binary):
        for stream, entries in acknowledged.items():
            stored = store.load(stream).entries
            assert stored[: len(entries)] == entries
            # The append whose answer was lost may be there too.
            assert len(stored) - len(entries) in (0, 1)
            check_chain(first_link(stream), 0, stored)
            assert store.load(stream, 0, command(f"{len(entries) - 1}")).command == Seen(len(entries), len(entries))
    store.close()


def test_a_key_of_another_type_is_told_on_every_reading(store: RedisStore, client: Redis) -> None:
    for name in ("ev:" + STREAM, "feed", "streams"):
        client.set(f"{{{bucket_of(STREAM)}}}:{name}", "ours")
    for read in (
        lambda: store.load(STREAM),
        lambda: store.load(STREAM, 0, command("one")),
        lambda: store.newest([STREAM]),
        store.tail,
        store.streams,
    ):
        with pytest.raises(WrongType):
            read()


@pytest.mark.parametrize(
    ("settings", "told"),
    [("yes always", "always"), ("yes everysec", "everysec"), ("yes no", "unknown"), ("no always", "unknown")],
)
def test_durability_is_what_the_server_is_set_to(client: Redis, settings: str, told: str) -> None:
    for name, value in zip(("appendonly", "appendfsync"), settings.split(), strict=True):
        client.config_set(name, value)
    assert durability(client) == told


def test_a_user_who_may_not_read_settings_appends_all_the_same(server: EmbeddedServer, client: Redis) -> None:
    client.execute_command("ACL", "SETUSER", "writer", "on", ">word", "~*", "+@all", "-config", "-info", "-@dangerous")
    store = connect(server.url.replace("unix://", "unix://writer:word@"))
    client.script_flush()
    append(store, STREAM)
    assert store.describe() == {"store": "unknown", "durability": "unknown"}
    store.close()


def append_types(store: RedisStore, *types: str) -> Stored:
    before = store.load(STREAM).entries
    events = events_after(STREAM, before, len(types))
    head = before[-1].h if before else b""
    return store.append(STREAM, len(before), head, events, types, command(f"at {len(before)}"))


def test_a_full_server_takes_only_what_ends_something(store: RedisStore, client: Redis) -> None:
    append_types(store, "match-created")
    client.config_set("maxmemory-policy", "noeviction")
    client.config_set("maxmemory", "1mb")
    try:
        for types in (["move-made"], ["seat-withdrawn", "move-made"], ["move-made", "match-ended"]):
            with pytest.raises(StoreFull):
                append_types(store, *types)
        assert len(store.load(STREAM).entries) == 1
        assert append_types(store, "seat-withdrawn", "match-ended", "dice-revealed") == Stored(2, 4)
        assert append_types(store, "match-aborted") == Stored(5, 5)
        assert append_types(store, "token-revoked") == Stored(6, 6)
    finally:
        client.config_set("maxmemory", "0")
    assert [(entry.first, entry.last) for entry in store.tail().entries] == [(1, 1), (2, 4), (5, 5), (6, 6)]


def test_what_ends_something_are_words_of_events() -> None:
    source = files("plyscribe.service.store").joinpath("append.lua").read_text()
    ends = set(re.findall(r"\['([a-z-]+)'\] = true", source))
    assert "match-ended" in ends
    assert ends <= {type for kind in STREAM_KINDS for type in kind.types}


def test_a_server_says_what_it_is(engine: str, server: EmbeddedServer, client: Redis) -> None:
    told = read_engine(client)
    assert told == server.engine
    assert told is not None
    assert told.name == engine
    assert RedisStore(client).describe() == {"store": str(told), "durability": "always"}


def test_a_server_that_is_too_old_is_refused_before_the_first_append(store, client, monkeypatch):
    monkeypatch.setattr(redis_server, "OLDEST", {"redis": (99, 0), "valkey": (99, 0)})
    with pytest.raises(UnsupportedServer, match=r"needs Redis 7\.0, Valkey 7\.2 or newer"):
        append(store, STREAM)
    assert client.dbsize() == 0


@pytest.mark.parametrize(
    ("name", "version", "will_do"),
    [
        ("redis", (6, 2, 14), False),
        ("redis", (7, 0, 0), True),
        ("redis", (8, 2, 1), True),
        ("valkey", (7, 2, 4), True),
        ("valkey", (9, 1, 2), True),
    ],
)
def test_the_oldest_servers_that_will_do(name: str, version: tuple[int, int, int], will_do: bool) -> None:
    with nullcontext() if will_do else pytest.raises(UnsupportedServer, match=r"redis 6\.2\.14"):
        Engine(name, version).require_supported()


def test_the_client_never_retries_and_always_gives_up() -> None:
    client = connect_client("redis://localhost")
    connection = client.connection_pool.make_connection()
    assert connection.retry.get_retries() == 0
    assert connection.socket_timeout == TIMEOUT_S
    assert connect_client("redis://localhost", None).connection_pool.make_connection().socket_timeout is None


def test_an_error_that_is_none_of_ours_stays_a_store_error_and_no_server_is_told_as_unavailable(client, tmp_path):
    with pytest.raises(StoreError, match="wrong number of arguments") as caught:
        redis_server.ask(client, "GET")
    assert type(caught.value) is StoreError
    assert isinstance(translate(RedisConnectionError("gone")), StoreUnavailable)
    nowhere = connect(f"unix://{tmp_path}/nothing.sock")
    for ask in (lambda: append(nowhere, STREAM), nowhere.tail, nowhere.streams, nowhere.describe):
        with pytest.raises(StoreUnavailable):
            ask()
