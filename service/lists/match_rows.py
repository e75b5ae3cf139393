"""What the list of matches keeps: a row for each match, and its terms, by which it is found.

Terms are words such as `ruleset:zhen`, `seat:player-…` or `name:ann`. An index has the matches of each term in every
order in which matches are listed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import dump_data
from plyscribe.domain.imported import Import
from plyscribe.domain.match import Match
from plyscribe.domain.replay import replay
from plyscribe.domain.waiting import list_waits
from plyscribe.service.database.rows import CLUSTERED, TEXT, of_rows
from plyscribe.service.database.table_sets import declare
from plyscribe.service.lists.paging import Json
from plyscribe.service.lists.words import split_words
from plyscribe.service.matches.queries import describe_seats, dump_turn

ReadImport = tuple[Import, Sequence[StoredEvent]]
"""An import and the events of its match."""

LAYOUT = 1
"""Grows whenever a release makes other rows of the same streams. The list is then built anew."""

KEYS = {"created": "created_at", "ended": "ended_at", "length": "length"}
"""The columns that matches are listed by. Only matches with an outcome have an end and a length."""

MAX_TERM = 100
"""Characters of a term. Imported matches may name rulesets and reasons of any length."""

MAX_NOTED = 64
"""Words of a match's notes that are found."""


class MatchTables(NamedTuple):
    """The tables of the list."""

    matches: sa.Table
    terms: sa.Table
    counts: sa.Table
    """The number of public matches of each ruleset."""


class MatchRow(NamedTuple):
    """What the list keeps of a match."""

    values: dict[str, Any]
    terms: tuple[str, ...]
    length: int | None
    """The number of moves if the match has an outcome."""


