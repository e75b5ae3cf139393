"""The explorer over HTTP, in the client, on the command line and on its pages."""

import re
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from plyscribe.domain.rulesets import RULESETS, find_ruleset
from plyscribe.service.cli import explore
from plyscribe.service.cli.__main__ import cli
from plyscribe.service.client import Client
from plyscribe.service.composition import Parts
from plyscribe.service.explorer.asked_positions import read_line_text, write_line_text
from plyscribe.service.explorer.query_language import MAX_QUERY, QueryFault, parse_query
from plyscribe.service.web.pages.explorer import list_examples
from tests.service.api import Api
from tests.service.explored_matches import JULY, Table

PATHAGON, RINGS = find_ruleset("pathagon"), find_ruleset("rings")
EXPLORER = "/v1/explorer/pathagon"


@pytest.fixture
def three(parts: Parts) -> list[str]:
    """Three matches of Pathagon that count."""
    return [
        Table(parts).play("d4", "e5").end(loser=2),
        Table(parts, at=JULY + 5).play("d4", "c5").end(loser=1),
        Table(parts, at=JULY + 9).play("a1").end(loser=2),
    ]


def test_a_position_has_the_same_answer_by_its_moves_its_match_and_its_key(api: Api, three: list[str]) -> None:
    by_moves = api.get(f"{EXPLORER}?moves=d4").json
    by_match = api.get(f"{EXPLORER}?match={three[0]}&ply=1").json
    by_both = api.get(f"{EXPLORER}?match={three[0]}&moves=d4").json
    by_key = api.get(f"{EXPLORER}?position={by_moves['position']}").json
    assert by_moves == by_match == by_both
    assert len(by_moves["moves"]) == 1  # the two replies mirror each other
    assert by_key["moves"] == by_moves["moves"]
    assert (by_key["ply"], by_key["turn"]) == (None, None)


def test_moves_are_told_as_the_asked_position_lies(api: Api, parts: Parts) -> None:
    Table(parts).play("b2", "a1").end(loser=1)
    for first, reply in (("b2", "a1"), ("f2", "g1"), ("b6", "a7"), ("f6", "g7")):
        found = api.get(f"{EXPLORER}?moves={first}").json
        assert [each["move"] for each in found["moves"]] == [reply]
        assert [each["move"] for each in found["latest"]] == [reply]


def test_filters_choose_what_counts(api: Api, three: list[str], parts: Parts) -> None:
    Table(parts, size=5).play("c3").end(loser=1)
    for query, count in (
        ("options=default", 3),
        ("options=small", 1),
        ("options=%7B%22size%22:5%7D", 1),
        ("since=2024-08", 0),
        ("min_rating=3", 0),
    ):
        assert api.get(f"{EXPLORER}?{query}").json["matches"] == count, query
    assert api.get(f"{EXPLORER}?min_rating=3").json["looked_at"] is None
    assert api.get(f"{EXPLORER}?limit=1").json["more"] == 1
    assert api.get(f"{EXPLORER}?latest=0").json["latest"] == []


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("position=short", 422, "request/invalid"),
        (f"position={'a' * 24}&moves=d4", 400, "explorer/position"),
        ("moves=d4;d4", 422, "move/illegal"),
        ("moves=[6", 400, "explorer/step"),
        ("moves=[6,2]", 422, "roll/invalid"),
        ("moves=" + "a1;" * 301, 400, "explorer/steps"),
        ("options=large", 422, "option/invalid"),
        ("options=[1]", 422, "option/invalid"),
        ("seats=5", 422, "option/invalid"),
        ("since=2024-13", 422, "request/invalid"),
        ("version=9", 404, "ruleset/unknown"),
        ("match=match-" + "a" * 26, 404, "match/unknown"),
    ],
)
def test_what_cannot_be_explored_is_refused_with_a_reason(api: Api, query: str, status: int, code: str) -> None:
    answered = api.get(f"{EXPLORER}?{query}")
    assert (answered.status_code, answered.json["code"]) == (status, code)


def test_a_match_that_players_decide_without_help_is_not_explored_until_it_is_over(api: Api, parts: Parts) -> None:
    table = Table(parts).play("d4")
    refused = api.get(f"{EXPLORER}?match={table.id}&ply=1")
    assert (refused.status_code, refused.json["code"]) == (409, "explorer/under-way")
    assert 'id="beside"' not in show(api, f"/matches/{table.id}")
    table.end(loser=1)
    assert api.get(f"{EXPLORER}?match={table.id}&ply=0").status_code == 200
    assert 'id="beside"' in show(api, f"/matches/{table.id}")


def test_a_private_match_is_not_told_of_and_not_named(api: Api, parts: Parts) -> None:
    match = Table(parts, private=True).play("d4").end(loser=1)
    assert api.get(f"{EXPLORER}?match={match}").status_code == 404
    assert api.get(EXPLORER).json["matches"] == 0
    assert api.get(f"{EXPLORER}/search?q=placed").json["matches"] == []


def test_a_search_has_pages_and_its_filters(api: Api, three: list[str]) -> None:
    path, found = f"{EXPLORER}/search?q=placed&limit=1", list[dict[str, Any]]()
    while path:
        page = api.get(path).json
        found += page["matches"]
        path = page["next"]
    assert [each["match"] for each in found] == three[::-1]
    assert [(each["plies"], each["steps"]) for each in found] == [([1], 1), ([1, 2], 2), ([1, 2], 2)]
    assert api.get(f"{EXPLORER}/search?q=placed&options=small").json["matches"] == []
    assert api.get(f"{EXPLORER}/search?q=placed&cursor=x").json["code"] == "cursor/invalid"


