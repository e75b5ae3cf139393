"""`plyscribe rules check`: temporary worker processes that replay all recorded matches under a candidate ruleset.

The workers share a temporary queue on a temporary server. The service's store is only read and its queues are not
touched. However the check ends, nothing of it is left behind.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, NamedTuple, cast

from redis import Redis
from rq.job import Job

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.archive.walking import walk_streams
from plyscribe.service.config import load_ruleset
from plyscribe.service.processes.children import Child, python_command, spawn
from plyscribe.service.processes.embedded import BINARY_VARIABLE, start_server
from plyscribe.service.queues import CHECK, CHECK_JOB, SHRINK_JOB, queue_of
from plyscribe.service.store.port import EventStore

JOBS_A_WORKER = 4
"""Jobs on the queue for each worker: enough that no worker is idle, few enough to keep in memory."""

FILES_A_JOB = 32
POLL_S = 0.02
RESULT_TTL_S = 3600

DIFFERS, UNSOUND, UNREAD = "differs", "unsound", "unread"
"""Outcomes of a match: it differs under the candidate; it does not replay under its own version either; it cannot be
read."""


class CheckError(Exception):
    """The check cannot continue; the message says why."""


class Asked(NamedTuple):
    """What to check: all matches of a ruleset, under a registered version or under the ruleset at `module:NAME`."""

    ruleset: str
    version: int | None = None
    candidate: str | None = None

    def find_candidate(self) -> AnyRuleset:
        """The candidate. UnknownRuleset or ConfigError if there is none, CheckError if it is of another game."""
        if self.candidate is None:
            return find_ruleset(self.ruleset, self.version)
        candidate = load_ruleset(self.candidate, "--candidate")
        if candidate.id != self.ruleset:
            raise CheckError(f"{self.candidate} is a version of {candidate.id}, not of {self.ruleset}")
        return candidate


class Part(NamedTuple):
    """Some matches to check, as streams or files of bundles. `done` is the progress, 0 to 1, once they are checked."""

    streams: Sequence[str]
    files: Sequence[str]
    done: float


class Checked(NamedTuple):
    """The result of a part: the number of replayed matches by ruleset version, and a finding for each bad match."""

    replayed: Mapping[str, int]
    findings: Sequence[Mapping[str, Any]]
    done: float


def list_streams(store: EventStore) -> Iterator[Part]:
    """All matches of the store, including imported ones, in parts."""
    for streams, done, total in walk_streams(store, ("match", "import")):
        yield Part(streams, (), done / total)


def list_bundles(folder: Path) -> Iterator[Part]:
    """All files of the folder, sorted by name, in parts."""
    files = sorted(str(path.absolute()) for path in folder.iterdir() if path.is_file())
    for start in range(0, len(files), FILES_A_JOB):
        some = files[start : start + FILES_A_JOB]
        yield Part((), some, (start + len(some)) / len(files))


class Checkers:
    """Worker processes that run while the block does. `environ` has the settings by which they reach the store.

    `is_stopped` reports a signal to stop. KeyboardInterrupt alone is not enough: raised in a finalizer, it is lost.
    """

    def __init__(self, workers: int, environ: Mapping[str, str], is_stopped: Callable[[], bool]) -> None:
        self._is_stopped = is_stopped
        self._workers = workers
        self._environ = environ
        self._children: list[Child] = []

    def __enter__(self) -> "Checkers":
        with ExitStack() as stack:
            directory = Path(stack.enter_context(TemporaryDirectory(prefix="plyscribe-check-")))
            server = stack.enter_context(start_server(directory / "queue", os.environ.get(BINARY_VARIABLE)))
            self._connection = stack.enter_context(Redis.from_url(server.url))
            # They only read, so they can be killed at any time.
            stack.callback(self._kill)
            for number in range(1, self._workers + 1):
                launch = partial(spawn, python_command("plyscribe.workers", CHECK))
                env = {**self._environ, "RQ_REDIS_URL": server.url}
                child = Child(f"{CHECK}-{number}", launch, env, directory / f"{number}.log")
                child.start()
                self._children.append(child)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.__exit__(kind, error, at)

    def _kill(self) -> None:
        for child in self._children:
            child.kill()

    def shrink(self, asked: Asked, differing: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """For these findings, the smallest matches that go differently in the same way; none where none was found.

        CheckError and KeyboardInterrupt as by `check`.
        """
        files = [each.get("file") for each in differing]
        parts = [
            Part((), (file,), 1.0) if file else Part((each["match"],), (), 1.0)
            for each, file in zip(differing, files, strict=True)
        ]
        for each, found in zip(differing, self.check(asked, parts, SHRINK_JOB), strict=True):
            yield from ({"match": each["match"], **smallest} for smallest in found.findings)

    def check(self, asked: Asked, parts: Iterable[Part], job_name: str = CHECK_JOB) -> Iterator[Checked]:
        """The result of each part, in order. CheckError if a worker dies or fails, KeyboardInterrupt if stopped."""
        queue = queue_of(CHECK, self._connection)
        begun: deque[tuple[Part, Job]] = deque()
        for part in parts:
            job = queue.enqueue_call(
                job_name, (asked, part.streams, part.files), timeout=-1, result_ttl=RESULT_TTL_S, description=CHECK
            )
            begun.append((part, job))
            if len(begun) >= self._workers * JOBS_A_WORKER:
                yield self._finish(*begun.popleft())
        while begun:
            yield self._finish(*begun.popleft())

    def _finish(self, part: Part, job: Job) -> Checked:
        while not (job.get_status() and (job.is_finished or job.is_failed)):
            if self._is_stopped():
                raise KeyboardInterrupt
            for child in self._children:
                if child.is_dead():
                    raise CheckError(f"a worker process ended during the check:\n{_last_lines(child.log)}")
            time.sleep(POLL_S)
        result = job.latest_result()
        if result is None or result.type != result.Type.SUCCESSFUL:
            why = (result.exc_string or "").strip() if result else ""
            raise CheckError(f"a worker process failed: {why.rpartition(chr(10))[2] or 'it left no result'}")
        job.delete()
        return Checked(*cast(tuple[Any, Any], result.return_value), part.done)


def _last_lines(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-20:])


class Summary:
    """The counts of a whole check."""

    def __init__(self) -> None:
        self.replayed: Counter[str] = Counter()
        self.findings: Counter[str] = Counter()
        self.smallest: list[Mapping[str, Any]] = []
        """A smallest match for each kind of difference."""

    def add(self, checked: Checked) -> None:
        """Add the result of a part."""
        self.replayed.update(checked.replayed)
        self.findings.update(each["outcome"] for each in checked.findings)

    def dump(self, candidate: AnyRuleset) -> dict[str, Any]:
        """The counts, JSON-ready: matches replayed, in all and by version, and with each outcome; the smallest ones."""
        versions = {version: self.replayed[version] for version in sorted(self.replayed, key=int)}
        return {
            "ruleset": candidate.id,
            "version": candidate.version,
            "behaviour": candidate.behaviour,
            "replayed": self.replayed.total(),
            "versions": versions,
            **{outcome: self.findings[outcome] for outcome in (DIFFERS, UNSOUND, UNREAD)},
            "smallest": self.smallest,
        }
