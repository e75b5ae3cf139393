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
    layout = 2

    def __init__(self, table: Table, tournaments: Handler[Tournament]) -> None:
        self.table = table
        self._tournaments = tournaments

    def project(self, streams: Mapping[str, int | None]) -> None:
        """See Projection.project."""
        self.table.put(build_rows(streams, self._tournaments.read_since, build_row))

    def read(
        self, ruleset: str | None, status: str | None, limit: int, cursor: str | None, invited: str | None = None
    ) -> Page:
        """A page of the tournaments of this ruleset and status that invite this account.

        BadRequest if the cursor is not one of this list.
        """
        wanted = {"invited": invited, "ruleset": ruleset, "status": status}
        first, *others = [name for name, value in wanted.items() if value] or ["all"]
        term = "all" if first == "all" else f"{first}:{wanted[first]}"

        def keep(row: Json) -> bool:
            return all(row[name] == wanted[name] for name in others)

        listing = Listing(self.name, [Span(term)], keep if others else None, newest_first=True)
        return read_page(self.table, listing, limit, cursor)


def build_row(state: Tournament) -> Row | None:
    """The row of a tournament; None if it does not exist."""
    if state.created is None:
        return None
    invited = [f"invited:{each.player}" for each in state.invitations if state.takes_entrants]
    terms = ("all", f"ruleset:{state.created.ruleset}", f"status:{state.status}", *invited)
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
