"""The job that scores verified matches: first the ratings ledger, then the match. It settles annulled ones too."""

from collections.abc import Sequence

from domain.commands import ScoreMatch
from domain.errors import WrongTime
from domain.match import Match
from service.clock import now_ms
from service.composition import Parts
from service.ids import job_command
from service.ledgers import SCORER
from workers.batch import do_each
from workers.process import process_parts


def score_matches(due: Sequence[tuple[str, int]]) -> None:
    """Score verified matches, and keep annulled ones from counting; given by stream and version."""
    parts = process_parts()
    do_each(lambda each: score_match(parts, parts.matches.read(each[0])), due)


def score_match(parts: Parts, match: Match) -> str:
    """The status of the match once it is scored, or kept from counting if it is annulled; others are left alone.

    May run any number of times, at the same time too: the command ids in ledger and match follow from the match.
    """
    if match.life.status == "verified":
        match = _score(parts, match)
    if match.life.status == "annulled" and match.life.may_be_rated:
        parts.ledgers.unrate(match)
    return match.life.status


def _score(parts: Parts, match: Match) -> Match:
    asked = job_command("score", match.stream)
    try:
        ledger = parts.ledgers.rate(match) if match.life.created.rated else None
        command = ScoreMatch(actor=SCORER, at=now_ms(), id=asked.id.hex(), ledger=ledger)
        return parts.matches.execute(match.stream, lambda _: command, asked).state
    except WrongTime:
        # Another worker was faster, or the match was annulled meanwhile.
        return parts.matches.read(match.stream)
