"""Lists of matches, players, tournaments and rulesets over HTTP, on each engine."""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.rulesets import register
from plyscribe.service.composition import Parts, compose
from plyscribe.service.lists import match_search, paging
from plyscribe.service.lists.projections import rebuild
from plyscribe.service.store.memory import MemoryStore
from tests.domain.toy import TOY_V1
from tests.service.api import Api, open_as_before
from tests.service.conftest import CONFIG


@pytest.fixture
def parts(any_read_url: str) -> Iterator[Parts]:
    """The parts of a process, with a read database of each kind."""
    register(TOY_V1)
    parts = compose(replace(CONFIG, read_url=any_read_url), MemoryStore())
    yield parts
    parts.database.close()


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
    path, found = f"/v1/matches?{query}", []
    while path:
        page = api.get(path, token)
        assert page.status_code == 200, page.json
        found += [row["match"] for row in page.json["matches"]]
        path = page.json["next"]
    return found


def test_an_empty_service_lists_nothing(api: Api) -> None:
    page = api.get("/v1/matches")
    assert page.json == {"matches": [], "next": None, "lag_ms": 0, "complete": True}


def test_a_row_has_all_that_a_list_shows(api: Api, ann, ben) -> None:
    match = api.new_match(ann[1], [{"player": ann[0]}, {"player": ben[0]}])
    [row] = api.get("/v1/matches").json["matches"]
    assert row["created_at"] == row["updated_at"]
    assert row | {"created_at": 0, "updated_at": 0} == {
        "match": match,
        "version": 1,
        "status": "open",
        "ruleset": "pathagon",
        "ruleset_version": 1,
        "seats": [{"seat": 1, "player": ann[0], "seated": True}, {"seat": 2, "player": ben[0], "seated": False}],
        "creator": ann[0],
        "recorder": None,
        "rated": False,
        "private": False,
        "imported": False,
        "importer": None,
        "tournament": None,
        "created_at": 0,
        "updated_at": 0,
        "ended_at": None,
        "ply": 0,
        "turn": None,
        "waits_for": [{"player": ben[0], "what": "seat"}],
        "outcome": None,
    }


def test_a_row_follows_its_match(api: Api, ann, ben) -> None:
    match = api.new_match(ann[1], [{"player": ann[0]}, None])
    api.post(f"/v1/matches/{match}/seats/2", ben[1])
    api.post(f"/v1/matches/{match}/moves", ann[1], {"move": "d4"})
    [row] = api.get("/v1/matches").json["matches"]
    assert (row["version"], row["ply"], row["turn"]) == (4, 1, {"decision": 2})
    assert row["waits_for"] == [{"player": ben[0], "what": "move"}]
    api.post(f"/v1/matches/{match}/withdrawal", ben[1])
    [row] = api.get("/v1/matches").json["matches"]
    assert (row["status"], row["outcome"]) == ("ended", {"reason": "withdrawal", "ranks": [1, 2]})


def test_the_newest_match_comes_first(api: Api, ann) -> None:
    made = [api.new_match(ann[1]) for _ in range(5)]
    times = [row["created_at"] for row in api.get("/v1/matches").json["matches"]]
    assert sorted(listed(api)) == sorted(made)
    assert times == sorted(times, reverse=True)


def test_all_filters_apply_together(api: Api, ann, ben) -> None:
    zhen = api.new_match(ann[1], ruleset="zhen")
    theirs = api.new_match(ben[1], [{"player": ann[0]}, None], ruleset="zhen")
    api.new_match(ben[1], ruleset="zhen")
    api.new_match(ann[1])
    assert set(listed(api, f"player={ann[0]}&ruleset=zhen")) == {zhen, theirs}
    assert listed(api, f"player={ann[0]}&ruleset=zhen&waiting=me", ann[1]) == [theirs]
    assert listed(api, f"player={ann[0]}&ruleset=zhen&status=playing") == []


