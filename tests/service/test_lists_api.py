"""Lists of matches, players, tournaments and rulesets over HTTP, on each engine."""

from urllib.parse import parse_qs, urlsplit

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.composition import Parts
from plyscribe.service.lists import match_search, paging
from plyscribe.service.lists.projections import rebuild
from tests.service.api import Api, open_as_before
from tests.service.test_explorer import parts

__all__ = ["parts"]


@pytest.fixture
def ann(api: Api) -> tuple[str, str]:
    return api.sign_up("Ann")


@pytest.fixture
def ben(api: Api) -> tuple[str, str]:
    return api.sign_up("Ben")


@pytest.fixture
def overseer(parts: Parts) -> str:
    return parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))[1]


def listed(api: Api, query: str = "", token: str | None = None) -> list[str]:
    """The ids on all pages of a list of matches."""
    return [row["match"] for page in api.pages(f"/v1/matches?{query}", token) for row in page["matches"]]


def test_all_filters_apply_together(api, ann, ben):
    zhen = api.new_match(ann[1], ruleset="zhen")
    theirs = api.new_match(ben[1], [{"player": ann[0]}, None], ruleset="zhen")
    api.new_match(ben[1], ruleset="zhen")
    ended = api.new_match(ann[1], [{"player": ann[0]}] * 2)
    api.post(f"/v1/matches/{ended}/withdrawal", ann[1], {"seat": 1})
    at = api.get("/v1/matches?status=ended").json["matches"][0]["created_at"]
    for query, found in (
        ("ruleset=zhen", {zhen, theirs}),
        ("ruleset=zhen&status=playing", set()),
        ("status=open,ended&limit=1", {zhen, theirs, ended}),
        (f"status=ended,playing&since={at}&until={at + 1}", {ended}),
        (f"since={at + 1}", set()),
        (f"status=ended&until={at}", set()),
    ):
        assert set(listed(api, f"player={ann[0]}&{query}")) == found, query
    assert listed(api, f"player={ann[0]}&ruleset=zhen&waiting=me", ann[1]) == [theirs]


def test_who_shares_the_first_place_with_some_but_not_with_all_has_won(api, ann, ben):
    _, carl = api.sign_up("Carl")
    seats = [{"player": ann[0]}, {"player": ben[0]}, {"name": "Dora"}]
    ended = {}
    for ranks, leave, draw in (("123", [3, 2], []), ("113", [3], [1, 2]), ("111", [], [1, 2, 3]), ("321", [1, 2], [])):
        match = api.new_match(carl, seats, ruleset="toy", recorded=True, options={"dice": 0})
        for seat, (_, token) in enumerate((ann, ben), 1):
            api.post(f"/v1/matches/{match}/seats/{seat}", token)
        for seat in leave:
            assert api.post(f"/v1/matches/{match}/withdrawal", carl, {"seat": seat}).status_code == 200
        for seat in draw:
            answer = {"seat": seat, "action": "offer" if seat == 1 else "agree"}
            assert api.post(f"/v1/matches/{match}/draw", carl, answer).status_code == 200
        assert "".join(map(str, api.get(f"/v1/matches/{match}").json["outcome"]["ranks"])) == ranks
        ended[ranks] = match
    results = (
        {"won": ["123", "113"], "lost": ["321"], "drawn": ["111"]},
        {"won": ["113"], "lost": ["123", "321"], "drawn": ["111"]},
    )
    for (player, _), expected in zip((ann, ben), results, strict=True):
        for result, ranks in expected.items():
            assert set(listed(api, f"player={player}&result={result}")) == {ended[each] for each in ranks}


def test_guests_and_notes_are_found_by_words(api, ann):
    about = {"place": "Torino, Café Nº 1", "event": "Club"}
    match = api.new_match(ann[1], [{"name": "Łucja O’Neil"}, {"name": "Björn"}], recorded=True, about=about)
    api.new_match(ann[1])
    for query in ("q=%C5%81UCJA", "q=o%20neil%20bj", "place=CAFE%CC%81", "place=no%201%20tor", "about=club%20torino"):
        assert listed(api, query) == [match], query
    for query in ("q=lucja", "q=neil%20carl", "q=eil", "place=club", "about=clu%20torino"):
        assert listed(api, query) == [], query


