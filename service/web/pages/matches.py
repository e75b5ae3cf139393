"""The list of matches: a form to find some, and the orders in which they can be listed."""

from typing import NamedTuple
from urllib.parse import urlencode

import orjson
from flask import Response, request
from marshmallow import fields, validate

from plyscribe.domain.match import STATUSES
from plyscribe.domain.names import MAX_NAME_LENGTH
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.access.accounts import Principal
from plyscribe.service.lists.matches import RESULTS
from plyscribe.service.lists.words import fold_for_search
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.web.api.http import parse_query, parts, path_with, principal_if_any
from plyscribe.service.web.api.lists import make_filter
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.people import add_names
from plyscribe.service.web.pages.speech import gettext
from plyscribe.service.web.schemas import parameters
from plyscribe.service.web.schemas.field_types import QueryInteger

SHOWN = 24
LAGS_MS = 2000
"""How far the list may lag before the page says so."""

ME = "me"
MAX_NAMESAKES = 20
MAX_TOURNAMENTS = 50
"""How many tournaments the form offers. The address can name any other."""


FOLDED = {"player", "opponent", "result", "place", "about", "min_plies", "max_plies"}
"""The fields that the form shows only if they are used or asked for."""


class Order(NamedTuple):
    """A way to list matches that the page offers."""

    label: str
    sort: str
    order: str
    following: str
    """What the link to the next page says."""


def list_orders() -> list[Order]:
    """The orders that the page offers, in the reader's language."""
    return [
        Order(gettext("Newest"), "created", "desc", gettext("Older")),
        Order(gettext("Oldest"), "created", "asc", gettext("Newer")),
        Order(gettext("Latest to end"), "ended", "desc", gettext("Earlier")),
        Order(gettext("First to end"), "ended", "asc", gettext("Later")),
        Order(gettext("Longest"), "length", "desc", gettext("Shorter")),
        Order(gettext("Shortest"), "length", "asc", gettext("Longer")),
    ]


class WantedMatches(parameters.MatchesQuery):
    """Which matches to list. Players may be given by name."""

    limit = QueryInteger(load_default=SHOWN, validate=validate.Range(1, parameters.MAX_ROWS))
    player = fields.String(load_default="", validate=validate.Length(max=MAX_NAME_LENGTH))
    opponent = fields.String(load_default="", validate=validate.Length(max=MAX_NAME_LENGTH))


@blueprint.get("/matches")
def list_matches() -> Response:
    """List the matches that the form asks for, in the order that was chosen."""
    query = parse_query(WantedMatches, of_form=True)
    who = principal_if_any()
    lag = parts().lists.lag()
    players = {name: _find_player(query[name], who) for name in ("player", "opponent")}
    unknown = next((query[name] for name, account in players.items() if query[name] and account is None), None)
    wanted = make_filter(query, who.account if who and query["waiting"] else None, **players)
    asked = {name: value for name, value in request.args.items() if value and name != "cursor"}
    is_empty = unknown or (query["waiting"] and who is None)
    page = None
    if not is_empty:
        page = parts().lists.matches.read(
            wanted, who, query["limit"], query["cursor"], sort=query["sort"], order=query["order"]
        )
    rows = [orjson.loads(row) for row in page.rows] if page else []
    offered = list_orders()
    chosen = next(each for each in offered if (each.sort, each.order) == (query["sort"], query["order"]))
    return show_page(
        "matches.html",
        matches=[add_names(row) for row in rows],
        asked=asked,
        is_open=not FOLDED.isdisjoint(asked),
        is_filtered=bool(asked.keys() - {"sort", "order", "limit"}),
        unknown=unknown,
        rulesets=sorted({ruleset.id: ruleset.title for ruleset in RULESETS}.items()),
        statuses=STATUSES,
        results=RESULTS,
        names_of_results={"won": gettext("Win"), "lost": gettext("Loss"), "drawn": gettext("Draw")},
        tournaments=_list_tournaments(query["tournament"]),
        orders=[(each, "/matches?" + urlencode(asked | {"sort": each.sort, "order": each.order})) for each in offered],
        chosen=chosen,
        next=path_with(cursor=page.cursor) if page and page.cursor else None,
        first="/matches?" + urlencode(asked) if query["cursor"] else None,
        lag_ms=lag.ms if lag.ms >= LAGS_MS else 0,
        is_complete=lag.complete,
    )


def _list_tournaments(asked: str | None) -> dict[str, str]:
    """The names of the latest tournaments by id. If the one asked for is older, its id stands for its name."""
    rows = map(orjson.loads, parts().lists.tournaments.read(None, None, MAX_TOURNAMENTS, None).rows)
    latest = {row["tournament"]: row["name"] for row in rows}
    return latest if asked is None else {asked: asked, **latest}


def _find_player(named: str, who: Principal | None) -> str | None:
    """The account with this id or name; None if there is no such account, or if the name is empty."""
    if not named:
        return None
    if who and named == ME:
        return who.account
    if owner := parts().accounts.owner_of(named):
        return owner
    found = parts().lists.players.read(named, None, MAX_NAMESAKES, None).rows
    for player in map(orjson.loads, found):
        if fold_for_search(player["name"]) == fold_for_search(named):
            return str(player["player"])
    return named if is_stream_id("player", named) and parts().accounts.name_of(named) else None
