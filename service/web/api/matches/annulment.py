"""Annul finished matches, and report how that changes the ratings."""

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
    """Annul a finished match.

    Needs the scope `organise` or `admin`. The match stays readable, but no longer counts. If it was rated, all ratings
    become what they would be without it; `GET` on the same path lists the changes. An annulment cannot be undone.
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
        # If this process dies here, the relay does it.
        parts().ledgers.unrate(done.state)
    return give_receipt(done)


@blueprint.get("/<match>/annulment")
@operation("matches", answers.AnnulmentOut, query=parameters.AnnulmentQuery, problems=(401, 403, 404, 409), open=True)
def get_annulment(match: str) -> Response:
    """List the ratings that the annulment of a match changed.

    With `preview=true`, list the ratings that it would change. That needs the scope `organise` or `admin`.
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
