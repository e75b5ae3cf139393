"""The job that scores verified matches, first in the ratings ledger, then in the match, and unrates annulled ones."""

import logging
from collections.abc import Sequence

from rq.timeouts import BaseTimeoutException

from plyscribe.domain.commands import ScoreMatch
from plyscribe.domain.counting import counts
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.ratings.ledgers import SCORER
from plyscribe.service.streams.handler import Order
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.batch import Work, do_all
from plyscribe.workers.parts import process_parts
from plyscribe.workers.rating_order import list_due, read_unsettled

log = logging.getLogger(__name__)


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

    A rated match may have to wait for others (see rating_order.py), and stays verified then. Rated matches that waited
    for this one are scored, too. May run any number of times, also at the same time: the command ids in ledger and
    match follow from the match.
    """
    status = match.life.status
    if (status == "verified" and counts(match)) or (status == "refuted" and match.life.created.rated):
        match = yield from _score_rated(parts, match)
    elif status == "verified":
        match = yield from _score(parts, match, None)
    if match.life.status == "annulled" and match.life.may_be_rated:
        parts.ledgers.unrate(match)
    return match.life.status


def _score_rated(parts: Parts, match: Match) -> Work[Match]:
    """Enter and score all rated matches of the ruleset whose turn it is; return this one."""
    due = list_due(read_unsettled(parts, match), now_ms())
    places = [(each, place) for each in due if (place := _rate(parts, each, is_own=each is match)) is not None]
    for each, place in sorted(places, key=lambda one: one[0] is not match):
        if each is match:
            match = yield from _score(parts, match, place)
        elif parts.matches.read(each.stream).life.status == "verified":
            yield from _score_other(parts, each, place)
    return parts.matches.read(match.stream) if match.life.status == "verified" else match


def _rate(parts: Parts, match: Match, is_own: bool) -> int | None:
    """The place of the match in the ledger, after it was entered; None if it has none."""
    try:
        return parts.ledgers.rate(match)
    except WrongTime:
        # It has been annulled.
        return None
    except BaseTimeoutException:
        raise
    except Exception:
        if is_own:
            raise
        # Nothing that is wrong with one match may hold up another. The sweep tries this one again.
        log.exception("%s cannot be entered in the ratings ledger", match.stream)
        return None


def _score_other(parts: Parts, match: Match, place: int) -> Work[None]:
    try:
        yield from _score(parts, match, place)
    except BaseTimeoutException:
        raise
    except Exception:
        log.exception("%s cannot be scored", match.stream)


def _score(parts: Parts, match: Match, ledger: int | None) -> Work[Match]:
    asked = job_command("score", match.stream)
    try:
        command = ScoreMatch(actor=SCORER, at=now_ms(), id=asked.id.hex(), ledger=ledger)
        return (yield Order(match.stream, command, asked))
    except WrongTime:
        # Another worker was faster, or the match has been annulled.
        return parts.matches.read(match.stream)
