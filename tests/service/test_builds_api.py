"""Builds of programs over HTTP: declared in matches, entered in tournaments, and shown to all who may read these."""

import pytest

from plyscribe.workers.verify_match import verify_all
from tests.service.test_inbox_api import Correspondence, types
from tests.service.test_tournaments_api import TournamentOverHttp

BUILD = {"digest": "ab" * 32, "command": "mybot", "version": "1.2", "options": {"level": 3}}
OTHER = {**BUILD, "digest": "cd" * 32}


@pytest.fixture
def post(api, parts) -> Correspondence:
    return Correspondence(api, parts)


def begin(post: Correspondence) -> str:
    match = post.new_match("pathagon")
    assert post.api.post(f"/v1/matches/{match}/seats/2", post.ben, {}).status_code == 200
    return match


def declare(post: Correspondence, match: str, token: str, build: dict = BUILD):
    return post.api.post(f"/v1/matches/{match}/builds", token, build)


def test_a_seat_shows_the_builds_that_its_account_declared(post):
    match = begin(post)
    assert declare(post, match, post.ben).status_code == 201
    assert declare(post, match, post.ben, OTHER).status_code == 201
    assert [seat["builds"] for seat in post.api.get(f"/v1/matches/{match}").json["seats"]] == [[], [BUILD, OTHER]]
    bundle = post.api.get(f"/v1/matches/{match}/bundle").text
    assert bundle.count('"type":"build-declared"') == 2
    record = post.api.get(f"/v1/matches/{match}/record").text
    assert f"[build_2 mybot 1.2, sha256 {'cd' * 32}, after 1 other]" in record


def test_who_declares_a_build_can_read_the_match_and_is_not_told_again_that_it_is_their_turn(post):
    match = begin(post)
    post.relay()
    before = types(post.entries(post.ann))
    assert "your-decision" in before
    declare(post, match, post.ann)
    post.relay()
    assert types(post.entries(post.ann)) == before
    refused = declare(post, post.new_match("pathagon", private=True), post.api.sign_up("Cat")[1])
    assert (refused.status_code, refused.json["code"]) == (404, "match/unknown")


@pytest.fixture
def cup(api, parts) -> TournamentOverHttp:
    """A cup of a bot of the server and Ann, who is entrant 2."""
    cup = TournamentOverHttp(api, parts, is_open=True, ruleset="pathagon")
    cup.bots(1)
    assert cup.enter(cup.ann_token).status_code == 201
    return cup


def enter_build(cup: TournamentOverHttp, **more: object):
    return cup.api.post(f"{cup.path}/entrants/2/builds", cup.ann_token, {**BUILD, **more})


def test_an_entrant_shows_the_build_that_it_entered_with_and_plays_no_other_than_the_pinned_one(cup):
    assert [each["builds"] for each in cup.get()["entrants"]] == [None, None]
    assert enter_build(cup, pinned=True).status_code == 201
    assert cup.get()["entrants"][1]["builds"] == {"entered": BUILD, "pinned": True, "played": [], "undeclared": 0}
    cup.start()
    match = cup.advance()
    refused = cup.api.post(f"/v1/matches/{match}/builds", cup.ann_token, OTHER)
    assert (refused.status_code, refused.json["code"]) == (409, "build/pinned")
    assert "entrant 2 plays this tournament with a pinned build: mybot 1.2" in refused.json["detail"]
    assert cup.api.post(f"/v1/matches/{match}/builds", cup.ann_token, BUILD).status_code == 201
    assert cup.api.get(f"/v1/matches/{match}").json["tournament"] == cup.id


def test_the_tournament_takes_the_builds_of_a_match_over_with_its_result(cup, parts):
    enter_build(cup)
    cup.start()
    match = cup.advance()
    cup.api.post(f"/v1/matches/{match}/builds", cup.ann_token, OTHER)
    cup.api.post(f"/v1/matches/{match}/withdrawal", cup.ann_token, {})
    verify_all(parts, [(match, parts.matches.read(match).version)])
    parts.tournaments.advance(cup.id)
    [game] = cup.get("/rounds")["rounds"][0]["games"]
    seat = game["entrants"].index(2) + 1
    assert game["builds"] == [{"seat": seat, "build": OTHER}]
    played = [{**OTHER, "games": 1, "first": "1-1-1"}]
    builds = cup.get()["entrants"][1]["builds"]
    assert builds == {"entered": BUILD, "pinned": False, "played": played, "undeclared": 0}
    text = cup.api.get(f"{cup.path}/standings", headers={"Accept": "text/plain"}).text
    assert f"mybot 1.2, sha256 {'cd' * 32}      1\n" in text
