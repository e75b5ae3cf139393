"""Pauses and changed clocks over HTTP: who may, what is refused meanwhile, and what the match then says."""

from html import unescape

import pytest

from plyscribe.domain.codec import parse_event
from tests.service.test_overseers import Table

WHY = "the lights went out"
LIMITS = {"match_ms": 300_000}


@pytest.fixture
def table(api, parts) -> Table:
    return Table(api, parts)


def test_an_overseer_pauses_a_match_and_lets_it_go_on(table):
    match = table.begin(limits=LIMITS)
    first = table.api.get(f"{match}/legal-moves?limit=1", table.ann_token).json["moves"][0]
    assert table.api.get(match).json["paused"] is None
    receipt = table.api.post(f"{match}/pause", table.olga_token, {"why": WHY})
    assert receipt.status_code == 200
    [event] = receipt.json["events"]
    assert (event["type"], event["by"], event["data"]) == ("match-paused", f"organiser:{table.olga}", {"why": WHY})
    state = table.api.get(match, table.ann_token).json
    assert state["paused"] == {"at": event["at"], "by": f"organiser:{table.olga}", "why": WHY}
    assert state["clock"]["deadline"] is None
    assert "move" not in [choice["command"] for choice in state["choices"]]
    assert table.code(f"{match}/moves", table.ann_token, {"move": first}) == (409, "match/paused")
    assert table.api.post(f"{match}/resume", table.root_token, {}).status_code == 200
    assert table.api.post(f"{match}/moves", table.ann_token, {"move": first}).status_code == 200


def test_players_and_strangers_do_not_pause(table):
    match = table.begin(limits=LIMITS)
    assert table.code(f"{match}/pause", table.ann_token, {"why": WHY}) == (403, "match/not-yours")
    assert table.code(f"{match}/pause", table.oscar_token, {"why": WHY}) == (403, "match/not-yours")
    assert "pause" not in table.commands(match, table.ann_token)
    assert "pause" in table.commands(match, table.olga_token)


def test_an_organiser_who_plays_does_not_pause(table):
    seats = [{"player": table.olga}, {"player": table.ben}]
    match = f"/v1/matches/{table.api.new_match(table.olga_token, seats, limits=LIMITS)}"
    table.api.post(f"{match}/seats/2", table.ben_token)
    assert table.code(f"{match}/pause", table.olga_token, {"why": WHY}) == (403, "match/own-seat")
    assert table.code(f"{match}/clock", table.olga_token, {"seat": 1, "add_ms": 9000, "why": WHY}) == (
        403,
        "match/own-seat",
    )
    assert table.api.post(f"{match}/pause", table.root_token, {"why": WHY}).status_code == 200


def test_a_recorder_who_does_not_play_pauses(table):
    seats = [{"name": "Ada"}, {"name": "Bea"}]
    match = f"/v1/matches/{table.api.new_match(table.ann_token, seats, recorded=True)}"
    [event] = table.api.post(f"{match}/pause", table.ann_token, {"why": WHY}).json["events"]
    assert event["by"] == f"recorder:{table.ann}"
    assert "resume" in table.commands(match, table.ann_token)


def test_a_clock_is_changed(table):
    match = table.begin(limits=LIMITS)
    change = {"seat": 2, "add_ms": 60_000, "why": "a late start"}
    assert table.api.post(f"{match}/clock", table.olga_token, change).status_code == 200
    assert table.api.get(match).json["clock"]["left_ms"] == [300_000, 360_000]
    assert table.code(f"{match}/clock", table.ben_token, change) == (403, "match/not-yours")
    refused = table.api.post(f"{match}/clock", table.olga_token, {**change, "add_ms": -360_000})
    assert (refused.status_code, refused.json["code"], refused.json["left_ms"]) == (409, "clock/too-little", 360_000)
    assert table.code(f"{match}/clock", table.olga_token, {**change, "add_ms": 10**12}) == (422, "request/invalid")
    assert table.code(f"{match}/clock", table.olga_token, {**change, "add_ms": 5}) == (422, "clock/range")


def test_who_may_not_read_a_private_match_does_not_learn_that_it_can_be_paused(table):
    match = table.begin(private=True, limits=LIMITS)
    assert table.code(f"{match}/pause", table.api.sign_up("Zoe")[1], {"why": WHY}) == (404, "match/unknown")


