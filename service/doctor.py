"""`plyscribe doctor`: what is set, what is there, and what is wrong."""

import os
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from redis import Redis

from domain.rulesets import RULESETS
from service.composition import compose_process
from service.config import ConfigError, read_config, register_rulesets
from service.projections import is_complete, needs_build
from service.rulebooks import read_clauses
from service.store.embedded import BINARY_VARIABLE, find_binary
from service.store.feed import FeedGroup
from service.store.port import StoreError
from service.store.redis import connect, connect_client


class Finding(NamedTuple):
    """One thing looked at: `state` is ok, note or wrong."""

    topic: str
    state: str
    text: str


def examine(data: Path) -> list[Finding]:
    """All findings, in the order in which one would mend them."""
    return [
        _examine_python(),
        *_examine_packages(),
        *_examine_rulesets(),
        *_examine_store(),
        _examine_data(data),
    ]


def _examine_python() -> Finding:
    state = "ok" if sys.version_info >= (3, 11) else "wrong"
    return Finding("python", state, f"{sys.version.split()[0]} at {sys.executable}")


def _examine_packages() -> Iterator[Finding]:
    for line in requires("plyscribe") or []:
        wanted = Requirement(line)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            have = version(wanted.name)
        except PackageNotFoundError:
            yield Finding("package", "wrong", f"{wanted} is not installed: run `make prepare`")
            continue
        if have not in wanted.specifier:
            yield Finding("package", "wrong", f"{wanted.name} is {have}, but {wanted} is needed: run `make prepare`")


def _examine_rulesets() -> Iterator[Finding]:
    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    except ConfigError as error:
        yield Finding("ruleset", "wrong", str(error))
    for ruleset in RULESETS:
        clauses = len(read_clauses(ruleset.id))
        state = "ok" if clauses else "note"
        yield Finding("ruleset", state, f"{ruleset.id} version {ruleset.version}, {clauses} clauses")


def _examine_store() -> Iterator[Finding]:
    if not os.environ.get("REDIS_URL"):
        yield _tried("store", _find_embedded)
        return
    try:
        config = read_config()
        found = connect(config.redis_url).describe()
    except (ConfigError, StoreError) as error:
        yield Finding("store", "wrong", str(error))
        return
    durability = found["durability"]
    yield Finding("store", "ok", found["store"])
    remedy = "" if durability == "always" else ": set appendonly yes and appendfsync always, or moves may be lost"
    yield Finding("durability", "ok" if durability == "always" else "wrong", f"{durability}{remedy}")
    yield _tried("queues", lambda: _ping(config.rq_redis_url))
    yield _tried("relay", lambda: _tell_lag(config.redis_url))
    yield from _examine_lists()
    yield Finding("server key", "ok", f"id {config.server_key.id}")
    yield Finding("sign-up", "ok", "open" if config.open_sign_up else "by an administrator")


def _find_embedded() -> str:
    binary = find_binary(os.environ.get(BINARY_VARIABLE))
    return f"embedded: {binary.engine}, {binary.path} (REDIS_URL is not set)"


def _tell_lag(url: str) -> str:
    return f"{FeedGroup(connect_client(url)).lag()} appends wait for it"


def _examine_lists() -> Iterator[Finding]:
    for projection in compose_process().lists.projections:
        if is_complete(projection):
            yield Finding("list", "ok", f"{projection.name}, complete")
        elif needs_build(projection):
            yield Finding("list", "note", f"{projection.name}, not built: a relay does it, or `plyscribe rebuild`")
        else:
            yield Finding("list", "note", f"{projection.name}, being built")


def _ping(url: str) -> str:
    Redis.from_url(url, socket_timeout=5).ping()
    return "rq's server answers"


def _tried(topic: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(topic, "ok", look())
    except Exception as error:  # whatever is wrong with it is the finding
        return Finding(topic, "wrong", str(error))


def _examine_data(data: Path) -> Finding:
    if not data.exists():
        return Finding("data", "note", f"{data} does not exist yet: `plyscribe serve` makes it")
    if data.stat().st_mode & 0o077:
        return Finding("data", "wrong", f"{data} can be read by others: chmod 700 {data}")
    if not os.access(data, os.W_OK):
        return Finding("data", "wrong", f"{data} cannot be written")
    return Finding("data", "ok", str(data.resolve()))
