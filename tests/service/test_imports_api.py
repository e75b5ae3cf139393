"""Imports of bundles over HTTP: another server in the same process records the matches."""

from hashlib import sha256
from typing import Any

import orjson
import pytest

from plyscribe.domain.bundle.bundle import describe_head, format_bundle, parse_bundle
from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.commands import AbortMatch, Actor
from plyscribe.domain.import_list import list_of
from plyscribe.domain.imported import CHUNK_BYTES, MAX_LINE_BYTES, address_of, import_of, split_address
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.store.imported import ReadOnly
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.api.http import BUNDLE
from plyscribe.service.web.app import create_app
from plyscribe.service.web.handover import CROWDED
from plyscribe.workers.check_import import check_import
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api


class Elsewhere(Api):
    """A server with a key of its own, or with these parts, on which matches are played to their end."""

    def __init__(self, parts: Parts | None = None) -> None:
        self.parts = parts or compose(Config("", "", parse_key("a5" * 32), open_sign_up=True), MemoryStore())
        super().__init__(create_app(self.parts))

    def bundle(self, match: str, upto: int | None = None) -> bytes:
        return bundle_of(self.parts, match, upto)

    def play(self, ruleset: str = "zhen", **more: Any) -> str:
        """A match in which seat 2 resigned, scored."""
        (_, ann), (_, ben) = self.sign_up(), self.sign_up()
        match = self.new_match(ann, ruleset=ruleset, **more)
        for seat, token in ((1, ann), (2, ben)):
            self.post(f"/v1/matches/{match}/seats/{seat}", token, {})
        self.post(f"/v1/matches/{match}/withdrawal", ben, {})
        self.verify(match)
        return match

    def verify(self, match: str) -> None:
        version = self.parts.matches.read(match).version
        assert verify_all(self.parts, [(match, version)]) == ["scored"]


def bundle_of(parts: Parts, match: str, upto: int | None = None) -> bytes:
    state = parts.matches.read(match)
    events = parts.matches.read_events(match, 0)[:upto]
    return b"".join(format_bundle(describe_head(split_address(match)[0], state.life.created), events))


def forged(bundle: bytes, change: Any) -> bytes:
    """The bundle with changed events and a new hash chain."""
    head, entries = parse_bundle(bundle)
    raws = [orjson.loads(entry.e) for entry in entries]
    change(raws)
    encoded = [orjson.dumps(raw, option=orjson.OPT_SORT_KEYS) for raw in raws]
    return b"".join(format_bundle(head, link_all(first_link(head.match), 1, encoded)))


def let_the_other_win(raws: list[Any]) -> None:
    """A change that turns the result round."""
    next(raw for raw in raws if raw["type"] == "match-ended")["data"]["ranks"].reverse()


def claim(player: str) -> Any:
    """A change that lets the account act in place of each player."""

    def name_our_player(raws: list[Any]) -> None:
        for raw in raws:
            raw["by"] = f"player:{player}" if raw["by"].startswith("player:") else raw["by"]

    return name_our_player


@pytest.fixture
def elsewhere(api: Api) -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def token(api: Api) -> str:
    return api.sign_up("Ida")[1]


def send(api: Api, token: str | None, bundle: bytes, status: int = 202) -> Any:
    sent = api.send("POST", "/v1/imports", token, data=bundle, content_type=BUNDLE)
    assert sent.status_code == status, sent.json
    return sent.json


def bring(api: Api, parts: Parts, token: str, bundle: bytes) -> str:
    """The address of the match, imported and judged."""
    taken = send(api, token, bundle)
    check_import(parts, taken["import"])
    return str(taken["address"])


def import_at(address: str) -> str:
    return f"/v1/imports/{split_address(address)[1]}"


