"""Variations: positions that are tried without a match, and moves that a bot suggests for them."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, g

from plyscribe.domain.bots import build_bot
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.match import Match
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.variation import trace
from plyscribe.service.errors import NotFound, Unauthenticated
from plyscribe.service.language.sentences import Names, name_seats
from plyscribe.service.matches.story import describe_step, name_players
from plyscribe.service.matches.touching import describe_touches
from plyscribe.service.matches.variations import (
    BOT,
    Start,
    describe_suggestion,
    describe_variation,
    dump_variation,
    find_beginning,
    is_contested,
    reach,
)
from plyscribe.service.reports.subjects import Json, suggestion_for
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.http import answer, negotiate_language, parse_body, parts, principal, spoken
from plyscribe.service.web.api.matches.reading import read_for_position, read_match
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.charging import READ, charge_size, charged, is_limited
from plyscribe.service.web.schemas import answers, bodies

blueprint = Blueprint("variations", __name__, url_prefix="/v1/rulesets")

CHEAP = 100
"""So many steps cost as much as reading a position."""

TOLD = 25
"""So many steps cost as much as reading a position, if it is said what each did."""


@blueprint.post("/<ruleset>/positions")
@charged(READ)
@operation("rulesets", answers.VariationOut, body=bodies.Variation, problems=(401, 404, 409), open=True, spoken=True)
def try_variation(ruleset: str) -> Response:
    """Try steps on a position, without a match.

    Begin with a new game or with any position of a match, and take moves, rolls and withdrawals as you like. Nothing is
    stored. The refusal of a step has its number, from 0, as `step`, and names the clause of the rules that it breaks.
    """
    wanted, language = parse_body(bodies.Variation), negotiate_language()
    charge_size(READ, len(wanted["steps"]), TOLD if wanted["story"] else CHEAP)
    begun = find_beginning(_find_start(ruleset, wanted), _read_found)
    line = [begun, *trace(begun, wanted["steps"])]
    reached = line[-1]
    names, seat, touches = _name_players(wanted["names"], language), wanted["seen_from"], wanted["touches"]
    described = describe_variation(reached, language, names, seat, wanted["picture"])
    if wanted["story"]:
        taken = [each.last for each in line if each.last]
        described["story"] = [describe_step(reached.ruleset, step, language, names) for step in taken]
    if touches is not None:
        touched = describe_touches(reached.ruleset, reached.state, tuple(touches), language, names, seat)
        described = {**described, "touched": touched}
    return spoken(answer(described), language)


@blueprint.post("/<ruleset>/suggestions")
@charged("heavy")
@operation("rulesets", answers.Suggestion, body=bodies.WantedSuggestion, problems=(401, 404, 409), spoken=True)
def suggest_move(ruleset: str) -> Response:
    """Let a bot suggest moves for the seat on turn.

    Name the position as for a variation. The bot searches with so many playouts, and finds the same for the same
    request. While a match is under way, there are no suggestions for it if it is rated or belongs to a
    tournament, or if several players have seats in it besides bots of the server.
    """
    wanted, language = parse_body(bodies.WantedSuggestion), negotiate_language()
    who, playouts = principal(), wanted["playouts"]
    if who.table is not None:
        raise Unauthenticated("the code of a table asks no bot: sign in", "table/no-account")
    start = _find_start(ruleset, wanted)
    if is_limited():
        parts().quotas.require_playouts(who, [build_bot(BOT, None, playouts)])
    reached = reach(start, wanted["steps"], _read_found)
    # The match may have been read only up to the ply.
    if wanted.get("match") is not None and is_contested(read_match(wanted["match"])):
        raise WrongTime("suggestion/under-way", "players decide this match without help: ask again when it is over")
    if not isinstance(reached.ruleset.turn(reached.state), Decision):
        raise WrongTime("suggestion/no-decision", "nobody has to move in this position")

    def show(report: Json) -> Response:
        names = _name_players(wanted["names"], language)
        return spoken(answer(describe_suggestion(reached, report, playouts, language, names)), language)

    stood_at = 0 if start.match is None else position_at(_read_found(start.match), start.ply).version
    variation = dump_variation(start, wanted["steps"])
    return answer_report(suggestion_for(reached.ruleset.id, variation, playouts, stood_at), show)


def _find_start(ruleset: str, wanted: dict[str, Any]) -> Start:
    """Where the variation begins; NotFound for an unknown ruleset, or for a match of another one."""
    match = wanted.get("match")
    if match is None:
        rules = find_rules(ruleset, wanted.get("ruleset_version"))
        g.rules = (rules.id, rules.version)
        return Start(rules.id, rules.version, wanted.get("options", {}), wanted["seats"])
    rules = find_rules(ruleset)
    ply = wanted.get("ply", 0)
    state = read_for_position(match, ply, None)
    g.match = state
    if state.life.created.ruleset != rules.id:
        raise NotFound(f"{match} is no match of {rules.id}", "match/unknown")
    return Start(rules.id, state.life.created.ruleset_version, {}, len(state.life.seats), state.stream, ply)


def _read_found(_: str) -> Match:
    """The match in which the variation begins, as `_find_start` has read it."""
    found: Match = g.match
    return found


def _name_players(given: Sequence[str], language: str) -> Names:
    """The given names of the players, or else those of the match."""
    match: Match | None = g.get("match")
    if given or match is None:
        return name_seats(dict(enumerate(given, 1)), language)
    return name_players(match, parts().accounts.name_of, language)
