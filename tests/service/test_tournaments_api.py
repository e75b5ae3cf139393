"""Tournaments over HTTP: announced by organisers, entered by players and bots, paired once started."""

import json
from hashlib import sha256

import pytest

from plyscribe.domain.commands import AbortMatch, Actor
from plyscribe.domain.record import parse_record
from plyscribe.service.composition import Parts
from plyscribe.service.streams.ids import command_of
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


def test_a_tournament_is_described_with_all_its_terms(tournament):
    described = tournament.get()
    assert (described["name"], described["status"], described["organiser"]) == ("Cup", "open", tournament.olga)
    assert described["format"] == {"kind": "round-robin", "cycles": 1}
    assert described["scoring"] == {"places": None, "bye": 2, "absence": 0}
    assert described["options"]["tiles"] == 10
    assert described["tiebreaks"] == ["buchholz", "sonneborn-berger", "direct", "wins"]


def test_only_a_token_that_may_organise_announces_a_tournament_and_a_key_makes_one_only(tournament):
    refused = tournament.api.post("/v1/tournaments", tournament.ann_token, TERMS)
    assert (refused.status_code, refused.json["code"]) == (403, "auth/scope")
    first, again = (tournament.api.post("/v1/tournaments", tournament.token, TERMS, key="k") for _ in range(2))
    assert first.data == again.data


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"ruleset": "chess"}, "ruleset/unknown"),
        ({"options": {"tiles": 99}}, "option/invalid"),
        ({"scoring": {"places": [1, 2]}}, "tournament/scoring"),
        ({"openings": [["+3", "+3"]]}, "tournament/openings"),
        ({"limits": {"move_ms": 5}}, None),
    ],
)
def test_impossible_terms_are_refused_with_the_reason(tournament, terms, code):
    refused = tournament.api.post("/v1/tournaments", tournament.token, {**TERMS, **terms})
    assert refused.status_code == 422, refused.json
    assert code in (None, refused.json["code"])


def test_a_player_enters_by_its_own_token_once_and_only_the_organiser_enters_bots(tournament):
    assert tournament.enter(tournament.ann_token).status_code == 201
    again = tournament.enter(tournament.ann_token)
    assert (again.status_code, again.json["code"]) == (409, "entrant/entered")
    assert tournament.enter(tournament.ann_token, bot={"name": "greedy"}).status_code == 403
    assert tournament.enter(tournament.token, bot={"name": "mcts", "playouts": 5}, label="slow").status_code == 201
    entrant, bot = tournament.get()["entrants"]
    assert (entrant["player"], entrant["player_name"]) == (tournament.ann, "Ann")
    assert (bot["bot"], bot["playouts"], bot["label"]) == ("mcts", 5, "slow")


def test_a_player_cannot_enter_a_closed_tournament(api, parts):
    closed = TournamentOverHttp(api, parts, is_open=False)
    refused = closed.enter(closed.ann_token)
    assert (refused.status_code, refused.json["code"]) == (403, "entrant/closed")


def test_a_tournament_is_started_by_its_organiser_when_it_has_enough_entrants(tournament):
    assert tournament.start().json["code"] == "tournament/too-few"
    tournament.bots(2)
    assert tournament.api.post(f"{tournament.path}/start", tournament.ann_token).status_code == 403
    assert tournament.start().json["status"] == "playing"
    assert tournament.start().status_code == 409
    assert tournament.enter(tournament.ann_token).status_code == 409


def test_rounds_show_who_meets_in_which_match_and_can_be_checked(tournament, monkeypatch):
    tournament.bots(4)
    tournament.start()
    tournament.advance()
    [first] = tournament.get("/rounds")["rounds"]
    assert sorted(entrant for game in first["games"] for entrant in game["entrants"]) == [1, 2, 3, 4]
    for game in first["games"]:
        match = tournament.api.get(f"/v1/matches/{game['match']}").json
        assert match["status"] == "playing"
        assert [seat["bot"] for seat in match["seats"]] == ["random", "random"]
    assert len(tournament.api.get(f"/v1/matches?tournament={tournament.id}").json["matches"]) == 2
    check = tournament.get("/rounds/1/check")
    assert check["agrees"]
    assert check["paired"] == check["again"]
    monkeypatch.setattr(tournament.parts.maker, "make", None)
    assert tournament.get("/rounds/1/check") == check, "it is kept"
    assert tournament.api.get(f"{tournament.path}/rounds/2/check").status_code == 404

    whole = tournament.get("/attempts")["attempts"]
    assert [(each["board"], each["status"]) for each in whole] == [(1, "playing"), (2, "playing")]
    page = tournament.get("/attempts?limit=1")
    assert (page["attempts"], page["next"]) == (whole[:1], f"{tournament.path}/attempts?limit=1&after=1-1-1-1")
    last = tournament.api.get(page["next"]).json
    assert (last["attempts"], last["next"]) == (whole[1:], None)
    assert tournament.get("/attempts?round=1&board=2&game=1")["attempts"] == whole[1:]
    assert [tournament.get(f"/attempts?{query}")["attempts"] for query in ("faults=true", "round=2")] == [[], []]
    assert tournament.api.get(f"{tournament.path}/attempts?after=1-1").status_code == 422


