"""What follows from the streams, compared: the rows that were kept up to date through everything, and fresh ones."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from plyscribe.service.composition import Parts, compose_process
from plyscribe.service.lists.projections import rebuild
from plyscribe.service.live.inboxes import KEPT
from plyscribe.service.ratings.checking import check_rows
from tests.system.running import wait_for

NUMBERED = {"number", "newest", "dropped"}
"""Columns of inboxes that say when a letter was entered. A fresh inbox has other numbers."""

Rows = dict[str, set[tuple[Any, ...]]]


def find_differences(environ: Mapping[str, str]) -> list[str]:
    """What the read database has and fresh tables lack, or the other way round; empty if all is well."""
    parts = compose_process(environ)
    try:
        wait_for(lambda: _is_up_to_date(parts), within_s=120.0, why="the read database")
        kept = {projection.name: _dump(projection.table) for projection in parts.projections}
        wrong = list(_check_ratings(parts))
        for projection in parts.projections:
            rebuild(parts.store, projection)
        fresh = {projection.name: _dump(projection.table) for projection in parts.projections}
        leave_out_full(kept[parts.inboxes.tables.name], fresh[parts.inboxes.tables.name])
        return [*wrong, *(line for name in kept for line in _compare(kept[name], fresh[name]))]
    finally:
        parts.database.close()


def _is_up_to_date(parts: Parts) -> bool:
    lag = parts.lists.lag()
    return lag.entries == 0 and lag.complete


def _check_ratings(parts: Parts) -> Iterator[str]:
    wait_for(lambda: not parts.ratings.list_behind(), within_s=120.0, why="the ratings")
    tables = parts.ratings.tables
    for ruleset in parts.ratings.list_rulesets():
        with tables.database.reading() as connection:
            yield from check_rows(parts.store, connection, tables.live, ruleset).differences


def _dump(tables: Any) -> Rows:
    with tables.database.reading() as connection:
        return {
            table.name: set(
                map(tuple, connection.execute(sa.select(*(each for each in table.c if each.name not in NUMBERED))))
            )
            for table in tables.live
        }


def leave_out_full(kept: Rows, fresh: Rows) -> None:
    """Leave out the inboxes that have dropped letters: which ones are dropped depends on the order in which they came.

    They must have as many letters as are kept at least, in both.
    """
    letters = next(name for name in kept if name.startswith("inbox_letters"))
    counts = [Counter(player for player, *_ in rows[letters]) for rows in (kept, fresh)]
    full = {player for player in counts[0].keys() | counts[1].keys() if min(each[player] for each in counts) >= KEPT}
    for rows in (kept, fresh):
        for name in rows:
            rows[name] = {row for row in rows[name] if row[0] not in full}


def _compare(kept: Rows, fresh: Rows) -> Iterator[str]:
    for table in kept:
        yield from (f"{table} has {row}, and a fresh one does not" for row in sorted(kept[table] - fresh[table]))
        yield from (f"{table} lacks {row}, and a fresh one does not" for row in sorted(fresh[table] - kept[table]))
