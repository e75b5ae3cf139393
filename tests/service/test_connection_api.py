"""What is said on a standing connection: lines, their answers, and who may say what. No server is in between."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import ALLOWANCES
from plyscribe.service.live import match_changes as changes_module
from plyscribe.service.live import reader as reader_module
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.web.api.bot_lines import Conversation
from plyscribe.service.web.app import create_app
from plyscribe.service.web.handover import HOLDS, TALK, UPGRADES
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_live import eventually
from tests.service.test_many_api import Club as Table

PATH = "/v1/connection"
OURS = {HOLDS: True, UPGRADES: True}


class Line:
    """A conversation, and what was pushed on it."""

    def __init__(self, talk: Conversation) -> None:
        self.talk = talk
        self.pushed: list[str] = []
        self.ended: list[str] = []
        talk.start(self._push, self.ended.append)

    def _push(self, lines: str) -> bool:
        self.pushed.append(lines)
        return True

    def say(self, *lines: Mapping[str, Any] | str) -> list[Any]:
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        answers = self.talk.answer_all([(self.talk, text) for text in texts])
        assert all(answer.endswith("\n") and answer.count("\n") == 1 for answer in answers)
        return [json.loads(answer) for answer in answers]

    @property
    def changes(self) -> list[Any]:
        return [json.loads(line) for lines in self.pushed for line in lines.splitlines()]


def open_line(api: Api, token: str, **more: Any) -> Line:
    """A standing connection, as our server opens it."""
    headers, begun = {"Authorization": f"Bearer {token}"}, list[str]()
    environ = EnvironBuilder(PATH, headers=headers, multithread=True).get_environ() | OURS | more
    list(api.app(environ, lambda status, headers, exc_info=None: begun.append(status)))
    assert begun[0].startswith("101")
    return Line(environ[TALK])


def ask(api: Api, token: str | None = None, environ: Mapping[str, Any] = OURS) -> tuple[int, str]:
    """The status and the code of a refusal to open one."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = api.app.test_client().get(PATH, headers=headers, environ_overrides=dict(environ))
    return answer.status_code, (answer.json or {}).get("code", "")


@pytest.fixture
def table(api: Api) -> Table:
    return Table(api)


def move(id: int | str, match: str, text: str = "+1", **more: Any) -> dict[str, Any]:
    return {"id": id, "match": match, "body": {"move": text}, **more}


def test_a_line_and_a_request_with_one_key_are_one_move_and_get_one_receipt_whichever_comes_first(table: Table):
    match, line = table.play(), open_line(table.api, table.ann)

    def post(text: str, key: str) -> Any:
        # Without spaces between its parts: the digest of a body is that of its bytes.
        typed = {"data": f'{{"move":"{text}"}}', "content_type": "application/json"}
        return table.api.post(f"/v1/matches/{match}/moves", table.ann, key=key, **typed)

    [answer] = line.say(move(7, match, key="k"))
    same = post("+1", "k")
    assert same.headers["Idempotency-Replayed"] == "true"
    assert answer == {"id": 7, "status": 200, "receipt": same.json}
    table.api.post(f"/v1/matches/{match}/moves", table.ben, {"move": "+2"})
    asked = post("+3", "l")
    [again] = line.say(move("a", match, "+3", key="l"))
    assert again == {"id": "a", "status": 200, "replayed": True, "receipt": asked.json}
    [other] = line.say(move("b", match, "+4", key="l"))
    assert (other["status"], other["problem"]["code"]) == (422, "key/reused")


def test_lines_that_are_there_at_once_share_a_round_trip_and_keep_their_order(table: Table, parts: Parts, monkeypatch):
    matches = [table.play(ruleset="zhen") for _ in range(3)]
    alone = table.api.new_match(table.ann, [{"player": table.ann_id}] * 2, "zhen")
    together: list[int] = []
    append_all = parts.store.append_all
    monkeypatch.setattr(
        parts.matches._store, "append_all", lambda appends: together.append(len(appends)) or append_all(appends)
    )
    line = open_line(table.api, table.ann)
    answers = line.say(
        *[move(number, match) for number, match in enumerate(matches)],
        *[move(10 + number, alone, text) for number, text in enumerate(["+1", "+2", "+3"])],
    )
    assert [answer["id"] for answer in answers] == [0, 1, 2, 10, 11, 12]
    assert {answer["status"] for answer in answers} == {200}
    assert together == [6]
    assert table.api.get(f"/v1/matches/{alone}").json["moves"] == ["+1", "+2", "+3"]


