"""Tournaments over HTTP: announced by organisers, entered by players and bots, paired once started."""

import json

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.composition import Parts
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api

TERMS = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}}


class TournamentOverHttp:
    """A tournament of Olga's, or of another organiser, and players who may enter."""

    def __init__(self, api: Api, parts: Parts, names: tuple[str, str] = ("Olga", "Ann"), **terms: object) -> None:
        self.api, self.parts = api, parts
        organiser, player = names
        olga, self.token = parts.accounts.sign_up(Actor("system", "test"), organiser, "person", ("play", "organise"))
        self.olga = olga.stream
        self.ann, self.ann_token = api.sign_up(player)
        made = api.post("/v1/tournaments", self.token, {**TERMS, **terms})
        assert made.status_code == 201, made.json
        self.id = made.json["tournament"]
        self.path = f"/v1/tournaments/{self.id}"
        assert made.headers["Location"] == self.path

    def enter(self, token: str, **body: object):
        return self.api.post(f"{self.path}/entrants", token, body)

    def bots(self, count: int) -> None:
        for _ in range(count):
            assert self.enter(self.token, bot={"name": "random"}).status_code == 201

    def start(self):
        return self.api.post(f"{self.path}/start", self.token)

    def advance(self) -> str:
        """Advance the tournament as far as possible, and return the match of the first board."""
        self.parts.tournaments.advance(self.id)
        return self.get("/rounds")["rounds"][0]["games"][0]["match"]

    def get(self, path: str = "") -> dict:
        return self.api.get(self.path + path).json


@pytest.fixture
def tournament(api, parts) -> TournamentOverHttp:
    return TournamentOverHttp(api, parts)


def test_rounds_show_who_meets_in_which_match_and_can_be_checked(tournament, monkeypatch):
    tournament.bots(4)
    tournament.start()
    tournament.advance()
    games = tournament.get("/rounds")["rounds"][0]["games"]
    listed = tournament.api.get(f"/v1/matches?tournament={tournament.id}").json["matches"]
    assert {game["match"] for game in games} == {each["match"] for each in listed}
    check = tournament.get("/rounds/1/check")
    assert check["agrees"]
    assert check["paired"] == check["again"]
    monkeypatch.setattr(tournament.parts.maker, "make", None)
    assert tournament.get("/rounds/1/check") == check, "it is kept"

    whole = tournament.get("/attempts")["attempts"]
    assert [(each["board"], each["status"]) for each in whole] == [(1, "playing"), (2, "playing")]
    page = tournament.get("/attempts?limit=1")
    assert (page["attempts"], page["next"]) == (whole[:1], f"{tournament.path}/attempts?limit=1&after=1-1-1-1")
    last = tournament.api.get(page["next"]).json
    assert (last["attempts"], last["next"]) == (whole[1:], None)
    assert tournament.get("/attempts?round=1&board=2&game=1")["attempts"] == whole[1:]
    assert [tournament.get(f"/attempts?{query}")["attempts"] for query in ("faults=true", "round=2")] == [[], []]


def test_an_organiser_needs_the_scope_organise_also_for_its_own_tournament_and_a_key_makes_one_only(tournament):
    first, again = (tournament.api.post("/v1/tournaments", tournament.token, TERMS, key="k") for _ in range(2))
    assert first.data == again.data
    refused = tournament.api.post("/v1/tournaments", tournament.ann_token, TERMS)
    assert (refused.status_code, refused.json["code"]) == (403, "auth/scope")
    tournament.bots(2)
    token = tournament.api.post("/v1/players/me/tokens", tournament.token, {"scopes": ["play"]}).json["token"]
    refused = tournament.api.post(f"{tournament.path}/start", token)
    assert (refused.status_code, refused.json["code"]) == (403, "tournament/not-yours")
    assert tournament.enter(token, bot={"name": "random"}).status_code == 403
    assert tournament.enter(token).status_code == 201


def test_the_crosstable_comes_as_csv_and_as_text_that_says_how_to_read_it(tournament):
    tournament.bots(2)
    tournament.start()
    tournament.advance()
    cross = f"{tournament.path}/standings?crosstable=true"
    csv, text = (tournament.api.get(cross, headers={"Accept": media}).text for media in ("text/csv", "text/plain"))
    assert csv.splitlines()[0] == "rank,entrant,name,1,2,points,sat out"
    assert text.startswith("Read along a line: 1 means that its entrant finished above the entrant of the column")


