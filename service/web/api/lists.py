"""The lists of matches and players."""

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response
from orjson import Fragment

from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.lists.paging import Page
from plyscribe.service.web.api.http import (
    TOKEN_HEADERS,
    answer,
    parse_query,
    parts,
    path_with,
    principal,
    principal_if_any,
)
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, parameters

blueprint = Blueprint("lists", __name__)
ME = "me"


@blueprint.get("/v1/matches")
@operation("matches", answers.MatchPage, query=parameters.MatchesQuery, problems=(400, 401), open=True)
def list_matches() -> Response:
    """List matches, newest first unless you ask for another order.

    Without a token, the list has all public matches. With a token, it also has the private matches of its account; with
    the scope `organise` or `admin`, all private matches. `waiting=me`, `player=me` and `opponent=me` need a token.
    """
    query = parse_query(parameters.MatchesQuery)
    named = [query[name] for name in ("waiting", "player", "opponent")]
    who = principal() if ME in named else principal_if_any()
    wanted = make_filter(query, *(who.account if who and each == ME else each for each in named))
    listed = answer_page(
        "matches",
        lambda: parts().lists.matches.read(
            wanted, who, query["limit"], query["cursor"], sort=query["sort"], order=query["order"]
        ),
    )
    listed.vary.update(TOKEN_HEADERS)
    return listed


def make_filter(
    query: Mapping[str, Any], waiting_for: str | None, player: str | None, opponent: str | None
) -> MatchFilter:
    """The matches that a query asks for, with these accounts."""
    return MatchFilter(
        player=player,
        opponent=opponent,
        result=query["result"],
        ruleset=query["ruleset"],
        status=query["status"],
        reason=query["reason"],
        tournament=query["tournament"],
        rated=query["rated"],
        imported=query["imported"],
        waiting_for=waiting_for,
        names=query["q"],
        place=query["place"],
        about=query["about"],
        since=query["since"],
        until=query["until"],
        min_plies=query["min_plies"],
        max_plies=query["max_plies"],
    )


@blueprint.get("/v1/players")
@operation("players", answers.PlayerPage, query=parameters.PlayersQuery, problems=(400,), open=True)
def list_players() -> Response:
    """List players, sorted by name."""
    query = parse_query(parameters.PlayersQuery)
    return answer_page("players", lambda: parts().lists.players.read(**query))


def answer_page(name: str, read: Callable[[], Page]) -> Response:
    """A page of the list called `name`. The lag is measured before the page is read, so it is never understated."""
    lag = parts().lists.lag()
    page = read()
    listed: dict[str, Any] = {name: [Fragment(row) for row in page.rows]}
    following = None
    if page.cursor is not None:
        following = path_with(cursor=page.cursor)
    return answer({**listed, "next": following, "lag_ms": lag.ms, "complete": lag.complete})
