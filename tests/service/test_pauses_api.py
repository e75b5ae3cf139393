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


class Cup:
    """A tournament of Olga's that has begun, with these players."""

    def __init__(self, table: Table, *tokens: str, **terms: object) -> None:
        self.table, olga = table, table.olga_token
        fields = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, **terms}
        self.stream = table.api.post("/v1/tournaments", olga, fields).json["tournament"]
        self.path = f"/v1/tournaments/{self.stream}"
        for token in tokens:
            assert table.api.post(f"{self.path}/entrants", token, {}).status_code == 201
        self.post("arbiters", olga, player=table.oscar)
        self.post("start", olga)
        self.advance()

    def post(self, path: str, token: str, **body: object) -> None:
        assert self.table.api.post(f"{self.path}/{path}", token, body).status_code in (200, 201)

    def advance(self) -> None:
        self.table.parts.tournaments.advance(self.stream)

    def list_matches(self) -> list[str]:
        [round] = self.table.api.get(f"{self.path}/rounds").json["rounds"]
        return [f"/v1/matches/{game['match']}" for game in round["games"]]

    def paused(self, match: str) -> dict | None:
        return self.table.api.get(match).json["paused"]


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
    for token in (table.ann_token, table.oscar_token):
        assert table.code(f"{match}/pause", token, {"why": WHY}) == (403, "match/not-yours")
    assert "pause" not in table.commands(match, table.ann_token)
    assert "pause" in table.commands(match, table.olga_token)
    private = table.begin(private=True, limits=LIMITS)
    assert table.code(f"{private}/pause", table.api.sign_up("Zoe")[1], {"why": WHY}) == (404, "match/unknown")


def test_an_organiser_who_plays_does_not_pause(table):
    seats = [{"player": table.olga}, {"player": table.ben}]
    match = f"/v1/matches/{table.api.new_match(table.olga_token, seats, limits=LIMITS)}"
    table.api.post(f"{match}/seats/2", table.ben_token)
    for what, body in (("pause", {"why": WHY}), ("clock", {"seat": 1, "add_ms": 9000, "why": WHY})):
        assert table.code(f"{match}/{what}", table.olga_token, body) == (403, "match/own-seat")
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


def test_a_paused_tournament_stops_its_matches_until_it_goes_on(table):
    more = [table.api.sign_up(name)[1] for name in ("Cat", "Dan")]
    cup = Cup(table, table.ann_token, table.ben_token, *more, limits=LIMITS)
    one, other = cup.list_matches()
    assert table.api.post(f"{other}/pause", table.olga_token, {"why": "a telephone rang"}).status_code == 200

    cup.post("pause", table.olga_token, why=WHY, matches=True)
    for _ in range(2):
        cup.advance()
    assert (cup.paused(one)["why"], cup.paused(one)["by"]) == (WHY, f"organiser:{cup.stream}")
    assert cup.paused(other)["why"] == "a telephone rang"

    cup.post("resume", table.olga_token)
    for _ in range(2):
        cup.advance()
    assert cup.paused(one) is None
    assert cup.paused(other)["why"] == "a telephone rang"
    events = table.parts.matches.read_events(one.rpartition("/")[2], 0)
    assert [parse_event(each).data.type for each in events][-2:] == ["match-paused", "match-resumed"]


def test_an_arbiter_lets_one_match_of_a_paused_tournament_go_on(table):
    cup = Cup(table, table.ann_token, table.ben_token, limits=LIMITS)
    [match] = cup.list_matches()
    cup.post("pause", table.oscar_token, why=WHY, matches=True)
    cup.advance()
    assert table.api.post(f"{match}/resume", table.oscar_token, {}).status_code == 200
    cup.advance()
    assert cup.paused(match) is None


def test_a_pause_without_its_matches_lets_them_go_on(table):
    cup = Cup(table, table.ann_token, table.ben_token)
    cup.post("pause", table.olga_token, why=WHY)
    cup.advance()
    assert [cup.paused(match) for match in cup.list_matches()] == [None]


def show(table: Table, path: str, token: str | None = None) -> str:
    headers = {"Accept": "text/html"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return unescape(table.api.app.test_client().get(path, headers=headers).text)


def test_the_pages_say_who_paused_the_match_and_why_and_offer_a_pause_to_those_who_may(table):
    match = table.begin(limits=LIMITS)
    page, form = match.removeprefix("/v1"), f'data-post="{match}/pause"'
    for token, is_offered in ((None, False), (table.ann_token, False), (table.olga_token, True)):
        assert (form in show(table, page, token)) == is_offered
    table.api.post(f"{match}/pause", table.olga_token, {"why": WHY})
    for path in (page, f"{page}/play"):
        shown = show(table, path)
        assert "The match is paused." in shown
        assert f"Organiser Olga paused it: {WHY}" in shown
    table.api.post(f"{match}/clock", table.olga_token, {"seat": 2, "add_ms": -60_000, "why": "a telephone rang"})
    table.api.post(f"{match}/resume", table.olga_token, {"why": "all is well"})
    log = show(table, f"{page}/play")
    assert "The match is paused" not in log.partition('id="log"')[0]
    for said in (f"paused the match: {WHY}", "took 1 min from Ben: a telephone rang", "let the match go on"):
        assert said in log
