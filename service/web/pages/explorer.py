"""The pages of the explorer: a board with what was played from there, a search, and the part beside other boards."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Response, request
from marshmallow import fields, validate

from plyscribe.domain.effects import ENDED, LEFT, RANKED, ROLLED
from plyscribe.domain.errors import DomainError, MoveError
from plyscribe.domain.ruleset import AnyRuleset, Decision, Roll
from plyscribe.domain.variation import Reached, Tried, follow
from plyscribe.service.errors import BadRequest
from plyscribe.service.explorer.asked_positions import (
    STEP,
    Asked,
    ask_for,
    parse_label,
    read_line_text,
    write_line_text,
)
from plyscribe.service.explorer.counted_matches import DEFAULT
from plyscribe.service.explorer.query_language import MAX_QUERY
from plyscribe.service.language.problems import translate_problem
from plyscribe.service.language.sentences import translate
from plyscribe.service.matches.variations import draw_variation
from plyscribe.service.web.api.explorer import explore, find_start, make_wanted, search
from plyscribe.service.web.api.http import negotiate_language, parse_query
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.option_fields import describe_options
from plyscribe.service.web.pages.people import name_seats
from plyscribe.service.web.problems import problem_of
from plyscribe.service.web.schemas import parameters
from plyscribe.service.web.schemas.field_types import QueryInteger

Json = dict[str, Any]

MOVES = 30
LATEST = 10
FOUND = 20

MOST_FACES = 20
"""A die with more faces is entered by hand."""

FILTERS = ("seats", "options", "since", "min_rating", "max_rating")
PLACES = ("version", "match", "ply", "invitation")
"""What every link of the page keeps, besides the filters and the line."""


class Step(NamedTuple):
    """A step of the line, with the address of the position after it."""

    text: str
    link: str


class ExplorerPage(parameters.ExplorerQuery):
    """What a page of the explorer shows."""

    q = fields.String(load_default="", validate=validate.Length(max=2 * MAX_QUERY))
    cursor = fields.String(load_default=None)
    limit = QueryInteger(load_default=FOUND, validate=validate.Range(1, parameters.MAX_ROWS))


@blueprint.get("/rulesets/<ruleset>/explorer")
def explore_game(ruleset: str) -> Response:
    """Show a position with what was played from it, and the steps that a search finds."""
    query = parse_query(ExplorerPage, of_form=True)
    rules = find_rules(ruleset, query["version"])
    fault, line = None, list[Tried]()
    start, seats = find_start(ruleset, query)
    reached = start
    try:
        line = read_line_text(query["moves"] or "")
        reached = follow(start, line)
    except (DomainError, BadRequest) as error:
        fault, line = _say(error), []
    asked = ask_for(reached, seats)
    return show_page(
        "explorer.html",
        ruleset=start.ruleset,
        asked=query,
        fault=fault,
        line=[
            Step(text, _link(ruleset, query, STEP.join(texts[: number + 1])))
            for texts in [[write_line_text([step]) for step in line]]
            for number, text in enumerate(texts)
        ],
        start=_link(ruleset, query, ""),
        moves=write_line_text(line),
        faces=_list_faces(query, reached, line),
        turn=_name_turn(reached),
        picture=draw_variation(reached, 1),
        presets=[(DEFAULT, None), *((name, said.label) for name, said in _name_presets(rules))],
        is_searched=bool(query["q"]),
        most=MAX_QUERY,
        chosen=None if query["options"] is None else parse_label(rules, query["options"]),
        kinds=[kind.kind for kind in rules.effect_kinds],
        examples=[*list_examples(rules), f"position={asked.key}"],
        **_describe_position(asked, query, line),
        **(_search(start.ruleset, query) if query["q"] else {}),
    )


@blueprint.get("/rulesets/<ruleset>/explored")
def show_explored(ruleset: str) -> Response:
    """Show what was played from a position as part of another page."""
    query = parse_query(ExplorerPage, of_form=True)
    start, seats = find_start(ruleset, query)
    line = read_line_text(query["moves"] or "")
    asked = ask_for(follow(start, line), seats)
    whole = _link(ruleset, query, write_line_text(line))
    return show_page("explored.html", ruleset=start.ruleset, whole=whole, **_describe_position(asked, query, line))


def list_examples(ruleset: AnyRuleset) -> list[str]:
    """Some queries that make sense in this ruleset."""
    kinds = [kind for kind in ruleset.effect_kinds if kind.kind not in (ENDED, RANKED, LEFT, ROLLED)] or [
        *ruleset.effect_kinds
    ]
    first, last = kinds[0], kinds[-1]
    named = next((kind for kind in kinds if len(kind.pieces) > 1), None)
    return [
        f"{named.kind} {named.pieces[-1]}" if named else first.kind,
        f"2 {last.kind} and ply<20",
        f"{first.kind} and not {last.kind}",
        f"{last.kind} then {ENDED}",
    ]


def _describe_position(asked: Asked, query: Mapping[str, Any], line: Sequence[Tried]) -> Json:
    described = explore(asked, make_wanted(asked.ruleset, query), MOVES, LATEST)
    text = write_line_text(line)
    total = described["matches"]
    for each in described["moves"]:
        each["link"] = _link(asked.ruleset.id, query, STEP.join(filter(None, (text, each["move"]))))
        each["share"] = round(100 * each["matches"] / total)
        each["shares"] = [round(100 * won / each["matches"]) for won in each["won"]]
        each["drawn_share"] = round(100 * each["drawn"] / each["matches"])
    _add_names(described["latest"])
    return {"explored": described, "seats": asked.seats, "is_decision": _is_decision(asked)}


def _is_decision(asked: Asked) -> bool:
    return isinstance(asked.ruleset.turn(asked.state), Decision)


def _search(rules: AnyRuleset, query: Mapping[str, Any]) -> Json:
    """What the search finds, or why it cannot be done."""
    try:
        found = search(rules, query)
    except BadRequest as error:
        return {"refused": _say(error)}
    _add_names(found["matches"])
    following = None
    if found["next"] is not None:
        following = f"?{urlencode({**request.args.to_dict(), 'cursor': found['next']})}#search"
    return {"found": found, "following": following}


def _add_names(rows: Sequence[Json]) -> None:
    for row in rows:
        row["names"] = name_seats(row["seats"], "~" in row["match"])


def _say(error: Exception) -> str:
    """What a refusal says in the reader's language."""
    language = negotiate_language()
    if isinstance(error, MoveError):
        return translate(error.phrase, language, {})
    return str(translate_problem(problem_of(error), language)["detail"])


