"""`plyscribe serve`: all processes of a service over one data directory, and the secrets kept there."""

import fcntl
import json
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.player import SCOPES
from plyscribe.service.access.accounts import Accounts
from plyscribe.service.archive.errors import ArchiveUnavailable
from plyscribe.service.archive.storage import Archive
from plyscribe.service.config import (
    Config,
    ServerKey,
    make_key,
    parse_key,
    read_config,
    register_rulesets,
    require_parts,
)
from plyscribe.service.errors import Unauthenticated
from plyscribe.service.metrics import DIRECTORY_VARIABLE
from plyscribe.service.processes.children import Child, CrashLoop, Starts, stop_all
from plyscribe.service.processes.embedded import (
    BINARY_VARIABLE,
    LOG,
    EmbeddedServer,
    NotStarted,
    find_running,
    is_full,
    start_server,
)
from plyscribe.service.processes.nursery import Nursery, Program
from plyscribe.service.processes.private_files import replace_text
from plyscribe.service.processes.store_memory import read_store_memory
from plyscribe.service.processes.trial_cluster import TrialCluster, find_cluster
from plyscribe.service.queues import DATASET, IMPORT, QUEUES, SEAL, VERIFY, WEBHOOK
from plyscribe.service.store.layouts import NEWEST_LAYOUT, read_layout
from plyscribe.service.store.port import StoreError, StoreFull, StoreUnavailable
from plyscribe.service.store.redis import connect, connect_client, connect_queues
from plyscribe.service.store.requirements import require_queues_at, require_store_at
from plyscribe.service.webhooks.targets import OFF

READY_WITHIN_S = 180.0
"""How long the start may take. A small machine that is busy with something else needs more than half a minute."""

POLL_S = 0.1
STORE_TRIES = 3
"""Attempts to start the store. One fails if the store is killed while it starts."""

CHECKED = (VERIFY, IMPORT)
"""The queues of what is executed a second time."""

READ_DATABASE = "read.db"
ARCHIVE = "archive"
UNFINISHED = "an earlier release wrote this store: when none is at work on it, run `plyscribe upgrade --finish`"
LOST = "the store is empty, but the archive %s has copies of accounts: `plyscribe rebuild --from-archive` restores them"

AGAIN = {"PYTHONHASHSEED": "1"}
"""The second execution has another hash seed than the first, so a result that depends on it is noticed.

If its processes are forked from `serve`, it is the one that `serve` has drawn.
"""

WORKERS = "plyscribe.workers"
IMPORTED = (
    *(
        f"plyscribe.workers.{each}"
        for each in ("check_import", "deliver_webhooks", "play_match", "relay", "score_match", "verify_match", "worker")
    ),
    # Our modules import it only when they need it.
    "disarm",
)
"""What the nurseries import before they fork: what nearly every process needs."""

IMPORTED_BY_WEB = (
    "plyscribe.service.cli.__main__",
    "plyscribe.service.cli.serve",
    "plyscribe.service.web.app",
    "plyscribe.service.web.server",
)

