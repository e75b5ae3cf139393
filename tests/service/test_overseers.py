"""Organisers and administrators act in matches over HTTP, and nobody judges a match they sit in."""

import pytest

from plyscribe.domain.commands import Actor, CreateMatch
from plyscribe.domain.events import Account
from plyscribe.service.composition import Parts
from plyscribe.service.streams.ids import command_of, stream_id
from tests.service.api import Api

WHY = "two phones"


class Table:
    """Ann and Ben, and matches between them that Olga, an organiser, or Ann created; Root is an administrator."""

    def __init__(self, api: Api, parts: Parts) -> None:
        self.api, self.parts = api, parts
        self.ann, self.ann_token = api.sign_up("Ann")
        self.ben, self.ben_token = api.sign_up("Ben")
        self.olga, self.olga_token = self.sign_up("Olga", "play", "organise")
        self.oscar, self.oscar_token = self.sign_up("Oscar", "play", "organise")
        self.root, self.root_token = self.sign_up("Root", "admin")

    def sign_up(self, name: str, *scopes: str) -> tuple[str, str]:
        player, token = self.parts.accounts.sign_up(Actor("system", "test"), name, "person", scopes)
        return player.stream, token

    def begin(self, creator: str | None = None, **more: object) -> str:
        """The path of a match that has started."""
        seats = [{"player": self.ann}, {"player": self.ben}]
        path = f"/v1/matches/{self.api.new_match(creator or self.olga_token, seats, **more)}"
        for seat, token in enumerate((self.ann_token, self.ben_token), 1):
            self.api.post(f"{path}/seats/{seat}", token)
        return path

    def begin_in_tournament(self) -> str:
        asked = command_of("test", "POST", "/", "cup", b"")
        match = stream_id("match", asked)
        command = CreateMatch(
            actor=Actor("organiser", self.olga),
            ruleset="pathagon",
            seats=(Account(self.ann), Account(self.ben)),
            tournament={"id": "tournament-" + "t" * 26},
        )
        self.parts.matches.execute(match, lambda _: command, asked, new=True)
        return f"/v1/matches/{match}"

    def play_two_moves(self, path: str, first_token: str) -> None:
        for token, move in ((first_token, "a1"), (self.ben_token, "b2")):
            assert self.api.post(f"{path}/moves", token, {"move": move}).status_code == 200

    def code(self, path: str, token: str, body: object) -> tuple[int, str]:
        refused = self.api.post(path, token, body)
        return refused.status_code, refused.json["code"]

    def commands(self, path: str, token: str) -> list[str]:
        return [choice["command"] for choice in self.api.get(path, token).json["choices"]]


@pytest.fixture
def table(api, parts) -> Table:
    return Table(api, parts)


def test_an_organiser_withdraws_a_seat_of_a_match_they_created_and_says_why(table):
    path = table.begin()
    body = {"seat": 2, "cause": "disqualified"}
    assert table.code(f"{path}/withdrawal", table.olga_token, body) == (422, "withdrawal/why")
    for why in ("", "x" * 201, "a\nb", 7):
        refused = table.code(f"{path}/withdrawal", table.olga_token, {**body, "why": why})
        assert refused == (422, "request/invalid")
    for token in (table.olga_token, table.root_token):
        assert table.commands(path, token) == ["withdraw", "pause", "abort"]
    assert "Oversee this match" in page(table, path, table.olga_token)
    for token in (None, table.ann_token, table.oscar_token):
        assert "Oversee this match" not in page(table, path, token)
    first, again = (
        table.api.post(f"{path}/withdrawal", table.olga_token, {**body, "why": WHY}, key="k") for _ in range(2)
    )
    assert (first.status_code, first.data, again.headers["Idempotency-Replayed"]) == (200, again.data, "true")
    event = first.json["events"][0]
    assert (event["by"], event["data"]["why"]) == (f"organiser:{table.olga}", WHY)
    assert table.commands(path, table.olga_token) == ["annul", "rematch"]
    assert "Annul the match" in page(table, path, table.olga_token)
    told = "Organiser Olga withdrew Ben: disqualified, &#39;two phones&#39;"
    assert told in page(table, path)
    assert told in page(table, f"{path}/play", table.ann_token)
    table.api.post(f"{path}/annulment", table.root_token, {"why": "the wrong room"})
    assert "Organiser Root annulled the match: the wrong room" in page(table, f"{path}/play", table.ann_token)