def test_the_list_of_what_waits_for_me_needs_a_token(api, ann):
    for query in ("waiting=me", "player=me", f"player={ann[0]}&opponent=me"):
        assert api.get(f"/v1/matches?{query}").json["code"] == "auth/missing"
    match = api.new_match(ann[1], [{"player": ann[0]}] * 2)
    assert listed(api, "waiting=me", ann[1]) == listed(api, "player=me", ann[1]) == [match]
    assert api.get("/v1/matches", "ply_nonsense").status_code == 401


def test_a_private_match_is_listed_for_those_it_concerns(api, overseer, ann, ben):
    _, eve = api.sign_up("Eve")
    seats = [{"player": ann[0]}, {"player": ben[0]}]
    private = api.new_match(ann[1], seats, private=True, about={"place": "Turin"})
    for query in ("", f"player={ben[0]}", "q=ann", "place=turin", "about=tur", "sort=created&order=asc&max_plies=0"):
        assert listed(api, query) == listed(api, query, eve) == [], query
        for token in (ann[1], ben[1], overseer):
            assert listed(api, query, token) == [private], query
    assert listed(api, "waiting=me", ben[1]) == [private]
    api.send("DELETE", f"/v1/matches/{private}/seats/2", ben[1])
    assert listed(api, "", ben[1]) == listed(api, "waiting=me", ben[1]) == []


MATCHES, EXPORT, STREAM = "/v1/matches", "/v1/matches/export", "/v1/matches/stream"
CURSORS = ["x", "====", "AAAA", "é", "a" * 100, "MDAwCW1hdGNoLXg"]
IMPOSSIBLE = [
    *("limit=0", "limit=201", "status=lost", "status=", "player=ann", "rated=yes", "waiting=you", "since=-1", "what=1"),
    *("q=", f"about={'a' * 101}", "reason=Withdrawal", "min_plies=-1", "max_plies=1.5", "sort=rating", "order=up"),
]


@pytest.mark.parametrize(
    ("paths", "queries", "status", "code"),
    [
        ((MATCHES, "/v1/players"), [f"cursor={cursor}" for cursor in CURSORS], 400, "cursor/invalid"),
        ((MATCHES,), IMPOSSIBLE, 422, "request/invalid"),
        ((MATCHES, EXPORT), ["result=lost", f"opponent=player-{'a' * 26}"], 400, "filter/player-missing"),
        ((MATCHES, EXPORT, STREAM), ["q=%E2%98%85", "place=-", "about=+", "q=a+b+c+d+e+f+g+h+i"], 400, "filter/words"),
    ],
)
def test_a_query_that_is_no_filter_or_cursor_is_refused(api, paths, queries, status, code):
    for asked in (f"{path}?{query}" for path in paths for query in queries):
        refused = api.get(asked)
        assert (refused.status_code, refused.json["code"]) == (status, code), asked


def test_a_cursor_belongs_to_its_list(api, ann, ben):
    for _ in range(2):
        api.new_match(ann[1])
    paths = "/v1/matches", "/v1/players"
    cursors = [parse_qs(urlsplit(api.get(f"{path}?limit=1").json["next"]).query)["cursor"][0] for path in paths]
    for path, own, other in zip(paths, cursors, reversed(cursors), strict=True):
        assert api.get(f"{path}?cursor={own}").status_code == 200
        assert api.get(f"{path}?cursor={other}").json["code"] == "cursor/invalid"
        assert api.get(f"/v1/ratings/zhen?cursor={own}").json["code"] == "cursor/invalid"


def test_a_request_looks_at_a_bounded_number_of_rows(api, ann, monkeypatch):
    """Filters that few rows pass give short pages, with a cursor to go on."""
    for module in (match_search, paging):
        monkeypatch.setattr(module, "MAX_SCANNED", 20)
    moved = api.new_match(ann[1], [{"player": ann[0]}] * 2)
    api.post(f"/v1/matches/{moved}/moves", ann[1], {"move": "d4"})
    for _ in range(45):
        api.new_match(ann[1])
    pages = [page["matches"] for page in api.pages("/v1/matches?min_plies=1&limit=5")]
    assert [[row["match"] for row in page] for page in pages] == [[], [], [moved]]


