"""Different bundles of one match id: none keeps another out, and none is taken for a match of this server."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

from plyscribe.domain.bundle.bundle import format_bundle, parse_bundle
from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.commands import Actor
from plyscribe.domain.import_list import list_of
from plyscribe.domain.imported import BeginImport, CopyEvents, address_of, import_of
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts, compose
from plyscribe.service.matches.rematches import rematch_id
from plyscribe.service.streams.ids import job_command
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.test_imports_api import Elsewhere, bring, bundle_of, forged, import_at, send

PATHS = ("", "/events", "/positions/0", "/record", "/bundle", "/verification", "/legal-moves")
"""What a request can read of a match."""


@pytest.fixture
def elsewhere(api: Api) -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def ida(api: Api) -> tuple[str, str]:
    return api.sign_up("Ida")


@pytest.fixture
def eve(api: Api) -> tuple[str, str]:
    return api.sign_up("Eve")


def show(api: Api, path: str) -> TestResponse:
    return api.app.test_client().get(path, headers={"Accept": "text/html"})


def moved(bundle: bytes, place: int = -1) -> bytes:
    """The bundle with the time of one event moved by 5 ms, consistent again."""
    return forged(bundle, lambda raws: raws[place].update(at=raws[place]["at"] + 5))


def renamed(bundle: bytes, match: str) -> bytes:
    """The bundle under the id of another match, consistent again."""
    head, entries = parse_bundle(bundle)
    chained = link_all(first_link(match), 1, [entry.e for entry in entries])
    return b"".join(format_bundle(head._replace(match=match), chained))


class Squat:
    """A match of another server that Eve imported first, with one time moved, and Ida then as it is."""

    def __init__(self, api: Api, parts: Parts, elsewhere: Elsewhere, ida: str, eve: str) -> None:
        self.match = elsewhere.play()
        self.bundle = elsewhere.bundle(self.match)
        self.forgery = bring(api, parts, eve, moved(self.bundle, place=1))
        self.true = bring(api, parts, ida, self.bundle)
        self.events = elsewhere.get(f"/v1/matches/{self.match}/events").json["events"]

    def receipt(self, version: int) -> str:
        return f"?receipt={version}:{self.events[version - 1]['hash']}"


@pytest.fixture
def squat(api: Api, parts: Parts, elsewhere: Elsewhere, ida: tuple[str, str], eve: tuple[str, str]) -> Squat:
    return Squat(api, parts, elsewhere, ida[1], eve[1])


def test_a_forged_bundle_does_not_keep_the_true_one_out(api, squat, ida, eve):
    assert squat.forgery != squat.true
    assert api.get(f"/v1/matches/{squat.true}/bundle").data == squat.bundle
    for address, other in ((squat.true, squat.forgery), (squat.forgery, squat.true)):
        shown = api.get(f"/v1/matches/{address}").json
        assert (shown["match"], shown["imported"]["match"]) == (address, squat.match)
        assert (shown["imported"]["status"], shown["imported"]["others"]) == ("verified", [other])
    rows = {row["match"]: row["importer"] for row in api.get("/v1/matches?imported=true").json["matches"]}
    assert rows == {squat.true: ida[0], squat.forgery: eve[0]}


@pytest.mark.parametrize("path", PATHS)
def test_the_id_alone_reads_none_of_several_versions_and_a_receipt_chooses_one(api, squat, path, ida, eve):
    # At its version 1 they are the same.
    for receipt in ("", squat.receipt(1)):
        refused = api.get(f"/v1/matches/{squat.match}{path}{receipt}")
        assert (refused.status_code, refused.json["code"]) == (409, "match/ambiguous")
    told = {each["match"]: (each["by"], each["status"], each["version"]) for each in refused.json["versions"]}
    assert told == {squat.forgery: (eve[0], "verified", 8), squat.true: (ida[0], "verified", 8)}
    assert squat.events[-1]["hash"] in [each["hash"] for each in refused.json["versions"]]
    answers = [api.get(f"/v1/matches/{address}{path}") for address in (squat.forgery, squat.true)]
    answers.append(api.get(f"/v1/matches/{squat.match}{path}{squat.receipt(5)}"))
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[2].data == answers[1].data
    assert api.post(f"/v1/matches/{squat.match}/forks", ida[1], {"ply": 0}).json["code"] == "match/ambiguous"


def test_a_receipt_that_nothing_here_contains_is_unknown(api, squat):
    for path in (squat.match, squat.true, squat.forgery, "match-" + "a" * 26):
        unknown = api.get(f"/v1/matches/{path}?receipt=3:{'0' * 64}")
        assert (unknown.status_code, unknown.json["code"]) == (404, "match/receipt")
    wrong = api.get(f"/v1/matches/{squat.forgery}{squat.receipt(5)}")
    assert (wrong.status_code, wrong.json["code"]) == (404, "match/receipt")
    for text in ("", "5", "5:xyz", "0:" + "0" * 64, "5:" + "0" * 65):
        unreadable = api.get(f"/v1/matches/{squat.match}/positions/0?receipt={text}")
        assert (unreadable.status_code, unreadable.json["code"]) == (422, "request/invalid"), text


def test_a_receipt_of_what_a_match_of_this_server_lacks_says_that_it_was_lost(api, ida):
    match = api.new_match(ida[1])
    created = api.get(f"/v1/matches/{match}").json
    assert api.get(f"/v1/matches/{match}?receipt=1:{created['hash']}").json == created
    for receipt, why in ((f"1:{'0' * 64}", "its version 1 is another event"), (f"9:{'0' * 64}", "it ends at version")):
        for path in PATHS:
            lost = api.get(f"/v1/matches/{match}{path}?receipt={receipt}")
            assert (lost.status_code, lost.json["code"]) == (409, "stream/lost")
            assert why in lost.json["detail"]
            assert lost.json["version"] == created["version"]
    private = api.new_match(ida[1], private=True)
    hidden = api.get(f"/v1/matches/{private}?receipt=9:{'0' * 64}")
    assert (hidden.status_code, hidden.json["code"]) == (404, "match/receipt")


def test_the_pages_say_whether_there_is_another_version(api, parts, elsewhere, ida, squat):
    page = show(api, f"/matches/{squat.true}")
    assert page.status_code == 200
    for text in ("Another version of this match is here too.", f"/matches/{squat.forgery}", "Imported, consistent"):
        assert text in page.text
    assert ">verified<" not in page.text
    both = show(api, f"/matches/{squat.match}")
    assert both.status_code == 409
    assert all(f'href="/matches/{address}"' in both.text for address in (squat.true, squat.forgery))
    chosen = show(api, f"/matches/{squat.match}{squat.receipt(5)}&ply=1")
    assert (chosen.status_code, chosen.headers["Location"]) == (303, f"/matches/{squat.true}?ply=1")
    listed = show(api, "/matches?imported=true").text
    assert ("imported by Ida" in listed, "imported by Eve" in listed) == (True, True)
    address = bring(api, parts, ida[1], elsewhere.bundle(match := elsewhere.play()))
    moved_to = show(api, f"/matches/{match}")
    assert (moved_to.status_code, moved_to.headers["Location"]) == (303, f"/matches/{address}")
    assert "Another version" not in show(api, f"/matches/{address}").text


def test_an_import_that_another_one_continues_is_no_version_of_its_own(api, parts, elsewhere, ida, eve):
    """Two bundles that come in at the same time may begin an import each."""
    match = elsewhere.play()
    short, whole = elsewhere.bundle(match, upto=5), elsewhere.bundle(match)
    take = parts.imports._choose_import

    def come_between(*args: Any) -> Any:
        chosen = take(*args)
        parts.imports._choose_import = take
        send(api, eve[1], short)
        return chosen

    parts.imports._choose_import = come_between
    address = bring(api, parts, ida[1], whole)
    assert len(parts.imports._list_all(match)) == 2
    assert api.get(f"/v1/matches/{match}").json["match"] == address


def test_an_import_of_an_early_release_is_read_and_continued(api, parts, elsewhere, ida):
    match = elsewhere.play()
    bundle, old = elsewhere.bundle(match), import_of(match)
    entries = parse_bundle(bundle).entries[:5]
    base = {"actor": Actor("player", ida[0]), "at": now_ms(), "id": "00" * 16, "digest": "a"}
    fields = {"match": match, "private": False, "count": 5, "head": entries[-1].h}
    parts.imports.execute(old, BeginImport(**base, **fields), job_command("old", 1), new=True)
    parts.imports.execute(old, CopyEvents(**base, events=entries), job_command("old", 2))
    for named in (match, address_of(match, old)):
        assert api.get(f"/v1/matches/{named}").json["match"] == address_of(match, old)
    assert bring(api, parts, ida[1], bundle) == address_of(match, old)
    other = bring(api, parts, ida[1], moved(bundle))
    assert api.get(f"/v1/matches/{match}").json["code"] == "match/ambiguous"
    assert api.get(f"/v1/matches/{other}").json["imported"]["others"] == [address_of(match, old)]


def test_an_address_reads_nothing_else(api, squat, ida):
    own = api.new_match(ida[1])
    import_id = squat.true.partition("~")[2]
    for address in (f"match-{'a' * 26}~{import_id}", f"{own}~{own[6:]}", f"{squat.match}~{'a' * 26}"):
        for path in PATHS:
            unknown = api.get(f"/v1/matches/{address}{path}")
            assert (unknown.status_code, unknown.json["code"]) == (404, "match/unknown"), path
    for malformed in (f"{squat.match}~", f"{squat.true}~{import_id}", f"{squat.match}~{import_id[:-1]}"):
        assert api.get(f"/v1/matches/{malformed}").status_code == 404


def test_a_private_match_of_this_server_does_not_show_in_an_import(api, parts, elsewhere, ida, eve):
    """What Eve learns by a bundle of Ida's private match is what she learns by one of a match that is nowhere."""
    private = api.new_match(ida[1], private=True)
    bundle = bundle_of(parts, private)
    nowhere = renamed(bundle, "match-" + "q" * 26)
    for make in (lambda raw: raw, moved, lambda raw: forged(raw, lambda raws: raws[0]["data"].update(private=False))):
        here, there = (send(api, eve[1], make(raw)) for raw in (bundle, nowhere))
        assert (here["status"], here["by"]) == (there["status"], there["by"]) == ("waiting", eve[0])
        for taken in (here, there):
            assert api.get(f"/v1/matches/{taken['address']}", eve[1]).json["match"] == taken["address"]
    answers = [api.get(f"/v1/matches/{match}", eve[1]) for match in (private, "match-" + "q" * 26)]
    assert {answer.status_code for answer in answers} == {409}
    assert {tuple(sorted(answer.headers.keys())) for answer in answers} == {tuple(sorted(answers[0].headers.keys()))}
    mine = api.get(f"/v1/matches/{private}", ida[1]).json
    assert (mine["match"], mine["imported"]) == (private, None)
    assert send(api, ida[1], bundle)["status"] == "own"
    before = parts.store.load(list_of(private)).entries
    assert send(api, ida[1], moved(bundle), 409)["code"] == "import/own-match"
    assert parts.store.load(list_of(private)).entries == before


