"""What an attacker finds at a service: a large round, a long match, and bundles of elsewhere."""

import random
from functools import cache

import httpx

from plyscribe.service.client import Client
from tests.abuse.attacks import Scene
from tests.domain.given import hot_seat
from tests.domain.matches import bundle_of
from tests.system.running import Serving, wait_for

ENTRANTS = 100
LONG_PLIES = 4000
BUNDLES, BUNDLE_PLIES = 4, 2500
WITHIN_S = 180.0


def build_scene(service: Serving) -> Scene:
    """A service with something to attack. What is made once and kept has been made."""
    for path in ("/openapi.yaml", "/docs"):
        httpx.get(service.url + path, timeout=WITHIN_S).raise_for_status()
    with Client(service.url, service.admin_token) as admin:
        tournament = _run_round(admin)
        bot = {"bot": "random"}
        options = {"ply_limit": LONG_PLIES, "size": 9}
        match = admin.create_match("pathagon", [bot, bot], options=options)["match"]
        wait_for(lambda: admin.tournament(tournament)["status"] == "ended", WITHIN_S, "the tournament's end")
        wait_for(
            lambda: admin.match(match)["status"] in ("ended", "verified", "scored"), WITHIN_S, "the long match's end"
        )
    bundles = [build_bundle(seed) for seed in range(BUNDLES)]
    return Scene(service.url, service.admin_token, tournament, match, bundles)


def _run_round(admin: Client) -> str:
    terms = {"name": "Large", "ruleset": "zhen", "options": {"tiles": 4, "cubes": 3}, "seed": 5}
    terms |= {"format": {"kind": "swiss", "rounds": 1}, "max_entrants": ENTRANTS}
    tournament = admin.create_tournament(terms)["tournament"]
    for _ in range(ENTRANTS):
        admin.enter(tournament, {"name": "random"})
    admin.start_tournament(tournament)
    return tournament


@cache
def build_bundle(seed: int) -> bytes:
    """A bundle of a long match of another server. Each seed gives another version of the same match."""
    rng, table = random.Random(seed), hot_seat("pathagon", options={"ply_limit": None, "size": 9})
    for _ in range(BUNDLE_PLIES):
        play = table.match.play
        assert play is not None
        moves = play.ruleset.legal_moves(play.state)
        if not moves:
            break
        table.play(play.ruleset.format_move(play.state, rng.choice(list(moves))))
    return bundle_of(table)