def test_an_export_that_is_imported_and_exported_is_the_same(api, parts, token, elsewhere):
    match = elsewhere.play()
    bundle = elsewhere.bundle(match)
    taken = send(api, token, bundle)
    assert (taken["match"], taken["status"]) == (match, "waiting")
    assert taken["address"] == address_of(match, taken["import"])
    assert taken["sha256"] == sha256(bundle).hexdigest()
    assert bundle_of(parts, taken["address"]) == bundle
    events = parts.store.load(taken["import"]).entries
    assert send(api, api.sign_up("Eve")[1], bundle) == taken, "it is the same import whoever sends it"
    assert parts.store.load(taken["import"]).entries == events
    for named in (match, taken["address"]):
        assert api.get(f"/v1/matches/{named}/bundle").data == bundle
    ours, theirs = (server.get(f"/v1/matches/{match}/events").json["events"] for server in (api, elsewhere))
    assert ours == theirs


def test_an_import_is_executed_again_here(api, parts, token, elsewhere):
    taken = send(api, token, elsewhere.bundle(elsewhere.play()))
    before = api.get(f"/v1/matches/{taken['match']}").headers["ETag"]
    for _ in range(2):
        assert check_import(parts, taken["import"]) == "verified"
    told = api.get(f"/v1/imports/{taken['import']}").json
    assert (told["status"], told["verdict"]["type"]) == ("verified", "import-verified")
    shown = api.get(f"/v1/matches/{taken['match']}", headers={"If-None-Match": before})
    assert shown.json["match"] == taken["address"]
    expected = {name: taken[name] for name in ("import", "match", "by")}
    assert shown.json["imported"] == {**expected, "status": "verified", "others": []}
    same = api.get(f"/v1/matches/{taken['match']}", headers={"If-None-Match": shown.headers["ETag"]})
    assert same.status_code == 304


def test_a_forged_result_or_verdict_is_refuted(api, parts, token, elsewhere):
    def make_up(raws: list[Any]) -> None:
        [verified] = [raw for raw in raws if raw["type"] == "match-verified"]
        verified["data"]["digest"] = "0" * 64

    match = bring(api, parts, token, forged(elsewhere.bundle(elsewhere.play()), let_the_other_win))
    told = api.get(import_at(match)).json
    assert (told["status"], told["verdict"]["type"]) == ("refuted", "import-refuted")
    [row] = api.get("/v1/matches?imported=true").json["matches"]
    assert (row["match"], row["status"], row["imported"], row["importer"]) == (match, "refuted", True, told["by"])
    match = bring(api, parts, token, forged(elsewhere.bundle(elsewhere.play()), make_up))
    verdict = api.get(import_at(match)).json["verdict"]
    assert (verdict["type"], verdict["check"]) == ("import-refuted", "verdict")


def test_nobody_can_act_in_an_imported_match(api, parts, token, elsewhere):
    player, _ = api.sign_up("Ann")
    match = elsewhere.new_match(elsewhere.sign_up("Ann")[1])
    address = bring(api, parts, token, forged(elsewhere.bundle(match), claim(player)))
    scopes = ("organise", "admin", "play")
    organiser = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", scopes)[1]
    for path, body in (
        ("moves", {"move": "a1"}),
        ("seats/1", {}),
        ("seats/1/invitations", {}),
        ("start", {}),
        ("abort", {}),
        ("rematch", {}),
        ("duplicates/2", {"seats": [None, None]}),
        ("verification", {}),
        ("annulment", {"why": "no"}),
    ):
        refused = api.post(f"/v1/matches/{address}/{path}", organiser, body)
        assert (refused.status_code, refused.json["code"]) == (409, "match/read-only"), path
        # A command never means an import by the id of its match: that may yet become a match of ours.
        unknown = api.post(f"/v1/matches/{match}/{path}", organiser, body)
        assert (unknown.status_code, unknown.json["code"]) == (404, "match/unknown"), path
    assert parts.store.load(match).entries == []
    creator = Actor("player", parts.matches.read(address).life.creator)
    with pytest.raises(ReadOnly):
        parts.matches.execute(address, lambda _: AbortMatch(actor=creator), command_of("x", "", "", None, b""))


