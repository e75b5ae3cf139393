"""Requests for moves that are there at the same time: answered together as their views would answer them, or left."""

import json
from dataclasses import replace
from typing import Any

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.rulesets import register
from plyscribe.service import metrics
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import ALLOWANCES
from plyscribe.service.matches import queries
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import Append, Appended, StoreUnavailable
from plyscribe.service.streams.patience import PATIENCE
from plyscribe.service.web.api.matches.play import SAID
from plyscribe.service.web.app import create_app
from plyscribe.service.web.handover import TRIED, Asked, Leave, Reply
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.our_server import OurServer
from tests.service.test_metrics import Counted

ELSEWHERE = "203.0.113.7"
KEY = "a key"


class Table:
    """Ann, matches in which she has both seats, and what becomes of requests that are there at the same time."""

    def __init__(self, **changed: Any) -> None:
        register(TOY_V1)
        self.store = MemoryStore()
        self.parts: Parts = compose(replace(CONFIG, **changed), self.store)
        app = create_app(self.parts)
        self.view = app.wsgi_app
        self.server = OurServer(app)
        self.api = Api(app)
        self.ann, self.token = self.api.sign_up("Ann")

    def new_match(self, ruleset: str = "zhen", **more: Any) -> str:
        return self.api.new_match(self.token, [{"player": self.ann}] * 2, ruleset, **more)

    def ask(self, match: str, body: Any, to: str = "moves", client: str = "127.0.0.1", **headers: str | None) -> Asked:
        """A usual request, but with these headers (`_` stands for `-`), or without those that are None."""
        body = {"move": body} if isinstance(body, str) else body
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        usual = {"host": "localhost", "authorization": f"Bearer {self.token}", "content_type": "application/json"}
        changed = {**usual, "content_length": str(len(raw)), **headers}
        given = {name.replace("_", "-"): value for name, value in changed.items() if value is not None}
        return Asked("POST", f"/v1/matches/{match}/{to}", client, given, raw)

    def try_all(self, *asked: Asked) -> list[Reply | Leave]:
        return list(self.server.try_all(asked))

    def leave(self, asked: Asked, tried: object = None) -> Any:
        """The answer of the view."""
        headers = {name: value for name, value in asked.headers.items() if name != "content-length"}
        noted: dict[str, Any] = {"REMOTE_ADDR": asked.client, **({} if tried is None else {TRIED: tried})}
        client = self.api.app.test_client()
        return client.post(asked.path, data=asked.body, headers=headers, environ_overrides=noted)

    def version(self, match: str) -> int:
        return self.parts.matches.read(match).version


@pytest.fixture
def table() -> Table:
    return Table()


def of_reply(reply: Reply | Leave) -> dict[str, Any]:
    assert isinstance(reply, Reply), reply
    return json.loads(reply.body)


BODIES: dict[str, Any] = {
    "moves": "+1",
    "rolls": {"values": [1, 1]},
    "withdrawal": {"seat": 1},
    "draw": {"action": "offer", "seat": 1},
}


def test_everything_that_lines_say_is_answered_together_and_nothing_else(table):
    match = f"/v1/matches/match-{'a' * 26}"
    assert set(BODIES) == set(SAID)
    assert all(table.server.together.takes("POST", f"{match}/{to}") for to in SAID)
    others = [
        f"{match}/corrections",
        f"{match}/moves/",
        f"{match.replace('a' * 26, 'A' * 26)}/moves",
        f"{match}~{'b' * 26}/moves",
    ]
    for method, path in [("GET", f"{match}/moves"), *(("POST", path) for path in ["/v1/matches", *others])]:
        assert not table.server.together.takes(method, path), path


@pytest.mark.parametrize("to", BODIES)
def test_the_answer_is_that_of_the_view(table, to):
    guests = [{"name": "Ada"}, {"name": "Bea"}]
    rolled = {"seats": guests, "ruleset": "toy", "recorded": True, "dice": "recorded"}
    match = table.api.new_match(table.token, **rolled) if to == "rolls" else table.new_match()
    asked = table.ask(match, BODIES[to], to, idempotency_key=KEY, x_request_id="mine")
    [reply] = table.try_all(asked)
    assert isinstance(reply, Reply)
    again = table.leave(asked)
    assert (again.status_code, again.data) == (reply.status, reply.body)
    headers = again.headers.to_wsgi_list()
    headers.remove(("Idempotency-Replayed", "true"))
    assert headers == reply.headers