def test_a_private_import_does_not_show_in_another(api, parts, elsewhere, ida, eve):
    _, ann = elsewhere.sign_up("Ann")
    match = elsewhere.new_match(ann, private=True)
    bundle = elsewhere.bundle(match)
    first = bring(api, parts, ida[1], bundle)
    taken = send(api, eve[1], bundle)
    assert (taken["by"], taken["status"], taken["address"] == first) == (eve[0], "waiting", False)
    for who, address in ((ida[1], first), (eve[1], taken["address"])):
        assert api.get(f"/v1/matches/{match}", who).json["match"] == address
        assert [row["match"] for row in api.get("/v1/matches", who).json["matches"]] == [address]
    assert api.get(f"/v1/matches/{match}").json["code"] == "match/unknown"


def test_a_bad_token_is_refused_alike_whether_or_not_there_is_an_import(api, parts, elsewhere, ida):
    _, ann = elsewhere.sign_up("Ann")
    private = bring(api, parts, ida[1], elsewhere.bundle(elsewhere.new_match(ann, private=True)))
    public = bring(api, parts, ida[1], elsewhere.bundle(elsewhere.play()))
    paths = [import_at(private), import_at(public), f"/v1/imports/import-{'q' * 26}", "/v1/imports/import-x"]
    paths += [f"/v1/matches/{named}" for named in (private, f"match-{'q' * 26}", f"match-{'q' * 26}~{'q' * 26}")]
    assert {api.get(path, "ply_x_y").status_code for path in paths} == {401}


