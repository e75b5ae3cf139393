"""Club night over HTTP: arbiters, guests, requests, entry links, called rounds, table codes, corrections, penalties."""

import pytest

from plyscribe.domain.commands import Actor
from tests.service.api import Api
from tests.service.test_tournaments_api import TournamentOverHttp

CLUB = {"at_table": True, "is_open": False, "rounds_begin": "call", "format": {"kind": "swiss", "rounds": 3}}
WHY = {"why": "they mixed up the names"}
BOARD = {"round": 1, "board": 1}


class Club(TournamentOverHttp):
    """A tournament at the table of Olga's, with Ann as its arbiter."""

    def send(self, method: str, path: str, token: str | None = None, **body: object):
        return self.api.send(method, self.path + path, token or self.token, json=body)

    def get(self, path: str = "") -> dict:
        return self.api.get(self.path + path, self.token).json

    def post(self, path: str, token: str | None = None, **body: object):
        return self.send("POST", path, token, **body)

    def guests(self, *names: str, **more: object) -> None:
        for name in names:
            assert self.enter(self.token, guest=name, **more).status_code == 201

    def begin(self) -> None:
        """Start, and have the first round called and paired."""
        assert self.start().status_code == 200
        assert self.post("/rounds", round=1).status_code == 201
        self.parts.tournaments.advance(self.id)

    def code(self, board: int = 1, **more: object) -> str:
        made = self.post("/rounds/1/codes", board=board, **more)
        assert made.status_code == 201, made.json
        return made.json["codes"][0]["code"]

    def match(self, board: int = 1) -> str:
        return self.get("/rounds")["rounds"][0]["games"][board - 1]["match"]

    def results(self, *ranks: int) -> None:
        """The same result on both boards of the first round."""
        for board in (1, 2):
            assert self.post("/results", round=1, board=board, ranks=list(ranks)).status_code == 201


@pytest.fixture
def club(api: Api, parts) -> Club:
    return Club(api, parts, **CLUB)


@pytest.fixture
def started(club: Club) -> Club:
    club.guests("Ida", "Kim", "Lou", "Max")
    club.begin()
    return club


def test_an_arbiter_acts_and_the_tournament_is_described_with_its_arbiters_acts_and_penalties(started):
    assert started.post("/arbiters", name="Ann").status_code == 201
    assert started.post("/pause", started.ann_token, why="dinner").status_code == 200
    assert started.post("/penalties", entrant=1, points=1, why="a phone rang").status_code == 201
    described = started.get()
    assert (described["paused"], described["arbiters"]) == ("dinner", [{"player": started.ann, "player_name": "Ann"}])
    assert [(act["what"], act["by_name"], act["player_name"]) for act in described["acts"][:3]] == [
        ("round-called", "Olga", None),
        ("arbiter-named", "Olga", "Ann"),
        ("tournament-paused", "Ann", None),
    ]
    assert started.send("DELETE", "/penalties/1", why="not theirs").status_code == 200
    assert [(each["points"], each["lifted"]) for each in started.get()["penalties"]] == [(1, "not theirs")]
    assert started.send("DELETE", f"/arbiters/{started.ann}").status_code == 200
    assert started.post("/resume", started.ann_token).json["code"] == "tournament/not-yours"


def test_a_guest_is_described_with_its_rating_its_seed_and_the_byes_that_were_asked_for(api, parts):
    club = Club(api, parts, **CLUB, scoring={"asked_byes": 1})
    club.guests("Ida", rating=1500)
    club.guests("Kim")
    assert club.send("PATCH", "/entrants/2", seed=1).status_code == 200
    assert club.post("/entrants/2/absences", round=1, bye=True).status_code == 200
    described = [[each[name] for name in ("guest", "rating", "seed", "asked_byes")] for each in club.get()["entrants"]]
    assert described == [["Ida", 1500, None, []], ["Kim", None, 1, [1]]]
    assert club.enter(club.token, guest="Kim", bot={"name": "random"}).json["code"] == "entrant/which"


def test_a_player_asks_and_a_link_lets_its_holder_in_until_it_is_void(club):
    (_, ben), (_, cem) = club.api.sign_up("Ben"), club.api.sign_up("Cem")
    assert club.post("/requests", club.ann_token, label="Annie").status_code == 201
    assert [(each["player"], each["label"]) for each in club.get()["requests"]] == [(club.ann, "Annie")]
    made = club.post("/entry-link", hours=2).json
    assert made["url"].endswith(f"/tournaments/{club.id}/enter?code={made['code']}")
    assert club.enter(ben, code="plye_x").json["code"] == "entrant/closed"
    assert club.enter(ben, code=made["code"]).status_code == 201
    assert club.send("DELETE", "/entry-link").status_code == 200
    assert club.enter(cem, code=made["code"]).json["code"] == "entrant/link-over"


