"""Builds the lists that are missing, while the projector keeps the others up to date."""

import logging
import threading
from collections.abc import Sequence

from plyscribe.domain.kinds import MATCH
from plyscribe.domain.layouts import EXPLORER
from plyscribe.domain.player import PLAYER
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.service.composition import Parts
from plyscribe.service.explorer.match_counts import MatchCounts
from plyscribe.service.lists.projections import Projection, needs_build, rebuild
from plyscribe.service.lists.registry import open_lists
from plyscribe.service.live.letters import LetterProjection
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.former import drop_former_inboxes, drop_former_list
from plyscribe.service.store.port import FeedEntry, StoreDenied, StoreError
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties import Chore

BUILD_EVERY_S = 10.0

BUILT_FROM = {MatchCounts.name: EXPLORER}
"""Lists that the release before does not keep, and the layout of the store's data from which they are built.

Until the upgrade is finished, a relay of that release may handle matches that would be missing from them.
"""

log = logging.getLogger(__name__)


class Builds:
    """Builds in a thread the lists that are missing or were laid out by another release."""

    def __init__(self, parts: Parts, connection: Client) -> None:
        self._parts = parts
        self._projections = parts.projections
        self._redis = connection
        self._builder: threading.Thread | None = None
        self.chores = (Chore("building of lists", self.build_missing, BUILD_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do nothing: the projector enters what is new."""

    def build_missing(self) -> None:
        """Begin to build the incomplete lists, unless this process is building already."""
        if self._builder is None or not self._builder.is_alive():
            missing = [each.name for each in self._projections if needs_build(each) and self._is_due(each)]
            if missing:
                self._builder = threading.Thread(target=self._build, args=[missing], name="builder", daemon=True)
                self._builder.start()

    def _is_due(self, projection: Projection) -> bool:
        begins = BUILT_FROM.get(projection.name)
        return begins is None or self._parts.layout() >= begins

    def _build(self, names: Sequence[str]) -> None:
        # Handlers of its own: old matches must not push matches under way out of the shared cache.
        store = self._parts.store
        matches, players, tournaments = Handler(store, MATCH), Handler(store, PLAYER), Handler(store, TOURNAMENT)
        imports, outbox, database = self._parts.imports, self._parts.outbox, self._parts.database
        lists = open_lists(store, self._redis, database, matches, players, imports, tournaments, outbox)
        letters = LetterProjection(self._parts.inboxes, store, matches, players, tournaments)
        counts = MatchCounts(database, matches, lists.matches.read_import)
        for projection in (*lists.projections, counts, letters):
            if projection.name in names:
                self._build_one(projection)

    def _build_one(self, projection: Projection) -> None:
        try:
            built = rebuild(self._parts.store, projection)
            log.info("built the list of %s from %d streams", projection.name, built.streams)
            self._drop_former(projection.name)
        except StoreError as error:
            log.warning("the list of %s could not be built, and will be tried again: %s", projection.name, error)
        except Exception:
            # Whatever it is, the other lists are built nevertheless.
            log.exception("the list of %s could not be built, and will be tried again", projection.name)

    def _drop_former(self, name: str) -> None:
        """Free the memory of what an earlier release kept in its place."""
        try:
            drop_former_list(self._redis, name)
            if name == LetterProjection.name:
                drop_former_inboxes(self._redis)
        except StoreDenied as error:
            log.info("keys of an earlier release stay in the store, where they do no harm: %s", error)
