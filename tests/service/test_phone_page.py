"""The page of a table's code, its typed score sheets, and the sheets to print."""

import re

import pytest

from plyscribe.service.tournaments import codes
from plyscribe.service.web.app import create_app
from tests.service.test_club_api import CLUB, Club

HTML = {"Accept": "text/html"}


@pytest.fixture
def started(api, parts) -> Club:
    """Olga's tournament, with its first round paired; Ann has an account and no part in it."""
    club = Club(api, parts, **CLUB)
    club.guests("Ida", "Kim", "Lou", "Max")
    club.begin()
    return club


def read(club: Club, path: str, token: str | None = None, **headers: str):
    """What a browser gets, by default without an account."""
    signed = {"Authorization": f"Bearer {token}"} if token else {}
    return create_app(club.parts).test_client().get(path, headers={**HTML, **signed, **headers})


def at(club: Club, code: str, **headers: str):
    return read(club, f"/at/{code}", **headers)


def test_the_page_says_where_one_is_and_keeps_its_address_from_others_and_from_caches(started):
    code = started.code()
    page = at(started, code)
    assert page.status_code == 200, page.text
    assert "Board 1" in page.text
    assert code not in page.text
    assert "plyt_" not in page.text
    assert (page.headers["Referrer-Policy"], page.headers["Cache-Control"]) == ("strict-origin", "no-store")
    assert "worker-src 'self'" in page.headers["Content-Security-Policy"]
    reader = create_app(started.parts).test_client()
    chosen = reader.post(f"/at/{code}", data={"language": "de"}, headers={"Sec-Fetch-Site": "same-origin"})
    assert (chosen.status_code, chosen.location) == (303, f"/at/{code}")
    assert '<html lang="de"' in reader.get(f"/at/{code}", headers=HTML).text


def test_an_account_does_not_count_on_the_page_of_a_code(started):
    code = started.code()
    for token in (started.token, "ply_nonsense"):
        page = read(started, f"/at/{code}", token)
        assert (page.status_code, "Board 1" in page.text) == (200, True)
    assert read(started, "/at/plyt_x", started.token).status_code == 404


@pytest.mark.parametrize("what", ["of nobody", "expired", "void"])
def test_a_code_that_does_not_count_gets_a_page_that_says_so(started, monkeypatch, what):
    code, status, said = started.code(hours=1), 410, "has expired"
    if what == "of nobody":
        code, status, said = "plyt_x", 404, "is not valid"
    elif what == "expired":
        later = codes.now_ms() + 2 * 3_600_000
        monkeypatch.setattr(codes, "now_ms", lambda: later)
    else:
        started.post("/code-revocations", round=1, board=1, why="a lost phone")
        said = "ungültig gemacht"
    page = at(started, code, **({"Accept-Language": "de"} if what == "void" else {}))
    assert (page.status_code, said in page.text) == (status, True)
    assert ("board 1 in round 1 of Cup" in page.text) == (what == "expired")


def test_with_the_code_a_typed_sheet_is_read_and_moves_ahead_are_listed_but_no_bot_is_asked(started):
    match, code = started.match(), started.code()
    found = started.api.send("POST", f"/v1/matches/{match}/score-sheet", code, json={"text": "+5 +3\n+3"}).json
    assert [each["step"] for each in found["steps"]] == [{"move": "+5"}, {"move": "+3"}]
    assert (found["fault"]["line"], found["fault"]["column"], found["version"]) == (2, 1, 2)
    draw = started.api.send("POST", f"/v1/matches/{match}/score-sheet", code, json={"text": "+5 (draw)"}).json
    assert (draw["fault"]["code"], len(draw["steps"])) == ("sheet/draw", 1)
    body = {"seats": 2, "steps": [], "playouts": 10}
    refused = started.api.send("POST", "/v1/rulesets/zhen/suggestions", code, json=body)
    assert refused.json["code"] == "table/no-account"
    ahead = at(started, f"{code}/ahead", Accept="application/json").json
    assert (ahead["version"], len(ahead["moves"]) > 5, all(ways for _, ways in ahead["moves"])) == (2, True, True)


def test_arbiters_see_the_sheets_and_players_do_not(started):
    address = f"/tournaments/{started.id}/rounds/1/sheets"
    assert read(started, address, started.ann_token).status_code == 403
    started.post("/arbiters", name="Ann")
    page = read(started, f"{address}?for=seats&board=2", started.ann_token)
    assert page.status_code == 200
    assert len(re.findall('class="sheet"', page.text)) == 2
    assert read(started, address.replace("1/sheets", "7/sheets"), started.token).status_code == 404
    pages = [read(started, address, started.token).text for _ in range(2)]
    first, second = (re.findall(r"plyt_[\w-]+", page) for page in pages)
    assert first == second, "they stay the same for an hour"
