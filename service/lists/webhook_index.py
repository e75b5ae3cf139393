"""Who wants what posted where, so that the relay need not read an account to find that it has no webhooks."""

from collections.abc import Mapping

from plyscribe.domain.player import Player
from plyscribe.service.lists.projections import Buildable, build_rows
from plyscribe.service.store.outbox import Outbox
from plyscribe.service.streams.handler import Handler


class WebhookIndex:
    """Follows all accounts, and notes in the outbox what their active webhooks want.

    `table` says only whether all accounts have been seen.
    """

    name = "webhooks"
    kinds = ("player",)
    layout = 1

    def __init__(self, table: Buildable, players: Handler[Player], outbox: Outbox) -> None:
        self.table = table
        self._players = players
        self._outbox = outbox

    def project(self, streams: Mapping[str, int | None]) -> None:
        """See Projection.project."""
        build_rows(streams, self._players.read_since, self._note)

    def _note(self, player: Player) -> None:
        wants = {webhook: its.topics for webhook, its in player.webhooks.items() if its.is_active}
        self._outbox.subscribe(player.stream, player.version, wants)
