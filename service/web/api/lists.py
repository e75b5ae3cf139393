"""The lists of matches and players."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response
from orjson import Fragment

from plyscribe.service.access.accounts import Principal
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
    """List matches, newest first.

    Without a token, the list has all public matches. With a token, it also has the private matches of its account; with
    the scope `organise` or `admin`, all private matches. `waiting=me` and `player=me` need a token.
    """
    query = parse_query(parameters.MatchesQuery)
    who = principal() if ME in (query["waiting"], query["player"]) else principal_if_any()
    wanted = MatchFilter(
        player=_account(query["player"], who),
        ruleset=query["ruleset"],
        status=query["status"],
        tournament=query["tournament"],
        rated=query["rated"],
        imported=query["imported"],
        waiting_for=_account(query["waiting"], who),
        since=query["since"],
        until=query["until"],
    )
    listed = answer_page("matches", lambda: parts().lists.matches.read(wanted, who, query["limit"], query["cursor"]))
    listed.vary.update(TOKEN_HEADERS)
    return listed


def _account(named: str | None, who: Principal | None) -> str | None:
    return who.account if who and named == ME else named


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
