"""Built-in bots over HTTP: how to ask for them, and how they are shown."""

from dataclasses import replace
from hashlib import sha256

import pytest

from plyscribe.domain.bots import MAX_PLAYOUTS
from plyscribe.domain.seeds import derive_seed
from plyscribe.service.composition import compose
from plyscribe.service.config import parse_key
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_match_page import show


def seats_of(api, match: str) -> list[dict]:
    return api.get(f"/v1/matches/{match}").json["seats"]


def against_a_bot(api, ruleset: str = "zhen", **bot) -> tuple[str, str, str]:
    """Ann, her token, and a match between her and a bot, who has seat 2."""
    ann, token = api.sign_up("Ann")
    return ann, token, api.new_match(token, [{"player": ann}, {"bot": "greedy", **bot}], ruleset)


def test_a_bot_is_seated_in_its_current_build_with_a_seed_that_is_secret_until_the_end(api):
    ann, token, first = against_a_bot(api)
    made = [first, api.new_match(token, [{"player": ann}, {"bot": "greedy"}], "zhen")]
    hidden = {"seat": 2, "seated": True, "entropy": None, "seed": None, "builds": []}
    for match in made:
        assert seats_of(api, match)[1] == {**hidden, "bot": "greedy", "version": 1, "playouts": None}
    shown = api.get(f"/v1/matches/{first}").json
    assert (shown["status"], shown["bots"]["secret"]) == ("playing", None)
    assert "secret until the end" in show(api, f"/matches/{first}").text
    for match in made:
        ended = api.post(f"/v1/matches/{match}/withdrawal", token, {}).json
        assert [event["type"] for event in ended["events"]] == ["seat-withdrawn", "match-ended", "seeds-revealed"]
    bots = api.get(f"/v1/matches/{first}").json["bots"]
    secret = bytes.fromhex(bots["secret"])
    assert sha256(secret).hexdigest() == bots["commitment"] == shown["bots"]["commitment"]
    seeds = [seats_of(api, match)[1]["seed"] for match in made]
    assert seeds[0] == derive_seed(secret, first, 2) != seeds[1]
    assert str(seeds[0]) in show(api, f"/matches/{first}").text


def test_nothing_in_the_answers_of_a_match_under_way_tells_the_seeds(api, parts):
    _, token, match = against_a_bot(api)
    secret = parts.secret_for(parts.matches.read(match)).seeds
    told = [api.get(f"/v1/matches/{match}{path}", token).text for path in ("", "/events", "/bundle")]
    told += [api.get("/v1/matches", token).text, show(api, f"/matches/{match}").html]
    for text in told:
        assert secret.hex() not in text
        assert str(derive_seed(secret, match, 2)) not in text


def test_forks_rematches_and_duplicates_have_seeds_of_their_own(api):
    ann, token, match = against_a_bot(api, seed=5)
    body = {"ruleset": "toy", "seats": [{"player": ann}, {"bot": "greedy", "seed": 5}], "shared_dice": 2}
    first = api.post("/v1/matches", token, {**body, "start": "call"}).json["match"]
    duplicate = {"seats": [{"player": ann}, {"bot": "greedy"}]}
    second = api.post(f"/v1/matches/{first}/duplicates/2", token, duplicate).json["match"]
    api.post(f"/v1/matches/{match}/withdrawal", token, {})
    fork = api.post(f"/v1/matches/{match}/forks", token, {"ply": 0, **duplicate}).json["match"]
    rematch = api.post(f"/v1/matches/{match}/rematch", token, {}).json["match"]
    shown = {each: api.get(f"/v1/matches/{each}", token).json for each in (second, fork, rematch)}
    assert [[seat["seed"] for seat in each["seats"] if "bot" in seat] for each in shown.values()] == [[None]] * 3
    assert len({each["bots"]["commitment"] for each in shown.values()}) == 3
    assert api.get(f"/v1/matches/{match}").json["bots"] is None
    bot, person = seats_of(api, rematch)
    assert (bot["bot"], bot["seated"], person["player"]) == ("greedy", True, ann)


def test_an_old_key_ends_the_matches_that_were_begun_under_it_and_no_other_key_does():
    store, old, new = MemoryStore(), "5a" * 32, "6b" * 32
    before, lost, rotated = (
        Api(create_app(compose(replace(CONFIG, server_key=parse_key(keys)), store)))
        for keys in (old, new, f"{new}\n{old}")
    )
    _, token, match = against_a_bot(before)
    refused = lost.post(f"/v1/matches/{match}/withdrawal", token, {})
    assert (refused.status_code, refused.json["code"]) == (503, "bot/key-missing")
    assert lost.get(f"/v1/matches/{match}").json["status"] == "playing"
    assert rotated.post(f"/v1/matches/{match}/withdrawal", token, {}).status_code == 200
    assert rotated.get(f"/v1/matches/{match}").json["seats"][1]["seed"] is not None


def test_a_bot_can_be_given_a_seed_and_mcts_its_playouts_once(api):
    _, token = api.sign_up("Ann")
    body = {"ruleset": "zhen", "seats": [{"bot": "mcts", "seed": 5, "playouts": 30}, {"bot": "mcts", "seed": 6}]}
    first, again = (api.post("/v1/matches", token, body, key="k") for _ in range(2))
    assert first.data == again.data
    assert [(seat["seed"], seat["playouts"]) for seat in seats_of(api, first.json["match"])] == [(5, 30), (6, 200)]


WRONG = ({"playouts": 5}, {"seed": -1}, {"seed": 2**53}, {"version": 1}, {"name": "Ada"})


@pytest.mark.parametrize(
    "seat",
    [{"bot": "clever"}, {"bot": None}, {"seed": 5}]
    + [{"bot": "mcts", "playouts": count} for count in (0, MAX_PLAYOUTS + 1)]
    + [{"bot": "greedy", **wrong} for wrong in WRONG],
)
def test_an_unknown_bot_is_refused(api, seat):
    _, token = api.sign_up("Ann")
    refused = api.post("/v1/matches", token, {"ruleset": "zhen", "seats": [seat, None]})
    assert refused.status_code in (400, 422)
    assert api.get("/v1/matches").json["matches"] == []
