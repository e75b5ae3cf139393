"""Keeps built-in bots playing: lines up every match that waits for one of them, and puts it on a queue in its turn.

What waits in the lines is on the agenda too. So a relay that starts again, with empty lines, finds it there.
"""

import logging
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from rq import Queue

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.match import Match
from plyscribe.domain.waiting import find_bot_due
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.queues import Playing, count_workers, enqueue_plays
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import FeedEntry, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import SWEEP_AT_ONCE, SWEEP_EVERY_S, Agenda
from plyscribe.workers.duties.loading import read_created
from plyscribe.workers.duties.sending import Sender
from plyscribe.workers.duties.under_way import DRAWS, OVER, UNDER_WAY, may_be_under_way
from plyscribe.workers.effort import estimate_effort
from plyscribe.workers.fair_line import FairLine, Job, Piece

DUE = "relay:bots"
"""Sorted set, the agenda: matches that wait for a built-in bot."""

GRACE_MS = 30_000
"""How long a bot may take before the sweep lines its match up again."""

LOOKED_THROUGH = 4096
"""How many matches of the agenda a sweep looks for in the lines. Of those that are not there, it reads few."""

log = logging.getLogger(__name__)


class _Lane(NamedTuple):
    """A queue, and the line of the matches that wait to be put on it."""

    queue: Queue
    line: FairLine


class Bots:
    """Makes sure that no match waits for a built-in bot. The matches of tournaments have a queue of their own."""

    def __init__(
        self,
        parts: Parts,
        connection: Client,
        queue: Queue,
        of_tournaments: Queue,
        states: Handler[Match],
        sender: Sender | None = None,
    ) -> None:
        self._parts = parts
        self._sender = sender or Sender()
        self._agenda = Agenda(connection, DUE)
        self._players, self._tournaments = (_Lane(each, FairLine(now_ms)) for each in (queue, of_tournaments))
        self._lanes = self._players, self._tournaments
        self._states = states
        self.chores = (Chore("sweep of bots", self.sweep, SWEEP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Line up the matches in which a bot is due after these entries; strike those in which none is."""
        changes = UNDER_WAY | DRAWS | OVER
        matches = [entry for entry in entries if entry.stream.startswith("match-")]
        # What follows in the store comes with a later entry, so the state that the lists were made from will do.
        self._look_at({entry.stream: entry.last for entry in matches if changes & set(entry.types)})

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note every match in which a bot is due, for the next sweep."""
        matches = [each for each, it in newest.items() if each.startswith("match-") and may_be_under_way(it)]
        due, _ = self._sort(dict.fromkeys(matches))
        self._agenda.note_new([match.stream for match in due], now_ms())

    def sweep(self) -> None:
        """Line up again the matches whose bots have taken too long, and those that no line has."""
        if not self._sender.may_try():
            return
        overdue = self._agenda.list_due(now_ms(), LOOKED_THROUGH)
        waiting = {stream for stream in overdue if any(lane.line.is_waiting(stream) for lane in self._lanes)}
        self._agenda.note(waiting, now_ms() + GRACE_MS)
        missing = [stream for stream in overdue if stream not in waiting][:SWEEP_AT_ONCE]
        late = [stream for stream in missing if any(lane.line.is_in_hand(stream) for lane in self._lanes)]
        if late:
            log.warning("no bot has moved in time in %s: enqueued again", " ".join(late))
        self._strike(missing)
        if self._sender.send(self._lanes, self._count_workers):
            self._look_at(dict.fromkeys(missing))

    def _count_workers(self) -> None:
        for lane in self._lanes:
            lane.line.resize(count_workers(lane.queue))

    def _look_at(self, versions: Mapping[str, int | None]) -> None:
        due, idle = self._sort(versions)
        # This comes first: whatever happens to the lines, the sweep finds the matches.
        self._agenda.note([match.stream for match in due], now_ms() + GRACE_MS)
        self._strike(idle)
        for match in due:
            self._line_up(match)
        for lane in self._lanes if self._sender.may_try() else ():
            self._send(lane)
        self._agenda.strike(idle)

    def _line_up(self, match: Match) -> None:
        tournament = (match.life.created.tournament or {}).get("id")
        lane, owner = (self._tournaments, str(tournament)) if tournament else (self._players, match.life.creator)
        piece = Piece(match.stream, match.version, estimate_effort(match), not match.life.players, now_ms())
        lane.line.offer(owner, piece)

    def _strike(self, streams: Sequence[str]) -> None:
        for lane in self._lanes:
            for stream in streams:
                lane.line.strike(stream)

    def _send(self, lane: _Lane) -> None:
        """Put on the queue what may go there now."""
        jobs, sent = lane.line.take(), False
        try:
            # The time on the agenda of what has waited for long is nearly over. Each write costs the server a sync.
            waited = [each.stream for each in chain.from_iterable(jobs) if now_ms() - each.noted_ms > GRACE_MS // 2]
            self._agenda.note(waited, now_ms() + GRACE_MS)
            sent = self._sender.send(jobs, lambda: enqueue_plays(lane.queue, [_name_matches(job) for job in jobs]))
        finally:
            if not sent:
                lane.line.put_back(jobs)

    def _sort(self, versions: Mapping[str, int | None]) -> tuple[list[Match], list[str]]:
        """Of those matches that have bots: the ones in which a bot is due, and the others.

        They are looked at as they stand at these versions or later; None means now.
        """
        due: list[Match] = []
        idle: list[str] = []
        for stream in self._list_with_bots(list(versions)):
            match = self._read(stream, versions[stream])
            if match is not None and find_bot_due(match):
                due.append(match)
            else:
                idle.append(stream)
        return due, idle

    def _list_with_bots(self, streams: Sequence[str]) -> list[str]:
        """The matches with seats for built-in bots. A match has them from its creation or never."""
        created = read_created(self._states, streams)
        return [stream for stream, its in created if any(isinstance(who, BuiltIn) for who in its.seats)]

    def _read(self, stream: str, version: int | None) -> Match | None:
        try:
            return self._states.read_since(stream, version)
        except StoreUnavailable:
            raise
        except Exception:
            # Anything may fail here, such as a ruleset of the operator's own. It must not hold up other matches.
            log.exception("%s cannot be read: no bot plays in it", stream)
            return None


def _name_matches(job: Job) -> list[Playing]:
    return [Playing(piece.stream, piece.version) for piece in job]
