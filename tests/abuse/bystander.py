"""Somebody who plays while others attack: moves, reads, games against a bot, and a look at the service's health."""

import time
from itertools import cycle

import httpx

from tests.abuse.player import Player

BOT_WITHIN_S = 60.0
STEPS_PER_S = 25
"""A lively evening: some ten people who play and look. Allowances hold for the bystander too."""


class Bystander:
    """An account that plays in the order of a fixed script, one request after another."""

    def __init__(self, url: str) -> None:
        self._player = Player(url, "Bystander")
        self._steps = cycle([self._move, self._move, self._read, self._move, self._move, self._look, self._ask_bot])
        self._me = {"player": self._player.id}
        self._match, self._with_bot = self._begin(self._me), self._begin({"bot": "random"})
        self.slowest_bot_s = 0.0

    def close(self) -> None:
        self._player.close()

    def play(self, for_s: float) -> int:
        """Play for so long, and return how many answers came. AssertionError if one is a refusal."""
        begun, answers = time.monotonic(), 0
        while time.monotonic() < begun + for_s:
            next(self._steps)()
            answers += 1
            time.sleep(max(0.0, begun + answers / STEPS_PER_S - time.monotonic()))
        return answers

    def _begin(self, opponent: dict[str, str]) -> str:
        body = {"ruleset": "pathagon", "seats": [self._me, opponent]}
        return str(self._get("POST", "/v1/matches", body)["match"])

    def _move(self) -> None:
        move = self._legal(self._match)
        if move is None:
            self._match = self._begin(self._me)
            move = self._legal(self._match)
        self._get("POST", f"/v1/matches/{self._match}/moves", {"move": move})

    def _legal(self, match: str) -> str | None:
        moves = self._get("GET", f"/v1/matches/{match}/legal-moves?limit=1")["moves"]
        return str(moves[0]) if moves else None

    def _read(self) -> None:
        self._get("GET", f"/v1/matches/{self._match}")

    def _look(self) -> None:
        self._get("GET", "/healthz")

    def _ask_bot(self) -> None:
        """Make a move, and wait until the bot has made its own."""
        move = self._legal(self._with_bot)
        if move is None:
            self._with_bot = self._begin({"bot": "random"})
            move = self._legal(self._with_bot)
        version = self._get("POST", f"/v1/matches/{self._with_bot}/moves", {"move": move})["version"]
        begun = time.monotonic()
        while not self._is_answered(version):
            assert time.monotonic() < begun + BOT_WITHIN_S, "the bot does not answer"
        self.slowest_bot_s = max(self.slowest_bot_s, time.monotonic() - begun)

    def _is_answered(self, version: int) -> bool:
        path = f"/v1/matches/{self._with_bot}/events?after={version}&wait=20"
        return bool(self._get("GET", path)["events"])

    def _get(self, method: str, path: str, body: object = None) -> dict[str, object]:
        answer = self._player.send(method, path, body)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        found: dict[str, object] = answer.json()
        return found


def is_healthy(url: str) -> bool:
    return httpx.get(f"{url}/healthz", timeout=30).is_success
