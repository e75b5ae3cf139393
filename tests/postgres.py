"""A PostgreSQL server for tests, on a loopback port and in a temporary directory.

Its databases sort as English does (`a` before `B`), unlike SQLite: code that leaves the order of texts to the database
fails here.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from tests.store.given import eventually
from tests.store.own_servers import free_port

OWNER = "plyscribe"
UNPRIVILEGED = ("postgres", "nobody")
"""Who runs the server if we are root: it refuses to run as root."""

DEBIAN = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs, below the number of their version. They are not on PATH."""

LOCALE = ("--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US")
MAKE = ("--username", OWNER, "--auth=trust", "--no-sync", *LOCALE)
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
}


class NoPostgres(Exception):
    """No PostgreSQL server can be run; the message says what to do."""


def find_programs() -> Path:
    """The directory with the programs of the newest PostgreSQL server. NoPostgres if there is none."""
    if on_path := shutil.which("postgres"):
        return Path(on_path).resolve().parent
    found = [path.parent for path in DEBIAN.glob("*/bin/postgres")]
    if not found:
        raise NoPostgres("there is no PostgreSQL server (make servers, or apt install postgresql)")
    return max(found, key=lambda path: float(path.parent.name))


def find_user() -> pwd.struct_passwd:
    """Who runs the server: we do, or somebody else if we are root. NoPostgres if there is nobody else."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    for name in UNPRIVILEGED:
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise NoPostgres(f"PostgreSQL refuses to run as root (run the tests as another user, or add a user {OWNER})")


class PostgresServer:
    """A running server. It ends with the thread that started it, even if that is killed (on Linux)."""

    def __init__(self) -> None:
        self.port = free_port()
        self._programs, self._user = find_programs(), find_user()
        self._names = (f"test_{number}" for number in count(1))
        self._process: subprocess.Popen[bytes] | None = None
        # Directories that pytest makes are closed to other users.
        self.directory = Path(tempfile.mkdtemp(prefix="plyscribe-postgres-"))
        os.chown(self.directory, self._user.pw_uid, self._user.pw_gid)
        try:
            self._run("initdb", "--pgdata=data", *MAKE).check_returncode()
            self.start()
        except BaseException:
            self.remove()
            raise

    def start(self) -> None:
        """Start, and wait until it answers. Its databases are those that it had before."""
        settings = SETTINGS | {"port": str(self.port), "unix_socket_directories": str(self.directory)}
        argv = [str(self._programs / "postgres"), "-D", "data", *(f"--{name}={it}" for name, it in settings.items())]
        if setpriv := shutil.which("setpriv"):
            argv = [setpriv, "--pdeathsig=QUIT", "--", *argv]
        with (self.directory / "server.log").open("ab") as log:
            self._process = subprocess.Popen(argv, stdout=log, stderr=log, process_group=0, **self._as_user())
        eventually(self._answers)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop at once (SIGQUIT), or when all transactions are undone (SIGINT)."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()

    def pause(self) -> None:
        """Let the server do nothing, and not even refuse connections."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGCONT)

    def remove(self) -> None:
        """Stop, and remove all data."""
        self.stop()
        shutil.rmtree(self.directory)

    def url(self, database: str = "postgres", user: str = OWNER) -> str:
        """The address of a database, for SQLAlchemy."""
        return f"postgresql+psycopg://{user}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str) -> None:
        """Execute a statement that a server allows outside transactions alone."""
        where: dict[str, Any] = {"host": "127.0.0.1", "port": self.port, "user": OWNER, "dbname": "postgres"}
        with psycopg.connect(**where, autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def new_database(self) -> Iterator[str]:
        """The address of an empty database. It is dropped at the end, even if somebody is still connected."""
        name = next(self._names)
        self.execute(f"CREATE DATABASE {name}")
        yield self.url(name)
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.directory / "server.log").read_text()
        return self._run("pg_isready", "--host=127.0.0.1", f"--port={self.port}").returncode == 0

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([self._programs / program, *arguments], capture_output=True, **self._as_user())

    def _as_user(self) -> dict[str, Any]:
        where = {"cwd": self.directory}
        if os.geteuid() != 0:
            return where
        return {**where, "user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
