"""Keeps the dates of tournaments that run for weeks: decides the games that were not played by their deadlines.

The agenda only says where to look. What is overdue, and who loses, is decided from the tournament and its matches, and
a game is decided once however many relays try. Rounds that begin at a date are paired by the sweep of tournaments.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.tournament.due_dates import find_next_due, has_deadlines
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import FeedEntry, StoreUnavailable
from plyscribe.service.tournaments.overdue import pass_deadlines
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import Agenda
from plyscribe.workers.duties.deadlines import RESPITE, RETRY_MS

DUE_DATES = "relay:due-dates"
"""Sorted set, the agenda: tournaments with undecided games, by the next deadline (UTC milliseconds)."""

WATCH_EVERY_S = 2.0
AT_ONCE = 64

CHANGES = {
    "tournament-started",
    "tournament-paused",
    "tournament-resumed",
    "round-paired",
    "round-taken-back",
    "deadline-extended",
    "game-retried",
    "game-replayed",
    "tournament-ended",
    "tournament-aborted",
}
"""Events of a tournament that may change its next deadline. That a game is decided only moves it later."""

log = logging.getLogger(__name__)


class OverdueGames:
    """Makes sure that no game stays undecided after its deadline."""

    def __init__(self, parts: Parts, connection: Client) -> None:
        self._parts = parts
        self._agenda = Agenda(connection, DUE_DATES)
        self._redis = connection
        self.chores = (Chore("watch of due dates", self.watch, WATCH_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note the next deadlines of the tournaments that these entries changed."""
        self._note(
            {entry.stream for entry in entries if _is_of_tournament(entry.stream) and CHANGES & set(entry.types)}
        )

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note the next deadline of every tournament that has one."""
        self._note(filter(_is_of_tournament, newest))

    def watch(self) -> None:
        """Decide the games that are overdue, except in the respite that players have after an outage."""
        if self._redis.exists(RESPITE):
            return
        next_ms: dict[str, int | None] = {}
        for stream in self._agenda.list_due(now_ms(), AT_ONCE):
            try:
                next_ms[stream] = pass_deadlines(self._parts.tournaments, self._parts.matches, stream, now_ms())
            except StoreUnavailable:
                raise
            except Exception:
                # It must not hold up the other tournaments, whatever it is.
                log.exception("the deadlines of %s cannot be kept", stream)
                next_ms[stream] = now_ms() + RETRY_MS
        self._agenda.reschedule(next_ms)

    def _note(self, streams: Iterable[str]) -> None:
        next_ms: dict[str, int | None] = {}
        for stream in streams:
            state = self._read(stream)
            if state is not None and state.created is not None and has_deadlines(state):
                next_ms[stream] = find_next_due(state)
        self._agenda.reschedule(next_ms)

    def _read(self, stream: str) -> Tournament | None:
        try:
            return self._parts.tournaments.read(stream)
        except StoreUnavailable:
            raise
        except Exception:
            log.exception("%s cannot be read", stream)
            return None


def _is_of_tournament(stream: str) -> bool:
    return stream.startswith("tournament-")
