"""Ratings: a table for each ruleset, a history for each player."""

from bisect import bisect_right
from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.ledger import RatingsOpened
from plyscribe.service.errors import BadRequest, NotFound
from plyscribe.service.lists.paging import format_cursor, parse_cursor
from plyscribe.service.ratings.book import RatingStep, Row
from plyscribe.service.reports.subjects import describe_rating
from plyscribe.service.web.api.http import answer, parse_query, parts, path_with
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.players import find_player
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.schemas import answers, parameters

blueprint = Blueprint("ratings", __name__, url_prefix="/v1/ratings")

Json = dict[str, Any]


@blueprint.get("/<ruleset>")
@operation("ratings", answers.RatingsPage, query=parameters.PageQuery, problems=(400, 404), open=True)
def list_ratings(ruleset: str) -> Response:
    """List the ratings of a ruleset, best first.

    A player whose rating changes between two pages can be missing or listed twice. All others are listed once.
    """
    query = parse_query(parameters.PageQuery)
    book = parts().ledgers.book(find_rules(ruleset).id)
    start = 0
    if query["cursor"] is not None:
        start = bisect_right(book.table, _parse_place(ruleset, query["cursor"]), key=_place)
    rows = book.table[start : start + query["limit"]]
    following = None
    if start + len(rows) < len(book.table):
        following = path_with(cursor=_cursor(ruleset, rows[-1]))
    return answer(
        {
            "ruleset": ruleset,
            "version": book.version,
            "model": _describe_model(book.opening),
            "players": [_describe_row(row) for row in rows],
            "next": following,
        }
    )


@blueprint.get("/<ruleset>/<player>")
@operation("ratings", answers.RatingHistory, query=parameters.HistoryQuery, problems=(404,), open=True)
def get_rating(ruleset: str, player: str) -> Response:
    """Get a player's rating and the matches that it is based on."""
    query = parse_query(parameters.HistoryQuery)
    book = parts().ledgers.book(find_rules(ruleset).id)
    row = next((row for row in book.table if row.player == player), None)
    if row is None:
        raise NotFound(f"{find_player(player).name} has no rating in {ruleset}", "ratings/unrated")
    history = [step for step in book.history(player) if step.entry.version > query["after"]]
    page = history[: query["limit"]]
    following = None
    if len(page) < len(history):
        following = path_with(after=page[-1].entry.version)
    return answer(
        {
            **_describe_row(row),
            "ruleset": ruleset,
            "version": book.version,
            "history": [_describe_step(step, player) for step in page],
            "next": following,
        }
    )


def _place(row: Row) -> tuple[int, str]:
    """The sort key of the table."""
    return -row.standing.rating.ordinal, row.player


def _cursor(ruleset: str, row: Row) -> str:
    return format_cursor(f"ratings of {ruleset}", f"{row.standing.rating.ordinal}\t{row.player}".encode())


def _parse_place(ruleset: str, cursor: str) -> tuple[int, str]:
    ordinal, _, player = parse_cursor(f"ratings of {ruleset}", cursor).decode(errors="replace").partition("\t")
    try:
        return -int(ordinal), player
    except ValueError:
        raise BadRequest("the cursor is not from this table: follow `next` unchanged", "cursor/invalid") from None


def _describe_model(opening: RatingsOpened | None) -> Json | None:
    if opening is None:
        return None
    return {"model": opening.model, "parameters": opening.parameters, "library": opening.library}


def _describe_row(row: Row) -> Json:
    last = row.standing.last.entry
    return {
        "rank": row.rank,
        "player": row.player,
        "name": parts().accounts.name_of(row.player),
        **describe_rating(row.standing.rating),
        "matches": row.standing.matches,
        "last_match": last.match,
        "last_at": last.at,
    }


def _describe_step(step: RatingStep, player: str) -> Json:
    seat = step.entry.players.index(player)
    return {
        "version": step.entry.version,
        "at": step.entry.at,
        "match": step.entry.match,
        "rank": step.entry.ranks[seat],
        "seats": len(step.entry.players),
        "before": describe_rating(step.before[seat]),
        "after": describe_rating(step.after[seat]),
    }