def test_who_shares_the_first_place_with_some_but_not_with_all_has_won(api: Api, ann, ben) -> None:
    _, carl = api.sign_up("Carl")
    seats = [{"player": ann[0]}, {"player": ben[0]}, {"name": "Dora"}]
    ended = {}
    for ranks, leave, draw in (("123", [3, 2], False), ("113", [3], True), ("111", [], True), ("321", [1, 2], False)):
        match = api.new_match(carl, seats, ruleset="toy", recorded=True, options={"dice": 0})
        for seat, (_, token) in enumerate((ann, ben), 1):
            api.post(f"/v1/matches/{match}/seats/{seat}", token)
        for seat in leave:
            left = api.post(f"/v1/matches/{match}/withdrawal", carl, {"seat": seat})
            assert left.status_code == 200, left.json
        for seat in [seat for seat in (1, 2, 3) if draw and seat not in leave]:
            action = "offer" if seat == 1 else "agree"
            answer = api.post(f"/v1/matches/{match}/draw", carl, {"seat": seat, "action": action})
            assert answer.status_code == 200
        ended[ranks] = match
    rows = api.get("/v1/matches").json["matches"]
    assert {row["match"]: "".join(map(str, row["outcome"]["ranks"])) for row in rows} == {
        match: ranks for ranks, match in ended.items()
    }
    results = (
        {"won": ["123", "113"], "lost": ["321"], "drawn": ["111"]},
        {"won": ["113"], "lost": ["123", "321"], "drawn": ["111"]},
    )
    for (player, _), expected in zip((ann, ben), results, strict=True):
        for result, ranks in expected.items():
            assert set(listed(api, f"player={player}&result={result}")) == {ended[each] for each in ranks}


def test_an_annulled_match_has_no_result(api: Api, overseer, ann, ben) -> None:
    match = api.new_match(ann[1], [{"player": ann[0]}, {"player": ben[0]}])
    api.post(f"/v1/matches/{match}/seats/2", ben[1])
    api.post(f"/v1/matches/{match}/withdrawal", ben[1])
    assert listed(api, "player=me&result=won", ann[1]) == [match]
    assert api.post(f"/v1/matches/{match}/annulment", overseer, {"why": "test"}).status_code == 200
    assert listed(api, "player=me&result=won", ann[1]) == []
    assert listed(api, "reason=withdrawal&sort=ended") == [match]


def test_guests_and_notes_are_found_by_words(api: Api, ann) -> None:
    about = {"place": "Torino, Café Nº 1", "event": "Club"}
    match = api.new_match(ann[1], [{"name": "Łucja O’Neil"}, {"name": "Björn"}], recorded=True, about=about)
    api.new_match(ann[1])
    for query in ("q=%C5%81UCJA", "q=o%20neil%20bj", "place=CAFE%CC%81", "place=no%201%20tor", "about=club%20torino"):
        assert listed(api, query) == [match], query
    for query in ("q=lucja", "q=neil%20carl", "q=eil", "place=club", "about=clu%20torino"):
        assert listed(api, query) == [], query


def test_words_of_a_private_match_are_found_by_those_it_concerns_alone(api: Api, overseer, ann, ben) -> None:
    match = api.new_match(ann[1], [{"player": ann[0]}, None], private=True, about={"place": "Turin"})
    for query in ("q=ann", "place=turin", "about=tur", "sort=created&order=asc&max_plies=0"):
        assert listed(api, query) == listed(api, query, ben[1]) == []
        assert listed(api, query, ann[1]) == listed(api, query, overseer) == [match]


def test_several_statuses_make_one_list(api: Api, ann) -> None:
    still_open = api.new_match(ann[1])
    playing = api.new_match(ann[1], [{"player": ann[0]}] * 2)
    ended = api.new_match(ann[1], [{"player": ann[0]}] * 2)
    api.post(f"/v1/matches/{ended}/withdrawal", ann[1], {"seat": 1})
    assert set(listed(api, "status=open,playing")) == {still_open, playing}
    assert set(listed(api, "status=open,ended&limit=1")) == {still_open, ended}


def test_a_list_can_be_bounded_by_times(api: Api, ann) -> None:
    match = api.new_match(ann[1])
    at = api.get("/v1/matches").json["matches"][0]["created_at"]
    assert listed(api, f"since={at}&until={at + 1}") == [match]
    assert listed(api, f"since={at + 1}") == listed(api, f"until={at}") == []


