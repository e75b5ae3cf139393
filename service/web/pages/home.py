"""The home page: what Plyscribe is, what is being played, and where to start."""

from typing import Any

from flask import Response

from plyscribe.domain.deadlines import find_deadline
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import list_newest
from plyscribe.service.access.accounts import Principal
from plyscribe.service.clock import now_ms
from plyscribe.service.lists.matches import FINISHED, MatchFilter
from plyscribe.service.web.api.http import parts, principal_if_any
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.cards import describe_home
from plyscribe.service.web.pages.goals import say_goal
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
    return show_page(
        "home.html",
        own_matches=_list_own(who),
        matches=matches,
        games=_list_games(rulesets),
        card=describe_home(rulesets[0]),
    )


def _list_games(rulesets: list[AnyRuleset]) -> list[tuple[AnyRuleset, str]]:
    """The games, each with what to try in it."""
    return [(ruleset, say_goal(ruleset)) for ruleset in rulesets]


def _list_own(who: Principal | None) -> list[dict[str, Any]]:
    """The visitor's matches that are not over: first those that wait for the visitor, marked by `waits`."""
    if who is None:
        return []
    waiting = list_beside(MatchFilter(waiting_for=who.account, imported=False), who, OWN)
    playing = list_beside(MatchFilter(player=who.account, status=UNDER_WAY, imported=False), who, OWN)
    known = {match["match"] for match in waiting}
    others = [match for match in playing if match["match"] not in known]
    return [_describe_wait(match, match["match"] in known) for match in [*waiting, *others][:OWN]]


def _describe_wait(match: dict[str, Any], waits: bool) -> dict[str, Any]:
    """The row of a match with whose turn it is, and the time that they have left."""
    described = {**match, "waits": waits, "left_ms": None}
    if match["status"] != "playing":
        return described
    deadline = find_deadline(parts().matches.read(match["match"]))
    seat = (match["turn"] or {}).get("decision")
    return {
        **described,
        "on_turn": None if waits or seat is None else match["names"][seat - 1],
        "left_ms": max(0, deadline.at - now_ms()) if deadline else None,
    }
