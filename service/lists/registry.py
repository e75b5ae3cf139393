"""The lists of a process, of matches, players and tournaments, and how far they lag behind the streams."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plyscribe.domain.claims import NAME
from plyscribe.domain.match import Match
from plyscribe.domain.player import Player
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.database.engine import Database
from plyscribe.service.database.feed_places import Places
from plyscribe.service.database.table_sets import Sink
from plyscribe.service.lists.matches import MatchList
from plyscribe.service.lists.name_keeper import NameKeeper
from plyscribe.service.lists.paging import Condition, Page
from plyscribe.service.lists.players import PlayerList
from plyscribe.service.lists.projections import FeedLag, Lag, ListSink, ListUpdater, Projection
from plyscribe.service.lists.tournament_people import PARTS, TournamentPeople
from plyscribe.service.lists.tournaments import TournamentList
from plyscribe.service.lists.webhook_index import WebhookIndex
from plyscribe.service.matches.imports import Imports
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.outbox import Outbox
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Handler


@dataclass(frozen=True)
class Lists:
    """All lists. Ask for the lag before you read a list: what you read then lags no more than that."""

    matches: MatchList
    players: PlayerList
    tournaments: TournamentList
    tournament_people: TournamentPeople
    names: NameKeeper
    webhooks: WebhookIndex
    lag: Callable[[], Lag]

    def list_open(self, account: str, limit: int) -> set[str]:
        """As MatchList.list_open, with what the list in memory lacks."""
        self.lag()
        return self.matches.list_open(account, limit)

    def list_open_with_bots(self, account: str, limit: int) -> set[str]:
        """As MatchList.list_open_with_bots, with what the list in memory lacks."""
        self.lag()
        return self.matches.list_open_with_bots(account, limit)

    def read_tournaments(
        self,
        ruleset: str | None,
        status: str | None,
        limit: int,
        cursor: str | None,
        *,
        account: str | None = None,
        invited: bool = False,
        mine: str | None = None,
        entering: bool = False,
    ) -> Page:
        """A page of tournaments; see TournamentList.read.

        `invited`: those that invite the account. `mine`: those in which it has this one of PARTS, or `any`. `entering`:
        public ones that take entrants.
        """
        people, conditions = self.tournament_people, list[Condition]()
        if mine is not None and account is not None:
            conditions.append(people.find_mine(account, PARTS if mine == "any" else (mine,)))
        if entering:
            conditions.append(people.find_entering())
        who = account if invited else None
        return self.tournaments.read(ruleset, status, limit, cursor, who, conditions)

    @property
    def projections(self) -> tuple[Projection, ...]:
        """All lists, as projections that the relay keeps and that can be built again."""
        return self.matches, self.players, self.tournaments, self.tournament_people, self.names, self.webhooks


def open_lists(
    store: EventStore,
    client: Client | None,
    database: Database,
    matches: Handler[Match],
    players: Handler[Player],
    imports: Imports,
    tournaments: Handler[Tournament],
    outbox: Outbox,
    sinks: Sequence[Sink] = (),
) -> Lists:
    """The lists in this database, which the relay keeps up to date with the store on the server of `client`.

    Without a client there is no relay. Then the lists and these sinks catch up with the store whenever the lag is asked
    for.
    """
    lists = (
        MatchList(database, matches, imports, players),
        PlayerList(database, players),
        TournamentList(database, tournaments),
        TournamentPeople(database, tournaments),
        NameKeeper(database, players, Handler(store, NAME)),
        WebhookIndex(database, players, outbox),
    )
    places = Places(database)
    lag = ListUpdater(store, database, [ListSink(lists), *sinks]) if client is None else FeedLag(client, places, lists)
    return Lists(*lists, lag)
