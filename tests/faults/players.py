"""The load: players that move over HTTP, retry with their keys, race each other, and keep every receipt."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count

from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.client import Client, Json, Problem

PATIENCE_S = 180.0
"""How long a client retries. An outage that lasts longer fails the campaign."""

OPTIONS = {"size": 5, "ply_limit": 60}
RIVALS = 0.03
"""The share of moves for which two different ones are sent at the same time, for the same version."""

REPEATS = 0.03
"""The share of moves after which an earlier one is sent again, with its key."""

LOST_RACE = {"stream/version-conflict", "move/not-your-turn", "match/over", "stream/contended"}


@dataclass
class Acknowledged:
    """A move that was answered: the request, and the receipt."""

    seat: int
    move: str
    key: str
    version: int
    receipt: Json


@dataclass
class Diary:
    """What one player was told, match by match, in order."""

    matches: dict[str, list[Acknowledged]] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)
    repeats: int = 0
    races: int = 0
    otherwise: list[str] = field(default_factory=list)
    """Answers that no correct service gives."""

    longest_s: float = 0.0
    """The longest time from a request to its receipt, retries included."""

    @property
    def moves(self) -> int:
        return sum(map(len, self.matches.values()))


class Writer:
    """Two accounts that play matches against each other until it is enough."""

    def __init__(self, url: str, number: int, seed: int, enough: threading.Event) -> None:
        self.diary = Diary()
        self._url, self._name, self._enough = url, f"w{number}", enough
        self._rng = random.Random(f"{seed} {number}")

    def write(self) -> None:
        """Play. Raises what no correct service does, such as a refusal of a legal move."""
        both = [self._sign_up(f"{self._name} {name}") for name in ("Ann", "Ben")]
        clients = [Client(self._url, account["token"], retry_for_s=PATIENCE_S) for account in both]
        # A rival needs connections of its own.
        rivals = [Client(self._url, account["token"], retry_for_s=PATIENCE_S) for account in both]
        try:
            with ThreadPoolExecutor(2) as pool:
                for number in count():
                    if self._enough.is_set():
                        return
                    self._play(clients, rivals, pool, both[0]["player"], f"{self._name}-{number}")
        finally:
            for client in (*clients, *rivals):
                client.close()

    def _sign_up(self, name: str) -> Json:
        """An account of this name, also if answers get lost."""
        with Client(self._url, retry_for_s=PATIENCE_S) as anyone:
            return anyone.sign_up(name)

    def _play(self, clients: list[Client], rivals: list[Client], pool: ThreadPoolExecutor, ann: str, name: str) -> None:
        options = {**OPTIONS}
        made = clients[0].create_match("pathagon", [{"player": ann}, None], options=options, key=name)
        match, version = made["match"], clients[1].take_seat(made["match"], 2, key=name)["version"]
        rules = find_ruleset("pathagon")
        state = rules.initial_state(rules.parse_options(options), 2)
        told = self.diary.matches.setdefault(match, [])
        while isinstance(turn := rules.turn(state), Decision):
            if self._enough.is_set():
                return
            index, key = turn.seat - 1, f"{name}-{len(told)}"
            moves = [rules.format_move(state, rules.sample_move(state, self._rng.randrange)) for _ in range(2)]
            started = time.monotonic()
            if moves[0] != moves[1] and self._rng.random() < RIVALS:
                won = self._race(pool, (clients[index], rivals[index]), match, moves, version, key)
            else:
                won = Acknowledged(turn.seat, moves[0], key, version, clients[index].move(match, moves[0], key=key))
            self.diary.longest_s = max(self.diary.longest_s, time.monotonic() - started)
            told.append(won)
            version = won.receipt["version"]
            state = rules.apply_move(state, rules.parse_move(state, won.move))
            if self._rng.random() < REPEATS:
                self._repeat(clients, match, self._rng.choice(told))
        self.diary.finished.add(match)

    def _race(
        self,
        pool: ThreadPoolExecutor,
        clients: tuple[Client, Client],
        match: str,
        moves: list[str],
        version: int,
        key: str,
    ) -> Acknowledged:
        """Send both moves for one version. A compare-and-set register takes exactly one."""

        def send(number: int) -> Acknowledged | str:
            try:
                own = f"{key}-{number}"
                receipt = clients[number].move(match, moves[number], key=own, version=version)
                return Acknowledged(receipt["events"][0]["data"]["seat"], moves[number], own, version, receipt)
            except Problem as problem:
                return problem.code

        self.diary.races += 1
        results = list(pool.map(send, range(2)))
        won = [each for each in results if isinstance(each, Acknowledged)]
        lost = {each for each in results if isinstance(each, str)}
        if len(won) != 1 or not lost <= LOST_RACE:
            self.diary.otherwise.append(f"{match}: a race of two moves ended with {results}")
        return won[0]

    def _repeat(self, clients: list[Client], match: str, known: Acknowledged) -> None:
        """Send a move again that was answered before: the answer is the same."""
        # The expected version is part of a race's request, and changes nothing about a command that is stored.
        self.diary.repeats += 1
        again = clients[known.seat - 1].move(match, known.move, key=known.key)
        if again != known.receipt:
            self.diary.otherwise.append(f"{match}: the move {known.key} was answered otherwise when it was sent again")


def list_moves(events: list[Json]) -> Iterator[tuple[int, str, int, str]]:
    """The moves of a match as version, hash, seat and text."""
    for event in events:
        if event["type"] == "move-made":
            yield event["version"], event["hash"], event["data"]["seat"], event["data"]["move"]
