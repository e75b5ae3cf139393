"""The list of matches, filtered by player, ruleset, status, tournament, time, and the player that a match waits for.

A private match is listed only for the accounts that it concerns and for overseers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import dump_data
from plyscribe.domain.imported import Import
from plyscribe.domain.match import Match
from plyscribe.domain.replay import replay
from plyscribe.domain.waiting import list_waits
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS
from plyscribe.service.lists.paging import Json, Listing, Page, choose_spans, read_page
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.matches.imports import Imports
from plyscribe.service.matches.queries import describe_seats, dump_turn
from plyscribe.service.store.rows import END, SEPARATOR, Row, Span, Table
from plyscribe.service.streams.handler import Handler

ReadImport = tuple[Import, Sequence[StoredEvent]]
"""An import and the events of its match."""

FINISHED = ("ended", "verified", "scored")
"""The statuses of matches that were played to their end and not found faulty."""

TIME_DIGITS = 14
"""Hexadecimal digits of a time: enough for every integer that an event may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFilter:
    """Which matches to list: those that meet every condition given."""

    player: str | None = None
    ruleset: str | None = None
    status: tuple[str, ...] = ()
    tournament: str | None = None
    rated: bool | None = None
    imported: bool | None = None
    waiting_for: str | None = None
    since: int = 0
    """Created at this time (UTC milliseconds) or later."""

    until: int | None = None
    """Created before this time."""

    def keeps(self, row: Json) -> bool:
        """Whether a row meets all conditions except `since` and `until`."""
        return (
            (self.player is None or self.player in _list_people(row))
            and (self.ruleset is None or self.ruleset == row["ruleset"])
            and (not self.status or row["status"] in self.status)
            and (self.tournament is None or self.tournament == row["tournament"])
            and (self.rated is None or self.rated is row["rated"])
            and (self.imported is None or self.imported is row["imported"])
            and (self.waiting_for is None or any(self.waiting_for == wait["player"] for wait in row["waits_for"]))
        )

    def terms(self) -> Iterator[list[str]]:
        """For each condition, the terms whose lists together hold all public matches that meet it."""
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
        if self.imported:
            yield ["imported"]


class MatchList:
    """A projection of all matches, in the order in which they were created or imported, the newest first."""

    name = "matches"
    kinds = ("match", "import")
    layout = 4

    def __init__(self, table: Table, matches: Handler[Match], imports: Imports) -> None:
        self.table = table
        self._matches = matches
        self._imports = imports

    def project(self, streams: Mapping[str, int | None]) -> None:
        """See Projection.project."""
        own = {stream: version for stream, version in streams.items() if stream.startswith("match-")}
        imported = {stream: version for stream, version in streams.items() if stream not in own}
        self.table.put(build_rows(own, self._matches.read_since, build_row))
        self.table.put(build_rows(imported, self._read_import, build_import_row))

    def _read_import(self, stream: str, version: int | None) -> ReadImport:
        copied, imported = self._imports.read_copied(stream), self._imports.read_since(stream, version)
        return imported, () if self._is_restored(imported, copied) else copied

    def _is_restored(self, imported: Import, copied: Sequence[StoredEvent]) -> bool:
        """Whether our own match has all these events too, so that it is listed only as our own.

        A private match is listed in any case, because its importer may not know that it is here.
        """
        if imported.begun is None or imported.begun.private or not copied:
            return False
        last = copied[-1]
        return self._matches.read_events(imported.begun.match, last.version - 1, 1) == [last]

    def read(self, wanted: MatchFilter, who: Principal | None, limit: int, cursor: str | None) -> Page:
        """A page of the wanted matches that `who` may read; BadRequest if the cursor is not one of this list."""
        return read_page(self.table, self._plan(wanted, who), limit, cursor)

    def list_open(self, account: str, limit: int) -> set[str]:
        """The matches that the account has created and that are not over, at most `limit`; none of tournaments."""
        return self._list_term(f"open-of:{account}", limit)

    def list_open_with_bots(self, account: str, limit: int) -> set[str]:
        """Those of `list_open` that have built-in bots."""
        return self._list_term(f"bots-of:{account}", limit)

    def _list_term(self, term: str, limit: int) -> set[str]:
        found = self.table.read([Span(term)], limit)
        return {each.at.decode().rpartition(SEPARATOR)[2] for each in found}

    def count(self, rulesets: Sequence[str]) -> dict[str, int]:
        """The number of public matches of each of these rulesets, in all versions."""
        spans = [Span(f"ruleset:{ruleset}") for ruleset in rulesets]
        return dict(zip(rulesets, self.table.count(spans), strict=True))

    def _plan(self, wanted: MatchFilter, who: Principal | None) -> Listing:
        low = _format_time(wanted.since).encode()
        high = END if wanted.until is None else _format_time(wanted.until).encode()
        choices = [[Span(term, low, high) for term in terms] for terms in wanted.terms()]
        if wanted.waiting_for is not None:
            # A match that waits for an account concerns it, so the account may read it even if it is private.
            return Listing(self.name, choices[0], wanted.keeps, newest_first=True)
        hidden = [Span(term, low, high) for term in _own_terms(who)]
        public = choose_spans(self.table, choices or [[Span("public", low, high)]])
        exact = len(choices) <= 1 and not hidden and wanted.rated is not False and wanted.imported is not False
        keep = None if exact else wanted.keeps
        return Listing(self.name, [*public, *hidden], keep, newest_first=True)


