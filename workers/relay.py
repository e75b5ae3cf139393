"""The relay: follows the store's feed and hands every batch to its duties."""

import logging
import signal
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from redis import Redis
from redis.exceptions import RedisError

from plyscribe.domain.kinds import MATCH
from plyscribe.service import metrics
from plyscribe.service.composition import Parts
from plyscribe.service.database.table_sets import Forgetful
from plyscribe.service.explorer.match_counts import MatchCounts
from plyscribe.service.lists.projections import ListSink
from plyscribe.service.lists.registry import open_lists
from plyscribe.service.live.letters import LetterSink
from plyscribe.service.processes.stopping import StopRequest
from plyscribe.service.queues import import_queue, play_queue, seal_queue, tournament_queue, verify_queue, webhook_queue
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.leases import Leases
from plyscribe.service.store.port import StoreError
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties import Duty
from plyscribe.workers.duties.bots import Bots
from plyscribe.workers.duties.builds import Builds
from plyscribe.workers.duties.copy_passes import CopyPasses
from plyscribe.workers.duties.deadlines import Deadlines
from plyscribe.workers.duties.faulty_records import FaultyRecords
from plyscribe.workers.duties.inboxes import InboxCare
from plyscribe.workers.duties.overdue_games import OverdueGames
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.duties.rated_aborts import RatedAborts
from plyscribe.workers.duties.ratings import RatingFolds
from plyscribe.workers.duties.reading_ahead import ReadingAhead
from plyscribe.workers.duties.reveals import Reveals
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.duties.scrub import Scrub
from plyscribe.workers.duties.sealings import Sealings
from plyscribe.workers.duties.sending import Sender
from plyscribe.workers.duties.tournaments import Advances
from plyscribe.workers.duties.trimming import Trimming
from plyscribe.workers.duties.verification import Verifications
from plyscribe.workers.duties.webhooks import Webhooks
from plyscribe.workers.outages import Pauses, explain

BATCH = 2048
"""Appends that it takes in at most at a time. A relay that is far behind writes what a match has in a list once."""

BLOCK_MS = 500
GATHER_S = 0.01
"""How long it waits for more entries once one has come, because each batch has a fixed cost."""

LONGEST_PAUSE_S = 4.0
"""The longest pause after a failed batch. It is short, because people wait for what the relay does."""

log = logging.getLogger(__name__)


def make_duties(parts: Parts, feed: FeedGroup, store: Client, queues: Redis) -> list[Duty]:
    """All duties of the relay that reads this feed.

    `store` is a client of the store server, `queues` one of the job server.
    """
    # These states stand where the last batch ended. Those of `parts.matches` may be ahead of a late batch.
    states, sender = Handler(parts.store, MATCH), Sender()
    verifications = Verifications(parts, store, verify_queue(queues), import_queue(queues), states, sender)
    deadlines, reveals = Deadlines(parts, store, states), Reveals(parts, states)
    bots = Bots(parts, store, play_queue(queues), tournament_queue(queues), states, sender)
    advances = Advances(parts, store, tournament_queue(queues), states, sender)
    overdue_games = OverdueGames(parts, store)
    sealings = Sealings(parts, store, seal_queue(queues), sender)
    rated_aborts, faulty_records = RatedAborts(parts, states), FaultyRecords(parts, store)
    accounts, tournaments = parts.accounts.players, parts.tournaments.handler
    lists = open_lists(parts.store, store, parts.database, states, accounts, parts.imports, tournaments, parts.outbox)
    counts = MatchCounts(parts.database, states, lists.matches.read_import)
    webhooks = Webhooks(parts, webhook_queue(queues), states, sender)
    letters = LetterSink(parts.inboxes, states, accounts, tournaments, webhooks.heed)
    tables: list[Forgetful] = [*(projection.table for projection in parts.projections), parts.changes]
    projector = Projector(
        feed, parts.database, [letters, ListSink([*lists.projections, counts]), parts.changes], tables
    )
    # What is sealed waits for nothing, and each read of it is checked.
    unsealed = parts.store.within
    return [
        # First, so that the sweeps of the same step cover what it finds.
        Scan(
            unsealed,
            [verifications, deadlines, reveals, bots, advances, overdue_games, rated_aborts, faulty_records, sealings],
        ),
        # Whoever takes their jobs works while the duties after them go on. These two seldom need a state.
        verifications,
        advances,
        ReadingAhead(letters),
        bots,
        projector,
        InboxCare(parts.inboxes, letters),
        deadlines,
        reveals,
        # After the deadlines of matches, which note a respite.
        overdue_games,
        rated_aborts,
        faulty_records,
        sealings,
        CopyPasses(parts, seal_queue(queues), sender),
        Builds(parts, store),
        Trimming(feed, projector),
        RatingFolds(parts),
        # After the lists, which note who wants what.
        webhooks,
        Scrub(unsealed, store, parts.config.scrub_per_s),
    ]


def open_relay(parts: Parts, store: Client, queues: Redis) -> "Relay":
    """The relay with all its duties; see make_duties."""
    feed = FeedGroup(store)
    return Relay(feed, make_duties(parts, feed, store, queues), Leases(store))


class Relay:
    """A reader of the feed. Several share its buckets; if they repeat work, nothing is stored twice."""

    def __init__(self, feed: FeedGroup, duties: Sequence[Duty], leases: Leases | None = None) -> None:
        """Without leases it follows all buckets, whoever else does."""
        self._feed = feed
        self._leases = leases
        self._duties = duties
        self._stopping = StopRequest()
        self._has_more = False
        self._chores = [chore for duty in duties for chore in duty.chores]

    def run(self) -> None:
        """Follow the feed until `stop`; while the store is unavailable, keep trying."""
        pauses = Pauses(LONGEST_PAUSE_S)
        while not self._stopping.is_made:
            try:
                self.step()
                pauses.reset()
            except (RedisError, StoreError) as error:
                pause_s = pauses.next_s()
                reason = "a batch of the feed failed and will be relayed again in %.1f s: %s"
                log.warning(reason, pause_s, explain(error))
                self._feed.read_again()
                self._stopping.wait(pause_s)
        if self._leases is not None:
            with suppress(StoreError):
                self._leases.leave()

    def stop(self, *_: int | FrameType | None) -> None:
        """Make `run` return after the current batch."""
        self._stopping.make()

    def step(self, block_ms: int = BLOCK_MS) -> None:
        """Relay one batch of the feed, then do the chores that are due."""
        if self._leases is not None:
            buckets = self._leases.hold()
            self._feed.follow(buckets)
            if not buckets:
                self._stopping.wait(block_ms / 1000)
        entries = self._feed.read(BATCH, 0 if self._has_more else block_ms)
        if entries and block_ms and not self._has_more:
            # A blocked read returns at the first of several appends that were sent together.
            self._stopping.wait(GATHER_S)
            entries += self._feed.read(BATCH)
        if entries:
            for duty in self._duties:
                duty.take(entries)
            metrics.note_relayed(len(entries))
        self._feed.ack()
        # Each of them, whatever the others say.
        self._has_more = True in [chore.do_if_due() for chore in self._chores]


def run_relay(relay: Relay) -> None:
    """Relay until SIGTERM or SIGINT."""
    signal.signal(signal.SIGTERM, relay.stop)
    signal.signal(signal.SIGINT, relay.stop)
    relay.run()
