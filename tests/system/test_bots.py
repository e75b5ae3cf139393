"""Built-in bots in real processes: against a person, alone, and killed at any time."""

import random
import time

import pytest

from plyscribe.domain.bots import choose_move
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.client import Client
from tests.system.running import pair, serving, status_of, wait_for

pytestmark = pytest.mark.server

VICTIMS = ("play", "relay", "store", "web")
BOTS = [{"bot": "random"}, {"bot": "greedy"}, {"bot": "mcts", "playouts": 4}]


def expected_moves(match: dict) -> list[str]:
    """The moves of the bots in a match without dice, computed from their builds alone."""
    ruleset = find_ruleset(match["ruleset"], match["ruleset_version"])
    builds = [BuiltIn(seat["bot"], seat["version"], seat["seed"], seat["playouts"]) for seat in match["seats"]]
    state, moves = ruleset.initial_state(match["options"], len(builds)), []
    while isinstance(turn := ruleset.turn(state), Decision):
        move = choose_move(builds[turn.seat - 1], ruleset, state, turn.seat, len(moves))
        moves.append(ruleset.format_move(state, move))
        state = ruleset.apply_move(state, move)
    return moves


def test_a_person_plays_against_a_bot_to_the_end(service):
    with pair(service.url) as both:
        ann = both.clients[0]
        seats = [{"player": ann.me()["player"]}, {"bot": "greedy"}]
        match = ann.create_match("zhen", seats, options={"tiles": 4, "cubes": 3})["match"]
        wait_for(lambda: _answer(ann, match), why="the end of the match")
        wait_for(lambda: status_of(ann, match) == "scored", why="the score")
        by = {event["by"] for event in ann.events(match) if event["type"] == "move-made"}
        assert by == {f"player:{ann.me()['player']}", "system:play"}


def _answer(client: Client, match: str) -> bool:
    """Play if it is our turn, and return whether the match is over."""
    state = client.match(match)
    if state["status"] == "playing" and state["turn"] == {"decision": 1}:
        client.move(match, client.legal_moves(match)[0])
    return state["status"] not in ("open", "playing")


def test_matches_of_bots_go_on_as_they_would_have_whichever_process_is_killed(tmp_path):
    rng = random.Random(1)
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        ann = both.clients[0]
        matches = []
        for number in range(24):
            seats = [BOTS[number % 3], BOTS[number // 3 % 3]]
            ruleset, options = ("pathagon", {"size": 5}) if number % 2 else ("zhen", {})
            matches.append(ann.create_match(ruleset, seats, options=options)["match"])
            if number % 3 == 2:
                service.kill(rng.choice(VICTIMS))
                time.sleep(0.3)
        for victim in VICTIMS:
            service.kill(victim)
            time.sleep(0.5)
        for match in matches:
            wait_for(lambda match=match: status_of(ann, match) == "scored", why=f"the score of {match}")
        for match in matches:
            found = ann.match(match)
            assert found["moves"] == expected_moves(found)
