import gc
import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import httpx._transports.default as httpx_transport
import pytest
from hypothesis import settings
from werkzeug.routing import Rule

from tests.postgres import NoPostgres, PostgresServer

pytest_plugins = ["plyscribe.testing.plugin", "pytester"]

# The same examples in every run: a failure seen once is a failure seen by everybody.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was collected: 600,000 objects that stay to the end, at each of its rounds."""
    gc.collect()
    gc.freeze()


_compile_builder = Rule._compile_builder
_builders: dict[tuple[str, str, bool], Callable[..., Any]] = {}


def _compile_builder_once(rule: Rule, append_unknown: bool = True) -> Callable[..., Any]:
    """Compile what builds the addresses of a route once, and not for each of a thousand applications."""
    key = rule.rule, repr(rule.defaults), append_unknown
    if key not in _builders:
        _builders[key] = _compile_builder(rule, append_unknown)
    return _builders[key]


Rule._compile_builder = _compile_builder_once  # type: ignore[method-assign]


# Once, and not for each request: it reads all certificates of this machine, which takes 40 ms.
httpx_transport.create_ssl_context = cache(httpx_transport.create_ssl_context)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One PostgreSQL server, started when it is first used. Tests that stop it start one of their own."""
    try:
        server = PostgresServer()
    except NoPostgres as error:
        refuse = pytest.fail if os.environ.get("PLYSCRIBE_REQUIRE_SERVERS") == "1" else pytest.skip
        refuse(str(error))
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """The address of an empty database on a PostgreSQL server; needs the mark `server`."""
    with postgres.new_database() as url:
        yield url


POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.server)


@pytest.fixture(params=["sqlite", POSTGRESQL])
def read_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty read database that processes can share, of each kind."""
    return _address(request)


@pytest.fixture(params=["memory", "sqlite", POSTGRESQL])
def any_read_url(request: pytest.FixtureRequest) -> str:
    """The same, and of a database in memory."""
    return _address(request)


def _address(request: pytest.FixtureRequest) -> str:
    if request.param == "memory":
        return "sqlite://"
    if request.param == "sqlite":
        return f"sqlite:///{request.getfixturevalue('tmp_path')}/read.db"
    return str(request.getfixturevalue("postgres_url"))
