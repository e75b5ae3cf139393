"""Players' inboxes in the read database: notices, each entered once, read by number or followed live.

The number of an entry is the time of its event in microseconds, or one more than the newest number of the inbox. So
numbers grow even after an inbox was forgotten. An inbox that is built again gives entries the numbers that they had,
unless events of several matches came to it in another order than that of their times.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from plyscribe.service.database.engine import Database, DatabaseUnavailable, add_up, insert_missing, pick_missing
from plyscribe.service.database.rows import delete_rows, insert_rows
from plyscribe.service.database.table_sets import Tables, declare
from plyscribe.service.live.followers import Entry
from plyscribe.service.store.port import EventStore, FeedEntry

PREFIX = "inbox-"
"""The name of an inbox in the feed: this prefix and the player's id without its kind."""

KEPT = 500
"""How many entries of an inbox are kept at least, the newest ones."""

SLACK = 50
"""How many more there may be, so that old ones are removed together."""

FORGOTTEN_MS = 90 * 24 * 3600 * 1000
"""An inbox is removed after this time without a new entry."""

GAP = "gap"
"""The type of an entry that stands for entries that were dropped before they were read."""

AT_ONCE = 1000
"""How many inboxes are announced or forgotten at a time."""

Row = dict[str, Any]


class InboxesIncomplete(DatabaseUnavailable):
    """The inboxes are being built from the streams. Wait, so that you miss nothing."""

    code = "inbox/incomplete"


class Letter(NamedTuple):
    """An entry for an inbox: a key, the time of its event in milliseconds, and its data.

    A key comes to an inbox only once, as long as its entry is kept.
    """

    key: str
    at: int
    data: bytes


Letters = Mapping[str, Sequence[Letter]]
"""Letters by player, in the order in which they are to be read."""


class Received(NamedTuple):
    """An entry of an inbox: its number, and its data."""

    number: int
    data: bytes


class Page(NamedTuple):
    """Entries of an inbox in order, the numbers of the newest dropped entry and of the newest one (0: none)."""

    entries: list[Received]
    dropped: int
    newest: int


class _Pair(NamedTuple):
    letters: sa.Table
    owners: sa.Table