UNKNOWN = '{"id": 1, "match": "match-aaaaaaaaaaaaaaaaaaaaaaaaaa", '
WRONG = ['"body": {}', '"body": []', '"to": "abort"', '"to": []', '"more": 1', '"key": ""', '"version": "2"']
FOLLOW = ["1", '{"from": 1}', '{"after": -1}']


@pytest.mark.parametrize(
    ("line", "id", "status", "code"),
    [
        ("no json", None, 400, "unreadable"),
        ("[1]", None, 400, "unreadable"),
        ('{"match": "x"}', None, 422, "invalid"),
        ('{"id": 1.5, "match": "x"}', None, 422, "invalid"),
        ('{"id": true, "match": "x"}', None, 422, "invalid"),
        ('{"id": "' + "x" * 65 + '"}', None, 422, "invalid"),
        ('{"id": 1}', 1, 422, "invalid"),
        ('{"id": 1, "match": 2}', 1, 422, "invalid"),
        ('{"id": 1, "match": "nothing"}', 1, 404, "unknown"),
        (UNKNOWN + '"body": {"move": "+1"}}', 1, 404, "unknown"),
        *((UNKNOWN + wrong + "}", 1, 422, "invalid") for wrong in WRONG),
        *(('{"id": 1, "follow": ' + follow + "}", 1, 422, "invalid") for follow in FOLLOW),
    ],
)
def test_a_line_that_cannot_be_done_is_answered_with_the_problem_and_the_next_one_is_done(
    table, line, id, status, code
):
    match = table.play()
    refused, done = open_line(table.api, table.ann).say(line, move(2, match))
    assert (refused["id"], refused["status"], refused["problem"]["status"]) == (id, status, status)
    assert refused["problem"]["code"] == ("match/" if status == 404 else "request/") + code
    assert done["status"] == 200


def test_a_refused_move_says_why_in_the_language_of_the_connection(table: Table):
    match = table.play()
    [refused] = open_line(table.api, table.ann, HTTP_ACCEPT_LANGUAGE="de").say(move(1, match, "1-2"))
    problem, german = refused["problem"], {"Accept-Language": "de"}
    asked = table.api.post(f"/v1/matches/{match}/moves", table.ann, {"move": "1-2"}, headers=german).json
    assert problem == {name: value for name, value in asked.items() if name != "instance"}


def test_a_line_needs_what_a_request_needs(table: Table):
    match, secret = table.play(), table.api.new_match(table.ann, [{"player": table.ann_id}, None], "zhen", private=True)
    _, carl = table.api.sign_up("Carl", scopes=["record"])
    wrong, hidden = open_line(table.api, carl).say(move(1, match), move(2, secret))
    assert (wrong["status"], wrong["problem"]["code"]) == (403, "auth/scope")
    assert (hidden["status"], hidden["problem"]["code"]) == (404, "match/unknown")


def test_what_belongs_to_play_can_be_said_and_a_line_may_expect_a_version(table: Table):
    match, line = table.play(), open_line(table.api, table.ann)
    version = table.api.get(f"/v1/matches/{match}").json["version"]
    [conflict] = line.say(move(1, match, version=version - 1))
    assert (conflict["status"], len(conflict["problem"]["events"])) == (412, 1)
    done, offered, resigned = line.say(
        move(2, match, version=version),
        {"id": 3, "match": match, "to": "draw", "body": {"action": "offer"}},
        {"id": 4, "match": match, "to": "withdrawal"},
    )
    assert done["receipt"]["version"] == version + 1
    assert [event["type"] for event in offered["receipt"]["events"]] == ["draw-offered"]
    assert [event["type"] for event in resigned["receipt"]["events"]] == ["seat-withdrawn", "match-ended"]
    guests = [{"name": "A"}, {"name": "B"}]
    recorded = table.api.new_match(table.ann, guests, "crystals", recorded=True, dice="recorded")
    [steps] = line.say({"id": 5, "match": recorded, "to": "moves", "body": {"steps": [{"move": "x"}]}})
    assert steps["status"] in (409, 422)


def test_a_token_that_is_revoked_ends_the_conversation(table: Table, parts: Parts):
    line = open_line(table.api, table.ann)
    assert line.talk.find_end() is None
    listed = table.api.get("/v1/players/me/tokens", table.ann).json["tokens"]
    assert table.api.send("DELETE", f"/v1/players/me/tokens/{listed[0]['id']}", table.ann).status_code == 200
    last = json.loads(line.talk.find_end() or "")
    assert (last["type"], last["problem"]["status"], last["problem"]["code"]) == ("end", 401, "auth/invalid")


