"""The Python client: every call against the API, and its behaviour while the server is unreachable."""

import time
from collections.abc import Callable
from types import SimpleNamespace

import httpx
import pytest

from plyscribe.domain.bundle.report import check_bytes
from plyscribe.domain.commands import Actor
from plyscribe.service.client import Client, Problem, connection, positions
from plyscribe.workers.check_import import check_import
from plyscribe.workers.verify_match import verify_all
from tests.service.notifying import notify
from tests.service.test_imports_api import Elsewhere


@pytest.fixture
def transport(api) -> httpx.WSGITransport:
    return httpx.WSGITransport(app=api.app)


Answer = Callable[[httpx.Request], httpx.Response]


def client(server: httpx.BaseTransport | Answer, token: str | None = None, retry_for_s: float = 0.0) -> Client:
    """A client of a server, or of a function that answers instead of one."""
    transport = server if isinstance(server, httpx.BaseTransport) else httpx.MockTransport(server)
    return Client("http://localhost", token, retry_for_s=retry_for_s, transport=transport)


@pytest.fixture
def ann(transport) -> Client:
    return client(transport, client(transport).sign_up("Ann")["token"])


@pytest.fixture
def ben(transport) -> Client:
    return client(transport, client(transport).sign_up("Ben", "bot", ["play"])["token"])


def test_what_happened_in_a_match_is_read_page_by_page(ann, ben):
    match = ann.create_match("pathagon", [{"player": ann.me()["player"]}, None])["match"]
    ben.take_seat(match, 2)
    for player, move in ((ann, "c3"), (ben, "c4"), (ann, "c5")):
        player.move(match, move)
    steps = list(ann.effects(match))
    assert [step["move"] for step in steps] == ["c3", "c4", "c5"]
    [german] = ann.effects(match, 2, 2, language="de")
    assert german["sentences"] == ["Ben setzt einen Stein aus dem Vorrat auf c4."]
    assert ann.position(match, 3, effects=True)["steps"] == steps[2:]
    assert "steps" not in ann.position(match, 3)
    assert "{Ben setzt" in ann.record(match, effects=True, language="de").replace("\n", " ")
    ann.withdraw(match)


def test_a_match_from_its_seats_to_its_end(ann, ben):
    assert (ann.me()["name"], ann.player(ben.me()["player"])["kind"]) == ("Ann", "bot")
    about = {"place": "Turin"}
    match = ann.create_match("zhen", [None, None], start="call", options={"tiles": 4}, about=about)["match"]
    ann.take_seat(match, 1)
    ben.take_seat(match, 2)
    ben.leave_seat(match, 2)
    ben.take_seat(match, 2)
    ann.start(match)
    receipt = ann.move(match, "+1", seat=1)
    assert receipt["turn"] == {"decision": 2}
    assert ben.legal_moves(match, "+") == ["+2", "+3", "+4"]
    some = ben.first_legal_moves(match, 2)
    assert (some["moves"], some["version"], some["next"] is None) == (["+2", "+3"], receipt["version"], False)
    ann.draw(match, "offer")
    ben.draw(match, "decline")
    assert ben.position(match, 1)["ply"] == 1
    assert ben.position(match, 1, version=receipt["version"])["version"] == receipt["version"]
    assert "Seat 2" in ann.board(match, 1)
    assert ben.withdraw(match)["turn"] == {"over": {"reason": "withdrawal", "ranks": [1, 2]}}
    assert ann.match(match)["status"] == "ended"
    assert ann.match(ann.rematch(match)["match"])["rematch_of"] == match
    assert ann.match(ben.fork(match, 1)["match"])["parent"] == {"match": match, "ply": 1}
    assert len(ann.events(match)) == ann.match(match)["version"]
    assert ann.record(match).endswith("\n\n1. +1 (2 resigned)\n")
    assert ann.export(match).count(b"\n") == ann.match(match)["version"] + 1
    assert check_bytes(ann.bundle(match)).result == ann.verification(match)["result"] == "ok"


