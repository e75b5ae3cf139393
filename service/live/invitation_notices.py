"""Writes to players' inboxes which tournaments invite them."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from plyscribe.domain.codec import Event
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.events import EntrantInvited, InvitationEnded
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.store.inbox import Inboxes, Letter
from plyscribe.service.store.port import FeedEntry, StoreUnavailable
from plyscribe.service.streams.handler import Handler

INVITED, UNINVITED = "tournament-invited", "tournament-uninvited"
INVITATION_NOTICES = (INVITED, UNINVITED)
"""The types of the notices: a tournament invites you; its organiser withdrew the invitation."""

TYPES = {EntrantInvited.type, InvitationEnded.type}

log = logging.getLogger(__name__)


class InvitationNotifier:
    """Writes notices of invitations to the inboxes of those who are invited."""

    def __init__(self, tournaments: Handler[Tournament], inboxes: Inboxes) -> None:
        self._tournaments = tournaments
        self._inboxes = inboxes

    def deliver(self, entries: Sequence[FeedEntry]) -> None:
        """Write the notices of these appends. Safe to repeat, in parallel and in any order.

        A tournament that cannot be read is logged and does not hold up the others. Raises StoreUnavailable.
        """
        letters: defaultdict[str, list[Letter]] = defaultdict(list)
        for entry in entries:
            if entry.stream.startswith("tournament-") and TYPES & set(entry.types):
                for player, letter in self._write_letters(entry):
                    letters[player].append(letter)
        if letters:
            self._inboxes.write(letters)

    def _write_letters(self, entry: FeedEntry) -> list[tuple[str, Letter]]:
        try:
            stored = self._tournaments.read_events(entry.stream, entry.first - 1, entry.last - entry.first + 1)
            return list(_list_letters(entry.stream, [TOURNAMENT.parse(each) for each in stored]))
        except StoreUnavailable:
            raise
        except Exception:
            # Whatever it is, such as an entry written by another program, it must not hold up other tournaments.
            log.exception("cannot write to the inboxes of those whom %s invites", entry.stream)
            return []


def _list_letters(stream: str, events: Sequence[Event]) -> Iterator[tuple[str, Letter]]:
    for event in events:
        data: Any = event.data
        match data:
            case EntrantInvited(player):
                type = INVITED
            case InvitationEnded(player, "withdrawn"):
                type = UNINVITED
            case _:
                continue
        about = {"type": type, "tournament": stream, "version": event.version, "at": event.at}
        yield player, Letter(f"{stream}:{event.version}:{type}", orjson.dumps(about))
