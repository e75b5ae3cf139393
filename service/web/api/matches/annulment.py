"""Annul finished matches, and report how that changes the ratings."""

from flask import Response

from plyscribe.domain.commands import AnnulMatch
from plyscribe.service.access.acting import require_may_judge
from plyscribe.service.errors import NotFound
from plyscribe.service.web.api.http import answer, parse_query, parts, path_with, principal
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import COMMAND_PROBLEMS, carry_out, give_receipt
from plyscribe.service.web.api.matches.reading import confined, read_match
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.ratings import describe_change
from plyscribe.service.web.charging import charged
from plyscribe.service.web.schemas import answers, bodies, parameters


@blueprint.post("/<match>/annulment")
@operation("matches", answers.Receipt, body=bodies.Annulment, problems=COMMAND_PROBLEMS, command=True)
def annul_match(match: str) -> Response:
    """Annul a finished match.

    Only an overseer who does not sit in the match can do this: an administrator, or with the scope `organise` the
    organiser of its tournament or its creator. The match stays readable, but no longer counts. If it was rated, all
    ratings become what they would be without it; `GET` on the same path lists the changes. An annulment cannot be
    undone.
    """
    done = carry_out(match, bodies.Annulment, lambda base, body: AnnulMatch(**base, **body), word="annul")
    if done.state.life.may_be_rated:
        # If this process dies here, the relay does it.
        parts().ledgers.unrate(done.state)
    return give_receipt(done)


@blueprint.get("/<match>/annulment")
@charged("heavy")
@operation("matches", answers.AnnulmentOut, query=parameters.AnnulmentQuery, problems=(401, 403, 404, 409), open=True)
def get_annulment(match: str) -> Response:
    """List the ratings that the annulment of a match changed.

    With `preview=true`, list the ratings that it would change. Only those who can annul the match can do this.
    """
    query = parse_query(parameters.AnnulmentQuery)
    state = read_match(match)
    annulment = state.life.annulment
    if query["preview"]:
        require_may_judge(state, principal())
    elif annulment is None:
        raise NotFound(f"{match} is not annulled", "match/not-annulled")
    changes = parts().ledgers.report(state) if annulment else parts().ledgers.preview(state)
    behind = query["offset"] + query["limit"]
    page = {
        "match": state.stream,
        "why": annulment.why if annulment else None,
        "changes": [describe_change(change) for change in changes[query["offset"] : behind]],
        "next": path_with(offset=behind) if behind < len(changes) else None,
    }
    return confined(answer(page), state)
