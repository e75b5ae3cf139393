"""The job that executes finished matches a second time, records what it found, and scores them."""

from collections.abc import Sequence

from domain.commands import Actor, RecordVerdict
from domain.errors import WrongTime
from domain.match import Match
from domain.verification import execute_again
from service.clock import now_ms
from service.composition import Parts
from service.ids import job_command
from workers.batch import do_each
from workers.process import process_parts
from workers.score_match import score_match

VERIFIER = Actor("system", "verify")


def verify_matches(due: Sequence[tuple[str, int]]) -> None:
    """Verify and score matches, given by stream and by the version at which they ended.

    May run any number of times, at the same time too: a verdict's command id follows from stream, version and the
    number of verdicts before, so one attempt is recorded once.
    """
    parts = process_parts()
    do_each(lambda each: verify_match(parts, *each), due)


def verify_match(parts: Parts, stream: str, version: int) -> str:
    """The status of the match once its verdict is recorded and what follows from it is done."""
    return score_match(parts, record_verdict(parts, stream, version))


def record_verdict(parts: Parts, stream: str, version: int) -> Match:
    """The match with its verdict, found now or before."""
    verdict, match = execute_again(stream, parts.matches.read_events(stream, after=0))
    parts.matches.keep(stream, match)
    if match.life.status != "ended":
        return match
    asked = job_command("verify", stream, version, len(match.life.verdicts))
    command = RecordVerdict(actor=VERIFIER, at=now_ms(), id=asked.id.hex(), verdict=verdict)
    try:
        return parts.matches.execute(stream, lambda _: command, asked).state
    except WrongTime:
        # Another worker was faster, or the match was annulled meanwhile.
        return parts.matches.read(stream)
