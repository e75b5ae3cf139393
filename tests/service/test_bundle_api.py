"""Bundles over HTTP, the server's verification of its own bytes, and how many exports are sent at the same time."""

import threading
from contextlib import ExitStack, closing

import pytest

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.bundle.report import check_bytes
from plyscribe.service.errors import ExportsFull, ExportsShare
from plyscribe.service.matches import queries
from plyscribe.service.reports import desk
from plyscribe.service.web.api import awaiting
from plyscribe.service.web.api.exports import PLACES
from plyscribe.service.web.places import Places
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api

NDJSON = {"Accept": "application/x-ndjson"}
BUNDLE = "application/vnd.plyscribe.bundle+ndjson"


class Played:
    """A match of zhen that Ann plays against herself."""

    def __init__(self, api: Api, parts) -> None:
        self.api, self.parts = api, parts
        ann, self.token = api.sign_up()
        self.id = api.new_match(self.token, [{"player": ann}] * 2, "zhen")
        self.path = f"/v1/matches/{self.id}"
        self.move("+5")

    def move(self, *moves: str) -> None:
        for move in moves:
            assert self.api.post(f"{self.path}/moves", self.token, {"move": move}).status_code == 200

    def end(self) -> None:
        ended = self.api.post(f"{self.path}/withdrawal", self.token, {"seat": 1}).json
        verify_all(self.parts, [(self.id, ended["version"])])

    def bundle(self, **asked) -> bytes:
        return self.api.get(f"{self.path}/bundle", **asked).data

    def report(self):
        return self.api.get(f"{self.path}/verification").json

    def spoil(self, version: int, old: bytes, new: bytes) -> None:
        """Change stored bytes by hand."""
        entries = self.parts.store.within._events[self.id]
        spoiled = entries[version - 1]._replace(e=entries[version - 1].e.replace(old, new))
        assert spoiled != entries[version - 1]
        entries[version - 1] = spoiled


@pytest.fixture
def played(api, parts) -> Played:
    return Played(api, parts)


def test_a_bundle_is_the_stored_match_as_one_file_also_so_far_and_in_pieces(played, monkeypatch):
    before = played.bundle()
    assert check_bytes(before).result == "ok"
    played.move("+6")
    after = played.bundle()
    assert after.startswith(before[: before[:-1].rindex(b"\n") + 1])
    assert len(parse_bundle(after).entries) == len(parse_bundle(before).entries) + 1
    played.end()
    answer = played.api.get(f"{played.path}/bundle", headers={"Accept": f"{BUNDLE}, text/csv"})
    assert answer.content_type == BUNDLE
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{played.id}.bundle.ndjson"'
    assert answer.headers["ETag"] == played.api.get(played.path).headers["ETag"]
    bundle = parse_bundle(answer.data)
    assert bundle.head.match == played.id
    assert list(bundle.entries) == list(played.parts.store.within._events[played.id])
    assert check_bytes(answer.data).result == "ok"
    assert played.api.get(f"{played.path}/bundle", headers={"Accept": "application/json"}).status_code == 406
    for page in (1, 2, 5, 7, 8):
        monkeypatch.setattr(queries, "PAGE", page)
        assert played.bundle() == answer.data


def test_a_client_with_the_newest_report_gets_304(played):
    path = f"{played.path}/verification"
    tag = played.api.get(path).headers["ETag"]
    again = played.api.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    played.move("+6")
    assert played.api.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_tampering_in_the_store_is_found_there_and_in_the_bundle(played):
    played.move("+6")
    played.spoil(3, b'"+5"', b'"+7"')
    fault = played.report()["fault"]
    assert (fault["check"], fault["version"]) == ("chain", 3)
    found = check_bytes(played.bundle())
    assert (found.fault.check, found.fault.line) == ("chain", 4)
    played.spoil(3, b'"move"', b'\n"move"')
    answer = played.api.get(f"{played.path}/bundle")
    assert (answer.status_code, answer.json["code"]) == (409, "match/damaged")
    assert played.report()["fault"]["version"] == 3


def test_the_report_on_a_short_match_is_made_for_each_request_and_on_a_longer_one_once(played, monkeypatch):
    made, make = [], played.parts.maker.make
    monkeypatch.setattr(played.parts.maker, "make", lambda subject: made.append(subject) or make(subject))
    assert played.report() == played.report()
    assert len(made) == 2
    monkeypatch.setattr(awaiting, "SHORT", 2)
    assert played.report() == played.report()
    page = played.api.app.test_client().get(f"/matches/{played.id}/verification")
    assert "no errors found" in page.text
    assert len(made) == 3
    played.move("+6")
    assert played.report()["version"] == 4
    assert len(made) == 4


def test_a_report_that_takes_too_long_or_fails_is_made_all_the_same(played, monkeypatch):
    monkeypatch.setattr(awaiting, "SHORT", 2)
    makers, go_on = played.parts.desk._makers, threading.Event()
    begin = makers.begin
    with monkeypatch.context() as patch:
        patch.setattr(played.parts.maker, "make", lambda subject: 1 / 0)
        failed = played.api.get(f"{played.path}/verification")
        assert (failed.status_code, failed.json["code"]) == (503, "report/failed")
    with monkeypatch.context() as patch:
        patch.setattr(makers, "begin", lambda subject: go_on.wait(60) and begin(subject))
        patch.setattr(desk, "WAIT_S", 0.01)
        busy = played.api.get(f"{played.path}/verification")
        assert (busy.status_code, busy.json["code"], busy.headers["Retry-After"]) == (503, "report/busy", "1")
        go_on.set()
    assert played.report()["result"] == "ok"


# ------------------------------------------------------------------------------------------------------------- exports


def test_a_client_takes_no_more_than_its_share_and_all_no_more_than_there_are():
    places = Places(3, 2)
    give_back = places.take("ann")
    places.take("ann")
    with pytest.raises(ExportsShare, match="you are being sent 2 exports already"):
        places.take("ann")
    places.take("ben")
    with pytest.raises(ExportsFull):
        places.take("cat")
    for _ in range(2):
        give_back()
    places.take("cat")
    with pytest.raises(ExportsFull):
        places.take("cat")


@pytest.mark.parametrize(("path", "headers"), [("bundle", {}), ("events", NDJSON)])
def test_an_export_holds_a_place_until_it_ends(played, path, headers):
    played.api.app.extensions[PLACES] = Places(2, 1)
    client = played.api.app.test_client()

    def ask(method: str = "GET", token: str | None = None):
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        return client.open(f"{played.path}/{path}", method=method, headers={**headers, **bearer})

    with ExitStack() as stack:
        stack.enter_context(closing(ask()))
        refused = ask()
        assert (refused.status_code, refused.json["code"], refused.headers["Retry-After"]) == (429, "export/share", "1")
        stack.enter_context(closing(ask(token=played.token)))
        refused = ask(token=played.api.sign_up("Cat")[1])
        assert (refused.status_code, refused.json["code"]) == (503, "export/full")
    for _ in range(3):
        assert ask().data
        assert ask("HEAD").status_code == 200


def test_a_bundle_that_has_not_changed_or_cannot_be_made_keeps_no_place(played):
    tag = played.api.get(f"{played.path}/bundle").headers["ETag"]
    played.api.app.extensions[PLACES] = Places(0, 0)
    assert played.api.get(f"{played.path}/bundle", headers={"If-None-Match": tag}).status_code == 304
    played.api.app.extensions[PLACES] = Places(1, 1)
    played.spoil(3, b'"move"', b'\n"move"')
    for _ in range(2):
        assert played.api.get(f"{played.path}/bundle").status_code == 409
