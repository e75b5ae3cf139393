"""Writes to the players' inboxes what their matches want, how those went on, and which tournaments invite them."""

from collections.abc import Sequence

from plyscribe.domain.match import Match
from plyscribe.service.composition import Parts
from plyscribe.service.live.inboxes import Notifier
from plyscribe.service.live.invitation_notices import InvitationNotifier
from plyscribe.service.store.port import FeedEntry
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties import Chore


class Notices:
    """Delivers every notice to the inboxes, once."""

    chores: Sequence[Chore] = ()

    def __init__(self, parts: Parts, states: Handler[Match]) -> None:
        self._notifier = Notifier(states, parts.inboxes)
        self._invitations = InvitationNotifier(parts.tournaments.handler, parts.inboxes)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Deliver the notices that follow from these entries."""
        self._notifier.deliver(entries)
        self._invitations.deliver(entries)
