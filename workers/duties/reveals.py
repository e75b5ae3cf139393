"""Reveals the dice that several matches share, in all of them, once the last one is over.

This duty needs no agenda: it looks at the streams after each end was stored, so it sees the others at the last end. A
match that is not created yet is not over. The command id follows from the match, so a reveal is recorded once however
many relays try. What a relay leaves undone when it dies, the scan finds.
"""

import logging
from collections.abc import Collection, Mapping, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_type
from plyscribe.domain.commands import Actor, RevealDice
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import SharedDice
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.errors import ServiceError
from plyscribe.service.store.port import FeedEntry, StoreError, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.loading import read_created
from plyscribe.workers.duties.under_way import OVER

BEFORE_REVEAL = {*OVER, "seeds-revealed", "match-annulled"}
"""What the newest event of a match may be when its dice are still to be revealed."""

REVEALED = "dice-revealed"

REVEALER = Actor("system", "reveal")

log = logging.getLogger(__name__)


class Reveals:
    """Makes sure that shared dice are revealed when all matches with them are over, and not before."""

    chores: Sequence[Chore] = ()

    def __init__(self, parts: Parts, states: Handler[Match]) -> None:
        self._parts = parts
        self._states = states

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Reveal the shared dice whose last match is over after these entries."""
        over = {entry.stream for entry in entries if OVER & set(entry.types) and REVEALED not in entry.types}
        self._look_at(over)

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: reveal the shared dice whose matches are all over."""
        self._look_at([match for match, entry in newest.items() if find_type(entry) in BEFORE_REVEAL])

    def _look_at(self, streams: Collection[str]) -> None:
        for matches in self._find_sharing(streams):
            try:
                self._reveal_if_over(matches)
            except StoreUnavailable:
                raise
            except (DomainError, ServiceError, StoreError) as error:
                # The key may be missing, for example. That must not hold up other matches; the next scan tries again.
                log.error("the dice shared by %s cannot be revealed: %s", " ".join(matches), error)

    def _find_sharing(self, streams: Collection[str]) -> set[tuple[str, ...]]:
        """The groups of matches that share their dice with one of these matches."""
        created = read_created(self._states, list(streams))
        return {each.dice.matches for _, each in created if isinstance(each.dice, SharedDice)}

    def _reveal_if_over(self, matches: Sequence[str]) -> None:
        # `self._states` reads only our own streams: an import may have the id of a match that is still to be created.
        states = [self._states.read(match) for match in matches]
        if all(state.lifecycle and state.life.status not in ("open", "playing") for state in states):
            for state in states:
                if state.life.awaits_reveal:
                    self._reveal(state.stream)

    def _reveal(self, stream: str) -> None:
        asked = job_command("reveal", stream)

        def command_for(state: Match) -> RevealDice:
            secret = self._parts.secret_for(state)
            return RevealDice(actor=REVEALER, at=now_ms(), id=asked.id.hex(), secret=secret)

        log.info("%s: revealing the dice, because all matches that share them are over", stream)
        self._parts.matches.execute(stream, command_for, asked)