CLUSTER = "cluster"
"""The directory of a cluster to try out, in the data directory."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")

log = logging.getLogger(__name__)


class ServeError(Exception):
    """The service cannot be started or kept running; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to keep the data, where to listen, and how many workers to run."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8420
    workers: Mapping[str, int] = field(default_factory=dict)
    """How many workers serve each queue, by its name; 1 where nothing is said."""

    redis_url: str | None = None
    """A store that is already running; None starts the embedded one."""

    cluster: int | None = None
    """The number of servers of a cluster to start instead; None: no cluster."""

    web_processes: int = 1
    """How many processes answer on the port."""

    @property
    def url(self) -> str:
        """The address of the API."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


class Service:
    """The processes that `serve` runs. Call `watch` often, from the main thread: it restarts children that died."""

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self.restarts: list[str] = []
        self._store: EmbeddedServer | None = None
        self._cluster: TrialCluster | None = None
        self._store_starts = Starts("store", options.data / "store" / LOG)
        self._children: list[Child] = []
        self._web: list[Child] = []
        self._nursery = self._make_nursery("nursery", (*IMPORTED, *IMPORTED_BY_WEB), {})
        self._checkers = self._make_nursery("nursery-checkers", IMPORTED, AGAIN)
        self._lock: int | None = None
        self._archive = ""

    def branch_off(self) -> None:
        """Begin `start`: the nursery of the checkers is forked from this process, which spares an interpreter.

        See Nursery.branch_off for what this asks of the caller. ServeError as of `start`.
        """
        with self._naming_files():
            self._lock = _lock(self.options.data)
            # It takes longest, and imports at the same time.
            self._nursery.open()
            # With a setting, this process has the same hash seed as that one, and the checkers need another.
            is_random = os.environ.get("PYTHONHASHSEED", "random") == "random"
            if is_random and threading.active_count() == 1:
                self._checkers.branch_off()

    def start(self) -> None:
        """Start all processes and return once the API is ready; ServeError if one cannot be started."""
        with self._naming_files():
            if self._lock is None:
                self._lock = _lock(self.options.data)
            self._start_all()

    @contextmanager
    def _naming_files(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ServeError(f"{error.filename or self.options.data} cannot be used: {error.strerror}") from None

    def _start_all(self) -> None:
        _empty(self.options.data / "metrics")
        for nursery in (self._nursery, self._checkers):
            nursery.open()
        url = self._start_cluster(self.options.cluster) if self.options.cluster else ""
        url = url or self.options.redis_url or self._start_store()
        workers, self._web = self._make_children(url)
        # The API comes last, so that all run when it answers.
        self._children = [*workers, *self._web]
        self._require_servers(url)
        self._ensure_admin()
        for child in self._children:
            child.start()
        self._wait_until_ready()
        _remind_of_upgrade(url)

    def watch(self) -> None:
        """Restart the processes that died; ServeError if one dies every time it is started."""
        try:
            if self._store is not None and self._store.process.poll() is not None:
                self._restart_store(self._store)
            for child in self._children:
                if child.is_due():
                    self._require_space()
                    log.warning("%s died and is being restarted; %s says why", child.name, child.log)
                    self.restarts.append(child.name)
                    child.start()
        except CrashLoop as error:
            raise ServeError(str(error)) from None

    def stop(self) -> None:
        """Stop all processes, within a minute: first the API, then relay and workers, the store last."""
        stop_all(self._web)
        stop_all([child for child in self._children if child not in self._web])
        self._close_nurseries()
        if self._store is not None:
            self._store.stop()
        if self._cluster is not None:
            self._cluster.stop()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def kill(self) -> None:
        """Kill all processes. Every answered request is on disk, and interrupted jobs are done again."""
        for child in self._children:
            child.kill()
        self._close_nurseries()
        if self._store is not None:
            self._store.process.kill()
        if self._cluster is not None:
            self._cluster.kill()

    def _close_nurseries(self) -> None:
        for nursery in (self._nursery, self._checkers):
            nursery.close()

    def pids(self) -> dict[str, int]:
        """The ids of the processes, by name."""
        pids = {child.name: child.process.pid for child in self._children if child.process is not None}
        return {"store": self._store.process.pid, **pids} if self._store is not None else pids

    def _start_cluster(self, nodes: int) -> str:
        if self.options.redis_url:
            raise ServeError("--cluster starts a store of its own: leave out --redis-url and REDIS_URL")
        self._cluster = TrialCluster(self.options.data / CLUSTER, nodes, os.environ.get(BINARY_VARIABLE))
        return self._cluster.url

    def _start_store(self) -> str:
        for _ in range(STORE_TRIES - 1):
            with suppress(NotStarted):
                return self._try_store()
            log.error("the store ended while it was starting and is being restarted")
        return self._try_store()

    def _try_store(self) -> str:
        try:
            memory = read_store_memory(os.environ)
            self._store = start_server(self.options.data / "store", os.environ.get(BINARY_VARIABLE), memory)
        except (NotStarted, OSError):
            self._require_space()
            raise
        return self._store.url

    def _ensure_admin(self) -> None:
        """Write the administrator's token, if need be. The embedded store may die meanwhile; it is restarted."""
        deadline = time.monotonic() + READY_WITHIN_S
        while True:
            started = self._cluster or self._store
            url = self.options.redis_url or (started.url if started else "")
            try:
                store = connect(url)
                number = 1
                if not store.streams(limit=1) and _has_copies(self._archive):
                    log.warning(LOST, self._archive)
                    # The administrator who may come back keeps the name.
                    number = 1000 + secrets.randbelow(9000)
                return _write_admin_token(Accounts(store), self.options.data / "admin.token", number)
            except StoreUnavailable:
                if self._store is None or time.monotonic() >= deadline:
                    raise
            self.watch()
            time.sleep(POLL_S)

    def _require_space(self) -> None:
        """ServeError if the disk is full. Whatever died of that would die again, and nothing acknowledged is lost."""
        store = self._store
        if (store is not None and store.lacks_space()) or is_full(self.options.data):
            raise ServeError(
                f"the disk with {self.options.data.absolute()} is full, so the service has ended. Every answered "
                f"request is on disk. Free some space there, or move the directory to a larger disk, and start again"
            )

    def _restart_store(self, dead: EmbeddedServer) -> None:
        self._require_space()
        log.error("the store died and is being restarted; %s says why", self.options.data / "store" / LOG)
        self.restarts.append("store")
        self._store_starts.note()
        dead.stop()
        url = self._start_store()
        if url != dead.url:
            # A socket in a temporary directory has a new address.
            for child in self._children:
                child.env = {**child.env, "REDIS_URL": url}
                if child.process is not None:
                    child.stop()
                    child.start()

    def _make_children(self, url: str) -> tuple[list[Child], list[Child]]:
        """The workers with the relay, and the processes of the API."""
        options = self.options
        env = {"REDIS_URL": url, **self._key_settings(), **stores_beside(options.data, os.environ)}
        if self._cluster is not None:
            env["RQ_REDIS_URL"] = self._cluster.queues_url
        env[DIRECTORY_VARIABLE] = str((options.data / "metrics").absolute())
        # The API reports what they all count, and they cannot share a port.
        env["PLYSCRIBE_METRICS_PORT"] = ""
        if options.host in LOOPBACK:
            env |= {name: "open" for name in ("PLYSCRIBE_SIGN_UP", "PLYSCRIBE_METRICS") if not os.environ.get(name)}
        # Report bad settings here, before they make children die.
        config = read_config({**os.environ, **env})
        register_rulesets(config.extra_rulesets)
        require_parts()
        if os.environ.get("PLYSCRIBE_READ_URL"):
            _require_database(config.read_url)
        Archive(config.archive).prepare()
        self._archive = config.archive
        connect_queues(config.rq_redis_url).close()
        workers = [
            (f"{queue}-{n}", Program(WORKERS, [queue]))
            for queue in QUEUES
            for n in range(1, options.workers.get(queue, 1) + 1)
            if is_served(queue, config)
        ]
        programs = [("relay", Program(WORKERS, ["relay"])), *workers]
        return [self._make_child(*each, env) for each in programs], [
            self._make_child(*each, env) for each in self._list_web()
        ]

    def _list_web(self) -> list[tuple[str, Program]]:
        options = self.options
        arguments = ["web", "--host", options.host, "--port", str(options.port)]
        if options.web_processes == 1:
            return [("web", Program("plyscribe", arguments))]
        program = Program("plyscribe", [*arguments, "--share-port"])
        return [(f"web-{number}", program) for number in range(1, options.web_processes + 1)]

    def _make_child(self, name: str, program: Program, env: Mapping[str, str]) -> Child:
        again = program.arguments[0] in CHECKED
        seed = AGAIN if again else {}
        nursery = self._checkers if again else self._nursery
        return Child(name, partial(nursery.start, program), {**env, **seed}, self.options.data / "log" / f"{name}.log")

    def _make_nursery(self, name: str, modules: Sequence[str], env: Mapping[str, str]) -> Nursery:
        """A nursery for processes that count into the same metrics, which the library reads when it is imported."""
        metrics = {DIRECTORY_VARIABLE: str((self.options.data / "metrics").absolute())}
        return Nursery(modules, {**metrics, **env}, self.options.data / "log" / f"{name}.log")

    def _require_servers(self, url: str) -> None:
        """UnsupportedServer, with what to do, if the store or the queues' server cannot serve us.

        A store of ours may die meanwhile and is restarted. Without the queues' server people can play.
        """
        with suppress(StoreUnavailable):
            own = self._cluster.queues_url if self._cluster is not None else ""
            require_queues_at(own or os.environ.get("RQ_REDIS_URL") or url)
        try:
            require_store_at(url, mark=True)
        except StoreUnavailable:
            if self._store is None:
                raise

    def _key_settings(self) -> dict[str, str]:
        """Where the server key is, unless the operator sets it: in the data directory, the same for all processes."""
        if os.environ.get("PLYSCRIBE_SERVER_KEY") or os.environ.get("PLYSCRIBE_SERVER_KEY_FILE"):
            return {}
        if self.options.redis_url:
            raise ServeError("with a store of your own, set PLYSCRIBE_SERVER_KEY to 64 hex digits, and never lose them")
        path = write_once(self.options.data / "server.key", make_key)
        return {"PLYSCRIBE_SERVER_KEY_FILE": str(path)}

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline:
            self.watch()
            with suppress(OSError, HTTPException, ValueError):
                if self._is_ready():
                    return
            time.sleep(POLL_S)
        raise ServeError(f"the API was not ready within {READY_WITHIN_S:.0f} s; see {self.options.data / 'log'}")

    def _is_ready(self) -> bool:
        """Whether the API answers requests, be it only those that store nothing; OSError, HTTPException, ValueError."""
        with closing(HTTPConnection(self.options.host, self.options.port, timeout=2.0)) as http:
            http.request("GET", "/readyz")
            answered = http.getresponse()
            if answered.status != HTTPStatus.OK:
                if json.load(answered).get("code") != StoreFull.code:
                    return False
                log.warning("the store is full: everything can be read, but nothing can be stored")
        return True


