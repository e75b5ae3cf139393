"""The composition root: builds every part of a process from its settings. Nothing connects until it is used."""

import gc
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from plyscribe.domain.commands import Secret
from plyscribe.domain.events import Account
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.layouts import NEWEST
from plyscribe.domain.match import Match
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.access.accounts import Accounts, Principal
from plyscribe.service.access.allowances import Allowances, make_policies
from plyscribe.service.access.quotas import Quotas
from plyscribe.service.access.reading import may_read, may_read_import
from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.storage import Archive
from plyscribe.service.config import Config, read_config, register_rulesets
from plyscribe.service.database.engine import Database, open_database
from plyscribe.service.database.table_sets import Sink
from plyscribe.service.datasets.dataset_jobs import QueuedMakers
from plyscribe.service.datasets.keeping import DatasetMaker, Datasets, DirectMakers
from plyscribe.service.datasets.shelf import Shelf
from plyscribe.service.explorer.explored import Explorer
from plyscribe.service.explorer.match_counts import MatchCounts
from plyscribe.service.explorer.step_search import StepSearch
from plyscribe.service.language.catalogues import LANGUAGES
from plyscribe.service.lists.projections import ListSink, Projection, is_complete
from plyscribe.service.lists.registry import Lists, open_lists
from plyscribe.service.live.inboxes import Inboxes
from plyscribe.service.live.letters import LetterProjection
from plyscribe.service.live.match_changes import Changes
from plyscribe.service.live.reader import Live
from plyscribe.service.live.sources import MatchEvents, ToldEvents, TournamentEvents
from plyscribe.service.matches.imports import Imports
from plyscribe.service.matches.records import Records
from plyscribe.service.ratings.ledgers import Ledgers
from plyscribe.service.ratings.ratings import Ratings
from plyscribe.service.ratings.unsettled import Unsettled
from plyscribe.service.reports.desk import Desk
from plyscribe.service.reports.direct import DirectReports
from plyscribe.service.reports.queued import QueuedReports
from plyscribe.service.reports.subjects import Maker
from plyscribe.service.store.cluster import Client, Cluster
from plyscribe.service.store.guarded import GuardedStore
from plyscribe.service.store.imported import ImportedStore
from plyscribe.service.store.layouts import read_layout
from plyscribe.service.store.memory_outbox import MemoryOutbox
from plyscribe.service.store.metered import MeteredStore
from plyscribe.service.store.outbox import Outbox
from plyscribe.service.store.port import EventStore
from plyscribe.service.store.redis import RedisStore, connect_client, connect_queues
from plyscribe.service.store.redis_outbox import RedisOutbox
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.tournaments.authority import may_arbitrate, may_read_tournament
from plyscribe.service.tournaments.codes import TableCodes
from plyscribe.service.tournaments.runner import Tournaments

GARBAGE_THRESHOLDS = (50_000, 20, 100)

QUEUES_WITHIN_S = 2.0
"""How long those who wait for reports wait for the queues' server."""


@dataclass(frozen=True)
class Parts:
    """The parts that the API, the command line and the workers share."""

    config: Config
    store: SealedStore
    """The event store, with what is sealed."""

    archive: Archive | None
    """Where sealed matches are; None if there is none."""

    database: Database
    """The read database: what follows from the streams."""

    matches: Handler[Match]
    """This server's matches; it can also read imported ones."""

    imports: Imports
    records: Records
    accounts: Accounts
    allowances: Allowances
    ledgers: Ledgers
    ratings: Ratings
    lists: Lists
    match_counts: MatchCounts
    """What the explorer reads, as a projection."""

    explorer: Explorer
    step_search: StepSearch
    live: Live
    match_events: MatchEvents
    told_events: Mapping[str, ToldEvents]
    """The same with sentences, by language."""

    changes: Changes
    inboxes: Inboxes
    tournaments: Tournaments
    table_codes: TableCodes
    tournament_events: TournamentEvents
    unsettled: Unsettled
    quotas: Quotas
    maker: Maker
    """Makes reports here and now."""

    desk: Desk
    """Where requests wait for reports that are made elsewhere."""

    datasets: Datasets
    dataset_maker: DatasetMaker

    def let_go(self) -> None:
        """End the live streams and all waiting: this process stops."""
        self.live.close()
        self.desk.close()

    outbox: Outbox
    layout: Callable[[], int]
    """The layout of the store's data."""

    @property
    def projections(self) -> tuple[Projection, ...]:
        """Everything that the relay keeps in the read database and that can be built again."""
        matches, players, tournaments = self.matches, self.accounts.players, self.tournaments.handler
        letters = LetterProjection(self.inboxes, self.store, matches, players, tournaments)
        return *self.lists.projections, self.match_counts, letters

    def may_read(self, match: Match, who: Principal | None) -> bool:
        """Whether the match is public, or `who` may read it although it is private (None: nobody signed in).

        A private imported match may be read by the account that imported it, not by the players that it names.
        """
        if may_read(match, None):
            return True
        imported = self.imports.find(match.stream)
        if imported is not None:
            return may_read_import(imported, who)
        return may_read(match, who) or self._takes_part(match, who)

    def _takes_part(self, match: Match, who: Principal | None) -> bool:
        """Whether `who` may read the private tournament that the match belongs to."""
        state = self._find_tournament(match)
        return state is not None and may_read_tournament(state, who)

    def _find_tournament(self, match: Match) -> Tournament | None:
        """The tournament of this server that made the match; None for other matches."""
        place = match.life.created.tournament if match.lifecycle is not None else None
        # A match that was restored from another server may name anything.
        id = str((place or {}).get("id"))
        if not is_stream_id("tournament", id) or self.imports.find(match.stream) is not None:
            return None
        state = self.tournaments.read(id)
        return None if state.created is None else state

    def arbitrates(self, match: Match, who: Principal | None) -> bool:
        """Whether `who` may act in the match as an organiser or arbiter of its tournament."""
        if who is None or who.table is not None or not self.needs_tournament(match, who):
            return False
        state = self._find_tournament(match)
        return state is not None and may_arbitrate(match, state, who)

    def needs_tournament(self, match: Match, who: Principal) -> bool:
        """Whether the tournament of the match has to be read to tell what `who` may do in it."""
        if match.lifecycle is None or match.life.created.tournament is None:
            return False
        return all(seat.occupant != Account(who.account) for seat in match.life.seats)

    def secret_for(self, match: Match) -> Secret | None:
        """What the match keeps secret until its end, except what was made with keys that we lack; None if nothing."""
        life = match.lifecycle
        return self.config.server_key.find_secret(life.created, match.stream) if life else None


