"""Notes aborted rated matches with the players who left them, before the match counted.

This duty needs no agenda: a batch that it did not finish comes again, and the scan finds what the feed no longer holds.
The command id follows from the match, and a player's stream names its matches. So each is noted once, however many
relays try and whatever was restored.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_type
from plyscribe.domain.commands import Actor, parse_actor
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import Account, MatchAborted
from plyscribe.domain.match import Match
from plyscribe.domain.player import NoteRatedAbort
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.errors import ServiceError
from plyscribe.service.store.port import FeedEntry, StoreError, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.loading import read_created

ABORTED = "match-aborted"
LAST = {ABORTED, "dice-revealed"}
"""What the newest event of an aborted match may be."""

NOTER = Actor("system", "rated-aborts")

log = logging.getLogger(__name__)


class RatedAborts:
    """Makes sure that each rated match that a seat aborted is noted in its player's stream."""

    chores: Sequence[Chore] = ()

    def __init__(self, parts: Parts, states: Handler[Match]) -> None:
        self._parts = parts
        self._states = states

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note the rated matches that these entries abort."""
        self._look_at({entry.stream for entry in entries if ABORTED in entry.types})

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note the aborted rated matches that are not noted yet."""
        self._look_at([match for match, entry in newest.items() if find_type(entry) in LAST])

    def _look_at(self, streams: Iterable[str]) -> None:
        for match, created in read_created(self._states, list(streams)):
            if not created.rated or created.counts_from is None:
                continue
            try:
                self._note(self._states.read(match))
            except StoreUnavailable:
                raise
            except (DomainError, ServiceError, StoreError) as error:
                # The player may have no account here, for example. That must not hold up other matches.
                log.error("%s was aborted, but that cannot be noted: %s", match, error)

    def _note(self, match: Match) -> None:
        leaver = find_leaver(match)
        if leaver is None or match.stream in self._parts.accounts.players.read(leaver).aborts:
            return
        asked = job_command("rated-abort", match.stream)
        assert match.life.abort is not None  # somebody left
        command = NoteRatedAbort(
            actor=NOTER, at=now_ms(), id=asked.id.hex(), match=match.stream, aborted_at=match.life.abort.at
        )
        self._parts.accounts.players.execute(leaver, lambda _: command, asked)


def find_leaver(match: Match) -> str | None:
    """The account whose seat aborted the match by leaving or by running out of time; None if nobody's did.

    A seat that an organiser withdrew did not leave by itself.
    """
    abort = match.life.abort
    if abort is None or parse_actor(abort.by).role == "organiser":
        return None
    data = abort.data
    seat = data.seat if isinstance(data, MatchAborted) else None
    occupant = None if seat is None else match.life.seats[seat - 1].occupant
    return occupant.player if isinstance(occupant, Account) else None
