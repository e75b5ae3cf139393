"""Tournaments over HTTP."""

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


class Cup:
    """A tournament that Olga organises, and players who can enter."""

    def __init__(self, api: Api, parts: Parts, **terms: object) -> None:
        self.api, self.parts = api, parts
        olga, self.token = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("play", "organise"))
        self.olga = olga.stream
        self.ann, self.ann_token = api.sign_up("Ann")
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
        """Do everything that is due, and return the match of the first board."""
        self.parts.tournaments.advance(self.id)
        return self.get("/rounds")["rounds"][0]["games"][0]["match"]

    def get(self, path: str = "") -> dict:
        return self.api.get(self.path + path).json


@pytest.fixture
def cup(api, parts) -> Cup:
    return Cup(api, parts)


def test_a_tournament_shows_all_its_terms(cup):
    told = cup.get()
    assert (told["name"], told["status"], told["organiser"]) == ("Cup", "open", cup.olga)
    assert told["format"] == {"kind": "round-robin", "cycles": 1}
    assert told["scoring"] == {"places": None, "bye": 2, "absence": 0}
    assert told["options"]["tiles"] == 10
    assert told["tiebreaks"] == ["buchholz", "sonneborn-berger", "direct", "wins"]


def test_announcing_needs_the_scope_organise(cup):
    refused = cup.api.post("/v1/tournaments", cup.ann_token, TERMS)
    assert (refused.status_code, refused.json["code"]) == (403, "auth/scope")


def test_a_repeated_request_makes_no_second_tournament(cup):
    first, again = (cup.api.post("/v1/tournaments", cup.token, TERMS, key="k") for _ in range(2))
    assert first.data == again.data


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"format": {"kind": "ladder"}}, "tournament/format"),
        ({"format": {"kind": "swiss", "rounds": 0}}, "tournament/format"),
        ({"format": {"kind": "swiss", "cycles": 2}}, "tournament/format"),
        ({"ruleset": "chess"}, "ruleset/unknown"),
        ({"options": {"tiles": 99}}, "option/invalid"),
        ({"seats": 3}, "option/invalid"),
        ({"scoring": {"places": [1]}}, "tournament/scoring"),
        ({"scoring": {"places": [1, 2]}}, "tournament/scoring"),
        ({"scoring": {"draw": 1}}, "tournament/scoring"),
        ({"tiebreaks": ["wins", "wins"]}, "tournament/tiebreaks"),
        ({"openings": [["+3", "+3"]]}, "tournament/openings"),
        ({"limits": {"move_ms": 5}}, None),
        ({"repeat": "thrice"}, None),
    ],
)
def test_invalid_terms_are_refused_with_the_reason(cup, terms, code):
    refused = cup.api.post("/v1/tournaments", cup.token, {**TERMS, **terms})
    assert refused.status_code == 422, refused.json
    assert code in (None, refused.json["code"])


def test_a_player_enters_once_with_their_own_token(cup):
    assert cup.enter(cup.ann_token).status_code == 201
    again = cup.enter(cup.ann_token)
    assert (again.status_code, again.json["code"]) == (409, "entrant/entered")
    [entrant] = cup.get()["entrants"]
    assert (entrant["player"], entrant["player_name"]) == (cup.ann, "Ann")


def test_only_the_organiser_can_enter_bots(cup):
    assert cup.enter(cup.ann_token, bot={"name": "greedy"}).status_code == 403
    assert cup.enter(cup.token, bot={"name": "mcts", "playouts": 5}, label="slow").status_code == 201
    [entrant] = cup.get()["entrants"]
    assert (entrant["bot"], entrant["playouts"], entrant["label"]) == ("mcts", 5, "slow")


def test_only_the_organiser_can_enter_a_closed_tournament(api, parts):
    closed = Cup(api, parts, is_open=False)
    refused = closed.enter(closed.ann_token)
    assert (refused.status_code, refused.json["code"]) == (403, "entrant/closed")


