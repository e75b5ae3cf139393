"""Matches that were recorded elsewhere are brought here, and what was found of them is told."""

from typing import Any

from flask import Blueprint, Response

from domain.commands import Actor
from domain.errors import Unknown
from domain.events import dump_data
from domain.imported import Import
from service.access import may_read_import
from service.api.http import BUNDLE, NDJSON, answer, current_request, parts, principal, principal_if_any
from service.api.openapi import operation
from service.errors import UnsupportedType
from service.ids import is_stream_id
from service.imports import Taken
from service.schemas import answers

blueprint = Blueprint("imports", __name__, url_prefix="/v1/imports")


@blueprint.post("")
@operation(
    "imports",
    answers.ImportOut,
    status=202,
    takes=(BUNDLE, NDJSON),
    problems=(403, 409),
    command=True,
    keyed=False,
)
def create_import() -> Response:
    """Bring a match here that was recorded elsewhere, as its bundle: up to 16 MiB, exactly as it was exported.

    The same bytes, ids and hashes can be read here from then on, like any match. Nobody can act in it, it is unrated,
    and what it says of players, verdicts and points counts for nothing; a second execution here gives it a verdict of
    its own. A bundle may be sent again at will: it is the same import. A longer one of the same match goes on from the
    one before, another one is refused.
    """
    who = principal()
    who.require("play", "record")
    asked = current_request()
    raw = asked.body
    if asked.mimetype not in (BUNDLE, NDJSON):
        raise UnsupportedType(f"the body is {asked.mimetype or 'of no type'}; send a bundle as {BUNDLE}")
    taken = parts().imports.take(Actor("player", who.account), raw)
    return answer(describe_taken(taken), 202)


@blueprint.get("/<id>")
@operation("imports", answers.ImportOut, problems=(401, 404), open=True)
def get_import(id: str) -> Response:
    """Tell how far an import is, and what was found of the match. Of a private match only its importer is told."""
    state = parts().imports.read(id) if is_stream_id("import", id) else Import(id[:64])
    if state.begun is None or not may_read_import(state, principal_if_any()):
        raise Unknown("import/unknown", f"there is no import {state.stream}")
    told = answer(describe_import(state))
    if state.begun.private:
        told.cache_control.private = True
        told.vary.add("Authorization")
    return told


def describe_taken(taken: Taken) -> dict[str, Any]:
    """What became of a bundle that was sent."""
    if taken.imported is not None:
        return describe_import(taken.imported)
    nothing = dict.fromkeys(("import", "by", "at", "private", "copied", "sha256", "verdict"))
    return {**nothing, "match": taken.match, "status": "own"}


def describe_import(state: Import) -> dict[str, Any]:
    """An import as it stands."""
    begun, verdict = state.begun, state.verdict
    assert begun is not None
    return {
        "import": state.stream,
        "match": begun.match,
        "status": state.status,
        "by": state.importer,
        "at": state.at,
        "private": begun.private,
        "copied": {"done": state.copied, "total": begun.count},
        "sha256": begun.digest,
        "verdict": {"type": verdict.type, **dump_data(verdict)} if verdict else None,
    }