def test_the_list_of_what_waits_for_me_needs_a_token(api: Api, ann) -> None:
    for query in ("waiting=me", "player=me", f"player={ann[0]}&opponent=me"):
        assert api.get(f"/v1/matches?{query}").json["code"] == "auth/missing"
    match = api.new_match(ann[1], [{"player": ann[0]}] * 2)
    assert listed(api, "waiting=me", ann[1]) == listed(api, "player=me", ann[1]) == [match]


def test_an_unknown_token_is_refused_even_if_none_is_needed(api: Api) -> None:
    assert api.get("/v1/matches", "ply_nonsense").status_code == 401


def test_a_private_match_is_listed_for_those_it_concerns(api: Api, parts, ann, ben) -> None:
    _, eve = api.sign_up("Eve")
    public = api.new_match(ann[1])
    private = api.new_match(ann[1], [{"player": ann[0]}, {"player": ben[0]}], private=True)
    assert set(listed(api, "", ann[1])) == set(listed(api, "", ben[1])) == {public, private}
    assert listed(api) == listed(api, "", eve) == [public]
    assert listed(api, f"player={ben[0]}", eve) == []
    assert listed(api, f"player={ben[0]}", ann[1]) == [private]
    assert listed(api, "waiting=me", ben[1]) == [private]


def test_an_overseer_lists_all_private_matches(api: Api, overseer, ann, ben) -> None:
    private = {api.new_match(who, private=True) for who in (ann[1], ben[1])}
    assert set(listed(api, "", overseer)) == private


def test_a_private_match_is_not_listed_for_a_player_who_left_it(api: Api, ann, ben) -> None:
    private = api.new_match(ann[1], [{"player": ann[0]}, {"player": ben[0]}], private=True)
    assert listed(api, "", ben[1]) == [private]
    api.send("DELETE", f"/v1/matches/{private}/seats/2", ben[1])
    assert listed(api, "", ben[1]) == listed(api, "waiting=me", ben[1]) == []


@pytest.mark.parametrize("cursor", ["x", "====", "AAAA", "é", "a" * 100, "MDAwCW1hdGNoLXg"])
@pytest.mark.parametrize("path", ["/v1/matches", "/v1/players"])
def test_a_cursor_that_no_list_issued_is_refused(api: Api, path: str, cursor: str) -> None:
    refused = api.get(f"{path}?cursor={cursor}")
    assert (refused.status_code, refused.json["code"]) == (400, "cursor/invalid")


def test_a_cursor_belongs_to_its_list(api: Api, ann, ben) -> None:
    for _ in range(2):
        api.new_match(ann[1])
    paths = "/v1/matches", "/v1/players"
    cursors = [parse_qs(urlsplit(api.get(f"{path}?limit=1").json["next"]).query)["cursor"][0] for path in paths]
    for path, own, other in zip(paths, cursors, reversed(cursors), strict=True):
        assert api.get(f"{path}?cursor={own}").status_code == 200
        assert api.get(f"{path}?cursor={other}").json["code"] == "cursor/invalid"
        assert api.get(f"/v1/ratings/zhen?cursor={own}").json["code"] == "cursor/invalid"


@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=201", "status=lost", "status=", "player=ann", "rated=yes", "waiting=you", "since=-1"),
        *("what=1", "q=", f"about={'a' * 101}"),
        *("reason=Withdrawal", "min_plies=-1", "max_plies=1.5", "sort=rating", "order=up"),
    ],
)
def test_an_impossible_filter_is_refused(api: Api, query: str) -> None:
    assert api.get(f"/v1/matches?{query}").json["code"] == "request/invalid"


@pytest.mark.parametrize("query", ["result=lost", f"opponent=player-{'a' * 26}"])
@pytest.mark.parametrize("path", ["/v1/matches", "/v1/matches/export"])
def test_a_filter_about_a_player_needs_one(api: Api, path: str, query: str) -> None:
    refused = api.get(f"{path}?{query}")
    assert (refused.status_code, refused.json["code"]) == (400, "filter/player-missing")


