"""Ratings: the fold of a ruleset's ledger, in integers, so that every process and every rebuild has the same numbers.

The model is Weng and Lin's Bradley-Terry with full pairing, by openskill. It compares every two seats of a match, so
that seats which tie move together and stand between those above and below them, whatever their number; Plackett-Luce
puts two tied winners of five or six below the third, and Thurstone-Mosteller takes a tie of five newcomers for near
certainty about all of them.

Numbers are millionths. After each match they are rounded, hence a ledger that is folded entry by entry gives what it
gives when it is folded at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import NamedTuple

from openskill.models import BradleyTerryFull

from domain.chain import StoredEvent
from domain.ledger import MatchRated, MatchUnrated, RatingsOpened, read_entries
from service.errors import UnknownModel

MICRO = 1_000_000
MODEL = "bradley-terry-full"
PARAMETERS = {"mu": 25_000_000, "sigma": 8_333_333, "beta": 4_166_667, "kappa": 100, "tau": 83_333}
"""The library's own, in millionths: what a new ledger begins with."""

LIBRARY = f"openskill {version('openskill')}"


class Rating(NamedTuple):
    """What is believed of a player's strength, in millionths: the mean, and the standard deviation of that belief."""

    mu: int
    sigma: int

    @property
    def ordinal(self) -> int:
        """Three deviations below the mean: the strength that a player has all but surely shown."""
        return self.mu - 3 * self.sigma


class Model:
    """The model that a ledger names in its first entry; UnknownModel where this release does not have it."""

    def __init__(self, opening: RatingsOpened) -> None:
        if opening.model != MODEL or opening.parameters.keys() != PARAMETERS.keys():
            raise UnknownModel(opening.model)
        self.newcomer = Rating(opening.parameters["mu"], opening.parameters["sigma"])
        self._model = BradleyTerryFull(**{name: value / MICRO for name, value in opening.parameters.items()})

    def rate(self, before: Sequence[Rating], ranks: Sequence[int]) -> tuple[Rating, ...]:
        """The ratings after a match of players with these ratings and ranks, in the same order."""
        alone = [[self._model.rating(mu / MICRO, sigma / MICRO)] for mu, sigma in before]
        rated = self._model.rate(alone, ranks=list(ranks))
        return tuple(Rating(round(one.mu * MICRO), round(one.sigma * MICRO)) for [one] in rated)


def open_ratings(ruleset: str) -> RatingsOpened:
    """The first entry of a new ledger."""
    return RatingsOpened(ruleset, MODEL, PARAMETERS, LIBRARY)


class Entry(NamedTuple):
    """A match as it was entered in the ledger, at this version of it."""

    version: int
    at: int
    match: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]


class Step(NamedTuple):
    """A match that counts, and its players' ratings before and after it."""

    entry: Entry
    before: tuple[Rating, ...]
    after: tuple[Rating, ...]


class Standing(NamedTuple):
    """A player's rating, the number of matches that made it, and the last of them."""

    rating: Rating
    matches: int
    last: Step


class Row(NamedTuple):
    """A line of the table: its place (those with equal ordinals share one), and who stands there."""

    rank: int
    player: str
    standing: Standing


class Change(NamedTuple):
    """A player's rating with and without a match; None: no match of the player's counts."""

    player: str
    before: Rating | None
    after: Rating | None


Standings = Mapping[str, Standing]