def _own_terms(who: Principal | None) -> list[str]:
    if who is None:
        return []
    return ["private"] if set(OVERSEERS) & set(who.scopes) else [f"private:{who.account}"]


def build_row(match: Match) -> Row | None:
    """The row of a match; None if its first event cannot be read, because the match may be private."""
    if match.lifecycle is None:
        return None
    row = describe_row(match)
    place = _format_time(row["created_at"])
    return Row(match.stream, match.version, place, tuple(_list_terms(row)), orjson.dumps(row))


def build_import_row(read: ReadImport) -> Row | None:
    """The row of an imported match; None until the import is complete.

    It is listed under the time of its import, and under no account, rating or tournament: the ones that it names
    belong to another server.
    """
    state, copied = read
    if state.address is None or state.begun is None or not copied:
        return None
    match = replay(state.address, copied)
    if match.lifecycle is None:
        return None
    row = {
        **describe_row(match),
        "imported": True,
        "importer": state.importer,
        "status": judged_status(match.life.status, state),
        "rated": False,
        "tournament": None,
        "created_at": state.at,
        "waits_for": [],
    }
    terms = ["private", f"private:{state.importer}"]
    if not state.begun.private:
        terms = ["public", "imported", f"ruleset:{row['ruleset']}", f"status:{row['status']}"]
    return Row(state.stream, state.version, _format_time(state.at), tuple(terms), orjson.dumps(row))


def judged_status(status: str, state: Import) -> str:
    """The status of an imported match: up to its end the status it had elsewhere, after that our own verdict."""
    if state.status == "refuted":
        return "refuted"
    if status in ("open", "playing", "aborted", "annulled"):
        return status
    return "verified" if state.status == "verified" else "ended"


def describe_row(match: Match) -> Json:
    """The match as a row of a list."""
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
        "imported": False,
        "importer": None,
        "tournament": (created.tournament or {}).get("id"),
        "created_at": life.created_at,
        "updated_at": match.at,
        "ply": play.ply if play else 0,
        "turn": dump_turn(match.turn),
        "waits_for": [wait._asdict() for wait in list_waits(match)],
        "outcome": dump_data(life.outcome) if life.outcome else None,
    }


def _list_people(row: Json) -> list[str]:
    """The accounts that a match concerns, each once: seated or invited players, its creator, its recorder."""
    if row["imported"]:
        return []
    seats = [seat.get("player") for seat in row["seats"]]
    return [player for player in dict.fromkeys((*seats, row["creator"], row["recorder"])) if player is not None]


def _list_terms(row: Json) -> Iterator[str]:
    yield from dict.fromkeys(f"waiting:{wait['player']}" for wait in row["waits_for"])
    if row["status"] in ("open", "playing") and not row["tournament"]:
        yield f"open-of:{row['creator']}"
        if any("bot" in seat for seat in row["seats"]):
            yield f"bots-of:{row['creator']}"
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
    """A time as text that sorts like the times; times before 1970 count as 1970."""
    return f"{max(0, time_ms):0{TIME_DIGITS}x}"
