"""Tournaments: the table, who met whom and why, and how far it has come, live."""

from typing import Any, NamedTuple

import orjson
from flask import Response

from plyscribe.domain.events import Account
from plyscribe.domain.rulesets import find_ruleset, list_newest
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import STATUSES, Tournament
from plyscribe.domain.tournament.tables import list_crosstable, name_entrant
from plyscribe.service.tournaments.queries import describe_round, describe_table, describe_tournament, name_players
from plyscribe.service.web.api.http import parse_query, parts, path_with, principal_if_any
from plyscribe.service.web.api.tournaments import read_tournament
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.plot import Estimate, draw_intervals
from plyscribe.service.web.schemas import parameters

MICRO = 1_000_000
LARGEST_CROSSTABLE = 40
"""Entrants beyond whom a crosstable is no longer to be read on a page."""

PLOTTED = 40


class Reason(NamedTuple):
    """A part of what a pairing costs, in words."""

    what: str
    value: str


@blueprint.get("/tournaments")
def list_tournaments() -> Response:
    """Show tournaments, those announced last first."""
    query = parse_query(parameters.TournamentsQuery, of_form=True)
    lag = parts().lists.lag()
    page = parts().lists.tournaments.read(**query)
    return show_page(
        "tournaments.html",
        tournaments=[orjson.loads(row) for row in page.rows],
        asked=query,
        rulesets=[each.id for each in list_newest()],
        statuses=STATUSES,
        following=None if page.cursor is None else path_with(cursor=page.cursor),
        lag=lag,
    )


@blueprint.get("/tournaments/<tournament>")
def show_tournament(tournament: str) -> Response:
    """Show a tournament as it stands."""
    state = read_tournament(tournament)
    who = principal_if_any()
    names = {each.number: name_entrant(each) for each in state.entrants} | name_players(state, parts().accounts)
    table = describe_table(state)
    return show_page(
        "tournament.html",
        told=describe_tournament(state, parts().accounts),
        events=TOURNAMENT.types,
        title=find_ruleset(state.terms.ruleset, state.terms.ruleset_version).title,
        names=names,
        table=table,
        crosstable=list_crosstable(state, names) if 1 < len(state.entrants) <= LARGEST_CROSSTABLE else None,
        plot=_plot_ratings(table, names),
        rounds=[_describe_round(state, round.number) for round in reversed(state.rounds)],
        organises=who is not None and ("admin" in who.scopes or who.account == state.organiser),
        entered=who is not None and any(each.occupant == Account(who.account) for each in state.entrants),
    )


def _plot_ratings(table: dict[str, Any], names: dict[int, str]) -> str | None:
    """The ratings of the first of the table, with what they may be off; None before any game counts."""
    rated = [row for row in table["rows"] if row["games"]][:PLOTTED]
    if not rated:
        return None
    rows = [
        (names[row["entrant"]], Estimate(row["rating_micro"] / MICRO, row["uncertainty_micro"] / MICRO))
        for row in rated
    ]
    return draw_intervals(rows, "Ratings from the games of this tournament alone")


def _describe_round(state: Tournament, number: int) -> dict[str, Any]:
    told = describe_round(state, number, parts().tournaments)
    return {**told, "reasons": explain_costs(told["costs"], told["engine"])}


def explain_costs(costs: dict[str, Any], engine: str) -> list[Reason]:
    """What a pairing cost, in words, as docs/tournaments.md lists the costs; what it does not know is told as it is."""
    known = [Reason(_COSTS[name], str(value)) for name, value in costs.items() if name in _COSTS]
    floats = [Reason("a board of unequal points", _format_float(each)) for each in costs.get("floats", ())]
    others = [
        Reason(name.replace("_", " "), orjson.dumps(value).decode())
        for name, value in costs.items()
        if name not in _COSTS and name != "floats"
    ]
    return [Reason("worked out by", engine), *known, *floats, *others]


_COSTS = {
    "meetings": "earlier meetings of those on a board",
    "spread": "difference of points on all boards",
    "seats": "times that somebody has had the same seat before",
    "byes": "earlier byes of those who have one now",
    "seed": "seed of what chance decides",
    "cycle": "cycle of the schedule",
    "rounds": "rounds of a cycle",
}


def _format_float(told: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in told.items()) if isinstance(told, dict) else str(told)
