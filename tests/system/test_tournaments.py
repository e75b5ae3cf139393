"""A tournament runs by itself, and goes as it would have, whichever process is killed."""

import random
import shutil
import time
from pathlib import Path
from typing import Any

from plyscribe.service.client import Client
from tests.system.programs import run_cli
from tests.system.running import WITHIN_S, Serving, free_port, serving, wait_for

ENTRANTS = 15
GAMES = ENTRANTS * (ENTRANTS - 1)
"""Each pair plays with the seats both ways round: 210 matches."""

BOTS = ({"name": "random"}, {"name": "greedy"}, {"name": "mcts", "playouts": 4})
VICTIMS = ("tournament", "verify", "play", "relay", "store", "web")
KILLS = 20
"""At most four of each kind: a process that dies eight times within half a minute is given up."""

PAUSE_S = 0.4


def announce(service: Serving, entrants: int) -> str:
    """A tournament of bots on a short track, with its entrants, not started yet."""
    with Client(service.url, service.admin_token) as olga:
        terms = {"name": "Night cup", "ruleset": "zhen", "options": {"tiles": 8, "cubes": 8}, "repeat": "rotations"}
        made = olga.create_tournament({**terms, "format": {"kind": "round-robin"}, "seed": 11}, key="cup")
        for number in range(entrants):
            olga.enter(made["tournament"], {**BOTS[number % 3], "seed": number})
        return made["tournament"]


def play_out(service: Serving, tournament: str, rng: random.Random | None) -> dict[str, Any]:
    """Run the tournament to its end, killing random processes on the way, and return its results."""
    with Client(service.url, service.admin_token) as olga:
        olga.start_tournament(tournament, key="start")
        kills, victims = 0, []
        deadline = time.monotonic() + WITHIN_S
        while olga.tournament(tournament)["status"] == "playing":
            assert time.monotonic() < deadline, olga.tournament(tournament)
            time.sleep(PAUSE_S)
            if rng is not None and kills < KILLS:
                # Each once, in random order, then again.
                victims = victims or rng.sample(VICTIMS, len(VICTIMS))
                service.kill(victims.pop())
                kills += 1
        assert rng is None or kills >= len(VICTIMS)
        rounds = olga.rounds(tournament)
        matches = [olga.match(game["match"]) for round in rounds for game in round["games"]]
        wait_for(lambda: all(olga.match(each["match"])["status"] == "scored" for each in matches), why="all scores")
        played = [(each["match"], each["seats"], each["moves"], each["outcome"]) for each in matches]
        for each in matches:
            assert [event["type"] for event in olga.events(each["match"])].count("match-verified") == 1
        return {"rounds": rounds, "matches": played}


def test_a_tournament_goes_as_it_would_have_whichever_process_is_killed(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    with serving(first) as service:
        tournament = announce(service, ENTRANTS)
    shutil.copytree(first, second)
    with serving(first) as service:
        undisturbed = play_out(service, tournament, None)
    with serving(second) as service:
        killed = play_out(service, tournament, random.Random(1))
    assert len(undisturbed["matches"]) == GAMES
    assert killed == undisturbed


CUP = """
name = "Small cup"
ruleset = "zhen"
seed = 3
options = {tiles = 4, cubes = 3}
format = {kind = "swiss", rounds = 3}
entrants = [{bot = "random"}, {bot = "greedy", label = "one ahead"}, {bot = "mcts", playouts = 4}, {bot = "random"}]
"""


def test_a_file_of_terms_is_enough_to_run_a_tournament(tmp_path: Path):
    terms = tmp_path / "cup.toml"
    terms.write_text(CUP, encoding="utf-8")
    argv = ("tournament", "run", str(terms), "--data", str(tmp_path / "data"), "--port", str(free_port()))
    first, again = (run_cli(*argv) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert "one ahead" in first.stdout
    assert again.stdout.splitlines()[-4:] == first.stdout.splitlines()[-4:]