def test_an_organiser_needs_the_scope_organise_for_its_own_tournament_too(tournament):
    tournament.bots(2)
    token = tournament.api.post("/v1/players/me/tokens", tournament.token, {"scopes": ["play"]}).json["token"]
    refused = tournament.api.post(f"{tournament.path}/start", token)
    assert (refused.status_code, refused.json["code"]) == (403, "tournament/not-yours")
    assert tournament.enter(token, bot={"name": "random"}).status_code == 403
    assert tournament.enter(token).status_code == 201


def test_entrants_withdraw_and_sit_out_and_a_tournament_is_called_off(tournament):
    def post(path: str, token: str, **body: object):
        return tournament.api.post(f"{tournament.path}/{path}", token, body)

    tournament.enter(tournament.ann_token)
    tournament.bots(2)
    assert post("entrants/1/absences", tournament.ann_token, round=1).status_code == 200
    assert post("entrants/2/withdrawal", tournament.ann_token).status_code == 403
    assert post("entrants/2/withdrawal", tournament.token).status_code == 200
    first, second, _ = tournament.get()["entrants"]
    assert (first["absences"], second["is_in"]) == ([1], False)
    assert post("entrants/9/withdrawal", tournament.token).status_code == 404
    assert post("abort", tournament.ann_token).status_code == 403
    assert post("abort", tournament.token, cause="rain").json["status"] == "aborted"
    assert tournament.get()["ended"] == "rain"


def test_tournaments_are_listed_by_ruleset_and_status(tournament):
    made = tournament.api.post("/v1/tournaments", tournament.token, {**TERMS, "ruleset": "pathagon"})
    both = {tournament.id, made.json["tournament"]}

    def listed(query: str) -> list[str]:
        return [row["tournament"] for row in tournament.api.get(f"/v1/tournaments{query}").json["tournaments"]]

    assert set(listed("")) == set(listed("?status=open")) == both
    assert listed("?ruleset=zhen") == [tournament.id]
    assert listed("?ruleset=zhen&status=playing") == []
    first = tournament.api.get("/v1/tournaments?limit=1").json
    assert len(first["tournaments"]) == 1
    assert tournament.api.get(first["next"]).json["tournaments"] != first["tournaments"]


def test_events_come_in_pages_and_as_a_closed_export(tournament):
    tournament.bots(2)
    page = tournament.get("/events?limit=2")
    assert [event["type"] for event in page["events"]] == ["tournament-created", "entrant-registered"]
    assert tournament.api.get(page["next"]).json["events"][0]["version"] == 3
    export = tournament.api.get(f"{tournament.path}/events", headers={"Accept": "application/x-ndjson"})
    *events, end = export.data.splitlines()
    assert (len(events), json.loads(end)["count"]) == (3, 3)


def test_the_table_comes_as_json_text_and_csv(tournament):
    tournament.enter(tournament.ann_token)
    tournament.enter(tournament.token, bot={"name": "greedy"}, label="one move ahead")
    tournament.start()
    tournament.parts.tournaments.advance(tournament.id)
    table = tournament.get("/standings")
    assert [(row["rank"], row["entrant"], row["points"]) for row in table["rows"]] == [(1, 1, "0"), (1, 2, "0")]
    for media, separator in (("text/plain", "  "), ("text/csv", ",")):
        answer = tournament.api.get(f"{tournament.path}/standings", headers={"Accept": media})
        assert answer.mimetype == media
        head, *rows = answer.text.splitlines()
        assert head.split(separator.strip() or None)[:4] == ["rank", "entrant", "name", "points"]
        assert "Ann" in rows[0]
        assert "one move ahead" in rows[1]
    cross = tournament.api.get(f"{tournament.path}/standings?crosstable=true", headers={"Accept": "text/csv"}).text
    assert cross.splitlines()[0] == "rank,entrant,name,1,2,points,sat out"
    text = tournament.api.get(f"{tournament.path}/standings?crosstable=true", headers={"Accept": "text/plain"}).text
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
    *lines, end = tournament.api.get(f"{tournament.path}/matches").data.splitlines(keepends=True)
    [exported] = map(json.loads, lines)
    assert (exported["match"], exported["ranks"]) == (
        game["match"],
        tournament.get("/rounds")["rounds"][0]["games"][0]["ranks"],
    )
    assert parse_record(exported["record"]).ruleset == "zhen"
    assert json.loads(end) == {"count": 1, "sha256": sha256(lines[0]).hexdigest()}
    annul = {"round": 1, "board": 1, "why": "the wrong player"}
    assert tournament.api.post(f"{tournament.path}/annulments", tournament.token, annul).status_code == 200
    after = tournament.api.get(report).json
    assert after["game"]["annulled"] == "the wrong player"
    assert [row["points"] for row in after["before"]["rows"]] == ["2", "0"]
    assert after["after"]["rows"] == tournament.get("/standings")["rows"]
    assert tournament.api.get(f"{tournament.path}/annulments?round=2&board=1").status_code == 404


