"""What is said when the server answers that it cannot serve now: an error of its own for each kind of trouble."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store.port import (
    StoreCannotWrite,
    StoreDenied,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    UnsupportedServer,
)
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.store.requirements import read_report
from plyscribe.service.web.problems import status_of
from tests.store.conftest import REAL, binary_of
from tests.store.conftest import own_client as client
from tests.store.given import append, eventually
from tests.store.own_servers import own_server, replica_of, scripted_server

__all__ = ["client"]
pytestmark = pytest.mark.server

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"


@pytest.fixture(params=REAL)
def binary(request: pytest.FixtureRequest) -> Path:
    return binary_of(request.param).path


def error_of(ask: Callable[[], object]) -> StoreError:
    with pytest.raises(StoreError) as caught:
        ask()
    assert status_of(caught.value) == 503
    return caught.value


def errors_on(url: str) -> list[StoreError]:
    """How an append fails, a pipelined one, and the probe of a write."""
    with connect_client(url, 60.0) as client:
        store = RedisStore(client)
        alone, probed = error_of(lambda: append(store, STREAM)), read_report(client).write_error
        store.close()
    assert probed is not None
    return [alone, probed]


SETTINGS: list[tuple[str, Callable[[Redis], object], type[StoreError], str]] = [
    ("unix://", lambda client: client.config_set("maxmemory", "1mb"), StoreFull, "store/full"),
    ("unix://", lambda client: client.config_set("min-replicas-to-write", 1), StoreCannotWrite, "store/cannot-write"),
    (
        "unix://few:word@",
        lambda client: client.execute_command("ACL SETUSER few on >word ~* +@all -xadd -set"),
        StoreDenied,
        "store/denied",
    ),
]


@pytest.mark.parametrize(("scheme", "setting", "kind", "code"), SETTINGS, ids=["full", "alone", "forbidden"])
def test_a_server_whose_settings_allow_no_append_says_so(server, client, scheme, setting, kind, code):
    setting(client)
    for error in errors_on(server.url.replace("unix://", scheme)):
        assert (type(error), error.code) == (kind, code)


def test_a_replica_takes_no_writes_and_says_so_also_when_it_has_lost_its_primary(binary: Path, tmp_path: Path) -> None:
    stale = "--replica-serve-stale-data", "no"
    with own_server(binary, tmp_path / "p") as primary, replica_of(primary, binary, tmp_path / "r", *stale) as replica:
        for error in errors_on(replica.url):
            assert (type(error), error.code) == (StoreReadOnly, "store/read-only")
        primary.stop()
        with Redis(port=replica.port) as asked:
            eventually(lambda: asked.info("replication")["master_link_status"] == "down")
        [alone, _] = errors_on(replica.url)
    assert type(alone) is StoreReadOnly
    assert "has lost its primary: Link with MASTER is down" in str(alone)


def test_after_a_failover_the_next_append_finds_the_new_primary(binary: Path, tmp_path: Path) -> None:
    """The address stays and leads to another server, as behind a proxy; old connections lead to the old primary."""
    with own_server(binary, tmp_path / "primary") as primary, connect_client(primary.url) as client:
        store = RedisStore(client)
        append(store, STREAM)
        held = store._wire._idle[-1]
        with connect_client(primary.url) as operator:
            operator.replicaof("127.0.0.1", str(primary.port + 1))
            assert type(error_of(lambda: append(store, "match-other"))) is StoreReadOnly
            assert held not in store._wire._idle
            operator.replicaof("NO", "ONE")
        append(store, STREAM)
        store.close()


def test_a_node_of_a_cluster_is_down_without_slots_and_says_where_they_lie(binary: Path, tmp_path: Path) -> None:
    both = "--cluster-enabled", "yes", "--cluster-node-timeout", "2000"
    with own_server(binary, tmp_path / "one", *both) as one, own_server(binary, tmp_path / "two", *both) as two:
        for error in errors_on(one.url):
            assert (type(error), str(error)) == (StoreUnavailable, "the store's cluster is down: Hash slot not served")
        with connect_client(one.url) as first, connect_client(two.url) as second:
            second.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            first.execute_command("CLUSTER", "MEET", "127.0.0.1", two.port)
            eventually(lambda: "ok" in str(first.execute_command("CLUSTER INFO")["cluster_state"]))
        for error in errors_on(one.url):
            assert (type(error), error.code) == (UnsupportedServer, "store/unsupported")


def test_a_server_that_cannot_save_says_that_it_cannot_write(binary: Path, tmp_path: Path) -> None:
    with own_server(binary, tmp_path / "data") as server, Redis(port=server.port) as operator:
        shutil.rmtree(server.directory)
        operator.config_set("save", "3600 1")
        operator.bgsave()
        eventually(lambda: operator.info("persistence")["rdb_last_bgsave_status"] == "err")
        for error in errors_on(server.url):
            assert (type(error), error.code) == (StoreCannotWrite, "store/cannot-write")


def test_a_password_that_is_missing_or_wrong_is_told(server: EmbeddedServer, client: Redis) -> None:
    client.config_set("requirepass", "right")
    for url in (server.url, server.url.replace("unix://", "unix://:wrong@")):
        with connect_client(url) as asked:
            store = RedisStore(asked)
            for ask in (lambda store=store: append(store, STREAM), store.describe):
                error = error_of(ask)
                assert (type(error), error.code) == (StoreDenied, "store/denied")
    client.config_set("requirepass", "")


def test_a_server_that_loads_its_data_says_so(binary: Path, tmp_path: Path) -> None:
    kept = "--appendonly", "yes", "--appendfsync", "no", "--aof-use-rdb-preamble", "no"
    with own_server(binary, tmp_path / "data", *kept) as first, Redis(port=first.port) as client:
        with client.pipeline(transaction=False) as pipeline:
            for number in range(20_000):
                pipeline.set(f"key {number}", "value")
            pipeline.execute()
        client.shutdown(nosave=True)
        first.process.wait()
    slow = "--key-load-delay", "500"
    with own_server(binary, tmp_path / "data", *kept, *slow) as second, connect_client(second.url) as client:
        alone = error_of(lambda: append(RedisStore(client), STREAM))
        assert type(error_of(lambda: read_report(client))) is StoreUnavailable
    assert (type(alone), alone.code) == (StoreUnavailable, "store/unavailable")
    assert "the store is loading its data" in str(alone)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (b"-LOADING Redis is loading the dataset in memory", StoreUnavailable),
        (b"-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", StoreUnavailable),
        (b"-UNKILLABLE Sorry the script already executed write commands", StoreUnavailable),
        (b"-TRYAGAIN Multiple keys request during rehashing of slot", StoreUnavailable),
        (b"-CLUSTERDOWN The cluster is down", StoreUnavailable),
        (b"-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", StoreReadOnly),
        (b"-READONLY You can't write against a read only replica.", StoreReadOnly),
        (b"-OOM command not allowed when used memory > 'maxmemory'.", StoreFull),
        (b"-EXECABORT Transaction discarded because of: OOM command not allowed", StoreFull),
        (b"-MISCONF Errors writing to the AOF file: No space left on device", StoreCannotWrite),
        (b"-NOREPLICAS Not enough good replicas to write.", StoreCannotWrite),
        (b"-NOAUTH Authentication required.", StoreDenied),
        (b"-WRONGPASS invalid username-password pair or user is disabled.", StoreDenied),
        (b"-NOPERM User x has no permissions to run the 'evalsha' command", StoreDenied),
        (b"-ERR ACL failure in script: User x has no permissions to run the 'xadd' command", StoreDenied),
        (b"-MOVED 866 127.0.0.1:7001", UnsupportedServer),
        (b"-ASK 866 127.0.0.1:7001", UnsupportedServer),
        (b"-CROSSSLOT Keys in request don't hash to the same slot", UnsupportedServer),
        (b"-ERR max number of clients reached", StoreUnavailable),
        (b"HTTP/1.1 400 Bad Request", UnsupportedServer),
    ],
    ids=lambda it: it.split()[0].decode() if isinstance(it, bytes) else it.__name__,
)
def test_every_reply_of_a_server_in_trouble_is_503_with_its_own_error(tmp_path, reply, kind):
    with scripted_server(tmp_path, reply + b"\r\n") as url, connect_client(url) as client:
        store = RedisStore(client)
        for ask in (lambda: store.load(STREAM), lambda: store.newest([STREAM]), lambda: append(store, STREAM)):
            assert type(error_of(ask)) is kind
        store.close()


def test_an_error_that_is_no_trouble_of_the_server_is_a_store_error() -> None:
    error = translate(RedisError("anything"))
    assert (type(error), status_of(error)) == (StoreError, 500)
