"""A network that breaks between processes of the service and their store: cut, so that all are told, or silent."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path

import httpx
import pytest
from redis import Redis

from plyscribe.service.client import Client
from plyscribe.service.processes.embedded import find_binary
from plyscribe.service.store.leases import OWNERS
from plyscribe.service.store.redis import connect
from tests.store.own_servers import OwnServer, own_server
from tests.system.followers import read_inbox
from tests.system.lines import Line
from tests.system.running import WITHIN_S, Pair, is_ready, pair, process, wait_for, wait_until_scored, web

DURABLE = "--appendonly", "yes", "--appendfsync", "always"
MATCHES = 6


class Site:
    """Processes of a service, each with a line of its own to the store."""

    def __init__(self, store: OwnServer, folder: Path, stack: ExitStack, **env: str) -> None:
        self.store = store
        self._stack = stack
        self._env = {"PLYSCRIBE_READ_URL": f"sqlite:///{folder / 'read.db'}", "PLYSCRIBE_SIGN_UP": "open", **env}

    def start(self, *argv: str) -> Line:
        """Start a process; what is returned is its line."""
        line = self._stack.enter_context(Line(self.store.port))
        url = f"redis://127.0.0.1:{line.port}"
        self._stack.enter_context(process("-m", *argv, REDIS_URL=url, **self._env))
        return line

    def start_web(self) -> tuple[str, Line]:
        line = self._stack.enter_context(Line(self.store.port))
        _, url = self._stack.enter_context(web(f"redis://127.0.0.1:{line.port}", **self._env))
        return url, line


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def site(tmp_path: Path, stack: ExitStack) -> Site:
    store = stack.enter_context(own_server(find_binary().path, tmp_path / "store", *DURABLE))
    return Site(store, tmp_path, stack)


def list_owners(client: Redis) -> list[bytes]:
    return client.hvals(OWNERS)


def play_some(both: Pair) -> list[str]:
    matches = [both.open_match("toy", rated=True) for _ in range(MATCHES)]
    for match in matches:
        both.play_out(match)
    return matches


@pytest.mark.parametrize("trouble", [Line.cut, Line.block])
def test_another_relay_takes_over_from_one_that_is_cut_off_and_nothing_is_handled_twice(
    site: Site, trouble: Callable[[Line], None]
) -> None:
    url, _ = site.start_web()
    site.start("plyscribe.workers", "verify")
    lonely = site.start("plyscribe.workers", "relay")
    with Redis(port=site.store.port) as client, pair(url) as both:
        wait_for(lambda: len(list_owners(client)) == 64, why="the first relay")
        [first] = set(list_owners(client))
        site.start("plyscribe.workers", "relay")
        wait_for(lambda: len(set(list_owners(client))) == 2, why="two relays")
        matches = play_some(both)
        trouble(lonely)
        matches += play_some(both)
        wait_for(lambda: set(list_owners(client)) == {client.hget(OWNERS, "0")} - {first}, why="one relay")
        wait_until_scored(both.clients[0], *matches)
        lonely.mend()
        wait_for(lambda: first in list_owners(client), why="the return of the first relay")
        matches += play_some(both)
        wait_until_scored(both.clients[0], *matches)
        ann = both.clients[0]
        for match in matches:
            types = [event["type"] for event in ann.events(match)]
            assert [types.count(each) for each in ("match-verified", "match-scored")] == [1, 1]
        wait_for(lambda: set(list_ended(ann)) == set(matches), why="all letters")
        assert len(list_ended(ann)) == len(matches), "each player is told once of each match"


def list_ended(client: Client) -> list[str]:
    """The matches of whose end the inbox tells."""
    return [str(entry["match"]) for entry in read_inbox(client) if entry["type"] == "match-ended"]


class Mover:
    """Sends the same move again and again, with the same key."""

    def __init__(self, url: str, both: Pair) -> None:
        self.match = both.open_match("zhen")
        self._both = both
        self._path = f"{url}/v1/matches/{self.match}/moves"
        self._keys = count()
        self.renew()

    def renew(self) -> None:
        """The next move is another one."""
        ann = self._both.clients[0]
        seat, move = ann.match(self.match)["turn"]["decision"], ann.legal_moves(self.match)[0]
        token = self._both.clients[seat - 1].token
        self._headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": f"key-{next(self._keys)}"}
        self._move = {"move": move}

    def send(self) -> httpx.Response:
        return httpx.post(self._path, json=self._move, headers=self._headers, timeout=WITHIN_S)

    def count_moves(self) -> int:
        return [event["type"] for event in self._both.clients[0].events(self.match)].count("move-made")


@pytest.mark.parametrize("trouble", [Line.cut, Line.block])
def test_an_api_process_without_its_store_says_so_and_goes_on_by_itself(
    site: Site, trouble: Callable[[Line], None]
) -> None:
    url, line = site.start_web()
    with pair(url) as both:
        mover = Mover(url, both)
        trouble(line)
        refused = mover.send()
        assert (refused.status_code, refused.json()["code"]) == (503, "store/unavailable")
        assert httpx.get(f"{url}/readyz", timeout=WITHIN_S).status_code == 503
        assert httpx.get(f"{url}/healthz", timeout=WITHIN_S).status_code == 200
        line.mend()
        wait_for(lambda: is_ready(url), why="its return")
        assert mover.send().is_success
        # What was sent into the silence arrives late, and is known by then.
        assert mover.send().is_success
        assert mover.count_moves() == 1


@pytest.mark.parametrize("trouble", [Line.cut, Line.block])
def test_a_primary_that_is_cut_off_from_its_replica_answers_no_move_until_the_replica_has_it(
    tmp_path: Path, stack: ExitStack, trouble: Callable[[Line], None]
) -> None:
    binary = find_binary().path
    quick = "--repl-timeout", "3", "--repl-ping-replica-period", "1"
    primary = stack.enter_context(own_server(binary, tmp_path / "primary", *DURABLE, *quick))
    line = stack.enter_context(Line(primary.port))
    follow = "--replicaof", f"127.0.0.1 {line.port}"
    replica = stack.enter_context(own_server(binary, tmp_path / "replica", *DURABLE, *quick, *follow))
    wait_for(lambda: count_replicas(primary) == 1, why="the replica")
    url, _ = Site(primary, tmp_path, stack, PLYSCRIBE_REPLICAS="1").start_web()
    with pair(url) as both:
        mover = Mover(url, both)
        assert mover.send().is_success
        trouble(line)
        mover.renew()
        refused = mover.send()
        assert (refused.status_code, refused.json()["code"]) == (503, "store/unavailable")
        wait_for(lambda: not is_ready(url), why="the API to say so")
        line.mend()
        wait_for(lambda: is_ready(url), why="its return")
        assert mover.send().is_success
        assert mover.count_moves() == 2
        with closing(connect(primary.url, 60.0)) as here, closing(connect(replica.url, 60.0)) as there:
            assert there.load(mover.match).entries == here.load(mover.match).entries


def count_replicas(primary: OwnServer) -> int:
    with Redis(port=primary.port) as client:
        told = client.info("replication")
        return sum(isinstance(said, dict) and said.get("state") == "online" for said in told.values())