def test_only_the_organiser_starts_a_tournament_and_only_with_enough_entrants(cup):
    assert cup.start().json["code"] == "tournament/too-few"
    cup.bots(2)
    assert cup.api.post(f"{cup.path}/start", cup.ann_token).status_code == 403
    assert cup.start().json["status"] == "playing"
    assert cup.start().status_code == 409
    assert cup.enter(cup.ann_token).status_code == 409


def test_rounds_show_their_games_and_can_be_checked(cup):
    cup.bots(4)
    cup.start()
    cup.parts.tournaments.advance(cup.id)
    [first] = cup.get("/rounds")["rounds"]
    assert sorted(entrant for game in first["games"] for entrant in game["entrants"]) == [1, 2, 3, 4]
    for game in first["games"]:
        match = cup.api.get(f"/v1/matches/{game['match']}").json
        assert match["status"] == "playing"
        assert [seat["bot"] for seat in match["seats"]] == ["random", "random"]
    assert len(cup.api.get(f"/v1/matches?tournament={cup.id}").json["matches"]) == 2
    check = cup.get("/rounds/1/check")
    assert check["agrees"]
    assert check["paired"] == check["again"]
    assert cup.api.get(f"{cup.path}/rounds/2/check").status_code == 404


def test_organising_needs_its_scope_even_in_your_own_tournament(cup):
    cup.bots(2)
    made = cup.api.post("/v1/players/me/tokens", cup.token, {"scopes": ["play"]}).json
    refused = cup.api.post(f"{cup.path}/start", made["token"])
    assert (refused.status_code, refused.json["code"]) == (403, "tournament/not-yours")
    assert cup.enter(made["token"], bot={"name": "random"}).status_code == 403
    assert cup.enter(made["token"]).status_code == 201


def test_entrants_withdraw_and_sit_out(cup):
    cup.enter(cup.ann_token)
    cup.bots(2)
    assert cup.api.post(f"{cup.path}/entrants/1/absences", cup.ann_token, {"round": 1}).status_code == 200
    assert cup.api.post(f"{cup.path}/entrants/2/withdrawal", cup.ann_token).status_code == 403
    assert cup.api.post(f"{cup.path}/entrants/2/withdrawal", cup.token).status_code == 200
    first, second, _ = cup.get()["entrants"]
    assert (first["absences"], second["is_in"]) == ([1], False)
    assert cup.api.post(f"{cup.path}/entrants/9/withdrawal", cup.token).status_code == 404


def test_a_tournament_is_called_off_by_its_organiser(cup):
    assert cup.api.post(f"{cup.path}/abort", cup.ann_token, {}).status_code == 403
    assert cup.api.post(f"{cup.path}/abort", cup.token, {"cause": "rain"}).json["status"] == "aborted"
    assert cup.get()["ended"] == "rain"


def test_tournaments_are_listed_by_ruleset_and_status(cup):
    other = cup.api.post("/v1/tournaments", cup.token, {**TERMS, "ruleset": "pathagon"}).json["tournament"]

    def listed(query: str) -> list[str]:
        return [row["tournament"] for row in cup.api.get(f"/v1/tournaments{query}").json["tournaments"]]

    assert set(listed("")) == {cup.id, other}
    assert listed("?ruleset=zhen") == [cup.id]
    assert listed("?ruleset=zhen&status=playing") == []
    assert set(listed("?status=open")) == {cup.id, other}
    first = cup.api.get("/v1/tournaments?limit=1").json
    assert len(first["tournaments"]) == 1
    assert cup.api.get(first["next"]).json["tournaments"] != first["tournaments"]


def test_events_come_in_pages_and_as_a_closed_export(cup):
    cup.bots(2)
    page = cup.get("/events?limit=2")
    assert [event["type"] for event in page["events"]] == ["tournament-created", "entrant-registered"]
    assert cup.api.get(page["next"]).json["events"][0]["version"] == 3
    export = cup.api.get(f"{cup.path}/events", headers={"Accept": "application/x-ndjson"})
    *events, end = export.data.splitlines()
    assert (len(events), json.loads(end)["count"]) == (3, 3)


