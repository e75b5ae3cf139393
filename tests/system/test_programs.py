"""`plyscribe tournament run` with programs of one's own as entrants: real processes, killed, changed and pinned."""

import json
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from plyscribe.service.bridge.source import digest_files
from plyscribe.service.client import Client
from tests.system.running import PROGRAM, WITHIN_S, Serving, crash, environment, free_port, wait_for

BOT = """#!/usr/bin/env python3
import json, os, random, sys, time
seen = set()
for line in sys.stdin:
    asked = json.loads(line)
    if os.path.exists("die"):
        os.remove("die")
        sys.exit(3)
    seen.add(asked["match"])
    while len(seen) > 2 and os.path.exists("gate"):
        time.sleep(0.02)
    print(json.dumps({"id": asked["id"], "move": random.choice(asked["legal"])}), flush=True)
"""

"""It makes no move in a third match before the gate is open."""

TERMS = """
name = "Programs"
ruleset = "pathagon"
repeat = "rotations"
seed = 7
format = {kind = "round-robin"}
options = {size = 5, ply_limit = 40}
"""

ENTRANTS = """
[[entrants]]
command = ["python3", "alpha.py", "--key", "secret"]
name = "Alpha {number}"
version = "1.2"
build = ["alpha.py"]
options = {level = 3, risk = 0.5}
{pin}

[[entrants]]
command = ["./beta"]
name = "Beta {number}"
label = "Beta the second"

[[entrants]]
bot = "greedy"
"""

GAMES = 6
"""Of three entrants, each of whom meets the others on both seats."""


class Cup:
    """A folder with two bots and a file of a tournament."""

    def __init__(self, folder: Path, number: int, options: tuple[str, ...], terms: str = "", pin: str = "") -> None:
        self.folder, self._number, self._options = folder, number, options
        for name in ("alpha.py", "beta"):
            (folder / name).write_text(BOT)
            (folder / name).chmod(0o755)
        (folder / "gate").touch()
        self.write(terms, pin)
        self._runs: list[subprocess.Popen[str]] = []

    def write(self, terms: str = "", pin: str = "") -> None:
        entrants = ENTRANTS.replace("{number}", str(self._number)).replace("{pin}", pin)
        (self.folder / "cup.toml").write_text(TERMS + terms + entrants)

    def start(self) -> subprocess.Popen[str]:
        argv = [*PROGRAM, "tournament", "run", str(self.folder / "cup.toml"), *self._options]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self._runs.append(subprocess.Popen(argv, env=environment(), cwd=self.folder.parent, **pipes))
        return self._runs[-1]

    def run(self) -> tuple[int, str]:
        """The exit code and the output of a whole run."""
        running = self.start()
        output, _ = running.communicate(timeout=WITHIN_S)
        return running.returncode, output

    def open_gate(self) -> None:
        (self.folder / "gate").unlink()

    def list_accounts(self) -> dict[str, str]:
        """The accounts whose tokens are kept, by name."""
        kept = [json.loads(path.read_text()) for path in (self.folder.parent / "home" / "programs").glob("*.json")]
        return {each["name"]: each["player"] for each in kept if "player" in each}

    def close(self) -> None:
        for running in self._runs:
            running.kill()
            running.wait()
            if running.stdout is not None:
                running.stdout.close()


@pytest.fixture
def cup(service: Serving, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cup]:
    """A cup on the shared service, whose accounts have names of their own."""
    (tmp_path / "cup").mkdir()
    options = ("--url", service.url, "--token", service.admin_token, "--data", str(tmp_path / "home"))
    number = len(list(tmp_path.parent.glob("*")))
    ours = Cup(tmp_path / "cup", number, options)
    yield ours
    ours.close()


@pytest.fixture
def anyone(service: Serving) -> Iterator[Client]:
    with Client(service.url) as client:
        yield client


def find_tournament(client: Client, account: str) -> str:
    """The tournament of this account's newest match."""
    [row, *_] = client.matches(player=account)
    return str(row["tournament"])


def list_decided(client: Client, cup: Cup) -> list[dict[str, Any]]:
    """The decided games of the tournament, once there are accounts and a match."""
    accounts = list(cup.list_accounts().values())
    if not accounts or not list(client.matches(player=accounts[0])):
        return []
    rounds = client.rounds(find_tournament(client, accounts[0]))
    return [game for round in rounds for game in round["games"] if game["ranks"] is not None]


