"""The home page: what Plyscribe is, what is being played, and where to start."""

from flask import Response

from plyscribe.domain.rulesets import list_newest
from plyscribe.service.lists.matches import FINISHED, MatchFilter
from plyscribe.service.web.api.http import principal_if_any
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.listed import list_beside

LIVE = 4
"""How many live matches are shown at most, besides the latest finished match of each game."""


@blueprint.get("/")
def show_home() -> Response:
    """Show what Plyscribe is, some live matches, and the latest finished match of each game."""
    rulesets = list_newest()
    wanted = [MatchFilter(status=("playing",)), *(MatchFilter(ruleset=each.id, status=FINISHED) for each in rulesets)]
    who = principal_if_any()
    matches = [row for each in wanted for row in list_beside(each, who, 1 if each.ruleset else LIVE)]
    return show_page("home.html", matches=matches, rulesets=rulesets)
