"""Import matches that were recorded elsewhere, and report what was found."""

from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.codec import dump_data
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Unknown, WrongPerson
from plyscribe.domain.imported import Import
from plyscribe.domain.record import MEDIA_TYPE
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import may_read_import
from plyscribe.service.errors import UnsupportedType
from plyscribe.service.matches.imports import Rights, Taken
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
from plyscribe.service.web.charging import charge, charged
from plyscribe.service.web.schemas import answers, bodies, parameters

blueprint = Blueprint("imports", __name__, url_prefix="/v1/imports")


@blueprint.post("")
@charged("imports")
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
    """Import a match that was recorded elsewhere.

    Send a bundle of up to 16 MiB, or a text record.

    A bundle keeps its ids and hashes, byte for byte, and you can read the match at its `address` like any other. Nobody
    can act in it, it is unrated, and its claims about players, verdicts and points do not count. A worker executes it
    again and gives it a verdict of this server: `verified` means that it is consistent, not that it is the match that
    was played. You can send a bundle again at any time; it is the same import. A longer bundle continues the import
    that it begins with. Any other bundle of the same match is another version of it, an import of its own.

    A worker plays a text record. If the record is sound, it becomes a match that you record, as if you had entered the
    moves yourself. If not, the answer names the line of the first fault, and until `kept_until`, for a week, you can
    keep what comes before it. Then the text is dropped. Send a text record with an `Idempotency-Key`, so that you can
    safely send it again.
    """
    who = principal()
    private = parse_query(parameters.ImportQuery)["private"]
    asked, actor = current_request(), Actor("player", who.account)
    raw = asked.body
    charge("bytes", len(raw))
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
        takes = f"send a bundle as {BUNDLE} or a text record as {MEDIA_TYPE}"
        raise UnsupportedType(f"the body has {asked.mimetype or 'no media type'}; {takes}")
    return answer(describe_taken(parts().imports.take(actor, raw, _rights_of(who))), 202)


@blueprint.get("/<id>")
@operation("imports", answers.ImportOut, problems=(401, 404), open=True)
def get_import(id: str) -> Response:
    """Get the progress and the result of an import.

    The import of a private match or of a text record is visible to its importer only.
    """
    state = _read_import(id)
    described = answer(describe_import(state))
    if not may_read_import(state, None):
        described.cache_control.private = True
        described.vary.update(TOKEN_HEADERS)
    return described


@blueprint.post("/<id>/prefix")
@operation("imports", answers.ImportOut, body=bodies.Nothing, problems=(403, 404, 409), command=True, keyed=False)
def keep_prefix(id: str) -> Response:
    """Keep what comes before the first fault of your text record.

    It becomes an unfinished match, which continues like any match that you record. Repeated requests have no further
    effect. A week after the fault was found, the text is dropped, and this is 409 `import/dropped`.
    """
    who = principal()
    who.require("record")
    parse_body(bodies.Nothing)
    state = _read_import(id)
    if state.importer != who.account:
        raise WrongPerson("import/not-yours", "only the account that sent the text record can keep a part of it")
    return answer(describe_import(parts().records.keep_prefix(state)))


def _rights_of(who: Principal) -> Rights:
    def may_read_own(match: str) -> bool:
        return parts().may_read(parts().matches.read(match), who)

    return Rights(may_read_own, lambda imported: may_read_import(imported, who))


def _read_import(id: str) -> Import:
    # This comes first, so that a bad token is refused alike whether or not the import exists.
    who = principal_if_any()
    state = parts().imports.read(id) if is_stream_id("import", id) else Import(id[:64])
    if state.version == 0 or not may_read_import(state, who):
        raise Unknown("import/unknown", f"there is no import {state.stream}")
    return state


def describe_taken(taken: Taken) -> dict[str, Any]:
    """The answer for a bundle that was sent."""
    if taken.imported is not None:
        return describe_import(taken.imported)
    nothing = dict.fromkeys(("import", "by", "at", "private", "copied", "sha256", "verdict", "entered", "kept_until"))
    return {**nothing, "match": taken.match, "address": taken.match, "status": "own"}


def describe_import(state: Import) -> dict[str, Any]:
    """The answer for an import as it stands."""
    came, verdict = state.begun or state.record, state.verdict or state.fault
    assert came is not None
    return {
        "import": state.stream,
        "match": came.match,
        "address": state.address or came.match,
        "status": state.status,
        "by": state.importer,
        "at": state.at,
        "private": came.private,
        "copied": {"done": state.copied, "total": state.begun.count} if state.begun else None,
        "sha256": came.digest,
        "verdict": {"type": verdict.type, **dump_data(verdict)} if verdict else None,
        "entered": dump_data(state.entered) if state.entered else None,
        "kept_until": state.kept_until,
    }