def test_many_matches_are_followed_and_exported(ann, ben, monkeypatch):
    monkeypatch.setattr(connection, "RETRY_PAUSE_S", 0.0)
    old = ann.create_match("zhen", [None, None])["match"]
    changes = ben.follow_matches(ruleset="zhen", rated=False, after=0)
    gap, first = next(changes), next(changes)
    assert (gap["type"], first["type"], first["match"]) == ("gap", "change", old)
    new = ann.create_match("zhen", [None, None])["match"]
    assert next(changes)["match"] == new
    changes.close()
    assert [line["match"] for line in ann.export_matches(ruleset="zhen", limit=1)] == [old, new]
    assert [line["record"] for line in ann.export_matches(ruleset="zhen")] == [ann.record(old), ann.record(new)]
    ann.take_seat(new, 1)
    ben.take_seat(new, 2)
    ann.move(new, "+1")
    assert [line["ply"] for line in ann.export_matches("positions")] == [0, 0, 1]


def test_an_export_that_breaks_off_goes_on_where_it_was(ann, ben, transport):
    for _ in range(3):
        match = ann.create_match("zhen", [None, None])["match"]
        ann.take_seat(match, 1)
        ben.take_seat(match, 2)
        ann.move(match, "+1")
        ben.move(match, "+2")
    whole, requests = list(ann.export_matches("positions")), []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        request.headers["Accept-Encoding"] = "identity"
        answered = transport.handle_request(request)
        return httpx.Response(answered.status_code, headers=answered.headers, stream=Broken(answered.read(), 4))

    assert list(client(answer).export_matches("positions")) == whole
    assert len(requests) == 3


class Broken(httpx.SyncByteStream):
    """Breaks off within a line."""

    def __init__(self, body: bytes, lines: int) -> None:
        self.body, self.lines = body, lines

    def __iter__(self):
        for number, line in enumerate(self.body.splitlines(keepends=True)):
            if number == self.lines:
                yield line[: len(line) // 2]
                raise httpx.ReadError("the connection broke")
            yield line


def test_a_match_of_another_server_is_imported(ann, parts):
    elsewhere = Elsewhere()
    match = elsewhere.play()
    taken = ann.import_bundle(elsewhere.bundle(match))
    assert (taken["match"], taken["status"]) == (match, "waiting")
    check_import(parts, taken["import"])
    for named in (taken["import"], taken["address"]):
        assert ann.imported(named)["status"] == "verified"
    assert [row["match"] for row in ann.matches(imported=True)] == [taken["address"]]
    last = elsewhere.get(f"/v1/matches/{match}").json
    assert ann.match(match, receipt=last)["match"] == taken["address"]
    with pytest.raises(Problem, match="match/receipt"):
        ann.match(match, receipt={**last, "version": 2})


def test_tokens(ann, ben, transport, parts):
    first = ann.tokens()[0]["id"]
    bot = ann.issue_token(["play"], label="Bot", expires_in_s=60)
    assert [token["label"] for token in ann.tokens()] == [None, "Bot"]
    ann.rotate_token(overlap_s=60)
    assert [token["current"] for token in ann.tokens()] == [False, False, True]
    assert ann.revoke_token(first)["id"] == first
    assert client(transport, bot["token"]).me()["player"] == ann.me()["player"]
    _, root = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))
    fresh = client(transport, root).recover_account(ben.me()["player"], label="help")["token"]
    assert client(transport, fresh).me()["name"] == "Ben"
    with pytest.raises(Problem):
        ben.me()


def test_a_private_match_and_a_link_to_its_seat(ann, ben, transport):
    match = ann.create_match("zhen", [{"player": ann.me()["player"]}, None], private=True)["match"]
    code = ann.invite(match, 2, expires_in_s=60)["invitation"]
    assert client(transport).match(match, invitation=code)["private"]
    assert ben.take_seat(match, 2, invitation=code)["turn"] == {"decision": 1}


def test_a_pause_and_a_changed_clock(ann, ben, transport, parts):
    match = ann.create_match("zhen", [{"player": ann.me()["player"]}, None], limits={"match_ms": 60_000})["match"]
    ben.take_seat(match, 2)
    token = parts.accounts.sign_up(Actor("system", "first-start"), "Root", "person", ("admin",))[1]
    admin = client(transport, token)
    admin.pause(match, "the lights went out")
    assert ann.match(match)["paused"]["why"] == "the lights went out"
    admin.adjust_clock(match, 2, 30_000, "a late start")
    admin.resume(match)
    state = ann.match(match)
    assert (state["paused"], state["clock"]["left_ms"]) == (None, [60_000, 90_000])


