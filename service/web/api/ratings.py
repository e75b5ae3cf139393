"""Ratings: a table for each ruleset, a history for each player."""

import re
from typing import Any

from flask import Blueprint, Response

from plyscribe.service.errors import BadRequest, NotFound
from plyscribe.service.lists.paging import format_cursor, parse_cursor
from plyscribe.service.ratings.ratings import RatedMatch, RatedPlayer, State
from plyscribe.service.reports.subjects import describe_rating
from plyscribe.service.web.api.http import answer, parse_query, parts, path_with
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.players import find_player
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.schemas import answers, parameters

blueprint = Blueprint("ratings", __name__, url_prefix="/v1/ratings")

_ORDINAL = re.compile(r"-?[0-9]{1,18}")

Json = dict[str, Any]


@blueprint.get("/<ruleset>")
@operation("ratings", answers.RatingsPage, query=parameters.PageQuery, problems=(400, 404), open=True)
def list_ratings(ruleset: str) -> Response:
    """List the ratings of a ruleset, best first.

    A player whose rating changes between two pages can be missing or listed twice. All others are listed once.
    """
    query = parse_query(parameters.PageQuery)
    id = find_rules(ruleset).id
    after = None if query["cursor"] is None else _parse_place(ruleset, query["cursor"])
    page = parts().ratings.read_table(id, query["limit"], after)
    return answer(
        {
            "ruleset": ruleset,
            **_describe_state(page.state),
            "model": _describe_model(page.state),
            "players": [_describe_row(row) for row in page.rows],
            "next": path_with(cursor=_cursor(ruleset, page.rows[-1])) if page.has_more else None,
        }
    )


@blueprint.get("/<ruleset>/<player>")
@operation("ratings", answers.RatingHistory, query=parameters.HistoryQuery, problems=(404,), open=True)
def get_rating(ruleset: str, player: str) -> Response:
    """Get a player's rating and the matches that it is based on."""
    query = parse_query(parameters.HistoryQuery)
    page = parts().ratings.read_history(find_rules(ruleset).id, player, query["after"], query["limit"])
    if page.player is None:
        raise NotFound(f"{find_player(player).name} has no rating in {ruleset}", "ratings/unrated")
    return answer(
        {
            **_describe_row(page.player),
            "ruleset": ruleset,
            **_describe_state(page.state),
            "history": [_describe_match(match) for match in page.matches],
            "next": path_with(after=page.matches[-1].version) if page.has_more else None,
        }
    )


def _cursor(ruleset: str, row: RatedPlayer) -> str:
    return format_cursor(f"ratings of {ruleset}", f"{row.rating.ordinal}\t{row.player}".encode())


def _parse_place(ruleset: str, cursor: str) -> tuple[int, str]:
    """The ordinal and the player after whom the page begins."""
    ordinal, _, player = parse_cursor(f"ratings of {ruleset}", cursor).decode().partition("\t")
    if not _ORDINAL.fullmatch(ordinal):
        raise BadRequest("the cursor is not from this table: follow `next` unchanged", "cursor/invalid")
    return int(ordinal), player


def _describe_state(state: State) -> Json:
    return {"version": state.version, "lag": state.lag}


def _describe_model(state: State) -> Json | None:
    if state.opening is None:
        return None
    return {name: state.opening[name] for name in ("model", "parameters", "library")}


def _describe_row(row: RatedPlayer) -> Json:
    return {
        "rank": row.rank,
        "player": row.player,
        "name": parts().accounts.name_of(row.player),
        **describe_rating(row.rating),
        "matches": row.matches,
        "last_match": row.last_match,
        "last_at": row.last_at,
    }


def _describe_match(match: RatedMatch) -> Json:
    return {**match._asdict(), "before": describe_rating(match.before), "after": describe_rating(match.after)}
