"""The page to try a line on: from a position of a match, or from a new game."""

from typing import Any
from urllib.parse import urlencode

import orjson
from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.bots import PLAYOUTS
from plyscribe.domain.errors import OptionError
from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match, damaged
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.access.reading import may_read
from plyscribe.service.language.guidance import list_purposes, list_ways
from plyscribe.service.language.sentences import translate
from plyscribe.service.matches.queries import describe_seats
from plyscribe.service.matches.story import name_players as name_told
from plyscribe.service.matches.variations import (
    Start,
    describe_tried,
    draw_variation,
    find_beginning,
    is_contested,
    list_begun,
    reach,
)
from plyscribe.service.web.api.http import negotiate_language, parts
from plyscribe.service.web.api.matches.reading import read_match
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.pages.bars import SEEN, choose_view
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.lessons import name_players
from plyscribe.service.web.pages.levels import count_most_playouts, offer_levels
from plyscribe.service.web.pages.match import format_query, list_held
from plyscribe.service.web.pages.option_fields import describe_options
from plyscribe.service.web.pages.people import name_seats
from plyscribe.service.web.schemas.bodies.matches import MAX_SUGGESTING

Json = dict[str, Any]


@blueprint.get("/matches/<match>/analysis")
def analyse_match(match: str) -> AnyResponse:
    """Let the visitor try a line from a position of a match: the one at the ply in the query, or else the last one."""
    state = read_match(match)
    if state.stream != match:
        query = request.query_string.decode("ascii", "replace")
        return redirect(f"/matches/{state.stream}/analysis?{query}".rstrip("?"), 303)
    play = state.play
    if play is None:
        assert state.fault is not None  # a created match without a fault has a play
        raise damaged(state.fault)
    asked = min(max(0, request.args.get("ply", play.ply, type=int)), play.ply)
    ply, begun = list_begun(state, asked)
    created, view = state.life.created, choose_view(state, list_held(state))
    start = Start(play.ruleset.id, play.ruleset.version, {}, len(created.seats), state.stream, ply)
    reached = reach(start, begun, lambda _: state)
    invited = format_query()
    names = _name_players(state)
    return show_page(
        "analysis.html",
        ruleset=play.ruleset,
        match=state.stream,
        ply=asked,
        names=names,
        view=view,
        picture=draw_variation(reached, view),
        home=f"/matches/{state.stream}?ply={asked}{invited}",
        explored=None if is_contested(state) else _name_explored(play.ruleset, invited, match=state.stream, ply=ply),
        fields=[],
        presets=[],
        **_describe_help(),
        data={
            **_describe_play(play.ruleset, names, view),
            "start": {"match": state.stream, "ply": ply},
            "query": invited.replace("&", "?", 1),
            "ply": asked,
            "begun": [describe_tried(step) for step in begun],
            "left": _list_left(state, ply),
            "is_contested": is_contested(state),
            "forks": f"/v1/matches/{state.stream}/forks{invited.replace('&', '?', 1)}",
            "is_private": not may_read(state, None),
        },
    )


def _name_players(state: Match) -> list[str]:
    """The players as sentences call them. Those without a name there are called as on other pages."""
    told = name_told(state, parts().accounts.name_of, negotiate_language())
    shown = name_seats(describe_seats(state.life.seats), is_address(state.stream))
    return [told.get(seat, name) for seat, name in enumerate(shown, 1)]


def _list_left(state: Match, ply: int) -> list[int]:
    """The seats that had left the match before the position at this ply was reached."""
    assert state.play is not None
    return [each.seat for each in state.play.between if each.seat is not None and each.ply <= ply]


@blueprint.get("/rulesets/<ruleset>/analysis")
def analyse_game(ruleset: str) -> Response:
    """Let the visitor try a line from the start of a game, with the seats and the options in the query."""
    rules = find_rules(ruleset, request.args.get("version", type=int))
    seats, options = request.args.get("seats", rules.min_seats, type=int), _read_options()
    start = Start(rules.id, rules.version, options, seats)
    begun = find_beginning(start, read_match)
    view = min(max(1, request.args.get(SEEN, 1, type=int)), seats)
    names = name_players(seats)
    return show_page(
        "analysis.html",
        ruleset=rules,
        match=None,
        ply=0,
        names=names,
        view=view,
        picture=draw_variation(begun, view),
        home=f"/rulesets/{rules.id}?version={rules.version}",
        explored=_name_explored(rules, "", seats=seats, options=orjson.dumps(options).decode()),
        **describe_options(rules),
        **_describe_help(),
        data={
            **_describe_play(rules, names, view),
            "start": {"seats": seats, "options": options, "ruleset_version": rules.version, "names": names},
            "query": "",
            "ply": 0,
            "begun": [],
            "left": [],
            "is_contested": False,
            "forks": "/v1/matches",
            "is_private": False,
        },
    )


def _name_explored(ruleset: AnyRuleset, more: str, **start: Any) -> str:
    """Where what was played from the position of a line can be loaded, up to the line itself."""
    return f"/rulesets/{ruleset.id}/explored?{urlencode({'version': ruleset.version, **start})}{more}"


def _read_options() -> Json:
    """The options in the query, as JSON; OptionError if they cannot be read."""
    text = request.args.get("options", "{}")
    try:
        options = orjson.loads(text)
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise OptionError("options", text, "a JSON object")
    return options


def _describe_play(ruleset: AnyRuleset, names: list[str], view: int) -> Json:
    """What the script of the page needs to know about the game."""
    language = negotiate_language()
    return {
        "ruleset": ruleset.id,
        "version": ruleset.version,
        "names": names,
        "view": view,
        "purposes": {purpose: translate(said, language, {}) for purpose, said in list_purposes().items()},
        "ways": {reason: translate(said, language, {}) for reason, said in list_ways().items()},
    }


def _describe_help() -> Json:
    """The bots, and how many playouts a suggestion may have."""
    most = min(MAX_SUGGESTING, count_most_playouts())
    return {"bots": offer_levels(), "levels": sorted({min(PLAYOUTS, most), most})}