@pytest.mark.parametrize("whom", ["all", "remote", "none"])
@pytest.mark.parametrize(
    ("client", "more"),
    [("127.0.0.1", {}), (ELSEWHERE, {}), ("::1", {}), ("127.0.0.1", {"x_forwarded_for": "10.0.0.1"})],
)
def test_it_says_of_the_allowance_what_the_view_says(whom, client, more):
    table = Table(allowances_for=whom, allowances=ALLOWANCES)
    table.parts.allowances._clock = lambda: 1000.0
    match = table.new_match()
    [reply] = table.try_all(table.ask(match, "+1", client=client, **more))
    assert isinstance(reply, Reply)
    said = dict(reply.headers)
    by_view = table.leave(table.ask(match, "+2", client=client, **more)).headers
    assert said.get("RateLimit-Policy") == by_view.get("RateLimit-Policy")
    assert ("RateLimit" in said) == ("RateLimit" in by_view) == ("RateLimit-Policy" in said)
    if "RateLimit" in said:
        left = [int(each["RateLimit"].partition("r=")[2].partition(";")[0]) for each in (said, by_view)]
        assert left[0] - left[1] == 1


def test_a_valid_request_id_comes_back_and_another_is_replaced(table):
    match = table.new_match()
    ids = []
    for number, given in enumerate(("mine", "not mine", "")):
        [reply] = table.try_all(table.ask(match, f"+{number + 1}", x_request_id=given))
        ids.append(dict(reply.headers)["X-Request-Id"])
    assert ids[0] == "mine"
    assert ids[1] != ids[2]
    assert {len(id) for id in ids[1:]} == {16}


def test_what_a_client_says_of_its_time_and_of_the_version_counts(table):
    match = table.new_match(limits={"match_ms": 2_000})
    since = table.api.get(f"/v1/matches/{match}").json["clock"]["since"]
    [reply] = table.try_all(table.ask(match, "+1", thought_ms="0", if_match='"2"'))
    [made] = of_reply(reply)["events"]
    elapsed = made["at"] - since
    assert made["data"]["spent_ms"] == elapsed - min(100, elapsed)
    assert isinstance(table.try_all(table.ask(match, "+2", if_match='"2"'))[0], Leave)
    assert table.version(match) == 3


@pytest.fixture
def appends(table, monkeypatch) -> list[list[Append]]:
    """What is appended together."""
    noted, append_all = [], table.store.append_all

    def note(appends: Any) -> Any:
        noted.append(list(appends))
        return append_all(appends)

    monkeypatch.setattr(table.store, "append_all", note)
    return noted


def test_requests_share_one_round_trip_and_no_refusal_or_unknown_match_among_them_holds_up_the_others(
    table, appends, monkeypatch
):
    first, refused, unknown, last = (table.new_match() for _ in range(4))
    table.parts.matches.forget(unknown)
    monkeypatch.setattr(table.store, "load", None)
    moves = ((first, "+1"), (refused, "9-9"), (unknown, "+1"), (last, "+1"), (last, "+2"))
    replies = table.try_all(*(table.ask(match, move) for match, move in moves))
    assert [type(reply) for reply in replies] == [Reply, Leave, Leave, Reply, Reply]
    assert [of_reply(reply)["version"] for reply in replies[3:]] == [3, 4]
    assert [[append.stream for append in together] for together in appends] == [[first, last, last]]
    monkeypatch.undo()
    assert table.version(refused) == 2


def test_nobody_waits_for_the_tournament_of_somebody_elses_match(table, monkeypatch):
    theirs, own = table.new_match(), table.new_match()
    cached = table.parts.matches.cached
    state = cached(theirs)
    created = replace(state.life.created, tournament={"id": f"tournament-{'a' * 26}", "round": 1, "pairing": 1})
    seats = tuple(seat._replace(occupant=None) for seat in state.life.seats)
    changed = {theirs: state._replace(lifecycle=state.life._replace(created=created, seats=seats))}
    monkeypatch.setattr(table.parts.matches, "cached", lambda stream: changed.get(stream) or cached(stream))
    monkeypatch.setattr(table.store, "load", None)
    left, reply = table.try_all(*(table.ask(match, "+1") for match in (theirs, own)))
    assert (type(left), type(reply)) == (Leave, Reply)


