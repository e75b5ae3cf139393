"""The home page: what Plyscribe is, what is being played, and where to start."""

from typing import Any

from flask import Response

from plyscribe.domain.rulesets import list_newest
from plyscribe.service.access.accounts import Principal
from plyscribe.service.lists.matches import FINISHED, MatchFilter
from plyscribe.service.web.api.http import principal_if_any
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.cards import describe_home
from plyscribe.service.web.pages.listed import list_beside

LIVE = 4
"""How many live matches are shown at most, besides the latest finished match of each game."""

OWN = 8
"""How many matches of the visitor are shown at most: first those that wait for the visitor."""

UNDER_WAY = ("playing", "open")


@blueprint.get("/")
def show_home() -> Response:
    """Show the visitor's own matches, what Plyscribe is, some live matches, and the latest finished ones."""
    rulesets = list_newest()
    wanted = [MatchFilter(status=("playing",)), *(MatchFilter(ruleset=each.id, status=FINISHED) for each in rulesets)]
    who = principal_if_any()
    matches = [row for each in wanted for row in list_beside(each, who, 1 if each.ruleset else LIVE)]
    card = describe_home(rulesets[0])
    return show_page("home.html", own_matches=_list_own(who), matches=matches, rulesets=rulesets, card=card)


def _list_own(who: Principal | None) -> list[dict[str, Any]]:
    """The visitor's matches that are not over: first those that wait for the visitor, marked by `waits`."""
    if who is None:
        return []
    waiting = list_beside(MatchFilter(waiting_for=who.account, imported=False), who, OWN)
    playing = list_beside(MatchFilter(player=who.account, status=UNDER_WAY, imported=False), who, OWN)
    known = {match["match"] for match in waiting}
    others = [match for match in playing if match["match"] not in known]
    return [{**match, "waits": match["match"] in known} for match in [*waiting, *others][:OWN]]
