"""An accepted move over HTTP, against a bare endpoint with one append; many in a request; lines of a connection.

Requests for moves that come at the same time are answered together, so those of eight matches share much of their cost.
What many moves in a request and lines save is therefore compared with requests of which each comes alone.
"""

import json
from itertools import count
from typing import Any
from uuid import uuid4

from bench.bare import APPENDS, STREAMS
from bench.load import prepare
from bench.matches import long_moves
from bench.measuring import Claim, Row, Sample, compare, take_rounds, times_as_fast, times_the_cost
from bench.rig import Rig
from plyscribe.domain.commands import Actor
from plyscribe.service.client import Client

CONNECTIONS = 8
SHORT_ROUNDS = 4
"""Other load on the machine makes the cost of servers vary: many short rounds give a steadier ratio."""
MOST_ROUNDS = STREAMS // CONNECTIONS // 2 - 1

OURS = "plyscribe"
BARE = "bare endpoint, one append; the same request"
EMPTY = "bare endpoint, one append; an empty request"
ALONE = "one move a request, one match at a time"
IN_ONE = "plyscribe, all moves in one request"
LINES = "plyscribe, lines of one connection"
MANY_LINES = "plyscribe, lines of one connection, 64 matches at a time"
MANY_MATCHES = 64

CLAIMS = [
    *(Claim("accepted move over HTTP", "move", OURS, bare, times_the_cost(1.25)) for bare in (BARE, EMPTY)),
    Claim("accepted move over HTTP", "move", OURS, ALONE, times_as_fast(1)),
    Claim(f"{APPENDS} moves in one request", "move", IN_ONE, ALONE, times_as_fast(10)),
    Claim("move over a standing connection, 8 matches at a time", "move", LINES, ALONE, times_as_fast(3)),
    Claim("move over a standing connection, 64 matches at a time", "move", MANY_LINES, ALONE, times_as_fast(3)),
]


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure moves of matches that are played at the same time, each over a connection of its own."""
    web, bare = rig.serve("plyscribe", "web"), rig.serve("bench.bare")
    player, token = rig.parts.accounts.sign_up(Actor("system", "bench"), "Bench", "bot", ("play",))
    moves = long_moves(APPENDS)
    numbers = count()

    def create_matches(number: int) -> list[str]:
        with Client(f"http://127.0.0.1:{web.port}", token) as client:
            seats = [{"player": player.stream}] * 2
            return [client.create_match("pathagon", seats)["match"] for _ in range(number)]

    def open_matches(number: int = CONNECTIONS) -> list[str]:
        return [f"/v1/matches/{match}/moves" for match in create_matches(number)]

    def play_by_lines(number: int) -> Sample:
        scripts = [[_say(id, match, move) for move in moves] for id, match in enumerate(create_matches(number))]
        return web.run_lines(token, scripts)

    def play(number: int) -> Sample:
        return web.run([[_post(path, token, {"move": move}) for move in moves] for path in open_matches(number)])

    def play_in_one() -> Sample:
        steps = {"steps": [{"move": move} for move in moves]}
        cpu_s = web.run([[_post(path, token, steps)] for path in open_matches()]).cpu_s
        return Sample(len(moves) * CONNECTIONS, cpu_s)

    def append() -> Sample:
        return bare.run(
            [[_post(f"/append/{next(numbers)}", token, {"move": move}) for move in moves] for _ in range(CONNECTIONS)]
        )

    def append_nothing() -> Sample:
        return bare.run([[prepare("POST", f"/append/{next(numbers)}") for _ in moves] for _ in range(CONNECTIONS)])

    runs = {OURS: lambda: play(CONNECTIONS), ALONE: lambda: play(1)}
    runs |= {BARE: append, EMPTY: append_nothing, IN_ONE: play_in_one}
    runs |= {LINES: lambda: play_by_lines(CONNECTIONS), MANY_LINES: lambda: play_by_lines(MANY_MATCHES)}
    return compare(take_rounds(runs, min(SHORT_ROUNDS * rounds, MOST_ROUNDS)), CLAIMS)


def _post(path: str, token: str, body: dict[str, Any]) -> bytes:
    headers = {"Authorization": f"Bearer {token}", "Idempotency_Key": str(uuid4())}
    return prepare("POST", path, json.dumps(body, separators=(",", ":")).encode(), **headers)


def _say(id: int, match: str, move: str) -> str:
    line = {"id": id, "match": match, "key": str(uuid4()), "body": {"move": move}}
    return json.dumps(line, separators=(",", ":"))
