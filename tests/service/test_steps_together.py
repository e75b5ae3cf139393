"""Several steps in one request: a receipt for all, or nothing stored."""

from dataclasses import replace

import pytest

from plyscribe.domain.quick_verification import confirm_match
from plyscribe.domain.rulesets import register
from plyscribe.domain.verification import verify_match
from plyscribe.service.composition import compose
from plyscribe.service.config import ALLOWANCES
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from plyscribe.workers.verify_match import verify_all
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.conftest import CONFIG

GUESTS = [{"name": "Ada"}, {"name": "Bea"}]


@pytest.fixture
def ann(api):
    return api.sign_up("Ann")


@pytest.fixture
def match(api, ann):
    """A match in which Ann has both seats."""
    return api.new_match(ann[1], [{"player": ann[0]}] * 2)


@pytest.fixture
def path(match):
    return f"/v1/matches/{match}/moves"


def moves(*texts):
    return {"steps": [{"move": text} for text in texts]}


def test_all_steps_are_stored_in_order_with_a_receipt_each(api, ann, match, path):
    # What the client says of its time is about the first step.
    receipt = api.post(path, ann[1], moves("d4", "e5", "d5"), headers={"Thought-Ms": "0"}).json
    assert [(e["version"], e["data"]) for e in receipt["events"]] == [
        (3, {"move": "d4", "seat": 1}),
        (4, {"move": "e5", "seat": 2}),
        (5, {"move": "d5", "seat": 1}),
    ]
    assert (receipt["version"], receipt["hash"]) == (5, receipt["events"][-1]["hash"])
    assert receipt["turn"] == {"decision": 2}
    assert len({e["hash"] for e in receipt["events"]}) == len({e["cause"] for e in receipt["events"]}) == 3
    assert api.get(f"/v1/matches/{match}").json["moves"] == ["d4", "e5", "d5"]
    [single] = api.post(path, ann[1], moves("a1")).json["events"]
    assert single["data"] == {"move": "a1", "seat": 2}


def test_if_a_step_is_refused_nothing_is_stored_and_its_number_is_told(api, ann, match, path):
    refused = api.post(path, ann[1], moves("d4", "e5", "e5", "d5"))
    assert (refused.status_code, refused.json["code"], refused.json["step"]) == (422, "move/illegal", 2)
    assert (refused.json["clause"], refused.json["ply"]) == ("PA4", 2)
    assert api.get(f"/v1/matches/{match}").json["version"] == 2


def test_the_same_request_gets_the_same_receipt_and_stores_nothing_twice(api, ann, match, path):
    first, again = (api.post(path, ann[1], moves("d4", "e5"), key="sheet-1") for _ in range(2))
    assert again.data == first.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert api.post(path, ann[1], moves("d4", "e6"), key="sheet-1").json["code"] == "key/reused"
    assert api.get(f"/v1/matches/{match}").json["version"] == 4


def test_a_list_follows_what_another_process_stored_meanwhile_unless_it_is_for_another_version(api, parts, ann, path):
    other = Api(create_app(compose(CONFIG, parts.store)))
    api.get(path.removesuffix("/moves"))
    assert other.post(path, ann[1], {"move": "d4"}).status_code == 200
    late = api.post(path, ann[1], moves("e5", "d5"), if_match='"2"')
    assert (late.status_code, late.json["code"]) == (412, "stream/version-conflict")
    assert api.post(path, ann[1], moves("e5", "d5"), if_match='"3"').json["version"] == 5
    assert other.post(path, ann[1], moves("e6", "d6")).json["version"] == 7


def test_nobody_moves_for_the_seat_of_somebody_else(api, ann):
    ben = api.sign_up("Ben")
    match = api.new_match(ann[1], [{"player": ann[0]}, None])
    assert api.post(f"/v1/matches/{match}/seats/2", ben[1], {}).status_code == 200
    refused = api.post(f"/v1/matches/{match}/moves", ann[1], moves("d4", "e5"))
    assert (refused.json["code"], refused.json["step"], refused.json["seat"]) == ("move/not-your-turn", 1, 2)
    for step in ({"values": [3]}, {"laid": {"a1": "heavy"}}):
        refused = api.post(f"/v1/matches/{match}/moves", ann[1], {"steps": [{"move": "d4"}, step]})
        assert (refused.status_code, refused.json["step"]) == (403, 1)
    assert api.get(f"/v1/matches/{match}").json["version"] == 3


