"""The first page: what this is, what is being played, where to begin."""

import orjson
from flask import Response

from domain.rulesets import RULESETS
from service.api.http import parts, principal_if_any
from service.match_list import MatchFilter
from service.viewer.pages.blueprint import blueprint, show_page
from service.viewer.pages.people import name_seats

SHOWN = 6


@blueprint.get("/")
def show_home() -> Response:
    """Show what Plyscribe is and the matches that were created last, those being played first."""
    who = principal_if_any()
    parts().lists.lag()
    playing = parts().lists.matches.read(MatchFilter(status=("playing",)), who, SHOWN, None)
    latest = parts().lists.matches.read(MatchFilter(status=("ended", "verified", "scored")), who, SHOWN, None)
    rows = [orjson.loads(row) for row in (*playing.rows, *latest.rows)][:SHOWN]
    matches = [{**row, "names": name_seats(row["seats"])} for row in rows]
    newest = {ruleset.id: ruleset for ruleset in reversed(RULESETS)}
    return show_page("home.html", matches=matches, rulesets=[newest[id] for id in sorted(newest)])
