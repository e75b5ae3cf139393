"""Checks of the machine, the installation, the settings and the data directory."""

import shutil
import socket
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import httpx
from packaging.requirements import Requirement

from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.config import SETTINGS, ConfigError, register_rulesets, require_parts
from plyscribe.service.health.doctor.finding import Finding, judge
from plyscribe.service.logs import read_log_settings
from plyscribe.service.processes.witness import list_losses
from plyscribe.service.rulebooks import read_clauses

GIB = 1024**3
LEAST_FREE = GIB
"""With less free space the store will soon stop: it cannot run without writing."""

LOW_FREE = 5 * GIB
SECRETS = ("server.key", "admin.token")


def examine_machine(data: Path, host: str, port: int, environ: Mapping[str, str]) -> Iterator[Finding]:
    """All checks that need no store."""
    yield _examine_python()
    yield from _examine_packages()
    yield from _examine_settings(environ)
    yield from _examine_rulesets(environ)
    yield from _examine_data(data)
    yield _examine_disk(data)
    yield _examine_port(host, port)


def _examine_python() -> Finding:
    text = f"{sys.version.split()[0]} at {sys.executable}"
    return judge("python", sys.version_info >= (3, 11), text, "install Python 3.11 or newer")


def _examine_packages() -> Iterator[Finding]:
    for line in requires("plyscribe") or []:
        wanted = Requirement(line)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": "server"}):
            continue
        try:
            have = version(wanted.name)
        except PackageNotFoundError:
            yield Finding("package", "wrong", f"{wanted} is not installed", "run `make prepare`")
            continue
        if have not in wanted.specifier:
            yield Finding(
                "package", "wrong", f"{wanted.name} {have} is installed, but {wanted} is needed", "run `make prepare`"
            )


def _examine_settings(environ: Mapping[str, str]) -> Iterator[Finding]:
    for name in sorted(environ):
        if name.startswith("PLYSCRIBE_") and name not in SETTINGS:
            yield Finding("setting", "wrong", f"{name} is not a setting", "see the table in docs/operations.md")
    try:
        read_log_settings(environ)
    except ConfigError as error:
        yield Finding("setting", "wrong", str(error), "see the table in docs/operations.md")


def _examine_rulesets(environ: Mapping[str, str]) -> Iterator[Finding]:
    try:
        register_rulesets(environ.get("PLYSCRIBE_RULESETS", ""))
        require_parts()
    except ConfigError as error:
        remedy = "mend or uninstall the package, or correct PLYSCRIBE_RULESETS; see docs/kit.md"
        yield Finding("ruleset", "wrong", str(error), remedy)
    for ruleset in RULESETS:
        clauses = len(read_clauses(ruleset.id, ruleset.version))
        state = "released" if ruleset.released else "draft"
        text = f"{ruleset.id} version {ruleset.version}, {state}, {clauses} clauses"
        yield Finding("ruleset", "ok" if clauses else "note", text)


def _examine_data(data: Path) -> Iterator[Finding]:
    if not data.exists():
        yield Finding("data", "note", f"{data} does not exist yet; `plyscribe serve` creates it")
        return
    mode = data.stat().st_mode
    yield judge("data", not mode & 0o077, f"{data.resolve()}, mode {stat.filemode(mode)}", f"chmod 700 {data}")
    for name in SECRETS:
        path = data / name
        if path.exists():
            mode = path.stat().st_mode
            yield judge("secret", not mode & 0o077, f"{name}, mode {stat.filemode(mode)}", f"chmod 600 {path}")
    losses = list_losses(data / "store")
    if losses is not None:
        remedy = "restore the data directory from a backup, see 'When the store has lost data' in docs/operations.md"
        yield judge("witness", not losses, "; ".join(losses) or "the store has all that was safely on disk", remedy)


def _examine_disk(data: Path) -> Finding:
    free = shutil.disk_usage(next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())).free
    text = f"{free / GIB:.1f} GiB free where the data is"
    if free < LEAST_FREE:
        return Finding("disk", "wrong", text, "free some space or move the data: a store that cannot write stops")
    return judge("disk", free >= LOW_FREE, text, "free some space soon", otherwise="note")


def _examine_port(host: str, port: int) -> Finding:
    where = f"{host} port {port}"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            return Finding("port", "ok", f"{where} is free")
        except OSError as error:
            if _is_ours(host, port):
                return Finding("port", "ok", f"the API answers at {where}")
            return Finding("port", "wrong", f"{where}: {error.strerror}", "choose another with --port")


def _is_ours(host: str, port: int) -> bool:
    try:
        answered = httpx.get(f"http://{f'[{host}]' if ':' in host else host}:{port}/healthz", timeout=2.0)
        return "X-Request-Id" in answered.headers and answered.is_success
    except httpx.HTTPError:
        return False
