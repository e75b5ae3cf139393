"""The explorer: what was played from a position, and a search for steps."""

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.errors import WrongTime
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.variation import Reached, begin, follow
from plyscribe.service.errors import BadRequest, NotFound
from plyscribe.service.explorer.asked_positions import (
    Asked,
    ask_for,
    begin_in_match,
    describe_ended,
    describe_explored,
    parse_label,
    parse_month,
    parse_options,
    read_line_text,
)
from plyscribe.service.explorer.counted_matches import name_rules
from plyscribe.service.explorer.explored import Wanted
from plyscribe.service.explorer.query_language import parse_query as parse_search
from plyscribe.service.explorer.step_search import Found
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.matches.variations import is_contested
from plyscribe.service.web.api.http import answer, parse_query, parts, path_with
from plyscribe.service.web.api.matches.reading import read_for_position, read_match, varied
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.charging import READ, charge_size, charged
from plyscribe.service.web.schemas import answers, parameters

blueprint = Blueprint("explorer", __name__, url_prefix="/v1/explorer")

CHEAP = 2_000
"""A search that reads so many effects costs as much as reading a position."""

Json = dict[str, Any]


@blueprint.get("/<ruleset>")
@charged(READ)
@operation(
    "explorer", answers.ExploredPosition, query=parameters.ExplorerQuery, problems=(400, 401, 404, 409, 422), open=True
)
def explore_position(ruleset: str) -> Response:
    """Find out what was played from a position: moves, results, ratings and the latest matches.

    Name the position by its key (`position`), by a match and a ply, or by `moves` from the start or from that ply. All
    public matches count that were played to their end and found without fault; annulled ones do not. Positions that
    mirror each other count as one where the ruleset has such symmetries. While a match is under way in which players
    decide without help, its own positions are not explored.
    """
    query = parse_query(parameters.ExplorerQuery)
    asked = find_asked(ruleset, query)
    return varied(answer(explore(asked, make_wanted(asked.ruleset, query), query["limit"], query["latest"])))


@blueprint.get("/<ruleset>/search")
@charged(READ)
@operation("explorer", answers.FoundSteps, query=parameters.StepSearchQuery, problems=(400, 404, 422), open=True)
def search_steps(ruleset: str) -> Response:
    """Search all counted matches for steps, by what they did and by the position before them.

    `killed blocker from=d*` finds the steps in which a blocker fell on ring d, `placed portal and 4 joined exit` those
    that built a portal with four exits. Kinds of effects, pieces and words are those of the ruleset. A query that
    cannot be read is refused with the place of the fault and with what is allowed there. A page is short if it took
    many steps to find; `next` goes on.
    """
    query = parse_query(parameters.StepSearchQuery)
    rules = find_rules(ruleset, query["version"])
    found = search(rules, query)
    following = None if found["next"] is None else path_with(cursor=found["next"])
    return answer({**found, "next": following})


def find_asked(ruleset: str, query: Mapping[str, Any]) -> Asked:
    """The position that a query names; NotFound, or BadRequest if it names two."""
    if query["position"] is not None:
        if query["match"] is not None or query["moves"] is not None:
            message = "`position` names a position by itself: leave `match` and `moves` out"
            raise BadRequest(message, "explorer/position")
        return Asked(find_rules(ruleset, query["version"]), query["position"])
    start, seats = find_start(ruleset, query)
    return ask_for(follow(start, read_line_text(query["moves"] or "")), seats)


def find_start(ruleset: str, query: Mapping[str, Any]) -> tuple[Reached, int]:
    """Where the moves of a query begin, and the number of seats there; NotFound, WrongTime or OptionError."""
    rules = find_rules(ruleset, query["version"])
    if query["match"] is None:
        options = {} if query["options"] is None else parse_options(rules, query["options"])
        seats = query["seats"] or rules.min_seats
        return begin(rules, options, seats), seats
    id, ply = query["match"], query["ply"]
    match = read_for_position(id, ply, None)
    if match.life.created.ruleset != rules.id:
        raise NotFound(f"{id} is no match of {rules.id}", "match/unknown")
    # The match may have been read only up to the ply.
    if is_contested(match) and is_contested(read_match(id)):
        message = "players decide this match without help: explore it when it is over"
        raise WrongTime("explorer/under-way", message)
    return begin_in_match(match, position_at(match, ply)), len(match.life.seats)


def make_wanted(ruleset: AnyRuleset, query: Mapping[str, Any]) -> Wanted:
    """Which matches a query wants; OptionError."""
    return Wanted(
        seats=query["seats"],
        options=None if query["options"] is None else parse_label(ruleset, query["options"]),
        since=None if query["since"] is None else parse_month(query["since"]),
        min_rating=query.get("min_rating"),
        max_rating=query.get("max_rating"),
    )


def explore(asked: Asked, wanted: Wanted, limit: int, latest: int) -> Json:
    """What was played in the asked position, for JSON. The lag is measured first, so it is never understated."""
    lag, explorer = parts().lists.lag(), parts().explorer
    explored = explorer.read(asked.ruleset.id, asked.key, wanted, latest)
    described = describe_explored(asked, explored, find_rows(each.match for each in explored.latest), limit)
    return {**described, "lag_ms": lag.ms, "complete": explorer.is_complete()}


def search(rules: AnyRuleset, query: Mapping[str, Any]) -> Json:
    """A page of the matches that a query finds, for JSON; `next` is the cursor. QueryFault, OptionError."""
    parsed, wanted = parse_search(rules, query["q"]), make_wanted(rules, query)
    lag = parts().lists.lag()
    found: Found = parts().step_search.read(name_rules(rules), parsed, wanted, query["limit"], query["cursor"])
    charge_size(READ, found.effects, CHEAP)
    rows = find_rows(each.match for each in found.matches)
    return {
        "matches": [
            {**describe_ended(rows[each.match]), "plies": each.plies, "steps": each.steps}
            for each in found.matches
            if each.match in rows
        ],
        "looked_at": found.looked_at,
        "next": found.cursor,
        "lag_ms": lag.ms,
        "complete": parts().explorer.is_complete(),
    }


def find_rows(ids: Iterable[str]) -> dict[str, Json]:
    """The rows of the list of matches with these ids, as everybody may read them."""
    return parts().lists.matches.select(list(dict.fromkeys(ids)), MatchFilter(), None)
