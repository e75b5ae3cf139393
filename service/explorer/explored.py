"""What was played in a position: moves with counts and results, ratings, and the matches that came through it last.

The counts are kept move by move, so they cost the same however many matches they stand for. Ratings are those of the
ledger as it is folded now, so they are looked up for the latest matches alone; a filter by rating counts those, too.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.service.database.engine import Database
from plyscribe.service.database.table_sets import Tables
from plyscribe.service.explorer.explorer_tables import ExplorerTables
from plyscribe.service.ratings.columns import RatingTables
from plyscribe.service.ratings.model import MICRO

MOST_COUNTS = 50_000
"""The rows of counts that one answer adds up at most."""

LATEST = 200
"""The latest matches through a position whose ratings are looked up."""

LATEST_BY_RATING = 1_000
"""The same, if matches are wanted by rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which matches count."""

    seats: int | None = None
    options: str | None = None
    """What their options are counted under: see `label_options`."""

    since: int | None = None
    """They ended in this month or later: see `month_of`."""

    min_rating: float | None = None
    """The mean rating of their players before the match is this or more."""

    max_rating: float | None = None

    @property
    def by_rating(self) -> bool:
        """Whether they are wanted by rating."""
        return self.min_rating is not None or self.max_rating is not None

    def conditions(self, table: sa.Table) -> Iterator[sa.ColumnElement[bool]]:
        """The conditions except those on ratings, for a table with these columns."""
        if self.seats is not None:
            yield table.c.seats == self.seats
        if self.options is not None:
            yield table.c.options == self.options
        if self.since is not None:
            yield table.c.month >= self.since

    def has_rating(self, rating: float | None) -> bool:
        """Whether a match with this mean rating is wanted."""
        if not self.by_rating:
            return True
        low, high = self.min_rating, self.max_rating
        return rating is not None and (low is None or rating >= low) and (high is None or rating <= high)


class PlayedMove(NamedTuple):
    """A move as it is played in the folded position, and the matches that played it."""

    move: str
    matches: int
    won: Counter[int]
    """How many of them each seat won; seats that shared the first place each won."""

    drawn: int
    rating: float | None
    """The mean rating of the players before the latest of these matches; None if none of them is rated."""


class Passage(NamedTuple):
    """A match that came through the position, and the move that it played there."""

    match: str
    ply: int
    move: str
    at: int
    winners: str
    rating: float | None


class Explored(NamedTuple):
    """What was played in a position."""

    matches: int
    """The number of matches, counted once for each move that they played here."""

    moves: list[PlayedMove]
    """All moves, those that most matches played first."""

    latest: list[Passage]
    """The matches that ended last, newest first."""

    looked_at: int | None
    """If the counts are those of the latest matches only: how many of these were looked at. None: all are counted."""


class Explorer:
    """Reads what was played; safe to share between threads. DatabaseUnavailable."""

    def __init__(
        self,
        database: Database,
        table: Tables[ExplorerTables],
        ratings: Tables[RatingTables],
        is_complete: Callable[[], bool],
    ) -> None:
        self.is_complete = is_complete
        """Whether all matches are counted that the streams have."""

        self._table = table
        self._database = database
        self._ratings = ratings

    def read(self, ruleset: str, key: str, wanted: Wanted, latest: int) -> Explored:
        """What was played in the position with this key, and the latest matches through it."""
        most = LATEST_BY_RATING if wanted.by_rating else LATEST
        with self._database.reading() as connection:
            passages, looked_at = self._read_passages(connection, ruleset, key, wanted, max(most, latest))
            found = [each for each in passages if wanted.has_rating(each.rating)]
            if wanted.by_rating:
                moves, partial = _count_passages(found), looked_at == most
            else:
                moves, partial = self._read_moves(connection, key, wanted)
        ratings = _rate_moves(found)
        played = sorted(
            (PlayedMove(move, *counted, ratings.get(move)) for move, counted in moves.items()),
            key=lambda each: (-each.matches, each.move),
        )
        total = sum(each.matches for each in played)
        return Explored(total, played, found[:latest], (looked_at if wanted.by_rating else total) if partial else None)

    def _read_moves(self, connection: sa.Connection, key: str, wanted: Wanted) -> tuple["_Counts", bool]:
        """The counts of each move, and whether there are more than were read."""
        moves = self._table.live.moves
        rows = (
            sa.select(moves.c.move, moves.c.winners, moves.c.matches)
            .where(moves.c.key == key, *wanted.conditions(moves))
            .limit(MOST_COUNTS)
            .subquery()
        )
        number = sa.func.count()
        summed = sa.select(rows.c.move, rows.c.winners, sa.func.sum(rows.c.matches).label("matches"), number.label("n"))
        found = connection.execute(summed.group_by(rows.c.move, rows.c.winners)).all()
        counts = _count((row.move, row.winners, int(row.matches)) for row in found)
        return counts, sum(row.n for row in found) == MOST_COUNTS

    def _read_passages(
        self, connection: sa.Connection, ruleset: str, key: str, wanted: Wanted, most: int
    ) -> tuple[list[Passage], int]:
        """The latest passages that are wanted, whatever their rating, and how many were looked at."""
        plies, matches = self._table.live.plies, self._table.live.matches
        order = [plies.c.at.desc(), plies.c.match.desc(), plies.c.ply.desc()]
        last = sa.select(plies).where(plies.c.key == key).order_by(*order).limit(most).subquery("last")
        asked = (
            sa.select(last.c.match, last.c.ply, last.c.move, last.c.at, matches.c.winners)
            .join(matches, matches.c.id == last.c.match)
            .order_by(last.c.at.desc(), last.c.match.desc(), last.c.ply.desc())
        )
        looked_at = connection.scalar(sa.select(sa.func.count()).select_from(last)) or 0
        rows = connection.execute(asked.where(*wanted.conditions(matches))).all()
        ratings = self._read_ratings(connection, ruleset, {row.match for row in rows})
        return [Passage(*row, ratings.get(row.match)) for row in rows], looked_at

    def _read_ratings(self, connection: sa.Connection, ruleset: str, matches: Iterable[str]) -> dict[str, float]:
        """The mean rating of the players before each of these matches that counts for ratings."""
        rated, steps = self._ratings.live.matches, self._ratings.live.steps
        ordinal = steps.c.before_mu - 3 * steps.c.before_sigma
        found: dict[str, float] = {}
        names = sorted(matches)
        for start in range(0, len(names), 500):
            asked = (
                sa.select(rated.c.match, sa.func.sum(ordinal).label("sum"), sa.func.count().label("players"))
                .join(steps, (steps.c.ruleset == rated.c.ruleset) & (steps.c.version == rated.c.version))
                .where(rated.c.ruleset == ruleset, rated.c.match.in_(names[start : start + 500]))
                .group_by(rated.c.match)
            )
            found.update((row.match, float(row.sum) / row.players / MICRO) for row in connection.execute(asked))
        return found


_Counts = dict[str, tuple[int, Counter[int], int]]
"""By move: the number of matches, how many of them each seat won, and how many were drawn."""


def _count(counted: Iterable[tuple[str, str, int]]) -> _Counts:
    matches, drawn, won = Counter[str](), Counter[str](), defaultdict[str, Counter[int]](Counter)
    for move, winners, number in counted:
        matches[move] += number
        if not winners:
            drawn[move] += number
        for seat in filter(None, winners.split(",")):
            won[move][int(seat)] += number
    return {move: (number, won[move], drawn[move]) for move, number in matches.items()}


def _count_passages(passages: Sequence[Passage]) -> _Counts:
    once = dict.fromkeys((each.match, each.move, each.winners) for each in passages)
    return _count((move, winners, 1) for _, move, winners in once)


def _rate_moves(passages: Sequence[Passage]) -> dict[str, float]:
    rated: dict[str, list[float]] = {}
    for each in passages:
        if each.rating is not None:
            rated.setdefault(each.move, []).append(each.rating)
    return {move: sum(ratings) / len(ratings) for move, ratings in rated.items()}


def describe_rating(rating: float | None) -> float | None:
    """A rating for JSON, with two decimals."""
    return None if rating is None else round(rating, 2)


def describe_played(played: PlayedMove, seats: int) -> dict[str, Any]:
    """A move for JSON, without its notation."""
    return {
        "matches": played.matches,
        "won": [played.won[seat] for seat in range(1, seats + 1)],
        "drawn": played.drawn,
        "rating": describe_rating(played.rating),
    }
