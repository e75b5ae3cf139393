"""The page to try a line on, as the server makes it: for every match and every wrong address."""

import json
import re
from html import unescape
from typing import Any

import pytest

from tests.service.api import Api
from tests.service.test_damaged_streams import played, rig
from tests.service.test_effects_api import TRAP, Evening
from tests.service.test_imports_api import Elsewhere, bring
from tests.service.test_pages import sign_in

__all__ = ["played", "rig"]

PEOPLE = {"Accept": "text/html"}


def show(api: Api, path: str, status: int = 200, token: str | None = None) -> str:
    """A page as a browser gets it, signed in with the token if there is one."""
    browser = api.app.test_client()
    if token is not None:
        sign_in(browser, token)
    shown = browser.get(path, headers=PEOPLE)
    assert shown.status_code == status, shown.text
    return shown.text


def read(page: str) -> dict[str, Any]:
    """What the script of the page gets."""
    return dict(json.loads(unescape(re.search(r'data-analysis="([^"]*)"', page)[1])))


def test_a_line_begins_at_the_ply_of_the_match_that_is_asked_for_and_leaves_out_a_withdrawal(api):
    evening = Evening(api)
    path = f"/matches/{evening.match}/analysis"
    data = read(show(api, f"{path}?ply=2&seen=2"))
    assert (data["start"], data["view"], data["names"]) == ({"match": evening.match, "ply": 2}, 2, ["Ann", "Ben"])
    for query in ("", "?ply=99", "?ply=none"):
        assert read(show(api, path + query))["start"]["ply"] == 3
    assert f'href="{path}?ply=1"' in show(api, f"/matches/{evening.match}?ply=1")
    evening.api.post(f"{evening.path}/withdrawal", evening.ann, {})
    data = read(show(api, path))
    assert (data["start"]["ply"], data["ply"], data["begun"]) == (2, 3, [{"move": TRAP[-1]}])
    assert read(show(api, f"{path}?ply=2"))["begun"] == []


def test_a_game_begins_with_the_seats_and_options_of_the_address(api):
    data = read(show(api, '/rulesets/portals/analysis?seats=6&options={"radius":3}'))
    assert (data["start"]["seats"], data["start"]["options"], len(data["names"])) == (6, {"radius": 3}, 6)
    assert 'href="/rulesets/portals/analysis?version=1"' in show(api, "/rulesets/portals")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/matches/match-none/analysis", 404, "match/unknown"),
        ("/rulesets/chess/analysis", 404, "ruleset/unknown"),
        ("/rulesets/zhen/analysis?version=9", 404, "ruleset/unknown"),
        ("/rulesets/zhen/analysis?seats=3", 422, "option/invalid"),
        ("/rulesets/zhen/analysis?seats=0", 422, "option/invalid"),
        ("/rulesets/zhen/analysis?options={", 422, "option/invalid"),
        ("/rulesets/zhen/analysis?options=[]", 422, "option/invalid"),
        ('/rulesets/zhen/analysis?options={"tiles":-1}', 422, "option/invalid"),
    ],
)
def test_a_wrong_address_is_refused_with_its_code(api, path, status, code):
    assert code in show(api, path, status)


def test_a_line_begins_before_the_fault_of_a_damaged_match(played):
    data = read(show(played.api, f"/matches/{played.match}/analysis"))
    assert data["start"]["ply"] == 1
    start = {**data["start"], "steps": [{"move": "g7"}]}
    assert played.api.post("/v1/rulesets/pathagon/positions", None, start).status_code == 200


def test_an_imported_match_is_tried_at_its_address(api, parts):
    elsewhere = Elsewhere()
    match = elsewhere.play()
    address = bring(api, parts, api.sign_up("Ida")[1], elsewhere.bundle(match))
    moved = api.app.test_client().get(f"/matches/{match}/analysis?ply=1", headers=PEOPLE)
    assert (moved.status_code, moved.headers["Location"]) == (303, f"/matches/{address}/analysis?ply=1")
    data = read(show(api, moved.headers["Location"]))
    ruleset = data["ruleset"]
    assert api.post(f"/v1/rulesets/{ruleset}/positions", None, {**data["start"], "steps": []}).status_code == 200


def test_only_readers_of_a_private_match_try_a_line_on_it(api):
    evening = Evening(api, private=True)
    path = f"/matches/{evening.match}/analysis"
    assert "match/unknown" in show(api, path, 404)
    assert read(show(api, path, token=evening.ann))["is_private"] is True


@pytest.mark.parametrize(("other", "hints"), [({"bot": "random"}, True), ("me", False), (None, False)])
def test_hints_are_for_matches_against_bots(api, other, hints):
    me, token = api.sign_up("Ann")
    own = {"player": me}
    match = api.new_match(token, [own, own if other == "me" else other], "pathagon")
    if other is None:
        api.post(f"/v1/matches/{match}/seats/2", api.sign_up("Ben")[1], {})
    assert ('id="ask-hint"' in show(api, f"/matches/{match}/play", token=token)) is hints
