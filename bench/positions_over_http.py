"""A position of a long match over HTTP, against a bare endpoint that reads the match's entries and counts them.

And the page of the match, against the match as JSON.
"""

import random

from bench.load import prepare
from bench.matches import decide_events, long_moves, store_form, stream_name
from bench.measuring import Claim, Row, Sample, compare, take_rounds, times_the_cost
from bench.rig import Rig
from plyscribe.domain.aggregate import weigh_events
from plyscribe.domain.commands import Actor
from plyscribe.service.store.port import EventStore, bucket_of
from plyscribe.service.streams.cache import MAX_CACHED_BYTES
from plyscribe.service.streams.ids import job_command

PLIES = 300
CONNECTIONS = 4
MATCHES = MAX_CACHED_BYTES // weigh_events(PLIES) + 100
"""More than a process caches, so that requests for one match after the other never hit the cache."""
REQUESTS = 600
PAGES = 150

COLD, WARM = "folded from the store", "kept in the process"
BARE = "bare endpoint, 300 entries read"
PAGE, DATA = "rendered", "the match as JSON"

CLAIMS = [
    Claim("position over HTTP, cold", "request", COLD, BARE, times_the_cost(1.3)),
    Claim("position over HTTP, warm", "request", WARM, BARE, times_the_cost(1.2)),
    Claim("page of a match, warm", "request", PAGE, DATA, times_the_cost(4)),
]


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure positions at random plies of matches of 300 plies."""
    player, _ = rig.parts.accounts.sign_up(Actor("system", "bench"), "Ann", "bot", ("play",))
    streams = _store_matches(rig.parts.store, Actor("player", player.stream))
    web, bare = rig.serve("plyscribe", "web"), rig.serve("bench.bare")
    plies = random.Random(1)

    def read(streams: list[str]) -> Sample:
        paths = [f"/v1/matches/{stream}/positions/{plies.randrange(PLIES + 1)}" for stream in streams]
        return web.run(_dealt(paths))

    def count() -> Sample:
        return bare.run(_dealt([f"/entries/{{{bucket_of(stream)}}}:ev:{stream}" for stream in streams[:REQUESTS]]))

    def look(path: str) -> Sample:
        return web.run(_dealt([f"{path}/{streams[0]}"] * PAGES))

    runs = {
        COLD: lambda: read(streams[:REQUESTS]),
        WARM: lambda: read(streams[:1] * REQUESTS),
        BARE: count,
        PAGE: lambda: look("/matches"),
        DATA: lambda: look("/v1/matches"),
    }
    return compare(take_rounds(runs, rounds), CLAIMS)


def _store_matches(store: EventStore, actor: Actor) -> list[str]:
    events = decide_events("pathagon", long_moves(PLIES), actor)
    types = [event.data.type for event in events]
    streams = [stream_name(number) for number in range(1000, 1000 + MATCHES)]
    for stream in streams:
        store.append(stream, 0, b"", store_form(stream, events), types, job_command("bench", stream))
    return streams


def _dealt(paths: list[str]) -> list[list[bytes]]:
    return [[prepare("GET", path) for path in paths[first::CONNECTIONS]] for first in range(CONNECTIONS)]
