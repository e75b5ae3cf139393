"""The list of tournaments, the newest first."""

from collections.abc import Mapping

import orjson

from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.lists.paging import Json, Listing, Page, read_page
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.store.rows import Row, Span, Table
from plyscribe.service.streams.handler import Handler

TIME_DIGITS = 11


class TournamentList:
    """A projection of all tournaments, filtered by ruleset and status."""

    name = "tournaments"
    kinds = ("tournament",)
    layout = 1

    def __init__(self, table: Table, tournaments: Handler[Tournament]) -> None:
        self.table = table
        self._tournaments = tournaments

    def project(self, streams: Mapping[str, int | None]) -> None:
        """See Projection.project."""
        self.table.put(build_rows(streams, self._tournaments.read_since, build_row))

    def read(self, ruleset: str | None, status: str | None, limit: int, cursor: str | None) -> Page:
        """A page of the tournaments of this ruleset and status; BadRequest if the cursor is not one of this list."""
        term = f"ruleset:{ruleset}" if ruleset else f"status:{status}" if status else "all"

        def keep(row: Json) -> bool:
            return status in (None, row["status"])

        listing = Listing(self.name, [Span(term)], keep if ruleset and status else None, newest_first=True)
        return read_page(self.table, listing, limit, cursor)


def build_row(state: Tournament) -> Row | None:
    """The row of a tournament; None if it does not exist."""
    if state.created is None:
        return None
    terms = ("all", f"ruleset:{state.created.ruleset}", f"status:{state.status}")
    place = f"{max(0, state.created_at):0{TIME_DIGITS}x}"
    return Row(state.stream, state.version, place, terms, orjson.dumps(describe_row(state)))


def describe_row(state: Tournament) -> Json:
    """The tournament as a row of the list."""
    terms = state.terms
    return {
        "tournament": state.stream,
        "version": state.version,
        "name": terms.name,
        "status": state.status,
        "ruleset": terms.ruleset,
        "ruleset_version": terms.ruleset_version,
        "seats": terms.seats,
        "format": terms.format,
        "entrants": len(state.entrants),
        "rounds": len(state.rounds),
        "organiser": state.organiser,
        "created_at": state.created_at,
    }