def test_a_private_tournament_and_its_matches_are_for_those_who_take_part(api, parts):
    club = Club(api, parts, private=True, **CLUB)
    _, ben = api.sign_up("Ben")
    assert api.get(club.path, club.ann_token).json["code"] == "tournament/unknown"
    assert api.get(club.path).status_code == 404
    code = club.post("/entry-link").json["code"]
    assert api.get(f"{club.path}?code={code}").status_code == 200
    club.post("/invitations", name="Ann")
    assert api.get(club.path, club.ann_token).status_code == api.get(club.path, club.token).status_code == 200
    for query in ("", "?status=open", "?ruleset=zhen", "?ruleset=zhen&status=open"):
        assert api.get(f"/v1/tournaments{query}", club.ann_token).json["tournaments"] == []
    [listed] = api.get("/v1/tournaments?invited=me", club.ann_token).json["tournaments"]
    assert (listed["tournament"], listed["status"]) == (club.id, "open")
    assert api.get("/v1/tournaments?invited=me", club.token).json["tournaments"] == []
    club.guests("Ida", "Kim")
    club.begin()
    for path in ("", "/standings", "/rounds", "/events", "/attempts", "/matches"):
        assert api.get(club.path + path, ben).status_code == 404
    match = f"/v1/matches/{club.match()}"
    assert api.get(match, ben).status_code == 404
    club.post("/arbiters", name="Ben")
    assert api.get(match, ben).status_code == 200


def test_a_round_is_called_and_taken_back_but_not_paired_during_a_pause(club):
    club.guests("Ida", "Kim", "Lou", "Max")
    club.start()
    assert club.post("/rounds", round=1, why="x").json["code"] == "tournament/pairing"
    assert club.post("/rounds", round=1, boards=[[1, 2], [3, 4]]).json["code"] == "tournament/cause"
    assert club.post("/rounds", round=1).status_code == 201
    club.post("/pause", why="dinner")
    club.parts.tournaments.advance(club.id)
    assert club.get()["rounds"] == 0
    club.post("/resume")
    club.parts.tournaments.advance(club.id)
    first = club.match()
    assert club.send("DELETE", "/rounds/1", why="wrong tables").status_code == 200
    club.parts.tournaments.advance(club.id)
    assert club.get("/rounds")["rounds"] == []
    assert club.api.get(f"/v1/matches/{first}").json["status"] == "aborted"
    by_hand = {"boards": [[1, 2], [3, 4]], "byes": []}
    assert club.post("/rounds", round=1, **by_hand, why="they came together").status_code == 201
    club.parts.tournaments.advance(club.id)
    [round] = club.get("/rounds")["rounds"]
    assert ([game["entrants"] for game in round["games"]], round["engine"]) == ([[1, 2], [3, 4]], "by hand")
    assert club.match() != first


def test_a_pairing_by_hand_is_told_what_speaks_against_it(started):
    started.results(1, 2)
    boards = [list(game["entrants"]) for game in started.get("/rounds")["rounds"][0]["games"]]
    judged = started.post("/rounds/next/check", boards=boards, byes=[]).json
    assert {each["kind"] for each in judged["objections"]} == {"rematch", "points"}
    assert judged["costs"]["meetings"] == 2 > judged["engine_costs"]["meetings"]
    refused = started.post("/rounds/next/check", started.ann_token, boards=boards)
    assert refused.json["code"] == "tournament/not-yours"


# ------------------------------------------------------------------------------------------------------- at the table


def test_a_table_records_its_match_with_its_code_alone_and_a_seat_moves_for_itself(started):
    code, match = started.code(), f"/v1/matches/{started.match()}"
    moves = started.api.get(f"{match}/legal-moves", code).json["moves"]
    moved = started.api.post(f"{match}/moves", code, {"move": moves[0]})
    assert moved.json["events"][0]["by"] == "table:1-1-0"
    other, move = f"/v1/matches/{started.match(2)}", {"move": moves[0]}
    assert started.api.post(f"{other}/moves", code, move).json["code"] == "match/not-yours"
    codes = [each["code"] for each in started.post("/rounds/1/codes", board=2, seats=True).json["codes"]]
    turn = started.api.get(other).json["turn"]["decision"]
    assert started.api.post(f"{other}/moves", codes[turn % 2], move).json["code"] == "move/not-your-turn"
    moved = started.api.post(f"{other}/moves", codes[turn - 1], move)
    assert moved.json["events"][0]["by"] == f"table:1-2-{turn}"


def test_a_table_enters_its_result_and_no_other_and_plays_once_more_in_a_new_match(started):
    code, first = started.code(), started.match()
    assert started.post("/results", code, round=1, board=2, ranks=[1, 2]).json["code"] == "tournament/not-yours"
    assert started.post("/results", code, **BOARD, ranks=[2, 1]).status_code == 201
    started.parts.tournaments.advance(started.id)
    game = started.get("/rounds")["rounds"][0]["games"][0]
    assert (game["ranks"], game["reason"], game["match"]) == ([2, 1], "reported", None)
    assert started.post("/results", code, **BOARD, ranks=[1, 2]).json["code"] == "tournament/decided"
    assert [act["what"] for act in started.get()["acts"]] == ["round-called"]
    assert started.post("/replays", **BOARD, **WHY).status_code == 200
    started.parts.tournaments.advance(started.id)
    assert started.match() != first
    assert started.api.get(f"/v1/matches/{started.match()}").json["status"] == "playing"


