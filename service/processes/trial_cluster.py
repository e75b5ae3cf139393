"""A cluster on this machine, to try out what is different with one: primaries on loopback ports, and their queues.

It survives the death of any process, but not that of the machine better than one server does: it has no replicas.
"""

import json
import logging
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from plyscribe.service.processes.children import tied_to_parent
from plyscribe.service.processes.embedded import (
    LOG,
    SILENCE_S,
    STOP_S,
    EmbeddedServer,
    NotRunning,
    NotStarted,
    durable_settings,
    find_binary,
    find_running,
    last_lines,
    make_private,
)
from plyscribe.service.processes.private_files import replace_text

SLOTS = 16384
HOST = "127.0.0.1"
MOST_NODES = 16
HIGHEST_PORT = 55_535
ABOVE = 10_000
"""So far above its port each node also listens, for the others."""

NOTES = "cluster.json"
QUEUES = "queues"
NODE_TIMEOUT_MS = 2000
POLL_S = 0.05
PAUSE_S = 0.5
"""Before a node that died is started again."""

log = logging.getLogger(__name__)


class Notes(NamedTuple):
    """What a start needs of an earlier one: the nodes know each other by their ports."""

    ports: list[int]
    password: str
    is_whole: bool
    """Whether the nodes have been made one cluster."""