def test_nothing_follows_the_end_and_the_match_is_verified(api, parts, ann, match, path):
    steps = [{"move": "d4"}, {"withdraw": 2, "cause": "resigned"}]
    refused = api.post(path, ann[1], {"steps": [*steps, {"move": "d5"}]})
    assert (refused.status_code, refused.json["code"], refused.json["step"]) == (409, "match/over", 2)
    ended = api.post(path, ann[1], {"steps": steps}).json
    assert [event["type"] for event in ended["events"]] == ["move-made", "seat-withdrawn", "match-ended"]
    assert ended["turn"] == {"over": {"reason": "withdrawal", "ranks": [1, 2]}}
    entries = parts.matches.read_events(match, 0)
    assert type(verify_match(match, entries)).__name__ == "MatchVerified"
    assert confirm_match(match, entries) is not None
    assert verify_all(parts, [(match, ended["version"])]) == ["scored"]


def test_a_recorder_enters_a_sheet_with_dice_and_a_withdrawal(api, parts, ann):
    match, again = (api.new_match(ann[1], GUESTS, ruleset="crystals", recorded=True, dice="recorded") for _ in range(2))
    path, sheet, before = f"/v1/matches/{match}", [], parts.matches.read(match).version
    for _ in range(12):
        turn = api.get(path).json["turn"]
        if roll := turn.get("roll"):
            what, step = "rolls", {"values": [1 + (len(sheet) % roll["sides"])] * roll["count"]}
        else:
            what, step = "moves", {"move": api.get(f"{path}/legal-moves?limit=1").json["moves"][0]}
        assert api.post(f"{path}/{what}", ann[1], step).status_code == 200
        sheet.append(step)
    assert any("values" in step for step in sheet)
    steps = [*sheet, {"withdraw": 2, "cause": "absent"}]
    receipt = api.post(f"/v1/matches/{again}/moves", ann[1], {"steps": steps}).json
    assert [event["type"] for event in receipt["events"]][-2:] == ["seat-withdrawn", "match-ended"]
    one_by_one = [event["data"] for event in api.get(f"{path}/events?limit=100").json["events"]][before:]
    assert [event["data"] for event in receipt["events"]][:-2] == one_by_one


def test_server_dice_fall_between_the_moves(api, ann):
    path = f"/v1/matches/{api.new_match(ann[1], [{'player': ann[0]}] * 2, ruleset='crystals')}"
    assert api.post(f"{path}/start", ann[1], {}).status_code == 200
    seen = []
    for _ in range(6):
        move = api.get(f"{path}/legal-moves?limit=1").json["moves"][0]
        seen += [event["type"] for event in api.post(f"{path}/moves", ann[1], moves(move)).json["events"]]
    assert "dice-rolled" in seen
    for _ in range(2):
        # The second move is made without having seen the dice, so it may be refused; then nothing is stored.
        before = api.get(path).json["version"]
        legal = api.get(f"{path}/legal-moves?limit=1").json["moves"]
        answer = api.post(f"{path}/moves", ann[1], moves(legal[0], legal[0]))
        is_stored = api.get(path).json["version"] > before
        assert (answer.status_code, is_stored) in {(200, True), (422, False)}


ONE = [{"move": "d4"}]


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"seat": 1}, {"steps": []}, {"steps": ONE, "move": "d4"}, {"steps": ONE, "seat": 1}, {"steps": ONE[0]}),
        *({"steps": [step]} for step in ({}, "d4", {"move": ""}, {"move": "d" * 257}, {"move": None})),
        *({"steps": [{"move": "d4", **more}]} for more in ({"values": [1]}, {"seat": 1})),
        moves(*["d4"] * 513),
    ],
)
def test_a_body_that_says_something_else_is_refused(api, ann, match, path, body):
    refused = api.post(path, ann[1], body)
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")
    assert api.get(f"/v1/matches/{match}").json["version"] == 2
    assert api.post(path, None, body).status_code == 401, "authentication is checked before the body"


def test_a_list_uses_up_more_of_the_allowance_than_a_move():
    register(TOY_V1)
    allowed = {**ALLOWANCES, "moves": ((20, 10**9),)}
    api = Api(create_app(compose(replace(CONFIG, allowances=allowed, allowances_for="all"), MemoryStore())))
    player, token = api.sign_up("Ann")
    match = api.new_match(token, [{"player": player}] * 2)
    path = f"/v1/matches/{match}/moves"
    answer = api.post(path, token, moves("a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1"))
    assert answer.status_code == 200
    assert ";r=17;" in answer.headers["RateLimit"]
    refused = api.post(path, token, moves(*["b2"] * 72))
    assert (refused.status_code, refused.json["code"]) == (429, "allowance/used")
