"""The book of a ruleset: the ratings that its ledger amounts to, with the history of each player."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from rpds import HashTrieMap

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.ledger import LEDGER, MatchRated, MatchUnrated, RatingsOpened
from plyscribe.service.ratings.model import MICRO, Model, Rating


class Entry(NamedTuple):
    """A match as it was entered in the ledger, and the version of the ledger at which it was."""

    version: int
    at: int
    match: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]


class RatingStep(NamedTuple):
    """A match that counts, with its players' ratings before and after it."""

    entry: Entry
    before: tuple[Rating, ...]
    after: tuple[Rating, ...]


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's rating, the number of matches behind it, the last of these, and the player's rating before that."""

    rating: Rating
    matches: int
    last: RatingStep
    before: "PlayerRating | None" = field(default=None, compare=False, repr=False)


class Row(NamedTuple):
    """A line of the table: the rank (players with equal ordinals share one), the player, and the player's rating."""

    rank: int
    player: str
    standing: PlayerRating


class Change(NamedTuple):
    """A player's rating before and after a change; None if no match of the player counts."""

    player: str
    before: Rating | None
    after: Rating | None


Standings: TypeAlias = "HashTrieMap[str, PlayerRating]"
"""The rating of each player. Immutable; a change of one player does not copy the others."""


@dataclass(frozen=True)
class Book:
    """The ratings that a ledger amounts to up to `version`; `entered` holds every match that was ever rated."""

    stream: str
    version: int = 0
    head: bytes = b""
    opening: RatingsOpened | None = None
    entered: "HashTrieMap[str, Entry]" = field(default_factory=HashTrieMap)
    unrated: "HashTrieMap[str, int]" = field(default_factory=HashTrieMap)
    """The matches that do not count, each with the version of the entry that says so."""
    standings: Standings = field(default_factory=HashTrieMap)

    @cached_property
    def table(self) -> list[Row]:
        """All players, the greatest ordinal first, then by id."""
        order = sorted(self.standings.items(), key=lambda item: (-item[1].rating.ordinal, item[0]))
        rows: list[Row] = []
        for place, (player, standing) in enumerate(order, 1):
            shared = rows and rows[-1].standing.rating.ordinal == standing.rating.ordinal
            rows.append(Row(rows[-1].rank if shared else place, player, standing))
        return rows

    def history(self, player: str) -> list[RatingStep]:
        """The matches behind the player's rating, in the order of the ledger."""
        steps, standing = [], self.standings.get(player)
        while standing is not None:
            steps.append(standing.last)
            standing = standing.before
        return steps[::-1]

    def standings_at(self, version: int, without: str | None = None) -> Standings:
        """The standings at a version of the ledger, or what they would be if the match `without` did not count.

        Costs a pass over the matches since the first one that counts either there or now, but not both.
        """
        never = version + 1

        def counts(entry: Entry) -> bool:
            unrated = self.unrated.get(entry.match, never)
            return entry.version <= version < unrated and entry.match != without

        changed = [entry.version for entry in self._list_unrated() if counts(entry)]
        if without is not None and without in self.entered:
            changed.append(self.entered[without].version)
        return self._count_from(min((version + 1, *changed)), counts)

    def _list_unrated(self) -> list[Entry]:
        return [self.entered[match] for match in self.unrated if match in self.entered]

    def _count_from(self, first: int, counts: Callable[[Entry], bool], fresh: Sequence[Entry] = ()) -> Standings:
        """The standings if, of the matches since version `first` and the `fresh` ones, those count that `counts`."""
        standings, undone = _rewind(self.standings, first)
        left_out = [entry for entry in self._list_unrated() if entry.version >= first]
        entries = [*(step.entry for step in undone.values()), *left_out, *fresh]
        return _count(self.opening, standings, sorted(filter(counts, entries)), undone)


def fold_book(book: Book, entries: Iterable[StoredEvent]) -> Book:
    """The book after these entries of the ledger; StreamError if one cannot be read or does not follow.

    A new match costs one rating. A match that is unrated costs a pass over all matches since, and one rating for each
    match that it influenced.
    """
    stored = list(entries)
    if not stored:
        return book
    opening, entered, unrated = book.opening, book.entered, book.unrated
    fresh, first = [], stored[0].version
    for event in LEDGER.read(book, stored):
        data: Any = event.data
        match data:
            case RatingsOpened() as opened:
                opening = opened
            case MatchRated(match, players, ranks) if match not in entered:
                fresh.append(Entry(event.version, event.at, match, players, ranks))
                entered = entered.insert(match, fresh[-1])
            case MatchUnrated(match) if match not in unrated:
                unrated = unrated.insert(match, event.version)
                first = min(first, entered[match].version if match in entered else first)
    last = stored[-1]
    read = replace(book, version=last.version, head=last.h, opening=opening, entered=entered, unrated=unrated)
    if first <= book.version:
        return replace(read, standings=read._count_from(first, lambda entry: entry.match not in unrated, fresh))
    counted = [entry for entry in fresh if entry.match not in unrated]
    return replace(read, standings=_count(opening, book.standings, counted, {}))


def _rewind(standings: Standings, first: int) -> tuple[Standings, dict[int, RatingStep]]:
    """The standings before the matches at version `first` or later, and the steps of these matches by version."""
    undone: dict[int, RatingStep] = {}
    for who, standing in standings.items():
        before: PlayerRating | None = standing
        while before is not None and before.last.entry.version >= first:
            undone[before.last.entry.version] = before.last
            before = before.before
        if before is None:
            standings = standings.remove(who)
        elif before is not standing:
            standings = standings.insert(who, before)
    return standings, undone


def _count(
    opening: RatingsOpened | None, standings: Standings, entries: Sequence[Entry], known: Mapping[int, RatingStep]
) -> Standings:
    """The standings after these matches. A known step is reused if its players come to it with the same ratings."""
    if not entries:
        return standings
    assert opening is not None  # it is the first entry of every ledger
    model = Model(opening)
    for entry in entries:
        were = [standings.get(who) for who in entry.players]
        before = tuple(model.newcomer if was is None else was.rating for was in were)
        step = known.get(entry.version)
        if step is None or step.before != before:
            step = RatingStep(entry, before, model.rate(before, entry.ranks))
        for who, was, rating in zip(entry.players, were, step.after, strict=True):
            standings = standings.insert(who, PlayerRating(rating, was.matches + 1 if was else 1, step, was))
    return standings


def compare_standings(before: Standings, after: Standings) -> list[Change]:
    """The ratings that differ, the largest change first."""
    changes = [
        Change(who, before[who].rating if who in before else None, after[who].rating if who in after else None)
        for who in sorted({*before, *after})
    ]
    return sorted((change for change in changes if change.before != change.after), key=lambda change: -_size(change))


def _size(change: Change) -> int:
    if change.before is None or change.after is None:
        return MICRO * MICRO
    return abs(change.after.mu - change.before.mu)
