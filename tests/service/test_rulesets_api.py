"""Rulesets and their clauses over HTTP."""

import pytest

from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.rulebooks import parse_clauses


def test_all_rulesets_are_listed_with_their_options_versions_and_clauses(api):
    listed = api.get("/v1/rulesets").json["rulesets"]
    assert [(r["ruleset"], r["version"]) for r in listed] == [(r.id, r.version) for r in RULESETS]
    assert all(r["options"]["type"] == "object" for r in listed)
    found = api.get("/v1/rulesets/pathagon").json
    assert [version["version"] for version in found["versions"]] == [1]
    assert [clause["clause"] for clause in found["clauses"]] == [f"PA{n}" for n in range(1, 12)]
    clause = api.get("/v1/rulesets/zhen/clauses/ZH5").json
    assert (clause["clause"], clause["title"] != "", clause["text"] != "") == ("ZH5", True, True)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v1/rulesets/chess", "ruleset/unknown"),
        ("/v1/rulesets/pathagon?version=9", "ruleset/unknown"),
        ("/v1/rulesets/pathagon/clauses/PA99", "ruleset/unknown-clause"),
        ("/v1/rulesets/../clauses/PA1", "ruleset/unknown"),
        ("/v1/rulesets/%2e%2e%2fREADME/clauses/PA1", "request/not-found"),
        ("/v1/rulesets/chess/clauses/PA1", "ruleset/unknown"),
    ],
)
def test_unknown_rulesets_and_clauses_are_not_found(api, path, code):
    missing = api.get(path)
    assert (missing.status_code, missing.json["code"]) == (404, code)


def test_a_page_is_read_clause_by_clause():
    page = "# X\n\n### XX1 · First\n\nOne.\n\nTwo.\n\n### XX2 · Second\nThree.\n\n## Other\n\nNot a clause.\n"
    assert [tuple(clause) for clause in parse_clauses(page).values()] == [
        ("XX1", "First", "One.\n\nTwo."),
        ("XX2", "Second", "Three."),
    ]
