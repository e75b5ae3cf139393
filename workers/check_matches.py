"""The job that replays matches under a candidate version of their rules. It stores nothing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.errors import DomainError, FoldError, UnknownRuleset
from plyscribe.domain.events import MatchCreated
from plyscribe.domain.proofs.candidate import find_difference
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.processes.checkers import DIFFERS, UNREAD, UNSOUND, Asked
from plyscribe.service.store.port import StoreError, StoreUnavailable, Stretch
from plyscribe.workers.parts import process_parts

MATCH_TIMEOUT_S = 60
"""A candidate that takes longer than this over one match has failed."""

STREAMS_AT_ONCE = 16

Json = dict[str, Any]
Found = Sequence[StoredEvent] | Exception
"""A match's events, or why they cannot be read."""


def check_matches(
    asked: Sequence[Any], streams: Sequence[str], files: Sequence[str]
) -> tuple[dict[str, int], list[Json]]:
    """How many matches of the ruleset were replayed, by ruleset version, and a finding for each that needs one.

    Matches of other rulesets are skipped. StoreUnavailable.
    """
    wanted = Asked(*asked)
    candidate = wanted.find_candidate()
    replayed: Counter[str] = Counter()
    findings: list[Json] = []
    in_store = ((match, found, None) for match, found in _read_streams(streams, wanted.ruleset))
    for match, found, file in chain(in_store, ((*read_file(file), file) for file in files)):
        place = {} if file is None else {"file": file}
        try:
            created = find_created(found)
            if created.ruleset != wanted.ruleset:
                continue
            differs = _compare(match, found, created, candidate)
        except (DomainError, StoreError, OSError) as error:
            findings.append({"match": match, **place, "outcome": UNREAD, "why": str(error)})
            continue
        replayed[str(created.ruleset_version)] += 1
        findings += [{**differs, **place}] if differs else []
    return dict(replayed), findings


def _read_streams(streams: Sequence[str], ruleset: str) -> Iterator[tuple[str, Found]]:
    matches = list(_list_matches(streams))
    firsts = zip(matches, load([Stretch(match, 0, 1) for match in matches]), strict=True)
    mine = [match for match, first in firsts if not _is_of_another(first, ruleset)]
    for start in range(0, len(mine), STREAMS_AT_ONCE):
        some = mine[start : start + STREAMS_AT_ONCE]
        yield from zip(some, load([Stretch(stream) for stream in some]), strict=True)


def _list_matches(streams: Sequence[str]) -> Iterator[str]:
    """The matches that these streams hold: the matches themselves, and those of imports."""
    for stream in streams:
        if stream.startswith("match-"):
            yield stream
        elif (imported := process_parts().imports.read(stream)).held and imported.address:
            yield imported.address


def load(stretches: list[Stretch]) -> list[Found]:
    """The events of each stretch, or the error that keeps it from being read; StoreUnavailable."""
    try:
        return [*process_parts().matches.read_all_events(stretches)] if stretches else []
    except StoreUnavailable:
        raise
    except StoreError as error:
        return [error] if len(stretches) == 1 else [found for each in stretches for found in load([each])]


def read_file(path: str) -> tuple[str, Found]:
    """The match in a bundle, with its events."""
    try:
        head, entries = parse_bundle(Path(path).read_bytes())
    except (DomainError, OSError) as error:
        return Path(path).name, error
    return head.match, entries


def find_created(found: Found) -> MatchCreated:
    """The first event of a match; the error if its events could not be read, FoldError if it has no such event."""
    if isinstance(found, Exception):
        raise found
    created = parse_event(found[0]).data if found else None
    if not isinstance(created, MatchCreated):
        raise FoldError(1, "the match was never created")
    return created


def _is_of_another(first: Found, ruleset: str) -> bool:
    try:
        return find_created(first).ruleset != ruleset
    except (DomainError, StoreError):
        return False


def _compare(match: str, found: Found, created: MatchCreated, candidate: AnyRuleset) -> Json | None:
    assert not isinstance(found, Exception)
    with UnixSignalDeathPenalty(MATCH_TIMEOUT_S, JobTimeoutException):  # type: ignore[no-untyped-call]
        differs, outcome = find_difference(found, candidate), DIFFERS
        own = find_own(created)
        if differs and own and own is not candidate:
            # A match that was recorded wrongly says nothing about the candidate.
            unsound = find_difference(found, own)
            if unsound and unsound.version <= differs.version:
                differs, outcome = unsound, UNSOUND
    if differs is None:
        return None
    version = {"ruleset_version": created.ruleset_version}
    return {"match": match, **version, "outcome": outcome, "difference": differs._asdict()}


def find_own(created: MatchCreated) -> AnyRuleset | None:
    """The rules that a match was played by; None if they are not registered here."""
    try:
        return find_ruleset(created.ruleset, created.ruleset_version)
    except UnknownRuleset:
        return None