def test_the_lists_tell_imported_matches_apart(api, parts, token, elsewhere):
    own = api.new_match(token)
    match = bring(api, parts, token, elsewhere.bundle(elsewhere.play()))
    rows = {row["match"]: row for page in api.pages("/v1/matches?limit=1") for row in page["matches"]}
    assert {name: row["imported"] for name, row in rows.items()} == {own: False, match: True}
    assert (rows[match]["status"], rows[match]["rated"], rows[match]["waits_for"]) == ("verified", False, [])
    for query, expected in (
        ("imported=true", [match]),
        ("imported=false", [own]),
        ("status=verified", [match]),
        ("ruleset=zhen", [match]),
        ("ruleset=zhen&imported=false", []),
        *((f"player={player}", []) for player in parts.matches.read(match).life.players),
    ):
        assert [row["match"] for row in api.get(f"/v1/matches?{query}").json["matches"]] == expected, query


def test_an_imported_match_never_shows_the_name_of_an_account_here(api, parts, token, elsewhere):
    player, _ = api.sign_up("Known Here")

    def name_our_player(raws: list[Any]) -> None:
        for raw in raws:
            if raw["type"] == "seat-taken":
                raw["data"]["player"] = {"player": player}

    match = bring(api, parts, token, forged(elsewhere.bundle(elsewhere.play()), name_our_player))
    assert player in api.get(f"/v1/matches/{match}").text
    assert "Known Here" not in api.get(f"/v1/matches/{match}/record").text


def test_an_imported_private_match_is_private_to_its_importer_whatever_is_imported_under_its_id(
    api, parts, token, elsewhere
):
    player, eve = api.sign_up("Eve")
    _, ann = elsewhere.sign_up("Ann")
    match = elsewhere.new_match(ann, private=True)
    bundle = forged(elsewhere.bundle(match), claim(player))
    forgery = bring(api, parts, eve, forged(bundle, lambda raws: raws[0]["data"].update(start="call")))
    true = bring(api, parts, token, bundle)
    for path in (f"/v1/matches/{true}", f"/v1/matches/{true}/bundle", f"/v1/matches/{true}/events", import_at(true)):
        assert api.get(path).status_code == api.get(path, eve).status_code == 404
        assert api.get(path, token).status_code == 200
    for who, address in ((eve, forgery), (token, true)):
        assert api.get(f"/v1/matches/{match}", who).json["match"] == address
        assert [row["match"] for row in api.get("/v1/matches", who).json["matches"]] == [address]


def test_a_shorter_bundle_that_arrives_during_a_longer_import_gets_that_import(
    api, parts, token, elsewhere, monkeypatch
):
    match = elsewhere.play()
    read = parts.imports.read

    def come_between(stream: str) -> Any:
        state = read(stream)
        monkeypatch.undo()
        send(api, token, elsewhere.bundle(match))
        return state

    monkeypatch.setattr(parts.imports, "read", come_between)
    assert send(api, token, elsewhere.bundle(match, 1))["status"] == "waiting"


def test_a_longer_bundle_continues_the_import(api, parts, token, elsewhere):
    match = elsewhere.play()
    short, whole = elsewhere.bundle(match, upto=5), elsewhere.bundle(match)
    address = bring(api, parts, token, short)
    assert bring(api, parts, token, whole) == address
    assert bundle_of(parts, address) == whole
    told = send(api, token, short)
    assert (told["status"], told["copied"]) == ("verified", {"done": 8, "total": 8})


def test_a_file_that_is_no_bundle_is_refused_with_its_line(api, token, elsewhere):
    whole = elsewhere.bundle(elsewhere.play())
    for line, bundle in (
        (1, b"{}\n" + whole),
        (3, whole.replace(b'"seat":1', b'"seat":2', 1)),
        (10, whole[:-3] + b"0}\n"),
        (2, b"\n"),
    ):
        refused = send(api, token, bundle, 422)
        assert (refused["code"], refused["line"]) == ("bundle/unreadable", line)
    send(api, None, b"", 401)
    refused = api.send("POST", "/v1/imports", token, data=b"{}", content_type="application/json")
    assert (refused.status_code, refused.json["code"]) == (415, "request/unsupported-media-type")
    for id in (import_of("match-" + "a" * 26), "import-x", "match-" + "a" * 26):
        assert api.get(f"/v1/imports/{id}").status_code == 404


