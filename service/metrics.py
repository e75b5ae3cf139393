"""The metrics of the processes: what they count and time. Only this module imports prometheus_client.

With PROMETHEUS_MULTIPROC_DIR set, every process keeps its numbers in files in that directory, and any process can
report the sum of all. Without it, a process reports its own. The library reads the variable when it is imported.
With PLYSCRIBE_METRICS_PORT set, a worker or relay reports them there.
"""

import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, start_http_server, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

DIRECTORY_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def _identify() -> str:
    """What no other process that counts into the directory has: containers that share one have the same process ids."""
    return f"{_MACHINE}-{os.getpid()}"


_MACHINE = socket.gethostname().replace("_", "-")


def share_numbers() -> None:
    """Keep the numbers of this process, and of those that it forks, in the directory of DIRECTORY_VARIABLE.

    Call this before anything is counted. Where the variable is set when this module is imported, it has been called.
    """
    # By default, every change of a number asks the system for the process id, which costs more than the change itself.
    identity = [_identify()]
    os.register_at_fork(after_in_child=lambda: identity.__setitem__(0, _identify()))
    values.ValueClass = values.MultiProcessValue(lambda: identity[0])  # type: ignore[no-untyped-call]
    # A container that is started again has the same process ids. Its counters go on, its streams are closed.
    for stale in Path(os.environ[DIRECTORY_VARIABLE]).glob(f"gauge_live*_{identity[0]}.db"):
        stale.unlink(missing_ok=True)


if DIRECTORY_VARIABLE in os.environ:
    share_numbers()
CONTENT_TYPE = CONTENT_TYPE_LATEST

REQUEST_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
APPEND_BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 3.0)
JOB_BUCKETS = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 100.0, 300.0)
WEBHOOK_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

