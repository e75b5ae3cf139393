"""The pages of tournaments: the table, the pairings with their reasons, and the progress, live."""

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
"""With more entrants than this, a crosstable is too wide to read."""

PLOTTED = 40
"""How many ratings the plot shows at most."""


class Reason(NamedTuple):
    """One of the costs of a pairing, in words."""

    what: str
    value: str


@blueprint.get("/tournaments")
def list_tournaments() -> Response:
    """Show tournaments, the latest first."""
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
    """Show a tournament in its present state."""
    state = read_tournament(tournament)
    who = principal_if_any()
    names = {each.number: name_entrant(each) for each in state.entrants} | name_players(state, parts().accounts)
    table = describe_table(state)
    return show_page(
        "tournament.html",
        tournament=describe_tournament(state, parts().accounts),
        event_types=" ".join(TOURNAMENT.types),
        is_live=state.status not in ("ended", "aborted"),
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
    """A plot of the ratings at the top of the table, with their uncertainty; None before any game counts."""
    rated = [row for row in table["rows"] if row["games"]][:PLOTTED]
    if not rated:
        return None
    rows = [
        (names[row["entrant"]], Estimate(row["rating_micro"] / MICRO, row["uncertainty_micro"] / MICRO))
        for row in rated
    ]
    return draw_intervals(rows, "Ratings from the games of this tournament only")


def _describe_round(state: Tournament, number: int) -> dict[str, Any]:
    described = describe_round(state, number, parts().tournaments)
    return {**described, "reasons": explain_costs(described["costs"], described["engine"])}


def explain_costs(costs: dict[str, Any], engine: str) -> list[Reason]:
    """What a pairing cost, in words. An unknown cost keeps its name; docs/tournaments.md lists the known ones."""
    known = [Reason(_COSTS[name], str(value)) for name, value in costs.items() if name in _COSTS]
    floats = [Reason("board with unequal points", _format_float(each)) for each in costs.get("floats", ())]
    others = [
        Reason(name.replace("_", " "), orjson.dumps(value).decode())
        for name, value in costs.items()
        if name not in _COSTS and name != "floats"
    ]
    return [Reason("paired by", engine), *known, *floats, *others]


_COSTS = {
    "meetings": "earlier games between the players of a board",
    "spread": "differences in points, all boards together",
    "seats": "times that a player had the same seat before",
    "byes": "earlier byes of players who have one now",
    "seed": "seed of the random choices",
    "cycle": "cycle of the schedule",
    "rounds": "rounds per cycle",
}


def _format_float(cost: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in cost.items()) if isinstance(cost, dict) else str(cost)
