"""Counts the opening lines of matches, on disk as far as they are many."""

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import orjson

from plyscribe.service.datasets.schema import OPENING_MATCHES
from plyscribe.service.datasets.tabulating import MatchRows

_TABLES = """
    CREATE TABLE lines (
        key BLOB PRIMARY KEY, split TEXT, ruleset_version INT, options TEXT, seats INT, ply INT, line TEXT,
        position TEXT, matches INT
    ) WITHOUT ROWID;
    CREATE TABLE ranks (key BLOB, seat INT, firsts INT, ranks INT, PRIMARY KEY (key, seat)) WITHOUT ROWID;
"""
_LINE = """
    INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (key) DO UPDATE SET matches = matches + 1
"""
_RANK = """
    INSERT INTO ranks VALUES (?, ?, ?, ?)
    ON CONFLICT (key, seat) DO UPDATE SET firsts = firsts + excluded.firsts, ranks = ranks + excluded.ranks
"""
_FOUND = """
    SELECT * FROM lines WHERE matches >= ? ORDER BY ruleset_version, options, seats, split, ply, line
"""


class Openings:
    """How many matches began with each line, and how they ended. Its memory does not grow with them."""

    def __init__(self) -> None:
        # A database without a name is in a file that is gone when this process is.
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.executescript(_TABLES)
        self._rows.execute("BEGIN")

    def close(self) -> None:
        """Drop the counts."""
        self._rows.close()

    def add(self, rows: MatchRows) -> None:
        """Count the lines of a match."""
        match, ranks = rows.match, rows.match["ranks"]
        same = (match["split"], match["ruleset_version"], match["options"], len(ranks))
        for ply, steps, position in rows.openings:
            line = orjson.dumps(steps).decode()
            key = sha256(orjson.dumps((*same, ply, line))).digest()[:16]
            self._rows.execute(_LINE, (key, *same, ply, line, position))
            each = ((key, seat, rank == 1, rank) for seat, rank in enumerate(ranks, 1))
            self._rows.executemany(_RANK, each)

    def list_rows(self) -> Iterator[dict[str, Any]]:
        """The rows of `openings`, in order."""
        for key, split, version, options, seats, ply, line, position, matches in self._rows.execute(
            _FOUND, (OPENING_MATCHES,)
        ):
            ranks = self._rows.execute("SELECT firsts, ranks FROM ranks WHERE key = ? ORDER BY seat", (key,)).fetchall()
            yield {
                "split": split,
                "ruleset_version": version,
                "options": options,
                "seats": seats,
                "ply": ply,
                "line": orjson.loads(line),
                "position": position,
                "matches": matches,
                "firsts": [firsts for firsts, _ in ranks],
                "rank_sums": [total for _, total in ranks],
            }