METHODS = {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
"""The methods that get a label of their own. All others share one, because clients may invent any number."""

_OURS = CollectorRegistry()


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(f"plyscribe_{name}", text, ("process", *labels), registry=_OURS)


def _histogram(name: str, text: str, buckets: Iterable[float], *labels: str) -> Histogram:
    return Histogram(f"plyscribe_{name}", text, ("process", *labels), registry=_OURS, buckets=tuple(buckets))


_STARTS = _counter("process_starts", "Processes started.")
_APPEND_SECONDS = _histogram(
    "append_seconds", "Time the store took to answer an append.", APPEND_BUCKETS, "kind", "outcome"
)
_REFUSALS = _counter("refusals", "Problem documents sent.", "code")
_REQUEST_SECONDS = _histogram(
    "request_seconds", "Time until the response began.", REQUEST_BUCKETS, "method", "route", "status"
)
_JOB_SECONDS = _histogram("job_seconds", "Time that jobs took.", JOB_BUCKETS, "job", "outcome")
_BATCHES = _counter("relay_batches", "Feed batches relayed.")
_ENTRIES = _counter("relay_entries", "Feed entries relayed.")
_SEALED_MATCHES = _counter("sealed_matches", "Matches sealed.")
_SEALED_EVENTS = _counter("sealed_events", "Events of sealed matches.")
_WEBHOOK_SECONDS = _histogram("webhook_seconds", "Time that posts to webhooks took.", WEBHOOK_BUCKETS, "outcome")
_LINES = _counter("connection_lines", "Lines of standing connections answered.", "to", "status")
_CONNECTIONS = Gauge(
    "plyscribe_connections", "Standing connections.", ("process",), registry=_OURS, multiprocess_mode="livesum"
)
_FOLLOWERS = Gauge("plyscribe_followers", "Open streams.", ("process",), registry=_OURS, multiprocess_mode="livesum")


class _Process:
    """The kind of this process (web, relay, verify, ..), which labels everything that it counts."""

    kind = "other"


def begin(kind: str) -> None:
    """Count under this kind of process from now on, and count its start."""
    _Process.kind = kind
    for resolved in (_append, _refusal, _request, _job, _relay, _followers, _connections, _line, _webhook):
        resolved.cache_clear()
    if directory := os.environ.get(DIRECTORY_VARIABLE):
        Path(directory).mkdir(mode=0o700, parents=True, exist_ok=True)
    _STARTS.labels(kind).inc()


def note_append(stream: str, outcome: str, seconds: float) -> None:
    """Count the store's answer to an append, with the time it took."""
    _append(stream.partition("-")[0], outcome).observe(seconds)


def note_refusal(code: str) -> None:
    """Count a problem document."""
    _refusal(code).inc()


def note_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request under the template of its route, with the time until its response began."""
    _request(method if method in METHODS else "other", route, status).observe(seconds)


def note_job(job: str, outcome: str, seconds: float) -> None:
    """Count a job, with the time it took."""
    _job(job, outcome).observe(seconds)


def note_webhook(outcome: str, seconds: float) -> None:
    """Count a post to a webhook, `delivered` or `failed`, with the time it took."""
    _webhook(outcome).observe(seconds)


def note_sealed(matches: int, events: int) -> None:
    """Count what left the store's memory for the archive."""
    of_matches, of_events = _sealed()
    of_matches.inc(matches)
    of_events.inc(events)


def note_relayed(entries: int) -> None:
    """Count a batch of the feed and its entries."""
    batches, all_entries = _relay()
    batches.inc()
    all_entries.inc(entries)


def change_followers(by: int) -> None:
    """Count live streams that were opened (positive) or closed (negative)."""
    _followers().inc(by)


def change_connections(by: int) -> None:
    """Count standing connections that were opened (positive) or closed (negative)."""
    _connections().inc(by)


def note_line(to: str, status: int) -> None:
    """Count an answer to a line of a standing connection."""
    _line(to, status).inc()


# Cached, because finding a labelled child takes longer than counting on it.
@cache
def _append(kind: str, outcome: str) -> Histogram:
    return _APPEND_SECONDS.labels(_Process.kind, kind, outcome)


@cache
def _refusal(code: str) -> Counter:
    return _REFUSALS.labels(_Process.kind, code)


@cache
def _request(method: str, route: str, status: int) -> Histogram:
    return _REQUEST_SECONDS.labels(_Process.kind, method, route, status)


@cache
def _job(job: str, outcome: str) -> Histogram:
    return _JOB_SECONDS.labels(_Process.kind, job, outcome)


@cache
def _webhook(outcome: str) -> Histogram:
    return _WEBHOOK_SECONDS.labels(_Process.kind, outcome)


@cache
def _sealed() -> tuple[Counter, Counter]:
    return _SEALED_MATCHES.labels(_Process.kind), _SEALED_EVENTS.labels(_Process.kind)


@cache
def _relay() -> tuple[Counter, Counter]:
    return _BATCHES.labels(_Process.kind), _ENTRIES.labels(_Process.kind)


@cache
def _followers() -> Gauge:
    return _FOLLOWERS.labels(_Process.kind)


@cache
def _connections() -> Gauge:
    return _CONNECTIONS.labels(_Process.kind)


@cache
def _line(to: str, status: int) -> Counter:
    return _LINES.labels(_Process.kind, to, status)


class Reading(NamedTuple):
    """A number that is looked up when the metrics are read."""

    name: str
    text: str
    value: float
    labels: dict[str, str] = {}  # noqa: RUF012


def render_metrics(read: Callable[[], Iterable[Reading]]) -> bytes:
    """All numbers in Prometheus' text format: those that the processes counted, and those that `read` looks up now."""
    registry = _collect_counted()
    registry.register(_Looked(read))
    return generate_latest(registry)


def serve_metrics(host: str, port: int) -> None:
    """Answer every request at this address, in threads, with what render_metrics has of the processes. OSError."""
    start_http_server(port, host, _collect_counted())


def _collect_counted() -> CollectorRegistry:
    registry = CollectorRegistry()
    if directory := os.environ.get(DIRECTORY_VARIABLE):
        _forget_dead(Path(directory))
        MultiProcessCollector(registry, directory)  # type: ignore[no-untyped-call]
    else:
        registry.register(_OURS)
    return registry


def _forget_dead(directory: Path) -> None:
    """Drop the gauges of processes of this machine that are gone. Their counters stay."""
    for file in directory.glob(f"gauge_live*_{_MACHINE}-*.db"):
        if not _runs(int(file.stem.rpartition("-")[2])):
            file.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
    return True


class _Looked(Collector):
    def __init__(self, read: Callable[[], Iterable[Reading]]) -> None:
        self._read = read

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        families: dict[str, GaugeMetricFamily] = {}
        for name, text, value, labels in self._read():
            family = families.setdefault(name, GaugeMetricFamily(f"plyscribe_{name}", text, labels=list(labels)))
            family.add_metric(list(labels.values()), value)
        yield from families.values()
