"""Servers that an operator runs and sets up, on a loopback port, and a server that says what a test tells it to say."""

import fcntl
import os
import secrets
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis

from tests.store.given import eventually

LOWEST, HIGHEST, ABOVE = 10_000, 22_767, 10_000
"""The ports of servers, and how far above its port a node of a cluster listens for the others.

All lie below 32768: the system gives the ports from there on to whoever asks for any, or connects to somebody.
"""

TRIES = 20
ANSWER_S = 1.0


_GIVEN = os.open(Path(tempfile.gettempdir()) / f"plyscribe-test-ports-{os.getuid()}", os.O_CREAT | os.O_RDWR, 0o600)
"""A file with a byte for each port, which is locked by the process of tests that has given the port out."""

_given: set[int] = set()


class PortTaken(AssertionError):
    """Somebody else listens on a port that the server was to listen on."""


def free_port() -> int:
    """A port, drawn by lot, on which nobody listens, nor on that which a node of a cluster has with it.

    It is given out once, by whatever process of tests on this machine, as long as this one runs.
    """
    while True:
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST + 1)
        if _is_free(port) and _is_free(port + ABOVE) and _is_ours(port):
            return port


def _is_ours(port: int) -> bool:
    """Whether nobody has been given the port; then it counts as given."""
    if port in _given:
        return False
    try:
        fcntl.lockf(_GIVEN, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    _given.add(port)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False


AT_ONCE = "--repl-diskless-sync-delay", "0"
"""A primary does not wait for more replicas before it sends its data to the first."""


class OwnServer:
    """A running server program."""

    def __init__(
        self, binary: Path, directory: Path, *settings: str, port: int | None = None, lines: Sequence[str] = ()
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        for number in range(1, TRIES + 1):
            self.port = port or free_port()
            config = directory / "own.conf"
            config.write_text("\n".join([f"port {self.port}", "bind 127.0.0.1", f"dir {directory}", *lines, ""]))
            self._argv = [str(binary), str(config), *settings]
            try:
                self.start()
                return
            except PortTaken:
                if port or number == TRIES:
                    raise

    def start(self) -> None:
        """Run the program, for the first time or after `stop`. PortTaken if its port is not free any more."""
        with (self.directory / "own.log").open("wb") as log:
            self.process = subprocess.Popen(self._argv, stdout=log, stderr=log)
        eventually(self._listens)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def _listens(self) -> bool:
        is_answered = False
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), ANSWER_S) as probe:
            probe.sendall(b"PING\r\n")
            is_answered = bool(probe.recv(1))
        if self.process.poll() is not None:
            # Whoever answered was another one.
            said = (self.directory / "own.log").read_text(errors="replace")
            if "Address already in use" in said:
                raise PortTaken(said)
            raise AssertionError(f"the server has ended:\n{said}")
        return is_answered

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def own_server(binary: Path, directory: Path, *settings: str) -> Iterator[OwnServer]:
    server = OwnServer(binary, directory, "--save", "", *AT_ONCE, *settings)
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def replica_of(server: OwnServer, binary: Path, directory: Path, *settings: str) -> Iterator[OwnServer]:
    """A replica that has caught up."""
    with own_server(binary, directory, "--replicaof", f"127.0.0.1 {server.port}", *settings) as replica:
        with Redis(port=replica.port) as client:
            eventually(lambda: client.info("replication")["master_link_status"] == "up")
        yield replica


@contextmanager
def scripted_server(directory: Path, reply: bytes) -> Iterator[str]:
    """The URL of a server that gives every command the same reply, once the connection is set up."""
    path = directory / "scripted.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        threading.Thread(target=_serve_script, args=(listener, reply), daemon=True).start()
        yield f"unix://{path}"
        listener.shutdown(socket.SHUT_RDWR)


def _serve_script(listener: socket.socket, reply: bytes) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(connection, reply), daemon=True).start()


_SETUP = {b"HELLO": b"%1\r\n$5\r\nproto\r\n:3\r\n", b"CLIENT": b"+OK\r\n"}


def _answer(connection: socket.socket, reply: bytes) -> None:
    # The client may close the connection at the first error.
    with connection, suppress(ConnectionError):
        while sent := connection.recv(65536):
            # One reply to each command, and commands begin with the number of their parts.
            for command in sent.split(b"\r\n*"):
                setup = next((setup for word, setup in _SETUP.items() if word in command.upper()), None)
                connection.sendall(setup or reply)
