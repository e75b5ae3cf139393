"""The pages of people and bots: who is here, their ratings, and the history of each rating."""

from typing import Any

import orjson
from flask import Response, request

from plyscribe.domain.pauses import find_pause
from plyscribe.domain.rulesets import list_newest
from plyscribe.service.clock import now_ms
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.ratings.book import Book, RatingStep
from plyscribe.service.ratings.model import Rating
from plyscribe.service.web.api.http import parse_query, parts, path_with, principal_if_any
from plyscribe.service.web.api.players import find_player
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.people import add_names, name_account
from plyscribe.service.web.pages.plot import Estimate, draw_history, draw_intervals
from plyscribe.service.web.schemas import parameters

MICRO = 1_000_000
RECENT = 12
LEADERS = 20
"""How many players of a rating table its plot shows."""

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
    parts().lists.lag()
    page = parts().lists.matches.read(MatchFilter(player=account.stream), principal_if_any(), RECENT, None)
    books = [(ruleset, parts().ledgers.book(ruleset)) for ruleset in _list_rulesets()]
    return show_page(
        "player.html",
        player=account,
        paused_until=find_pause(account, now_ms()),
        name=name_account(account.stream),
        matches=[add_names(orjson.loads(row)) for row in page.rows],
        more=page.cursor is not None,
        ratings=[
            _describe_history(ruleset, book, account.stream)
            for ruleset, book in books
            if account.stream in book.standings
        ],
    )


def _show_ratings(asked: str) -> Response:
    ruleset = find_rules(asked)
    book = parts().ledgers.book(ruleset.id)
    rows: list[dict[str, Any]] = [
        {
            "rank": row.rank,
            "player": row.player,
            "name": name_account(row.player),
            "estimate": _estimate(row.standing.rating),
            "matches": row.standing.matches,
        }
        for row in book.table[:200]
    ]
    plot = None
    if rows:
        plot = draw_intervals([(row["name"], row["estimate"]) for row in rows[:LEADERS]], f"Ratings in {ruleset.title}")
    return show_page("ratings.html", ruleset=ruleset, rows=rows, total=len(book.table), plot=plot, leaders=LEADERS)


def _describe_history(ruleset: str, book: Book, player: str) -> dict[str, Any]:
    steps = book.history(player)
    points = [_estimate(step.after[_seat(step, player)]) for step in steps]
    first = [_estimate(steps[0].before[_seat(steps[0], player)])] if len(steps) <= MAX_POINTS else []
    title = f"Rating in {ruleset} after each of the last {min(len(steps), MAX_POINTS)} rated matches"
    return {
        "ruleset": ruleset,
        "estimate": points[-1],
        "matches": len(steps),
        "plot": draw_history([*first, *points[-MAX_POINTS:]], title),
        "last": [_describe_step(step, player) for step in steps[:-9:-1]],
    }


def _describe_step(step: RatingStep, player: str) -> dict[str, Any]:
    seat = _seat(step, player)
    return {
        "match": step.entry.match,
        "rank": step.entry.ranks[seat],
        "seats": len(step.entry.players),
        "before": _estimate(step.before[seat]).value,
        "after": _estimate(step.after[seat]).value,
    }


def _seat(step: RatingStep, player: str) -> int:
    return step.entry.players.index(player)


def _estimate(rating: Rating) -> Estimate:
    return Estimate(rating.mu / MICRO, rating.sigma / MICRO)


def _list_rulesets() -> list[str]:
    return [ruleset.id for ruleset in list_newest()]