def test_a_store_that_is_away_refuses_lines_and_ends_nothing(table: Table, parts: Parts, monkeypatch):
    match, line = table.play(), open_line(table.api, table.ann)

    def fail(*_: Any) -> Any:
        error = StoreUnavailable("the disk is full")
        error.passes_soon = False
        raise error

    monkeypatch.setattr(line.talk, "_find_principal", fail)
    monkeypatch.setattr(parts.matches._store, "append_all", fail)
    assert line.talk.find_end() is None
    [answer] = line.say(move(1, match))
    assert (answer["status"], answer["problem"]["code"]) == (503, "store/unavailable")


def test_an_error_of_ours_in_one_line_is_500_there_and_nothing_to_the_others(table: Table, parts: Parts, monkeypatch):
    bad, good = table.play(), table.play()
    secret_for = Parts.secret_for
    monkeypatch.setattr(
        Parts, "secret_for", lambda self, state: 1 / 0 if state.stream == bad else secret_for(self, state)
    )
    failed, done = open_line(table.api, table.ann).say(move(1, bad), move(2, good))
    assert (failed["status"], failed["problem"]["code"]) == (500, "server/error")
    assert done["status"] == 200


def test_lines_are_charged_as_the_requests_are():
    config = replace(CONFIG, allowances={**ALLOWANCES, "moves": ((3, 10**9),)}, allowances_for="all")
    table = Table(Api(create_app(compose(config, MemoryStore()))))
    match = table.api.new_match(table.ann, [{"player": table.ann_id}] * 2, "zhen")
    line = open_line(table.api, table.ann)
    answers = line.say(*[move(number, match, f"+{number}") for number in range(1, 5)])
    assert [answer["status"] for answer in answers] == [200, 200, 200, 429]
    assert answers[3]["problem"]["code"] == "allowance/used"
    assert answers[3]["problem"]["retry_after_s"] > 0
    assert line.talk.pause_s > 0
    asked = table.api.post(f"/v1/matches/{match}/moves", table.ann, {"move": "+4"})
    assert asked.status_code == 429


def test_places_are_few_and_given_back():
    config = replace(CONFIG, max_connections=3, max_connections_each=2)
    table = Table(Api(create_app(compose(config, MemoryStore()))))
    first, _ = open_line(table.api, table.ann), open_line(table.api, table.ann)
    assert ask(table.api, table.ann) == (429, "connection/share")
    open_line(table.api, table.ben)
    assert ask(table.api, table.ben) == (503, "connection/full")
    first.talk.stop()
    open_line(table.api, table.ann)


def test_a_connection_needs_a_token_a_websocket_and_our_server(table: Table):
    assert ask(table.api) == (401, "auth/missing")
    assert ask(table.api, "ply_nonsense") == (401, "auth/invalid")
    assert ask(table.api, table.ann, {HOLDS: True}) == (426, "connection/upgrade")
    assert ask(table.api, table.ann, {}) == (501, "connection/not-offered")
    client = table.api.app.test_client()
    signed_in = client.post("/sign-in", data={"token": table.ann}, headers={"Sec-Fetch-Site": "same-origin"})
    assert signed_in.status_code in (302, 303)
    assert client.get(PATH, environ_overrides=OURS).status_code == 401, "the cookie of a session does not do"


def test_the_changes_of_the_own_matches_are_followed(table: Table, monkeypatch):
    monkeypatch.setattr(reader_module, "RETRY_PAUSE_S", 0.01)
    monkeypatch.setattr(changes_module, "FRESH_S", 0.0)
    match, line = table.play(), open_line(table.api, table.ann)
    followed, again = line.say({"id": 1, "follow": {}}, {"id": 2, "follow": {}})
    assert (followed["status"], again["status"]) == (200, 422)
    open_line(table.api, table.ann).say(move(1, match))
    table.api.new_match(table.ben, [{"player": table.ben_id}, None], "zhen")
    table.api.post(f"/v1/matches/{match}/moves", table.ben, {"move": "+2"})
    eventually(lambda: len([change for change in line.changes if change["type"] == "change"]) >= 2)
    seen = [change for change in line.changes if change["type"] == "change"]
    assert [change["match"] for change in seen] == [match] * 2
    assert [change["events"][0]["data"]["move"] for change in seen] == ["+1", "+2"]
    line.talk.stop()
    late = open_line(table.api, table.ann)
    late.say({"id": 1, "follow": {"after": followed["after"]}})
    eventually(lambda: [change for change in late.changes if change["type"] == "change"] == seen)
    late.talk.stop()