def test_a_match_of_a_tournament_is_judged_by_its_organiser_and_by_administrators(table):
    path = table.begin_in_tournament()
    body = {"seat": 2, "cause": "disqualified", "why": WHY}
    assert table.code(f"{path}/withdrawal", table.oscar_token, body) == (403, "seat/not-yours")
    assert table.code(f"{path}/abort", table.oscar_token, {}) == (403, "seat/not-yours")
    assert table.api.post(f"{path}/withdrawal", table.olga_token, body).status_code == 200
    assert table.code(f"{path}/annulment", table.oscar_token, {"why": WHY}) == (403, "match/not-yours")
    assert table.api.post(f"{path}/annulment", table.olga_token, {"why": WHY}).status_code == 200


def test_an_administrator_acts_in_every_match_and_an_organiser_of_others_in_none(table):
    path = table.begin(table.ann_token, start="call")
    assert table.api.post(f"{path}/start", table.root_token).json["events"][0]["by"] == f"organiser:{table.root}"
    body = {"seat": 1, "cause": "absent", "why": "did not come"}
    assert table.api.post(f"{path}/withdrawal", table.root_token, body).status_code == 200
    path = table.begin(table.ann_token)
    assert table.api.post(f"{path}/abort", table.root_token, {"cause": "fire"}).status_code == 200
    path = table.begin(table.ann_token)
    for token in (table.oscar_token, table.olga_token):
        assert table.commands(path, token) == []
        assert table.code(f"{path}/abort", token, {}) == (403, "seat/not-yours")
    table.api.post(f"{path}/withdrawal", table.ben_token, {})
    assert table.code(f"{path}/annulment", table.oscar_token, {"why": WHY}) == (403, "match/not-yours")
    assert table.api.get(f"{path}/annulment?preview=true", table.oscar_token).status_code == 403
    assert table.api.get(f"{path}/annulment?preview=true", table.root_token).status_code == 200


def test_an_organiser_who_plays_does_not_judge(table):
    ann_token = table.api.post("/v1/players/me/tokens", table.ann_token, {"scopes": ["play"]}).json["token"]
    player, token = table.sign_up("Una", "play", "organise", "admin")
    seats = [{"player": player}, {"player": table.ben}]
    path = f"/v1/matches/{table.api.new_match(token, seats, rated=True)}"
    table.api.post(f"{path}/seats/2", table.ben_token)
    table.play_two_moves(path, token)
    body = {"seat": 2, "cause": "disqualified", "why": WHY}
    assert table.code(f"{path}/withdrawal", token, body) == (403, "match/own-seat")
    assert table.code(f"{path}/abort", token, {}) == (403, "match/own-seat")
    resigned = table.api.post(f"{path}/withdrawal", token, {})
    assert resigned.json["events"][0]["by"] == f"player:{player}"
    assert table.code(f"{path}/annulment", token, {"why": "I lost"}) == (403, "match/own-seat")
    assert table.api.get(f"{path}/annulment?preview=true", token).json["code"] == "match/own-seat"
    assert "annul" not in table.commands(path, token)
    assert table.code(f"{path}/annulment", ann_token, {"why": "I lost"}) == (403, "auth/scope")


def test_who_records_a_match_and_organises_it_needs_no_reason(table):
    _, token = table.sign_up("Rita", "record", "admin")
    guests = [{"name": "Ada"}, {"name": "Bea"}]
    path = f"/v1/matches/{table.api.new_match(token, guests, recorded=True)}"
    ended = table.api.post(f"{path}/withdrawal", token, {"seat": 2, "cause": "time"})
    assert ended.json["events"][0]["by"].startswith("recorder:")
    assert table.api.post(f"{path}/annulment", token, {"why": "a test"}).status_code == 200


def test_a_rated_match_says_whether_it_counts_and_what_leaving_it_means(table):
    path = table.begin(rated=True)
    early = page(table, f"{path}/play", table.ann_token)
    assert "does not count for ratings yet" in early
    assert ("Leave the match" in early, "Resign" in early) == (True, False)
    table.play_two_moves(path, table.ann_token)
    late = page(table, f"{path}/play", table.ann_token)
    assert "This match counts" in late
    assert ("Leave the match" in late, "Resign" in late) == (False, True)
    assert table.code(f"{path}/abort", table.ann_token, {}) == (409, "match/counts")


def page(table: Table, path: str, token: str | None = None) -> str:
    headers = {"Accept": "text/html"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return table.api.app.test_client().get(path.replace("/v1", ""), headers=headers).text
