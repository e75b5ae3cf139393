"""`python -m bench.archive [--matches N]`: what sealed matches cost, and whether they read as before.

First, random matches of all games are packed: as bots play them, with many moves of a command, and as people send them
over HTTP, with a command for each move. Then a service with N short matches, verified and scored as workers do it, is
sealed as a whole; every match is verified from the packs, and answers before and after are compared.
"""

import json
import logging
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
import httpx
import psutil
from redis import Redis
from rich import box
from rich.console import Console
from rich.table import Table

from bench.growth import used_bytes
from bench.matches import store_form, stream_name
from bench.rig import Rig, Web, cpu_s
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Actor, Command, CreateMatch, MakeMove, Secret, StartMatch, TakeSeat, Withdraw
from plyscribe.domain.decide import decide
from plyscribe.domain.dice import commit
from plyscribe.domain.events import Account, MatchRefuted, ServerDice
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.match import Match, evolve, fold
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.verification import execute_again
from plyscribe.service.archive.packs import Labelled
from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.sealing import (
    MOST_STREAMS,
    find_dictionaries,
    find_label,
    is_sound,
    load_kept,
    place_in,
    seal_streams,
    write_pack,
)
from plyscribe.service.archive.storage import Archive
from plyscribe.service.archive.stream_columns import Kept
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import Append, CommandKey, Remembered, Sealing
from plyscribe.service.store.redis import connect_server
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.relay import open_relay
from plyscribe.workers.verify_match import verify_all

DICE = {"crystals": 4, "portals": 2, "rings": 2}
"""Games with dice, and how many seats play them here."""

GAMES = ("crystals", "pathagon", "portals", "rings", "zhen")
PLIES = 120
"""The most plies of a match."""

MATCHES_A_GAME = 300
BATCH = 40
"""Moves of a command of bots."""

AT_ONCE = 500
SAMPLE = 250
"""Matches whose answers are compared: four answers each."""

SHOWN = 40
"""The ply of the positions that are asked for; few matches are shorter."""

ROUNDS = 5
HOUR_MS = 3_600_000
ANN, BEN = Actor("player", "player-" + "a" * 26), Actor("player", "player-" + "b" * 26)


class Times:
    """The times and ids of the commands of a match."""

    def __init__(self, number: int, by_bots: bool) -> None:
        self._rng = random.Random(number)
        self._by_bots = by_bots
        self._at = now_ms() - 100 * HOUR_MS + self._rng.randrange(HOUR_MS)
        self._count = 0
        self._id = ""

    def base(self, actor: Actor) -> dict[str, Any]:
        """What the next command has."""
        if not self._by_bots or self._count % BATCH == 0:
            self._id = self._rng.randbytes(16).hex()
            self._at += self._rng.randrange(800, 60_000)
        self._count += 1
        return {"actor": actor, "at": self._at, "id": self._id}


def play(number: int, game: str, by_bots: bool, digest: Callable[[bytes], bytes]) -> Kept:
    """A random match, as the store has it after at most PLIES plies."""
    ruleset, rng, times, secret = find_ruleset(game), random.Random(number), Times(number, by_bots), bytes(32)
    match, events = Match(stream_name(number)), list[Event]()

    def carry_out(command: Command) -> None:
        nonlocal match
        for event in decide(command, match):
            match = evolve(match, event)
            events.append(event)

    people = [Account(actor.id) for actor in (ANN, BEN)]
    seats = tuple(people[seat % 2] for seat in range(DICE.get(game, 2)))
    more: dict[str, Any] = {}
    if game in DICE:
        more = {"dice": ServerDice(match.stream, commit(secret), "0" * 16), "start": "call"}
    carry_out(CreateMatch(**times.base(ANN), ruleset=game, seats=seats, server="plyscribe", **more))
    for seat, person in enumerate(seats, 1):
        if person != people[0]:
            carry_out(TakeSeat(**times.base(BEN), seat=seat))
    if game in DICE:
        carry_out(StartMatch(**times.base(ANN), secret=Secret(secret)))
    while (state := match.play) and match.life.status == "playing" and state.ply < PLIES:
        turn = ruleset.turn(state.state)
        assert isinstance(turn, Decision)
        move = ruleset.format_move(state.state, ruleset.sample_move(state.state, rng.randrange))
        actor = (ANN, BEN)[(turn.seat - 1) % 2]
        carry_out(MakeMove(**times.base(actor), move=move, secret=Secret(secret) if game in DICE else None))
    return keep(match.stream, events, digest)


