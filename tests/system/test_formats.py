"""Each format runs to its end in real processes, and gives the same table whichever of them is killed."""

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from plyscribe.service.client import Client
from tests.system.running import Serving, serving
from tests.system.test_tournaments import admin_token

pytestmark = pytest.mark.server

BOTS = ({"name": "random"}, {"name": "greedy"}, {"name": "mcts", "playouts": 4})
FORMATS: tuple[dict[str, Any], ...] = (
    {"kind": "pyramid"},
    {"kind": "groups", "groups": 2},
    {"kind": "league", "next_round": "early"},
    {"kind": "ladder", "cooldown_days": 0},
)
ENTRANTS = 6
WITHIN_S = 240.0
PAUSE_S = 0.3
VICTIMS = ("tournament", "relay", "store")


def announce(service: Serving) -> list[str]:
    """A tournament of bots in each format, on a short track, not started yet."""
    made = []
    with Client(service.url, admin_token(service)) as olga:
        terms = {"ruleset": "zhen", "options": {"tiles": 8, "cubes": 8}, "seed": 11}
        for format in FORMATS:
            id = olga.create_tournament({**terms, "name": format["kind"], "format": format}, key=format["kind"])[
                "tournament"
            ]
            for number in range(ENTRANTS):
                olga.enter(id, {**BOTS[number % 3], "seed": number})
            made.append(id)
    return made


class Climbers:
    """Lets entrants on some rungs challenge those on others, one at a time, and then closes the ladder."""

    def __init__(self, olga: Client, ladder: str) -> None:
        self._olga = olga
        self._ladder = ladder
        self._left = [(6, 4), (5, 2), (4, 1), (3, 2)]

    def go_on(self) -> None:
        state = self._olga.tournament(self._ladder)
        if state["status"] != "playing" or state["closed"] or state["decided"] < state["games"]:
            return
        if not self._left:
            self._olga.close_ladder(self._ladder, "the season is over", key="close")
            return
        below, above = self._left.pop(0)
        on = {row["rung"]: row["entrant"] for row in self._olga.standings(self._ladder)["rows"]}
        self._olga.challenge(self._ladder, on[above], on[below], key=f"{below}-{above}")


def play_out(service: Serving, ids: list[str], kill: bool) -> list[Any]:
    """Run all tournaments to their ends, killing processes on the way, and return their tables."""
    with Client(service.url, admin_token(service)) as olga:
        for id in ids:
            olga.start_tournament(id, key=f"start-{id}")
        climbers, victims = Climbers(olga, ids[-1]), list(VICTIMS) if kill else []
        deadline = time.monotonic() + WITHIN_S
        while any(olga.tournament(id)["status"] == "playing" for id in ids):
            assert time.monotonic() < deadline, [olga.tournament(id) for id in ids]
            climbers.go_on()
            time.sleep(PAUSE_S)
            if victims:
                service.kill(victims.pop())
        return [olga.standings(id)["rows"] for id in ids]


def test_each_format_gives_the_same_table_whatever_is_interrupted(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    with serving(first) as service:
        ids = announce(service)
    shutil.copytree(first, second)
    with serving(first) as service:
        undisturbed = play_out(service, ids, kill=False)
    with serving(second) as service:
        killed = play_out(service, ids, kill=True)
    assert killed == undisturbed
    assert all(len(rows) == ENTRANTS for rows in killed)