def test_a_paused_tournament_stops_its_matches_until_it_goes_on(table):
    olga, parts = table.olga_token, table.parts
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, "limits": LIMITS}
    cup = f"/v1/tournaments/{table.api.post('/v1/tournaments', olga, terms).json['tournament']}"
    more = [table.api.sign_up(name)[1] for name in ("Cat", "Dan")]
    for token in (table.ann_token, table.ben_token, *more):
        assert table.api.post(f"{cup}/entrants", token, {}).status_code == 201
    table.api.post(f"{cup}/start", olga, {})
    stream = cup.rsplit("/", 1)[1]
    parts.tournaments.advance(stream)
    [round] = table.api.get(f"{cup}/rounds").json["rounds"]
    one, other = (game["match"] for game in round["games"])
    parts.matches.read(one)
    assert table.api.post(f"/v1/matches/{other}/pause", olga, {"why": "a telephone rang"}).status_code == 200

    assert table.api.post(f"{cup}/pause", olga, {"why": WHY, "matches": True}).status_code == 200
    for _ in range(2):
        parts.tournaments.advance(stream)
    assert table.api.get(f"/v1/matches/{one}").json["paused"]["why"] == WHY
    assert table.api.get(f"/v1/matches/{one}").json["paused"]["by"] == f"organiser:{stream}"
    assert table.api.get(f"/v1/matches/{other}").json["paused"]["why"] == "a telephone rang"

    table.api.post(f"{cup}/resume", olga, {})
    for _ in range(2):
        parts.tournaments.advance(stream)
    assert table.api.get(f"/v1/matches/{one}").json["paused"] is None
    assert table.api.get(f"/v1/matches/{other}").json["paused"]["why"] == "a telephone rang"
    types = [parse_event(each).data.type for each in parts.matches.read_events(one, 0)]
    assert types[-2:] == ["match-paused", "match-resumed"]


def test_an_arbiter_lets_one_match_of_a_paused_tournament_go_on(table):
    olga, parts = table.olga_token, table.parts
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, "limits": LIMITS}
    cup = f"/v1/tournaments/{table.api.post('/v1/tournaments', olga, terms).json['tournament']}"
    for token in (table.ann_token, table.ben_token):
        table.api.post(f"{cup}/entrants", token, {})
    table.api.post(f"{cup}/arbiters", olga, {"player": table.oscar})
    table.api.post(f"{cup}/start", olga, {})
    stream = cup.rsplit("/", 1)[1]
    parts.tournaments.advance(stream)
    table.api.post(f"{cup}/pause", table.oscar_token, {"why": WHY, "matches": True})
    parts.tournaments.advance(stream)
    [game] = table.api.get(f"{cup}/rounds").json["rounds"][0]["games"]
    match = f"/v1/matches/{game['match']}"
    assert table.api.post(f"{match}/resume", table.oscar_token, {}).status_code == 200
    parts.tournaments.advance(stream)
    assert table.api.get(match).json["paused"] is None


def test_a_pause_without_its_matches_lets_them_go_on(table):
    olga, parts = table.olga_token, table.parts
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}}
    cup = f"/v1/tournaments/{table.api.post('/v1/tournaments', olga, terms).json['tournament']}"
    for token in (table.ann_token, table.ben_token):
        table.api.post(f"{cup}/entrants", token, {})
    table.api.post(f"{cup}/start", olga, {})
    stream = cup.rsplit("/", 1)[1]
    parts.tournaments.advance(stream)
    table.api.post(f"{cup}/pause", olga, {"why": WHY})
    parts.tournaments.advance(stream)
    [game] = table.api.get(f"{cup}/rounds").json["rounds"][0]["games"]
    assert table.api.get(f"/v1/matches/{game['match']}").json["paused"] is None


def show(table: Table, path: str, token: str | None = None, language: str = "en") -> str:
    headers = {"Accept": "text/html", "Accept-Language": language}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return unescape(table.api.app.test_client().get(path, headers=headers).text)


def test_the_pages_say_who_paused_the_match_and_why(table):
    match = table.begin(limits=LIMITS)
    table.api.post(f"{match}/pause", table.olga_token, {"why": WHY})
    page = match.removeprefix("/v1")
    for path in (page, f"{page}/play"):
        shown = show(table, path)
        assert "The match is paused." in shown
        assert f"Organiser Olga paused it: {WHY}" in shown
        german = show(table, path, language="de")
        assert "Die Partie ist unterbrochen." in german
    table.api.post(f"{match}/clock", table.olga_token, {"seat": 2, "add_ms": -60_000, "why": "a telephone rang"})
    table.api.post(f"{match}/resume", table.olga_token, {"why": "all is well"})
    log = show(table, f"{page}/play")
    assert "The match is paused" not in log.partition('id="log"')[0]
    for said in (f"paused the match: {WHY}", "took 1 min from Ben: a telephone rang", "let the match go on"):
        assert said in log


def test_the_forms_for_pauses_are_for_those_who_may_use_them(table):
    match = table.begin(limits=LIMITS)
    page = match.removeprefix("/v1")
    form = f'data-post="{match}/pause"'
    assert form not in show(table, page)
    assert form not in show(table, page, table.ann_token)
    assert form in show(table, page, table.olga_token)
