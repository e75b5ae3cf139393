"""The page on which an organiser looks at the next pairing before it counts, and changes it by hand."""

from flask import Response

from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.rounds import BRACKETED
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.queries import describe_table, name_all
from plyscribe.service.web.api.http import parts, principal
from plyscribe.service.web.api.tournaments import read_tournament, require_organising
from plyscribe.service.web.pages.blueprint import blueprint, show_page


@blueprint.get("/tournaments/<tournament>/rounds/next")
def show_next_round(tournament: str) -> Response:
    """Show organisers how the next round would be paired, to call it or to pair it by hand.

    The pairing itself is a report, which a script on the page asks the API for.
    """
    state = read_tournament(tournament)
    require_organising(state, principal())
    number = len(state.rounds) + 1
    names = name_all(state, parts().accounts)
    points = {row["entrant"]: row["points"] for row in describe_table(state, parts().accounts)["rows"]}
    return show_page(
        "next_round.html",
        tournament={"tournament": state.stream, "name": state.terms.name, "version": state.version},
        number=number,
        obstacle=_find_obstacle(state),
        calls=state.terms.rounds_begin == "call" and state.called < number,
        by_hand=state.terms.format["kind"] not in BRACKETED,
        present=[
            {"entrant": each, "name": names[each], "points": points.get(each, "0")}
            for each in state.list_present(number)
        ],
        absent=[names[each] for each in state.list_absent(number)],
        event_types=" ".join(TOURNAMENT.types),
    )


def _find_obstacle(state: Tournament) -> str | None:
    """Why the next round cannot be paired here now: `status`, `under-way` or `by-itself`; None if it can."""
    if state.status != "playing":
        return "status"
    if state.rounds and not state.rounds[-1].is_decided:
        return "under-way"
    # Without a pause, the server would be faster.
    return "by-itself" if state.terms.rounds_begin == "auto" and state.paused is None else None
