"""A relay that is far behind, against the least that it could do: read the feed, and its events, once."""

import secrets
import time
from collections.abc import Callable, Sequence
from itertools import count

import psutil
from redis import Redis

from bench.matches import decide_events, long_moves, store_form, stream_name
from bench.measuring import Claim, Row, Run, Sample, compare, take_rounds, times_the_cost
from bench.rig import Rig, cpu_s
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor
from plyscribe.domain.match import Match, fold
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import Append, CommandKey, FeedEntry, Stretch
from plyscribe.service.store.redis import connect_server
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.relay import BATCH, Relay, make_duties

MATCHES = 100
PLIES = 30
"""The matches that go on at the same time, with one account each, and how many plies the relay is behind in each."""

OURS = "relay"
READING = "feed read, events read and folded"

CLAIMS = [Claim("relay, far behind", "entry", OURS, READING, times_the_cost(2.5))]

_numbers = count(30_000)


class _Feed(FeedGroup):
    """A feed that knows how many entries the last read returned."""

    size = 0

    def read(self, count: int, block_ms: int = 0) -> list[FeedEntry]:
        entries = super().read(count, block_ms)
        self.size = len(entries)
        return entries


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure the CPU time of relay and store for each move that was appended while no relay ran."""
    client = connect_server(rig.store.url)
    feed = _Feed(client)
    feed.ensure()
    duties = make_duties(rig.parts, feed, client, Redis.from_url(rig.store.url))
    [projector] = [duty for duty in duties if isinstance(duty, Projector)]
    relay = Relay(feed, duties)
    accounts = [_sign_up(rig, number) for number in range(MATCHES)]
    while not rig.parts.lists.lag().complete:
        # It builds the lists once, in a thread.
        relay.step(block_ms=0)

    def follow(position: str = "") -> None:
        relay.step(block_ms=0)
        while feed.size or projector.places != feed.places():
            relay.step(block_ms=0)

    runs = {OURS: _measured(rig, follow, follow, accounts), READING: _measured(rig, follow, _reader(rig), accounts)}
    return compare(take_rounds(runs, rounds), CLAIMS)


def _sign_up(rig: Rig, number: int) -> str:
    player, _ = rig.parts.accounts.sign_up(Actor("system", "bench"), f"Relayed {number}", "bot", ("play",))
    return player.stream


def _measured(rig: Rig, settle: Callable[[], object], follow: Callable[[str], object], accounts: Sequence[str]) -> Run:
    """Measure `follow` on new moves, after this position; `settle` takes in what others have appended before."""
    store = psutil.Process(rig.store.process.pid)

    def run() -> Sample:
        settle()
        position = rig.parts.store.feed_end()
        appended = _append_all(rig, accounts)
        start = time.process_time() + cpu_s([store])
        follow(position)
        return Sample(appended, time.process_time() + cpu_s([store]) - start)

    return run


def _reader(rig: Rig) -> Callable[[str], object]:
    def follow(position: str) -> None:
        states: dict[str, Match] = {}
        while (tail := rig.parts.store.tail(position, BATCH)).entries:
            position = tail.position
            ends = {entry.stream: entry.last for entry in tail.entries}
            known = [states.get(stream) or Match(stream) for stream in ends]
            stretches = [Stretch(match.stream, match.version, ends[match.stream]) for match in known]
            for match, events in zip(known, rig.parts.store.load_all(stretches), strict=True):
                states[match.stream] = fold(match, events)

    return follow


def _append_all(rig: Rig, accounts: Sequence[str]) -> int:
    """Store new matches, with a move in each in turn, and return the number of appends."""
    moves = long_moves(PLIES)
    matches = [_record(next(_numbers), account, moves) for account in accounts]
    for ply in range(PLIES + 1):
        rig.parts.store.append_all([match[ply] for match in matches])
    return MATCHES * (PLIES + 1)


def _record(number: int, account: str, moves: Sequence[str]) -> list[Append]:
    """The appends of a match: one up to its start, then one for each move."""
    stream = stream_name(number)
    events = decide_events("pathagon", moves, Actor("player", account))
    stored, begun = store_form(stream, events), len(events) - PLIES
    pieces: list[Sequence[StoredEvent]] = [stored[:begun], *([each] for each in stored[begun:])]
    appends, version, head = [], 0, b""
    for piece in pieces:
        types = [event.data.type for event in events[version : version + len(piece)]]
        command = CommandKey(secrets.token_bytes(16), secrets.token_bytes(8))
        appends.append(Append(stream, version, head, piece, types, command))
        version, head = version + len(piece), piece[-1].h
    return appends
