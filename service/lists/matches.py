"""The list of matches: which ones are wanted, in which order, and who may see them.

A page is read from the index of the rarest term that all of its matches have. So it costs the same however many matches
there are.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson
import sqlalchemy as sa

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import StreamError
from plyscribe.domain.imported import Import
from plyscribe.domain.match import Match
from plyscribe.domain.player import Player
from plyscribe.service.access.accounts import Principal
from plyscribe.service.database.engine import Database, insert_newer
from plyscribe.service.database.rows import Change, add_counts, replace_rows
from plyscribe.service.database.table_sets import Enter, Tables
from plyscribe.service.errors import BadRequest
from plyscribe.service.lists.match_rows import (
    KEYS,
    TABLES,
    MatchRow,
    MatchTables,
    ReadImport,
    build_import_row,
    build_row,
    list_term_rows,
    make_term,
)
from plyscribe.service.lists.match_search import Beginning, Condition, Search, find_spans, may_see, meets
from plyscribe.service.lists.paging import Json, Listing, Page, parse_place, read_page
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.lists.words import split_words
from plyscribe.service.matches.imports import Imports
from plyscribe.service.streams.handler import Handler

FINISHED = ("ended", "verified", "scored")
"""The statuses of matches that were played to their end and not found faulty."""

SORTS = tuple(KEYS)
ORDERS = ("desc", "asc")
RESULTS = ("won", "lost", "drawn")
MAX_WORDS = 8
"""Words of one text that are searched for."""

RULESET = "ruleset:"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFilter:
    """Which matches to list: those that meet every condition given."""

    player: str | None = None
    opponent: str | None = None
    """An account that plays against `player`."""

    result: str | None = None
    """How it ended for `player`: a word of RESULTS."""

    ruleset: str | None = None
    status: tuple[str, ...] = ()
    reason: str | None = None
    """Why it ended, as its outcome says."""

    tournament: str | None = None
    rated: bool | None = None
    imported: bool | None = None
    waiting_for: str | None = None
    names: str = ""
    """Words of the names of players. The last word may be the beginning of one, here and below."""

    place: str = ""
    """Words of the note `place`."""

    about: str = ""
    """Words of any notes."""

    since: int = 0
    """Created at this time (UTC milliseconds) or later."""

    until: int | None = None
    """Created before this time."""

    min_plies: int = 0
    max_plies: int | None = None

    def __post_init__(self) -> None:
        """BadRequest if a condition is about a player who is not named, or if a text cannot be searched for."""
        for name in ("opponent", "result"):
            if getattr(self, name) is not None and self.player is None:
                raise BadRequest(f"`{name}` is about a player: name one in `player` too", "filter/player-missing")
        for name, text in (("q", self.names), ("place", self.place), ("about", self.about)):
            words = len(split_words([text]))
            if text and not words:
                raise BadRequest(f"`{name}` has no letter and no digit: give at least one word", "filter/words")
            if words > MAX_WORDS:
                raise BadRequest(f"`{name}` has {words} words: give at most {MAX_WORDS}", "filter/words")

    def search(self, sort: str, who: Principal | None) -> Search:
        """How the matches are found in an order of SORTS."""
        low, high = self._bounds()[sort]
        return Search(tuple(self._conditions()), sort, low, high, who)

    def ranges(self, tables: MatchTables, sort: str) -> Iterator[sa.ColumnElement[bool]]:
        """The conditions on numbers, except on the key of `sort`."""
        columns = {"created": tables.matches.c.created_at, "length": tables.matches.c.plies}
        for name, (low, high) in self._bounds().items():
            if name != sort and low > 0:
                yield columns[name] >= low
            if name != sort and high is not None:
                yield columns[name] < high

    def _bounds(self) -> dict[str, tuple[int, int | None]]:
        above = None if self.max_plies is None else self.max_plies + 1
        return {"created": (self.since, self.until), "ended": (0, None), "length": (self.min_plies, above)}

    def _conditions(self) -> Iterator[Condition | Beginning]:
        """All conditions on terms, beginning with those that few matches meet."""
        if self.waiting_for is not None:
            yield _having("waiting", self.waiting_for)
        if self.result is not None:
            yield _having(self.result, self.player or "")
        if self.opponent is not None:
            yield from (_having("seat", player) for player in (self.player, self.opponent) if player)
        elif self.player is not None:
            yield Condition((make_term("seat", self.player), make_term("role", self.player)))
        if self.tournament is not None:
            yield _having("tournament", self.tournament)
        for kind, text in (("name", self.names), ("place", self.place), ("about", self.about)):
            *words, last = split_words([text]) or [""]
            yield from (_having(kind, word) for word in words)
            yield from [Beginning(make_term(kind, last))] if last else []
        if self.reason is not None:
            yield _having("reason", self.reason)
        if self.status:
            yield Condition(tuple(make_term("status", status) for status in dict.fromkeys(self.status)))
        if self.ruleset is not None:
            yield _having("ruleset", self.ruleset)
        for name, wanted in (("rated", self.rated), ("imported", self.imported)):
            yield from [] if wanted is None else [Condition((name,), wanted)]


def _having(kind: str, value: str) -> Condition:
    return Condition((make_term(kind, value),))


class MatchList:
    """A projection of all matches: by default in the order in which they were created or imported, newest first."""

    name = "matches"
    kinds = ("match", "import")

    def __init__(self, database: Database, matches: Handler[Match], imports: Imports, players: Handler[Player]) -> None:
        self.table = Tables(database, self.name, TABLES)
        self._database = database
        self._matches = matches
        self._imports = imports
        self._players = players

    # ---------------------------------------------------------------------------------------------------- projecting

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect."""
        own = {stream: version for stream, version in streams.items() if stream.startswith("match-")}
        imported = {stream: version for stream, version in streams.items() if stream not in own}
        rows = build_rows(own, self._matches.read_since, self._build_row)
        rows += build_rows(imported, self.read_import, build_import_row)
        # In one order, so that transactions that enter the same matches do not wait for each other.
        rows.sort(key=lambda row: str(row.values["id"]))
        return lambda connection: self._enter(connection, rows)

    def _enter(self, connection: sa.Connection, rows: Sequence[MatchRow]) -> None:
        for matches, terms, counts in self.table.targets(connection):
            entered = insert_newer(connection, matches, [row.values for row in rows])
            wanted = [each for row in rows if row.values["id"] in entered for each in list_term_rows(row)]
            change = replace_rows(connection, terms, sorted(entered), wanted)
            add_counts(connection, counts, _count_public(change))

    def remove(self, match: str) -> None:
        """Take a match off the list that is not recorded any more. DatabaseUnavailable."""
        with self._database.writing() as connection:
            for matches, terms, counts in self.table.targets(connection):
                change = replace_rows(connection, terms, [match], [])
                add_counts(connection, counts, _count_public(change))
                connection.execute(sa.delete(matches).where(matches.c.id == match))

    def _build_row(self, match: Match) -> MatchRow | None:
        return build_row(match, self._name_account)

    def _name_account(self, account: str) -> str:
        try:
            return self._players.read_until(account, lambda player: player.version > 0, near=1).name
        except StreamError:
            # A damaged account must not keep its matches off the list.
            return ""

    def read_import(self, stream: str, version: int | None) -> ReadImport:
        """The import and the events of its match; no events if our own match has them too."""
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

    # ------------------------------------------------------------------------------------------------------- reading

    def read(
        self,
        wanted: MatchFilter,
        who: Principal | None,
        limit: int,
        cursor: str | None,
        sort: str = "created",
        order: str = "desc",
    ) -> Page:
        """A page of the wanted matches that `who` may read, in an order of SORTS and ORDERS.

        BadRequest if the cursor is not one of the list in this order.
        """
        name = f"{self.name} by {sort} {order}"
        place = parse_place(name, cursor, by_number=True)
        tables = self.table.live
        with self._database.reading() as connection:
            spans, rest = find_spans(connection, tables, wanted.search(sort, who))
            keep = sa.and_(may_see(tables, who), *wanted.ranges(tables, sort), *(meets(tables, each) for each in rest))
            return read_page(connection, Listing(name, spans, tables.matches, keep, order == "desc"), limit, place)

    def select(self, ids: Iterable[str], wanted: MatchFilter, who: Principal | None) -> dict[str, Json]:
        """The rows of those of these matches that `who` may read and that are wanted, by their ids."""
        tables = self.table.live
        search = wanted.search("ended", who)
        matches = tables.matches
        found = sa.select(matches.c.id, matches.c.data).where(
            matches.c.id.in_(ids),
            may_see(tables, who),
            *wanted.ranges(tables, "ended"),
            *(meets(tables, each) for each in search.conditions),
        )
        with self._database.reading() as connection:
            return {id: orjson.loads(data) for id, data in connection.execute(found)}

    def list_open(self, account: str, limit: int) -> set[str]:
        """The matches that the account has created and that are not over, at most `limit`; none of tournaments."""
        return self._list_term(make_term("open-of", account), limit)

    def list_open_with_bots(self, account: str, limit: int) -> set[str]:
        """Those of `list_open` that have built-in bots."""
        return self._list_term(make_term("bots-of", account), limit)

    def _list_term(self, term: str, limit: int) -> set[str]:
        terms = self.table.live.terms
        found = sa.select(terms.c.match).where(terms.c.term == term).limit(limit)
        with self._database.reading() as connection:
            return set(connection.scalars(found))

    def count(self, rulesets: Sequence[str]) -> dict[str, int]:
        """The number of public matches of each of these rulesets, in all versions."""
        counts = self.table.live.counts
        found = sa.select(counts.c.ruleset, counts.c.matches).where(counts.c.ruleset.in_(rulesets))
        with self._database.reading() as connection:
            return {**dict.fromkeys(rulesets, 0), **{row.ruleset: row.matches for row in connection.execute(found)}}


def _count_public(change: Change) -> dict[str, int]:
    """What a change of terms adds to the number of public matches of each ruleset."""
    added: Counter[str] = Counter()
    for rows, sign in ((change.come, 1), (change.gone, -1)):
        for row in rows:
            if not row["private"] and row["term"].startswith(RULESET):
                added[row["term"].removeprefix(RULESET)] += sign
    return added
