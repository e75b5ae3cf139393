"""The pages of tournaments: the table, the pairings with their reasons, and the progress, live."""

from typing import Any

import orjson
from flask import Response, request

from plyscribe.domain.events import Account
from plyscribe.domain.rulesets import find_ruleset, list_newest
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import STATUSES, Tournament
from plyscribe.service.clock import now_ms
from plyscribe.service.lists.tournament_people import PARTS
from plyscribe.service.tournaments.queries import (
    describe_attempt,
    describe_challenges,
    describe_deadlines,
    describe_rounds,
    describe_table,
    describe_tournament,
    list_attempts,
    name_all,
)
from plyscribe.service.web.api.http import parse_query, parts, path_with, principal_if_any
from plyscribe.service.web.api.tournaments import is_organised_by, read_tournament
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.entry import describe_entry
from plyscribe.service.web.pages.pairing_reasons import describe_boards
from plyscribe.service.web.pages.plot import Estimate, draw_intervals
from plyscribe.service.web.pages.score_tables import (
    describe_crosstable,
    describe_penalties,
    find_ranks_before,
    say_change,
)
from plyscribe.service.web.pages.speech import gettext
from plyscribe.service.web.pages.steering import describe_steering
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
    lag, lists, who = parts().lists.lag(), parts().lists, principal_if_any()
    account = None if who is None else who.account
    page = lists.read_tournaments(**{**query, "invited": False}, account=account)
    invited = lists.read_tournaments(None, None, INVITED, None, account=account, invited=True).rows if who else []
    return show_page(
        "tournaments.html",
        tournaments=[_describe_row(row) for row in page.rows],
        invited=[_describe_row(row) for row in invited],
        asked=query,
        rulesets=[each.id for each in list_newest()],
        statuses=STATUSES,
        mine_parts=[(part, _name_part(part)) for part in ("any", *PARTS)] if who else [],
        following=None if page.cursor is None else path_with(cursor=page.cursor),
        lag=lag,
    )


def _name_part(part: str) -> str:
    match part:
        case "any":
            return gettext("All that I have a part in")
        case "organised":
            return gettext("I organise")
        case "arbiter":
            return gettext("I am an arbiter")
        case "entered":
            return gettext("I have entered")
        case "invited":
            return gettext("I am invited")
    return gettext("I have asked to be let in")


def _describe_row(row: bytes) -> dict[str, Any]:
    described = orjson.loads(row)
    return {**described, "kind": describe_format(described["format"])}


@blueprint.get("/tournaments/<tournament>")
def show_tournament(tournament: str) -> Response:
    """Show a tournament in its present state."""
    state = read_tournament(tournament)
    who = principal_if_any()
    names = name_all(state, parts().accounts)
    table = describe_table(state, parts().accounts)
    described = describe_tournament(state, parts().accounts)
    organises = who is not None and is_organised_by(state, who)
    own = {each.number for each in state.entrants if who is not None and each.occupant == Account(who.account)}
    is_narrow = 1 < len(state.entrants) <= LARGEST_CROSSTABLE
    is_live = state.status not in ("ended", "aborted")
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
        is_live=is_live,
        title=find_ruleset(state.terms.ruleset, state.terms.ruleset_version).title,
        names=names,
        table=table,
        challenges=_list_challenges(state, who.account) if who is not None else None,
        dates=describe_deadlines(state, parts().tournaments, now_ms()),
        own=own,
        ranks_before=find_ranks_before(state),
        say_change=say_change,
        penalties=describe_penalties(state),
        crosstable=describe_crosstable(state, names, own) if is_narrow and state.rounds else None,
        plot=_plot_ratings(table, names) if any(game.was_played for game in state.games()) else None,
        rounds=_describe_rounds(state, shown, names),
        newest=len(state.rounds),
        organises=organises,
        entry=describe_entry(state, who, names),
        goes_on=False,
        steering=describe_steering(state, who, names) if who is not None and organises and is_live else None,
        own_games=_list_own_games(state, who.account) if who is not None else [],
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


def _describe_rounds(state: Tournament, numbers: list[int], names: dict[int, str]) -> list[dict[str, Any]]:
    return [
        {
            **each,
            "reasons": explain_costs(each["costs"], each["engine"], names),
            "whys": describe_boards(each, names),
        }
        for each in describe_rounds(state, numbers, parts().tournaments, parts().accounts)
    ]


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
