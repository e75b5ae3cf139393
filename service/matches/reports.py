"""Reports on stored matches: the same checks that anybody can run on a bundle, run on the server."""

import threading
from functools import lru_cache
from itertools import chain

from plyscribe.domain.bundle.report import Report, check_match
from plyscribe.domain.imported import split_address
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import VerificationBusy
from plyscribe.service.matches.queries import read_pages
from plyscribe.service.streams.handler import Handler

MAX_KEPT = 256
KEPT_MS = 60_000
"""How long a report may be reused: after that, the match is checked again."""

WAITS_S = 0.5
"""How long a request waits while a report on another match is being made."""


class Reports:
    """Makes reports, one at a time in a process, because anybody may ask; safe to share between threads."""

    def __init__(self, matches: Handler[Match]) -> None:
        self._matches = matches
        self._making = threading.Lock()
        self._report = lru_cache(MAX_KEPT)(self._make)

    def report(self, match: str, version: int) -> Report:
        """The report on a match up to a version, at most a minute old; VerificationBusy while another is made."""
        return self._report(match, version, now_ms() // KEPT_MS)

    def _make(self, match: str, version: int, minute: int) -> Report:
        if not self._making.acquire(timeout=WAITS_S):
            raise VerificationBusy
        try:
            id, _ = split_address(match)
            report = check_match(id, list(chain.from_iterable(read_pages(self._matches, match, 0, version))))
            return report._replace(match=match)
        finally:
            self._making.release()