def test_the_table_comes_as_json_text_and_csv(cup):
    cup.enter(cup.ann_token)
    cup.enter(cup.token, bot={"name": "greedy"}, label="one move ahead")
    cup.start()
    cup.parts.tournaments.advance(cup.id)
    table = cup.get("/standings")
    assert [(row["rank"], row["entrant"], row["points"]) for row in table["rows"]] == [(1, 1, "0"), (1, 2, "0")]
    for media, separator in (("text/plain", "  "), ("text/csv", ",")):
        told = cup.api.get(f"{cup.path}/standings", headers={"Accept": media})
        assert told.mimetype == media
        head, *rows = told.text.splitlines()
        assert head.split(separator.strip() or None)[:4] == ["rank", "entrant", "name", "points"]
        assert "Ann" in rows[0]
        assert "one move ahead" in rows[1]
    cross = cup.api.get(f"{cup.path}/standings?crosstable=true", headers={"Accept": "text/csv"}).text
    assert cross.splitlines()[0] == "entrant,name,1,2"


def test_an_annulment_can_be_reported_before_and_after_it(cup):
    cup.enter(cup.ann_token)
    cup.bots(1)
    cup.start()
    cup.parts.tournaments.advance(cup.id)
    [game] = cup.get("/rounds")["rounds"][0]["games"]
    report = f"{cup.path}/annulments?round=1&board=1"
    assert cup.api.get(report).json["code"] == "tournament/not-decided"
    assert cup.api.post(f"/v1/matches/{game['match']}/withdrawal", cup.ann_token, {}).status_code == 200
    verify_all(cup.parts, [(game["match"], cup.parts.matches.read(game["match"]).version)])
    cup.parts.tournaments.advance(cup.id)
    before = cup.api.get(report).json
    assert [row["points"] for row in before["before"]["rows"]] == ["2", "0"]
    assert [row["points"] for row in before["after"]["rows"]] == ["0", "0"]
    *lines, end = cup.api.get(f"{cup.path}/matches").data.splitlines(keepends=True)
    [exported] = map(json.loads, lines)
    assert (exported["match"], exported["ranks"]) == (
        game["match"],
        cup.get("/rounds")["rounds"][0]["games"][0]["ranks"],
    )
    assert parse_record(exported["record"]).ruleset == "zhen"
    assert json.loads(end) == {"count": 1, "sha256": sha256(lines[0]).hexdigest()}
    annul = {"round": 1, "board": 1, "why": "the wrong player"}
    assert cup.api.post(f"{cup.path}/annulments", cup.token, annul).status_code == 200
    after = cup.api.get(report).json
    assert after["game"]["annulled"] == "the wrong player"
    assert [row["points"] for row in after["before"]["rows"]] == ["2", "0"]
    assert after["after"]["rows"] == cup.get("/standings")["rows"]
    assert cup.api.get(f"{cup.path}/annulments?round=2&board=1").status_code == 404


def fail_twice(cup: Cup) -> tuple[str, str]:
    """Call off the only match, then let Ann's bot break down in the next one; returns both matches."""
    cup.enter(cup.ann_token)
    cup.bots(1)
    cup.start()
    first = cup.advance()
    asked = command_of("test", "POST", "/", None, b"")
    abort = AbortMatch(actor=Actor("organiser", cup.olga), id=asked.id.hex(), cause="a power cut")
    cup.parts.matches.execute(first, lambda _: abort, asked)
    second = cup.advance()
    withdrawal = f"/v1/matches/{second}/withdrawal"
    assert cup.api.post(withdrawal, cup.ann_token, {"fault": "illegal"}).status_code == 200
    verify_all(cup.parts, [(second, cup.parts.matches.read(second).version)])
    cup.parts.tournaments.advance(cup.id)
    return first, second


def test_the_attempts_at_a_game_have_their_faults_and_whether_they_were_scored(cup):
    first, second = fail_twice(cup)
    failed, decided = cup.get("/attempts")["attempts"]
    assert (failed["attempt"], failed["match"], failed["status"], failed["scored"]) == (1, first, "failed", False)
    assert failed["incidents"] == [{"cause": "called-off", "owner": "platform", "entrant": None, "why": "a power cut"}]
    assert (failed["ranks"], failed["reason"]) == (None, None)
    assert (decided["attempt"], decided["match"], decided["status"], decided["scored"]) == (2, second, "decided", True)
    assert decided["incidents"] == [{"cause": "illegal", "owner": "entrant", "entrant": 1, "why": None}]
    assert decided["reason"] == "withdrawal"
    for told in (failed, decided):
        [made, *_] = cup.api.get(f"/v1/matches/{told['match']}/events").json["events"]
        assert told["made_at"] == made["at"] <= told["closed_at"]


