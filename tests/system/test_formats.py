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
    """Has the lowest entrants of the ladder challenge those above, one challenge after the other, and closes it."""

    def __init__(self, olga: Client, ladder: str) -> None:
        self._olga = olga
        self._path = f"/v1/tournaments/{ladder}"
        self._ladder = ladder
        self._left = [(6, 3), (5, 2), (4, 1), (3, 2)]

    def go_on(self) -> None:
        state = self._olga.tournament(self._ladder)
        if state["status"] != "playing" or state["decided"] < state["games"]:
            return
        if self._left:
            challenger, challenged = self._left[0]
            if self._send("/challenges", {"entrant": challenger, "opponent": challenged}):
                self._left.pop(0)
        else:
            self._send("/close", {"why": "the season is over"})

    def _send(self, path: str, body: dict[str, Any]) -> bool:
        """Whether it is done. A challenge that the rungs no longer allow is left out."""
        number = 4 - len(self._left)
        answered = self._olga.request("POST", self._path + path, json=body, key=f"{path}-{number}")
        return answered is not None


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
