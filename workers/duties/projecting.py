"""Keeps the read database up to date: enters what follows from the feed, each entry exactly once.

Usually it enters each batch as the relay takes it. When the database has been away, or another relay was faster, the
places of the two differ. Then it reads the feed by itself from where the database stands, until both stand at the same
place again. The relay's other duties go on meanwhile.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence

from plyscribe.service.database.engine import Database, DatabaseDamaged, DatabaseError, DatabaseRefused
from plyscribe.service.database.feed_places import Places, PlaceTaken
from plyscribe.service.database.table_sets import Forgetful, Sink
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import FeedEntry, Piece, Place
from plyscribe.workers.duties import Chore

CATCH_UP = 1024
"""Entries that it catches up with at a time."""

CATCH_UP_EVERY_S = 0.5
LOOK_EVERY_S = 10.0
"""How often it looks whether it stands where the relay does, although it knows of no difference."""


log = logging.getLogger(__name__)


class Projector:
    """Enters the feed in the tables of the sinks. Several may run: what one has entered, another leaves alone."""

    def __init__(self, feed: FeedGroup, database: Database, sinks: Sequence[Sink], tables: Sequence[Forgetful]) -> None:
        """`tables` are told when entries of the feed were missed, so that they are built anew from the streams."""
        self._feed = feed
        self._database = database
        self._sinks = sinks
        self._tables = tables
        self._store = Places(database)
        self._buckets = feed.buckets
        self._places: dict[str, Place] | None = None
        self._is_behind = True
        self._look_at = 0.0
        self._trouble = ""
        self.chores = (Chore("catching up of the read database", self.catch_up, CATCH_UP_EVERY_S),)

    @property
    def places(self) -> Mapping[str, Place]:
        """The places up to which everything is entered, as far as this process knows."""
        return self._places or {}

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Enter what the feed has read and not acknowledged; all, or in trouble nothing, which comes later then."""
        self._notice_buckets()
        if self._places is None and not self._trouble:
            # Usually there is nothing to catch up with, and those who follow need not wait for the chore.
            self._try(self._catch_up)
        if self._is_behind or self._places is None:
            self._is_behind = True
            return
        pieces, places = self._feed.pieces(), self._places
        ready = {bucket: piece for bucket, piece in pieces.items() if places.get(bucket) == piece.before}
        self._is_behind = len(ready) < len(pieces)
        self._try(lambda: self._enter(ready))

    def catch_up(self) -> bool:
        """Enter some of what the relay has handled and the database lacks; return whether there is more."""
        self._notice_buckets()
        if not self._is_behind and time.monotonic() < self._look_at:
            return False
        self._look_at = time.monotonic() + LOOK_EVERY_S
        return self._try(self._catch_up)

    def _notice_buckets(self) -> None:
        """Look up the places anew when the relay follows other buckets: the relay before it may have been behind."""
        if self._feed.buckets != self._buckets:
            self._buckets = self._feed.buckets
            self._places, self._is_behind = None, True

    def _catch_up(self) -> bool:
        group = self._feed.places()
        if self._places is None:
            self._places = self._find_places()
        places = self._places
        spans = {
            bucket: (places[bucket], place) for bucket, place in group.items() if places[bucket].order < place.order
        }
        self._enter(self._feed.read_between(spans, CATCH_UP))
        self._is_behind = any(self._places[bucket].order < place.order for bucket, place in group.items())
        if self._trouble:
            log.info("the read database is up again")
            self._trouble = ""
        return self._is_behind

    def _try(self, do: Callable[[], object]) -> bool:
        """What it returns. Trouble with the database is logged once, and holds up no other duty."""
        try:
            return do() is True
        except PlaceTaken:
            # Another relay has entered these rows.
            self._places, self._is_behind = None, True
            return True
        except DatabaseError as error:
            self._places, self._is_behind = None, True
            if isinstance(error, DatabaseDamaged) and (aside := self._database.put_aside()):
                log.error("%s: it is kept as %s, and another one is being built", error, aside)
            elif str(error) != self._trouble:
                log.warning("the lists cannot be kept up to date, trying again: %s", error)
            self._trouble = str(error)
            return False

    def _find_places(self) -> dict[str, Place]:
        """Where the tables stand. If they follow another store, or have missed entries, they are built anew."""
        store, group = self._feed.identify(), self._feed.all_places()
        places = self._store.read(store)
        if places.keys() == group.keys() and not self._feed.list_gaps(places):
            return places
        with self._database.writing() as connection:
            self._store.begin(connection, store, group)
            for tables in self._tables:
                tables.forget(connection)
        return group

    def _enter(self, pieces: Mapping[str, Piece]) -> None:
        entries = [entry for piece in pieces.values() for entry in piece.entries]
        try:
            self._enter_all(entries, pieces)
        except DatabaseRefused:
            self._enter_each(entries)
            self._enter_all([], pieces)
        assert self._places is not None
        self._places |= {bucket: piece.after for bucket, piece in pieces.items()}
        for sink in self._sinks:
            sink.announce()

    def _enter_all(self, entries: Sequence[FeedEntry], pieces: Mapping[str, Piece]) -> None:
        enters = [sink.collect(entries) for sink in self._sinks] if entries else []
        if not enters and not pieces:
            return
        with self._database.writing() as connection:
            for enter in enters:
                enter(connection)
            self._store.move(connection, pieces)

    def _enter_each(self, entries: Sequence[FeedEntry]) -> None:
        """Enter the rows of each stream by themselves, so that only what the database refuses is left out."""
        for stream in dict.fromkeys(entry.stream for entry in entries):
            try:
                self._enter_all([entry for entry in entries if entry.stream == stream], {})
            except DatabaseRefused:
                log.exception("%s cannot be entered in the read database", stream)
