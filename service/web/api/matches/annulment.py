"""Finished matches are annulled, and what that changes in the ratings is told."""

from flask import Response

from plyscribe.domain.commands import Actor, AnnulMatch
from plyscribe.domain.match import Match
from plyscribe.service.access.reading import OVERSEERS
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import NotFound
from plyscribe.service.web.api.http import (
    answer,
    expected_version,
    parse_body,
    parse_query,
    parts,
    path_with,
    principal,
    remembered,
)
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import COMMAND_PROBLEMS, give_receipt
from plyscribe.service.web.api.matches.reading import confined, read_match, require_match_id, require_own
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.ratings import describe_change
from plyscribe.service.web.schemas import answers, bodies, parameters


@blueprint.post("/<match>/annulment")
@operation("matches", answers.Receipt, body=bodies.Annulment, problems=COMMAND_PROBLEMS, command=True)
def annul_match(match: str) -> Response:
    """Make a finished match count for nothing, as an organiser or administrator. Its record stays.

    If it was rated, the ratings are from then on what they would be had it never been played; `GET` on the same path
    tells what that changed.
    """
    who = principal()
    who.require(*OVERSEERS)
    require_match_id(match)
    body = parse_body(bodies.Annulment)
    actor = Actor("organiser", who.account)
    asked = remembered(actor)
    command = AnnulMatch(actor=actor, at=now_ms(), id=asked.id.hex(), why=body["why"])

    def command_for(state: Match) -> AnnulMatch:
        require_own(state)
        return command

    done = parts().matches.execute(match, command_for, asked, expected_version())
    if done.state.life.may_be_rated:
        # Were this process to die here, the relay would see to it.
        parts().ledgers.unrate(done.state)
    return give_receipt(done)


@blueprint.get("/<match>/annulment")
@operation("matches", answers.AnnulmentOut, query=parameters.AnnulmentQuery, problems=(401, 403, 404, 409), open=True)
def get_annulment(match: str) -> Response:
    """Tell which ratings the annulment of a match changed, with before and after, page by page.

    With `preview=true`, before the annulment: which it would change. That is for organisers and administrators.
    """
    query = parse_query(parameters.AnnulmentQuery)
    state = read_match(match)
    annulment = state.life.annulment
    if query["preview"]:
        principal().require(*OVERSEERS)
    elif annulment is None:
        raise NotFound(f"{match} is not annulled", "match/not-annulled")
    changes = parts().ledgers.report(state) if annulment else parts().ledgers.preview(state)
    behind = query["offset"] + query["limit"]
    page = {
        "match": match,
        "why": annulment.why if annulment else None,
        "changes": [describe_change(change) for change in changes[query["offset"] : behind]],
        "next": path_with(offset=behind) if behind < len(changes) else None,
    }
    return confined(answer(page), state)
