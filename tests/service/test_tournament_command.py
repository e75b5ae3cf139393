"""`plyscribe tournament run` and what it shows at the end, the commands that steer, and `check` and its verdict."""

from io import StringIO
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from rich.console import Console

from plyscribe.domain.chain import first_link, link_all
from plyscribe.service.cli import tournament as command
from plyscribe.service.cli.tournament import Cup, TournamentError, tournament
from plyscribe.service.client import Client
from plyscribe.service.matches.queries import export_lines
from tests.service.test_tournaments_api import TournamentOverHttp

STATE = {"tournament": "tournament-x", "status": "ended", "is_open": True, "rounds": 1, "games": 3, "decided": 3}


class Scripted:
    """A client of a service that has one tournament, in a given state."""

    def __init__(self, **state: Any) -> None:
        self._state = {**STATE, "given_up": 0, **state}

    def __enter__(self) -> "Scripted":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def tournament(self, *_: object, **__: object) -> dict[str, Any]:
        return self._state

    create_tournament = start_tournament = enter = tournament

    def standings(self, _: str) -> dict[str, Any]:
        return {"rows": [], "sprt": self._state.get("sprt")}

    def table(self, _: str) -> str:
        return "the table"


def play(monkeypatch: pytest.MonkeyPatch, **state: Any) -> str:
    """The output of the console apart from the table."""
    monkeypatch.setattr(command, "Client", lambda *_: Scripted(**state))
    shown = StringIO()
    command.play(Cup("http://x", "x", "t", {}, [], "k", Path()), Console(file=shown), Event())
    return shown.getvalue()


@pytest.mark.parametrize(("taken", "said"), [(None, "undecided"), ("elo1", "elo1 is accepted")])
def test_the_verdict_of_a_sequential_test_is_told_at_the_end(monkeypatch, taken, said):
    shown = play(monkeypatch, faults={}, sprt={"llr": 0.4, "lower": -2.94, "upper": 2.94, "taken": taken})
    assert f"sequential test: log-likelihood ratio 0.4 of -2.94..2.94: {said}\n" in shown


def test_faults_are_listed_below_the_table_and_games_that_are_given_up_end_the_command_with_an_error(monkeypatch):
    with pytest.raises(TournamentError, match="failed too often: 1"):
        play(monkeypatch, status="playing", decided=2, given_up=1, faults={"entrant": 0, "platform": 5})
    shown = play(monkeypatch, faults={"entrant": 2, "platform": 1})
    assert "faults: 2 of entrants, scored; 1 of the platform, played again: " in shown
    assert "/v1/tournaments/tournament-x/attempts?faults=true\n" in shown
    assert "faults" not in play(monkeypatch, faults={"entrant": 0, "platform": 0})


@pytest.fixture
def steer(api, parts, monkeypatch):
    """Runs `plyscribe tournament …` as Olga against the application; gives the exit code and the output."""
    cup = TournamentOverHttp(api, parts, is_open=False)

    class Connected(Client):
        def __init__(self, url: str, token: str, **_: float) -> None:
            super().__init__(url, token, transport=httpx.WSGITransport(api.app))

    monkeypatch.setattr("plyscribe.service.client.Client", Connected)

    def run(command: str, *arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(
            tournament, [command, cup.id, *arguments, "--url", "http://localhost", "--token", cup.token]
        )
        return done.exit_code, done.output

    run.tournament = cup
    return run


WHY = ("--why", "a power cut")


def test_an_account_is_invited_by_name_or_id(steer):
    assert steer("invite", "Ann", "--label", "Annie") == (0, "Ann is invited\n")
    [invitation] = steer.tournament.get()["invitations"]
    assert (invitation["player"], invitation["label"]) == (steer.tournament.ann, "Annie")
    code, shown = steer("invite", steer.tournament.ann)
    assert (code, "entrant/invited" in shown) == (1, True)


@pytest.mark.parametrize(("command", "more"), [("adjudicate", ("--ranks", "1,2")), ("forfeit", ("--entrants", "2"))])
def test_a_game_is_decided_and_annulled_by_commands(steer, command, more):
    steer.tournament.bots(2)
    steer.tournament.start()
    steer.tournament.advance()
    code, shown = steer("retry", "1-1", *WHY)
    assert (code, "tournament/not-given-up" in shown) == (1, True)
    assert steer(command, "1-1", *more, *WHY)[0] == 0
    steer.tournament.advance()
    [game] = steer.tournament.get("/rounds")["rounds"][0]["games"]
    assert (sorted(game["ranks"]), game["why"]) == ([1, 2], "a power cut")
    assert steer("annul", "1-1-1", *WHY)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("adjudicate", "1", "--ranks", "1,2", *WHY), "is not a game"),
        (("adjudicate", "1-1", "--ranks", "first", *WHY), "is not a list of numbers"),
        (("forfeit", "1-1", "--entrants", "2"), "--why"),
    ],
)
def test_what_cannot_be_read_is_refused_before_anything_is_sent(steer, arguments, expected):
    code, shown = steer(*arguments)
    assert (code, expected in shown) == (2, True)


