"""Clusters that an operator runs, on loopback ports: some primaries, each with replicas."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from redis import Redis

from plyscribe.service.store.cluster import Cluster
from plyscribe.service.store.redis import TIMEOUT_S
from tests.store.given import eventually
from tests.store.own_servers import OwnServer, own_server

SLOTS = 16384
NODE = (
    "--cluster-enabled",
    "yes",
    # A replica does not wait for the data of a primary that was away for long.
    "--cluster-replica-validity-factor",
    "0",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
)


class OwnCluster:
    """A running cluster."""

    def __init__(self, primaries: Sequence[OwnServer], replicas: Sequence[OwnServer]) -> None:
        self.primaries = list(primaries)
        self.replicas = list(replicas)

    @property
    def nodes(self) -> list[tuple[str, int]]:
        return [("127.0.0.1", server.port) for server in (*self.primaries, *self.replicas)]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"{host}:{port}" for host, port in self.nodes)

    def fail_over(self, number: int) -> None:
        """Kill a primary, wait until its replica has taken its place, and start it again as a replica."""
        self.replace_primary(number)
        self.replicas[number].start()

    def replace_primary(self, number: int) -> None:
        """Kill a primary, and wait until its replica has taken its place."""
        victim, replica = self.primaries[number], self.replicas[number]
        victim.stop()
        with Redis(port=replica.port, decode_responses=True) as client:
            eventually(lambda: client.info("replication")["role"] == "master")
        self.primaries[number], self.replicas[number] = replica, victim

    def connect(self, timeout_s: float = TIMEOUT_S) -> Cluster:
        return Cluster(self.nodes, socket_timeout=timeout_s, socket_connect_timeout=timeout_s)


@contextmanager
def own_cluster(
    binary: Path, directory: Path, primaries: int = 3, replicas: int = 0, node_timeout_ms: int = 1000
) -> Iterator[OwnCluster]:
    """A cluster in which `replicas` servers follow each primary, and all know it.

    A node that is silent for longer than `node_timeout_ms` counts as dead, also if it only waits for the disk.
    """
    patience = ("--cluster-node-timeout", str(node_timeout_ms))
    with ExitStack() as stack:
        servers = [
            stack.enter_context(own_server(binary, directory / f"node-{number}", *NODE, *patience))
            for number in range(primaries * (1 + replicas))
        ]
        clients = [stack.enter_context(Redis(port=server.port, decode_responses=True)) for server in servers]
        for number, client in enumerate(clients[:primaries]):
            first, last = number * SLOTS // primaries, (number + 1) * SLOTS // primaries - 1
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
        for number, client in enumerate(clients):
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        for server in servers[1:]:
            clients[0].execute_command("CLUSTER MEET", "127.0.0.1", server.port)
        eventually(lambda: all(len(client.cluster("nodes")) == len(clients) for client in clients))
        for number, client in enumerate(clients[primaries:]):
            client.execute_command("CLUSTER REPLICATE", clients[number % primaries].execute_command("CLUSTER MYID"))
        eventually(lambda: all(_is_whole(client, primaries, replicas) for client in clients))
        yield OwnCluster(servers[:primaries], servers[primaries:])


def _is_whole(client: Redis, primaries: int, replicas: int) -> bool:
    info = client.cluster("info")
    ranges = client.execute_command("CLUSTER SLOTS")
    followed = [len(each) - 3 for each in ranges] if isinstance(ranges, list) else [replicas] * primaries
    is_up = info["cluster_state"] == "ok" and int(info["cluster_size"]) == primaries
    return is_up and followed == [replicas] * primaries