def test_the_client_says_how_long_it_had_the_position(ann, ben, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(positions, "time", SimpleNamespace(monotonic=lambda: now[0]))
    match = ann.create_match("zhen", [{"player": ann.me()["player"]}, None], limits={"match_ms": 600_000})["match"]
    ben.take_seat(match, 2)
    ann.match(match)
    # By its own clock it thinks for longer than the match lasts, then for no time at all.
    now[0] += 3600
    [made] = ann.move(match, "+5")["events"]
    assert "lag_ms" not in made["data"]
    ben.match(match)
    [made] = ben.move(match, "+3")["events"]
    elapsed = made["data"]["spent_ms"] + made["data"].get("lag_ms", 0)
    assert made["data"].get("lag_ms", 0) == min(500, elapsed)


def test_a_client_remembers_the_newest_position_of_few_matches(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(positions, "time", SimpleNamespace(monotonic=lambda: now[0]))
    seen = positions.Positions()
    seen.note("match-a", 3)
    now[0] = 1.0
    seen.note("match-a", 3)
    seen.note("match-a", 2)
    seen.note(None, 9)
    assert seen.find_thought_ms("match-a") == 1000
    seen.note("match-a", 4)
    assert seen.find_thought_ms("match-a") == 0
    for number in range(positions.MOST):
        seen.note(f"match-{number}", 1)
    assert seen.find_thought_ms("match-a") is None


def test_ratings_and_what_an_annulment_changes(ann, ben, transport, parts):
    match = ann.create_match("zhen", [{"player": ann.me()["player"]}, None], rated=True)["match"]
    ben.take_seat(match, 2)
    ann.move(match, "+5")
    assert ben.move(match, "+3")["counts"]
    verify_all(parts, [(match, ann.withdraw(match)["version"])])
    assert [row["name"] for row in ann.ratings("zhen")] == ["Ben", "Ann"]
    assert ann.ratings_lag("zhen") == 0
    [played] = ann.rating("zhen", ann.me()["player"])
    assert (played["match"], played["rank"]) == (match, 2)
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))
    root = client(transport, token)
    assert root.verify_again(match)["due"] is False
    preview = root.annulment(match, preview=True)
    assert root.annul(match, "a mistake")["turn"] == {"over": {"reason": "withdrawal", "ranks": [2, 1]}}
    assert ann.annulment(match) == preview
    assert ann.match(match)["annulment"] == {"why": "a mistake"}


def test_dice_take_backs_and_aborts(ann, ben):
    match = ann.create_match("toy", [None, None])["match"]
    ann.take_seat(match, 1)
    ben.take_seat(match, 2, entropy="b")
    assert ann.add_entropy(match, "a")["turn"] == {"decision": 1}
    assert ann.abort(match, "rain")["turn"] is None
    seats = [{"name": "Ada"}, None]
    recorded = ann.create_match("toy", seats, recorded=True, dice="recorded")["match"]
    ann.take_seat(recorded, 2, name="Bea")
    for values in ([1, 2], [1], [1]):
        ann.roll(recorded, values)
    ann.move(recorded, "hold")
    corrected = ann.correct(recorded, 2, [{"values": [3]}])
    assert [event["type"] for event in corrected["events"]] == ["steps-taken-back", "dice-rolled", "move-made"]
    assert ann.take_back(recorded, 0)["turn"] == {"decision": 1}
    assert ann.take_back(recorded, steps=1)["turn"]["roll"]["sides"] == 3
    ann.withdraw(recorded, 1, "absent")
    assert ann.match(recorded)["confirm_by"] is not None
    assert ann.confirm_record(recorded)["events"][0]["type"] == "record-confirmed"
    assert ann.match(recorded)["confirm_by"] is None


