"""What unrating a match changed, or would change: the ratings with and without it, at a version of the ledger.

The rows say what counts now. Standings as of an earlier version differ from them where matches were unrated since. So
they are found by rating again what such matches influence, up to that version.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import sqlalchemy as sa

from plyscribe.service.errors import ReportBusy
from plyscribe.service.ratings.influence import Entry, Standing, rate_again
from plyscribe.service.ratings.model import MICRO, Rating
from plyscribe.service.ratings.retrieval import Rows

PAGE = 500
"""Matches that are read at a time."""


class Change(NamedTuple):
    """A player's rating before and after a change; None if no match of the player counts."""

    player: str
    before: Rating | None
    after: Rating | None


Standings = dict[str, Standing]
"""The players whose standings at a version differ from those that follow from the rows."""


def compare_unrated(rows: Rows, match: str, version: int) -> list[Change]:
    """The ratings that differed right after the match was unrated at a version, the largest change first.

    Empty if the match never counted. ReportBusy unless the ledger is folded up to that version.
    """
    _require_folded(rows, version)
    if match not in rows.places([match]):
        return []
    return _compare(rows, version, _differ_at(rows, version - 1), _differ_at(rows, version))


def compare_without(rows: Rows, match: str, version: int) -> list[Change]:
    """The ratings that would have differed at a version without the match, the largest change first.

    Empty if the match does not count. ReportBusy unless the ledger is folded up to that version.
    """
    _require_folded(rows, version)
    if match in rows.unrated([match]) or match not in rows.places([match]):
        return []
    return _compare(rows, version, _differ_at(rows, version), _differ_at(rows, version, without=match))


def _require_folded(rows: Rows, version: int) -> None:
    if version > rows.fold().version:
        raise ReportBusy("the ratings are being computed again: ask again later")


def _differ_at(rows: Rows, version: int, without: str | None = None) -> Standings:
    """Whose standings at a version, perhaps without a match, differ from those of the rows at that version."""
    first = _find_first(rows, version, without)
    differing: Standings = {}
    if first is None:
        return differing
    model = rows.fold().make_model()
    newcomer = Standing(model.newcomer, 0)
    for entries in _read_pages(rows, first - 1, version):
        unrated = rows.unrated(entry.match for entry in entries)
        known = rows.steps(entries[0].version, entries[-1].version)
        made = rate_again(
            model,
            entries,
            _make_rule(unrated, version, without),
            known,
            differing,
            lambda player, before: rows.standing(player, before) or newcomer,
        )
        for _ in made:
            pass
    return differing


def _make_rule(unrated: dict[str, int], version: int, without: str | None) -> Callable[[Entry], bool]:
    return lambda entry: entry.match != without and unrated.get(entry.match, version + 1) > version


def _find_first(rows: Rows, version: int, without: str | None) -> int | None:
    """The first match up to a version that counts either there or in the rows, but not both; None if there is none."""
    matches, unrated = rows.tables.matches, rows.tables.unrated
    since = (
        sa.select(sa.func.min(matches.c.version))
        .join(unrated, (unrated.c.ruleset == matches.c.ruleset) & (unrated.c.match == matches.c.match))
        .where(unrated.c.ruleset == rows.ruleset, unrated.c.version > version, matches.c.version <= version)
    )
    first = rows.connection.scalar(since)
    found = [*rows.places([without] if without else []).values(), *([first] if first is not None else [])]
    return min(found, default=None)


def _read_pages(rows: Rows, after: int, upto: int) -> Iterator[list[Entry]]:
    while entries := rows.matches(after, upto, PAGE):
        yield entries
        after = entries[-1].version


def _compare(rows: Rows, version: int, before: Standings, after: Standings) -> list[Change]:
    changes: list[Change] = []
    for player in sorted({*before, *after}):
        known = None if player in before and player in after else rows.standing(player, version + 1)
        change = Change(player, _rating(before.get(player, known)), _rating(after.get(player, known)))
        if change.before != change.after:
            changes.append(change)
    return sorted(changes, key=lambda change: -_size(change))


def _rating(standing: Standing | None) -> Rating | None:
    return standing.rating if standing is not None and standing.matches else None


def _size(change: Change) -> int:
    if change.before is None or change.after is None:
        return MICRO * MICRO
    return abs(change.after.mu - change.before.mu)