def kill_half_way(cup: Cup, client: Client) -> str:
    """Run the cup up to the last round, and kill the run. Returns the account of Alpha, which has two games left."""
    running = cup.start()
    wait_for(lambda: len(list_decided(client, cup)) == 4, why="the first four games")
    code, output = cup.run()
    assert (code, "is playing already: another command holds" in output) == (1, True), output
    running.kill()
    running.communicate()
    cup.open_gate()
    return cup.list_accounts()[f"Alpha {cup._number}"]


def builds_of(client: Client, account: str) -> dict[str, Any]:
    entrants = client.tournament(find_tournament(client, account))["entrants"]
    return next(each["builds"] for each in entrants if each.get("player") == account)


def test_a_cup_that_is_killed_goes_on_with_the_same_accounts_and_says_what_played(tmp_path: Path) -> None:
    (tmp_path / "cup").mkdir()
    port = free_port()
    cup = Cup(tmp_path / "cup", 1, ("--data", str(tmp_path / "home"), "--port", str(port)))
    try:
        running = cup.start()
        with Client(f"http://127.0.0.1:{port}", retry_for_s=0.0) as client:

            def has_begun() -> bool:
                try:
                    return bool(list_decided(client, cup))
                except httpx.TransportError:
                    return False

            wait_for(has_begun, why="the first games")
        crash(running)
        cup.open_gate()
        before = cup.list_accounts()
        assert sorted(before) == ["Alpha 1", "Beta 1"]
        code, output = cup.run()
        assert code == 0, output
        assert cup.list_accounts() == before
        for path in (tmp_path / "home" / "programs").glob("*.json"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for name, told in (("Alpha 1", "alpha.py 1.2"), ("Beta the second", "beta")):
            digest = digest_files([cup.folder / told.split()[0]])
            assert re.search(rf"{name} .* {told}, sha256 {digest} +4\n", output), output
        assert "secret" not in output
    finally:
        cup.close()


def test_a_program_that_changes_between_matches_is_noticed(cup: Cup, service: Serving, anyone: Client) -> None:
    alpha = kill_half_way(cup, anyone)
    (cup.folder / "alpha.py").write_text(BOT + "# better\n")
    code, output = cup.run()
    assert code == 0, output
    builds = builds_of(anyone, alpha)
    new = digest_files([cup.folder / "alpha.py"])
    assert builds["entered"]["digest"] == builds["played"][-1]["digest"] == new
    assert builds["entered"] == {"digest": new, "command": "alpha.py", "version": "1.2", "options": OPTIONS}
    assert len(builds["played"]) == 2
    assert builds["undeclared"] == 0
    page = httpx.get(f"{service.url}/tournaments/{find_tournament(anyone, alpha)}", timeout=WITHIN_S).text
    assert "changed from game" in page
    assert new[:16] in page


OPTIONS = {"level": 3, "risk": "0.5"}


def test_a_program_that_changes_during_a_match_is_declared_there_anew(cup: Cup, anyone: Client) -> None:
    running = cup.start()
    wait_for(lambda: len(list_decided(anyone, cup)) == 4, why="the first four games")
    (cup.folder / "alpha.py").write_text(BOT + "# better\n")
    (cup.folder / "beta").write_text(BOT + "# better, too\n")
    (cup.folder / "die").touch()
    cup.open_gate()
    output, _ = running.communicate(timeout=WITHIN_S)
    assert running.returncode == 0, output
    assert "died: exited with code 3" in output
    assert "the build has changed: " in output
    accounts = cup.list_accounts().values()
    changed = next(each for each in accounts if len(builds_of(anyone, each)["played"]) == 2)
    match = next(
        row["match"] for row in anyone.matches(player=changed) if len(own_builds(anyone, row["match"], changed)) == 2
    )
    assert anyone.record(match).count("after 1 other") == 1


def own_builds(client: Client, match: str, account: str) -> list[Any]:
    return next(seat["builds"] for seat in client.match(match)["seats"] if seat.get("player") == account)


def test_a_pinned_build_that_is_replaced_plays_no_more_until_it_is_back(cup: Cup, anyone: Client) -> None:
    pinned = digest_files([cup.folder / "alpha.py"])
    cup.write("is_open = true\n", f'digest = "{pinned}"')
    alpha = kill_half_way(cup, anyone)
    (cup.folder / "alpha.py").write_text(BOT + "# better\n")
    code, output = cup.run()
    assert (code, "the file pins the build" in output) == (1, True), output
    (cup.folder / "alpha.py").write_text(BOT)
    code, output = cup.run()
    assert code == 0, output
    builds = builds_of(anyone, alpha)
    assert builds["pinned"]
    assert [each["digest"] for each in builds["played"]] == [pinned]
    assert len(list_decided(anyone, cup)) == GAMES