UNUSUAL: dict[str, dict[str, Any]] = {
    "no token": {"authorization": None},
    "another scheme": {"authorization": "Basic QW5uOg=="},
    "a token that this process has not seen": {"authorization": "Bearer ply_" + "a" * 26 + "_" + "b" * 43},
    "the code of a table": {"authorization": "Bearer plyt_x"},
    "a name that is not ours": {"host": "evil.example"},
    "no host": {"host": None},
    "a page of another origin": {"origin": "https://play.example.org"},
    "another media type": {"content_type": "text/plain"},
    "a media type with parameters": {"content_type": "application/json; charset=utf-8"},
    "a body that broke off": {"content_length": "999"},
    "a body in chunks": {"transfer_encoding": "chunked"},
    "a key that is too long": {"idempotency_key": "k" * 65},
    "a version that is none": {"if_match": "12"},
    "a time that is none": {"thought_ms": "soon"},
    "no JSON": {"body": b"{"},
    "a field that nobody knows": {"body": {"move": "+1", "also": 1}},
    "no move": {"body": {}},
    "several steps": {"body": {"steps": [{"move": "+1"}]}},
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_what_is_not_usual_is_left_before_it_is_charged(case, monkeypatch):
    table = Table(allowances_for="all")
    match, changed = table.new_match(), dict(UNUSUAL[case])
    monkeypatch.setattr(table.parts.allowances, "take", None)
    asked = table.ask(match, changed.pop("body", "+1"), **changed)
    assert table.try_all(asked) == [Leave()]
    assert table.version(match) == 2


def test_a_token_is_believed_no_longer_than_by_the_view(table, monkeypatch):
    match = table.new_match()
    monkeypatch.setattr(table.parts.accounts, "_tokens", {})
    asked = table.ask(match, "+1")
    assert table.try_all(asked) == [Leave()]
    # The view looks it up, and from then on it is known.
    assert table.leave(asked).status_code == 200
    assert isinstance(table.try_all(table.ask(match, "+2"))[0], Reply)


def limited(moves: int) -> Table:
    """A table with this allowance of moves."""
    return Table(allowances_for="all", allowances={**ALLOWANCES, "moves": ((moves, 10**9),)})


def test_a_refusal_is_that_of_the_view_and_charged_once_and_so_is_that_of_who_has_used_up_the_allowance():
    table = limited(2)
    match = table.new_match()
    asked = table.ask(match, "9-9")
    [left] = table.try_all(asked)
    assert isinstance(left, Leave)
    refused = table.leave(asked, left.tried)
    assert (refused.status_code, refused.json["code"]) == (422, "move/illegal")
    assert refused.headers["RateLimit"].startswith('"moves";r=1;')
    assert isinstance(table.try_all(table.ask(match, "+1"))[0], Reply)
    asked = table.ask(match, "+2")
    assert table.try_all(asked) == [Leave()]
    refused = table.leave(asked)
    assert (refused.status_code, refused.json["code"]) == (429, "allowance/used")
    assert table.version(match) == 3


def test_administrators_have_no_limits():
    table = limited(1)
    player, token = table.parts.accounts.sign_up(Actor("system", "test"), "Chief", "person", ("play", "admin"))
    table.ann, table.token = player.stream, token
    match = table.new_match()
    for tile in range(1, 4):
        [reply] = table.try_all(table.ask(match, f"+{tile}"))
        assert isinstance(reply, Reply)
        assert "RateLimit" not in dict(reply.headers)


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("headers", [{}, {"idempotency_key": KEY}])
def test_a_move_whose_answer_is_lost_counts_once_whether_it_was_stored_or_not(table, monkeypatch, headers, is_stored):
    match, append_all = table.new_match(), table.store.append_all

    def lose_the_answer(appends: Any) -> list[Appended]:
        if is_stored:
            append_all(appends)
        raise StoreUnavailable("away")

    monkeypatch.setattr(table.store, "append_all", lose_the_answer)
    asked = table.ask(match, "+1", **headers)
    [left] = table.try_all(asked)
    assert isinstance(left, Leave)
    given = table.leave(asked, left.tried)
    assert (given.status_code, given.json["version"], table.version(match)) == (200, 3, 3)
    assert is_stored or "Idempotency-Replayed" not in given.headers


def test_a_store_that_others_wait_for_is_not_asked(table, appends, monkeypatch):
    match = table.new_match()
    monkeypatch.setattr(PATIENCE, "_taken", 1)
    [left] = table.try_all(table.ask(match, "+1"))
    assert isinstance(left, Leave)
    assert appends == []


def test_a_repeated_request_gets_the_answer_that_it_got_and_is_one_move_also_at_once(table):
    match = table.new_match()
    asked = table.ask(match, "+1", idempotency_key=KEY)
    [reply] = table.try_all(asked)
    table.try_all(table.ask(match, "+2"))
    [left] = table.try_all(asked)
    assert isinstance(left, Leave)
    again = table.leave(asked, left.tried)
    assert (again.status_code, again.data) == (200, reply.body)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert table.version(match) == 4
    asked = table.ask(match, "+3", idempotency_key="another")
    reply, left = table.try_all(asked, asked)
    assert table.leave(asked, left.tried).data == reply.body
    assert table.version(match) == 5


def test_an_error_of_ours_in_one_request_is_left_to_its_view_and_the_others_are_answered(table, monkeypatch):
    bad, good = table.new_match(), table.new_match()
    describe = queries.describe_receipt

    def fail(answer: Any) -> dict[str, Any]:
        if answer.state.stream == bad:
            raise ZeroDivisionError
        return describe(answer)

    monkeypatch.setattr(queries, "describe_receipt", fail)
    first, second = table.try_all(*(table.ask(match, "+1") for match in (bad, good)))
    assert (type(first), type(second)) == (Leave, Reply)


def test_they_are_counted_under_the_route_of_their_view():
    metrics.begin("test")
    table = Table(open_metrics=True)
    match, counted = table.new_match(), Counted(table.api)
    table.try_all(*(table.ask(match, f"+{tile}") for tile in (1, 2)))
    table.leave(table.ask(match, "+3"))
    route = {"process": "test", "method": "POST", "route": "/v1/matches/{match}/moves", "status": "200"}
    assert counted("request_seconds_count", **route) == 3
