"""One account with many matches of slow bots: the bots of others, tournaments and imports go on meanwhile."""

import pytest

from plyscribe.service.client import Client
from tests.service.test_imports_api import Elsewhere
from tests.system.running import open_account, serving, wait_for
from tests.system.test_tournaments import admin_token

pytestmark = pytest.mark.server

SLOW = {"bot": "mcts", "playouts": 600}
MATCHES = 20
ANSWERS = 3


def count_commands(client: Client, matches: list[str]) -> int:
    """How many commands of built-in bots are stored in these matches."""
    return len({event["cause"] for match in matches for event in client.events(match) if event["by"] == "system:play"})


def test_the_bots_of_others_do_not_wait_for_all_bots_of_one_account(tmp_path):
    with (
        serving(tmp_path / "data") as service,
        Client(service.url) as anyone,
        Client(service.url, open_account(anyone, "Max")["token"]) as max_,
        Client(service.url, open_account(anyone, "Ann")["token"]) as ann,
        Client(service.url, admin_token(service)) as olga,
    ):
        many = [max_.create_match("pathagon", [SLOW, SLOW])["match"] for _ in range(MATCHES)]
        wait_for(lambda: count_commands(max_, many) >= 3, why="moves in the matches of the other account")

        elsewhere = Elsewhere()
        imported = ann.import_bundle(elsewhere.bundle(elsewhere.play()))["address"]
        cup = olga.create_tournament({"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}})[
            "tournament"
        ]
        for bot in ("random", "greedy", "random"):
            olga.enter(cup, {"name": bot})
        olga.start_tournament(cup)

        match = ann.create_match("zhen", [{"player": ann.me()["player"]}, {"bot": "greedy"}])["match"]
        before = count_commands(max_, many)
        for _ in range(ANSWERS):
            ann.move(match, ann.legal_moves(match)[0])
            wait_for(lambda: ann.match(match)["turn"] == {"decision": 1}, why="the answer of the bot")
        meanwhile = count_commands(max_, many) - before
        assert 0 < meanwhile < ANSWERS * MATCHES / 2

        wait_for(lambda: ann.imported(imported)["status"] == "verified", why="the verdict on the import")
        wait_for(lambda: olga.tournament(cup)["status"] == "ended", why="the end of the tournament")
        after = count_commands(max_, many)
        wait_for(lambda: count_commands(max_, many) > after, why="the next move of the other account")