def test_an_annulment_is_reported_before_and_after_it_is_made(tournament):
    tournament.enter(tournament.ann_token)
    tournament.bots(1)
    tournament.start()
    tournament.parts.tournaments.advance(tournament.id)
    [game] = tournament.get("/rounds")["rounds"][0]["games"]
    report = f"{tournament.path}/annulments?round=1&board=1"
    assert tournament.api.get(report).json["code"] == "tournament/not-decided"
    assert tournament.api.post(f"/v1/matches/{game['match']}/withdrawal", tournament.ann_token, {}).status_code == 200
    verify_all(tournament.parts, [(game["match"], tournament.parts.matches.read(game["match"]).version)])
    tournament.parts.tournaments.advance(tournament.id)
    before = tournament.api.get(report).json
    assert [row["points"] for row in before["before"]["rows"]] == ["2", "0"]
    assert [row["points"] for row in before["after"]["rows"]] == ["0", "0"]
    annul = {"round": 1, "board": 1, "why": "the wrong player"}
    assert tournament.api.post(f"{tournament.path}/annulments", tournament.token, annul).status_code == 200
    after = tournament.api.get(report).json
    assert after["game"]["annulled"] == "the wrong player"
    assert [row["points"] for row in after["before"]["rows"]] == ["2", "0"]
    assert after["after"]["rows"] == tournament.get("/standings")["rows"]
    assert tournament.api.get(f"{tournament.path}/annulments?round=2&board=1").status_code == 404


def test_a_sequential_test_is_of_two_and_shows_how_it_stands(api, parts):
    sprt = {"elo0": 0, "elo1": 20}
    tournament = TournamentOverHttp(api, parts, sprt=sprt, format={"kind": "round-robin", "cycles": 50})
    assert tournament.get()["sprt"] == {**sprt, "alpha": "0.05", "beta": "0.05"}
    tournament.bots(3)
    assert tournament.start().json["code"] == "tournament/too-many"
    other = TournamentOverHttp(api, parts, ("Otto", "Ben"), sprt=sprt)
    other.bots(2)
    other.start()
    assert other.get("/standings")["sprt"] == {"llr": "0.0000", "lower": "-2.9444", "upper": "2.9444", "taken": None}


def announce(tournament: TournamentOverHttp, more: str):
    """Announce a tournament with this piece of JSON, as it is typed."""
    body = f"{json.dumps(TERMS)[:-1]}, {more}}}"
    return tournament.api.send("POST", "/v1/tournaments", tournament.token, data=body, content_type="application/json")


@pytest.mark.parametrize(
    ("given", "recorded"), [('"0.05"', "0.05"), ('"5e-2"', "5e-2"), ("5e-2", "0.05"), ("0.0500", "0.05")]
)
def test_the_parameters_of_a_test_may_be_json_numbers_and_are_recorded_exactly(tournament, given, recorded):
    made = announce(tournament, f'"sprt": {{"elo0": -2.50, "elo1": 5.0, "alpha": {given}, "beta": {given}}}')
    assert made.status_code == 201, made.json
    shown = tournament.api.get(made.headers["Location"]).json["sprt"]
    assert shown == {"elo0": "-2.5", "elo1": 5, "alpha": recorded, "beta": recorded}


@pytest.mark.parametrize(
    ("sprt", "field"),
    [
        ('{"elo0": true, "elo1": 5}', "elo0"),
        ('{"elo0": 0, "elo1": "NaN"}', "elo1"),
        ('{"elo0": 0}', "elo1"),
        ('{"elo0": 0, "elo1": 1e300}', "elo0"),
        ('{"elo0": 0, "elo1": 5, "beta": 0.0}', "beta"),
    ],
)
def test_parameters_of_a_test_that_make_no_sense_are_refused_with_their_path(tournament, sprt, field):
    refused = announce(tournament, f'"sprt": {sprt}')
    assert (refused.status_code, refused.json["code"]) == (422, "tournament/sprt")
    assert list(refused.json["errors"]["sprt"]) == [field]
    assert f"sprt.{field}" in refused.json["detail"]


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        (f'"sprt": {{"elo0": 1e{"9" * 50}}}', 400, "request/unreadable"),
        (f'"sprt": {{"elo0": 1e{"9" * 30}}}', 400, "request/unreadable"),
        ('"seed": 1.5', 422, "request/invalid"),
        ('"scoring": {"bye": 0.5}', 422, "tournament/scoring"),
        ('"seed": 7.0', 201, None),
    ],
)
def test_a_number_that_nobody_can_read_is_refused_and_other_numbers_are_whole(tournament, more, status, code):
    made = announce(tournament, more)
    assert (made.status_code, made.json.get("code")) == (status, code)


def test_openings_reach_the_tournament_and_no_player_enters_it_under_the_name_of_a_bot(api, parts):
    olga = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("play", "organise"))[1]
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}}
    refused = api.post("/v1/tournaments", olga, {**terms, "openings": [["+3", "+3"]]})
    assert (refused.status_code, refused.json["code"]) == (422, "tournament/openings")
    entrants = f"/v1/tournaments/{api.post('/v1/tournaments', olga, terms).json['tournament']}/entrants"
    refused = api.post(entrants, api.sign_up("Ann")[1], {"label": "mcts 500"})
    assert (refused.status_code, refused.json["code"]) == (422, "player/name-reserved")
    assert api.post(entrants, olga, {"bot": {"name": "mcts", "playouts": 500}, "label": "mcts 500"}).status_code == 201
