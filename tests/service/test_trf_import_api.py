"""TRF reports over HTTP, and with the command."""

import pytest
from click.testing import CliRunner

from plyscribe.service.cli import organiser
from plyscribe.service.cli.tournament import tournament as group
from plyscribe.service.tournaments.trf_reading import MOST_CHARACTERS
from tests.service.test_tournaments_api import TournamentOverHttp
from tests.service.test_trf_import import CUP, line, lines_of

IMPORTS = "/v1/tournament-imports"


@pytest.fixture
def olga(api, parts) -> TournamentOverHttp:
    """The organiser Olga, who has another tournament."""
    return TournamentOverHttp(api, parts)


def load(olga: TournamentOverHttp, text: str = CUP, **body: object):
    return olga.api.post(IMPORTS, olga.token, {"trf": text, "ruleset": "zhen", **body})


def test_a_report_becomes_a_tournament_of_a_club(api, parts, olga):
    made, token = load(olga, options={}, private=True), olga.token
    assert made.status_code == 201, made.json
    path = made.headers["Location"]
    described = api.get(path, token).json
    assert (described["name"], described["status"], described["private"]) == ("Autumn cup", "playing", True)
    assert [each["guest"] for each in described["entrants"]] == ["Ada", "Ben", "Cem"]
    rounds = api.get(f"{path}/rounds", token).json["rounds"]
    assert rounds[0]["boards"][0]["reasons"][0]["values"]["why"] == "as in the TRF report"
    assert api.get(path).status_code == 404, "it is private"
    exported = api.get(f"{path}/trf", token).text
    assert [each[91:] for each in lines_of(exported)] == [each[91:] for each in lines_of(CUP)]
    parts.tournaments.advance(described["tournament"])
    done = api.post(f"{path}/results", token, {"round": 3, "board": 1, "ranks": [1, 2]})
    assert done.status_code == 201, "it goes on like any other"


def test_the_same_request_makes_one_tournament(olga):
    body = {"trf": CUP, "ruleset": "zhen"}
    first, again = (olga.api.post(IMPORTS, olga.token, body, key="import-1") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.headers["Location"] == again.headers["Location"]
    assert first.json == again.json


def test_a_report_that_is_wrong_too_long_or_of_no_organiser_leaves_nothing(api, olga):
    before = len(api.get("/v1/tournaments").json["tournaments"])
    refused = load(olga, CUP.replace("   1 w =", "   1 w 1"))
    assert (refused.status_code, refused.json["code"]) == (422, "trf/invalid")
    assert refused.json["detail"].startswith("line 4: in round 2 the results of players 1 and 2 do not fit")
    assert load(olga, "x" * (MOST_CHARACTERS + 1)).status_code == 422
    assert load(olga, "x" * 300_000).status_code == 413
    assert api.post(IMPORTS, olga.ann_token, {"trf": CUP, "ruleset": "zhen"}).status_code == 403
    assert len(api.get("/v1/tournaments").json["tournaments"]) == before


def test_a_large_event_is_imported_at_once(api, olga):
    """Two hundred players and nine rounds: in each, every other player wins."""
    players, rounds = 200, 9
    lines = []
    for number in range(1, players + 1):
        is_first = number % 2 == 1
        turn = f"{number + 1 if is_first else number - 1:>4} {'w' if is_first else 'b'} {'1' if is_first else '0'}"
        lines.append(line(number, f"Player {number}", f"{rounds if is_first else 0}.0", *[turn] * rounds))
    made = load(olga, "".join(lines))
    assert made.status_code == 201
    assert api.get(made.headers["Location"], olga.token).json["status"] == "ended"


def test_the_command_sends_a_file_in_either_encoding(monkeypatch, tmp_path):
    sent = []

    class Scripted:
        def import_tournament(self, trf: str, ruleset: str, **more: object) -> dict[str, str]:
            sent.append((trf, ruleset, more))
            return {"tournament": "tournament-x"}

    monkeypatch.setattr(organiser, "_send", lambda url, token, data, ask: ask(Scripted()))
    text = CUP.replace("Ada", "Žofie")
    for encoding in ("utf-8-sig", "cp1252"):
        (tmp_path / "cup.trf").write_text(text, encoding=encoding)
        shown = CliRunner().invoke(group, ["import", str(tmp_path / "cup.trf"), "--ruleset", "zhen"])
        assert shown.output == "http://127.0.0.1:8420/tournaments/tournament-x\n"
    assert [(trf, ruleset) for trf, ruleset, _ in sent] == [(text, "zhen")] * 2
