"""The bytes that a stored move takes: in the store's memory, by kind of key, and in its append-only file."""

from typing import Any

from redis import Redis

from bench.matches import ANN, long_moves, stream_name
from bench.measuring import Row
from bench.rig import Rig
from plyscribe.domain.commands import CreateMatch, MakeMove
from plyscribe.domain.events import Account
from plyscribe.service.composition import Parts
from plyscribe.service.store.port import bucket_of
from plyscribe.service.streams.ids import command_of

MATCHES = 100
PLIES = 60


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure matches of 60 moves, with one append a move."""
    client = Redis.from_url(rig.store.url)
    before = _sizes(client)
    streams = [stream_name(number) for number in range(20_000, 20_000 + MATCHES)]
    for stream in streams:
        _play(rig.parts, stream)
    after = _sizes(client)
    moves = MATCHES * PLIES
    memory, disk = ((after[name] - before[name]) / moves for name in ("used_memory", "aof_current_size"))
    kinds = {kind: sum(_usage(client, kind, stream) for stream in streams) / moves for kind in ("ev", "cmd")}
    return [
        Row("a stored move in memory, all keys", f"{memory:.0f} bytes"),
        Row("· its event", f"{kinds['ev']:.0f} bytes"),
        Row("· its command", f"{kinds['cmd']:.0f} bytes"),
        Row("· its entry in the feed, until the relay trims it", f"{memory - sum(kinds.values()):.0f} bytes"),
        Row("a stored move in the append-only file", f"{disk:.0f} bytes"),
    ]


def _sizes(client: Any) -> dict[str, int]:
    return {**client.info("memory"), **client.info("persistence")}


def _usage(client: Any, kind: str, stream: str) -> int:
    used: int = client.memory_usage(f"{{{bucket_of(stream)}}}:{kind}:{stream}", samples=0)
    return used


def _play(parts: Parts, stream: str) -> None:
    account = Account(ANN.id)
    commands = [
        CreateMatch(actor=ANN, ruleset="pathagon", seats=(account, account)),
        *(MakeMove(actor=ANN, move=move) for move in long_moves(PLIES)),
    ]
    for number, command in enumerate(commands):
        asked = command_of(str(ANN), "POST", stream, str(number), b"")
        parts.matches.execute(stream, lambda _, command=command: command, asked, new=True)  # type: ignore[misc]
