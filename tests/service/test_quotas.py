"""Quotas: what bots may cost an account, where that is checked, and who is exempt."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from plyscribe.domain.bots import MAX_PLAYOUTS
from plyscribe.domain.commands import Actor
from plyscribe.domain.rulesets import register
from plyscribe.service.access import quotas
from plyscribe.service.access.quotas import MatchQuota
from plyscribe.service.composition import Parts, compose
from plyscribe.service.errors import QuotaReached
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.conftest import CONFIG

GREEDY = {"bot": "greedy"}
HEAVY = {"bot": "mcts", "playouts": 201}


@pytest.fixture
def parts() -> Parts:
    register(TOY_V1)
    return compose(replace(CONFIG, max_bot_matches=2, max_playouts=200, allowances_for="all"), MemoryStore())


def sign_up(parts: Parts, *scopes: str, name: str = "Olga") -> str:
    return parts.accounts.sign_up(Actor("system", "test"), name, "person", scopes)[1]


def create(api: Api, token: str, *seats: object, key: str | None = None, **more: object):
    body = {"ruleset": "zhen", "seats": seats or [GREEDY, GREEDY], **more}
    return api.post("/v1/matches", token, body, key=key)


def refusal(answer) -> tuple[int, str, int]:
    return answer.status_code, answer.json["code"], answer.json["most"]


TOO_MANY = (429, "quota/bot-matches", 2)
TOO_HEAVY = (422, "bot/playouts-limit", 200)


def test_an_account_has_only_so_many_matches_with_bots(api):
    account, token = api.sign_up("Ann")
    first = create(api, token, {"player": account}, GREEDY).json["match"]
    assert create(api, token, private=True).status_code == 201
    refused = create(api, token)
    assert refusal(refused) == TOO_MANY
    assert refused.headers["Retry-After"]
    assert f"/v1/matches?player={account}" in refused.json["detail"]
    assert create(api, token, {"player": account}, None).status_code == 201, "matches of people are not counted"
    assert create(api, api.sign_up("Ben")[1]).status_code == 201, "others have their own quota"
    api.post(f"/v1/matches/{first}/abort", token, {"cause": "enough"})
    assert create(api, token).status_code == 201
    assert refusal(create(api, token)) == TOO_MANY


def test_a_request_that_is_repeated_gets_its_answer_although_the_quota_is_reached_and_refused_ones_do_not_count(api):
    _, token = api.sign_up("Ann")
    for _ in range(3):
        assert create(api, token, options={"tiles": 4, "cubes": 99}).status_code == 422
    first = create(api, token, key="first")
    create(api, token)
    assert create(api, token, key="first").json == first.json
    api.post(f"/v1/matches/{first.json['match']}/abort", token, {"cause": "enough"})
    create(api, token)
    assert create(api, token, key="first").json == first.json


def test_forks_duplicates_and_rematches_count(api):
    account, token = api.sign_up("Ann")
    body = {"ruleset": "crystals", "seats": [{"player": account}, GREEDY], "shared_dice": 2}
    first = api.post("/v1/matches", token, body).json["match"]
    over = create(api, token, {"player": account}, GREEDY).json["match"]
    forks, duplicates = f"/v1/matches/{first}/forks", f"/v1/matches/{first}/duplicates/2"
    assert refusal(api.post(forks, token, {"ply": 0, "seats": [GREEDY, GREEDY], "dice": "fresh"})) == TOO_MANY
    assert refusal(api.post(duplicates, token, {"seats": [GREEDY, GREEDY]})) == TOO_MANY
    api.post(f"/v1/matches/{over}/withdrawal", token, {})
    assert api.post(forks, token, {"ply": 0, "seats": [GREEDY, GREEDY], "dice": "fresh"}).status_code == 201
    assert refusal(api.post(f"/v1/matches/{over}/rematch", token, {})) == TOO_MANY


def test_bots_make_only_so_many_playouts_but_a_match_from_before_the_limit_goes_on(api, parts):
    account, token = api.sign_up("Ann")
    before = Api(create_app(compose(replace(parts.config, max_playouts=MAX_PLAYOUTS), parts.store)))
    match = create(before, token, {"player": account}, HEAVY).json["match"]
    move = api.get(f"/v1/matches/{match}/legal-moves").json["moves"][0]
    assert api.post(f"/v1/matches/{match}/moves", token, {"move": move}).status_code == 200
    assert api.post(f"/v1/matches/{match}/withdrawal", token, {}).status_code == 200
    assert refusal(api.post(f"/v1/matches/{match}/rematch", token, {})) == TOO_HEAVY
    refused = create(api, token, HEAVY, None)
    assert refusal(refused) == TOO_HEAVY
    assert "at most 200 playouts" in refused.json["detail"]
    match = create(api, token, {"player": account}, {"bot": "mcts"}).json["match"]
    fork = {"ply": 0, "seats": [HEAVY, HEAVY]}
    assert refusal(api.post(f"/v1/matches/{match}/forks", token, fork)) == TOO_HEAVY
    assert api.get("/v1/matches").json["matches"][0]["match"] == match


def test_an_organiser_enters_no_heavier_bots_and_an_administrator_has_no_quota(api, parts):
    organiser, admin = sign_up(parts, "play", "organise"), sign_up(parts, "play", "organise", "admin", name="Root")
    cup = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}}
    bot = {"bot": {"name": "mcts", "playouts": 201}, "label": "deep"}
    made = [api.post("/v1/tournaments", token, cup).json["tournament"] for token in (organiser, admin)]
    assert refusal(api.post(f"/v1/tournaments/{made[0]}/entrants", organiser, bot)) == TOO_HEAVY
    assert api.post(f"/v1/tournaments/{made[1]}/entrants", admin, bot).status_code == 201
    assert [create(api, admin, HEAVY, HEAVY).status_code for _ in range(4)] == [201] * 4


def test_matches_that_the_list_does_not_show_yet_count(api, parts, monkeypatch):
    for lists in ("list_open", "list_open_with_bots"):
        monkeypatch.setattr(parts.lists.matches, lists, lambda *_: set())
    _, token = api.sign_up("Ann")
    matches = [create(api, token).json["match"] for _ in range(2)]
    assert refusal(create(api, token)) == TOO_MANY
    api.post(f"/v1/matches/{matches[0]}/abort", token, {"cause": "enough"})
    assert create(api, token).status_code == 201


def test_requests_at_the_same_time_do_not_exceed_the_quota(api, parts):
    _, token = api.sign_up("Ann")
    app = create_app(parts)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: create(Api(app), token).status_code, range(8)))
    assert answers.count(201) <= 2
    assert set(answers) <= {201, 429}


def limited(**settings: object) -> Api:
    return Api(create_app(compose(replace(CONFIG, **settings), MemoryStore())))


def test_programs_of_this_machine_have_no_quotas():
    local = limited(max_bot_matches=0, max_playouts=1)
    _, token = local.sign_up()
    assert local.new_match(token, [{"bot": "mcts", "playouts": 2}, None])


def test_an_account_has_so_many_matches_that_are_not_over():
    api = limited(max_matches=2, allowances_for="all")
    (_, token), (_, other) = api.sign_up(), api.sign_up()
    first, _ = [api.new_match(token) for _ in range(2)]
    refused = api.post("/v1/matches", token, {"ruleset": "pathagon", "seats": [None, None]})
    assert refusal(refused) == (429, "quota/matches", 2)
    assert refused.headers["Retry-After"] == "60", "clients that try again by themselves do not"
    assert api.new_match(other)
    assert api.post(f"/v1/matches/{first}/abort", token, {"cause": "called off"}).status_code == 200
    assert api.new_match(token)


def begin(is_over: bool) -> MatchQuota:
    """A quota of one match, which Ann has begun."""
    quota = MatchQuota("quota/matches", "matches", 1, lambda account, most: set(), lambda match: is_over)
    quota.require("ann", "first")
    return quota


def test_a_match_counts_while_it_is_being_created():
    quota = begin(is_over=False)
    with pytest.raises(QuotaReached):
        quota.require("ann", "second")
    quota.finish("ann", "first")
    quota.require("ann", "second")


def test_an_account_that_has_begun_nothing_takes_no_place_of_another(monkeypatch):
    monkeypatch.setattr(quotas, "MOST_ACCOUNTS", 1)
    quota = begin(is_over=True)
    quota.finish("ben", "other")
    with pytest.raises(QuotaReached):
        quota.require("ann", "second")
