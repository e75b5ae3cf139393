"""TRF reports over HTTP, and with the command."""

from click.testing import CliRunner

from plyscribe.service.cli import organiser
from plyscribe.service.cli.tournament import tournament as group
from plyscribe.service.tournaments.trf_reading import MOST_CHARACTERS
from tests.service.test_tournaments_api import TournamentOverHttp
from tests.service.test_trf_import import CUP, line, lines_of

IMPORTS = "/v1/tournament-imports"


def load(api, parts, text: str = CUP, **body: object):
    """The answer to an import by the organiser, and her token."""
    token = TournamentOverHttp(api, parts).token
    return api.post(IMPORTS, token, {"trf": text, "ruleset": "zhen", **body}), token


def test_a_report_becomes_a_tournament_of_a_club(api, parts):
    made, token = load(api, parts, options={}, private=True)
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


def test_the_same_request_makes_one_tournament(api, parts):
    token = TournamentOverHttp(api, parts).token
    body = {"trf": CUP, "ruleset": "zhen"}
    first, again = (api.post(IMPORTS, token, body, key="import-1") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.headers["Location"] == again.headers["Location"]
    assert first.json == again.json


def test_a_report_with_an_error_leaves_nothing(api, parts):
    token = TournamentOverHttp(api, parts).token
    before = len(api.get("/v1/tournaments").json["tournaments"])
    wrong = CUP.replace("   1 w =", "   1 w 1")
    refused = api.post(IMPORTS, token, {"trf": wrong, "ruleset": "zhen"})
    assert (refused.status_code, refused.json["code"]) == (422, "trf/invalid")
    assert refused.json["detail"].startswith("line 4: in round 2 the results of players 1 and 2 do not fit")
    assert len(api.get("/v1/tournaments").json["tournaments"]) == before


def test_only_organisers_import(api, parts):
    own = TournamentOverHttp(api, parts)
    assert api.post(IMPORTS, own.ann_token, {"trf": CUP, "ruleset": "zhen"}).status_code == 403


def test_a_report_that_is_too_long_is_refused(api, parts):
    refused, token = load(api, parts, "x" * (MOST_CHARACTERS + 1))
    assert refused.status_code == 422
    assert api.post(IMPORTS, token, {"trf": "x" * 300_000, "ruleset": "zhen"}).status_code == 413


def test_a_large_event_is_imported_at_once(api, parts):
    """Two hundred players and nine rounds: in each, every other player wins."""
    players, rounds = 200, 9
    lines = []
    for number in range(1, players + 1):
        is_first = number % 2 == 1
        turn = f"{number + 1 if is_first else number - 1:>4} {'w' if is_first else 'b'} {'1' if is_first else '0'}"
        lines.append(line(number, f"Player {number}", f"{rounds if is_first else 0}.0", *[turn] * rounds))
    made, token = load(api, parts, "".join(lines))
    assert made.status_code == 201
    assert api.get(made.headers["Location"], token).json["status"] == "ended"


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
