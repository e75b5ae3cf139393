"""Writes to players' inboxes who challenges them on a ladder."""

from collections.abc import Callable, Iterable, Iterator

import orjson

from plyscribe.domain.codec import Event
from plyscribe.domain.events import Account
from plyscribe.domain.tournament.events import ChallengeMade
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.live.inboxes import Letter

CHALLENGED = "tournament-challenged"
"""The type of the notice: somebody challenges you on a ladder."""

TYPES = {ChallengeMade.type}
"""The types of the events that players are notified of."""


def list_challenges(
    stream: str, events: Iterable[Event], read: Callable[[], Tournament]
) -> Iterator[tuple[str, Letter]]:
    """The letters that follow from these events of a tournament, each with its player; `read` gets the tournament."""
    for event in events:
        if not isinstance(event.data, ChallengeMade):
            continue
        made = event.data
        occupant = read().entrants[made.challenged - 1].occupant
        if isinstance(occupant, Account):
            about = {"type": CHALLENGED, "tournament": stream, "version": event.version, "at": event.at}
            about |= {"round": made.round, "challenger": made.challenger}
            yield occupant.player, Letter(f"{stream}:{event.version}:{CHALLENGED}", event.at, orjson.dumps(about))
