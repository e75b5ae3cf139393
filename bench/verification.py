"""Finished matches verified and scored by a worker, against folding them once."""

import time
from collections.abc import Sequence
from itertools import count

import psutil
from redis import Redis
from rq.serializers import JSONSerializer

from bench.matches import decide_events, random_moves, store_form, stream_name
from bench.measuring import Claim, Row, Run, Sample, compare, measure, take_rounds, times_the_cost
from bench.rig import Rig, cpu_s
from plyscribe.domain.codec import Event
from plyscribe.domain.match import Match, fold
from plyscribe.service.queues import Verification, enqueue_verifications, verify_queue
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.worker import Worker

MATCHES = {"pathagon": 32, "zhen": 256}
_numbers = count(10_000)

CLAIMS = [
    Claim(f"{id}: finished match verified and scored", "match", f"{id} verified", f"{id} folded", times_the_cost(3))
    for id in MATCHES
]


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure random matches as a worker takes them from its queue: the CPU time of worker and store."""
    runs: dict[str, Run] = {}
    for id, matches in MATCHES.items():
        recorded = [decide_events(id, random_moves(id, seed)) for seed in range(matches)]
        runs[f"{id} verified"] = _verifier(rig, recorded)
        runs[f"{id} folded"] = _folder(recorded)
    return compare(take_rounds(runs, rounds), CLAIMS)


def _verifier(rig: Rig, recorded: Sequence[Sequence[Event]]) -> Run:
    store = psutil.Process(rig.store.process.pid)

    def run() -> Sample:
        streams = [_store_match(rig, events) for events in recorded]
        ended = [Verification(stream, len(events)) for stream, events in zip(streams, recorded, strict=True)]
        connection = Redis.from_url(rig.store.url)
        start = time.process_time() + cpu_s([store])
        enqueue_verifications(verify_queue(connection), ended)
        worker = Worker([verify_queue(connection)], connection=connection, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="WARNING")
        spent = time.process_time() + cpu_s([store]) - start
        assert {rig.parts.matches.read(stream).life.status for stream in streams} == {"scored"}
        return Sample(len(streams), spent)

    return run


def _store_match(rig: Rig, events: Sequence[Event]) -> str:
    stream = stream_name(next(_numbers))
    types = [event.data.type for event in events]
    rig.parts.store.append(stream, 0, b"", store_form(stream, events), types, job_command("bench", stream))
    return stream


def _folder(recorded: Sequence[Sequence[Event]]) -> Run:
    stream = stream_name(0)
    stored = [store_form(stream, events) for events in recorded]

    def work() -> int:
        for entries in stored:
            assert fold(Match(stream), entries).life.status == "ended"
        return len(stored)

    return lambda: measure(work)
