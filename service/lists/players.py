"""The list of players, in the order of their names."""

from collections.abc import Mapping
from unicodedata import normalize

import orjson

from plyscribe.domain.player import Player
from plyscribe.service.lists.paging import Json, Listing, Page, read_page
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.store.rows import END, Row, Span, Table
from plyscribe.service.streams.handler import Handler


class PlayerList:
    """A projection of all accounts, in the order of their names as `fold_for_search` writes them."""

    name = "players"
    kinds = ("player",)
    layout = 1

    def __init__(self, table: Table, players: Handler[Player]) -> None:
        self.table = table
        self._players = players

    def project(self, streams: Mapping[str, int | None]) -> None:
        """See Projection.project."""
        self.table.put(build_rows(streams, self._players.read_since, build_row))

    def read(self, name: str, kind: str | None, limit: int, cursor: str | None) -> Page:
        """A page of the players whose names begin with `name`; BadRequest if the cursor is not one of this list."""
        low = fold_for_search(name).encode()
        span = Span("all" if kind is None else f"kind:{kind}", low, low + END)
        return read_page(self.table, Listing(self.name, [span], keep=None, newest_first=False), limit, cursor)


def fold_for_search(name: str) -> str:
    """The name as searches compare it: without differences of case or of Unicode form (NFKC)."""
    return normalize("NFKC", normalize("NFKC", name).casefold())


def build_row(player: Player) -> Row | None:
    """The row of an account; None if it does not exist."""
    if player.version == 0:
        return None
    terms, data = ("all", f"kind:{player.kind}"), orjson.dumps(describe_player(player))
    return Row(player.stream, player.version, fold_for_search(player.name), terms, data)


def describe_player(player: Player) -> Json:
    """The public fields of an account."""
    return {
        "player": player.stream,
        "name": player.name,
        "kind": player.kind,
        "registered_at": player.registered_at,
    }
