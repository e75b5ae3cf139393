"""The home page: what Plyscribe is, what is being played, and where to start."""

from typing import Any

import orjson
from flask import Response

from plyscribe.domain.rulesets import list_newest
from plyscribe.service.lists.matches import FINISHED, MatchFilter
from plyscribe.service.web.api.http import parts, principal_if_any
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.people import add_names

LIVE = 4
"""How many live matches are shown at most, besides the latest finished match of each game."""


@blueprint.get("/")
def show_home() -> Response:
    """Show what Plyscribe is, some live matches, and the latest finished match of each game."""
    rulesets = list_newest()
    parts().lists.lag()
    wanted = [MatchFilter(status=("playing",)), *(MatchFilter(ruleset=each.id, status=FINISHED) for each in rulesets)]
    matches = [add_names(row) for each in wanted for row in _read_rows(each, 1 if each.ruleset else LIVE)]
    return show_page("home.html", matches=matches, rulesets=rulesets)


def _read_rows(wanted: MatchFilter, count: int) -> list[dict[str, Any]]:
    return [orjson.loads(row) for row in parts().lists.matches.read(wanted, principal_if_any(), count, None).rows]
