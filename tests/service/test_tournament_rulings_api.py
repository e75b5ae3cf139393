"""Invitations and rulings over HTTP: who may, what is told to whom, and what is listed."""

import json
from functools import partial

import pytest

from plyscribe.domain.commands import AbortMatch, Actor
from plyscribe.domain.tournament.state import MAX_ATTEMPTS
from plyscribe.service.streams.ids import command_of
from tests.service.api import open_as_before
from tests.service.notifying import notify
from tests.service.test_tournaments_api import TournamentOverHttp

CLOSED = {"is_open": False}
PLACE = {"round": 1, "board": 1, "why": "a power cut"}


@pytest.fixture
def tournament(api, parts) -> TournamentOverHttp:
    return TournamentOverHttp(api, parts, **CLOSED)


@pytest.fixture
def admin(parts) -> str:
    return parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("play", "admin"))[1]


def refusal(answer) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


def invite(tournament: TournamentOverHttp, token: str | None = None, **body: object):
    return tournament.api.post(f"{tournament.path}/invitations", token or tournament.token, body)


def test_an_invited_account_is_told_so_and_that_it_is_no_longer_unless_it_declined(tournament):
    for token in (tournament.ann_token, tournament.token):
        assert invite(tournament, player=tournament.ann).status_code == 201
        ended = tournament.api.send("DELETE", f"{tournament.path}/invitations/{tournament.ann}", token)
        assert ended.status_code == 200
    notify(tournament.parts, tournament.parts.store.tail().entries)
    told = tournament.api.get("/v1/players/me/events", tournament.ann_token).json["entries"]
    invited, uninvited = "tournament-invited", "tournament-uninvited"
    assert [entry["type"] for entry in told] == [invited, invited, uninvited]


def test_who_cannot_be_found_is_not_invited(tournament):
    for number in range(2):
        open_as_before(tournament.parts, "Ben" if number else "ben")
    for body, code in (
        ({"name": "Zoe"}, "player/unknown"),
        ({"name": "Be"}, "player/unknown"),
        ({"name": "BEN"}, "player/ambiguous"),
        ({"player": "player-" + "z" * 26}, "player/unknown"),
        ({"player": "nobody"}, "request/invalid"),
        ({}, "request/invalid"),
        ({"player": tournament.ann, "name": "Ann"}, "request/invalid"),
    ):
        refused = invite(tournament, **body)
        assert (refused.status_code, refused.json["code"]) == (422, code)
    assert invite(tournament, tournament.ann_token, player=tournament.ann).json["code"] == "tournament/not-yours"


def test_an_invitation_that_nobody_can_accept_any_more_is_not_listed_and_games_of_late_rounds_can_be_named(api, parts):
    tournament = TournamentOverHttp(api, parts, **CLOSED, format={"kind": "round-robin", "cycles": 1000})
    assert rule(tournament, "annulments", round=1500).json["code"] == "tournament/status"
    assert refusal(api.get(f"{tournament.path}/events?invitation=x")) == (422, "request/invalid")
    invite(tournament, player=tournament.ann)
    tournament.bots(2)
    tournament.start()
    assert tournament.get()["invitations"] == []
    assert api.get("/v1/tournaments?invited=me", tournament.ann_token).json["tournaments"] == []
    assert api.get("/v1/tournaments?invited=me").status_code == 401


def begin(tournament: TournamentOverHttp, *tokens: str) -> str:
    """Let these players enter, then a bot if one is missing; start; return the match of the first board."""
    for token in tokens:
        invite(tournament, player=tournament.api.get("/v1/players/me", token).json["player"])
        assert tournament.enter(token).status_code == 201
    tournament.bots(2 - len(tokens))
    assert tournament.start().status_code == 200
    return tournament.advance()


def give_up(tournament: TournamentOverHttp) -> None:
    for _ in range(MAX_ATTEMPTS):
        asked = command_of("test", "POST", "/", None, b"")
        abort = partial(AbortMatch, actor=Actor("system", "play"), id=asked.id.hex(), cause="the bot broke down")
        tournament.parts.matches.execute(
            tournament.advance(), lambda state, abort=abort: abort(secret=tournament.parts.secret_for(state)), asked
        )
    tournament.advance()