def _remind_of_upgrade(url: str) -> None:
    """Log that an upgrade is to be finished, if it is. A store in trouble is left alone."""
    with suppress(StoreError), connect_client(url) as client:
        if read_layout(client) < NEWEST_LAYOUT:
            log.warning(UNFINISHED)


def is_served(queue: str, config: Config) -> bool:
    """Whether a service with these settings needs a worker on a queue."""
    if queue == SEAL:
        return bool(config.archive) and config.seal_after_s is not None
    if queue == DATASET:
        return bool(config.archive) and find_spec("pyarrow") is not None
    return queue != WEBHOOK or config.webhooks != OFF


def settings_beside(data: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The settings of the running service: the environment's if it names a store, else those of `serve` on this data.

    NotRunning if the environment names no store and none runs on the data directory.
    """
    if environ.get("REDIS_URL"):
        return {**environ, **stores_beside(data, environ)}
    key = {} if environ.get("PLYSCRIBE_SERVER_KEY") else {"PLYSCRIBE_SERVER_KEY_FILE": str(data / "server.key")}
    return {**key, **environ, **stores_beside(data, environ), **_find_servers(data)}


def _find_servers(data: Path) -> dict[str, str]:
    found = find_cluster(data / CLUSTER)
    if found is None:
        return {"REDIS_URL": find_running(data / "store")}
    return dict(zip(("REDIS_URL", "RQ_REDIS_URL"), found, strict=True))


def stores_beside(data: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Where read database and archive are, unless the operator sets it: in the data directory."""
    beside = {
        "PLYSCRIBE_READ_URL": f"sqlite:///{(data / READ_DATABASE).absolute()}",
        "PLYSCRIBE_ARCHIVE": (data / ARCHIVE).absolute().as_uri(),
    }
    return {name: value for name, value in beside.items() if not environ.get(name)}


def write_once(path: Path, make: Callable[[], str]) -> Path:
    """The path itself; if there is no such file, it is written first, with mode 0600 and what `make` returns."""
    if not path.exists():
        replace_text(path, make())
    return path


def rotate_key(data: Path, environ: Mapping[str, str]) -> ServerKey:
    """Put a new server key before those in a data directory, and return it with the older ones.

    At any moment the file has either the old keys or all of them, even if this process is killed. ServeError if the
    keys are not kept there or a service uses the directory; ConfigError if the file holds no keys.
    """
    for name in ("PLYSCRIBE_SERVER_KEY", "PLYSCRIBE_SERVER_KEY_FILE"):
        if environ.get(name):
            raise ServeError(f"the key is set by {name}: put the new key before it there, see docs/operations.md")
    path = data / "server.key"
    if not path.exists():
        raise ServeError(f"there is no {path}: `plyscribe serve` makes it when it first starts")
    lock = _lock(data)
    try:
        keys = path.read_text(encoding="ascii").strip()
        parse_key(keys)
        replace_text(path, f"{make_key()}\n{keys}")
        return parse_key(path.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError) as error:
        raise ServeError(f"{path} cannot be rotated: {error}") from None
    finally:
        os.close(lock)


def _empty(directory: Path) -> None:
    """Make the directory, or remove the metrics files in it: they are those of processes that ended."""
    directory.mkdir(mode=0o700, exist_ok=True)
    for file in directory.glob("*.db"):
        file.unlink()


def _lock(data: Path) -> int:
    """Lock the data directory until the returned descriptor is closed; ServeError if that is impossible."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / "log").mkdir(mode=0o700, exist_ok=True)
        lock = os.open(data / "serve.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock
    except BlockingIOError:
        raise ServeError(
            f"{data} is in use by another service: stop that service first, or choose another --data"
        ) from None
    except OSError as error:
        raise ServeError(f"{data} cannot be used for the data: {error.strerror}") from None


def _require_database(address: str) -> None:
    """ConfigError if the operator's read database cannot be used. Ours can: it is not looked at, which is slow."""
    from plyscribe.service.database.engine import open_database

    open_database(address).close()


def _has_copies(archive: str) -> bool:
    """Whether the archive has copies of accounts and other streams; False if it does not answer."""
    try:
        return any(True for _ in Archive(archive).copies.list_packs())
    except ArchiveUnavailable:
        return False


def _write_admin_token(accounts: Accounts, path: Path, number: int = 1) -> None:
    """Make the file hold an administrator's token that is valid in this store; if it does already, keep it.

    A new administrator has a name with this number or a higher one; number 1 is not written.
    """
    if path.exists():
        try:
            accounts.authenticate(path.read_text(encoding="ascii").strip())
            return
        except (Unauthenticated, UnicodeDecodeError):
            # It belongs to another store and stays valid there, so keep it.
            path.replace(path.with_suffix(".token.old"))
    write_once(path, lambda: _open_administrator(accounts, number))


def _open_administrator(accounts: Accounts, number: int = 1) -> str:
    """The token of a new administrator, whose name gets a number if there was one before."""
    name = "Administrator" if number == 1 else f"Administrator {number}"
    try:
        return accounts.sign_up(Actor("system", "first-start"), name, "person", SCOPES, official=True)[1]
    except WrongTime:
        return _open_administrator(accounts, number + 1)