@pytest.fixture
def export(api, parts, tmp_path) -> Path:
    """The export of a tournament whose first round is paired, as the API serves it."""
    cup = TournamentOverHttp(api, parts)
    cup.bots(3)
    cup.start()
    parts.tournaments.advance(cup.id)
    served = api.get(f"{cup.path}/events", headers={"Accept": "application/x-ndjson"})
    path = tmp_path / f"{cup.id}.ndjson"
    path.write_bytes(served.data)
    return path


def check(path: Path, *more: str) -> tuple[int, str]:
    ran = CliRunner().invoke(tournament, ["check", str(path), *more], catch_exceptions=False)
    return ran.exit_code, ran.output


def test_an_export_of_the_api_checks_under_another_name_with_its_id_and_tells_another_pairing(
    export, tmp_path, monkeypatch
):
    assert check(export) == (0, "round 1: the same pairing again\n")
    renamed = tmp_path / "cup.ndjson"
    renamed.write_bytes(export.read_bytes())
    code, told = check(renamed)
    assert (code, "'cup' is not the id of a tournament: name it with --id" in told) == (2, True)
    assert check(renamed, "--id", export.stem)[0] == 0
    code, told = check(renamed, "--id", "tournament-" + "b" * 26)
    assert (code, "line 1: this is not the first event of tournament-bbb" in told) == (2, True)
    monkeypatch.setattr("plyscribe.service.tournaments.pairing_check.pair_next", lambda _: None)
    assert check(export) == (1, "round 1: NOT the same pairing again\n")


def damage(raw: bytes, line: int, old: bytes, new: bytes) -> bytes:
    lines = raw.splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return b"".join(lines)


@pytest.mark.parametrize(
    ("spoil", "line", "why"),
    [
        (lambda raw: damage(raw, 3, b'"random"', b'"greedy"'), 3, "its hash does not follow from the lines before it"),
        (lambda raw: damage(raw, 2, b'"hash"', b'"mash"'), 2, "this is not an event with its hash"),
        (lambda raw: damage(raw, 1, b'"Cup"', b'"Mug"'), 1, "this is not the first event of"),
        (lambda raw: b"".join(raw.splitlines(keepends=True)[:-1]), 6, "the end line is missing"),
        (lambda raw: damage(raw, 7, b'"count":6', b'"count":5'), 7, "the end line is missing, or does not fit"),
        (lambda raw: raw[:-1], 7, "there is no whole end line"),
        (lambda raw: b"", 1, "there is no whole end line"),
        (lambda raw: raw.replace(b"\n", b"\r\n"), 1, "its lines end with CR LF"),
        (lambda raw: b'{"bundle":1}\n' + raw, 1, "this is a bundle of a match"),
        (lambda raw: b"\xff\xfe\n\n", 1, "this is not an event with its hash"),
        (lambda raw: damage(raw, 4, b"{", b"\n{"), 4, "this is not an event with its hash"),
    ],
)
def test_a_wrong_file_is_refused_with_the_line_at_fault(export, spoil, line, why):
    export.write_bytes(spoil(export.read_bytes()))
    code, told = check(export)
    assert code == 2
    assert f"error: {export} does not hold the events of a tournament: line {line}: " in told
    assert why in told


def test_events_that_are_made_up_are_refused_with_their_line(tmp_path):
    stream = "tournament-" + "a" * 26
    entries = link_all(first_link(stream), 1, [b'{"at":1,"by":"x","cause":"","data":{},"type":"no-such","version":1}'])
    path = tmp_path / f"{stream}.ndjson"
    path.write_bytes(b"".join(export_lines([entries])))
    code, told = check(path)
    assert (code, "line 1: event 1 has the unknown type 'no-such'" in told) == (2, True)
