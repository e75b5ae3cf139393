"""The job that shrinks matches that go differently under a candidate version of their rules. It stores nothing."""

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from plyscribe.domain.errors import DomainError
from plyscribe.domain.imported import split_address
from plyscribe.domain.proofs.candidate import find_difference
from plyscribe.domain.proofs.departure import Departure, find_departure, shrink_departure
from plyscribe.domain.proofs.trials import Walk, record_trial, trial_of
from plyscribe.domain.record import Record, format_record, record_of
from plyscribe.domain.replay import replay
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.processes.checkers import Asked
from plyscribe.service.store.port import StoreError, Stretch
from plyscribe.workers.check_matches import Found, Json, find_created, find_own, load, read_file

WITHIN_S = 60
"""All runs for one match. After that, none is found."""

RUN_TIMEOUT_S = 5
"""One run. A candidate that takes longer hangs, and is not shrunk."""


class _TooLong(Exception):
    """The time for a match is over."""


def shrink_matches(
    asked: Sequence[Any], matches: Sequence[str], files: Sequence[str]
) -> tuple[dict[str, int], list[Json]]:
    """The smallest match that goes differently in the same way, for each match for which one was found in time.

    `matches` are ids or addresses. The first part of the result is empty, as no match is counted. StoreUnavailable.
    """
    candidate = Asked(*asked).find_candidate()
    in_store = zip(matches, load([Stretch(match) for match in matches]), strict=True)
    found = chain(in_store, map(read_file, files))
    return {}, [smallest for match, entries in found if (smallest := _shrink(match, entries, candidate))]


def _shrink(match: str, found: Found, candidate: AnyRuleset) -> Json | None:
    with suppress(_TooLong, DomainError, StoreError, OSError):
        own = find_own(find_created(found))
        assert not isinstance(found, Exception)  # find_created raised it
        if own is not None and (differs := find_difference(found, candidate)):
            record = record_of(replay(split_address(match)[0], found), found, {})
            return _shrink_record(record, own, candidate, differs.kind)
    return None


def _shrink_record(record: Record, own: AnyRuleset, candidate: AnyRuleset, kind: str) -> Json | None:
    trial = trial_of(own, len(record.seats), record.options, record.steps)
    until = time.monotonic() + WITHIN_S

    def find(walked: Walk) -> Departure | None:
        if time.monotonic() > until:
            raise _TooLong
        with UnixSignalDeathPenalty(RUN_TIMEOUT_S, JobTimeoutException):  # type: ignore[no-untyped-call]
            departure = find_departure(walked, own, candidate)
        if departure and JobTimeoutException.__name__ in departure.came:
            raise _TooLong
        return departure

    result = shrink_departure(trial, own, kind, find)
    if result is None:
        return None
    shrunk, departure = result
    return {
        "ruleset_version": own.version,
        "difference": departure._asdict(),
        "steps_before": len(trial.steps),
        "runs": shrunk.runs,
        "done": shrunk.is_done,
        "record": format_record(record_trial(own, shrunk.trial)),
    }
