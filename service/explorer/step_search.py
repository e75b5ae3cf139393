"""Searches the steps of counted matches, those that ended last first, within bounds for each request."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from zlib import decompress

import orjson
import sqlalchemy as sa

from plyscribe.service.database.engine import Database
from plyscribe.service.database.table_sets import Tables
from plyscribe.service.explorer.counted_matches import make_term
from plyscribe.service.explorer.explored import Wanted
from plyscribe.service.explorer.explorer_tables import ExplorerTables
from plyscribe.service.explorer.step_query import Need, Query, TestedStep
from plyscribe.service.lists.paging import Place, format_cursor, parse_place

CANDIDATES = 50
"""Matches that are fetched at a time."""

MOST_CANDIDATES = 500
"""Matches that one request looks at, with or without their steps."""

MOST_EFFECTS = 10_000
"""The effects after which a request reads no further match."""

MOST_PLIES = 20
"""The plies of a match that are listed."""

MOST_NEEDS = 4
"""The needs of a query by which matches are chosen before their steps are read."""

NAME = "explorer search"

COUNTED_UP_TO = 1_000
"""Matches with a term are counted up to this number to find the rarest one."""


class FoundMatch(NamedTuple):
    """A match with steps that pass."""

    match: str
    at: int
    plies: list[int]
    """The plies of the first of these steps."""

    steps: int
    """How many steps pass."""


class Found(NamedTuple):
    """A page of matches, newest first."""

    matches: list[FoundMatch]
    looked_at: int
    """How many matches were looked at."""

    effects: int
    """How many effects their steps have that were read."""

    cursor: str | None
    """Where the search goes on; None if all matches were looked at."""


class StepSearch:
    """Searches steps; safe to share between threads. DatabaseUnavailable."""

    def __init__(self, database: Database, table: Tables[ExplorerTables]) -> None:
        self._database = database
        self._table = table

    def read(self, rules: str, query: Query, wanted: Wanted, limit: int, cursor: str | None) -> Found:
        """A page of the wanted matches of a ruleset with steps that pass the query; BadRequest for a wrong cursor.

        Ratings are not looked at. The page has fewer than `limit` although there are more if the request has looked at
        as much as it may.
        """
        place = parse_place(NAME, cursor, by_number=True)
        matches: list[FoundMatch] = []
        looked_at = effects = 0
        with self._database.reading() as connection:
            source, rest = self._choose(connection, rules, query.needs)
            while True:
                rows = self._read_candidates(connection, source, rest, wanted, place)
                for row in rows:
                    place, looked_at = Place(row.at, row.match), looked_at + 1
                    if row.steps is not None:
                        effects += row.effects
                        if found := find_steps(query, row.steps, row.opening):
                            matches.append(FoundMatch(row.match, row.at, found[:MOST_PLIES], len(found)))
                    if len(matches) == limit or looked_at >= MOST_CANDIDATES or effects >= MOST_EFFECTS:
                        return Found(matches, looked_at, effects, _format_place(place))
                if len(rows) < CANDIDATES:
                    return Found(matches, looked_at, effects, None)

    def _choose(
        self, connection: sa.Connection, rules: str, needs: Sequence[Need]
    ) -> tuple[Need, list[sa.ColumnElement[bool]]]:
        """Where to look: at the need that fewest matches meet. The others are conditions on a candidate."""
        some = list(dict.fromkeys(needs))[:MOST_NEEDS] or [Need(frozenset([make_term(rules)]))]
        if len(some) > 1:
            sizes = connection.execute(sa.select(*(self._count(need) for need in some))).one()
            some = [need for _, _, need in sorted(zip(sizes, range(len(some)), some, strict=True))]
        return some[0], [self._meets(need) for need in some[1:]]

    def _places(self, need: Need) -> Iterator[sa.Select[tuple[int, str]]]:
        """The places of the matches that meet a need, one select for each term and each position."""
        terms, plies = self._table.live.terms, self._table.live.plies
        for term in sorted(need.terms):
            yield sa.select(terms.c.at, terms.c.match).where(terms.c.term == term)
        for key in sorted(need.positions):
            yield sa.select(plies.c.at, plies.c.match).where(plies.c.key == key)

    def _count(self, need: Need) -> sa.ScalarSelect[int]:
        each = [sa.select(places.limit(COUNTED_UP_TO).subquery()) for places in self._places(need)]
        return sa.select(sa.func.count()).select_from(sa.union_all(*each).subquery()).scalar_subquery()

    def _meets(self, need: Need) -> sa.ColumnElement[bool]:
        terms, plies, matches = self._table.live.terms, self._table.live.plies, self._table.live.matches
        tests: list[sa.ColumnElement[bool]] = []
        for table, column, values in ((terms, terms.c.term, need.terms), (plies, plies.c.key, need.positions)):
            if values:
                here = column.in_(sorted(values)) & (table.c.at == matches.c.at) & (table.c.match == matches.c.id)
                tests.append(sa.select(sa.literal(1)).where(here).correlate(matches).exists())
        return sa.or_(*tests)

    def _read_candidates(
        self,
        connection: sa.Connection,
        source: Need,
        rest: Sequence[sa.ColumnElement[bool]],
        wanted: Wanted,
        last: Place | None,
    ) -> Sequence[Any]:
        """The next matches that meet the need, with their steps if they are wanted and meet the rest."""
        spans = [_cut(places, last) for places in self._places(source)]
        each: list[sa.Select[tuple[int, str]]] = [sa.select(span.subquery()) for span in spans]
        places = (sa.union(*each) if len(each) > 1 else each[0].distinct()).subquery("places")
        matches = self._table.live.matches
        keep = sa.and_(sa.true(), *wanted.conditions(matches), *rest)
        asked = (
            sa.select(
                places.c.at,
                places.c.match,
                sa.case((keep, matches.c.steps)).label("steps"),
                matches.c.opening,
                matches.c.effects,
            )
            .join(matches, matches.c.id == places.c.match)
            .order_by(places.c.at.desc(), places.c.match.desc())
            .limit(CANDIDATES)
        )
        return connection.execute(asked).all()


def find_steps(query: Query, stored: bytes, opening: bytes) -> list[int]:
    """The plies of the steps of a match that pass the last test after steps that passed the others, in this order."""
    positions = {ply + 1: key for ply, key, _ in orjson.loads(opening)}
    found, passed, last = list[int](), 0, len(query.tests) - 1
    for ply, seat, move, effects in orjson.loads(decompress(stored)):
        step = TestedStep(ply, seat, move, effects, positions.get(ply) if move is not None else None)
        if passed == last:
            if query.tests[last](step):
                found.append(ply)
        elif query.tests[passed](step):
            passed += 1
    return found


def _cut(places: sa.Select[tuple[int, str]], last: Place | None) -> sa.Select[tuple[int, str]]:
    at, match = places.selected_columns
    if last is not None:
        places = places.where(sa.tuple_(at, match) < sa.tuple_(sa.literal(last.key), sa.literal(last.id)))
    # A match may come through a position more than once.
    return places.distinct().order_by(at.desc(), match.desc()).limit(CANDIDATES)


def _format_place(place: Place | None) -> str | None:
    return None if place is None else format_cursor(NAME, f"{place.key}\t{place.id}".encode())