def test_a_code_does_nothing_else(started):
    code, match = started.code(), started.match()
    for method, path, body in [
        ("POST", "/v1/matches", {"ruleset": "zhen", "seats": [None, None]}),
        ("POST", f"/v1/matches/{match}/annulment", {"why": "x"}),
        ("POST", f"/v1/matches/{match}/forks", {"ply": 0}),
        ("POST", f"{started.path}/pause", {"why": "x"}),
        ("POST", f"{started.path}/entrants", {}),
        ("POST", f"{started.path}/requests", {}),
        ("POST", f"{started.path}/corrections", {**BOARD, "ranks": [1, 2], "why": "x"}),
        ("POST", f"{started.path}/entrants/1/withdrawal", {}),
        ("POST", f"{started.path}/rounds/1/codes", {}),
        ("GET", "/v1/players/me", None),
        ("POST", "/v1/players/me/tokens", {"scopes": ["play"]}),
    ]:
        refused = started.api.send(method, path, code, json=body)
        assert refused.status_code in (401, 403, 404), (method, path, refused.json)
    assert started.api.post(f"/v1/matches/{match}/abort", code, {}).json["code"] == "match/under-way"


@pytest.mark.parametrize("all", [True, False])
def test_a_code_is_revoked(started, all):
    code, other = started.code(), started.code(2)
    assert started.post("/code-revocations", **({} if all else BOARD), why="a lost phone").status_code == 200
    refused = started.post("/results", code, **BOARD, ranks=[2, 1])
    assert (refused.status_code, refused.json["code"]) == (401, "table/revoked")
    assert started.post("/results", other, round=1, board=2, ranks=[1, 2]).status_code == (401 if all else 201)
    assert started.post("/results", started.code(), **BOARD, ranks=[2, 1]).status_code == 201


def test_a_code_expires_ends_with_its_pairing_and_cannot_be_made_up(started, monkeypatch):
    code = started.code()
    forged = code.replace("_1-1-0-", "_1-2-0-")
    assert started.post("/results", forged, round=1, board=2, ranks=[1, 2]).json["code"] == "table/unknown"
    assert started.post("/results", "plyt_x", **BOARD, ranks=[1, 2]).json["code"] == "table/unknown"
    assert started.post("/rounds/2/codes").json["code"] == "tournament/round"
    assert started.post("/rounds/1/codes", board=3).json["code"] == "tournament/no-game"
    monkeypatch.setattr("plyscribe.service.tournaments.codes.now_ms", lambda: 2 * 10**12)
    assert started.post("/results", code, **BOARD, ranks=[2, 1]).json["code"] == "table/expired"
    monkeypatch.undo()
    started.send("DELETE", "/rounds/1", why="wrong tables")
    assert started.post("/results", code, **BOARD, ranks=[2, 1]).json["code"] == "table/revoked"


def test_an_arbiter_records_a_match_that_they_do_not_sit_at(started):
    started.post("/arbiters", name="Ann")
    match = f"/v1/matches/{started.match()}"
    move = {"move": started.api.get(f"{match}/legal-moves").json["moves"][0]}
    moved = started.api.post(f"{match}/moves", started.ann_token, move)
    assert moved.json["events"][0]["by"] == f"arbiter:{started.ann}"
    withdrawn = {"seat": 1, "cause": "absent", "why": "never came"}
    assert started.api.post(f"{match}/withdrawal", started.ann_token, withdrawn).status_code == 200


# ----------------------------------------------------------------------------------------------------------- rulings


def test_a_preview_of_ranks_that_are_no_numbers_is_refused(started):
    refused = started.api.get(started.path + "/rulings/preview?round=1&board=1&ranks=1,x")
    assert refused.status_code == 422


def test_matches_between_accounts_of_a_rated_tournament_are_rated(api, parts):
    club = Club(api, parts, rated=True)
    _, ben = api.sign_up("Ben")
    for token in (club.ann_token, ben):
        assert club.enter(token).status_code == 201
    assert club.enter(club.token, bot={"name": "random"}).status_code == 201
    club.start()
    parts.tournaments.advance(club.id)
    for game in club.get("/rounds")["rounds"][0]["games"]:
        assert api.get(f"/v1/matches/{game['match']}").json["rated"] is (3 not in game["entrants"])


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"rated": True, "at_table": True}, "rated/recorded"),
        ({"rated": True, "private": True}, "rated/private"),
        ({"rated": True, "options": {"tiles": 5}}, "rated/options"),
        ({"at_table": True, "limits": {"move_ms": 60_000}}, "limits/recorded"),
        ({"scoring": {"asked_byes": 0}}, "tournament/scoring"),
    ],
)
def test_impossible_terms_are_refused(api, parts, terms, code):
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("organise",))
    whole = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "swiss"}, **terms}
    assert api.post("/v1/tournaments", token, whole).json["code"] == code