def _define(metadata: sa.MetaData, suffix: str) -> _Pair:
    letters = sa.Table(
        f"inbox_letters{suffix}",
        metadata,
        sa.Column("player", sa.String, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Index(None, "player", "key", unique=True),
        sqlite_with_rowid=False,
    )
    owners = sa.Table(
        f"inbox_owners{suffix}",
        metadata,
        sa.Column("player", sa.String, primary_key=True),
        sa.Column("newest", sa.BigInteger, nullable=False),
        sa.Column("dropped", sa.BigInteger, nullable=False),
        sa.Column("kept", sa.Integer, nullable=False),
        sa.Index(None, "newest"),
        sqlite_with_rowid=False,
    )
    return _Pair(letters, owners)


_TABLES = declare(1, _define)


_METADATA = sa.MetaData()

ANNOUNCEMENTS = sa.Table(
    "inbox_announcements_1",
    _METADATA,
    sa.Column("player", sa.String, primary_key=True),
    sa.Column("first", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("last", sa.BigInteger, nullable=False),
)
"""What was entered and may not have been announced yet."""

_PLAYERS: sa.BindParameter[Any] = sa.bindparam("players", expanding=True)


class Inboxes:
    """An inbox for each player. Raises the errors of the database."""

    def __init__(self, database: Database, store: EventStore, is_built: bool = False) -> None:
        """`is_built` says that the inboxes are complete although nobody builds them."""
        self.database = database
        self.tables: Tables[_Pair] = Tables(database, "inboxes", _TABLES)
        database.prepare(_METADATA.create_all)
        self._store = store
        self._is_built = is_built
        # Another process may have died before it announced what it entered.
        self._may_announce = True
        self._announced = set[tuple[str, int]]()

    def read(self, player: str, after: int, limit: int) -> Page:
        """Entries after a number, at most `limit`; InboxesIncomplete.

        If `dropped` is greater than `after`, entries were dropped in between.
        """
        letters, owners = self.tables.live
        with self.database.reading() as connection:
            if not self._is_built and not self.tables.is_built(connection):
                raise InboxesIncomplete("the inboxes are being built from the matches: ask again soon")
            owner = connection.execute(sa.select(owners).where(owners.c.player == player)).first()
            if owner is None:
                return Page([], 0, 0)
            asked = (
                sa.select(letters.c.number, letters.c.data)
                .where(letters.c.player == player, letters.c.number > max(after, owner.dropped))
                .order_by(letters.c.number)
                .limit(limit)
            )
            return Page([Received(*row) for row in connection.execute(asked)], owner.dropped, owner.newest)

    def read_announced(self, announced: FeedEntry) -> list[Received]:
        """The entries that were announced, as far as they are kept, whether or not the inboxes are complete."""
        table = self.tables.live.letters
        asked = sa.select(table.c.number, table.c.data).where(
            table.c.player == player_of(announced.stream),
            table.c.number.between(announced.first, announced.last),
        )
        with self.database.reading() as connection:
            return [Received(*row) for row in connection.execute(asked.order_by(table.c.number))]

    def enter(self, connection: sa.Connection, letters: Letters) -> None:
        """Enter the letters that are new, after all that the inboxes have, and note that they are to be announced."""
        targets = self.tables.targets(connection)
        newest: defaultdict[str, int] = defaultdict(int)
        # What another transaction enters for these players must come wholly before or after this one: a reader who
        # has a number asks for greater ones alone.
        empty = [{"player": player, "newest": 0, "dropped": 0, "kept": 0} for player in sorted(letters)]
        insert_missing(connection, targets[0].owners, empty)
        for _, owners in targets:
            for player, number in connection.execute(_select_newest(owners), {"players": list(letters)}):
                newest[player] = max(newest[player], number)
        rows = []
        for player in sorted(letters):
            for letter in letters[player]:
                newest[player] = max(letter.at * 1000, newest[player] + 1)
                rows.append(_make_row(player, newest[player], letter))
        entered, *_ = [_insert(connection, target, rows) for target in targets]
        self._strike(connection)
        if entered:
            insert_rows(connection, ANNOUNCEMENTS, _list_announcements(entered))
            self._may_announce = True

    def fill(self, connection: sa.Connection, letters: Letters) -> None:
        """Enter old letters in the tables that are being built, where they stood or else by the time of their event."""
        live, *building = self.tables.targets(connection)
        taken: set[tuple[str, int]] = set()
        rows = []
        for player in sorted(letters):
            known = _find_numbers(connection, live.letters, player, letters[player])
            for letter in letters[player]:
                number = known.get(letter.key, letter.at * 1000)
                while (player, number) in taken:
                    number += 1
                taken.add((player, number))
                rows.append(_make_row(player, number, letter))
        for target in building:
            _insert(connection, target, rows)

    def announce(self, heed: Callable[[Sequence[FeedEntry]], object]) -> None:
        """Tell the feed, and `heed`, what was entered since the last time, by this process or one that died.

        They may hear of it twice, but miss nothing: what one of them fails with is announced again. StoreUnavailable.
        """
        while self._may_announce:
            with self.database.reading() as connection:
                rows = connection.execute(sa.select(ANNOUNCEMENTS).limit(AT_ONCE)).all()
            todo = [row for row in rows if (row.player, row.first) not in self._announced]
            entries = [FeedEntry(inbox_of(player), first, last, ("inbox",)) for player, first, last in todo]
            if entries:
                self._store.announce(entries)
                heed(entries)
            self._announced |= {(row.player, row.first) for row in todo}
            self._may_announce = len(rows) == AT_ONCE
            if self._may_announce:
                self.strike()

    def strike(self) -> None:
        """Note what was announced. The next letters do that too, in their transaction; call it when none come."""
        if self._announced:
            with self.database.writing() as connection:
                self._strike(connection)

    def _strike(self, connection: sa.Connection) -> None:
        delete_rows(
            connection, ANNOUNCEMENTS, [{"player": player, "first": first} for player, first in self._announced]
        )
        # If this transaction fails, they are announced twice.
        self._announced.clear()

    def look_again(self) -> None:
        """Make the next call of `announce` look for what another process has left."""
        self._may_announce = True

    def forget_old(self, now_ms: int) -> bool:
        """Remove inboxes to which nothing has come for long, at most AT_ONCE; return whether there may be more."""
        letters, owners = self.tables.live
        with self.database.writing() as connection:
            old = sa.select(owners.c.player).where(owners.c.newest < (now_ms - FORGOTTEN_MS) * 1000).limit(AT_ONCE)
            players = connection.scalars(old).all()
            for table in (letters, owners):
                connection.execute(sa.delete(table).where(table.c.player.in_(players)))
        return len(players) == AT_ONCE


def inbox_of(player: str) -> str:
    """The name of a player's inbox in the feed."""
    return PREFIX + player.partition("-")[2]


def player_of(inbox: str) -> str:
    """The player who owns an inbox; inverse of inbox_of."""
    return "player-" + inbox.removeprefix(PREFIX)


def _make_row(player: str, number: int, letter: Letter) -> Row:
    return {"player": player, "number": number, "key": letter.key, "data": letter.data}


def _find_numbers(
    connection: sa.Connection, letters: sa.Table, player: str, wanted: Sequence[Letter]
) -> dict[str, int]:
    """The numbers of those of a player's letters that are in the table, by key."""
    keys = [letter.key for letter in wanted]
    asked = sa.select(letters.c.key, letters.c.number).where(letters.c.player == player, letters.c.key.in_(keys))
    return {row.key: row.number for row in connection.execute(asked)}


def _insert(connection: sa.Connection, target: _Pair, rows: Sequence[Row]) -> list[Row]:
    """Insert rows whose key is new, with the next free number if theirs is taken; return these rows."""
    if _insert_new(connection, target.letters, rows):
        _note_owners(connection, target, rows)
        return list(rows)
    letters, entered = target.letters, list[Row]()
    todo = list(rows)
    while todo:
        got = pick_missing(connection, letters, todo)
        entered += [row for row in todo if (row["player"], row["number"]) in got]
        rest: defaultdict[str, list[Row]] = defaultdict(list)
        for row in todo:
            if (row["player"], row["number"]) not in got:
                rest[row["player"]].append(row)
        todo = []
        for player, theirs in rest.items():
            keys = [row["key"] for row in theirs]
            asked = sa.select(letters.c.key).where(letters.c.player == player, letters.c.key.in_(keys))
            known = set(connection.scalars(asked))
            todo += [{**row, "number": row["number"] + 1} for row in theirs if row["key"] not in known]
    _note_owners(connection, target, entered)
    return entered


def _insert_new(connection: sa.Connection, letters: sa.Table, rows: Sequence[Row]) -> bool:
    """Insert all of these rows, or none if some are there already. Nearly always all are new, and this is faster."""
    with connection.begin_nested() as attempt:
        done = insert_missing(connection, letters, rows) == len(rows)
        if not done:
            attempt.rollback()
    return done


def _note_owners(connection: sa.Connection, target: _Pair, entered: Iterable[Row]) -> None:
    """Count what was entered for each player, and drop the oldest entries of those who have too many."""
    numbers = _group_numbers(entered)
    if not numbers:
        return
    owners = target.owners
    noted = [{"player": of, "newest": max(its), "dropped": 0, "kept": len(its)} for of, its in numbers.items()]
    add_up(connection, owners, noted, greatest="newest", sum="kept")
    full = connection.scalars(_select_full(owners), {"players": list(numbers), "most": KEPT + SLACK})
    for player in full.all():
        _drop_oldest(connection, target, player)


def _drop_oldest(connection: sa.Connection, target: _Pair, player: str) -> None:
    find, *drop = _make_dropping(target)
    last = connection.scalar(find, {"of": player, "keep": KEPT})
    for each in drop:
        connection.execute(each, {"of": player, "keep": KEPT, "last": last})


@cache
def _select_newest(owners: sa.Table) -> sa.Select[Any]:
    asked = sa.select(owners.c.player, owners.c.newest).where(owners.c.player.in_(_PLAYERS))
    return asked.order_by(owners.c.player).with_for_update()


@cache
def _select_full(owners: sa.Table) -> sa.Select[Any]:
    return sa.select(owners.c.player).where(owners.c.player.in_(_PLAYERS), owners.c.kept > sa.bindparam("most"))


@cache
def _make_dropping(target: _Pair) -> tuple[sa.Select[Any], sa.Delete, sa.Update]:
    """What finds the newest number that a player's inbox no longer keeps, deletes up to it, and notes that."""
    letters, owners = target
    of = sa.bindparam("of", type_=sa.String)
    keep, last = (sa.bindparam(name, type_=sa.BigInteger) for name in ("keep", "last"))
    newest = sa.select(letters.c.number).where(letters.c.player == of).order_by(letters.c.number.desc())
    dropped = sa.case((owners.c.dropped < last, last), else_=owners.c.dropped)
    return (
        newest.offset(keep).limit(1),
        sa.delete(letters).where(letters.c.player == of, letters.c.number <= last),
        sa.update(owners).where(owners.c.player == of).values(kept=keep, dropped=dropped),
    )


def _group_numbers(rows: Iterable[Row]) -> dict[str, list[int]]:
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        numbers[row["player"]].append(row["number"])
    return numbers


def _list_announcements(entered: Iterable[Row]) -> list[Row]:
    """One for each player."""
    numbers = _group_numbers(entered)
    return [{"player": player, "first": min(its), "last": max(its)} for player, its in numbers.items()]


class InboxEntries:
    """The entries of inboxes, as a Source that can be followed."""

    last_types = frozenset[str]()
    is_polled = False

    def __init__(self, inboxes: Inboxes) -> None:
        self._inboxes = inboxes

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read. An entry `gap` stands for all dropped entries, under the number of the last of them."""
        return self.read_page(stream, after, limit)[0]

    def read_page(self, stream: str, after: int, limit: int) -> tuple[Sequence[Entry], int]:
        """The same, and the number of the newest entry, 0 if there is none."""
        page = self._inboxes.read(player_of(stream), after, limit)
        entries = [_parse_entry(each) for each in page.entries]
        if page.dropped > after:
            entries.insert(0, _gap(page.dropped))
        return entries, page.newest


def _parse_entry(received: Received) -> Entry:
    data = received.data[:-1] + b',"id":%d}' % received.number
    return Entry(received.number, orjson.loads(received.data)["type"], data)


def dump_entries(entries: Sequence[Entry]) -> orjson.Fragment:
    """Entries as a JSON array within an answer."""
    return orjson.Fragment(b"[" + b",".join(entry.data for entry in entries) + b"]")


def _gap(number: int) -> Entry:
    return Entry(number, GAP, orjson.dumps({"type": GAP, "id": number}))