def test_a_bundle_must_hold_a_match_that_can_be_read_here(api, token, elsewhere):
    bundle = elsewhere.bundle(elsewhere.play())
    for change in (
        lambda raws: raws.clear(),
        lambda raws: raws[0].update(type="match-started", data={}),
        lambda raws: raws[0]["data"].update(ruleset="pathagon"),
        lambda raws: raws[0]["data"].update(about={"place": "x" * MAX_LINE_BYTES}),
        lambda raws: raws[1].update(type="match-dreamt"),
    ):
        assert send(api, token, forged(bundle, change), 422)["code"] == "bundle/unreadable"
    head, entries = parse_bundle(bundle)
    other = b"".join(format_bundle(head._replace(behaviour="0" * 64), entries))
    assert send(api, token, other, 422)["code"] == "import/behaviour"
    entries = parse_bundle(forged(bundle, lambda raws: raws[0]["data"].update(ruleset="chess"))).entries
    chess = b"".join(format_bundle(head._replace(ruleset="chess"), entries))
    assert send(api, token, chess, 422)["code"] == "ruleset/unknown"


def test_the_verdict_of_a_running_match_names_only_the_checks_that_were_possible_and_its_stream_ends(
    api, parts, token, elsewhere
):
    _, ann = elsewhere.sign_up("Ann")
    match = bring(api, parts, token, elsewhere.bundle(elsewhere.new_match(ann, ruleset="toy")))
    verdict = {"type": "import-verified", "version": 1, "checks": ["chain", "canonical", "rules"]}
    assert api.get(import_at(match)).json["verdict"] == verdict
    stream = api.get(f"/v1/matches/{match}/events", headers={"Accept": "text/event-stream"})
    assert b"event: end" in stream.data
    assert api.get(f"/v1/matches/{match}/events?after=1&wait=30").json["events"] == []


def test_imports_take_large_bodies_and_are_read_one_at_a_time(api, token):
    assert send(api, token, b"x" * 70_000, 422)["code"] == "bundle/unreadable"
    crowded = api.send("POST", "/v1/imports", token, data=b"", content_type=BUNDLE, environ_overrides={CROWDED: True})
    assert (crowded.status_code, crowded.json["code"]) == (503, "request/crowded")


def long_bundle(elsewhere: Elsewhere) -> tuple[str, bytes]:
    """A match of recorded moves and take-backs that needs several events to copy."""
    _, ann = elsewhere.sign_up("Ann")
    match = elsewhere.new_match(ann, [{"name": "Ada"}, {"name": "Bea"}], recorded=True)
    move = elsewhere.get(f"/v1/matches/{match}/legal-moves?limit=1").json["moves"][0]
    while len(elsewhere.bundle(match)) < 2.5 * CHUNK_BYTES:
        for _ in range(50):
            elsewhere.post(f"/v1/matches/{match}/moves", ann, {"move": move})
            elsewhere.post(f"/v1/matches/{match}/take-back", ann, {"ply": 0})
    return match, elsewhere.bundle(match)


def test_an_interrupted_import_continues_and_can_be_read_when_it_is_complete(api, parts, token, elsewhere, monkeypatch):
    match, bundle = long_bundle(elsewhere)
    append, appends = parts.store.append, []

    def die(*args: Any) -> Any:
        appends.append(args)
        if len(appends) == 4:
            raise RuntimeError("killed")
        return append(*args)

    monkeypatch.setattr(parts.store, "append", die)
    send(api, token, bundle, 500)
    [stream] = parts.imports._lists.read(list_of(match)).imports
    broken = api.get(f"/v1/imports/{stream}").json
    assert broken["status"] == "copying"
    assert 0 < broken["copied"]["done"] < broken["copied"]["total"]
    assert api.get(f"/v1/matches/{match}").status_code == 404
    assert send(api, token, bundle)["status"] == "waiting"
    assert bundle_of(parts, address_of(match, stream)) == bundle
    assert check_import(parts, stream) == "verified"
    assert all(len(entry.e) < 256 * 1024 for entry in parts.store.load(stream).entries)