def test_a_fault_in_a_query_is_told_with_its_place_in_the_readers_language(api: Api) -> None:
    german = api.get(f"{EXPLORER}/search?q=placed then traped", headers={"Accept-Language": "de"}).json
    assert german["detail"].startswith("„traped“ an Zeichen 13 ist keine Wirkung dieses Spiels.")


@pytest.mark.parametrize(
    ("code", "faults"),
    [
        ("syntax", {"": 1, "placed and": 11, "(placed": 8, "placed)": 7, "placed at~3": 10, "placed at=": 11}),
        ("syntax", {"then placed": 1}),
        ("kind", {"jumped": 1}),
        ("word", {"placed blocker": 8}),
        ("detail", {"placed piece=blocker": 8, "colour=1": 1}),
        ("value", {"trapped clause=ZH1": 16, "ended word=path|pat": 17}),
        ("fact", {"placed ply=3": 8}),
        ("effect-missing", {"seat=1": 1}),
        ("kind-missing", {"2": 2}),
        ("number", {"0 placed": 1, "placed seat=one": 13}),
        ("operator", {"ply<1|2": 4, "placed to<d4": 10, "position!=" + "a" * 24: 9}),
        ("key", {"position=d4": 10}),
        ("too-long", {"placed or " * 40 + "placed": None}),
        ("too-many", {" or ".join(["placed"] * 21): None}),
    ],
)
def test_each_fault_of_a_query_has_its_code_and_place(code: str, faults: dict[str, int | None]) -> None:
    for text, column in faults.items():
        with pytest.raises(QueryFault) as refused:
            parse_query(PATHAGON, text)
        assert refused.value.code == f"explorer/{code}", text
        assert column is None or refused.value.details["column"] == column, text
        assert code != "too-long" or refused.value.details["most"] == MAX_QUERY


def test_brackets_stars_pieces_and_words_of_any_ruleset_are_read() -> None:
    for text in ("((((((placed))))))", "not not not placed", 'move="d4-*"', 'placed at="[a]?*"'):
        assert len(parse_query(PATHAGON, text).tests) == 1
    [dead, fallen] = parse_query(RINGS, "killed blocker from=d* and killed warrior").needs
    assert (dead.terms, fallen.terms) == ({"rings@1:killed:blocker"}, {"rings@1:killed:warrior"})
    for ruleset in RULESETS:
        for example in list_examples(ruleset):
            parse_query(ruleset, example)


def test_steps_come_back_from_their_text() -> None:
    text = "d4;[6,2];[leave 3];a b"
    assert write_line_text(read_line_text(f" {text} ; ")) == text


def show(api: Api, path: str, language: str = "en") -> str:
    """A page, which must be there."""
    answered = api.app.test_client().get(path, headers={"Accept": "text/html", "Accept-Language": language})
    assert answered.status_code == 200, answered.text
    return answered.text


def open_client(api: Api) -> Client:
    return Client("http://localhost", transport=httpx.WSGITransport(api.app))


def test_the_client_explores_and_searches_page_after_page(api: Api, three: list[str]) -> None:
    with open_client(api) as client:
        assert client.explore("pathagon", moves="d4")["matches"] == 2
        assert client.explore("pathagon", match=three[0], ply=1, options="default")["matches"] == 2
        assert [each["match"] for each in client.search_steps("pathagon", "placed", limit=1)] == three[::-1]


def test_the_command_shows_moves_and_finds_steps(api: Api, three: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "Client", lambda url, token, **_: open_client(api))

    def run(*asked: str) -> tuple[int, str]:
        ran = CliRunner().invoke(cli, ["explore", "pathagon", *asked])
        return ran.exit_code, ran.output

    code, output = run("d4")
    assert (code, output.startswith("2 matches, position ")) == (0, True)
    assert f"{three[1]} ply 1 " in output
    assert run("--search", "placed", "--limit", "1") == (0, f"{three[2]} after move 1\n")
    assert run("--search", "trapped") == (0, "no match found\n")
    code, output = run("--search", "traped")
    assert (code, "did you mean `trapped`?" in output) == (1, True)
    assert run("d4", "--search", "placed")[0] == 2
    assert run("--json")[1].startswith("{")


def test_the_page_shows_the_board_with_links_that_play_on(api: Api, three: list[str]) -> None:
    page = show(api, "/rulesets/pathagon/explorer")
    assert "explorer?moves=d4" in page
    assert f"/matches/{three[2]}?ply=0" in page
    after = show(api, "/rulesets/pathagon/explorer?moves=d4&since=2024-01")
    assert re.search(r"explorer\?since=2024-01&amp;moves=d4%3B[ce][35]", after)
    assert "/rulesets/pathagon/explorer?version=1" in show(api, "/rulesets/pathagon")
    # A single die is rolled by links, several by hand.
    assert "%5B8%5D" in show(api, "/rulesets/portals/explorer")
    assert "1–210" in show(api, "/rulesets/rings/explorer")


def test_the_page_says_what_is_wrong_and_shows_text_as_text(api: Api, three: list[str]) -> None:
    assert "d4 ist nicht leer" in show(api, "/rulesets/pathagon/explorer?moves=d4;d4", "de")
    assert 'id="q-refused"' in show(api, "/rulesets/pathagon/explorer?q=traped")
    assert f"/matches/{three[2]}?ply=1" in show(api, "/rulesets/pathagon/explorer?q=placed+at%3Da1")
    page = show(api, "/rulesets/pathagon/explorer?q=%3Cscript%3E&moves=%3Cb%3E")
    assert "<script>" not in page.split("</head>")[1].replace('<script type="module"', "")
    assert "<b>" not in page
