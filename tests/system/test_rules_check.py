"""`plyscribe rules check` with its worker processes: over a store, over bundles, interrupted, killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plyscribe.domain.record import parse_record
from plyscribe.service.composition import Parts, compose
from plyscribe.service.processes.checkers import Asked, Checkers, list_bundles
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.web.app import create_app
from tests.domain.toy_v2 import registered_beside
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_imports_api import bundle_of
from tests.service.test_ruleset_versions import SIX_HOLDS, TOO_MUCH, Tables
from tests.system.programs import PROGRAM, find_processes
from tests.system.running import KEY, WITHIN_S, environment, wait_for

TOYS = "tests.domain.toy:TOY_V1,tests.domain.toy_v2:TOY_V2"
CANDIDATES = """\
import os
from tests.domain.toy import ToyV1

class Endless(ToyV1):
    def apply_move(self, state, move):
        while True:
            pass

class Deadly(ToyV1):
    def apply_move(self, state, move):
        os._exit(3)

ENDLESS, DEADLY = Endless(), Deadly()
"""


def record(parts: Parts) -> list[str]:
    """Three matches of the toy's first version, the last of which the second one does not allow."""
    tables = Tables(Api(create_app(parts)))
    matches = []
    for moves in (["hold"], ["push", "hold"], [*SIX_HOLDS, TOO_MUCH]):
        matches.append(tables.open(1))
        tables.play(matches[-1], *moves)
    return matches


class Place:
    """A directory to work in, with candidates, bundles of the matches, and a directory for what is temporary."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.temporary = path / "tmp"
        self.temporary.mkdir()
        (path / "mine.py").write_text(CANDIDATES)
        (path / "bundles").mkdir()
        parts = compose(CONFIG, MemoryStore())
        self.matches = record(parts)
        for number, match in enumerate(self.matches):
            (path / "bundles" / str(number)).write_bytes(bundle_of(parts, match))

    def start(self, *asked: str, **environ: str) -> subprocess.Popen[str]:
        env = environment(PLYSCRIBE_RULESETS=TOYS, TMPDIR=str(self.temporary), **environ)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([*PROGRAM, "rules", "check", "toy", *asked], cwd=self.path, env=env, **pipes)

    def run(self, *asked: str, **environ: str) -> tuple[int, str, str]:
        process = self.start(*asked, **environ)
        out, err = process.communicate(timeout=4 * WITHIN_S)
        assert self.processes() == []
        assert list(self.temporary.iterdir()) == []
        return process.returncode, out, err

    def processes(self) -> list[int]:
        """The living processes that were started here."""
        return find_processes(f"TMPDIR={self.temporary}", "environ")

    def await_work(self) -> None:
        """Wait until a worker replays a match, which shows in its processor time."""
        wait_for(lambda: any(map(_has_worked, self.processes())), 4 * WITHIN_S, "a worker at work")


def _has_worked(pid: int) -> bool:
    try:
        is_worker = b"workers\0check" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return False
    return is_worker and ticks > 3 * os.sysconf("SC_CLK_TCK")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with registered_beside():
        yield Place(tmp_path)


def test_bundles_are_checked_without_any_store(place):
    code, out, _ = place.run("--bundles", "bundles", "--json")
    told, summary = map(json.loads, out.splitlines())
    assert code == 1
    assert (told["match"], told["difference"]["clause"]) == (place.matches[2], "TO12")
    assert (summary["version"], summary["replayed"], summary["differs"]) == (2, 3, 1)
    [smallest] = summary["smallest"]
    assert (smallest["match"], smallest["difference"]["clause"]) == (place.matches[2], "TO12")
    assert len(parse_record(smallest["record"]).steps) <= smallest["steps_before"] == 7


def test_nothing_is_shrunk_on_request(place):
    code, out, _ = place.run("--bundles", "bundles", "--json", "--no-shrink", "--workers", "1")
    assert (code, json.loads(out.splitlines()[-1])["smallest"]) == (1, [])


def test_the_store_is_only_read(place, tmp_path):
    with start_server(tmp_path / "store") as server, connect_client(server.url, 60.0) as client:
        record(compose(CONFIG, RedisStore(client)))
        before = {key: client.dump(key) for key in client.scan_iter()}
        environ = {"REDIS_URL": server.url, "PLYSCRIBE_SERVER_KEY": KEY}
        assert place.run("--version", "1", **environ)[0] == 0
        assert place.run("--version", "2", **environ)[0] == 1
        assert {key: client.dump(key) for key in client.scan_iter()} == before


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_check_leaves_nothing_behind(place, signum):
    process = place.start("--bundles", "bundles", "--candidate", "mine:ENDLESS")
    place.await_work()
    process.send_signal(signum)
    _, err = process.communicate(timeout=4 * WITHIN_S)
    assert (process.returncode, err) == (130, "stopped after 0 matches\n")
    assert place.processes() == []
    assert list(place.temporary.iterdir()) == []


def test_a_check_stops_though_what_the_signal_raised_got_lost(place):
    parts = list_bundles(place.path / "bundles")
    with Checkers(1, {}, lambda: True) as checkers, pytest.raises(KeyboardInterrupt):
        list(checkers.check(Asked("toy"), parts))


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends the children of a killed process on Linux alone")
def test_a_killed_check_leaves_no_process_behind(place):
    process = place.start("--bundles", "bundles", "--candidate", "mine:ENDLESS")
    place.await_work()
    process.kill()
    process.communicate(timeout=4 * WITHIN_S)
    wait_for(lambda: not place.processes(), why="no process")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["--candidate", "mine:DEADLY"], "a worker process ended during the check"),
        (["--candidate", "mine:NOBODY"], "--candidate names 'mine:NOBODY', which cannot be loaded"),
        (["--version", "9"], "unknown ruleset 'toy version 9'"),
        (["--version", "1", "--candidate", "mine:ENDLESS"], "not both"),
    ],
)
def test_a_check_that_cannot_be_made_says_why(place, asked, why):
    code, out, err = place.run("--bundles", "bundles", *asked)
    assert (code, out) == (2, "")
    assert why in err