@pytest.mark.parametrize("query", ["q=%E2%98%85", "place=-", "about=+", "q=a+b+c+d+e+f+g+h+i"])
@pytest.mark.parametrize("path", ["/v1/matches", "/v1/matches/export", "/v1/matches/stream"])
def test_a_text_is_searched_for_by_one_to_eight_words(api: Api, path: str, query: str) -> None:
    refused = api.get(f"{path}?{query}")
    assert (refused.status_code, refused.json["code"]) == (400, "filter/words")


def test_pages_are_stable_while_matches_come_in(api: Api, ann) -> None:
    made = {api.new_match(ann[1]) for _ in range(7)}
    path, seen = "/v1/matches?limit=2", []
    while path:
        page = api.get(path).json
        seen += [row["match"] for row in page["matches"]]
        path = page["next"]
        api.new_match(ann[1])
    assert len(seen) == len(set(seen))
    assert set(seen) == made


def test_the_path_of_the_next_page_keeps_the_filters(api: Api, ann) -> None:
    for _ in range(3):
        api.new_match(ann[1], ruleset="zhen")
    following = api.get("/v1/matches?ruleset=zhen&status=open,playing&limit=2").json["next"]
    assert following.startswith("/v1/matches?ruleset=zhen&status=open%2Cplaying&limit=2&cursor=")
    assert len(api.get(following).json["matches"]) == 1


def test_a_request_looks_at_a_bounded_number_of_rows(api: Api, ann, monkeypatch) -> None:
    """Filters that few rows pass give short pages, with a cursor to go on."""
    for module in (match_search, paging):
        monkeypatch.setattr(module, "MAX_SCANNED", 20)
    moved = api.new_match(ann[1], [{"player": ann[0]}] * 2)
    api.post(f"/v1/matches/{moved}/moves", ann[1], {"move": "d4"})
    for _ in range(45):
        api.new_match(ann[1])
    path, pages = "/v1/matches?min_plies=1&limit=5", []
    while path:
        page = api.get(path).json
        pages.append([row["match"] for row in page["matches"]])
        path = page["next"]
    assert pages == [[], [], [moved]]


def test_players_are_listed_by_name_in_any_case(api: Api) -> None:
    for name in ("ben", "Ann", "ANNE", "Änne", "Zoë", "anna b"):
        api.sign_up(name)
    names = [row["name"] for row in api.get("/v1/players").json["players"]]
    assert names == ["Ann", "anna b", "ANNE", "ben", "Zoë", "Änne"]


@pytest.mark.parametrize(
    ("query", "names"),
    [("an", ["Ann", "ANNE"]), ("ANNE", ["ANNE"]), ("x", []), ("%C3%A4", ["Änne"]), ("A%CC%88", ["Änne"])],
)
def test_players_are_found_by_the_start_of_their_names(api: Api, query: str, names: list[str]) -> None:
    for name in ("ben", "Ann", "ANNE", "Änne"):
        api.sign_up(name)
    assert [row["name"] for row in api.get(f"/v1/players?name={query}").json["players"]] == names


def test_players_are_found_by_kind_page_by_page(api: Api) -> None:
    for n in range(5):
        api.post("/v1/players", body={"name": f"Bot {n}", "kind": "bot"})
        api.sign_up(f"Bo {n}")
    path, names = "/v1/players?kind=bot&name=bo&limit=2", []
    while path:
        page = api.get(path).json
        names += [row["name"] for row in page["players"]]
        path = page["next"]
    assert names == [f"Bot {n}" for n in range(5)]


def test_namesakes_of_earlier_releases_are_all_listed(api: Api, parts) -> None:
    made = {open_as_before(parts, "Ann") for _ in range(5)}
    first = api.get("/v1/players?limit=3").json
    second = api.get(first["next"]).json
    assert {row["player"] for row in first["players"] + second["players"]} == made