def test_lists_are_read_page_by_page(ann, ben, monkeypatch):
    monkeypatch.setattr("plyscribe.service.client.client.ROWS", 2)
    made = [ann.create_match("zhen", [{"player": ann.me()["player"]}, None])["match"] for _ in range(5)]
    ann.create_match("pathagon", [None, None])
    assert {row["match"] for row in ann.matches(ruleset="zhen", status=["open", "playing"], rated=False)} == set(made)
    ben.take_seat(made[0], 2)
    assert [row["match"] for row in ann.matches(waiting=True)] == made[:1]
    [row] = ben.matches(player=ben.me()["player"], since=1, until=2**50)
    assert row["waits_for"] == [{"player": ann.me()["player"], "what": "move"}]
    assert [row["name"] for row in ann.players("b", kind="bot")] == ["Ben"]


def test_matches_are_found_by_players_results_words_and_length_in_an_order(ann, ben):
    me, other = (each.me()["player"] for each in (ann, ben))
    seats = [{"player": me}, {"player": other}]
    won, open_match = (
        ann.create_match("pathagon", seats, about={"place": "Turin", "event": event})["match"]
        for event in ("Cup", "Club evening")
    )
    ben.take_seat(won, 2)
    ann.move(won, "d4")
    ben.withdraw(won)
    for wanted in (
        {"player": me, "opponent": other, "result": "won"},
        {"player": other, "result": "lost"},
        {"reason": "withdrawal"},
        {"min_plies": 1},
        {"max_plies": 1, "sort": "length", "order": "asc"},
        {"q": "ann be", "about": "cup"},
        {"sort": "ended"},
    ):
        assert [row["match"] for row in ann.matches(**wanted)] == [won], wanted
    assert {row["match"] for row in ann.matches(place="turin", about="turin")} == {won, open_match}
    first, second = ann.matches(order="asc")
    assert first["created_at"] <= second["created_at"]


class Flaky:
    """Loses the first six answers: to a broken connection, a 503, a 429, a body that did not arrive, and a proxy."""

    def __init__(self, within: httpx.BaseTransport) -> None:
        self.within, self.keys = within, list[str]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key", ""))
        answer = self.within.handle_request(request)
        if len(self.keys) == 1:
            raise httpx.ReadError("lost")
        problems = {2: (503, "store/unavailable"), 3: (429, "live/share"), 4: (400, "request/truncated")}
        if len(self.keys) in problems:
            status, code = problems[len(self.keys)]
            return httpx.Response(status, json={"code": code, "detail": "", "status": status})
        if len(self.keys) in (5, 6):
            return httpx.Response(502 if len(self.keys) == 5 else 504, html="<h1>Nobody answers</h1>")
        return answer


@pytest.mark.parametrize("name", ["move", "sign_up", "issue_token", "rotate_token"])
def test_a_lost_request_is_sent_again_with_its_key_and_counts_once(transport, ann, name):
    me, flaky = {"player": ann.me()["player"]}, Flaky(transport)
    match = ann.create_match("zhen", [me, me])["match"]
    asked = {"move": (match, "+1"), "sign_up": ("Cat",)}.get(name, ())
    with client(flaky, ann.token, retry_for_s=30.0) as patient:
        answer = getattr(patient, name)(*asked)
    assert (len(flaky.keys), len(set(flaky.keys))) == (7, 1)
    if name == "move":
        assert ann.match(match)["moves"] == ["+1"]
    else:
        assert client(transport, answer["token"]).me()["name"] in ("Ann", "Cat")


def busy(retry_after: str) -> Answer:
    document, headers = {"code": "store/unavailable", "detail": "", "status": 503}, {"Retry-After": retry_after}
    return lambda _: httpx.Response(503, json=document, headers=headers)


