"""The job that executes a finished match a second time and records what it found."""

from domain.commands import Actor, RecordVerdict
from domain.errors import WrongTime
from domain.verification import verify_match as execute_again
from service.clock import now_ms
from service.composition import Parts
from service.ids import job_command
from workers.process import process_parts

VERIFIER = Actor("system", "verify")


def verify_match(stream: str, version: int) -> str:
    """Record the verdict on the match that ended at `version`; the status it has then.

    May run any number of times, at the same time too: the command's id follows from stream, version and the number of
    verdicts before, so one attempt is recorded once.
    """
    return record_verdict(process_parts(), stream, version)


def record_verdict(parts: Parts, stream: str, version: int) -> str:
    """As verify_match, with given parts."""
    match = parts.matches.read(stream)
    if match.life.status != "ended":
        return match.life.status
    verdict = execute_again(stream, parts.matches.read_events(stream, after=0))
    asked = job_command("verify", stream, version, len(match.life.verdicts))
    command = RecordVerdict(actor=VERIFIER, at=now_ms(), id=asked.id.hex(), verdict=verdict)
    try:
        return parts.matches.execute(stream, lambda _: command, asked).state.life.status
    except WrongTime:
        # Another worker was faster, or the match was annulled meanwhile.
        return parts.matches.read(stream).life.status
