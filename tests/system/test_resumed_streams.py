"""Live streams behind a balancer, whose API processes die: what was at one process goes on at another."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from plyscribe.service.client import Client
from tests.system.followers import Crowd, read_inbox
from tests.system.lines import Line
from tests.system.programs import run_cli
from tests.system.running import KEY, free_port, is_ready, pair, process, wait_for

FOLLOWERS = 3


class Nodes:
    """Two API processes and a relay on one store."""

    def __init__(self, redis_url: str, folder: Path, stack: ExitStack) -> None:
        read = f"sqlite:///{folder / 'read.db'}"
        self._env = {"REDIS_URL": redis_url, "PLYSCRIBE_READ_URL": read, "PLYSCRIBE_SIGN_UP": "open"}
        self._stack = stack
        self.ports = [free_port() for _ in range(2)]
        self._running = {port: self._start(port) for port in self.ports}
        stack.enter_context(process("-m", "plyscribe.workers", "relay", **self._env))
        for number in range(2):
            self.wait_for(number)

    def url(self, number: int) -> str:
        return f"http://127.0.0.1:{self.ports[number]}"

    def kill(self, number: int) -> None:
        child = self._running[self.ports[number]]
        child.kill()
        child.wait()

    def restart(self, number: int) -> None:
        self._running[self.ports[number]] = self._start(self.ports[number])
        self.wait_for(number)

    def wait_for(self, number: int) -> None:
        wait_for(lambda: is_ready(self.url(number)), why=self.url(number))

    def issue_token(self) -> str:
        added = run_cli("add-player", "Olga", "--scope", "organise", PLYSCRIBE_SERVER_KEY=KEY, **self._env)
        return added.stdout.split()[1]

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        argv = "-m", "plyscribe", "web", "--port", str(port)
        return self._stack.enter_context(process(*argv, **self._env))


@pytest.fixture
def nodes(redis_url: str, tmp_path: Path) -> Iterator[Nodes]:
    with ExitStack() as stack:
        yield Nodes(redis_url, tmp_path, stack)


def announce(organiser: Client) -> str:
    made = organiser.create_tournament({"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}})
    return made["tournament"]


def test_every_kind_of_stream_goes_on_at_another_process_and_misses_nothing(nodes: Nodes) -> None:
    with ExitStack() as stack:
        line = stack.enter_context(Line(*nodes.ports))
        # The balancer takes the first process that lives. All requests but those of followers go to the second one.
        balancer = f"http://127.0.0.1:{line.port}"
        both = stack.enter_context(pair(nodes.url(1)))
        organiser = stack.enter_context(Client(nodes.url(1), nodes.issue_token()))
        watcher = stack.enter_context(Client(balancer))
        ann = both.clients[0]
        match, cup = both.open_match("zhen"), announce(organiser)

        def list_all() -> dict[str, list[int]]:
            """The ids of all that was told so far, by path."""
            versions = [event["version"] for event in ann.events(match)]
            return {
                f"/v1/matches/{match}/events": versions,
                f"/v1/matches/{match}/events?include=effects": versions,
                f"/v1/tournaments/{cup}/events": list(range(1, organiser.tournament(cup)["version"] + 1)),
                "/v1/players/me/events": [entry["id"] for entry in read_inbox(ann)],
            }

        crowds = {path: stack.enter_context(Crowd(balancer, path, FOLLOWERS, ann.token)) for path in list_all()}
        changes = watcher.follow_matches(after=0)
        gap, *seen = [next(changes), next(changes)]
        assert gap["type"] == "gap"

        def go_on() -> None:
            before = ann.newest_in_inbox()
            both.move(match)
            both.move(match)
            organiser.enter(cup, {"name": "random"})
            wait_for(lambda: ann.newest_in_inbox() > before, why="a letter")
            wait_for(lambda: all(crowds[path].have(ids) for path, ids in list_all().items()), why="all that was told")

        go_on()
        nodes.kill(0)
        go_on()
        nodes.restart(0)
        # Now all are at the second process.
        nodes.kill(1)
        nodes.restart(1)
        go_on()
        assert min(stream.connections for crowd in crowds.values() for stream in crowd.streams) >= 3
        wanted = [event["version"] for event in ann.events(match)]
        while (versions := list_versions(seen)) != wanted:
            assert versions == wanted[: len(versions)]
            seen.append(next(changes))


def list_versions(changes: list) -> list[int]:
    return [event["version"] for change in changes for event in change["events"]]
