"""The projection of the explorer: counts the matches that everybody may read and that were found without fault.

A match that is annulled or refuted leaves again, with everything that was counted for it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import orjson
import sqlalchemy as sa

from plyscribe.domain.match import Match
from plyscribe.domain.replay import replay
from plyscribe.service.database.engine import Database, insert_missing
from plyscribe.service.database.rows import AT_ONCE, delete_rows, insert_rows, put_sums, update_rows
from plyscribe.service.database.table_sets import Enter, Tables, enter_nothing
from plyscribe.service.explorer.counted_matches import NOTHING, Facts, find_facts
from plyscribe.service.explorer.explorer_tables import ExplorerTables, open_explorer_tables
from plyscribe.service.lists.match_rows import ReadImport, judged_status
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.streams.handler import Handler

UNKNOWN = -1
"""The version of a row that only keeps the place of a match while it is entered."""

KNOWN = ("id", "version", "counts", "seats", "options", "at", "month", "winners", "opening", "terms")
VALUES = ("version", "counts", *NOTHING)
"""The columns of a match that change."""


class MatchCounts:
    """The explorer, as a projection of all matches and imports."""

    name = "explorer"
    kinds = ("match", "import")

    def __init__(
        self,
        database: Database,
        matches: Handler[Match],
        read_import: Callable[[str, int | None], ReadImport],
    ) -> None:
        self.table: Tables[ExplorerTables] = open_explorer_tables(database)
        self._database = database
        self._matches = matches
        self._read_import = read_import

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect."""
        own = {stream: version for stream, version in streams.items() if stream.startswith("match-")}
        imported = {stream: version for stream, version in streams.items() if stream not in own}
        facts = build_rows(own, self._matches.read_since, _find_own)
        facts += build_rows(imported, self._read_import, _find_imported)
        if not facts:
            return enter_nothing
        # In one order, so that transactions that enter the same matches do not wait for each other.
        facts.sort(key=lambda each: each.id)
        return lambda connection: self.enter(connection, facts)

    def remove(self, match: str) -> None:
        """Take a match out that is not recorded any more. DatabaseUnavailable."""
        with self._database.writing() as connection:
            for tables in self.table.targets(connection):
                for row in _lock_rows(connection, tables, [match]).values():
                    _replace_counts(connection, tables, [row], [])
                connection.execute(sa.delete(tables.matches).where(tables.matches.c.id == match))

    def enter(self, connection: sa.Connection, facts: Sequence[Facts]) -> None:
        """Enter what is kept of some matches, in the order of their ids, unless newer versions of them are entered."""
        for tables in self.table.targets(connection):
            places = [each for each in facts if each.counts or each.is_final]
            insert_missing(connection, tables.matches, [_make_row(each, UNKNOWN, False, NOTHING) for each in places])
            known = _lock_rows(connection, tables, [each.id for each in facts])
            newer = [each for each in facts if each.id in known and known[each.id]["version"] < each.version]
            rows = [_make_row(each, each.version, each.counts, each.values) for each in newer]
            # A match that is scored after it was verified has the same moves.
            changed = [row for row in rows if _counts_otherwise(known[row["id"]], row)]
            _replace_counts(connection, tables, [known[row["id"]] for row in changed], changed)
            update_rows(connection, tables.matches, rows, VALUES)


def _find_own(match: Match) -> Facts | None:
    # The lists say why a match without a first event is left out: it may be private.
    if match.lifecycle is None or match.life.created.private:
        return None
    return find_facts(match, match.stream, match.version, match.life.status)


def _find_imported(read: ReadImport) -> Facts | None:
    state, copied = read
    if state.address is None or state.begun is None or state.begun.private or not copied:
        return None
    match = replay(state.address, copied)
    if match.lifecycle is None or match.life.created.private:
        return None
    return find_facts(match, state.stream, state.version, judged_status(match.life.status, state))


def _make_row(facts: Facts, version: int, counts: bool, values: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": facts.id, "version": version, "counts": counts, **values}


def _counts_otherwise(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return any(old[name] != new[name] for name in KNOWN if name != "version")


def _lock_rows(connection: sa.Connection, tables: ExplorerTables, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The rows of these matches, which nobody else changes until the transaction ends."""
    asked, found = _select_known(tables.matches), dict[str, dict[str, Any]]()
    for some in _in_batches(ids):
        found.update((row.id, dict(row._mapping)) for row in connection.execute(asked, {"ids": some}))
    return found


@cache
def _select_known(matches: sa.Table) -> sa.Select[Any]:
    asked = sa.select(*(matches.c[name] for name in KNOWN)).where(matches.c.id.in_(sa.bindparam("ids", expanding=True)))
    return asked.order_by(matches.c.id).with_for_update()


def _in_batches(ids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def _replace_counts(
    connection: sa.Connection,
    tables: ExplorerTables,
    old: Sequence[Mapping[str, Any]],
    new: Sequence[Mapping[str, Any]],
) -> None:
    """Take away what was counted for the old rows of some matches, and count the new ones."""
    gone, come = ([row for row in rows if row["counts"]] for rows in (old, new))
    for table, list_rows in ((tables.plies, _list_plies), (tables.terms, _list_terms)):
        delete_rows(connection, table, [each for row in gone for each in list_rows(row)])
        insert_rows(connection, table, [each for row in come for each in list_rows(row)])
    counts: Counter[tuple[Any, ...]] = Counter(each for row in come for each in _list_moves(row))
    counts.subtract(each for row in gone for each in _list_moves(row))
    _add_counts(connection, tables.moves, counts)


def _list_plies(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "at": row["at"], "match": row["id"], "ply": ply, "move": move}
        for ply, key, move in orjson.loads(row["opening"])
    ]


def _list_terms(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"term": term, "at": row["at"], "match": row["id"]} for term in orjson.loads(row["terms"])]


def _list_moves(row: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The keys of the counts that a match adds one to. A position that it comes back to counts once for each move."""
    sort = row["seats"], row["options"], row["month"], row["winners"]
    return [
        (key, move, *sort) for key, move in dict.fromkeys((key, move) for _, key, move in orjson.loads(row["opening"]))
    ]


def _add_counts(connection: sa.Connection, table: sa.Table, counts: Mapping[tuple[Any, ...], int]) -> None:
    """Add to the counts, in the order of their keys. A count of nothing has no row."""
    key = [column.name for column in table.primary_key.columns]
    rows = [dict(zip(key, at, strict=True), matches=number) for at, number in sorted(counts.items()) if number]
    if not rows:
        return
    connection.execute(put_sums(connection.dialect.name, table, "matches"), rows)
    if less := [row for row in rows if row["matches"] < 0]:
        this = [table.c[name] == sa.bindparam(f"of_{name}") for name in key]
        bound = [{f"of_{name}": row[name] for name in key} for row in less]
        connection.execute(sa.delete(table).where(*this, table.c.matches <= 0), bound)
