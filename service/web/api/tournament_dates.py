"""The dates of tournaments that run for weeks: their deadlines, and more time for a game."""

from flask import Response

from plyscribe.domain.tournament.commands import ExtendDeadline
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments.queries import describe_deadlines
from plyscribe.service.web.api.http import answer, parts
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.organising import receipt
from plyscribe.service.web.api.tournaments import blueprint, execute, read_tournament
from plyscribe.service.web.schemas import answers, bodies


@blueprint.get("/<tournament>/deadlines")
@operation("tournaments", answers.GameDeadlines, problems=(404,), open=True)
def list_deadlines(tournament: str) -> Response:
    """List the undecided games with their deadlines and the time left, and when the next round begins.

    Empty in tournaments whose format has no deadlines.
    """
    return answer(describe_deadlines(read_tournament(tournament), parts().tournaments, now_ms()))


@blueprint.post("/<tournament>/deadlines")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NewExtension, **receipt)
def extend_deadline(tournament: str) -> Response:
    """Extend the deadline of a round, or of one of its boards, by so many days.

    Only organisers can do this, and nobody for a board at which they sit. Games that are decided stay so.
    """
    return execute(tournament, bodies.NewExtension, lambda base, body, _: ExtendDeadline(**base, **body), 201)