def rule(tournament: TournamentOverHttp, ruling: str, token: str | None = None, **more: object):
    return tournament.api.post(f"{tournament.path}/{ruling}", token or tournament.token, {**PLACE, **more})


def test_an_adjudication_and_a_forfeit_stand_in_every_view(tournament):
    begin(tournament, tournament.ann_token)
    give_up(tournament)
    assert rule(tournament, "forfeits", entrants=[1]).status_code == 200
    assert tournament.advance() is None
    described = tournament.get()
    assert (described["status"], described["given_up"], described["faults"]["entrant"]) == ("ended", 0, 1)
    [game] = tournament.get("/rounds")["rounds"][0]["games"]
    assert (game["match"], game["reason"], game["forfeited"], game["why"]) == (None, "forfeited", [1], "a power cut")
    assert tournament.get("/attempts")["attempts"][-1]["status"] == "forfeited"
    assert {row["entrant"]: row["points"] for row in tournament.get("/standings")["rows"]} == {1: "0", 2: "2"}
    cross = tournament.api.get(f"{tournament.path}/standings?crosstable=true", headers={"Accept": "text/csv"}).text
    assert "1f" in cross
    line, end = map(json.loads, tournament.api.get(f"{tournament.path}/matches").data.splitlines())
    assert (line["match"], line["record"], line["ranks"], end["count"]) == (None, None, game["ranks"], 1)


def test_an_organiser_does_not_rule_on_a_game_of_their_own_but_an_administrator_does(tournament, admin):
    own = (403, "tournament/own-game")
    begin(tournament, tournament.token, tournament.ann_token)
    give_up(tournament)
    for ruling, more in (("retries", {}), ("adjudications", {"ranks": [1, 2]}), ("forfeits", {"entrants": [2]})):
        assert refusal(rule(tournament, ruling, **more)) == own
    assert refusal(tournament.api.post(f"{tournament.path}/entrants/2/withdrawal", tournament.token)) == own
    assert rule(tournament, "adjudications", admin, ranks=[2, 1]).status_code == 200
    assert refusal(rule(tournament, "annulments")) == own
    assert rule(tournament, "annulments", admin).status_code == 200
    assert [(act["what"], act["by_name"]) for act in tournament.get()["acts"]] == [
        ("game-adjudicated", "Root"),
        ("game-annulled", "Root"),
    ]


def test_an_entrant_is_disqualified_with_a_reason(tournament):
    begin(tournament, tournament.ann_token)
    withdrawal = f"{tournament.path}/entrants/1/withdrawal"
    assert tournament.api.post(withdrawal, tournament.token, {"disqualified": True}).json["code"] == "tournament/cause"
    cheat = {"disqualified": True, "why": "a cheat"}
    assert tournament.api.post(withdrawal, tournament.ann_token, cheat).json["code"] == "tournament/not-yours"
    assert tournament.api.post(withdrawal, tournament.token, cheat).status_code == 200
    [act] = tournament.get()["acts"]
    assert (act["what"], act["entrant"], act["why"]) == ("entrant-disqualified", 1, "a cheat")


def test_entrants_of_one_name_are_told_apart_wherever_they_are_named(api, parts):
    tournament = TournamentOverHttp(api, parts, format={"kind": "swiss", "rounds": 2})
    _, other = api.sign_up()
    tournament.enter(tournament.ann_token)
    assert api.post(f"{tournament.path}/entrants", other, {"label": "Ann"}).status_code == 201
    names = {"Ann #1", "Ann #2"}
    assert {each["name"] for each in tournament.get()["entrants"]} == names
    assert {row["name"] for row in tournament.get("/standings")["rows"]} == names
    for media in ("text/plain", "text/csv"):
        table = api.get(f"{tournament.path}/standings", headers={"Accept": media}).text
        assert all(name in table for name in names)
    assert all(name in api.get(f"{tournament.path}/trf").text for name in names)
