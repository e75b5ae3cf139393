"""The job that executes finished matches a second time, records the verdict, and scores them."""

from collections.abc import Iterable, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, RecordVerdict
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.match import Match
from plyscribe.domain.verification import execute_again
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.errors import VersionConflict
from plyscribe.service.store.port import Stretch
from plyscribe.service.streams.handler import Order, Ready
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.batch import Work, do_all
from plyscribe.workers.parts import process_parts
from plyscribe.workers.score_match import settle

VERIFIER = Actor("system", "verify")


def verify_matches(due: Sequence[tuple[str, int]]) -> None:
    """Verify and score matches, given by stream and by the version at which they ended.

    May run any number of times, also at the same time. The command id of a verdict follows from the stream, its
    version, the number of earlier verdicts and the hash of the last event, so each attempt is recorded once.
    """
    verify_all(process_parts(), due)


def verify_all(parts: Parts, due: Sequence[tuple[str, int]]) -> list[str]:
    """Record the verdicts on these matches, settle them, and return their statuses."""

    def begin(some: Sequence[tuple[str, int]]) -> Iterable[Work[str]]:
        recorded = parts.matches.read_all_events([Stretch(stream) for stream, _ in some])
        return [_verify(parts, *each, entries) for each, entries in zip(some, recorded, strict=True)]

    return do_all(parts.matches, due, begin)


def _verify(parts: Parts, stream: str, version: int, entries: Sequence[StoredEvent]) -> Work[str]:
    match = yield from record_verdict(parts, stream, version, entries)
    return (yield from settle(parts, match)) if match.lifecycle else "refuted"


def record_verdict(parts: Parts, stream: str, version: int, entries: Sequence[StoredEvent]) -> Work[Match]:
    """The match with its verdict, recorded now or before.

    A refuted match is executed again only if it still stands at `version`.
    """
    try:
        verdict, match = execute_again(stream, entries)
    except WrongTime:
        # Its dice are secret until all matches that share them are over. The relay enqueues it again after the reveal.
        return parts.matches.read(stream)
    parts.matches.keep(stream, match)
    if not _awaits_verdict(match, version):
        return match
    verdicts = len(match.lifecycle.verdicts) if match.lifecycle else 0
    asked = job_command("verify", stream, version, verdicts, match.head.hex())
    command = RecordVerdict(actor=VERIFIER, at=now_ms(), id=asked.id.hex(), verdict=verdict)
    try:
        # The verdict is on the events that were executed. A recorder may take the last ones back at this moment.
        return (yield Order(stream, Ready(match, MATCH.decide(command, match)), asked))
    except (WrongTime, VersionConflict):
        # Another worker was faster, or the match has been annulled or corrected.
        return parts.matches.read(stream)


def _awaits_verdict(match: Match, version: int) -> bool:
    status = match.lifecycle.status if match.lifecycle else None
    if status == "ended":
        # If it waits for its recorder, its end was taken back, and this job was for an earlier end.
        return match.version == version or not match.life.awaits_confirmation
    return match.version == version and (status == "refuted" or cannot_tell_end(match))


def cannot_tell_end(match: Match) -> bool:
    """Whether the match has a fault that may hide its end, or its first event."""
    return match.fault is not None and (match.lifecycle is None or match.life.status in ("open", "playing"))
