"""Folds the ratings ledgers into rows, a bounded step at a time."""

import logging
from collections.abc import Sequence

from plyscribe.domain.errors import StreamError
from plyscribe.domain.ledger import LEDGER
from plyscribe.service.composition import Parts
from plyscribe.service.errors import UnknownModel
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.duties import Chore

LOOK_EVERY_S = 60.0
"""How often it looks for ledgers that it does not know to be behind, such as those of a store that was restored."""

log = logging.getLogger(__name__)


class RatingFolds:
    """Which ledgers have entries that are not folded. They take turns, so a long one holds up no other."""

    def __init__(self, parts: Parts) -> None:
        self._ratings = parts.ratings
        self._behind: dict[str, None] = {}
        self.chores = (
            Chore("look at the ratings ledgers", self.find, LOOK_EVERY_S),
            Chore("folding of ratings", self.fold, 0.0),
        )

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note the ledgers among these streams."""
        kind = f"{LEDGER.kind}-"
        self._behind |= {entry.stream.removeprefix(kind): None for entry in entries if entry.stream.startswith(kind)}

    def find(self) -> None:
        """Note all ledgers that are not folded as far as they go."""
        self._behind |= dict.fromkeys(self._ratings.list_behind())

    def fold(self) -> bool:
        """Fold one ledger on by a step, and return whether more is to be folded.

        A ledger that cannot be folded is logged and left until it has a new entry, or until the next look.
        """
        for ruleset in list(self._behind)[:1]:
            try:
                has_more = self._ratings.folder.step(ruleset)
            except (StreamError, UnknownModel) as error:
                log.error("the ratings of %s stay as they are: %s", ruleset, error)
                has_more = False
            del self._behind[ruleset]
            if has_more:
                self._behind[ruleset] = None
        return bool(self._behind)