@pytest.mark.parametrize("retry_after", ["3600", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_client_does_not_wait_beyond_its_deadline(monkeypatch, retry_after):
    clock = SimpleNamespace(monotonic=time.monotonic, time=time.time)
    monkeypatch.setattr("plyscribe.service.client.connection.time", clock)
    with client(busy(retry_after), retry_for_s=30.0) as patient, pytest.raises(Problem) as refused:
        patient.rulesets()
    assert refused.value.retry_after_s >= 3600


@pytest.mark.parametrize("retry_after", ["", "soon", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_an_unreadable_retry_after_means_no_wait(retry_after):
    with client(busy(retry_after)) as hasty, pytest.raises(Problem) as refused:
        hasty.rulesets()
    assert refused.value.retry_after_s == 0.0


def test_an_answer_that_cannot_be_used_is_an_error(ann):
    match = ann.create_match("zhen", [None, None])["match"]
    first_line = ann.bundle(match).partition(b"\n")[0] + b"\n"
    for fetch in (Client.export, Client.bundle):
        with client(lambda _: httpx.Response(200, content=first_line)) as cut, pytest.raises(Problem) as refused:
            fetch(cut, match)
        assert refused.value.code == "export/incomplete"
    page = "<html>Bad gateway</html>"
    with client(lambda _: httpx.Response(502, text=page)) as lost, pytest.raises(Problem) as refused:
        lost.rulesets()
    assert (refused.value.status, refused.value.code) == (502, "server/unreadable")

    def refuse(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with client(refuse) as nobody, pytest.raises(httpx.ConnectError):
        nobody.rulesets()


def test_a_match_is_followed_to_its_end(ann, ben):
    match = ann.create_match("zhen", [None, None])["match"]
    ann.take_seat(match, 1)
    ann.abort(match)
    assert list(ben.follow(match)) == ann.events(match)
    told, steps = list(ben.follow_effects(match, language="de")), ann.effects(match, language="de")
    assert [event["version"] for event in told] == [event["version"] for event in ann.events(match)]
    assert [each for event in told for each in event["sentences"]] == [
        each for step in steps for each in step["sentences"]
    ]
    assert list(ben.follow(match, after=2)) == ann.events(match, after=2)
    assert list(ben.follow(match, after=3)) == []


def test_a_refusal_is_a_problem_and_a_key_makes_one_match(ann):
    me = {"player": ann.me()["player"]}
    match = ann.create_match("zhen", [me, me], key="k")
    assert ann.create_match("zhen", [me, me], key="k") == match
    ann.move(match["match"], "+1", version=match["version"])
    with pytest.raises(Problem) as refused:
        ann.move(match["match"], "+2", version=match["version"])
    assert (refused.value.status, refused.value.code) == (412, "stream/version-conflict")
    with pytest.raises(Problem, match="match/unknown"):
        next(ann.follow(f"match-{'a' * 26}"))


def test_a_stream_that_breaks_off_continues_after_the_last_complete_event(monkeypatch):
    monkeypatch.setattr(connection, "RETRY_PAUSE_S", 0.0)
    pieces = [
        b'retry: 1000\n\nid: 1\nevent: a\ndata: {"version":1}\n\nid: 2\nevent: a\nda',
        b":\n\n",
        b'id: 2\nevent: a\ndata: {"version":2}\n\nevent: end\ndata: {}\n\n',
    ]
    asked_after: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        """A stream that breaks off after each piece, and is unreachable in between."""
        asked_after.append(request.headers["Last-Event-ID"])
        if len(asked_after) % 2 == 0:
            raise httpx.ConnectError("refused")
        piece = pieces.pop(0)
        return httpx.Response(200, stream=Broken(piece + b"..", piece.count(b"\n")))

    with client(answer, retry_for_s=30.0) as follower:
        assert [event["version"] for event in follower.follow("match-x")] == [1, 2]
    assert asked_after == ["0", "1", "1", "1", "1"]


def test_a_bot_follows_its_inbox(ann, ben, parts):
    assert ben.newest_in_inbox() == 0
    match = ann.create_match("zhen", [None, {"player": ben.me()["player"]}])["match"]
    notify(parts, parts.store.tail().entries)
    entry = next(ben.inbox())
    assert (entry["type"], entry["match"], entry["seat"]) == ("seat-offered", match, 2)
    assert ben.newest_in_inbox() == entry["id"]


def test_a_client_tries_steps_and_asks_for_a_suggestion(ann):
    assert ann.rulesets(seats=16) == []
    assert "pathagon" in [ruleset["ruleset"] for ruleset in ann.rulesets()]
    assert ann.ready()["status"] == "ready"
    tried = ann.try_steps("zhen", [{"move": "+3"}], seats=2)
    assert (tried["ply"], tried["turn"]) == (1, {"decision": 2})
    assert ann.suggest("zhen", [{"move": "+3"}], seats=2, playouts=20)["seat"] == 2
    with pytest.raises(Problem) as refused:
        ann.try_steps("zhen", [{"move": "+3"}, {"move": "5-3"}], seats=2)
    assert (refused.value.code, refused.value.document["step"]) == ("move/illegal", 1)
