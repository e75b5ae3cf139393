"""`plyscribe doctor`: checks the installation, the settings and the running service. It only reads."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from plyscribe.service.composition import compose_process
from plyscribe.service.config import MIN_KEY_BYTES, ConfigError, read_config
from plyscribe.service.database.engine import IN_MEMORY
from plyscribe.service.health.doctor.finding import Finding, judge, tried
from plyscribe.service.health.doctor.machine import examine_machine
from plyscribe.service.health.doctor.store import examine_store
from plyscribe.service.health.doctor.work import examine_work
from plyscribe.service.processes.embedded import BINARY_VARIABLE, NotRunning, find_binary
from plyscribe.service.processes.serving import settings_beside
from plyscribe.service.processes.store_memory import read_store_memory
from plyscribe.service.store.port import StoreError
from plyscribe.service.store.redis import connect_queues
from plyscribe.service.streams.chains import Progress, check_store

__all__ = ["Finding", "examine", "examine_chains"]


def examine(
    data: Path, host: str = "127.0.0.1", port: int = 8420, environ: Mapping[str, str] = os.environ
) -> Iterator[Finding]:
    """All findings, in the order in which you would fix them.

    The store is the one that REDIS_URL names, or else the one that `serve` runs on the data directory.
    """
    yield from examine_machine(data, host, port, environ)
    try:
        settings = settings_beside(data, environ)
    except NotRunning:
        yield tried("store", lambda: _find_embedded(environ))
        yield from _examine_own_settings(environ)
        return
    try:
        parts = compose_process(settings)
        connect_queues(parts.config.rq_redis_url).close()
    except (ConfigError, StoreError) as error:
        yield _refuse_settings(error)
        return
    if environ.get("REDIS_URL"):
        # Without REDIS_URL, `serve` decides this for its processes, and we do not know how.
        yield Finding("sign-up", "ok", "open" if parts.config.open_sign_up else "by administrators only")
    findings = list(examine_store(parts))
    yield from findings
    if findings[0].state == "ok":
        yield from examine_work(parts)


def examine_chains(
    data: Path, report: Callable[[Progress], object], environ: Mapping[str, str] = os.environ
) -> Iterator[Finding]:
    """A finding for each stream of the running service whose stored events are damaged, then their sum."""
    store, last, damaged = compose_process(settings_beside(data, environ)).store, Progress(0, 0, 0, 0), 0

    def note(progress: Progress) -> None:
        nonlocal last
        last = progress
        report(progress)

    for damage in check_store(store, note):
        damaged += 1
        text = f"{damage.stream} from event {damage.version} on: {damage.why}"
        yield Finding("damaged", "wrong", text, "see 'Damaged streams' in docs/operations.md")
    text = f"{last.events:,} events of {last.streams:,} streams checked, {damaged} streams damaged"
    yield judge("chains", not damaged, text, "see 'Damaged streams' in docs/operations.md")


def _examine_own_settings(environ: Mapping[str, str]) -> Iterator[Finding]:
    """What is wrong with the settings of a service that runs on its own: it makes a key if none is set."""
    has_key = environ.get("PLYSCRIBE_SERVER_KEY") or environ.get("PLYSCRIBE_SERVER_KEY_FILE")
    key = {} if has_key else {"PLYSCRIBE_SERVER_KEY": "00" * MIN_KEY_BYTES}
    own = {"PLYSCRIBE_READ_URL": IN_MEMORY, **environ, **key, "REDIS_URL": "unix:///none"}
    try:
        read_store_memory(environ)
        connect_queues(read_config(own).rq_redis_url).close()
    except (ConfigError, StoreError) as error:
        yield _refuse_settings(error)


def _refuse_settings(error: Exception) -> Finding:
    return Finding("settings", "wrong", str(error), "see the table in docs/operations.md")


def _find_embedded(environ: Mapping[str, str]) -> str:
    binary = find_binary(environ.get(BINARY_VARIABLE))
    return f"embedded: {binary.engine}, {binary.path}; not running (REDIS_URL is not set)"