def test_owners_of_faults_are_given_from_an_entrants_side(cup):
    fail_twice(cup)

    def owners(query: str) -> list[str]:
        attempts = cup.get(f"/attempts?{query}")["attempts"]
        return [incident["owner"] for attempt in attempts for incident in attempt["incidents"]]

    assert owners("entrant=1") == ["platform", "entrant"]
    assert owners("entrant=2") == ["platform", "opponent"]
    assert owners("entrant=3") == []
    assert [row["faults"] for row in cup.get("/standings")["rows"]] == [
        {"entrant": 0, "opponent": 1, "platform": 1},
        {"entrant": 1, "opponent": 0, "platform": 1},
    ]
    assert (cup.get()["faults"], cup.get()["given_up"]) == ({"entrant": 1, "platform": 1}, 0)


def test_attempts_come_in_pages_and_by_game_and_fault(cup):
    cup.bots(4)
    cup.start()
    cup.advance()
    whole = cup.get("/attempts")["attempts"]
    assert [(each["board"], each["status"]) for each in whole] == [(1, "playing"), (2, "playing")]
    page = cup.get("/attempts?limit=1")
    assert (page["attempts"], page["next"]) == (whole[:1], f"{cup.path}/attempts?limit=1&after=1-1-1-1")
    last = cup.api.get(page["next"]).json
    assert (last["attempts"], last["next"]) == (whole[1:], None)
    assert cup.get("/attempts?round=1&board=2&game=1")["attempts"] == whole[1:]
    assert cup.get("/attempts?faults=true")["attempts"] == cup.get("/attempts?round=2")["attempts"] == []
    assert cup.api.get(f"{cup.path}/attempts?after=1-1").status_code == 422


def test_a_sequential_test_needs_two_entrants_and_shows_its_state(api, parts):
    cup = Cup(api, parts, sprt={"elo0": 0, "elo1": 20}, format={"kind": "round-robin", "cycles": 50})
    assert cup.get()["sprt"] == {"elo0": 0, "elo1": 20, "alpha": "0.05", "beta": "0.05"}
    cup.bots(3)
    assert cup.start().json["code"] == "tournament/too-many"
    other = Cup(api, parts, sprt={"elo0": 0, "elo1": 20})
    other.bots(2)
    other.start()
    assert other.get("/standings")["sprt"] == {"llr": "0.0000", "lower": "-2.9444", "upper": "2.9444", "taken": None}
    for wrong in ({"elo0": 5, "elo1": 0}, {"elo0": 0}, {"elo0": 0, "elo1": 5, "alpha": "0.9"}, {"elo2": 1}):
        refused = api.post("/v1/tournaments", cup.token, {**TERMS, "sprt": wrong})
        assert (refused.status_code, refused.json["code"]) == (422, "tournament/sprt")


def test_a_swiss_of_two_seats_has_a_trf_report(api, parts):
    cup = Cup(api, parts, format={"kind": "swiss", "rounds": 2})
    cup.bots(4)
    cup.start()
    parts.tournaments.advance(cup.id)
    told = api.get(f"{cup.path}/trf")
    assert told.mimetype == "text/plain"
    assert told.text.count("\n001 ") == 4


def test_an_unknown_tournament_is_404(cup):
    for path in ("", "/rounds", "/attempts", "/events", "/rounds/1/check", "/standings"):
        assert cup.api.get(f"/v1/tournaments/tournament-{'a' * 26}{path}").status_code == 404
        assert cup.api.get(f"/v1/tournaments/nonsense{path}").status_code == 404
    assert cup.api.post(f"/v1/tournaments/tournament-{'a' * 26}/start", cup.token).status_code == 404
