import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import httpx._transports.default as httpx_transport
import pytest
from flask import Flask
from hypothesis import settings
from jinja2 import Environment
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.routing import Rule

from tests.missing import do_without
from tests.postgres import NoPostgres, PostgresServer
from tests.tiers import begin_with_longest, find_exhaustive, is_left_out

pytest_plugins = ["plyscribe.testing.plugin", "tests.costs", "pytester"]

# What pytest was told is for this process, and not for those that tests start.
os.environ.pop("PYTEST_ADDOPTS", None)

# The same examples in every run: a failure seen once is a failure seen by everybody.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import files whose tests are all left out: `make test` does not install what some of them need."""
    if "not exhaustive" in config.option.markexpr and collection_path.is_file():
        return is_left_out(collection_path.relative_to(config.rootpath).as_posix()) or None
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Give the marks, which the option -m is then applied to; and put what is left in order."""
    for item in items:
        if item.nodeid.startswith(("tests/pages/", "tests/system/", "tests/workers/")):
            item.add_marker("server")
        if "postgres" in getattr(item, "fixturenames", ()):
            item.add_marker("exhaustive")
    left_out = find_exhaustive(item.nodeid for item in items if not item.get_closest_marker("exhaustive"))
    for item in items:
        if item.nodeid in left_out:
            item.add_marker("exhaustive")
    yield
    # With one process, the order is the usual one.
    if hasattr(config, "workerinput"):
        items[:] = begin_with_longest(items, config.workerinput["workercount"])


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was collected: 600,000 objects that stay to the end, at each of its rounds."""
    gc.collect()
    gc.freeze()


_compile = Rule.compile
_compiled: dict[tuple[str, str | None, str, bool | None], dict[str, Any]] = {}


def _compile_once(rule: Rule) -> None:
    """Compile a route once, and not for each of thousands of applications."""
    key = rule.rule, rule.subdomain, repr(rule.defaults), rule.merge_slashes
    if key not in _compiled:
        _compile(rule)
        names = "_parts", "_trace", "_converters", "arguments"
        _compiled[key] = {name: getattr(rule, name) for name in names}
        _compiled[key] |= {name: getattr(rule, name).__func__ for name in ("_build", "_build_unknown")}
        return
    for name, value in _compiled[key].items():
        setattr(rule, name, value.__get__(rule) if callable(value) else value)


Rule.compile = _compile_once  # type: ignore[method-assign]


class _Templates(BytecodeCache):
    """Compiles a template once for each language, and not for each of these applications."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], CodeType | None] = {}

    def get_bucket(self, environment: Environment, name: str, filename: str | None, source: str) -> Bucket:
        key = f"{self.get_cache_key(name, filename)} {getattr(environment, 'language', '')}"
        bucket = Bucket(environment, key, self.get_source_checksum(source))
        self.load_bytecode(bucket)
        return bucket

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.known.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.known[bucket.key, bucket.checksum] = bucket.code


Flask.jinja_options = {"bytecode_cache": _Templates()}


# Once, and not for each request: it reads all certificates of this machine, which takes 40 ms.
httpx_transport.create_ssl_context = cache(httpx_transport.create_ssl_context)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One PostgreSQL server, started when it is first used. Tests that stop it start one of their own."""
    try:
        server = PostgresServer()
    except NoPostgres as error:
        do_without(str(error))
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """The address of an empty database on a PostgreSQL server; needs the mark `server`."""
    with postgres.new_database() as url:
        yield url


POSTGRESQL = pytest.param("postgresql", marks=[pytest.mark.server, pytest.mark.exhaustive])


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
