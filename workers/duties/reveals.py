"""Dice that several matches share are revealed in all of them once the last one is over.

Whether they all are is asked of the streams, after the end of each was stored: whichever is looked at last sees the
others. A match that is not created yet is not over. The command id follows from the match, so that one reveal is
recorded however many relays try; what a relay that died has left is found by the scan.
"""

import logging
from collections.abc import Collection, Mapping, Sequence

from plyscribe.domain.chain import StoredEvent
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
from plyscribe.workers.duties.under_way import OVER, find_created

WORDS_BEFORE = {*OVER, "match-annulled"}
"""What the newest event of a match may be whose dice are to be revealed."""

REVEALED = "dice-revealed"

REVEALER = Actor("system", "reveal")

log = logging.getLogger(__name__)


class Reveals:
    """Sees to it that shared dice are revealed, and not before all matches that have them are over."""

    chores: Sequence[Chore] = ()

    def __init__(self, parts: Parts, states: Handler[Match]) -> None:
        self._parts = parts
        self._states = states

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Look at those that share the dice of matches that are over by these entries."""
        over = {entry.stream for entry in entries if OVER & set(entry.types) and REVEALED not in entry.types}
        self._look_at(over)

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: every match that may wait for its dice is looked at."""
        self._look_at([match for match, entry in newest.items() if _may_wait(entry)])

    def _look_at(self, streams: Collection[str]) -> None:
        for matches in self._find_sharing(streams):
            try:
                self._reveal_if_over(matches)
            except StoreUnavailable:
                raise
            except (DomainError, ServiceError, StoreError) as error:
                # A key that is missing, say: it must not hold up the others, and the next scan tries again.
                log.error("the dice that %s share cannot be revealed: %s", " ".join(matches), error)

    def _find_sharing(self, streams: Collection[str]) -> set[tuple[str, ...]]:
        """The matches that have the same dice, for each of these matches whose dice are shared."""
        created = find_created(self._states, list(streams))
        return {each.dice.matches for _, each in created if isinstance(each.dice, SharedDice)}

    def _reveal_if_over(self, matches: Sequence[str]) -> None:
        # Not those that were imported under the id of a match that is still to be created.
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

        log.info("%s: the dice are revealed, for all matches that share them are over", stream)
        self._parts.matches.execute(stream, command_for, asked)


def _may_wait(newest: StoredEvent) -> bool:
    # The word is enough to tell which matches are worth looking at.
    return any(f'"type":"{word}"'.encode() in newest.e for word in WORDS_BEFORE)
