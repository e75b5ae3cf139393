"""Rated matches over HTTP: tables, histories, and how annulments change them."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.composition import Parts
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.web.app import create_app
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api


class Club:
    """Players by name, whose rated matches are scored at once, and an administrator who can annul them."""

    def __init__(self, api: Api, parts: Parts, *names: str) -> None:
        self.api = api
        self.parts = parts
        self.accounts = {name: api.sign_up(name) for name in names}
        self.names = {id: name for name, (id, _) in self.accounts.items()}
        self.root = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))[1]

    def id(self, name: str) -> str:
        return self.accounts[name][0]

    def token(self, name: str) -> str:
        return self.accounts[name][1]

    def report(self, match: str, query: str = "", token: str | None = None) -> dict[str, object]:
        return self.api.get(f"/v1/matches/{match}/annulment{query}", token).json

    def play(self, loser: str, winner: str, **more: object) -> str:
        """A match of zhen that the loser opens and resigns."""
        fields = {"ruleset": "zhen", "rated": True, **more}
        match = self.api.new_match(self.token(loser), [{"player": self.id(loser)}, None], **fields)
        assert self.api.post(f"/v1/matches/{match}/seats/2", self.token(winner)).status_code == 200
        self.make_it_count(match, loser, winner)
        ended = self.api.post(f"/v1/matches/{match}/withdrawal", self.token(loser))
        verify_all(self.parts, [(match, ended.json["version"])])
        return match

    def make_it_count(self, match: str, *names: str) -> None:
        """Every player makes a move."""
        for _ in names:
            now = self.api.get(f"/v1/matches/{match}/legal-moves").json
            token = self.token(names[now["turn"]["decision"] - 1])
            assert self.api.post(f"/v1/matches/{match}/moves", token, {"move": now["moves"][0]}).status_code == 200

    def annul(self, match: str, token: str | None = None, **request: object):
        body = {"why": "both were one person"}
        return self.api.post(f"/v1/matches/{match}/annulment", token or self.root, body, **request)

    def table(self) -> list[dict[str, object]]:
        return self.api.get("/v1/ratings/zhen").json["players"]

    def history(self, name: str, query: str = "") -> dict[str, object]:
        return self.api.get(f"/v1/ratings/zhen/{self.id(name)}{query}").json


@pytest.fixture
def club(api, parts) -> Club:
    return Club(api, parts, "Ann", "Ben", "Cat", "Dan")


def test_a_table_is_read_page_by_page_and_a_cursor_that_is_not_its_own_refused(club):
    club.play("Ann", "Ben")
    club.play("Cat", "Dan")
    seen, path = [], "/v1/ratings/zhen?limit=1"
    while path:
        page = club.api.get(path).json
        seen += [(row["rank"], row["player"]) for row in page["players"]]
        path = page["next"]
    assert seen == [(row["rank"], row["player"]) for row in club.table()]
    assert [rank for rank, _ in seen] == [1, 1, 3, 3]
    cursor = club.api.get("/v1/ratings/zhen?limit=1").json["next"].rpartition("=")[2]
    made_up = ("x", "YQliCWM", "cGxheWVycwlwbGF5ZXItYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE")
    for path in (f"pathagon?cursor={cursor}", *(f"zhen?cursor={each}" for each in made_up)):
        refused = club.api.get(f"/v1/ratings/{path}")
        assert (refused.status_code, refused.json["code"]) == (400, "cursor/invalid")


def test_a_history_has_every_match_with_before_and_after_page_by_page(club):
    matches = [club.play("Ann", "Ben"), club.play("Ben", "Ann"), club.play("Cat", "Ann")]
    ann = club.history("Ann")
    assert [each["match"] for each in ann["history"]] == matches
    assert ann["history"][0]["after"] == ann["history"][1]["before"]
    assert club.api.get(f"/v1/ratings/zhen/player-{'a' * 26}").json["code"] == "player/unknown"
    first = club.history("Ann", "?limit=2")
    rest = club.api.get(first["next"]).json
    assert (first["history"] + rest["history"], rest["next"]) == (ann["history"], None)


def test_ratings_their_page_and_a_report_say_whether_they_lack_entries_of_the_ledger(club, parts, monkeypatch):
    monkeypatch.setattr(parts.ratings, "_by_itself", False)
    match = club.play("Ann", "Ben")
    browser, note = create_app(parts).test_client(), "The ratings are being brought up to date"
    before = club.api.get("/v1/ratings/zhen").json
    assert (before["version"], before["lag"], before["players"]) == (0, 2, [])
    assert note in browser.get("/players?ruleset=zhen").get_data(as_text=True)
    parts.ratings.folder.catch_up("zhen")
    after = club.api.get("/v1/ratings/zhen").json
    assert (after["version"], after["lag"]) == (club.api.get(f"/v1/matches/{match}").json["score"]["ledger"], 0)
    assert note not in browser.get("/players?ruleset=zhen").get_data(as_text=True)
    ann = club.history("Ann")
    assert (ann["version"], ann["lag"]) == (2, 0)
    club.annul(match)
    report = club.report(match)
    assert (report["complete"], report["changes"]) == (False, [])
    parts.ratings.folder.catch_up("zhen")
    report = club.report(match)
    assert (report["complete"], len(report["changes"])) == (True, 2)


def test_the_report_of_an_annulment_has_every_rating_before_and_after_page_by_page(club):
    match = club.play("Ann", "Ben")
    club.play("Ben", "Cat")
    before = {row["name"]: row["rating_micro"] for row in club.table()}
    club.annul(match)
    after = {row["name"]: row["rating_micro"] for row in club.table()}
    club.play("Dan", "Cat")
    path = f"/v1/matches/{match}/annulment"
    report = club.api.get(path).json
    assert report["why"] == "both were one person"
    assert {each["name"]: each["before"]["rating_micro"] for each in report["changes"]} == before
    told = {each["name"]: each["after"] and each["after"]["rating_micro"] for each in report["changes"]}
    assert told == {"Ann": None, **after}
    first = club.api.get(f"{path}?limit=2").json
    rest = club.api.get(first["next"]).json
    assert (first["changes"] + rest["changes"], rest["next"]) == (report["changes"], None)


def test_a_preview_shows_what_the_annulment_will_change_changes_nothing_and_is_kept(club, parts, monkeypatch):
    made, make = [], parts.maker.make
    monkeypatch.setattr(parts.maker, "make", lambda subject: made.append(subject) or make(subject))
    match = club.play("Ann", "Ben")
    club.play("Ben", "Cat")
    table = club.table()
    preview, _ = (club.report(match, "?preview=true", club.root) for _ in range(2))
    assert preview["why"] is None
    assert club.table() == table
    club.annul(match)
    for _ in range(2):
        assert club.report(match)["changes"] == preview["changes"] != []
    assert [subject.kind for subject in made] == ["preview", "annulment"]


def test_a_preview_is_for_organisers_and_follows_the_ledger(club):
    path = f"/v1/matches/{club.play('Ann', 'Ben')}/annulment?preview=true"
    assert club.api.get(path).status_code == 401
    assert club.api.get(path, club.token("Ann")).json["code"] == "auth/scope"
    before = club.api.get(path, club.root).json["changes"]
    club.play("Ben", "Cat")
    after = club.api.get(path, club.root).json["changes"]
    assert {change["player"] for change in after} > {change["player"] for change in before}


def test_only_an_organiser_can_annul_a_match_that_is_over_and_with_a_reason(club):
    match = club.play("Ann", "Ben")
    report = club.api.get(f"/v1/matches/{match}/annulment")
    assert (report.status_code, report.json["code"]) == (404, "match/not-annulled")
    assert club.annul(match, club.token("Ann")).json["code"] == "auth/scope"
    assert club.annul("match-" + "a" * 26).json["code"] == "match/unknown"
    assert club.annul("nonsense").json["code"] == "match/unknown"
    assert club.annul(club.api.new_match(club.token("Ann"))).json["code"] == "match/not-ended"
    refused = club.api.post(f"/v1/matches/{match}/annulment", club.root, {})
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")


def test_an_annulment_can_be_sent_again_with_its_key_even_if_it_broke_off_before_the_ledger(club, parts, monkeypatch):
    match = club.play("Ann", "Ben")
    with monkeypatch.context() as patch:
        patch.setattr(parts.ledgers, "unrate", lambda _: (_ for _ in ()).throw(StoreUnavailable("away")))
        assert club.annul(match, key="k").status_code == 503
    assert (len(club.table()), club.report(match)["changes"]) == (2, [])
    first, again = (club.annul(match, key="k") for _ in range(2))
    assert (first.status_code, again.data) == (200, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (club.table(), len(club.report(match)["changes"])) == ([], 2)
    assert club.annul(match).json["code"] == "match/not-ended"


def test_annulling_a_match_that_was_not_rated_changes_no_rating(club):
    club.play("Ann", "Ben")
    table = club.table()
    match = club.play("Ann", "Ben", rated=False)
    club.annul(match)
    assert club.table() == table
    assert (club.report(match)["complete"], club.report(match)["changes"]) == (True, [])
