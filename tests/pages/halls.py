"""A club night on a real service, for tests of pages: guests at tables, rounds that are called, arbiters."""

from typing import Any

import httpx

from tests.system.running import WITHIN_S, Serving, wait_for


class ClubNight:
    """A tournament at tables, run over HTTP by the administrator of the service."""

    def __init__(self, service: Serving, name: str = "Club night", **terms: Any) -> None:
        self.token = service.admin_token
        headers = {"Authorization": f"Bearer {self.token}"}
        self._client = httpx.Client(base_url=service.url, headers=headers, timeout=WITHIN_S)
        club = {"ruleset": "zhen", "format": {"kind": "swiss", "rounds": 3}, "at_table": True, "is_open": False}
        terms = {**club, "rounds_begin": "call", **terms}
        self.id = self.send("POST", "/v1/tournaments", name=name, **terms)["tournament"]
        self.path = f"/v1/tournaments/{self.id}"
        self.page = f"/tournaments/{self.id}"

    def close(self) -> None:
        self._client.close()

    def send(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        answered = self._client.request(method, path, json=None if method == "GET" else body)
        assert answered.is_success, answered.text
        return dict(answered.json())

    def get(self, path: str = "") -> dict[str, Any]:
        return self.send("GET", self.path + path)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        return self.send("POST", self.path + path, **body)

    def guests(self, *names: str) -> None:
        for name in names:
            self.post("/entrants", guest=name)

    def begin(self) -> None:
        """Start, and have the first round paired."""
        self.post("/start")
        self.call(1)

    def call(self, round: int) -> None:
        """Call a round, and wait until its matches are made."""
        self.post("/rounds", round=round)
        wait_for(lambda: self._is_set(round), why=f"the matches of round {round}")

    def _is_set(self, round: int) -> bool:
        games = self.list_games(round)
        found = [self._client.get(f"/v1/matches/{each['match']}").status_code for each in games if each["match"]]
        return bool(games) and set(found) <= {200}

    def list_games(self, round: int) -> list[dict[str, Any]]:
        rounds = self.get("/rounds")["rounds"]
        return list(rounds[round - 1]["games"]) if len(rounds) >= round else []

    def game(self, round: int = 1, board: int = 1) -> dict[str, Any]:
        return self.list_games(round)[board - 1]

    def moves(self, round: int = 1, board: int = 1) -> list[str]:
        return list(self.send("GET", f"/v1/matches/{self.game(round, board)['match']}")["moves"])

    def move(self, move: str) -> None:
        self.send("POST", f"/v1/matches/{self.game()['match']}/moves", move=move)

    def list_events(self) -> list[dict[str, Any]]:
        return list(self.send("GET", f"/v1/matches/{self.game()['match']}/events")["events"])

    def code(self, round: int = 1, board: int = 1, seat: int = 0) -> str:
        """The address of the page of a table, or of a seat there."""
        codes = self.post(f"/rounds/{round}/codes", board=board, seats=seat > 0)["codes"]
        return next(str(each["url"]) for each in codes if each["seat"] == seat)

    def report_all(self, round: int, *ranks: int) -> None:
        for game in self.list_games(round):
            if game["ranks"] is None:
                self.post("/results", round=round, board=game["board"], ranks=list(ranks or (1, 2)))
