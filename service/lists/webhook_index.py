"""Who wants what posted where, so that the relay need not read an account to find that it has no webhooks."""

from collections.abc import Mapping
from typing import Any

from plyscribe.domain.player import Player
from plyscribe.service.database.engine import Database
from plyscribe.service.database.table_sets import Enter, Tables, declare_nothing, enter_nothing
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.store.outbox import Outbox
from plyscribe.service.streams.handler import Handler


class WebhookIndex:
    """Follows all accounts, and notes in the outbox what their active webhooks want.

    There are no tables: only whether all accounts have been seen is noted.
    """

    name = "webhooks"
    kinds = ("player",)

    def __init__(self, database: Database, players: Handler[Player], outbox: Outbox) -> None:
        self.table: Tables[Any] = Tables(database, self.name, declare_nothing(1))
        self._players = players
        self._outbox = outbox

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect."""
        build_rows(streams, self._players.read_since, self._note)
        return enter_nothing

    def _note(self, player: Player) -> None:
        wants = {webhook: its.topics for webhook, its in player.webhooks.items() if its.is_active}
        self._outbox.subscribe(player.stream, player.version, wants)
