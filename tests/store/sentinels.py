"""A store of three servers and the three Sentinels that watch it, for tests that kill and stop some of them."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.store.given import eventually
from tests.store.own_servers import AT_ONCE, OwnServer

NAME = "matches"
DOWN_AFTER_MS = 1500
"""A Sentinel may ping a new primary only after a second. With less, it takes that one for dead too."""

FAILOVER_MS = 2000
DURABLE = "--save", "", *AT_ONCE, "--appendonly", "yes", "--appendfsync", "always"


class Watched:
    """A primary with two replicas, watched by three Sentinels."""

    def __init__(
        self, binary: Path, directory: Path, least: int = 1, replicas: int = 2, down_after_ms: int = DOWN_AFTER_MS
    ) -> None:
        self._binary, self._directory, self._down_after_ms = binary, directory, down_after_ms
        # An old primary that is cut off soon takes no writes any more.
        self._settings = (
            *DURABLE,
            *("--min-replicas-to-write", str(least), "--min-replicas-max-lag", "2"),
            *("--repl-timeout", "5", "--repl-ping-replica-period", "1"),
        )
        first = OwnServer(binary, directory / "server-1", *self._settings)
        self.servers = {first.port: first}
        for number in range(2, replicas + 2):
            server = OwnServer(
                binary, directory / f"server-{number}", *self._settings, "--replicaof", f"127.0.0.1 {first.port}"
            )
            self.servers[server.port] = server
        self.primary_port = first.port
        eventually(lambda: self.count_online() == replicas)
        self.sentinels = [self._start_sentinel(number, first.port) for number in (1, 2, 3)]
        eventually(lambda: all(self._knows(sentinel, replicas) for sentinel in self.sentinels))

    def _start_sentinel(self, number: int, primary: int) -> OwnServer:
        directory = self._directory / f"sentinel-{number}"
        lines = [
            f"sentinel monitor {NAME} 127.0.0.1 {primary} 2",
            f"sentinel down-after-milliseconds {NAME} {self._down_after_ms}",
            f"sentinel failover-timeout {NAME} {FAILOVER_MS}",
            f"sentinel parallel-syncs {NAME} 2",
        ]
        return OwnServer(self._binary, directory, "--sentinel", lines=lines)

    def _knows(self, sentinel: OwnServer, replicas: int) -> bool:
        """Whether a Sentinel knows all the others and the replicas."""
        with Redis(port=sentinel.port) as client:
            state = client.sentinel_master(NAME)
            return int(state["num-other-sentinels"]) == 2 and int(state["num-slaves"]) == replicas

    @property
    def url(self) -> str:
        places = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{places}/{NAME}"

    @property
    def primary(self) -> OwnServer:
        """The server that was the primary when somebody last looked."""
        return self.servers[self.primary_port]

    @property
    def replicas(self) -> list[OwnServer]:
        return [server for port, server in self.servers.items() if port != self.primary_port]

    def count_online(self) -> int:
        """How many replicas follow the primary and have caught up."""
        with suppress(RedisError), Redis(port=self.primary_port, socket_timeout=1) as client:
            told = client.info("replication")
            return sum(
                1
                for key, value in told.items()
                if key.startswith("slave") and isinstance(value, dict) and value["state"] == "online"
            )
        return 0

    def kill_primary(self) -> OwnServer:
        """Kill the primary without warning, and return it."""
        dead = self.primary
        dead.stop()
        return dead

    def follow_failover(self) -> None:
        """Return when the Sentinels agree on another primary, which says that it is one."""
        before = self.primary_port
        eventually(lambda: self._find_primary() and self.primary_port != before)

    def _find_primary(self) -> bool:
        """Whether the Sentinels agree on a primary, which says that it is one. Then it is ours."""
        with suppress(RedisError):
            ports = set()
            for sentinel in self.sentinels:
                with Redis(port=sentinel.port, socket_timeout=1) as client:
                    ports.add(int(client.sentinel_get_master_addr_by_name(NAME)[1]))
            if len(ports) == 1:
                [port] = ports
                with Redis(port=port, socket_timeout=1) as client:
                    if client.info("replication")["role"] == "master":
                        self.primary_port = port
                        return True
        return False

    def restart(self, *dead: OwnServer) -> None:
        """Start killed servers on their data again; return when all replicas follow the primary."""
        self.start(*dead)
        # Sentinels that were slow to agree may fail over a second time.
        eventually(lambda: self._find_primary() and self.count_online() == len(self.servers) - 1)
        eventually(lambda: self._find_primary() and all(self._counts(sentinel) for sentinel in self.sentinels))

    def start(self, *dead: OwnServer) -> None:
        """Start killed servers on their data again, as replicas of the primary."""
        settings = (*self._settings, "--replicaof", f"127.0.0.1 {self.primary_port}")
        for each in dead:
            self.servers[each.port] = OwnServer(self._binary, each.directory, *settings, port=each.port)

    def _counts(self, sentinel: OwnServer) -> bool:
        """Whether a Sentinel takes all replicas of the present primary to be up."""
        with Redis(port=sentinel.port) as client:
            states = client.sentinel_slaves(NAME)
            up = [each for each in states if not (each["is_sdown"] or each["is_odown"] or each["is_disconnected"])]
            return len(up) == len(self.servers) - 1 and all(
                int(each["master-port"]) == self.primary_port for each in up
            )

    def stop(self) -> None:
        for server in [*self.sentinels, *self.servers.values()]:
            server.stop()


@contextmanager
def watched_store(
    binary: Path, directory: Path, least: int = 1, replicas: int = 2, down_after_ms: int = DOWN_AFTER_MS
) -> Iterator[Watched]:
    watched = Watched(binary, directory, least, replicas, down_after_ms)
    try:
        yield watched
    finally:
        watched.stop()


@contextmanager
def suspended(*servers: OwnServer) -> Iterator[None]:
    """Stop these servers as a broken network would: nothing that they are sent is read."""
    with ExitStack() as stack:
        for server in servers:
            os.kill(server.process.pid, signal.SIGSTOP)
            stack.callback(os.kill, server.process.pid, signal.SIGCONT)
        yield