def test_players_are_listed_by_name_in_any_case_and_found_by_the_start_of_it(api):
    for name in ("ben", "Ann", "ANNE", "Änne", "Zoë", "anna b"):
        api.sign_up(name)
    for query, names in (
        ("", ["Ann", "anna b", "ANNE", "ben", "Zoë", "Änne"]),
        ("name=an", ["Ann", "anna b", "ANNE"]),
        ("name=ANNE", ["ANNE"]),
        ("name=x", []),
        ("name=%C3%A4", ["Änne"]),
        ("name=A%CC%88", ["Änne"]),
    ):
        assert [row["name"] for row in api.get(f"/v1/players?{query}").json["players"]] == names, query


def test_players_are_found_by_kind_page_by_page(api):
    for n in range(5):
        api.post("/v1/players", body={"name": f"Bot {n}", "kind": "bot"})
        api.sign_up(f"Bo {n}")
    pages = api.pages("/v1/players?kind=bot&name=bo&limit=2")
    assert [row["name"] for page in pages for row in page["players"]] == [f"Bot {n}" for n in range(5)]


def test_namesakes_of_earlier_releases_are_all_listed(api, parts):
    made = {open_as_before(parts, "Ann") for _ in range(5)}
    assert {row["player"] for page in api.pages("/v1/players?limit=3") for row in page["players"]} == made


def test_rulesets_show_how_many_matches_there_are_and_are_found_by_the_number_of_seats(api, ann):
    api.new_match(ann[1], ruleset="zhen")
    api.new_match(ann[1], ruleset="zhen", private=True)
    counts = {row["ruleset"]: row["matches"] for row in api.get("/v1/rulesets").json["rulesets"]}
    assert (counts["zhen"], counts["pathagon"]) == (1, 0)
    found = api.get("/v1/rulesets?seats=3").json["rulesets"]
    assert "toy" in {row["ruleset"] for row in found}
    assert all(row["min_seats"] <= 3 <= row["max_seats"] for row in found)
    assert api.get("/v1/rulesets?seats=9").json["rulesets"] == []


def test_tournaments_are_found_by_terms_status_and_ones_own_part_page_by_page(api, parts):
    olga, olga_token = api.sign_up("Olga")
    organiser = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("organise", "play"))[1]
    ann, ann_token = api.sign_up("Ann")

    def announce(**terms: object) -> str:
        body = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, **terms}
        return str(api.post("/v1/tournaments", organiser, body).json["tournament"])

    public, closed, hidden = announce(), announce(ruleset="pathagon", is_open=False), announce(private=True)
    api.post(f"/v1/tournaments/{public}/entrants", ann_token, {})
    api.post(f"/v1/tournaments/{closed}/requests", ann_token, {})
    api.post(f"/v1/tournaments/{hidden}/arbiters", organiser, {"player": ann})
    api.post(f"/v1/tournaments/{hidden}/invitations", organiser, {"player": olga})

    def found(query: str, token: str | None = ann_token) -> set[str]:
        pages = api.pages(f"/v1/tournaments?limit=1&{query}", token)
        rows = [row for page in pages for row in page["tournaments"]]
        assert rows == sorted(rows, key=lambda row: (row["created_at"], row["tournament"]), reverse=True)
        return {row["tournament"] for row in rows}

    assert found("mine=any") == {public, closed, hidden}
    assert found("mine=entered") == {public}
    assert found("mine=asked") == {closed}
    assert found("mine=arbiter") == {hidden}
    assert found("mine=organised") == set()
    assert found("mine=any&entering=true") == {public, closed}
    assert found("mine=organised", organiser) == {public, closed, hidden}
    assert found("ruleset=pathagon", None) == found("mine=any&ruleset=pathagon") == {closed}
    assert found("mine=any", olga_token) == found("mine=invited&invited=me", olga_token) == {hidden}
    api.send("DELETE", f"/v1/tournaments/{hidden}/invitations/{olga}", organiser)
    assert found("mine=any", olga_token) == found("invited=me", olga_token) == set()
    assert found("entering=true", None) == {public, closed}
    assert api.get("/v1/tournaments?mine=any").status_code == 401
    assert api.post(f"/v1/tournaments/{public}/abort", organiser, {}).status_code == 200
    assert found("entering=true", None) == {closed}
    assert found("status=aborted") == found("status=aborted&ruleset=zhen") == {public}
    assert found("status=aborted&ruleset=pathagon") == set()
    rebuild(parts.store, parts.lists.tournament_people)
    assert found("mine=any&ruleset=zhen") == {public, hidden}
