"""Pauses and changed clocks over HTTP: who may, what is refused meanwhile, and what the match then says."""

from html import unescape

import pytest

from plyscribe.domain.codec import parse_event
from tests.service.test_overseers import Table, page

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


def test_a_recorder_who_does_not_play_pauses(table):
    seats = [{"name": "Ada"}, {"name": "Bea"}]
    match = f"/v1/matches/{table.api.new_match(table.ann_token, seats, recorded=True)}"
    [event] = table.api.post(f"{match}/pause", table.ann_token, {"why": WHY}).json["events"]
    assert event["by"] == f"recorder:{table.ann}"
    assert "resume" in table.commands(match, table.ann_token)


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


def test_matches_go_on_unless_a_pause_is_theirs_too_or_when_an_arbiter_lets_one_go_on(table):
    cup = Cup(table, table.ann_token, table.ben_token, limits=LIMITS)
    [match] = cup.list_matches()
    cup.post("pause", table.olga_token, why=WHY)
    cup.advance()
    assert cup.paused(match) is None
    cup.post("resume", table.olga_token)
    cup.post("pause", table.oscar_token, why=WHY, matches=True)
    cup.advance()
    assert table.api.post(f"{match}/resume", table.oscar_token, {}).status_code == 200
    cup.advance()
    assert cup.paused(match) is None


def test_the_pages_say_who_paused_the_match_and_why_and_offer_a_pause_to_those_who_may(table):
    match = table.begin(limits=LIMITS)
    form = f'data-post="{match}/pause"'
    for token, is_offered in ((None, False), (table.ann_token, False), (table.olga_token, True)):
        assert (form in unescape(page(table, match, token))) == is_offered
    table.api.post(f"{match}/pause", table.olga_token, {"why": WHY})
    for path in (match, f"{match}/play"):
        shown = unescape(page(table, path))
        assert "The match is paused." in shown
        assert f"Organiser Olga paused it: {WHY}" in shown
    table.api.post(f"{match}/clock", table.olga_token, {"seat": 2, "add_ms": -60_000, "why": "a telephone rang"})
    table.api.post(f"{match}/resume", table.olga_token, {"why": "all is well"})
    log = unescape(page(table, f"{match}/play"))
    assert "The match is paused" not in log.partition('id="log"')[0]
    for said in (f"paused the match: {WHY}", "took 1 min from Ben: a telephone rang", "let the match go on"):
        assert said in log