def test_tournaments_are_found_by_ruleset_status_and_invitation_page_by_page(api: Api, parts: Parts) -> None:
    organiser = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("organise",))[1]
    ann, ann_token = api.sign_up("Ann")
    made = []
    for ruleset in ("pathagon", "zhen", "pathagon"):
        terms = {"name": "Cup", "ruleset": ruleset, "seats": 2, "format": {"kind": "round-robin"}}
        made.append(api.post("/v1/tournaments", organiser, terms).json["tournament"])
        api.post(f"/v1/tournaments/{made[-1]}/invitations", organiser, {"player": ann})
    first, zhen, third = made
    api.send("DELETE", f"/v1/tournaments/{first}/invitations/{ann}", organiser)
    aborted = api.post(f"/v1/tournaments/{third}/abort", organiser)
    assert aborted.status_code == 200, aborted.json

    def found(query: str) -> list[str]:
        path, rows = f"/v1/tournaments?limit=1&{query}", []
        while path:
            page = api.get(path, ann_token).json
            rows += page["tournaments"]
            path = page["next"]
        assert rows == sorted(rows, key=lambda row: (row["created_at"], row["tournament"]), reverse=True)
        return [row["tournament"] for row in rows]

    assert set(found("")) == set(made)
    assert set(found("ruleset=pathagon")) == {first, third}
    assert found("status=aborted") == found("status=aborted&ruleset=pathagon") == [third]
    assert found("status=aborted&ruleset=zhen") == []
    assert found("invited=me") == found("invited=me&ruleset=zhen&status=open") == [zhen]


def test_rulesets_show_how_many_matches_there_are(api: Api, ann) -> None:
    api.new_match(ann[1], ruleset="zhen")
    api.new_match(ann[1], ruleset="zhen", private=True)
    counts = {row["ruleset"]: row["matches"] for row in api.get("/v1/rulesets").json["rulesets"]}
    assert (counts["zhen"], counts["pathagon"]) == (1, 0)


def test_rulesets_are_found_by_the_number_of_seats(api: Api) -> None:
    found = api.get("/v1/rulesets?seats=3").json["rulesets"]
    assert "toy" in {row["ruleset"] for row in found}
    assert all(row["min_seats"] <= 3 <= row["max_seats"] for row in found)
    assert api.get("/v1/rulesets?seats=9").json["rulesets"] == []


def test_tournaments_are_found_by_ones_own_part_and_by_whether_they_take_entrants(api: Api, parts: Parts) -> None:
    olga, olga_token = api.sign_up("Olga")
    organiser = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("organise", "play"))[1]
    ann, ann_token = api.sign_up("Ann")

    def announce(**terms: object) -> str:
        body = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, **terms}
        return str(api.post("/v1/tournaments", organiser, body).json["tournament"])

    public, closed, hidden = announce(), announce(is_open=False), announce(private=True, is_open=False)
    api.post(f"/v1/tournaments/{public}/entrants", ann_token, {})
    api.post(f"/v1/tournaments/{closed}/requests", ann_token, {})
    api.post(f"/v1/tournaments/{hidden}/arbiters", organiser, {"player": ann})
    api.post(f"/v1/tournaments/{hidden}/invitations", organiser, {"player": olga})

    def found(query: str, token: str | None = ann_token) -> set[str]:
        return {row["tournament"] for row in api.get(f"/v1/tournaments?{query}", token).json["tournaments"]}

    assert found("mine=any") == {public, closed, hidden}
    assert found("mine=entered") == {public}
    assert found("mine=asked") == {closed}
    assert found("mine=arbiter") == {hidden}
    assert found("mine=organised") == set()
    assert found("mine=any&entering=true") == {public, closed}
    assert found("mine=organised", organiser) == {public, closed, hidden}
    assert found("mine=any", olga_token) == found("mine=invited&invited=me", olga_token) == {hidden}
    assert found("entering=true", None) == {public, closed}
    assert api.get("/v1/tournaments?mine=any").status_code == 401
    api.post(f"/v1/tournaments/{public}/abort", organiser, {})
    assert found("entering=true", None) == {closed}
    rebuild(parts.store, parts.lists.tournament_people)
    assert found("mine=any&ruleset=zhen") == {public, closed, hidden}
