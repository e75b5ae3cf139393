"""The pages that start a match, to play it or to record it from a real table."""

from typing import Any

from flask import Response, request

from plyscribe.domain.bots import PLAYOUTS
from plyscribe.domain.events import Account
from plyscribe.domain.rulesets import list_newest
from plyscribe.service.access.accounts import Principal
from plyscribe.service.boards import draw_beginning
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.web.api.http import parts, principal_if_any
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.goals import say_goal
from plyscribe.service.web.pages.levels import count_most_playouts, offer_levels, offer_own_playouts, say_strengths
from plyscribe.service.web.pages.listed import list_beside
from plyscribe.service.web.pages.option_fields import describe_options
from plyscribe.service.web.pages.time_words import list_usual

SHOWN = 20


@blueprint.get("/play")
def offer_match() -> Response:
    """Offer a new match, and the open matches that still need players."""
    who = principal_if_any()
    most_playouts, game = count_most_playouts(), _describe_game()
    return show_page(
        "new_match.html",
        **game,
        bots=[*offer_levels(), offer_own_playouts()],
        strengths=say_strengths(game["ruleset"]),
        playouts=min(PLAYOUTS, most_playouts),
        most_playouts=most_playouts,
        usual_times=list_usual(),
        **_describe_lobby(who),
    )


@blueprint.get("/play/lobby")
def show_lobby() -> Response:
    """Show the open matches that still need players, and the visitor's own, as a part of the page to play."""
    return show_page("lobby.html", **_describe_lobby(principal_if_any()))


@blueprint.get("/record")
def offer_recording() -> Response:
    """Offer to record a match from a real table, and list those being recorded."""
    return show_page("new_record.html", **_describe_game(), own_matches=_list_own(principal_if_any(), recorded=True))


def _describe_game() -> dict[str, Any]:
    """The newest version of the game in the query, or of the first game; NotFound if there is no such game."""
    newest = list_newest()
    ruleset = find_rules(request.args.get("ruleset") or newest[0].id)
    return {
        "games": [(each.title, each.id) for each in newest],
        "ruleset": ruleset,
        **describe_options(ruleset),
        "picture": draw_beginning(ruleset),
        "goal": say_goal(ruleset),
    }


def _describe_lobby(who: Principal | None) -> dict[str, Any]:
    return {"open_matches": _list_open(who), "own_matches": _list_own(who, recorded=False)}


def _list_open(who: Principal | None) -> list[dict[str, Any]]:
    """Matches with a seat that the visitor could take, the newest first."""
    mine = who and Account(who.account)
    found = []
    for match in list_beside(MatchFilter(status=("open",), imported=False), who, SHOWN):
        life = parts().matches.read(match["match"]).life
        seats = [
            number for number, seat in enumerate(life.seats, 1) if not seat.seated and seat.occupant in (None, mine)
        ]
        if seats and life.status == "open" and life.created.recorder is None:
            found.append({**match, "free": seats, "salted": life.takes_entropy, "limits": life.created.limits})
    return found


def _list_own(who: Principal | None, recorded: bool) -> list[dict[str, Any]]:
    """The unfinished matches that the visitor plays in, or records."""
    if who is None:
        return []
    wanted = MatchFilter(player=who.account, status=("playing", "open"), imported=False)
    return [match for match in list_beside(wanted, who, SHOWN) if (match["recorder"] == who.account) is recorded]
