"""Matches that were recorded elsewhere are brought here, and what was found of them is told."""

from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.codec import dump_data
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Unknown, WrongPerson
from plyscribe.domain.imported import Import
from plyscribe.domain.record import MEDIA_TYPE
from plyscribe.service.access.reading import may_read_import
from plyscribe.service.errors import UnsupportedType
from plyscribe.service.matches.imports import Taken
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.web.api.http import (
    BUNDLE,
    NDJSON,
    TOKEN_HEADERS,
    answer,
    current_request,
    idempotency_key,
    parse_body,
    parse_query,
    parts,
    principal,
    principal_if_any,
    remembered,
)
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, bodies, parameters

blueprint = Blueprint("imports", __name__, url_prefix="/v1/imports")


@blueprint.post("")
@operation(
    "imports",
    answers.ImportOut,
    status=202,
    takes=(BUNDLE, NDJSON, MEDIA_TYPE),
    query=parameters.ImportQuery,
    problems=(403, 409),
    command=True,
)
def create_import() -> Response:
    """Bring a match here that was recorded elsewhere: as its bundle of up to 16 MiB, or typed as a text record.

    Of a bundle, the same bytes, ids and hashes can be read here from then on, like any match. Nobody can act in it, it
    is unrated, and what it says of players, verdicts and points counts for nothing; a second execution here gives it a
    verdict of its own. A bundle may be sent again at will: it is the same import. A longer one of the same match goes
    on from the one before, another one is refused.

    A worker plays a text record. A sound one becomes a match that you record, as if you had entered it; of one with a
    fault you are told the line, and may keep what comes before it. Here a key makes sending again safe.
    """
    who = principal()
    private = parse_query(parameters.ImportQuery)["private"]
    asked, actor = current_request(), Actor("player", who.account)
    raw = asked.body
    if asked.mimetype == MEDIA_TYPE:
        who.require("record")
        done = parts().records.receive(actor, raw, private, remembered(actor, "?private" if private else ""))
        taken = answer(describe_import(done.state), 202)
        if done.replayed:
            taken.headers["Idempotency-Replayed"] = "true"
        return taken
    who.require("play", "record")
    idempotency_key()
    if asked.mimetype not in (BUNDLE, NDJSON):
        takes = f"send a bundle as {BUNDLE}, a text record as {MEDIA_TYPE}"
        raise UnsupportedType(f"the body is {asked.mimetype or 'of no type'}; {takes}")
    return answer(describe_taken(parts().imports.take(actor, raw)), 202)


@blueprint.get("/<id>")
@operation("imports", answers.ImportOut, problems=(401, 404), open=True)
def get_import(id: str) -> Response:
    """Tell how far an import is, and what was found. Of a private match or a text only its importer is told."""
    state = _read_import(id)
    told = answer(describe_import(state))
    if not may_read_import(state, None):
        told.cache_control.private = True
        told.vary.update(TOKEN_HEADERS)
    return told


@blueprint.post("/<id>/prefix")
@operation("imports", answers.ImportOut, body=bodies.Nothing, problems=(403, 404, 409), command=True, keyed=False)
def keep_prefix(id: str) -> Response:
    """Keep what comes before the fault of your text record, as an unfinished match that you record.

    It goes on from there like any recorded match. Asking twice is asking once.
    """
    who = principal()
    who.require("record")
    parse_body(bodies.Nothing)
    state = _read_import(id)
    if state.importer != who.account:
        raise WrongPerson("import/not-yours", "only who sent a text keeps some of it")
    return answer(describe_import(parts().records.keep_prefix(state)))


def _read_import(id: str) -> Import:
    state = parts().imports.read(id) if is_stream_id("import", id) else Import(id[:64])
    if state.version == 0 or not may_read_import(state, principal_if_any()):
        raise Unknown("import/unknown", f"there is no import {state.stream}")
    return state


def describe_taken(taken: Taken) -> dict[str, Any]:
    """What became of a bundle that was sent."""
    if taken.imported is not None:
        return describe_import(taken.imported)
    nothing = dict.fromkeys(("import", "by", "at", "private", "copied", "sha256", "verdict", "entered"))
    return {**nothing, "match": taken.match, "status": "own"}


def describe_import(state: Import) -> dict[str, Any]:
    """An import as it stands."""
    came, verdict = state.begun or state.record, state.verdict or state.fault
    assert came is not None
    return {
        "import": state.stream,
        "match": came.match,
        "status": state.status,
        "by": state.importer,
        "at": state.at,
        "private": came.private,
        "copied": {"done": state.copied, "total": state.begun.count} if state.begun else None,
        "sha256": came.digest,
        "verdict": {"type": verdict.type, **dump_data(verdict)} if verdict else None,
        "entered": dump_data(state.entered) if state.entered else None,
    }
