import signal
from collections.abc import Iterator

import pytest
from redis import Redis

from plyscribe.domain.rulesets import register
from plyscribe.service.processes.embedded import EmbeddedServer, start_server
from plyscribe.service.store.redis import connect_client
from tests.domain.toy import TOY_V1


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    with start_server(tmp_path_factory.mktemp("store")) as server:
        yield server


@pytest.fixture
def redis(server: EmbeddedServer) -> Iterator[Redis]:
    """A client of an empty store."""
    register(TOY_V1)
    with connect_client(server.url, 60.0) as client:
        client.flushall()
        yield client


@pytest.fixture
def signals() -> Iterator[None]:
    """Restores the signal handlers of the test runner after a worker has set its own."""
    before = {signum: signal.getsignal(signum) for signum in (signal.SIGTERM, signal.SIGINT)}
    yield
    for signum, handler in before.items():
        signal.signal(signum, handler)
