"""Rows of ratings as values, read within a transaction."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.domain.ledger import RatingsOpened
from plyscribe.service.ratings.columns import RatingTables
from plyscribe.service.ratings.influence import Entry, Standing, Step, Steps
from plyscribe.service.ratings.model import Model, Rating

AT_ONCE = 500
"""How many rows are named in a statement at most."""

Row = dict[str, Any]


class Fold(NamedTuple):
    """How far a ledger is folded; and up to which target all matches since an unrated one are being rated again."""

    version: int = 0
    head: bytes = b""
    opening: Row | None = None
    """The ledger's first entry."""

    target: int | None = None
    target_head: bytes | None = None
    reached: int | None = None
    """The version of the last match that was rated again, while there is a target."""

    def make_model(self) -> Model:
        """The model that the ledger names; UnknownModel."""
        assert self.opening is not None  # it is the first entry of every ledger
        return Model(RatingsOpened(**self.opening))


class Rows:
    """The rows of one ruleset in these tables, as a transaction sees them."""

    def __init__(self, connection: sa.Connection, tables: RatingTables, ruleset: str) -> None:
        self.connection = connection
        self.tables = tables
        self.ruleset = ruleset

    def fold(self) -> Fold:
        """How far the ledger is folded.

        Read this first: a transaction that has done so and one that switches tables never wait for each other.
        """
        ledgers = self.tables.ledgers
        columns = [ledgers.c[name] for name in Fold._fields]
        row = self.connection.execute(sa.select(*columns).where(ledgers.c.ruleset == self.ruleset)).first()
        return Fold() if row is None else Fold(*row)

    def matches(self, after: int, upto: int, limit: int) -> list[Entry]:
        """The first `limit` matches that were entered after a version and up to another."""
        matches = self.tables.matches
        asked = (
            sa.select(matches.c.version, matches.c.at, matches.c.match, matches.c.players, matches.c.ranks)
            .where(matches.c.ruleset == self.ruleset, matches.c.version > after, matches.c.version <= upto)
            .order_by(matches.c.version)
            .limit(limit)
        )
        return [
            Entry(version, at, match, tuple(players), tuple(ranks))
            for version, at, match, players, ranks in self.connection.execute(asked)
        ]

    def places(self, matches: Iterable[str]) -> dict[str, int]:
        """The versions at which these matches were entered; without those that were not."""
        return self._find_versions(self.tables.matches, matches)

    def unrated(self, matches: Iterable[str]) -> dict[str, int]:
        """The versions at which these matches were unrated; without those that were not."""
        return self._find_versions(self.tables.unrated, matches)

    def _find_versions(self, table: sa.Table, matches: Iterable[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for some in in_batches(matches):
            asked = sa.select(table.c.match, table.c.version).where(
                table.c.ruleset == self.ruleset, table.c.match.in_(some)
            )
            found.update((match, version) for match, version in self.connection.execute(asked))
        return found

    def steps(self, first: int, last: int) -> dict[int, Steps]:
        """The steps of the matches from one version to another, by version and player."""
        steps = self.tables.steps
        asked = sa.select(steps).where(
            steps.c.ruleset == self.ruleset, steps.c.version >= first, steps.c.version <= last
        )
        found: dict[int, Steps] = {}
        for row in self.connection.execute(asked):
            found.setdefault(row.version, {})[row.player] = Step(
                Standing(Rating(row.before_mu, row.before_sigma), row.matches - 1),
                Standing(Rating(row.after_mu, row.after_sigma), row.matches),
            )
        return found

    def standing(self, player: str, before: int) -> Standing | None:
        """A player's standing before a version of the ledger; None if no earlier match of theirs counts."""
        steps = self.tables.steps
        asked = (
            sa.select(steps.c.after_mu, steps.c.after_sigma, steps.c.matches)
            .where(steps.c.ruleset == self.ruleset, steps.c.player == player, steps.c.version < before)
            .order_by(steps.c.version.desc())
            .limit(1)
        )
        row = self.connection.execute(asked).first()
        return None if row is None else Standing(Rating(row.after_mu, row.after_sigma), row.matches)

    def ratings(self, players: Iterable[str]) -> dict[str, Any]:
        """The rows of these players in the table of ratings; without those who have none."""
        ratings = self.tables.ratings
        found: dict[str, Any] = {}
        for some in in_batches(players):
            asked = sa.select(ratings).where(ratings.c.ruleset == self.ruleset, ratings.c.player.in_(some))
            found.update((row.player, row) for row in self.connection.execute(asked))
        return found

    def last_steps(self, players: Sequence[str]) -> dict[str, Row]:
        """The last steps of these players, at most AT_ONCE; without those who have none."""
        steps = self.tables.steps
        last = (
            sa.select(steps.c.player, sa.func.max(steps.c.version).label("version"))
            .where(steps.c.ruleset == self.ruleset, steps.c.player.in_(players))
            .group_by(steps.c.player)
            .subquery()
        )
        asked = sa.select(steps).join(last, (steps.c.version == last.c.version) & (steps.c.player == last.c.player))
        found = self.connection.execute(asked.where(steps.c.ruleset == self.ruleset)).mappings()
        return {row["player"]: dict(row) for row in found}


def standing_of(row: Any) -> Standing:
    """The standing that a row of the table of ratings holds."""
    return Standing(Rating(row.mu, row.sigma), row.matches)


def describe_steps(ruleset: str, entry: Entry, steps: Steps) -> list[Row]:
    """The rows of the steps of a match."""
    return [
        {
            "ruleset": ruleset,
            "version": entry.version,
            "player": player,
            "match": entry.match,
            "at": entry.at,
            "rank": rank,
            "seats": len(entry.players),
            "before_mu": steps[player].before.rating.mu,
            "before_sigma": steps[player].before.rating.sigma,
            "after_mu": steps[player].after.rating.mu,
            "after_sigma": steps[player].after.rating.sigma,
            "matches": steps[player].after.matches,
        }
        for player, rank in zip(entry.players, entry.ranks, strict=True)
    ]


def describe_rating(step: Row) -> Row:
    """The row of a player's rating, from the row of their last step."""
    rating = Rating(step["after_mu"], step["after_sigma"])
    return {
        "ruleset": step["ruleset"],
        "player": step["player"],
        "place": -rating.ordinal,
        "mu": rating.mu,
        "sigma": rating.sigma,
        "matches": step["matches"],
        "last_version": step["version"],
        "last_at": step["at"],
        "last_match": step["match"],
    }


def in_batches(names: Iterable[str]) -> Iterator[list[str]]:
    """These, AT_ONCE at a time."""
    every = list(names)
    for start in range(0, len(every), AT_ONCE):
        yield every[start : start + AT_ONCE]