class TrialCluster:
    """A running cluster, and a server for the job queues. Nodes that die are started again until `stop`.

    Any user of this machine may connect to the ports, so there is a password.
    """

    def __init__(self, directory: Path, nodes: int, named: str | None = None) -> None:
        """Start everything and wait until it answers. Raises the errors of EmbeddedServer."""
        self.directory = directory.absolute()
        make_private(self.directory)
        self._binary = find_binary(named)
        self._stopping = threading.Event()
        self._launched: dict[int, subprocess.Popen[bytes]] = {}
        with ExitStack() as undo:
            # It locks the directory against a second cluster.
            self._queues = undo.enter_context(EmbeddedServer(self.directory / QUEUES, self._binary))
            undo.callback(self._stop_nodes)
            self._notes = self._read_notes(nodes)
            # The kernel ends a node with the thread that has launched it, so one thread launches them all.
            self._keeper = threading.Thread(target=self._keep, name="trial-cluster", daemon=True)
            self._keeper.start()
            self._await(self._all_answer)
            if not self._notes.is_whole:
                self._unite()
            self._await(lambda: all(self._state_of(port) == "ok" for port in self._notes.ports))
            undo.pop_all()

    @property
    def url(self) -> str:
        """The address of the store."""
        return _format_url(self._notes)

    @property
    def queues_url(self) -> str:
        """The address of the server for the job queues."""
        return self._queues.url

    def node_pids(self) -> list[int]:
        """The ids of the processes of the nodes that run now."""
        return [node.pid for node in self._launched.values()]

    def stop(self) -> None:
        """Stop all servers. May be called twice."""
        self._stop_nodes()
        self._queues.stop()

    def kill(self) -> None:
        """Kill all servers. What they have acknowledged is on disk."""
        self._stopping.set()
        for process in (*self._launched.values(), self._queues.process):
            process.kill()

    def __enter__(self) -> "TrialCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # ---------------------------------------------------------------------------------------------------- the nodes

    def _keep(self) -> None:
        while not self._stopping.wait(POLL_S):
            if self._queues.process.poll() is not None:
                self._restart_queues()
            for port in self._notes.ports:
                node = self._launched.get(port)
                if node is not None and node.poll() is not None:
                    why = self._folder(port) / LOG
                    log.warning("a node of the cluster died and is being restarted; %s says why", why)
                    self._stopping.wait(PAUSE_S)
                if node is None or node.poll() is not None:
                    self._launched[port] = self._launch(port)
        for node in self._launched.values():
            node.terminate()
        for node in self._launched.values():
            try:
                node.wait(STOP_S)
            except subprocess.TimeoutExpired:
                node.kill()
                node.wait()

    def _restart_queues(self) -> None:
        log.warning("the server of the queues died and is being restarted; %s says why", self._queues.directory / LOG)
        self._queues.stop()
        with suppress(NotStarted):
            self._queues = EmbeddedServer(self._queues.directory, self._binary)

    def _launch(self, port: int) -> subprocess.Popen[bytes]:
        folder = self._folder(port)
        folder.mkdir(mode=0o700, exist_ok=True)
        settings = {
            "port": str(port),
            "bind": HOST,
            "requirepass": self._notes.password,
            "masterauth": self._notes.password,
            "cluster-enabled": "yes",
            "cluster-config-file": "nodes.conf",
            "cluster-node-timeout": str(NODE_TIMEOUT_MS),
            # The other nodes go on while one is being started again.
            "cluster-require-full-coverage": "no",
            **durable_settings(folder),
        }
        # A password in the arguments could be read by everybody.
        config = "".join(f'{name} "{value}"\n' for name, value in settings.items())
        arguments = [str(self._binary.path), "-"]
        node = subprocess.Popen(
            tied_to_parent(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=folder,
            start_new_session=True,
        )
        assert node.stdin is not None
        with node.stdin:
            node.stdin.write(config.encode())
        return node

    def _stop_nodes(self) -> None:
        self._stopping.set()
        if hasattr(self, "_keeper"):
            self._keeper.join()

    def _folder(self, port: int) -> Path:
        return self.directory / f"node-{self._notes.ports.index(port) + 1}"

    # ---------------------------------------------------------------------------------------------- made one cluster

    def _unite(self) -> None:
        """Give each node its slots and make them know each other. A start that was interrupted is begun anew."""
        for number, port in enumerate(self._notes.ports):
            with self._connect(port) as node:
                node.flushall()
                node.execute_command("CLUSTER RESET", "HARD")
                count = len(self._notes.ports)
                first, last = number * SLOTS // count, (number + 1) * SLOTS // count - 1
                node.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
                node.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        with self._connect(self._notes.ports[0]) as node:
            for port in self._notes.ports[1:]:
                node.execute_command("CLUSTER MEET", HOST, port)
        self._await(lambda: all(self._knows_all(port) for port in self._notes.ports))
        self._notes = self._notes._replace(is_whole=True)
        _write_notes(self.directory, self._notes)

    def _connect(self, port: int) -> Redis:
        return Redis(HOST, port, password=self._notes.password, decode_responses=True, socket_timeout=5.0)

    def _all_answer(self) -> bool:
        for port in self._notes.ports:
            with self._connect(port) as node:
                node.ping()
        return True

    def _knows_all(self, port: int) -> bool:
        with self._connect(port) as node:
            return int(node.cluster("info")["cluster_slots_assigned"]) == SLOTS

    def _state_of(self, port: int) -> str:
        with self._connect(port) as node:
            return str(node.cluster("info")["cluster_state"])

    def _await(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SILENCE_S
        while time.monotonic() < deadline:
            with suppress(RedisError):
                if is_so():
                    return
            time.sleep(POLL_S)
        logs = [self._folder(port) / LOG for port in self._notes.ports]
        told = "\n".join(last_lines(each) for each in logs if each.exists())
        raise NotStarted(f"the cluster in {self.directory} did not start:\n{told}")

    def _read_notes(self, nodes: int) -> Notes:
        known = _read_notes(self.directory)
        if known is None or not known.is_whole:
            # Somebody may have taken the ports of a start that was interrupted.
            known = Notes(_choose_ports(nodes), secrets.token_urlsafe(24), is_whole=False)
            _write_notes(self.directory, known)
        if len(known.ports) != nodes:
            count = len(known.ports)
            raise NotStarted(f"the cluster in {self.directory} has {count} nodes: start it with --cluster {count}")
        return known


def find_cluster(directory: Path) -> tuple[str, str] | None:
    """The addresses of the store and the queues of a cluster that runs in a directory; None if there is no cluster.

    NotRunning if there is one that does not run.
    """
    notes = _read_notes(directory)
    if notes is None:
        return None
    try:
        return _format_url(notes), find_running(directory / QUEUES)
    except NotRunning:
        count = len(notes.ports)
        raise NotRunning(
            f"the cluster in {directory} does not run: start `plyscribe serve --cluster {count}`"
        ) from None


def _format_url(notes: Notes) -> str:
    return f"redis+cluster://:{notes.password}@" + ",".join(f"{HOST}:{port}" for port in notes.ports)


def _read_notes(directory: Path) -> Notes | None:
    path = directory / NOTES
    return Notes(**json.loads(path.read_text())) if path.exists() else None


def _write_notes(directory: Path, notes: Notes) -> None:
    replace_text(directory / NOTES, json.dumps(notes._asdict()))


def _choose_ports(count: int) -> list[int]:
    """Ports that are free now, all different, as are those above them."""
    chosen: list[int] = []
    with ExitStack() as probes:
        while len(chosen) < count:
            probe, other = (probes.enter_context(socket.socket()) for _ in range(2))
            probe.bind((HOST, 0))
            if (port := int(probe.getsockname()[1])) <= HIGHEST_PORT:
                with suppress(OSError):
                    other.bind((HOST, port + ABOVE))
                    chosen.append(port)
    return chosen