@dataclass(frozen=True)
class Book:
    """The ratings that a ledger amounts to up to `version`: `entered` is what was ever rated, `steps` what counts."""

    stream: str
    version: int = 0
    head: bytes = b""
    opening: RatingsOpened | None = None
    entered: Mapping[str, Entry] = field(default_factory=dict)
    unrated: Mapping[str, int] = field(default_factory=dict)
    """The version of the entry that keeps the match from counting."""
    steps: tuple[Step, ...] = ()
    standings: Standings = field(default_factory=dict)

    @cached_property
    def table(self) -> list[Row]:
        """All players, the greatest ordinal first, then by id."""
        order = sorted(self.standings.items(), key=lambda item: (-item[1].rating.ordinal, item[0]))
        rows: list[Row] = []
        for place, (player, standing) in enumerate(order, 1):
            shared = rows and rows[-1].standing.rating.ordinal == standing.rating.ordinal
            rows.append(Row(rows[-1].rank if shared else place, player, standing))
        return rows

    def history(self, player: str) -> list[Step]:
        """The matches that made the player's rating, in the order of the ledger."""
        return [step for step in self.steps if player in step.entry.players]

    def standings_at(self, version: int, without: str | None = None) -> Standings:
        """The standings as they were at a version of the ledger, or would be had one match not counted."""
        never = version + 1
        counted = [
            entry
            for entry in self.entered.values()
            if entry.version <= version and self.unrated.get(entry.match, never) > version and entry.match != without
        ]
        return _count(self, counted, {}, known=self.steps)[1]


def fold_book(book: Book, entries: Iterable[StoredEvent]) -> Book:
    """The ratings after these entries of the ledger; StreamError where one cannot be read or does not follow.

    New matches cost the rating of each. One that is unrated costs a pass over all that count, and the rating of those
    on which it had an influence.
    """
    stored = list(entries)
    if not stored:
        return book
    read = _read_on(book, stored)
    if any(match in book.entered for match in read.unrated.keys() - book.unrated.keys()):
        counted = [entry for entry in read.entered.values() if entry.match not in read.unrated]
        steps, standings = _count(read, counted, {}, known=book.steps)
        return replace(read, steps=tuple(steps), standings=standings)
    fresh = [entry for entry in read.entered.values() if entry.version > book.version]
    steps, standings = _count(read, [entry for entry in fresh if entry.match not in read.unrated], book.standings)
    return replace(read, steps=(*book.steps, *steps), standings=standings)


def _read_on(book: Book, stored: Sequence[StoredEvent]) -> Book:
    """The book with what these entries say, nothing rated yet."""
    opening, entered, unrated = book.opening, dict(book.entered), dict(book.unrated)
    for event in read_entries(book.stream, book.version, book.head, stored):
        match event.data:
            case RatingsOpened() as opened:
                opening = opened
            case MatchRated(match, players, ranks):
                entered.setdefault(match, Entry(event.version, event.at, match, players, ranks))
            case MatchUnrated(match):
                unrated.setdefault(match, event.version)
    last = stored[-1]
    return replace(book, version=last.version, head=last.h, opening=opening, entered=entered, unrated=unrated)


def _count(
    book: Book, entries: Sequence[Entry], standings: Standings, known: Iterable[Step] = ()
) -> tuple[list[Step], Standings]:
    """The steps of these matches on top of `standings`, and the standings after them.

    A known step is taken as it is where its players come to it with the same ratings.
    """
    if not entries:
        return [], standings
    assert book.opening is not None  # it is the first entry of every ledger
    model, remembered, standings = Model(book.opening), {step.entry.version: step for step in known}, dict(standings)
    steps = []
    for entry in entries:
        before = tuple(standings[who].rating if who in standings else model.newcomer for who in entry.players)
        step = remembered.get(entry.version)
        if step is None or step.before != before:
            step = Step(entry, before, model.rate(before, entry.ranks))
        for who, rating in zip(entry.players, step.after, strict=True):
            standings[who] = Standing(rating, standings[who].matches + 1 if who in standings else 1, step)
        steps.append(step)
    return steps, standings


def compare_standings(before: Standings, after: Standings) -> list[Change]:
    """The ratings that differ, the greatest change first."""
    changes = [
        Change(who, before[who].rating if who in before else None, after[who].rating if who in after else None)
        for who in sorted(before.keys() | after.keys())
    ]
    return sorted((change for change in changes if change.before != change.after), key=lambda change: -_size(change))


def _size(change: Change) -> int:
    if change.before is None or change.after is None:
        return MICRO * MICRO
    return abs(change.after.mu - change.before.mu)
