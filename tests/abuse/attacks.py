"""What one account can try. Each attack goes on until it is told to stop, as fast as it can, on several connections."""

import random
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlsplit

import httpx

from plyscribe.domain.record import MEDIA_TYPE
from tests.abuse.player import Player

CONNECTIONS = 8
BUNDLE = "application/vnd.plyscribe.bundle+ndjson"
SLOW_READERS = 300


@dataclass
class Scene:
    """Where an attack happens."""

    url: str
    admin: str
    """The token of an administrator, who opens the attackers' accounts."""

    tournament: str
    """A tournament with a round of many entrants."""

    long_match: str
    """A match of thousands of plies."""

    bundles: Sequence[bytes]
    """Large bundles of matches of another server."""

    statuses: Counter[int] = field(default_factory=Counter)
    """How often the attacker got which answer."""

    attacker: Player = field(init=False)

    def begin(self, name: str) -> Player:
        """Begin with an account that has asked for nothing yet."""
        self.attacker = Player(self.url, f"Attacker {name}", opened_by=self.admin)
        self.statuses.clear()
        return self.attacker

    def send(self, who: Player, method: str, path: str, body: object = None, **more: object) -> httpx.Response | None:
        """Send a request and count its answer; None without one."""
        with suppress(httpx.TransportError):
            answer = who.send(method, path, body, **more)
            self.statuses[answer.status_code] += 1
            return answer
        return None


Attack = Callable[[Scene, Player, Iterator[int]], object]
"""One blow, with a connection of the attacker's own and numbers that no other blow gets."""


def check_rounds(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    """Have the same round paired again and again."""
    scene.send(who, "GET", f"/v1/tournaments/{scene.tournament}/rounds/1/check")


def verify(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    scene.send(who, "GET", f"/v1/matches/{scene.long_match}/verification")


def read_pages(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    scene.send(who, "GET", f"/matches/{scene.long_match}", headers={"Accept": "text/html"})


def read_contract(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    for path in ("/openapi.yaml", "/docs"):
        scene.send(who, "GET", path)


def read_events(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    scene.send(who, "GET", f"/v1/matches/{scene.long_match}/events?after={next(numbers) % 3000}&limit=1000")
    scene.send(who, "GET", f"/v1/matches/{scene.long_match}/positions/{next(numbers) % 2000}")


def create_endless(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    """Have bots play matches that hardly end."""
    body = {"ruleset": "pathagon", "options": {"ply_limit": None}, "seats": [{"bot": "random"}] * 2}
    scene.send(who, "POST", "/v1/matches", body)


def create_thinking(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    """Have bots think as hard as they can, in many matches."""
    bot = {"bot": "mcts", "playouts": 1000}
    scene.send(who, "POST", "/v1/matches", {"ruleset": "portals", "seats": [bot] * 6})


def send_faulty(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    """Import large texts that are not records."""
    text = f'[Game "pathagon"]\n\n{next(numbers)} '.encode() + b"x" * 120_000
    scene.send(who, "POST", "/v1/imports", content=text, headers={"Content-Type": MEDIA_TYPE})


def send_bundles(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    bundle = scene.bundles[next(numbers) % len(scene.bundles)]
    scene.send(who, "POST", "/v1/imports", content=bundle, headers={"Content-Type": BUNDLE})


def fork(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    scene.send(who, "POST", f"/v1/matches/{scene.long_match}/forks", {"ply": 3000 + next(numbers) % 500})


def sign_up(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    """Open accounts, and pretend to come from elsewhere."""
    number = next(numbers)
    headers = {"X_Forwarded_For": f"203.0.113.{number % 250}"}
    with closing(Player(scene.url, "", token="") if number % 2 else who.again()) as opener:
        scene.send(opener, "POST", "/v1/players", {"name": f"Sybil {number}"}, headers=headers)


def guess_tokens(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    """Try tokens of accounts that do not exist."""
    letters = "".join(random.Random(next(numbers)).choices("abcdefghijklmnopqrstuvwxyz234567", k=26))
    scene.send(who, "GET", "/v1/players/me", headers={"Authorization": f"Bearer ply_{letters}_{'A' * 43}"})


def move_wrongly(scene: Scene, who: Player, numbers: Iterator[int]) -> None:
    """Send moves that are not legal, each with a key of its own."""
    headers = {"Idempotency-Key": f"wrong-{next(numbers)}"}
    scene.send(who, "POST", f"/v1/matches/{scene.long_match}/moves", {"move": "z99"}, headers=headers)


ATTACKS: dict[str, Attack] = {
    "contract": read_contract,
    "rounds": check_rounds,
    "verification": verify,
    "pages": read_pages,
    "events": read_events,
    "faulty": send_faulty,
    "bundles": send_bundles,
    "forks": fork,
    "accounts": sign_up,
    "guesses": guess_tokens,
    "moves": move_wrongly,
    "endless": create_endless,
    "thinking": create_thinking,
}


@contextmanager
def under_attack(scene: Scene, attack: Attack) -> Iterator[None]:
    """The attack goes on while the block runs."""
    over, numbers = threading.Event(), count()

    def strike() -> None:
        with closing(scene.attacker.again()) as who:
            while not over.is_set():
                attack(scene, who, numbers)

    threads = [threading.Thread(target=strike, daemon=True) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


@contextmanager
def slow_readers(scene: Scene, path: str, number: int = SLOW_READERS) -> Iterator[Sequence[socket.socket]]:
    """So many connections that ask for something large, and do not read it, while the block runs."""
    where = urlsplit(scene.url)
    request = f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {scene.attacker.token}\r\n\r\n"
    readers = []
    try:
        for _ in range(number):
            reader = socket.create_connection((where.hostname or "", where.port or 80))
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.sendall(request.encode())
            readers.append(reader)
        yield readers
    finally:
        for reader in readers:
            reader.close()
