"""Two versions of a ruleset side by side: every match goes by its own, whatever is newest by now."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from plyscribe.domain.rulesets import RULESETS, find_ruleset, list_newest
from plyscribe.service import rulebooks
from plyscribe.service.composition import Parts, compose
from plyscribe.service.rulebooks import read_clauses
from plyscribe.service.web.app import create_app
from plyscribe.workers.verify_match import verify_all
from tests.domain.toy import TOY_V1
from tests.domain.toy_v2 import TOY_V2, registered_beside
from tests.service.api import Api
from tests.service.conftest import CONFIG

PLAIN = {"dice": 0}
SIX_HOLDS = ["hold"] * 6
TOO_MUCH = "give 2 3"


@pytest.fixture
def both() -> Iterator[None]:
    with registered_beside():
        yield


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "toy.md").write_text("### TO7 · Coins\n\nAs many as it has.\n")
    (tmp_path / "toy_v2.md").write_text("### TO12 · At once\n\nTwo at most.\n")
    monkeypatch.setattr(rulebooks, "PAGES", tmp_path)
    read_clauses.cache_clear()
    yield tmp_path
    read_clauses.cache_clear()


class Tables:
    """Ann, who plays toys alone."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.ann, self.token = api.sign_up("Ann")

    def open(self, version: int | None, **more: object) -> str:
        named = {} if version is None else {"ruleset_version": version}
        seats = [{"player": self.ann}] * 2
        fields = {"options": PLAIN, "start": "call", **named, **more}
        match = self.api.new_match(self.token, seats, "toy", **fields)
        for seat in (1, 2):
            self.api.post(f"/v1/matches/{match}/seats/{seat}", self.token)
        assert self.post(match, "start").status_code == 200
        return match

    def post(self, match: str, what: str, **body: object):
        return self.api.post(f"/v1/matches/{match}/{what}", self.token, body)

    def get(self, match: str, what: str = ""):
        return self.api.get(f"/v1/matches/{match}{what}").json

    def play(self, match: str, *moves: str):
        for move in moves:
            answered = self.post(match, "moves", move=move)
        return answered


@pytest.fixture
def tables(api: Api) -> Tables:
    return Tables(api)


def test_a_new_match_has_the_newest_version_or_the_one_it_names(tables, both):
    made = {tables.open(version): version or 2 for version in (None, 1, 2)}
    assert {match: tables.get(match)["ruleset_version"] for match in made} == made
    rows = tables.api.get("/v1/matches?ruleset=toy").json["matches"]
    assert {row["match"]: row["ruleset_version"] for row in rows} == made
    body = {"ruleset": "toy", "ruleset_version": 3, "seats": [None, None]}
    refused = tables.api.post("/v1/matches", tables.token, body)
    assert (refused.status_code, refused.json["code"]) == (422, "ruleset/unknown")
    assert find_ruleset("toy") is TOY_V2
    newest = list_newest()
    assert [ruleset.id for ruleset in newest] == sorted({ruleset.id for ruleset in RULESETS})
    assert (TOY_V2 in newest, TOY_V1 in newest) == (True, False)


def test_a_match_that_began_before_a_new_version_goes_on_by_the_old_one(tables, parts: Parts):
    old = tables.open(None)
    tables.play(old, *SIX_HOLDS)
    with registered_beside():
        # Another process, which knows both versions and holds no state.
        later = compose(CONFIG, parts.store)
        tables.api = Api(create_app(later))
        new = tables.open(None)
        tables.play(new, *SIX_HOLDS)
        assert TOO_MUCH in tables.get(old, "/legal-moves")["moves"]
        assert TOO_MUCH not in tables.get(new, "/legal-moves")["moves"]
        assert tables.play(new, TOO_MUCH).json["clause"] == "TO12"
        assert tables.play(old, TOO_MUCH).status_code == 200
        assert tables.get(old, "/positions/7")["view"]["runners"] == [6, 0]
        statuses = []
        for match in (old, new):
            ended = tables.post(match, "withdrawal", seat=1).json
            statuses += verify_all(later, [(match, ended["version"])])
        assert statuses == ["scored", "scored"]
        assert [tables.get(match)["verdict"]["type"] for match in (old, new)] == ["match-verified"] * 2


def test_a_rematch_and_a_fork_have_the_version_of_the_match_before(tables, both):
    match = tables.open(1)
    tables.play(match, *SIX_HOLDS, TOO_MUCH)
    forked = tables.get(tables.post(match, "forks", ply=7).json["match"])
    assert (forked["ruleset_version"], forked["moves"][-1]) == (1, TOO_MUCH)
    tables.post(match, "withdrawal", seat=1)
    rematch = tables.post(match, "rematch").json["match"]
    assert tables.get(rematch)["ruleset_version"] == 1


def test_rated_matches_of_all_versions_share_a_table(api: Api, parts: Parts, both):
    players = [api.sign_up(name) for name in ("Ann", "Ben")]
    for version in (1, 2):
        (ann, ann_token), (_, ben_token) = players
        fields = {"ruleset_version": version, "rated": True, "start": "call"}
        match = api.new_match(ann_token, [{"player": ann}, None], "toy", **fields)
        api.post(f"/v1/matches/{match}/seats/2", ben_token)
        api.post(f"/v1/matches/{match}/start", ann_token)
        ended = api.post(f"/v1/matches/{match}/withdrawal", ben_token, {}).json
        assert verify_all(parts, [(match, ended["version"])]) == ["scored"]
    assert [(row["name"], row["matches"]) for row in api.get("/v1/ratings/toy").json["players"]] == [
        ("Ann", 2),
        ("Ben", 2),
    ]


def test_a_ruleset_tells_all_its_versions_with_digest_and_release(api, both, monkeypatch):
    monkeypatch.setattr(TOY_V1, "released", True, raising=False)
    versions = [
        {"version": toy.version, "released": toy is TOY_V1, "behaviour": toy.behaviour} for toy in (TOY_V2, TOY_V1)
    ]
    for query in ("", "?version=1"):
        assert api.get(f"/v1/rulesets/toy{query}").json["versions"] == versions
    listed = [row for row in api.get("/v1/rulesets").json["rulesets"] if row["ruleset"] == "toy"]
    assert [{name: row[name] for name in versions[0]} for row in listed] == versions


def test_a_refused_move_links_the_clause_of_its_own_version_or_the_one_before(tables, both, pages):
    for version, move, clause in ((1, "give 2 4", "TO7"), (2, TOO_MUCH, "TO12")):
        match = tables.open(version)
        refused = tables.play(match, *SIX_HOLDS, move).json
        assert refused["clause_url"] == f"/v1/rulesets/toy/clauses/{clause}?version={version}"
        told = tables.api.get(refused["clause_url"]).json
        assert (told["clause"], told["version"]) == (clause, version)
        listed = tables.api.get(f"/v1/rulesets/toy?version={version}").json["clauses"]
        assert [each["clause"] for each in listed] == [clause]
    missing = tables.api.get("/v1/rulesets/toy/clauses/TO12?version=1")
    assert (missing.status_code, missing.json["detail"]) == (404, "toy version 1 has no clause TO12")
    (pages / "toy_v4.md").write_text("### TO9 · Weather\n\nNone.\n")
    clauses = [next(iter(read_clauses("toy", version))) for version in range(1, 6)]
    assert clauses == ["TO7", "TO12", "TO12", "TO9", "TO9"]
