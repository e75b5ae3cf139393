"""Built-in bots over HTTP: how to ask for them, and how they are shown."""

import pytest

from plyscribe.domain.bots import MAX_PLAYOUTS

PLAYER = {"bot": "greedy", "version": 1, "playouts": None}


def seats_of(api, match: str) -> list[dict]:
    return api.get(f"/v1/matches/{match}").json["seats"]


def test_a_bot_is_seated_in_its_current_build_with_a_random_seed(api):
    ann, token = api.sign_up("Ann")
    made = [api.new_match(token, [{"player": ann}, {"bot": "greedy"}], "zhen") for _ in range(2)]
    shown = [seats_of(api, match)[1] for match in made]
    seeds = {seat.pop("seed") for seat in shown}
    assert len(seeds) == 2
    assert shown == [{"seat": 2, "seated": True, "entropy": None, **PLAYER}] * 2
    assert api.get(f"/v1/matches/{made[0]}").json["status"] == "playing"


def test_a_bot_can_be_given_a_seed_and_mcts_its_playouts(api):
    _, token = api.sign_up("Ann")
    match = api.new_match(token, [{"bot": "mcts", "seed": 5, "playouts": 30}, {"bot": "mcts", "seed": 6}], "zhen")
    assert [(seat["seed"], seat["playouts"]) for seat in seats_of(api, match)] == [(5, 30), (6, 200)]


@pytest.mark.parametrize(
    "seat",
    [
        {"bot": "clever"},
        {"bot": "greedy", "playouts": 5},
        {"bot": "mcts", "playouts": 0},
        {"bot": "mcts", "playouts": MAX_PLAYOUTS + 1},
        {"bot": "greedy", "seed": -1},
        {"bot": "greedy", "seed": 2**53},
        {"bot": "greedy", "version": 1},
        {"bot": "greedy", "name": "Ada"},
        {"seed": 5},
        {"bot": None},
    ],
)
def test_an_unknown_bot_is_refused(api, seat):
    _, token = api.sign_up("Ann")
    refused = api.post("/v1/matches", token, {"ruleset": "zhen", "seats": [seat, None]})
    assert refused.status_code in (400, 422)
    assert api.get("/v1/matches").json["matches"] == []


@pytest.mark.parametrize(("more", "code"), [({"rated": True}, "rated/seats"), ({"recorded": True}, "bot/recorded")])
def test_rated_and_recorded_matches_have_no_bots(api, more, code):
    _, token = api.sign_up("Ann")
    refused = api.post("/v1/matches", token, {"ruleset": "zhen", "seats": [{"bot": "greedy"}, None], **more})
    assert (refused.status_code, refused.json["code"]) == (422, code)


def test_a_repeated_request_makes_no_second_match(api):
    _, token = api.sign_up("Ann")
    body = {"ruleset": "zhen", "seats": [{"bot": "greedy"}, {"bot": "random"}]}
    first, again = (api.post("/v1/matches", token, body, key="k") for _ in range(2))
    assert first.data == again.data


def test_a_bot_has_another_seed_in_a_rematch(api):
    ann, token = api.sign_up("Ann")
    match = api.new_match(token, [{"player": ann}, {"bot": "greedy", "seed": 5}], "zhen")
    assert api.post(f"/v1/matches/{match}/withdrawal", token, {}).status_code == 200
    rematch = api.post(f"/v1/matches/{match}/rematch", token).json["match"]
    bot, person = seats_of(api, rematch)
    assert (bot["bot"], bot["seated"], person["player"]) == ("greedy", True, ann)
    assert bot["seed"] != 5


def test_a_fork_can_continue_against_a_bot(api):
    ann, token = api.sign_up("Ann")
    match = api.new_match(token, [{"player": ann}, {"player": ann}], "zhen")
    api.post(f"/v1/matches/{match}/moves", token, {"move": "+3"})
    forked = api.post(f"/v1/matches/{match}/forks", token, {"ply": 1, "seats": [{"player": ann}, {"bot": "greedy"}]})
    assert forked.status_code == 201
    assert seats_of(api, forked.json["match"])[1]["bot"] == "greedy"


def test_a_player_cannot_move_for_a_bot(api):
    ann, token = api.sign_up("Ann")
    match = api.new_match(token, [{"bot": "greedy"}, {"player": ann}], "zhen")
    refused = api.post(f"/v1/matches/{match}/moves", token, {"move": "+3", "seat": 1})
    assert (refused.status_code, refused.json["code"]) == (403, "seat/not-yours")
    assert api.get(f"/v1/matches?player={ann}").json["matches"]
