"""What the steps of a match did: as data for programs, as sentences for people."""

from hashlib import sha256
from typing import Any

from flask import Response

from plyscribe.domain.match import Match
from plyscribe.domain.replay import list_steps, position_at
from plyscribe.service.errors import BadRequest
from plyscribe.service.matches.story import describe_steps, name_players, render_steps
from plyscribe.service.web.api.http import (
    JSON,
    TEXT,
    accepted,
    answer,
    negotiate_language,
    parse_query,
    parts,
    path_with,
    spoken,
)
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.reading import confined, read_for_position, varied
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charge_size
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import answers, parameters

TOLD = 10
"""Positions of a page for the price of one request."""


@blueprint.get("/<match>/effects")
@operation(
    "replay",
    media={JSON: answers.EffectsPage, TEXT: None},
    query=parameters.EffectsQuery,
    problems=(400, 401, 404, 409),
    open=True,
    tagged=True,
    spoken=True,
)
def list_effects(match: str) -> Response:
    """List what the steps of a match did.

    A step is a move, a roll, a withdrawal or an agreed draw that was not taken back. `from` and `to` choose the steps
    by the positions that they led to; position 0 has the rolls before the first move. A step has its effects, and a
    sentence for each of them with the names of the players, in the language of `Accept-Language` (`en`, `de`). As text
    you get the sentences alone, a line each. If a stored event is damaged, the steps end before it.
    """
    media = accepted(JSON, TEXT)
    query = parse_query(parameters.EffectsQuery)
    if query["last"] is not None and query["last"] < query["first"]:
        raise BadRequest("`to` is a position before `from`: give a later one", "effects/range")
    first, wanted, language = query["first"], query["last"], negotiate_language(query["language"])
    last = first + query["limit"] - 1 if wanted is None else min(first + query["limit"] - 1, wanted)
    state = read_for_position(match, last, None)
    reached = position_at(state, min(last, state.play.ply) if state.play else last)
    assert state.play is not None  # or there would be no position
    is_last = last >= state.play.ply
    charge_size("reads", reached.ply - first, TOLD)
    following = None if is_last or last == wanted else path_with(**{"from": last + 1})
    steps = list_told(state, first, last, language)
    if media == TEXT:
        lines = [*render_steps(steps), *(["", f"next: {following}"] if following else [])]
        response = Response("".join(f"{line}\n" for line in lines), content_type=f"{TEXT}; charset=utf-8")
    else:
        fault = {"version": state.fault.version, "why": str(state.fault.error)} if is_last and state.fault else None
        page = {"match": state.stream, "version": reached.version, "steps": steps, "next": following, "fault": fault}
        response = answer(page)
    return confined(varied(spoken(tagged(response, tag_told(response, reached.version)), language)), state)


def list_told(state: Match, first: int, last: int, language: str) -> list[dict[str, Any]]:
    """The steps that led to these positions, described in this language with the names of the players."""
    assert state.play is not None  # whoever asks has found a position
    names = name_players(state, parts().accounts.name_of, language)
    return describe_steps(state.play.ruleset, list_steps(state.play, first, last), language, names)


def tag_told(response: Response, version: int) -> str:
    """The tag of an answer with sentences: a later release may word them differently."""
    return f"{version}-{sha256(response.get_data()).hexdigest()[:16]}"
