"""Drops the texts of faulty records a week after their faults were found."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_type
from plyscribe.domain.errors import StreamError
from plyscribe.domain.imported import IMPORT, KEPT_MS
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import FeedEntry, StoreError, StoreUnavailable
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import Agenda

DUE = "relay:faulty-records"
"""Sorted set, the agenda: imports of faulty text records, by the time at which their texts are dropped."""

DROP_EVERY_S = 10.0
DROP_AT_ONCE = 32
"""Each is read with its text, of 128 KiB at most."""

REFUSED, ENTERED = "record-refused", "record-entered"

log = logging.getLogger(__name__)


class FaultyRecords:
    """Makes sure that the texts of faulty records are not kept for ever."""

    def __init__(self, parts: Parts, connection: Client) -> None:
        self._parts = parts
        self._agenda = Agenda(connection, DUE)
        self.chores = (Chore("dropping of faulty records", self.drop_due, DROP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note the text records in which these entries found a fault."""
        faulty = [entry.stream for entry in entries if entry.stream.startswith("import-") and REFUSED in entry.types]
        self._agenda.note_new(faulty, now_ms() + KEPT_MS)

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note every faulty text record that still has its text."""
        for stream, entry in newest.items():
            if stream.startswith("import-") and _may_be_faulty(entry):
                with suppress(StreamError):
                    self._agenda.note_new([stream], IMPORT.parse(entry).at + KEPT_MS)

    def drop_due(self) -> None:
        """Drop the texts whose time is over."""
        for stream in self._agenda.list_due(now_ms(), DROP_AT_ONCE):
            self._agenda.reschedule({stream: self._drop(stream)})

    def _drop(self, stream: str) -> int | None:
        """Drop the text of an import if its time is over; when to look at it again, if at all."""
        try:
            return self._parts.records.drop_text(stream).kept_until
        except StoreUnavailable:
            raise
        except (StoreError, StreamError) as error:
            log.error("the text of %s cannot be dropped: %s", stream, error)
            return None


def _may_be_faulty(entry: StoredEvent) -> bool:
    # The text of a sound record is received and entered. Only if a part was kept, there are three events.
    return find_type(entry) == REFUSED or (find_type(entry) == ENTERED and entry.version > 2)
