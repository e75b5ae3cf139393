"""The pages of people and bots: who is here, their ratings, and the history of each rating."""

from contextlib import suppress
from typing import Any

import orjson
from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.pauses import find_pause
from plyscribe.domain.rulesets import list_newest
from plyscribe.service.clock import now_ms
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.ratings.model import Rating
from plyscribe.service.ratings.ratings import History, RatedMatch
from plyscribe.service.web.api.http import parse_query, parts, path_with, principal, principal_if_any
from plyscribe.service.web.api.players import find_player
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.listed import list_beside, read_beside
from plyscribe.service.web.pages.people import name_account
from plyscribe.service.web.pages.plot import Estimate, draw_history, draw_intervals
from plyscribe.service.web.pages.speech import gettext
from plyscribe.service.web.schemas import parameters

MICRO = 1_000_000
RECENT = 12
LEADERS = 20
"""How many players of a rating table its plot shows."""

MOST_SHOWN = 200
"""How many players a rating table shows."""

MAX_POINTS = 400
"""How many of the latest matches the plot of a rating shows."""


@blueprint.get("/players")
def list_players() -> Response:
    """Show accounts by name, or the rating table of the `ruleset` in the query."""
    if request.args.get("ruleset"):
        return _show_ratings(request.args["ruleset"])
    query = parse_query(parameters.PlayersQuery, of_form=True)
    lag = parts().lists.lag()
    page = parts().lists.players.read(**query)
    return show_page(
        "players.html",
        players=[{**row, "name": name_account(row["player"])} for row in map(orjson.loads, page.rows)],
        asked=query,
        following=None if page.cursor is None else path_with(cursor=page.cursor),
        lag=lag,
        rulesets=_list_rulesets(),
    )


@blueprint.get("/players/<player>")
def show_player(player: str) -> Response:
    """Show a player: the history of their ratings, and those of their matches that the visitor may see."""
    account = find_player(player)
    matches = list_beside(MatchFilter(player=account.stream), principal_if_any(), RECENT + 1)
    unknown: list[tuple[str, History]] = []
    ratings = read_beside(lambda: _read_histories(account.stream), unknown)
    return show_page(
        "player.html",
        player=account,
        paused_until=find_pause(account, now_ms()),
        name=name_account(account.stream),
        matches=matches[:RECENT],
        more=len(matches) > RECENT,
        ratings=[_describe_history(ruleset, history) for ruleset, history in ratings if history.matches],
    )


@blueprint.post("/players/<player>/organiser/<any(appointed, dismissed):state>")
def change_organiser(player: str, state: str) -> AnyResponse:
    """Make an account an organiser, or one no longer, as an administrator."""
    who = principal()
    who.require("admin")
    account, actor = find_player(player).stream, Actor("player", who.account)
    change = parts().accounts.appoint_organiser if state == "appointed" else parts().accounts.dismiss_organiser
    # Whoever sends the form twice finds it done.
    with suppress(WrongTime):
        change(account, actor)
    return redirect(f"/players/{account}", 303)


def _read_histories(player: str) -> list[tuple[str, History]]:
    return [(ruleset, parts().ratings.read_latest(ruleset, player, MAX_POINTS)) for ruleset in _list_rulesets()]


def _show_ratings(asked: str) -> Response:
    ruleset = find_rules(asked)
    table = parts().ratings.read_table(ruleset.id, MOST_SHOWN)
    rows: list[dict[str, Any]] = [
        {
            "rank": row.rank,
            "player": row.player,
            "name": name_account(row.player),
            "estimate": _estimate(row.rating),
            "matches": row.matches,
        }
        for row in table.rows
    ]
    plot = None
    if rows:
        plot = draw_intervals(
            [(row["name"], row["estimate"]) for row in rows[:LEADERS]],
            gettext("Ratings in %(game)s", game=ruleset.title),
        )
    return show_page(
        "ratings.html",
        ruleset=ruleset,
        rows=rows,
        total=table.total,
        lag=table.state.lag,
        plot=plot,
        leaders=LEADERS,
    )


def _describe_history(ruleset: str, history: History) -> dict[str, Any]:
    """The newest matches of a history come first."""
    assert history.player is not None
    matches = history.matches
    points = [_estimate(match.after) for match in reversed(matches)]
    title = gettext("Rating in %(game)s, latest matches: %(count)s", game=ruleset, count=len(matches))
    first = [] if history.has_more else [_estimate(matches[-1].before)]
    return {
        "ruleset": ruleset,
        "estimate": points[-1],
        "matches": history.player.matches,
        "plot": draw_history([*first, *points], title),
        "last": [_describe_match(match) for match in matches[:8]],
    }


def _describe_match(match: RatedMatch) -> dict[str, Any]:
    return {
        "match": match.match,
        "rank": match.rank,
        "seats": match.seats,
        "before": _estimate(match.before).value,
        "after": _estimate(match.after).value,
    }


def _estimate(rating: Rating) -> Estimate:
    return Estimate(rating.mu / MICRO, rating.sigma / MICRO)


def _list_rulesets() -> list[str]:
    return [ruleset.id for ruleset in list_newest()]
