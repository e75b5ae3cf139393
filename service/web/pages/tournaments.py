"""The pages of tournaments: the table, the pairings with their reasons, and the progress, live."""

from typing import Any

import orjson
from flask import Response, request

from plyscribe.domain.events import Account
from plyscribe.domain.rulesets import find_ruleset, list_newest
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import STATUSES, Tournament
from plyscribe.domain.tournament.tables import list_crosstable
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments.queries import (
    describe_attempt,
    describe_challenges,
    describe_deadlines,
    describe_round,
    describe_table,
    describe_tournament,
    list_attempts,
    name_all,
    name_players,
)
from plyscribe.service.web.api.http import parse_query, parts, path_with, principal_if_any
from plyscribe.service.web.api.tournaments import is_organised_by, read_tournament
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.plot import Estimate, draw_intervals
from plyscribe.service.web.pages.speech import gettext
from plyscribe.service.web.pages.wording import (
    describe_act,
    describe_end,
    describe_format,
    describe_terms,
    explain_costs,
)
from plyscribe.service.web.schemas import parameters

MICRO = 1_000_000
LARGEST_CROSSTABLE = 40
"""With more entrants than this, a crosstable is too wide to read."""

PLOTTED = 40
"""How many ratings the plot shows at most."""

GAMES = 200
"""A page shows whole rounds with so many games, and links to the others."""

FAULTS_SHOWN = 100
INVITED = 20
"""How many invitations the list of tournaments shows at most."""


@blueprint.get("/tournaments")
def list_tournaments() -> Response:
    """Show tournaments, the latest first."""
    query = parse_query(parameters.TournamentsQuery, of_form=True)
    lag = parts().lists.lag()
    query["invited"], who = None, principal_if_any()
    page = parts().lists.tournaments.read(**query)
    invited = [] if who is None else parts().lists.tournaments.read(None, None, INVITED, None, who.account).rows
    return show_page(
        "tournaments.html",
        tournaments=[_describe_row(row) for row in page.rows],
        invited=[_describe_row(row) for row in invited],
        asked=query,
        rulesets=[each.id for each in list_newest()],
        statuses=STATUSES,
        following=None if page.cursor is None else path_with(cursor=page.cursor),
        lag=lag,
    )


def _describe_row(row: bytes) -> dict[str, Any]:
    described = orjson.loads(row)
    return {**described, "kind": describe_format(described["format"])}


@blueprint.get("/tournaments/<tournament>")
def show_tournament(tournament: str) -> Response:
    """Show a tournament in its present state."""
    state = read_tournament(tournament)
    who = principal_if_any()
    names, players = name_all(state, parts().accounts), name_players(state, parts().accounts)
    table = describe_table(state, parts().accounts)
    described = describe_tournament(state, parts().accounts)
    organises = who is not None and is_organised_by(state, who)
    shown = _choose_rounds(state, request.args.get("round", len(state.rounds), type=int))
    return show_page(
        "tournament.html",
        tournament=described,
        kind=describe_format(state.terms.format),
        end=describe_end(state.ended),
        terms=list(describe_terms(described)),
        acts=[{**each, "did": describe_act(each, names)} for each in reversed(described["acts"])],
        faults=_list_faults(state),
        event_types=" ".join(TOURNAMENT.types),
        is_live=state.status not in ("ended", "aborted"),
        title=find_ruleset(state.terms.ruleset, state.terms.ruleset_version).title,
        names=names,
        table=table,
        challenges=_list_challenges(state, who.account) if who is not None else None,
        dates=describe_deadlines(state, parts().tournaments, now_ms()),
        crosstable=list_crosstable(state, players) if 1 < len(state.entrants) <= LARGEST_CROSSTABLE else None,
        plot=_plot_ratings(table, names) if any(game.was_played for game in state.games()) else None,
        rounds=[_describe_round(state, number, names) for number in shown],
        newest=len(state.rounds),
        organises=organises,
        takes_entrants=state.takes_entrants,
        own_boards=_list_own_boards(state, who.account) if who is not None and organises else set(),
        invited=who is not None and state.takes_entrants and state.find_invitation(who.account) is not None,
        own_games=_list_own_games(state, who.account) if who is not None else [],
        entered=who is not None and any(each.occupant == Account(who.account) for each in state.entrants),
    )


def _list_challenges(state: Tournament, account: str) -> dict[str, Any] | None:
    """Whom the account can challenge on a ladder; None if it has not entered."""
    own = [each.number for each in state.entrants if each.occupant == Account(account)]
    return describe_challenges(state, own[0], parts().accounts, now_ms()) if own else None


def _plot_ratings(table: dict[str, Any], names: dict[int, str]) -> str | None:
    """A plot of the ratings at the top of the table, with their uncertainty; None before any game counts."""
    rated = [row for row in table["rows"] if row["games"]][:PLOTTED]
    if not rated:
        return None
    rows = [
        (names[row["entrant"]], Estimate(row["rating_micro"] / MICRO, row["uncertainty_micro"] / MICRO))
        for row in rated
    ]
    return draw_intervals(rows, gettext("Ratings from the games of this tournament only"))


def _choose_rounds(state: Tournament, newest: int) -> list[int]:
    """The rounds to show, the newest first: from this one down, until they have GAMES games."""
    shown: list[int] = []
    games = 0
    for round in reversed(state.rounds[: max(1, newest)]):
        if games >= GAMES:
            break
        games += sum(map(len, round.games))
        shown.append(round.number)
    return shown


def _describe_round(state: Tournament, number: int, names: dict[int, str]) -> dict[str, Any]:
    described = describe_round(state, number, parts().tournaments)
    return {**described, "reasons": explain_costs(described["costs"], described["engine"], names)}


def _list_faults(state: Tournament) -> list[dict[str, Any]]:
    """The attempts with faults, at most FAULTS_SHOWN."""
    wanted = {"after": None, "round": None, "board": None, "game": None, "entrant": None, "faults": True}
    attempts, _ = list_attempts(state, {**wanted, "limit": FAULTS_SHOWN})
    return [describe_attempt(state, each, None, parts().tournaments) for each in attempts]


def _list_own_games(state: Tournament, account: str) -> list[str]:
    """The matches that the account plays in and that are not over."""
    own = {each.number for each in state.entrants if each.occupant == Account(account)}
    return [
        parts().tournaments.match_id(state, game)
        for round in state.open_rounds
        for games in round.games
        for game in games
        if game.ranks is None and not game.is_given_up and own & set(game.entrants)
    ]


def _list_own_boards(state: Tournament, account: str) -> set[tuple[int, int]]:
    """Round and board of each board on which the account is an entrant."""
    own = {each.number for each in state.entrants if each.occupant == Account(account)}
    return {
        (round.number, board)
        for round in state.rounds
        for board, entrants in enumerate(round.boards, 1)
        if own & set(entrants)
    }