def test_an_import_under_the_id_of_a_rematch_is_never_the_rematch(api, parts, elsewhere, ida, eve):
    match = api.new_match(ida[1], [{"player": ida[0]}, {"player": ida[0]}], "zhen")
    api.post(f"/v1/matches/{match}/withdrawal", ida[1], {"seat": 1})
    coming = rematch_id(match)[0]
    address = bring(api, parts, eve[1], renamed(elsewhere.bundle(elsewhere.play()), coming))
    assert api.get(f"/v1/matches/{coming}").json["match"] == address
    assert "immutable" not in api.get(f"/v1/matches/{coming}/positions/0?version=8").headers.get("Cache-Control", "")
    assert "immutable" in api.get(f"/v1/matches/{address}/positions/0?version=8").headers["Cache-Control"]
    assert api.post(f"/v1/matches/{coming}/moves", ida[1], {"move": "+1"}).status_code == 404
    other = Api(create_app(compose(parts.config, parts.store)))
    assert other.get(f"/v1/matches/{coming}/positions/1").status_code == 404
    made = api.post(f"/v1/matches/{match}/rematch", ida[1], {})
    assert (made.status_code, made.json["match"]) == (200, coming)
    for server in (api, other):
        shown = server.get(f"/v1/matches/{coming}").json
        assert (shown["match"], shown["rematch_of"], shown["imported"]) == (coming, match, None)
    assert other.post(f"/v1/matches/{coming}/moves", ida[1], {"move": "+1"}).status_code == 200
    assert api.get(f"/v1/matches/{address}").json["imported"]["import"] == f"import-{address.partition('~')[2]}"
    rows = {row["match"] for row in api.get("/v1/matches").json["matches"]}
    assert rows == {match, coming, address}