def define_tables(metadata: sa.MetaData, suffix: str) -> MatchTables:
    """Declare the tables of the list."""
    matches = sa.Table(
        f"matches{suffix}",
        metadata,
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("plies", sa.Integer, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    terms = sa.Table(
        f"match_terms{suffix}",
        metadata,
        sa.Column("match", TEXT, primary_key=True),
        sa.Column("term", TEXT, primary_key=True),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("length", sa.Integer),
        **CLUSTERED,
    )
    for key in (terms.c[name] for name in KEYS.values()):
        # A match under way changes nothing in the indexes of those that have ended.
        that_have_it = of_rows(key.is_not(None)) if key.nullable else {}
        sa.Index(None, terms.c.term, terms.c.private, key, terms.c.match, **that_have_it)
    counts = sa.Table(
        f"match_counts{suffix}",
        metadata,
        sa.Column("ruleset", TEXT, primary_key=True),
        sa.Column("matches", sa.BigInteger, nullable=False),
    )
    return MatchTables(matches, terms, counts)


TABLES = declare(LAYOUT, define_tables)


def make_term(kind: str, value: str) -> str:
    """The term of a kind for a value."""
    # PostgreSQL has no text with the character 0.
    return f"{kind}:{value}"[:MAX_TERM].replace("\0", "")


def list_term_rows(row: MatchRow) -> Iterator[dict[str, Any]]:
    """The rows of the table of terms for a match."""
    values = row.values
    keys = {"created_at": values["created_at"], "ended_at": values["ended_at"], "length": row.length}
    for term in row.terms:
        yield {"match": values["id"], "term": term, "private": values["private"], **keys}


def build_row(match: Match, name_account: Callable[[str], str]) -> MatchRow | None:
    """The row of a match; None if its first event cannot be read, because the match may be private."""
    if match.lifecycle is None:
        return None
    row = describe_row(match)
    accounts = dict.fromkeys(seat["player"] for seat in row["seats"] if "player" in seat)
    names = [*map(name_account, accounts), *_list_guests(row)]
    return _make_row(row, match.stream, match.version, names, match.life.created.about)


def build_import_row(read: ReadImport) -> MatchRow | None:
    """The row of an imported match; None until the import is complete.

    It is listed under the time of its import, and under no account, rating or tournament: the ones that it names
    belong to another server.
    """
    state, copied = read
    if state.address is None or state.begun is None or not copied:
        return None
    match = replay(state.address, copied)
    if match.lifecycle is None:
        return None
    row = {
        **describe_row(match),
        "imported": True,
        "importer": state.importer,
        "status": judged_status(match.life.status, state),
        "private": state.begun.private,
        "rated": False,
        "tournament": None,
        "created_at": state.at,
        "waits_for": [],
    }
    return _make_row(row, state.stream, state.version, _list_guests(row), match.life.created.about)


def judged_status(status: str, state: Import) -> str:
    """The status of an imported match: up to its end the status it had elsewhere, after that our own verdict."""
    if state.status == "refuted":
        return "refuted"
    if status in ("open", "playing", "aborted", "annulled"):
        return status
    return "verified" if state.status == "verified" else "ended"


def describe_row(match: Match) -> Json:
    """The match as a row of a list."""
    life, play = match.life, match.play
    created = life.created
    return {
        "match": match.stream,
        "version": match.version,
        "status": life.status,
        "ruleset": created.ruleset,
        "ruleset_version": created.ruleset_version,
        "seats": describe_seats(life.seats),
        "creator": life.creator,
        "recorder": created.recorder,
        "rated": created.rated,
        "private": created.private,
        "imported": False,
        "importer": None,
        "tournament": (created.tournament or {}).get("id"),
        "created_at": life.created_at,
        "updated_at": match.at,
        "ended_at": life.ended_at if life.outcome else None,
        "ply": play.ply if play else 0,
        "turn": dump_turn(match.turn),
        "waits_for": [wait._asdict() for wait in list_waits(match)],
        "outcome": dump_data(life.outcome) if life.outcome else None,
    }


def _list_guests(row: Json) -> list[str]:
    """The names of guests."""
    return [seat["name"] for seat in row["seats"] if "name" in seat]


def _make_row(row: Json, id: str, version: int, names: Iterable[str], about: dict[str, Any] | None) -> MatchRow:
    values = {
        "id": id,
        "version": version,
        "private": row["private"],
        "created_at": max(0, row["created_at"]),
        "ended_at": None if row["ended_at"] is None else max(0, row["ended_at"]),
        "plies": row["ply"],
        "data": orjson.dumps(row),
    }
    terms = dict.fromkeys((*_list_terms(row), *_list_word_terms(names, about or {})))
    return MatchRow(values, tuple(terms), row["ply"] if row["outcome"] else None)


def _list_terms(row: Json) -> Iterator[str]:
    yield "all"
    yield make_term("ruleset", row["ruleset"])
    yield make_term("status", row["status"])
    yield from (name for name in ("rated", "imported") if row[name])
    if row["tournament"]:
        yield make_term("tournament", row["tournament"])
    if row["outcome"]:
        yield make_term("reason", row["outcome"]["reason"])
    seated, others = _list_people(row)
    yield from (make_term("seat", player) for player in seated)
    yield from (make_term("role", player) for player in others)
    if row["private"]:
        yield from (make_term("reader", player) for player in (*seated, *others, row["importer"]) if player)
    yield from (make_term("waiting", wait["player"]) for wait in row["waits_for"])
    yield from _list_results(row)
    if row["status"] in ("open", "playing") and not row["tournament"] and not row["imported"]:
        yield make_term("open-of", row["creator"])
        if any("bot" in seat for seat in row["seats"]):
            yield make_term("bots-of", row["creator"])


def _list_people(row: Json) -> tuple[list[str], list[str]]:
    """The accounts that a match concerns: seated or invited players, and its creator and its recorder beside them."""
    if row["imported"]:
        return [], []
    seated = [seat["player"] for seat in row["seats"] if "player" in seat]
    return seated, [player for player in (row["creator"], row["recorder"]) if player and player not in seated]


def _list_results(row: Json) -> Iterator[str]:
    """How the match ended for each player. Who shares the first place with some, but not with all, has won."""
    if row["imported"] or not row["outcome"] or row["status"] in ("refuted", "annulled"):
        return
    ranks = row["outcome"]["ranks"]
    for seat, rank in zip(row["seats"], ranks, strict=True):
        if "player" in seat:
            result = "lost" if rank > 1 else "drawn" if set(ranks) == {1} else "won"
            yield make_term(result, seat["player"])


def _list_word_terms(names: Iterable[str], about: dict[str, Any]) -> Iterator[str]:
    yield from (make_term("name", word) for word in split_words(names))
    notes = {key: text for key, text in about.items() if isinstance(text, str)}
    yield from (make_term("place", word) for word in split_words([notes.get("place", "")])[:MAX_NOTED])
    yield from (make_term("about", word) for word in split_words(notes.values())[:MAX_NOTED])
