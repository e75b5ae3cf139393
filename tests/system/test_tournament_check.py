"""`plyscribe tournament check` on what a real server exports: each format, with and without openings."""

import time

import httpx
import pytest
from click.testing import CliRunner

from plyscribe.service.cli.__main__ import cli
from plyscribe.service.client import Client
from tests.system.test_tournaments import admin_token

pytestmark = pytest.mark.server

ZHEN = {"ruleset": "zhen", "options": {"tiles": 4, "cubes": 3}}
CUPS = {
    "round robin": ({**ZHEN, "format": {"kind": "round-robin", "cycles": 2}, "repeat": "rotations"}, 5),
    "round robin with openings": ({**ZHEN, "format": {"kind": "round-robin"}, "openings": [["+1"], ["+2"]]}, 4),
    "pods": ({"ruleset": "crystals", "seats": 3, "format": {"kind": "round-robin"}}, 4),
    "swiss": ({**ZHEN, "format": {"kind": "swiss", "rounds": 3}}, 7),
    "knockout": ({**ZHEN, "format": {"kind": "knockout", "lives": 2}}, 5),
    "gauntlet": ({**ZHEN, "format": {"kind": "gauntlet", "cycles": 2}}, 4),
    "test": ({**ZHEN, "format": {"kind": "round-robin", "cycles": 3}, "sprt": {"elo0": "0", "elo1": "200"}}, 2),
}
WITHIN_S = 120.0


def test_every_export_of_the_api_checks(service, tmp_path):
    with Client(service.url, admin_token(service)) as olga:
        cups = {}
        for name, (terms, entrants) in CUPS.items():
            cups[name] = olga.create_tournament({"name": name, "seed": 5, **terms})["tournament"]
            for _ in range(entrants):
                olga.enter(cups[name], {"name": "random"})
            olga.start_tournament(cups[name])
        deadline = time.monotonic() + WITHIN_S
        for name, cup in cups.items():
            while olga.tournament(cup)["status"] != "ended":
                assert time.monotonic() < deadline, name
                time.sleep(0.2)
            answer = httpx.get(
                f"{service.url}/v1/tournaments/{cup}/events", headers={"Accept": "application/x-ndjson"}, timeout=60
            )
            path = tmp_path / f"{cup}.ndjson"
            path.write_bytes(answer.content)
            checked = CliRunner().invoke(cli, ["tournament", "check", str(path)])
            assert checked.exit_code == 0, (name, checked.output)
            rounds = {each["round"] for each in olga.rounds(cup)}
            assert checked.output.count("the same pairing again") == len(rounds) > 0, name
