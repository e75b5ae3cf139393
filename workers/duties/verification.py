"""Gets finished matches verified and scored, and imports judged: notes them, enqueues them, and sweeps for them.

A match stays on the agenda until it is scored or refuted; an annulled one until the ratings ledger says that it does
not count; an import until it has its verdict. An ended match that waits for its recorder is on another agenda first:
see `corrections.py`.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence

from rq import Queue

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_type
from plyscribe.domain.errors import StreamError
from plyscribe.domain.match import Match
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
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import FeedEntry, StoreError, StoreUnavailable
from plyscribe.service.store.redis_server import ask_all
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import SWEEP_EVERY_S, Agenda, Asked
from plyscribe.workers.duties.corrections import Corrections
from plyscribe.workers.duties.loading import read_newest
from plyscribe.workers.duties.sending import Sender
from plyscribe.workers.verify_match import cannot_tell_end

PENDING = "relay:pending"
"""Sorted set, the agenda: finished matches and imports that are not settled."""

GRACE_MS = 10_000
"""How long a job may take before the first sweep for it. Each sweep doubles the time until the next one."""

MAX_DOUBLINGS = 9

ENDED, VERIFIED, ANNULLED = "match-ended", "match-verified", "match-annulled"
IMPORTED = {"copy-completed", "record-received"}
SET_ASIDE = "match-refuted"
REVEALED = "dice-revealed"
CONFIRMED = "record-confirmed"
WAITS = {ENDED, CONFIRMED, VERIFIED, ANNULLED} | IMPORTED
"""Events after which something is left to do: the verdict, the score, or the entry in the ledger."""

SETTLES = {"match-scored", SET_ASIDE, "import-verified", "import-refuted", "record-entered", "record-refused"}
TURNS = WAITS | SETTLES
"""An append holds at most one of these, unless it restores what was stored elsewhere."""

Due = Verification | Scoring | Checking

log = logging.getLogger(__name__)


class Verifications:
    """Makes sure that every finished match gets its verdict and its score, and that annulled ones count for nothing."""

    def __init__(
        self,
        parts: Parts,
        connection: Client,
        queue: Queue,
        imports: Queue,
        states: Handler[Match],
        sender: Sender | None = None,
    ) -> None:
        self._parts = parts
        self._sender = sender or Sender()
        self._agenda = Agenda(connection, PENDING)
        self._corrections = Corrections(parts, connection, states)
        self._redis = connection
        self._queue = queue
        self._imports = imports
        self.chores = (
            Chore("sweep", self.sweep, SWEEP_EVERY_S),
            Chore("end of corrections", self.end_corrections, SWEEP_EVERY_S),
        )

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note and enqueue what these entries leave to do; strike what they settle."""
        turns: dict[str, tuple[str, int]] = {}
        for entry in entries:
            # Shared dice are revealed after the end, and the verdict has waited for them. The last event counts:
            # a match that is restored as a whole brings several.
            types = [ENDED] if entry.types == (REVEALED,) else filter(TURNS.__contains__, entry.types)
            for type in types:
                turns[entry.stream] = type, entry.last
        held = self._corrections.hold([stream for stream, (type, _) in turns.items() if type == ENDED])
        turns = {stream: turn for stream, turn in turns.items() if stream not in held}
        waiting = [stream for stream, (type, _) in turns.items() if type in WAITS]
        self._note(waiting)
        # Nothing is enqueued for a verified match: the job that recorded the verdict goes on to the score.
        over = {ENDED, CONFIRMED}
        ended = [Verification(stream, version) for stream, (type, version) in turns.items() if type in over]
        annulled = [Scoring(stream, version) for stream, (type, version) in turns.items() if type == ANNULLED]
        imported = [Checking(stream, version) for stream, (type, version) in turns.items() if type in IMPORTED]
        sent = self._sender.send(
            [*ended, *annulled, *imported],
            lambda: enqueue_verifications(self._queue, ended),
            lambda: enqueue_scorings(self._queue, annulled),
            lambda: enqueue_checks(self._imports, imported),
        )
        if not sent:
            self._agenda.note(waiting, now_ms())
        settled = [stream for stream, (type, _) in turns.items() if type in SETTLES]
        refuted = [stream for stream, (type, _) in turns.items() if type == SET_ASIDE]
        self._set_aside(refuted)
        self._strike(settled, _clearing(turns.keys() - set(refuted)))

    def end_corrections(self) -> None:
        """Enqueue the matches whose recorders have had their time."""
        if not self._sender.may_try():
            return
        over = self._corrections.list_over()
        streams = [each.stream for each in over]
        self._note(streams)
        if self._sender.send(over, lambda: enqueue_verifications(self._queue, over)):
            self._corrections.strike(streams)

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note every stream that is not settled, for the next sweep."""
        self._corrections.hold([stream for stream, entry in newest.items() if find_type(entry) == ENDED])
        due = [each.stream for each in self._list_due(newest)]
        ask_all(self._redis, _noting_unsettled(due))
        self._agenda.note_new(due, now_ms())
        refuted = [stream for stream, entry in newest.items() if find_type(entry) == SET_ASIDE]
        self._set_aside(refuted)
        ask_all(self._redis, _clearing(newest.keys() - set(refuted)))

    def sweep(self) -> None:
        """Enqueue again, each in a job of its own, the streams whose jobs have taken too long."""
        if not self._sender.may_try():
            return
        overdue = self._agenda.list_due(now_ms())
        due = self._list_due(dict(read_newest(self._parts.store, overdue)))
        self._strike(set(overdue) - {each.stream for each in due})
        sent = self._sender.send(
            due,
            lambda: enqueue_verifications(self._queue, [it for it in due if isinstance(it, Verification)], at_once=1),
            lambda: enqueue_scorings(self._queue, [it for it in due if isinstance(it, Scoring)], at_once=1),
            lambda: enqueue_checks(self._imports, [it for it in due if isinstance(it, Checking)]),
        )
        if sent:
            self._agenda.reschedule({each.stream: now_ms() + self._count_sweep(each.stream) for each in due})

    def _count_sweep(self, stream: str) -> int:
        """The milliseconds until the next sweep for this stream, after this one was counted and logged."""
        sweeps = self._redis.hincrby(SWEEPS, stream, 1)
        level = logging.ERROR if sweeps >= ALARM_AFTER else logging.WARNING
        log.log(level, "%s is still not settled: enqueued again (sweep %d)", stream, sweeps)
        return GRACE_MS << min(sweeps, MAX_DOUBLINGS)

    def _list_due(self, newest: Mapping[str, StoredEvent]) -> list[Due]:
        """What is left to do for these streams, going by their newest events."""
        found = (self._find_due(stream, entry) for stream, entry in newest.items())
        return [each for each in found if each is not None]

    def _find_due(self, stream: str, newest: StoredEvent) -> Due | None:
        match find_type(newest):
            case "match-verified":
                return Scoring(stream, newest.version)
            case "copy-completed" | "record-received":
                return Checking(stream, newest.version)
            case "match-ended" | "record-confirmed" | "dice-revealed" | "seeds-revealed" | "match-annulled":
                return self._find_due_in_match(stream, newest)
        return None

    def _find_due_in_match(self, stream: str, newest: StoredEvent) -> Due | None:
        """What is left to do for a match whose newest event leaves open if it ended, is rated, or has its dice."""
        try:
            match = self._parts.matches.read(stream)
            life = match.lifecycle
            if life and life.status == "ended" and not life.awaits_reveal and not self._corrections.is_waiting(match):
                return Verification(stream, match.version)
            if cannot_tell_end(match) and find_type(newest) != ANNULLED:
                return Verification(stream, match.version)
            if life and life.status == "annulled" and life.may_be_rated and not self._parts.ledgers.is_unrated(match):
                return Scoring(stream, match.version)
        except StoreUnavailable:
            raise
        except (StoreError, StreamError) as error:
            log.error("%s cannot be settled: %s", stream, error)
        return None

    def _note(self, streams: Sequence[str]) -> None:
        """Note that these streams wait, and when the sweep looks at them."""
        self._agenda.note(streams, now_ms() + GRACE_MS, _noting_unsettled(streams))

    def _strike(self, streams: Collection[str], beside: Iterable[Asked] = ()) -> None:
        """Forget these streams. The commands `beside` go with that."""
        own = [("ZREM", UNSETTLED, *streams), ("HDEL", SWEEPS, *streams)] if streams else []
        self._agenda.strike(streams, [*own, *beside])

    def _set_aside(self, refuted: Iterable[str]) -> None:
        """Record that these matches are refuted."""
        for stream in refuted:
            if self._redis.zadd(REFUTED, {stream: now_ms()}, nx=True):
                log.error("%s is refuted and set aside", stream)


def _noting_unsettled(streams: Iterable[str]) -> list[Asked]:
    """The commands that record since when these streams wait, for the doctor. One that waits already keeps its time."""
    noted = [part for stream in streams for part in (now_ms(), stream)]
    return [("ZADD", UNSETTLED, "NX", *noted)] if noted else []


def _clearing(streams: Collection[str]) -> list[Asked]:
    """The commands that record that these matches are not refuted."""
    return [("ZREM", REFUTED, *streams)] if streams else []
