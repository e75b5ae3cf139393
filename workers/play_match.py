"""The job in which built-in bots play a match on, until somebody else is to decide or the job's share of time is up."""

import logging
import time
from collections.abc import Iterable, Sequence
from typing import Any

from rq.timeouts import BaseTimeoutException

from plyscribe.domain.bots import choose_move
from plyscribe.domain.commands import AbortMatch, AnswerDraw, PlayOn, Secret
from plyscribe.domain.decide import draft_decision, draft_moves
from plyscribe.domain.decide.ends import MAX_CAUSE_LENGTH
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import KeyMissing
from plyscribe.domain.events import BuiltIn, Occupant
from plyscribe.domain.match import Match
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.seeds import open_seeds, require_seeds_secret
from plyscribe.domain.waiting import find_bot_due
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.errors import VersionConflict
from plyscribe.service.matches.seating import PLAYER
from plyscribe.service.streams.handler import Order, Ready
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.batch import Work, do_all
from plyscribe.workers.parts import process_parts

TOGETHER_S = 1.0
"""How long a job collects moves before it stores them together."""

log = logging.getLogger(__name__)


def play_matches(due: Sequence[tuple[str, int]]) -> None:
    """Play on in matches, given by stream and version. May run any number of times, also at the same time.

    Stores at most one command in each match. The relay sees it and enqueues the match again if a bot is still due.
    """
    play_all(process_parts(), due)


def play_all(parts: Parts, due: Sequence[tuple[str, int]]) -> None:
    """Play on in those matches that still stand at the given version and wait for a built-in bot."""

    def begin(some: Sequence[tuple[str, int]]) -> Iterable[Work[None]]:
        return [_play(parts, *each, TOGETHER_S / len(some)) for each in some]

    do_all(parts.matches, due, begin)


def _play(parts: Parts, stream: str, version: int, for_s: float) -> Work[None]:
    match = parts.matches.read_since(stream, version)
    if match.version != version or find_bot_due(match) is None:
        return
    asked = job_command("play", stream, version)
    base = {"actor": PLAYER, "at": now_ms(), "id": asked.id.hex(), "secret": parts.secret_for(match)}
    draft = _choose_or_abort(match, base, for_s)
    try:
        yield Order(stream, Ready(match, draft.decided), asked)
    except VersionConflict:
        return  # Somebody left, for example. The relay finds what the match waits for now.


def _choose_or_abort(match: Match, base: dict[str, Any], for_s: float) -> Draft:
    """What the bots do. If they or the rules fail in a match of a tournament, abort it, so that it is played again."""
    try:
        return _choose(match, base, for_s)
    except (BaseTimeoutException, KeyMissing):
        # A worker that has the key, or this one once it has it, plays on.
        raise
    except Exception as error:
        if match.life.created.tournament is None:
            raise
        log.exception("%s: the server's bots cannot play on, aborting", match.stream)
        why = f"the server's bots cannot play on: {error!r}"
        return draft_decision(AbortMatch(**base, cause=why[:MAX_CAUSE_LENGTH]), match)


def _open_seeds(match: Match, secret: Secret | None) -> Sequence[Occupant | None]:
    """The occupants of the seats, each bot with its seed; SeedsKeyMissing without the key that they were made with."""
    occupants, sealed = [seat.occupant for seat in match.life.seats], match.life.created.bots
    if sealed is None:
        return occupants
    return open_seeds(match.stream, occupants, require_seeds_secret(sealed, secret and secret.seeds))


def _choose(match: Match, base: dict[str, Any], for_s: float) -> Draft:
    """A draw declined, or moves, one after another until no bot is due, the match is full or the time is up.

    If a bot is due in a match that is full, nobody can move any more, so the match is aborted.
    """
    due = find_bot_due(match)
    if due is not None and due[1] == "draw":
        return draft_decision(AnswerDraw(**base, seat=due[0], accept=False), match)
    if match.is_full:
        log.warning("%s is aborted: it has %d events and is not over", match.stream, match.version)
        cause = f"the match has {match.version} events, as many as one may have"
        return draft_decision(AbortMatch(**base, cause=cause), match)
    until = time.monotonic() + for_s
    seats = _open_seeds(match, base["secret"])

    def choose(ahead: Match) -> str | None:
        turn, play = ahead.turn, ahead.play
        if play is None or not isinstance(turn, Decision) or ahead.is_full:
            return None
        if ahead is not match and time.monotonic() >= until:
            return None
        bot, ruleset, state = seats[turn.seat - 1], play.ruleset, play.state
        if not isinstance(bot, BuiltIn):
            return None
        return ruleset.format_move(state, choose_move(bot, ruleset, state, turn.seat, play.ply))

    return draft_moves(PlayOn(**base, moves=()), match, choose)