def compose(
    config: Config, events: EventStore, client: Client | None = None, layout: Callable[[], int] = lambda: NEWEST
) -> Parts:
    """The parts of a process over an event store; ConfigError if an extra ruleset cannot be loaded.

    The outbox is kept on the server of `client`, or in memory if there is no client. `layout` is that of the store's
    data: see `plyscribe.domain.layouts`.
    """
    register_rulesets(config.extra_rulesets)
    database = open_database(config.read_url)
    archive = Archive(config.archive) if config.archive else None
    store = SealedStore(events, archive)
    readable = ImportedStore(store)
    matches, imports, accounts = Handler(readable, MATCH), Imports(store, readable), Accounts(store)
    tournaments = Tournaments(store, matches, config.server_key, layout)
    outbox: Outbox = MemoryOutbox() if client is None else RedisOutbox(client)
    # Without a relay, the changes are noted when the lists catch up.
    changes = Changes(database, (lambda: lists.lag()) if client is None else None)
    players, of_tournaments = accounts.players, tournaments.handler
    counts = MatchCounts(database, matches, lambda stream, version: lists.matches.read_import(stream, version))
    sinks: list[Sink] = [changes, ListSink([counts])]
    lists = open_lists(store, client, database, matches, players, imports, of_tournaments, outbox, sinks)
    live = Live(store, config.max_followers, config.max_followers_each, config.stream_threads)
    # Without a client there is no relay, and nothing is there before the process starts.
    inboxes = Inboxes(database, store, is_built=client is None)
    match_events = MatchEvents(matches)
    ratings = Ratings(store, database, by_itself=client is None)
    maker = Maker(matches, accounts, tournaments, ratings)
    url = config.rq_redis_url
    queues = connect_queues(url, QUEUES_WITHIN_S) if url else None
    makers = DirectReports(maker) if queues is None else QueuedReports(queues)
    shelf = None if archive is None else Shelf(archive)
    dataset_maker = DatasetMaker(lists.matches, matches, shelf, config.dataset_licence or None)
    dataset_makers = DirectMakers(dataset_maker) if queues is None else QueuedMakers(queues)
    return Parts(
        config,
        store,
        archive,
        database,
        matches,
        imports,
        Records(store, imports),
        accounts,
        # The library that counts wants one server.
        Allowances(make_policies(config.allowances), queues if isinstance(client, Cluster) else client),
        Ledgers(store),
        ratings,
        lists,
        counts,
        # Without a client there is no relay, and nothing is there before the process starts.
        Explorer(
            database, counts.table, ratings.tables, (lambda: True) if client is None else lambda: is_complete(counts)
        ),
        StepSearch(database, counts.table),
        live,
        match_events,
        {language: ToldEvents(matches, accounts.name_of, language) for language in LANGUAGES},
        changes,
        inboxes,
        tournaments,
        TableCodes(config.server_key, tournaments.handler),
        TournamentEvents(tournaments.handler),
        Unsettled(client),
        Quotas(config, lists.list_open, lists.list_open_with_bots, matches),
        maker,
        Desk(makers, config.stream_threads),
        Datasets(shelf, dataset_makers, lists.lag),
        dataset_maker,
        outbox,
        layout,
    )


def compose_process(environ: Mapping[str, str] = os.environ) -> Parts:
    """The parts of this process, from the settings in its environment; ConfigError says which is missing or wrong."""
    config = read_config(environ)
    # Nearly all that a process keeps is tuples without cycles. Walking them again and again costs a tenth of a fold.
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    client = connect_client(config.redis_url)
    guarded = GuardedStore(RedisStore(client, config.replicas), lambda: read_layout(client))
    return compose(config, MeteredStore(guarded), client, guarded.layout)