def _link(ruleset: str, query: Mapping[str, Any], moves: str) -> str:
    """The address of the position after these steps, with the same filters."""
    kept = {name: query.get(name) for name in (*PLACES, *FILTERS)}
    kept = {name: value for name, value in kept.items() if value is not None and (name != "ply" or query["match"])}
    return f"/rulesets/{ruleset}/explorer?{urlencode({**kept, 'moves': moves})}"


def _list_faces(query: Mapping[str, Any], reached: Reached, line: Sequence[Tried]) -> list[Step]:
    """The faces of a single die that is due, each with the address of the position after it."""
    turn = reached.ruleset.turn(reached.state)
    if not isinstance(turn, Roll) or turn.count != 1 or turn.sides > MOST_FACES:
        return []
    text = write_line_text(line)
    return [
        Step(str(face), _link(reached.ruleset.id, query, STEP.join(filter(None, (text, f"[{face}]")))))
        for face in range(1, turn.sides + 1)
    ]


def _name_turn(reached: Reached) -> Json:
    match reached.ruleset.turn(reached.state):
        case Decision(seat):
            return {"seat": seat}
        case Roll(sides, count):
            return {"dice": count, "sides": sides}
    return {}


def _name_presets(ruleset: AnyRuleset) -> list[tuple[str, Any]]:
    """The name of each preset, with its texts."""
    said = [texts for _, texts in describe_options(ruleset)["presets"]]
    return list(zip(ruleset.presets, said, strict=True))
