"""Writes to players' inboxes which tournaments invite them."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from plyscribe.domain.codec import Event
from plyscribe.domain.tournament.events import EntrantInvited, InvitationEnded
from plyscribe.service.live.inboxes import Letter

INVITED, UNINVITED = "tournament-invited", "tournament-uninvited"
INVITATION_NOTICES = (INVITED, UNINVITED)
"""The types of the notices: a tournament invites you; its organiser withdrew the invitation."""

TYPES = {EntrantInvited.type, InvitationEnded.type}
"""The types of the events that players are notified of."""


def list_invitations(stream: str, events: Iterable[Event]) -> Iterator[tuple[str, Letter]]:
    """The letters that follow from these events of a tournament, each with its player."""
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
        yield player, Letter(f"{stream}:{event.version}:{type}", event.at, orjson.dumps(about))
