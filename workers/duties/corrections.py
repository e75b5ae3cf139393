"""Ended matches that wait for their recorders, who may still correct them or confirm the record."""

import logging
from collections.abc import Iterable, Iterator, Sequence

from plyscribe.domain.errors import StreamError
from plyscribe.domain.match import Match
from plyscribe.domain.waiting import find_confirm_by
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.queues import Verification
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import StoreError, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties.agenda import Agenda
from plyscribe.workers.duties.loading import read_created

WAITING = "relay:corrections"
"""Sorted set, the agenda: ended matches that wait for their recorder, by the end of their wait (UTC milliseconds)."""

log = logging.getLogger(__name__)


class Corrections:
    """Which ended matches wait for their recorder, and until when. A confirmed match waits no more.

    How long depends on the match and the setting alone. So whenever the agenda is lost, the relay's scan finds the same
    matches again, and those whose time is long over are not held.
    """

    def __init__(self, parts: Parts, connection: Client, states: Handler[Match]) -> None:
        self._parts = parts
        self._agenda = Agenda(connection, WAITING)
        self._states = states

    def hold(self, ended: Sequence[str]) -> set[str]:
        """Those of these matches, which have ended, that are not to be verified yet; the waiting ones are noted."""
        recorded = [stream for stream, it in read_created(self._states, ended) if it.recorder is not None]
        held: set[str] = set()
        for match in self._read_all(recorded):
            if self.is_waiting(match):
                self._note(match)
                held.add(match.stream)
            elif match.life.status == "playing":
                held.add(match.stream)  # Its end was taken back since.
        return held

    def is_waiting(self, match: Match) -> bool:
        """Whether the match waits for its recorder now."""
        by = self._find_end(match)
        return by is not None and now_ms() < by

    def list_over(self) -> list[Verification]:
        """The matches whose wait is over, each with the version at which it ended. They stay noted: see `strike`.

        Matches that were confirmed or verified, or whose end was taken back, are struck.
        """
        due = self._agenda.list_due(now_ms())
        over: list[Verification] = []
        for match in self._read_all(due):
            if self.is_waiting(match):
                self._note(match)  # It was played on and has ended again.
            elif self._find_end(match) is None:
                self.strike([match.stream])
            else:
                over.append(Verification(match.stream, match.version))
        return over

    def strike(self, streams: Iterable[str]) -> None:
        """Forget these matches."""
        self._agenda.strike(streams)

    def _note(self, match: Match) -> None:
        by = self._find_end(match)
        assert by is not None  # a match that waits
        self._agenda.note([match.stream], by)

    def _find_end(self, match: Match) -> int | None:
        return find_confirm_by(match, self._parts.config.corrections_ms)

    def _read_all(self, streams: Sequence[str]) -> Iterator[Match]:
        for stream in streams:
            try:
                yield self._states.read(stream)
            except StoreUnavailable:
                raise
            except (StoreError, StreamError) as error:
                log.error("%s cannot be read: %s", stream, error)
                self.strike([stream])