def fail_twice(tournament: TournamentOverHttp) -> tuple[str, str]:
    """Abort the only match, let Ann's bot fail in the next one, and return both matches."""
    tournament.enter(tournament.ann_token)
    tournament.bots(1)
    tournament.start()
    first = tournament.advance()
    asked = command_of("test", "POST", "/", None, b"")
    secret = tournament.parts.secret_for(tournament.parts.matches.read(first))
    actor = Actor("organiser", tournament.olga)
    abort = AbortMatch(actor=actor, id=asked.id.hex(), cause="a power cut", secret=secret)
    tournament.parts.matches.execute(first, lambda _: abort, asked)
    second = tournament.advance()
    withdrawal = f"/v1/matches/{second}/withdrawal"
    assert tournament.api.post(withdrawal, tournament.ann_token, {"fault": "illegal"}).status_code == 200
    verify_all(tournament.parts, [(second, tournament.parts.matches.read(second).version)])
    tournament.parts.tournaments.advance(tournament.id)
    return first, second


def test_the_attempts_at_a_game_show_whose_faults_there_were_and_what_scored(tournament):
    first, second = fail_twice(tournament)
    failed, decided = tournament.get("/attempts")["attempts"]
    assert (failed["attempt"], failed["match"], failed["status"], failed["scored"]) == (1, first, "failed", False)
    assert failed["incidents"] == [{"cause": "called-off", "owner": "platform", "entrant": None, "why": "a power cut"}]
    assert (failed["ranks"], failed["reason"]) == (None, None)
    assert (decided["attempt"], decided["match"], decided["status"], decided["scored"]) == (2, second, "decided", True)
    assert decided["incidents"] == [{"cause": "illegal", "owner": "entrant", "entrant": 1, "why": None}]
    assert decided["reason"] == "withdrawal"
    for attempt in (failed, decided):
        [made, *_] = tournament.api.get(f"/v1/matches/{attempt['match']}/events").json["events"]
        assert attempt["made_at"] == made["at"] <= attempt["closed_at"]

    for entrant, owners in ((1, ["platform", "entrant"]), (2, ["platform", "opponent"]), (3, [])):
        attempts = tournament.get(f"/attempts?entrant={entrant}")["attempts"]
        assert [incident["owner"] for attempt in attempts for incident in attempt["incidents"]] == owners
    assert [row["faults"] for row in tournament.get("/standings")["rows"]] == [
        {"entrant": 0, "opponent": 1, "platform": 1},
        {"entrant": 1, "opponent": 0, "platform": 1},
    ]
    assert (tournament.get()["faults"], tournament.get()["given_up"]) == ({"entrant": 1, "platform": 1}, 0)


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
        ('{"elo0": 0, "elo1": [5.5]}', "elo1"),
        ('{"elo0": 0, "elo1": "NaN"}', "elo1"),
        ('{"elo0": 0, "elo1": null}', "elo1"),
        ('{"elo0": 0}', "elo1"),
        ('{"elo0": 0, "elo1": 1e300}', "elo0"),
        ('{"elo0": 5, "elo1": 0}', "elo0"),
        ('{"elo0": 0, "elo1": 5, "alpha": 0.5}', "alpha"),
        ('{"elo0": 0, "elo1": 5, "beta": 0.0}', "beta"),
        ('{"elo0": 0, "elo1": 5, "gamma": 1.5}', "gamma"),
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


def test_a_swiss_of_two_is_reported_as_trf(api, parts):
    tournament = TournamentOverHttp(api, parts, format={"kind": "swiss", "rounds": 2})
    tournament.bots(4)
    tournament.start()
    tournament.advance()
    answer = api.get(f"{tournament.path}/trf")
    assert (answer.mimetype, answer.text.count("\n001 ")) == ("text/plain", 4)


def test_an_unknown_tournament_is_404(tournament):
    for path in ("", "/rounds", "/attempts", "/events", "/rounds/1/check", "/standings"):
        for unknown in (f"tournament-{'a' * 26}", "nonsense"):
            assert tournament.api.get(f"/v1/tournaments/{unknown}{path}").status_code == 404
    assert tournament.api.post(f"/v1/tournaments/tournament-{'a' * 26}/start", tournament.token).status_code == 404
