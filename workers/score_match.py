"""The job that scores verified matches, first in the ratings ledger, then in the match, and unrates annulled ones."""

from collections.abc import Sequence

from plyscribe.domain.commands import ScoreMatch
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.ratings.ledgers import SCORER
from plyscribe.service.streams.handler import Order
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.batch import Work, do_all
from plyscribe.workers.parts import process_parts


def score_matches(due: Sequence[tuple[str, int]]) -> None:
    """Settle matches, given by stream and version: score verified ones, and keep annulled ones from counting."""
    score_all(process_parts(), [stream for stream, _ in due])


def score_all(parts: Parts, streams: Sequence[str]) -> list[str]:
    """Settle these matches, and return their statuses."""
    return do_all(parts.matches, streams, lambda some: [_score_newest(parts, stream) for stream in some])


def _score_newest(parts: Parts, stream: str) -> Work[str]:
    return (yield from settle(parts, parts.matches.read(stream)))


def settle(parts: Parts, match: Match) -> Work[str]:
    """Score a verified match, or keep an annulled one from counting, leave others alone; return the status.

    May run any number of times, also at the same time: the command ids in ledger and match follow from the match.
    """
    if match.life.status == "verified":
        match = yield from _score(parts, match)
    if match.life.status == "annulled" and match.life.may_be_rated:
        parts.ledgers.unrate(match)
    return match.life.status


def _score(parts: Parts, match: Match) -> Work[Match]:
    asked = job_command("score", match.stream)
    try:
        ledger = parts.ledgers.rate(match) if match.life.created.rated else None
        command = ScoreMatch(actor=SCORER, at=now_ms(), id=asked.id.hex(), ledger=ledger)
        return (yield Order(match.stream, command, asked))
    except WrongTime:
        # Another worker was faster, or the match has been annulled.
        return parts.matches.read(match.stream)
