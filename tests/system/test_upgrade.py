"""A rolling upgrade: processes of the release before this one work beside ours on one store, until it is finished."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from plyscribe import __version__
from plyscribe.domain.layouts import NEWEST
from plyscribe.service.client import Client, Problem
from plyscribe.service.processes.children import PAUSE_FIRST
from plyscribe.service.processes.embedded import find_running
from plyscribe.service.store.layouts import LAYOUT_KEY
from plyscribe.service.store.redis import connect_client
from tests.system.programs import KEY, ROOT, WITHIN_S, environment, run_cli
from tests.system.running import Serving, free_port, is_ready, pair, serving, wait_for, wait_until_scored

[WHEEL] = (ROOT / "tests" / "releases").glob("*.whl")
BEFORE = WHEEL.name.split("-")[1]
"""The release before this one, as it was built."""

SHORT = {"tiles": 6, "cubes": 6, "ply_limit": 20}
GROWING = {"match_ms": 600_000, "increment_ms": 5_000}
WORKERS = ("relay", "verify", "play")


class Machine:
    """Programs of one release on one store: an API, and one of each worker, or what is said to them."""

    def __init__(self, folder: Path, code: Path, **settings: str) -> None:
        self.folder = folder
        self.env = {**environment(**settings), "PYTHONPATH": str(code)}
        del self.env["PLYSCRIBE_RULESETS"]
        self.folder.mkdir()
        self.url = ""
        self._stack = ExitStack()

    @contextmanager
    def _running(self, name: str, *argv: str) -> Iterator[subprocess.Popen[bytes]]:
        with (self.folder / f"{name}.log").open("wb") as log:
            command = [sys.executable, "-m", *argv]
            child = subprocess.Popen(command, env=self.env, cwd=self.folder, stdout=log, stderr=log)
        try:
            yield child
        finally:
            child.terminate()
            child.wait(WITHIN_S)

    def say(self, *argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", *argv]
        return subprocess.run(command, env=self.env, cwd=self.folder, capture_output=True, text=True, timeout=WITHIN_S)

    def start(self) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        for worker in WORKERS:
            self._stack.enter_context(self._running(worker, "plyscribe.workers", worker))
        self._stack.enter_context(self._running("web", "plyscribe", "web", "--port", str(port)))
        wait_for(lambda: is_ready(self.url), why=f"the API of {self.folder.name}")

    def stop(self) -> None:
        self._stack.close()


@pytest.fixture
def machines(redis_url: str, tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    """The release before this one and ours, on one store and one read database. Nothing runs yet."""
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--target", tmp_path / "code", WHEEL], check=True)
    settings = {
        "REDIS_URL": redis_url,
        "PLYSCRIBE_SERVER_KEY": KEY,
        "PLYSCRIBE_SIGN_UP": "open",
        "PLYSCRIBE_READ_URL": f"sqlite:///{tmp_path / 'read.db'}",
    }
    old = Machine(tmp_path / "old", tmp_path / "code", **settings)
    new = Machine(tmp_path / "new", ROOT, **settings)
    try:
        yield old, new
    finally:
        new.stop()
        old.stop()


def upgrade(machine: Machine, *options: str) -> tuple[int, dict[str, Any]]:
    said = machine.say("plyscribe", "upgrade", "--json", *options)
    assert said.stdout, said.stderr
    return said.returncode, json.loads(said.stdout)


def list_kinds(said: dict[str, Any]) -> set[tuple[str, str]]:
    return {(each["release"], each["kind"]) for each in said["processes"]}


def play(one: Client, other: Client, match: str) -> None:
    """Play on, each seat by way of its own client."""
    while seat := one.match(match)["turn"].get("decision"):
        mover = (one, other)[seat - 1]
        mover.move(match, mover.legal_moves(match)[0])


def test_two_releases_play_together_until_the_upgrade_is_finished(machines: tuple[Machine, Machine]) -> None:
    old, new = machines
    assert __version__ != BEFORE
    old.start()
    with ExitStack() as stack:
        both = stack.enter_context(pair(old.url))
        begun = both.open_match("zhen", options=SHORT)

        new.start()
        here = stack.enter_context(pair(new.url, both.accounts))
        (ann, ben), renewed = both.clients, here.clients

        # Each match is moved in by both releases, whoever created it, and bots of both reply.
        made = here.open_match("zhen", options=SHORT, limits={"match_ms": 600_000})
        play(renewed[0], ben, begun)
        play(ann, renewed[1], made)
        bots = [
            client.create_match("zhen", [{"bot": "greedy"}] * 2, options=SHORT)["match"] for client in (ann, renewed[1])
        ]
        for match in (begun, made, *bots):
            wait_until_scored(ann, match)
            assert list(ann.events(match)) == list(renewed[0].events(match))

        # What the older release could not read is refused, and the store is as it was.
        impatient = stack.enter_context(Client(new.url, renewed[1].token, retry_for_s=0))
        for seat in ({"player": here.ids[1]}, {"bot": "greedy"}):
            with pytest.raises(Problem) as refused:
                impatient.create_match("zhen", [seat, None], limits=GROWING)
            assert (refused.value.status, refused.value.code) == (503, "upgrade/unfinished")
        ended, said = upgrade(new)
        assert (ended, said["layout"], said["newest_layout"]) == (0, 1, NEWEST)
        both_releases = {(release, kind) for release in (BEFORE, __version__) for kind in (*WORKERS, "web")}
        wait_for(lambda: list_kinds(upgrade(new)[1]) == both_releases, why="all processes of both releases")
        ended, said = upgrade(new, "--finish")
        assert (ended, said["layout"]) == (1, 1), "processes of the older release are at work"

        last = both.open_match("zhen", options=SHORT)
        old.stop()
        ended, said = upgrade(new, "--finish")
        assert (ended, said["layout"]) == (0, NEWEST)
        assert {each["release"] for each in said["processes"]} == {__version__}

        # Now it is stored, and what was begun goes on.
        grown = here.open_match("zhen", options=SHORT, limits=GROWING)
        for match in (last, grown):
            play(*renewed, match)
            wait_until_scored(renewed[0], match)
        assert renewed[0].match(grown)["limits"]["increment_ms"] == GROWING["increment_ms"]

    for argv in (("plyscribe", "web", "--port", str(free_port())), ("plyscribe.workers", "verify")):
        back = old.say(*argv)
        assert back.returncode == PAUSE_FIRST
        assert "a newer release of Plyscribe wrote this store" in back.stderr
    assert "a newer release" in old.say("plyscribe", "upgrade").stderr


def said_by(service: Serving) -> str:
    """What `serve` has printed by the end of its start."""
    wait_for(lambda: "Plyscribe serves at" in service.output.read_text(), why="the start")
    said = service.output.read_text()
    service.output.write_text("")
    return said


def test_serve_says_that_an_upgrade_is_to_be_finished(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data) as service, connect_client(find_running(data / "store")) as store:
        assert "upgrade" not in said_by(service)
        store.execute_command("SET", LAYOUT_KEY, NEWEST - 1)
    with serving(data) as service:
        assert "run `plyscribe upgrade --finish`" in said_by(service)
        finished = run_cli("upgrade", "--finish", "--data", str(data))
        assert f"The data has layout {NEWEST}" in finished.stdout
    with serving(data) as service:
        assert "upgrade" not in said_by(service)
