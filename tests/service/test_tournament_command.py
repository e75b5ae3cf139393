"""`plyscribe tournament run` against a running service: what it shows at the end."""

from io import StringIO
from threading import Event
from typing import Any

import pytest
from rich.console import Console

from plyscribe.service.cli import tournament as command
from plyscribe.service.cli.tournament import TournamentError

STATE = {"tournament": "tournament-x", "status": "ended", "rounds": 1, "games": 3, "decided": 3, "given_up": 0}


class Scripted:
    """A client of a service that has one tournament, in a given state."""

    def __init__(self, **state: Any) -> None:
        self._state = {**STATE, **state}

    def __enter__(self) -> "Scripted":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def create_tournament(self, *_: object, **__: object) -> dict[str, Any]:
        return self._state

    start_tournament = enter = create_tournament

    def tournament(self, _: str) -> dict[str, Any]:
        return self._state

    def standings(self, _: str) -> dict[str, Any]:
        return {"rows": []}

    def table(self, _: str) -> str:
        return "the table"


def play(monkeypatch: pytest.MonkeyPatch, **state: Any) -> str:
    """The output of the console apart from the table."""
    monkeypatch.setattr(command, "Client", lambda *_: Scripted(**state))
    shown = StringIO()
    command.play("http://x", "t", {}, [], "k", Console(file=shown), Event())
    return shown.getvalue()


def test_faults_are_listed_below_the_table(monkeypatch):
    shown = play(monkeypatch, faults={"entrant": 2, "platform": 1})
    assert "faults: 2 of entrants, scored; 1 of the platform, played again: " in shown
    assert "/v1/tournaments/tournament-x/attempts?faults=true\n" in shown


def test_without_faults_none_are_mentioned(monkeypatch):
    assert "faults" not in play(monkeypatch, faults={"entrant": 0, "platform": 0})


def test_games_that_are_given_up_end_the_command_with_an_error(monkeypatch):
    with pytest.raises(TournamentError, match="failed too often: 1"):
        play(monkeypatch, status="playing", decided=2, given_up=1, faults={"entrant": 0, "platform": 5})