def keep(stream: str, events: Sequence[Event], digest: Callable[[bytes], bytes]) -> Kept:
    """The stream of these events, with a command for each cause."""
    stored, versions = store_form(stream, events), dict[str, list[int]]()
    for event in events:
        versions.setdefault(event.cause, []).append(event.version)
    commands = [
        Remembered(CommandKey(bytes.fromhex(cause), digest(stored[its[0] - 1].e)), its[0], its[-1])
        for cause, its in versions.items()
    ]
    return Kept(stream, stored, commands)


def digest_usual(event: bytes) -> bytes:
    """The digest of the request for a move, as our clients and pages write it."""
    move = event.partition(b'{"move":"')[2].partition(b'"')[0]
    return sha256(b'{"move":"%b"}' % move if move else event).digest()[:8]


def digest_own(event: bytes) -> bytes:
    """The digest of a request that is written in a way of its own."""
    return sha256(b"other" + event).digest()[:8]


def digest_none(_: bytes) -> bytes:
    """The digest of a job, which has no request."""
    return bytes(8)


# ------------------------------------------------------------------------------------------------------- bytes and time


class Size(NamedTuple):
    """Matches of one game, played in one way."""

    game: str
    way: str
    moves: int
    bytes_a_move: float
    seal_us: float
    fold_us: float
    verify_us: float
    again_us: float


WAYS: dict[str, tuple[bool, Callable[[bytes], bytes]]] = {
    "bots": (True, digest_none),
    "HTTP": (False, digest_usual),
    "HTTP, odd requests": (False, digest_own),
}


def measure_game(game: str, way: str) -> Size:
    """Seal matches of a game, read them back, verify them, and fold the same events."""
    by_bots, digest = WAYS[way]
    matches = [play(number, game, by_bots, digest) for number in range(MATCHES_A_GAME)]
    events = sum(len(kept.events) for kept in matches)
    moves = sum(b'"type":"move-made"' in event.e for kept in matches for event in kept.events)
    with tempfile.TemporaryDirectory(prefix="plyscribe-bench-") as folder:
        archive = Archive(Path(folder).as_uri())
        find_dictionaries(archive, [Labelled(find_label(kept.events), kept) for kept in matches])
        pack = write_pack(archive, matches)

        def seal() -> None:
            assert all(map(is_sound, matches))
            write_pack(archive, matches)

        def read_all() -> None:
            for _, block in archive.open_blocks(pack.name):
                for number in range(len(block.streams)):
                    block.read(number)

        def read_and_execute() -> None:
            for _, block in archive.open_blocks(pack.name):
                for number, stream in enumerate(block.streams):
                    fold(Match(stream), block.read_events(number))

        costs = [
            _cost(each, events)
            for each in (
                seal,
                lambda: [fold(Match(kept.stream), kept.events) for kept in matches],
                read_all,
                read_and_execute,
            )
        ]
        size = len(pack.data)
    return Size(game, way, moves, size / moves, *costs)


