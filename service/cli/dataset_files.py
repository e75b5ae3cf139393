"""The matches of a dataset from files: full exports of stores, and bundles."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.bundle.report import check_match
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.match import Match, fold
from plyscribe.service.cli.full_export import BEGINNING, locate_streams, read_located
from plyscribe.service.datasets.making import Candidate, Order
from plyscribe.service.datasets.tabulating import judge

_TABLE = """
    CREATE TABLE found (match TEXT PRIMARY KEY, ended_at INT, version INT, file INT, place INT, length INT)
    WITHOUT ROWID
"""
_NOTE = """
    INSERT INTO found VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (match) DO UPDATE SET
        ended_at = excluded.ended_at, version = excluded.version, file = excluded.file, place = excluded.place,
        length = excluded.length
    WHERE excluded.version > version
"""
"""Of a match that is in several files, the copy with most events counts, and of these the first."""


def list_candidates_in(files: Sequence[Path], order: Order, left_out: Counter[str]) -> Iterator[Candidate]:
    """The matches in these files that may belong to the dataset, in the order of their ends, then of their ids.

    `left_out` counts the others of the ruleset, by the reason.

    A file can hold anything, so each match is checked as `plyscribe verify` does: one with a fault is left out. Its
    memory does not grow with the files. Raises ExportError or BundleError at the first file that is not sound, and
    OSError.
    """
    # A database without a name is in a file that is gone when this process is.
    with closing(sqlite3.connect("", isolation_level=None)) as found:
        found.execute(_TABLE)
        found.execute("BEGIN")
        for number, path in enumerate(files):
            for row in _list_matches(path, order, left_out):
                found.execute(_NOTE, (*row[:3], number, *row[3:]))
        for match, file, place, length in found.execute(
            "SELECT match, file, place, length FROM found ORDER BY ended_at, match"
        ):
            entries = _read(files[file], place, length)
            if check_match(match, entries).fault is None:
                yield Candidate(match, entries)
            else:
                left_out["faulty"] += 1


_Row = tuple[str, int, int, int, int]
"""A match, its end, its number of events, and where it is: a length of 0 is a bundle."""


def _list_matches(path: Path, order: Order, left_out: Counter[str]) -> Iterator[_Row]:
    with path.open("rb") as file:
        is_export = file.read(len(BEGINNING)) == BEGINNING
    if not is_export:
        bundle = parse_bundle(path.read_bytes())
        yield from _note(bundle.head.match, bundle.entries, (order, left_out), 0, 0)
        return
    for (stream, entries), offset, length in locate_streams(path):
        if stream.startswith("match-"):
            yield from _note(stream, entries, (order, left_out), offset, length)


def _note(
    match: str, entries: Sequence[StoredEvent], wanted: tuple[Order, Counter[str]], place: int, length: int
) -> Iterator[_Row]:
    order, left_out = wanted
    # To replay the matches of all other rulesets would be for nothing.
    if f'"ruleset":"{order.ruleset}"'.encode() not in entries[0].e:
        return
    state = fold(Match(match), entries)
    if why := judge(state, order.ruleset, order.until_ms):
        left_out[why] += 1
    else:
        yield match, state.life.ended_at, state.version, place, length


def _read(path: Path, place: int, length: int) -> Sequence[StoredEvent]:
    return read_located(path, place, length) if length else parse_bundle(path.read_bytes()).entries
