"""What the page of a tournament offers its organisers and arbiters: what is due now, and all that they can do."""

from typing import Any

from plyscribe.domain.tournament.ladder import is_ladder
from plyscribe.domain.tournament.rounds import BRACKETED
from plyscribe.domain.tournament.schedule import bound_rounds
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.teams import is_of_teams
from plyscribe.service.access.accounts import Principal
from plyscribe.service.tournaments.authority import owns
from plyscribe.service.web.pages.blueprint import blueprint
from plyscribe.service.web.pages.entry import list_rounds_ahead
from plyscribe.service.web.pages.levels import count_most_playouts, offer_bots, say_levels
from plyscribe.service.web.pages.speech import gettext


def describe_steering(state: Tournament, who: Principal, names: dict[int, str]) -> dict[str, Any]:
    """What an organiser or arbiter can do now, for the section of the page that is theirs."""
    paired = len(state.rounds)
    is_playing, last = state.status == "playing", state.rounds[-1] if state.rounds else None
    return {
        "is_owner": owns(state, who),
        "is_arbiter": who.account in state.arbiters,
        "account": who.account,
        "present": [(each.number, names[each.number]) for each in state.entrants if each.is_in],
        "gone": [(each.number, names[each.number]) for each in state.entrants if not each.is_in],
        "sitting_out": _list_sitting_out(state, names),
        "rounds_ahead": list_rounds_ahead(state),
        "next": paired + 1,
        "is_last": is_playing and paired >= bound_rounds(state),
        "is_called": state.called > paired,
        "under_way": last.number if is_playing and last and not last.is_decided else None,
        "undecided": sum(game.ranks is None for games in last.games for game in games) if last else 0,
        "is_ladder": is_ladder(state),
        "takes_back": is_playing and not is_ladder(state) and last is not None and not _has_result(last.games),
        "by_hand": is_playing and state.terms.format["kind"] not in BRACKETED and (last is None or last.is_decided),
        "may_ask_byes": bool(state.terms.scoring.get("asked_byes")),
        "bots": [] if state.terms.at_table else offer_bots(),
        "levels": say_levels(),
        "most_playouts": count_most_playouts(),
        "seats": state.terms.seats,
        "of_teams": is_of_teams(state),
    }


def _has_result(boards: Any) -> bool:
    return any(game.ranks is not None for games in boards for game in games)


def _list_sitting_out(state: Tournament, names: dict[int, str]) -> list[tuple[int, str, int, bool]]:
    """Number and name of the entrants who sit out a round to come, with that round and whether it is an asked bye."""
    return [
        (each.number, names[each.number], round, round in each.byes)
        for each in state.entrants
        if each.is_in
        for round in sorted(each.absences)
        if round > len(state.rounds)
    ]


@blueprint.app_template_filter("way_in")
def name_way_in(came: str) -> str:
    """How an entrant came in, in words: one of WAYS_IN."""
    match came:
        case "invited":
            return gettext("invited")
        case "asked":
            return gettext("asked and let in")
        case "guest":
            return gettext("guest")
        case "bot":
            return gettext("bot of the server")
    return gettext("account")
