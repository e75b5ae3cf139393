"""Where the matches of a dataset come from: the list of a service, in the order of their ends."""

import logging
from collections.abc import Iterator

import orjson

from plyscribe.domain.match import Match
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.datasets.making import Candidate, Order
from plyscribe.service.datasets.tabulating import FINISHED
from plyscribe.service.lists.matches import MatchFilter, MatchList
from plyscribe.service.streams.handler import Handler

PAGE = 200

log = logging.getLogger(__name__)


def list_candidates(listed: MatchList, matches: Handler[Match], order: Order) -> Iterator[Candidate]:
    """The public matches of the ruleset that are listed as finished, in the order of their ends, then of their ids.

    A match that was deleted meanwhile, or whose pack is damaged, is passed over. Raises the errors of the store, the
    archive and the database.
    """
    wanted = MatchFilter(ruleset=order.ruleset, status=FINISHED, imported=False)
    cursor: str | None = None
    while True:
        page = listed.read(wanted, None, PAGE, cursor, sort="ended", order="asc")
        for row in map(orjson.loads, page.rows):
            if row["ended_at"] >= order.until_ms:
                return
            try:
                entries = matches.read_events(row["match"], 0)
            except PackDamaged as error:
                log.error("a dataset lacks a match: %s", error)
                continue
            if entries:
                yield Candidate(row["match"], entries)
        cursor = page.cursor
        if cursor is None:
            return
