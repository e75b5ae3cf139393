"""Annul finished matches, and report how that changes the ratings."""

from flask import Response

from plyscribe.domain.commands import AnnulMatch
from plyscribe.service.access.acting import require_may_judge
from plyscribe.service.errors import NotFound
from plyscribe.service.reports.subjects import Json, annulment_of, preview_of
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.http import answer, parse_query, parts, path_with, principal
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import COMMAND_PROBLEMS, carry_out, give_receipt
from plyscribe.service.web.api.matches.reading import confined, read_match
from plyscribe.service.web.api.openapi import operation
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

    A worker works this out, once for all who ask, and it is kept for ten minutes. The request waits for it. If it takes
    longer than 20 s, or if too many reports wait to be made, the answer is 503 `report/busy`. The report is made all
    the same, so ask again later.
    """
    query = parse_query(parameters.AnnulmentQuery)
    state = read_match(match)
    annulment = state.life.annulment
    if query["preview"]:
        require_may_judge(state, principal(), parts().arbitrates(state, principal()))
    elif annulment is None:
        raise NotFound(f"{match} is not annulled", "match/not-annulled")
    page = query["offset"], query["limit"]
    ratings, ruleset = parts().ratings, state.life.created.ruleset
    is_in_ratings = annulment is not None and ratings.is_unrated(ruleset, state.stream)

    def show(report: Json) -> Response:
        behind = query["offset"] + query["limit"]
        given = {
            "match": state.stream,
            "why": annulment.why if annulment else None,
            "complete": annulment is None or is_in_ratings or not state.life.may_be_rated,
            "changes": [{**_name(change["player"]), **change} for change in report["changes"]],
            "next": path_with(offset=behind) if behind < report["total"] else None,
        }
        return confined(answer(given), state)

    if annulment is None:
        return answer_report(preview_of(state.stream, ratings.version(ruleset), *page), show)
    if not is_in_ratings:
        return show({"total": 0, "changes": []})
    return answer_report(annulment_of(state.stream, *page), show)


def _name(player: str) -> Json:
    return {"player": player, "name": parts().accounts.name_of(player)}