def _cost(do: Callable[[], object], units: int) -> float:
    """Microseconds of CPU of a unit: the median of some runs."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        do()
        found.append((time.process_time() - start) / units * 1e6)
    return median(found)


def measure_positions() -> tuple[float, float]:
    """How many times longer a position of a match takes, cold, if the match is sealed.

    First in a process that has read the pack's table before, then in one that knows nothing of the archive.
    """
    played = (play(number, "pathagon", False, digest_usual) for number in range(1000, 1060))
    matches = [kept for kept in played if len(kept.events) > SHOWN + 10]
    store = MemoryStore()
    with tempfile.TemporaryDirectory(prefix="plyscribe-bench-") as folder:
        address = Path(folder).as_uri()
        archive = Archive(address)
        filled = [Append(k.stream, 0, b"", k.events, ["x"], k.commands[0].command) for k in matches]
        store.append_all(filled)
        sealed = MemoryStore()
        sealed.append_all(filled)
        loaded = load_kept(sealed, [kept.stream for kept in matches])
        pack = write_pack(archive, loaded)
        done = sealed.seal(
            [Sealing(k.stream, len(k.events), k.head, len(k.commands), place_in(pack, k.stream)) for k in loaded]
        )
        assert all(done)

        def ask(make: Callable[[], Any]) -> float:
            return _cost(
                lambda: [position_at(Handler(make(), MATCH).read(kept.stream), SHOWN) for kept in matches], len(matches)
            )

        known = SealedStore(sealed, Archive(address))
        in_memory = ask(lambda: SealedStore(store, None))
        return ask(lambda: known) / in_memory, ask(lambda: SealedStore(sealed, Archive(address))) / in_memory


# ------------------------------------------------------------------------------------------------------ a whole service


def measure_service(size: int) -> dict[str, Any]:
    """Seal a service with so many matches, verify every match from the packs, and compare answers."""
    with Rig() as rig, tempfile.TemporaryDirectory(prefix="plyscribe-bench-") as folder:
        address = Path(folder).as_uri()
        assert rig.store is not None
        os.environ |= {"PLYSCRIBE_ARCHIVE": address, "PLYSCRIBE_SEAL_AFTER": "never"}
        client = connect_server(rig.store.url)
        relay = open_relay(rig.parts, client, Redis.from_url(rig.store.url))
        relay.step(block_ms=0)
        before = used_bytes(client)
        matches = [stream for some in _fill(rig.parts, size) for stream in some]
        _follow(relay, client)
        full = used_bytes(client)
        some = random.Random(1).sample(matches, min(SAMPLE, size))
        asked = _ask_all(rig.serve("plyscribe", "web"), some)
        retries = _retry(rig.parts, some)
        archive = rig.parts.archive
        assert archive is not None
        store, sealed_events = psutil.Process(rig.store.process.pid), 0
        start = time.process_time() + cpu_s([store])
        for place in range(0, size, MOST_STREAMS):
            outcome = seal_streams(rig.parts.store, archive, matches[place : place + MOST_STREAMS])
            sealed_events += outcome.events
        seal_s = time.process_time() + cpu_s([store]) - start
        assert not rig.parts.store.within.streams()
        _follow(relay, client)
        client.memory_purge()
        after = used_bytes(client)
        start = time.process_time()
        verified, wrong = _verify(archive)
        verify_s = time.process_time() - start
        same = _ask_all(rig.serve("plyscribe", "web"), some) == asked and _retry(rig.parts, some) == retries
        packed = sum(pack.size for pack in archive.list_packs())
        return {
            "matches": size,
            "events": sealed_events,
            "store before anything, MB": before / 1e6,
            "store with all matches in memory, MB": full / 1e6,
            "store with all matches sealed, MB": after / 1e6,
            "store, bytes a sealed match": (after - before) / size,
            "of these, the place alone": _places_bytes(client) / size,
            "archive, MB": packed / 1e6,
            "archive, bytes an event": packed / sealed_events,
            "sealing with the store, us CPU an event": seal_s / sealed_events * 1e6,
            "verified from the packs": verified,
            "of these, wrong": wrong,
            "verification, us CPU an event": verify_s / sealed_events * 1e6,
            "answers and retries compared": len(asked) + len(retries),
            "all the same before and after": same,
        }


def _fill(parts: Parts, size: int) -> Iterator[list[str]]:
    """Append, verify and score short matches of zhen, by parts; yields their ids."""
    numbers = iter(range(size))
    while some := list(islice(numbers, AT_ONCE)):
        matches = [_play_short(number, size) for number in some]
        for ply in range(max(len(kept.commands) for kept in matches)):
            parts.store.append_all([_append(kept, kept.commands[ply]) for kept in matches if ply < len(kept.commands)])
        statuses = verify_all(parts, [(kept.stream, len(kept.events)) for kept in matches])
        assert set(statuses) <= {"scored", "verified"}
        yield [kept.stream for kept in matches]


def _append(kept: Kept, remembered: Remembered) -> Append:
    command, first, last = remembered
    head = kept.events[first - 2].h if first > 1 else b""
    events = kept.events[first - 1 : last]
    return Append(kept.stream, first - 1, head, events, [json.loads(event.e)["type"] for event in events], command)


def _play_short(number: int, size: int) -> Kept:
    """An unrated match of a few moves, which one side resigns."""
    rng, times = random.Random(number), Times(number, by_bots=False)
    players = [Actor("player", f"player-{stream_name(rng.randrange(size // 20 + 10))[6:]}") for _ in range(2)]
    seats = tuple(Account(player.id) for player in players)
    match, events = Match(stream_name(number)), list[Event]()

    def carry_out(command: Command) -> None:
        nonlocal match
        for event in decide(command, match):
            match = evolve(match, event)
            events.append(event)

    carry_out(CreateMatch(**times.base(players[0]), ruleset="zhen", seats=seats, server="plyscribe"))
    if players[0] != players[1]:
        carry_out(TakeSeat(**times.base(players[1]), seat=2))
    for ply, tile in enumerate(rng.sample(range(1, 9), rng.randrange(3, 9))):
        carry_out(MakeMove(**times.base(players[ply % 2]), move=f"+{tile}"))
    carry_out(Withdraw(**times.base(players[0]), seat=1, cause="resigned"))
    return keep(match.stream, events, digest_usual)


def _follow(relay: Any, client: Redis) -> None:
    feed = FeedGroup(client)
    while feed.lag():
        relay.step(block_ms=0)
    feed.trim(0)


def _ask_all(web: Web, matches: Sequence[str]) -> list[tuple[str, int, bytes]]:
    """The answers of a web process about these matches."""
    found = []
    with httpx.Client(base_url=f"http://127.0.0.1:{web.port}", timeout=30) as client:
        for match in matches:
            for path in ("/positions/2", "/bundle", "/record", "/events"):
                got = client.get(f"/v1/matches/{match}{path}")
                found.append((f"{match}{path}", got.status_code, got.content))
    return found


def _retry(parts: Parts, matches: Sequence[str]) -> list[Any]:
    """What is answered if the commands of these matches are sent again."""
    found = []
    for stream, remembered in zip(matches, parts.store.commands(matches), strict=True):
        found += [parts.store.load(stream, 0, each.command).command for each in remembered]
    return found


def _verify(archive: Archive) -> tuple[int, int]:
    verified = wrong = 0
    for pack in archive.list_packs():
        for _, block in archive.open_blocks(pack.name):
            for number, stream in enumerate(block.streams):
                verdict, _ = execute_again(stream, block.read_events(number))
                verified, wrong = verified + 1, wrong + isinstance(verdict, MatchRefuted)
    return verified, wrong


def _places_bytes(client: Redis) -> int:
    return sum(client.memory_usage(key, samples=0) or 0 for key in client.scan_iter("*:sealed:*", count=1000))


# --------------------------------------------------------------------------------------------------------- the command


@click.command()
@click.option("--matches", type=click.IntRange(100), default=2000, show_default=True, help="Matches of the service.")
@click.option("--only-service", is_flag=True, help="Leave out the games.")
def main(matches: int, only_service: bool) -> None:
    """Measure the archive, and print tables."""
    logging.disable(logging.WARNING)
    console = Console(width=150)
    if not only_service:
        table = Table(
            "game", "played by", "moves", "bytes a move", "seal", "fold", "read", "read and fold", box=box.SIMPLE
        )
        for game in GAMES:
            for way in WAYS:
                size = measure_game(game, way)
                costs = [f"{cost:.2f} µs ({cost / size.fold_us:.2f})" for cost in size[4:]]
                table.add_row(game, way, f"{size.moves:,}", f"{size.bytes_a_move:.1f}", *costs)
        console.print(table)
        known, unknown = measure_positions()
        console.print(f"a position at ply {SHOWN}, cold, if sealed: {known:.2f} times the time, {unknown:.2f} at first")
    table = Table("a service", "", box=box.SIMPLE)
    for name, value in measure_service(matches).items():
        table.add_row(name, f"{value:,.1f}" if isinstance(value, float) else str(value))
    console.print(table)


if __name__ == "__main__":
    os.environ.setdefault("PLYSCRIBE_ALLOWANCES_FOR", "none")
    sys.exit(main())
