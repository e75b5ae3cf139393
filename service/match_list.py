"""The list of matches: a row a match, found by whom it concerns, ruleset, status, tournament, time and whom it awaits.

A private match stands only in lists of those whom it concerns, and in the one of the overseers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from domain.events import dump_data
from domain.match import Match
from domain.waiting import list_waits
from service.access import OVERSEERS
from service.accounts import Principal
from service.handlers import Handler
from service.paging import Json, Listing, Page, choose_spans, read_page
from service.projections import build_rows
from service.queries import describe_seats, dump_turn
from service.store.table import END, Row, Span, Table

TIME_DIGITS = 14
"""Hexadecimal digits of a time, enough for all integers of events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFilter:
    """Which matches to list: those for which all that is given holds."""

    player: str | None = None
    ruleset: str | None = None
    status: tuple[str, ...] = ()
    tournament: str | None = None
    rated: bool | None = None
    waiting_for: str | None = None
    since: int = 0
    """Created at this time (UTC milliseconds) or later."""

    until: int | None = None
    """Created before this time."""

    def keeps(self, row: Json) -> bool:
        """Whether a row created in time passes."""
        return (
            (self.player is None or self.player in _list_people(row))
            and (self.ruleset is None or self.ruleset == row["ruleset"])
            and (not self.status or row["status"] in self.status)
            and (self.tournament is None or self.tournament == row["tournament"])
            and (self.rated is None or self.rated is row["rated"])
            and (self.waiting_for is None or any(self.waiting_for == wait["player"] for wait in row["waits_for"]))
        )

    def terms(self) -> Iterator[list[str]]:
        """For each thing asked the terms of the lists that together hold all matches with it."""
        if self.waiting_for is not None:
            yield [f"waiting:{self.waiting_for}"]
        if self.player is not None:
            yield [f"player:{self.player}"]
        if self.ruleset is not None:
            yield [f"ruleset:{self.ruleset}"]
        if self.status:
            yield [f"status:{status}" for status in dict.fromkeys(self.status)]
        if self.tournament is not None:
            yield [f"tournament:{self.tournament}"]
        if self.rated:
            yield ["rated"]


class MatchList:
    """A projection of all matches, listed by when they were created, the newest first."""

    name = "matches"
    kind = "match"
    layout = 1

    def __init__(self, table: Table, matches: Handler[Match]) -> None:
        self.table = table
        self._matches = matches

    def project(self, streams: Mapping[str, int | None]) -> None:
        """See Projection.project."""
        self.table.put(build_rows(streams, self._matches.read_since, build_row))

    def read(self, wanted: MatchFilter, who: Principal | None, limit: int, cursor: str | None) -> Page:
        """A page of the matches that are wanted and that `who` may read; BadRequest where the cursor is none."""
        return read_page(self.table, self._plan(wanted, who), limit, cursor)

    def count(self, rulesets: Sequence[str]) -> dict[str, int]:
        """How many public matches of each of these rulesets are listed, in all of their versions."""
        spans = [Span(f"ruleset:{ruleset}") for ruleset in rulesets]
        return dict(zip(rulesets, self.table.count(spans), strict=True))

    def _plan(self, wanted: MatchFilter, who: Principal | None) -> Listing:
        low = _format_time(wanted.since).encode()
        high = END if wanted.until is None else _format_time(wanted.until).encode()
        choices = [[Span(term, low, high) for term in terms] for terms in wanted.terms()]
        if wanted.waiting_for is not None:
            # What waits for an account concerns it, private or not, so this one list is enough.
            return Listing(self.name, choices[0], wanted.keeps, newest_first=True)
        hidden = [Span(term, low, high) for term in _own_terms(who)]
        public = choose_spans(self.table, choices or [[Span("public", low, high)]])
        exact = len(choices) <= 1 and not hidden and wanted.rated is not False
        keep = None if exact else wanted.keeps
        return Listing(self.name, [*public, *hidden], keep, newest_first=True)


def _own_terms(who: Principal | None) -> list[str]:
    if who is None:
        return []
    return ["private"] if set(OVERSEERS) & set(who.scopes) else [f"private:{who.account}"]


def build_row(match: Match) -> Row | None:
    """The row of a match; None where it cannot be told what it is, for then it may be private."""
    if match.lifecycle is None:
        return None
    row = describe_row(match)
    place = _format_time(row["created_at"])
    return Row(match.stream, match.version, place, tuple(_list_terms(row)), orjson.dumps(row))


def describe_row(match: Match) -> Json:
    """The match as lists show it."""
    life, play = match.life, match.play
    created = life.created
    return {
        "match": match.stream,
        "version": match.version,
        "status": life.status,
        "ruleset": created.ruleset,
        "ruleset_version": created.ruleset_version,
        "seats": describe_seats(life.seats),
        "creator": life.creator,
        "recorder": created.recorder,
        "rated": created.rated,
        "private": created.private,
        "tournament": (created.tournament or {}).get("id"),
        "created_at": life.created_at,
        "updated_at": match.at,
        "ply": play.ply if play else 0,
        "turn": dump_turn(match.turn),
        "waits_for": [wait._asdict() for wait in list_waits(match)],
        "outcome": dump_data(life.outcome) if life.outcome else None,
    }


def _list_people(row: Json) -> list[str]:
    """The accounts that a match concerns, each once: with a seat or an invitation, its creator, its recorder."""
    seats = [seat.get("player") for seat in row["seats"]]
    return [player for player in dict.fromkeys((*seats, row["creator"], row["recorder"])) if player is not None]


def _list_terms(row: Json) -> Iterator[str]:
    yield from dict.fromkeys(f"waiting:{wait['player']}" for wait in row["waits_for"])
    if row["private"]:
        yield "private"
        yield from (f"private:{player}" for player in _list_people(row))
        return
    yield from ("public", f"ruleset:{row['ruleset']}", f"status:{row['status']}")
    yield from (f"player:{player}" for player in _list_people(row))
    if row["tournament"]:
        yield f"tournament:{row['tournament']}"
    if row["rated"]:
        yield "rated"


def _format_time(time_ms: int) -> str:
    """A time as text that is ordered as times are; those before 1970 count as 1970."""
    return f"{max(0, time_ms):0{TIME_DIGITS}x}"
