"""Checks the rows of ratings: folds a ledger afresh, in the plainest way, and compares every row with the outcome."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.domain.codec import Event
from plyscribe.domain.errors import StreamError
from plyscribe.domain.ledger import LEDGER, Ledger, MatchRated, MatchUnrated, RatingsOpened, ledger_of
from plyscribe.service.ratings.columns import RatingTables, bin_of
from plyscribe.service.ratings.influence import Entry, Standing, Step
from plyscribe.service.ratings.model import Model
from plyscribe.service.ratings.retrieval import Row, Rows, describe_rating, describe_steps
from plyscribe.service.store.port import EventStore

PAGE = 500
"""Entries of a ledger that are read at a time."""

MOST_NAMED = 20
"""Differences that a report names. It counts all."""


class Checked(NamedTuple):
    """What a check found: the version up to which the rows are folded, what they hold, and where they are wrong."""

    ruleset: str
    version: int
    lag: int
    """How many entries the ledger had after that version."""

    matches: int
    """The matches that count."""

    players: int
    wrong: int
    """How many rows are wrong, missing or too many."""

    differences: list[str]
    """The first of them, each in a sentence."""


class _Differences:
    """Counts the rows that are wrong, and says what is wrong with the first ones."""

    def __init__(self) -> None:
        self.count = 0
        self.named: list[str] = []

    def compare(self, what: str, found: Mapping[Any, Row], expected: Mapping[Any, Row]) -> None:
        """Compare rows by their keys."""
        for key in sorted({*found, *expected}):
            if found.get(key) != expected.get(key):
                self._add(f"{what} {_format_key(key)}: {_explain(found.get(key), expected.get(key))}")

    def _add(self, text: str) -> None:
        self.count += 1
        if len(self.named) < MOST_NAMED:
            self.named.append(text)


def check_rows(
    store: EventStore,
    connection: sa.Connection,
    tables: RatingTables,
    ruleset: str,
    report: Callable[[int, int], object] = lambda done, total: None,
) -> Checked:
    """Compare the rows of a ruleset, as a transaction sees them, with its ledger up to the version that they stand for.

    Keeps the players in memory, and not the matches. `report` is called with the entries checked, and with how many
    there are. StoreError, StreamError and UnknownModel if the ledger cannot be folded.
    """
    rows, differences, plain = Rows(connection, tables, ruleset), _Differences(), _PlainFold(ruleset)
    fold = rows.fold()
    ledger, unrated = _read_unrated(store, ruleset, fold.version)
    folded = {"version": fold.version, "head": fold.head.hex()}
    stored = {"version": ledger.version, "head": ledger.head.hex()}
    differences.compare("the ledger of", {ruleset: folded}, {ruleset: stored})
    for events in _read_pages(store, Ledger(ledger.stream), ledger.version):
        places = rows.places(event.data.match for event in events if isinstance(event.data, MatchRated))
        entries, steps = plain.fold(events, places, unrated)
        _compare_page(rows, differences, entries, steps, events[0].version, events[-1].version)
        report(events[-1].version, ledger.version)
    _compare_ends(rows, differences, plain.ratings, unrated)
    [newest] = store.newest([ledger.stream])
    lag = max(0, (newest.version if newest else 0) - fold.version)
    return Checked(ruleset, fold.version, lag, plain.counted, len(plain.ratings), differences.count, differences.named)


class _PlainFold:
    """Rates one match after the other, and keeps the rating that each player has then."""

    def __init__(self, ruleset: str) -> None:
        self._ruleset = ruleset
        self._model: Model | None = None
        self._standings: dict[str, Standing] = {}
        self.ratings: dict[str, Row] = {}
        self.counted = 0

    def fold(
        self, events: Sequence[Event], places: Mapping[str, int], unrated: Container[str]
    ) -> tuple[list[Entry], list[Row]]:
        """The matches that these events enter, and the rows of the steps of those that count."""
        entries, steps = [], list[Row]()
        for event in events:
            data: Any = event.data
            if isinstance(data, RatingsOpened):
                self._model = Model(data)
            # A ledger that was put together from others may have a match twice. The first entry counts.
            elif isinstance(data, MatchRated) and places.get(data.match, event.version) == event.version:
                entries.append(Entry(event.version, event.at, data.match, data.players, data.ranks))
                steps += [] if data.match in unrated else self._rate(entries[-1])
        return entries, steps

    def _rate(self, entry: Entry) -> list[Row]:
        assert self._model is not None  # the ledger begins with it
        newcomer = Standing(self._model.newcomer, 0)
        before = [self._standings.get(who, newcomer) for who in entry.players]
        after = self._model.rate([standing.rating for standing in before], entry.ranks)
        steps = {
            who: Step(was, Standing(rating, was.matches + 1))
            for who, was, rating in zip(entry.players, before, after, strict=True)
        }
        made = describe_steps(self._ruleset, entry, steps)
        self._standings.update((who, step.after) for who, step in steps.items())
        self.ratings.update((step["player"], describe_rating(step)) for step in made)
        self.counted += 1
        return made


def _read_unrated(store: EventStore, ruleset: str, version: int) -> tuple[Ledger, dict[str, int]]:
    """The ledger at a version, or at its end if it has fewer entries, and the matches that do not count there."""
    ledger, unrated = Ledger(ledger_of(ruleset)), dict[str, int]()
    while ledger.version < version:
        stored = store.load(ledger.stream, ledger.version, limit=min(PAGE, version - ledger.version)).entries
        if not stored:
            break
        for event in _parse(ledger, stored):
            if isinstance(event.data, MatchUnrated):
                unrated.setdefault(event.data.match, event.version)
        ledger = Ledger(ledger.stream, stored[-1].version, stored[-1].h)
    return ledger, unrated


def _read_pages(store: EventStore, ledger: Ledger, upto: int) -> Iterator[list[Event]]:
    while ledger.version < upto:
        stored = store.load(ledger.stream, ledger.version, limit=min(PAGE, upto - ledger.version)).entries
        if not stored:
            break
        yield _parse(ledger, stored)
        ledger = Ledger(ledger.stream, stored[-1].version, stored[-1].h)


def _parse(ledger: Ledger, stored: Sequence[Any]) -> list[Event]:
    try:
        return LEDGER.read(ledger, stored)
    except StreamError as error:
        raise error.in_stream(ledger.stream) from None


def _compare_page(
    rows: Rows, differences: _Differences, entries: Iterable[Entry], expected: Iterable[Row], first: int, last: int
) -> None:
    found = {entry.version: entry._asdict() for entry in rows.matches(first - 1, last, last)}
    differences.compare("the match of version", found, {entry.version: entry._asdict() for entry in entries})
    steps = rows.tables.steps
    asked = sa.select(steps).where(steps.c.ruleset == rows.ruleset, steps.c.version >= first, steps.c.version <= last)
    stepped = {(row["version"], row["player"]): dict(row) for row in rows.connection.execute(asked).mappings()}
    differences.compare("the step of", stepped, {(row["version"], row["player"]): row for row in expected})


def _compare_ends(
    rows: Rows, differences: _Differences, ratings: Mapping[str, Row], unrated: Mapping[str, int]
) -> None:
    """Compare what no page of the ledger has by itself."""
    ruleset, tables, fold = rows.ruleset, rows.tables, rows.fold()
    differences.compare("the rating of", _by(rows, tables.ratings, "player"), ratings)
    bins = Counter(bin_of(row["place"]) for row in ratings.values())
    counts = {bin: {"ruleset": ruleset, "bin": bin, "players": count} for bin, count in bins.items()}
    differences.compare("the count of bin", _by(rows, tables.bins, "bin"), counts)
    # Matches are noted as unrated before the ratings are without them.
    known = {match: row for match, row in _by(rows, tables.unrated, "match").items() if row["version"] <= fold.version}
    noted = {match: {"ruleset": ruleset, "match": match, "version": version} for match, version in unrated.items()}
    differences.compare("the unrated match", known, noted)
    if fold.target is None:
        for table in (tables.new_steps, tables.influenced):
            differences.compare("the row that should be gone of", _by(rows, table, "player"), {})


def _by(rows: Rows, table: sa.Table, key: str) -> dict[Any, Row]:
    asked = sa.select(table).where(table.c.ruleset == rows.ruleset)
    return {row[key]: dict(row) for row in rows.connection.execute(asked).mappings()}


def _format_key(key: Any) -> str:
    return f"version {key[0]} and {key[1]}" if isinstance(key, tuple) else str(key)


def _explain(found: Row | None, expected: Row | None) -> str:
    if found is None:
        return "is missing"
    if expected is None:
        return "should not be there"
    wrong = [name for name in expected if found.get(name) != expected[name]]
    return "; ".join(f"{name} is {found.get(name)}, should be {expected[name]}" for name in wrong)
