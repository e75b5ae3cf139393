"""Finished matches wait for their second execution and their score: they are noted, enqueued, and swept for.

A match is noted among the pending ones before its job is enqueued and before its feed entry is acknowledged; it
leaves when it is scored or refuted. One that is annulled waits until the ratings ledger says that it does not count.
Whatever dies in between, the sweep finds it there. The pending ones can be rebuilt from the streams, which happens at
every start.
"""

import logging
import re
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from redis import Redis
from rq import Queue

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import StreamError
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.queues import (
    ALARM_AFTER,
    REFUTED,
    SWEEPS,
    UNSETTLED,
    Checking,
    Scoring,
    Verification,
    enqueue_checks,
    enqueue_scorings,
    enqueue_verifications,
)
from plyscribe.service.store.port import FeedEntry, StoreError, StoreUnavailable
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.scan import read_newest
from plyscribe.workers.verify_match import cannot_tell_end

PENDING = "relay:pending"
"""Sorted set of finished matches that are not settled, by the time (UTC milliseconds) of their next sweep."""

SWEEP_AT_ONCE = 256
SWEEP_EVERY_S = 2.0
GRACE_MS = 10_000
"""How long a job may take before the sweep looks after it; each time it waits twice as long."""

MAX_DOUBLINGS = 9

ENDED, VERIFIED, ANNULLED = "match-ended", "match-verified", "match-annulled"
IMPORTED = {"copy-completed", "record-received"}
SET_ASIDE = "match-refuted"
REVEALED = "dice-revealed"
WAITS = {ENDED, VERIFIED, ANNULLED} | IMPORTED
"""Events after which something is left to do: the verdict, the score, the ledger."""

SETTLES = {"match-scored", SET_ASIDE, "import-verified", "import-refuted", "record-entered", "record-refused"}
TURNS = WAITS | SETTLES
"""An append holds one of these at most, unless it restores what was stored elsewhere."""

_WORD = re.compile(rb'"type":"([a-z-]+)","version":\d+}\Z')
"""How the canonical bytes of every event end."""

Due = Verification | Scoring | Checking

log = logging.getLogger(__name__)


