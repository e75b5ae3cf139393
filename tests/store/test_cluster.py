"""The store on a cluster whose nodes die, whose slots move, and whose map of slots is out of date."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from redis import Redis

from plyscribe.service.store.cluster import Cluster
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import StoreUnavailable, Stretch, bucket_of
from plyscribe.service.store.redis import RedisStore
from plyscribe.service.store.redis_server import list_shares
from tests.faults.failovers import Failovers, Outcome, Writer, await_appends, judge, run_failovers
from tests.store.conftest import binary_of
from tests.store.given import append, eventually, tail_all
from tests.store.own_clusters import OwnCluster, own_cluster

pytestmark = pytest.mark.server

STREAMS = [f"match-{number}" for number in range(200)]


@pytest.fixture
def cluster(engine: str, tmp_path: Path) -> Iterator[OwnCluster]:
    """A cluster for one test, without replicas."""
    with own_cluster(binary_of(engine).path, tmp_path, node_timeout_ms=30_000) as running:
        yield running


@pytest.fixture
def client(cluster: OwnCluster) -> Iterator[Cluster]:
    with cluster.connect(60.0) as connected:
        yield connected


@pytest.fixture
def store(client: Cluster) -> RedisStore:
    return RedisStore(client)


def other_primary(cluster: OwnCluster, port: int) -> int:
    return next(server.port for server in cluster.primaries if server.port != port)


def port_of(client: Cluster, bucket: str) -> int:
    [share] = [share for share in list_shares(client) if bucket in share.buckets]
    return int(share.name.rpartition(":")[2])


def move_slot_key_by_key(client: Cluster, bucket: str, to: int) -> None:
    """As `redis-cli --cluster reshard` does it, with a pause between any two keys."""
    slot = client.keyslot(f"{{{bucket}}}")
    with Redis(port=port_of(client, bucket)) as source, Redis(port=to) as target:
        ids = [each.execute_command("CLUSTER MYID").decode() for each in (source, target)]
        target.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[0])
        source.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[1])
        while keys := source.execute_command("CLUSTER GETKEYSINSLOT", slot, 1):
            source.execute_command("MIGRATE", "127.0.0.1", to, keys[0], 0, 5000)
            time.sleep(0.01)
        for each in (target, source):
            each.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[1])


def move_slot_at_once(client: Cluster, bucket: str, to: int) -> None:
    slot = client.keyslot(f"{{{bucket}}}")
    with Redis(port=port_of(client, bucket)) as source, Redis(port=to) as target:
        target_id = target.execute_command("CLUSTER MYID").decode()
        source.execute_command("CLUSTER MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target_id)
        eventually(lambda: not source.execute_command("CLUSTER COUNTKEYSINSLOT", slot))


@pytest.mark.parametrize("move", [move_slot_key_by_key, move_slot_at_once])
def test_slots_move_while_others_write(cluster, client, store, engine, move):
    if move is move_slot_at_once and engine == "redis":
        pytest.skip("Redis 7 moves slots key by key")
    stop, bucket = threading.Event(), bucket_of("match-writer0")
    everybody = [Writer(store, number, stop) for number in range(200)]
    moved = [writer for writer in everybody if bucket_of(writer.stream) == bucket]
    resting = next(writer for writer in everybody if bucket_of(writer.stream) != bucket)
    writers, target = [*moved, resting], other_primary(cluster, port_of(client, bucket))
    with ThreadPoolExecutor(len(writers)) as pool:
        running = [pool.submit(writer.run) for writer in writers]
        try:
            await_appends(writers, 20 * len(writers))
            move(client, bucket, target)
            await_appends(writers, 20 * len(writers))
        finally:
            stop.set()
        for each in running:
            # Those who cannot write meanwhile are told that the store is unavailable, and nothing else.
            each.result()
    outcome = Outcome()
    for writer in writers:
        judge(writer, store.load(writer.stream).entries, outcome)
    assert (outcome.is_clean, resting.unanswered) == (True, 0)
    with cluster.connect() as fresh:
        assert port_of(fresh, bucket) == target
    told = [(entry.stream, entry.first) for entry in tail_all(store, 1000)]
    assert sorted(told) == sorted((writer.stream, event.version) for writer in writers for event in writer.acknowledged)


def test_an_old_map_does_no_harm(cluster: OwnCluster, client: Cluster, store: RedisStore) -> None:
    bucket = bucket_of(STREAMS[0])
    before = append(store, STREAMS[0], 3)
    move_slot_key_by_key(client, bucket, other_primary(cluster, port_of(client, bucket)))
    assert store.load(STREAMS[0]).entries == before
    assert [each and each.version for each in store.newest([STREAMS[0], STREAMS[1]])] == [3, None]
    append(store, STREAMS[0])


def test_what_a_dead_node_does_not_hold_goes_on(cluster: OwnCluster, client: Cluster, store: RedisStore) -> None:
    # By default a cluster refuses everything while a slot has no node.
    for server in cluster.primaries:
        with Redis(port=server.port) as operator:
            operator.config_set("cluster-require-full-coverage", "no")
    shares = {share.name: share.buckets for share in list_shares(client)}
    victim = cluster.primaries[0]
    lost = shares[f"127.0.0.1:{victim.port}"]
    here, there = (next(each for each in STREAMS if (bucket_of(each) in lost) is on) for on in (True, False))
    for stream in (here, there):
        append(store, stream)
    victim.stop()
    append(store, there)
    with pytest.raises(StoreUnavailable):
        append(store, here)
    with pytest.raises(StoreUnavailable):
        store.describe()
    victim.start()
    eventually(lambda: answers(store))
    append(store, here)
    assert [len(store.load(stream).entries) for stream in (here, there)] == [2, 2]


def answers(store: RedisStore) -> bool:
    try:
        store.describe()
        store.load_all([Stretch(stream) for stream in STREAMS])
    except StoreUnavailable:
        return False
    return True


def test_no_node_at_all_is_a_store_that_does_not_answer(cluster: OwnCluster) -> None:
    for server in cluster.primaries:
        server.stop()
    with cluster.connect() as client:
        store, group = RedisStore(client), FeedGroup(client)
        for ask in (lambda: append(store, STREAMS[0]), lambda: group.read(1)):
            with pytest.raises(StoreUnavailable):
                ask()
        for server in cluster.primaries:
            server.start()
        eventually(lambda: answers(store))
        append(store, STREAMS[0])
        assert [entry.stream for entry in group.read(10)] == [STREAMS[0]]


def test_the_feed_goes_on_when_a_replica_takes_the_place_of_a_primary(engine: str, tmp_path: Path) -> None:
    with own_cluster(binary_of(engine).path, tmp_path, replicas=1) as cluster, cluster.connect() as client:
        group, shares = FeedGroup(client), {share.name: share.buckets for share in list_shares(client)}
        lost = shares[f"127.0.0.1:{cluster.primaries[0].port}"]
        stream = next(each for each in STREAMS if bucket_of(each) in lost)
        with cluster.connect() as writing:
            store = RedisStore(writing)
            eventually(lambda: can_append(store, stream))
        eventually(lambda: stream in read_if_there(group))
        group.ack()
        cluster.replace_primary(0)
        with cluster.connect() as writing:
            store = RedisStore(writing)
            eventually(lambda: can_append(store, stream))
        # Only this read can tell the reader that the primary has changed.
        eventually(lambda: stream in read_if_there(group))


def can_append(store: RedisStore, stream: str) -> bool:
    try:
        append(store, stream)
    except StoreUnavailable:
        return False
    return True


def read_if_there(group: FeedGroup) -> list[str]:
    try:
        return [entry.stream for entry in group.read(10)]
    except StoreUnavailable:
        return []


def test_a_replica_takes_the_place_of_its_primary(engine: str, tmp_path: Path) -> None:
    outcome = run_failovers(binary_of(engine).path, tmp_path, Failovers(failovers=3, replicas=1, is_cluster=True))
    assert (outcome.failovers, outcome.is_clean) == (3, True)
