"""The lists of a process: of matches, players and tournaments, with what they lag behind the streams."""

from collections.abc import Callable
from dataclasses import dataclass

from redis import Redis

from plyscribe.domain.match import Match
from plyscribe.domain.player import Player
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.lists.matches import MatchList
from plyscribe.service.lists.players import PlayerList
from plyscribe.service.lists.projections import FeedLag, Lag, ListUpdater, Projection
from plyscribe.service.lists.tournaments import TournamentList
from plyscribe.service.matches.imports import Imports
from plyscribe.service.store.memory_table import MemoryTable
from plyscribe.service.store.port import EventStore
from plyscribe.service.store.redis_table import RedisTable
from plyscribe.service.streams.handler import Handler


@dataclass(frozen=True)
class Lists:
    """What can be listed. Ask for the lag first: it is that of all that is read afterwards, or more."""

    matches: MatchList
    players: PlayerList
    tournaments: TournamentList
    lag: Callable[[], Lag]

    @property
    def projections(self) -> tuple[Projection, ...]:
        """All of them, as the relay keeps them and as they can be built again."""
        return self.matches, self.players, self.tournaments


def open_lists(
    store: EventStore,
    client: Redis | None,
    matches: Handler[Match],
    players: Handler[Player],
    imports: Imports,
    tournaments: Handler[Tournament],
) -> Lists:
    """The lists that the relay keeps on the server of `client`; without one, lists in memory that follow the store."""
    if client is None:
        in_memory = (
            MatchList(MemoryTable(), matches, imports),
            PlayerList(MemoryTable(), players),
            TournamentList(MemoryTable(), tournaments),
        )
        return Lists(*in_memory, ListUpdater(store, in_memory))
    on_server = (
        MatchList(RedisTable(client, "lists:matches"), matches, imports),
        PlayerList(RedisTable(client, "lists:players"), players),
        TournamentList(RedisTable(client, "lists:tournaments"), tournaments),
    )
    return Lists(*on_server, FeedLag(client, on_server))
