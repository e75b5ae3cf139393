"""`plyscribe doctor`: what is set, what is there, and what is wrong. It only reads."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from service.composition import compose_process
from service.config import ConfigError
from service.doctor.finding import Finding, tried
from service.doctor.machine import examine_machine
from service.doctor.store import examine_store
from service.doctor.work import examine_work
from service.serving import settings_beside
from service.store.embedded import BINARY_VARIABLE, NotRunning, find_binary
from service.store.port import StoreError

__all__ = ["Finding", "examine"]


def examine(
    data: Path, host: str = "127.0.0.1", port: int = 8420, environ: Mapping[str, str] = os.environ
) -> Iterator[Finding]:
    """All findings, in the order in which one would mend them.

    The store is the one that REDIS_URL names, else the one that `serve` runs on the data directory.
    """
    yield from examine_machine(data, host, port, environ)
    try:
        settings = settings_beside(data, environ)
    except NotRunning:
        yield tried("store", lambda: _find_embedded(environ))
        return
    try:
        parts = compose_process(settings)
    except (ConfigError, StoreError) as error:
        yield Finding("settings", "wrong", str(error), "see the table in docs/operations.md")
        return
    if environ.get("REDIS_URL"):
        # What `serve` tells its processes is not known here.
        yield Finding("sign-up", "ok", "open" if parts.config.open_sign_up else "by an administrator")
    findings = list(examine_store(parts))
    yield from findings
    if findings[0].state == "ok":
        yield from examine_work(parts)


def _find_embedded(environ: Mapping[str, str]) -> str:
    binary = find_binary(environ.get(BINARY_VARIABLE))
    return f"embedded: {binary.engine}, {binary.path}; it does not run (REDIS_URL is not set)"