class Verifications:
    """Sees to it that every finished match gets its verdict and its score, and that annulled ones count for nothing."""

    def __init__(self, parts: Parts, connection: Redis, queue: Queue) -> None:
        self._parts = parts
        self._redis = connection
        self._queue = queue
        self.chores = (Chore("sweep", self.sweep, SWEEP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note matches that wait for something, enqueue those for which nobody does it yet, strike off the settled."""
        newest: dict[str, tuple[str, int]] = {}
        for entry in entries:
            # Dice that are shared are revealed after the end, and the verdict has waited for them. Where a match was
            # restored as a whole, the last one of several words says what it waits for.
            words = [ENDED] if entry.types == (REVEALED,) else filter(TURNS.__contains__, entry.types)
            for word in words:
                newest[entry.stream] = word, entry.last
        due_ms = now_ms() + GRACE_MS
        self._note({stream: due_ms for stream, (word, _) in newest.items() if word in WAITS})
        # Whoever recorded a verdict goes on to the score.
        ended = [Verification(stream, version) for stream, (word, version) in newest.items() if word == ENDED]
        annulled = [Scoring(stream, version) for stream, (word, version) in newest.items() if word == ANNULLED]
        enqueue_verifications(self._queue, ended)
        imported = [Checking(stream, version) for stream, (word, version) in newest.items() if word in IMPORTED]
        enqueue_scorings(self._queue, annulled)
        enqueue_checks(self._queue, imported)
        self._strike([stream for stream, (word, _) in newest.items() if word in SETTLES])
        self._set_aside({stream: word == SET_ASIDE for stream, (word, _) in newest.items()})

    def sweep(self) -> None:
        """Enqueue again, each in a job of its own, what is pending for longer than a job takes."""
        members = cast(list[bytes], self._redis.zrangebyscore(PENDING, 0, now_ms(), 0, SWEEP_AT_ONCE))
        overdue = [member.decode() for member in members]
        due = self._find_due(dict(read_newest(self._parts.store, overdue)))
        self._strike(set(overdue) - {each.stream for each in due})
        enqueue_verifications(self._queue, [each for each in due if isinstance(each, Verification)], at_once=1)
        enqueue_scorings(self._queue, [each for each in due if isinstance(each, Scoring)], at_once=1)
        enqueue_checks(self._queue, [each for each in due if isinstance(each, Checking)])
        self._note({each.stream: now_ms() + self._patience_ms(each.stream) for each in due})

    def _patience_ms(self, stream: str) -> int:
        """How long the match may wait until the next sweep."""
        sweeps = self._redis.hincrby(SWEEPS, stream, 1)
        tell = log.error if sweeps >= ALARM_AFTER else log.warning
        tell("%s ended and is not settled after %d sweeps: it is enqueued again", stream, sweeps)
        return GRACE_MS << min(sweeps, MAX_DOUBLINGS)

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: every match that waits for something is entered."""
        # Those that are noted already keep the time of their next sweep.
        self._note({each.stream: now_ms() for each in self._find_due(newest)}, new=True)
        self._set_aside({stream: _last_word(entry) == SET_ASIDE for stream, entry in newest.items()})

    def _find_due(self, newest: Mapping[str, StoredEvent]) -> list[Due]:
        """Those of the matches that wait for something, as their newest events tell."""
        found = (self._look_at(stream, entry) for stream, entry in newest.items())
        return [each for each in found if each is not None]

    def _look_at(self, stream: str, newest: StoredEvent) -> Due | None:
        match _last_word(newest):
            case "match-verified":
                return Scoring(stream, newest.version)
            case "copy-completed" | "record-received":
                return Checking(stream, newest.version)
            case "match-ended" | "dice-revealed" | "match-annulled":
                return self._look_closer(stream, newest)
        return None

    def _look_closer(self, stream: str, newest: StoredEvent) -> Due | None:
        """What a match waits for whose newest event does not tell whether it ended, was rated, or has its dice."""
        try:
            match = self._parts.matches.read(stream)
            life = match.lifecycle
            if life and life.status == "ended" and not life.awaits_reveal:
                return Verification(stream, match.version)
            if cannot_tell_end(match) and _last_word(newest) != ANNULLED:
                return Verification(stream, match.version)
            if life and life.status == "annulled" and life.may_be_rated and not self._parts.ledgers.is_unrated(match):
                return Scoring(stream, match.version)
        except StoreUnavailable:
            raise
        except (StoreError, StreamError) as error:
            log.error("%s cannot be settled: %s", stream, error)
        return None

    def _note(self, due_ms: Mapping[str, int], new: bool = False) -> None:
        if due_ms:
            self._redis.zadd(UNSETTLED, dict.fromkeys(due_ms, now_ms()), nx=True)
            self._redis.zadd(PENDING, dict(due_ms), nx=new)

    def _set_aside(self, are_refuted: Mapping[str, bool]) -> None:
        """Note which of these matches are refuted and which are not."""
        refuted = [stream for stream, is_refuted in are_refuted.items() if is_refuted]
        others = are_refuted.keys() - set(refuted)
        for stream in refuted:
            if self._redis.zadd(REFUTED, {stream: now_ms()}, nx=True):
                log.error("%s is refuted and set aside", stream)
        if others:
            self._redis.zrem(REFUTED, *others)

    def _strike(self, streams: Collection[str]) -> None:
        if streams:
            self._redis.zrem(PENDING, *streams)
            self._redis.zrem(UNSETTLED, *streams)
            self._redis.hdel(SWEEPS, *streams)


def _last_word(newest: StoredEvent) -> str:
    """The type of a stream's newest event, "" where its bytes do not tell."""
    word = _WORD.search(newest.e)
    return word[1].decode() if word else ""
