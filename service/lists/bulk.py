"""Many matches in one export: a line of NDJSON for each match that the list finds, or for each of its positions."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.errors import DomainError
from plyscribe.domain.imported import is_address, split_address
from plyscribe.domain.match import Match, fold
from plyscribe.domain.record import format_record, record_of
from plyscribe.domain.replay import position_at
from plyscribe.service.access.accounts import Accounts, Principal
from plyscribe.service.lists.matches import MatchFilter, MatchList
from plyscribe.service.matches.queries import describe_position
from plyscribe.service.streams.handler import Handler

FORMS = ("records", "bundles", "positions")
PAGE = 50
EMPTY = 100
"""Pages without a match that an export looks at before it ends with the cursor of the rest."""

NAMES = 1000

Json = dict[str, Any]


class Order(NamedTuple):
    """What is exported: which matches, for whom, after which cursor and how many."""

    wanted: MatchFilter
    who: Principal | None
    cursor: str | None
    limit: int


def export_matches(
    listed: MatchList, matches: Handler[Match], accounts: Accounts, form: str, order: Order
) -> Iterator[bytes]:
    """The matches as lines, the oldest first, each with the cursor of what follows.

    A match that cannot be exported has a line with its `fault`. The last line holds the number of matches, the cursor
    of the rest if there is more, and the SHA-256 of all bytes before it. BadRequest if the cursor is not one of ours.
    """
    describe: Mapping[str, Callable[[str], Iterator[Json]]] = {
        "records": partial(_describe_record, matches, lru_cache(NAMES)(accounts.name_of)),
        "bundles": partial(_describe_bundle, matches),
        "positions": partial(_describe_positions, matches),
    }
    digest, cursor, count, empty = sha256(), order.cursor, 0, 0
    while count < order.limit and empty < EMPTY:
        page = listed.read(order.wanted, order.who, min(PAGE, order.limit - count), cursor, order="asc")
        for row, after in zip(page.rows, page.cursors, strict=True):
            for line in _list_lines(orjson.loads(row)["match"], describe[form], cursor, after):
                digest.update(line)
                yield line
            cursor, count = after, count + 1
        empty = 0 if page.rows else empty + 1
        cursor = page.cursor
        if cursor is None:
            break
    yield orjson.dumps({"count": count, "next": cursor, "sha256": digest.hexdigest()}) + b"\n"


def _list_lines(
    match: str, describe: Callable[[str], Iterator[Json]], before: str | None, after: str
) -> Iterator[bytes]:
    """The lines of a match. Only the last one has the cursor after it: a match begins again if it was not complete."""
    last: Json = {"match": match}
    try:
        lines = describe(match)
        last = next(lines, last)
        for line in lines:
            yield orjson.dumps({**last, "cursor": before}) + b"\n"
            last = line
    except DomainError as error:
        last = {"match": match, "fault": {"code": error.code, "detail": str(error)}}
    yield orjson.dumps({**last, "cursor": after}) + b"\n"


def _describe_record(matches: Handler[Match], name_of: Callable[[str], str], id: str) -> Iterator[Json]:
    entries = matches.read_events(id, 0)
    match = fold(Match(id), entries)
    # The accounts of an imported match belong to another server, even if an id of ours is the same.
    names = {player: name_of(player) for player in (() if is_address(id) else match.life.players)}
    yield {**_describe_version(match), "record": format_record(record_of(match, entries, names))}


def _describe_bundle(matches: Handler[Match], id: str) -> Iterator[Json]:
    entries = matches.read_events(id, 0)
    match = fold(Match(id), entries)
    head = describe_head(split_address(id)[0], match.life.created)
    yield {**_describe_version(match), "bundle": b"".join(format_bundle(head, entries)).decode()}


def _describe_positions(matches: Handler[Match], id: str) -> Iterator[Json]:
    match = matches.read(id)
    plies = range(match.play.ply + 1) if match.play else ()
    yield from (describe_position(match, position_at(match, ply)) for ply in plies)


def _describe_version(match: Match) -> Json:
    return {"match": match.stream, "version": match.version, "hash": match.head.hex()}
