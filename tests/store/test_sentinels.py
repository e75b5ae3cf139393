"""A primary with two replicas and three Sentinels: failovers, and answers that wait for replicas."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from plyscribe.service.store.addresses import open_client, parse_address
from plyscribe.service.store.port import (
    Append,
    CommandKey,
    Sealing,
    Seen,
    Stale,
    StoreUnavailable,
    WrongType,
    bucket_of,
)
from plyscribe.service.store.redis import RedisStore, connect, connect_client
from plyscribe.service.store.redis_keys import keys_of
from plyscribe.service.store.requirements import require_queues_at, require_store_at
from tests.faults.failovers import Failovers, run_failovers
from tests.store.conftest import binary_of
from tests.store.given import append, command, events_after, eventually
from tests.store.own_servers import own_server, replica_of
from tests.store.sentinels import Watched, suspended, watched_store

pytestmark = pytest.mark.server

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
OTHER = "match-bbbbbbbbbbbbbbbbbbbbbbbbbb"


@pytest.fixture
def watched(engine: str, tmp_path: Path) -> Iterator[Watched]:
    with watched_store(binary_of(engine).path, tmp_path) as watched:
        yield watched


def test_the_store_and_the_queues_find_the_new_primary(watched: Watched) -> None:
    store, queues = connect(watched.url), open_client(parse_address(watched.url))
    require_store_at(watched.url, mark=True)
    require_queues_at(watched.url)
    queue = Queue("verify", connection=queues, serializer=JSONSerializer)
    before = append(store, STREAM, 3)
    eventually(lambda: all(Redis(port=each.port).exists("{00}:layout") for each in watched.replicas))
    watched.kill_primary()
    watched.follow_failover()
    # The first connections lead to the dead server.
    eventually(lambda: _answers(lambda: store.load(STREAM)))
    eventually(lambda: _answers(queues.ping))
    assert store.load(STREAM).entries == before
    append(store, STREAM)
    queue.enqueue("tests.nothing")
    assert len(queue) == 1
    store.close()


def _answers(ask: Callable[[], object]) -> bool:
    with suppress(Exception):
        ask()
        return True
    return False


def test_after_a_switch_without_a_death_no_idle_connection_is_used_again(watched: Watched) -> None:
    store = connect(watched.url)
    threads = [threading.Thread(target=append, args=(store, f"match-{number}")) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Redis(port=watched.sentinels[0].port) as sentinel:
        sentinel.execute_command("SENTINEL", "FAILOVER", "matches")
    demoted = watched.primary_port
    watched.follow_failover()
    eventually(lambda: _answers(lambda: append(store, STREAM)))
    with Redis(port=demoted) as replica:
        eventually(lambda: replica.info("replication")["role"] == "slave")
    for number in range(4):
        append(store, f"match-{number}")
    store.close()


@pytest.fixture
def followed(engine: str, tmp_path: Path) -> Iterator[tuple[RedisStore, RedisStore, list]]:
    """Two stores on a primary with two replicas, which wait for both of them; and the servers of the replicas."""
    binary = binary_of(engine).path
    with (
        own_server(binary, tmp_path / "primary") as primary,
        replica_of(primary, binary, tmp_path / "one") as one,
        replica_of(primary, binary, tmp_path / "two") as two,
    ):
        stores = [connect(primary.url, replicas=2) for _ in range(2)]
        eventually(lambda: _answers(lambda: append(stores[0], "match-first")))
        yield stores[0], stores[1], [one, two]
        for store in stores:
            store.close()


def test_an_answer_waits_for_replicas_and_so_does_its_repetition(followed) -> None:
    store, other, replicas = followed
    first = append(store, STREAM)
    events = events_after(STREAM, first, 1)
    asked = STREAM, 1, first[-1].h, events, ["made"], command("two")
    append(other, OTHER)
    with suspended(replicas[0]):
        with pytest.raises(StoreUnavailable, match="only 1 of the 2 replicas"):
            store.append(*asked)
        # It is stored. Another process that only finds it there must not answer either.
        assert store.load(STREAM).entries == [*first, *events]
        for repeat in (
            lambda: other.append(*asked),
            lambda: other.append_all([Append(*asked)]),
            lambda: other.load(STREAM, 0, command("two")),
        ):
            with pytest.raises(StoreUnavailable, match="only 1 of the 2 replicas"):
                repeat()
    assert other.append(*asked) == Seen(2, 2)
    assert other.load(STREAM, 0, command("two")).command == Seen(2, 2)
    # What the fixture appended may be there more than once: it tried until both replicas had it.
    appended = [entry.stream for entry in store.tail().entries if entry.stream != "match-first"]
    assert sorted(appended) == [STREAM, STREAM, OTHER]


def test_every_write_waits_for_replicas_and_no_read_does(followed) -> None:
    store, _, replicas = followed
    entries = {stream: append(store, stream) for stream in (STREAM, OTHER)}
    head = entries[STREAM][-1].h
    one = events_after("match-new", [], 1)
    with suspended(*replicas):
        for write in (
            lambda: store.append("match-new", 0, b"", one, ["made"], command("new")),
            lambda: store.append_all([Append("match-newer", 0, b"", one, ["made"], command("newer"))]),
            lambda: store.condense(OTHER, 1, entries[OTHER][-1].h, events_after(OTHER, [], 1, "c")[0], "made"),
            lambda: store.seal([Sealing(STREAM, 1, head, 1, b"place")]),
            lambda: store.adopt([("match-adopted", b"place")]),
            lambda: store.unseal("match-back", None, one, []),
        ):
            with pytest.raises(StoreUnavailable, match="only 0 of the 2 replicas"):
                write()
        assert store.load("match-new").entries == one
        assert store.load("match-new", 0, CommandKey(b"other", b"")).entries == one
        assert store.places([STREAM]) == [b"place"]
        assert store.newest(["match-new"]) == one
        store.tail()
        store.streams()


def test_a_refusal_does_not_wait_for_what_nobody_wrote_and_a_full_store_answers_what_was_stored(followed) -> None:
    store, other, replicas = followed
    first = append(store, STREAM)
    with connect_client(f"redis://127.0.0.1:{store._client.connection_pool.connection_kwargs['port']}") as operator:
        operator.set(f"{{{bucket_of(OTHER)}}}:feed", "ours")
        with suspended(*replicas), pytest.raises(WrongType):
            store.append(OTHER, 0, b"", events_after(OTHER, [], 1), ["made"], command("one"))
        operator.config_set("maxmemory-policy", "noeviction")
        operator.config_set("maxmemory", "1mb")
        assert other.append(STREAM, 0, b"", first, ["made"], command("at 0")) == Seen(1, 1)


def test_failovers_under_load_lose_nothing(engine: str, tmp_path: Path) -> None:
    outcome = run_failovers(binary_of(engine).path, tmp_path, Failovers(failovers=2, replicas=2))
    assert outcome.failovers == 2
    assert outcome.unanswered > 0
    assert outcome.acknowledged > 0
    assert (outcome.lost, outcome.doubled, outcome.broken) == ([], [], [])


def test_with_fewer_replicas_than_all_a_second_loss_can_lose_what_was_answered(engine: str, tmp_path: Path) -> None:
    with watched_store(binary_of(engine).path, tmp_path, least=0) as watched:
        store = connect(watched.url, replicas=1)
        first = append(store, STREAM)
        has_it, lacks_it = watched.replicas
        eventually(lambda: bool(Redis(port=lacks_it.port).exists(keys_of(STREAM).events)))
        lacks_it.stop()
        answered = append(store, STREAM)
        watched.kill_primary()
        has_it.stop()
        watched.start(lacks_it)
        watched.follow_failover()
        assert watched.primary_port == lacks_it.port
        plain = connect(watched.url)
        eventually(lambda: _answers(plain.streams))
        # What remains of it is that a writer who had the answer is told that its state is gone.
        after = events_after(STREAM, [*first, *answered], 1)
        assert plain.append(STREAM, 2, answered[-1].h, after, ["made"], command("three")) == Stale(1, [])
        store.close()
        plain.close()


def test_a_store_waits_for_replicas_that_it_lacks_unless_it_is_told_to_wait_for_none(engine, tmp_path):
    with own_server(binary_of(engine).path, tmp_path) as server, connect_client(server.url) as operator:
        plain = connect(server.url)
        append(plain, OTHER)
        assert "cmdstat_wait" not in operator.info("commandstats")
        alone = connect(server.url, replicas=1)
        with pytest.raises(StoreUnavailable, match="only 0 of the 1 replicas"):
            append(alone, STREAM)
        for store in (plain, alone):
            store.close()
