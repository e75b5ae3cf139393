"""Tournaments that run for weeks: their deadlines, more time for a game, and the challenges of ladders."""

from flask import Response

from plyscribe.domain.tournament.commands import ChallengeEntrant, CloseTournament, ExtendDeadline
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments.queries import describe_challenges, describe_deadlines
from plyscribe.service.web.api.http import answer, parse_query, parts
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.organising import receipt
from plyscribe.service.web.api.tournaments import blueprint, execute, read_tournament
from plyscribe.service.web.schemas import answers, bodies, parameters


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


@blueprint.get("/<tournament>/challenges")
@operation("tournaments", answers.ChallengeOptions, query=parameters.ChallengesQuery, problems=(404, 422), open=True)
def list_challenges(tournament: str) -> Response:
    """List whom an entrant of a ladder can challenge now, and why not the others within its reach.

    Empty for the entrant on top, and in tournaments that are no ladders.
    """
    entrant = parse_query(parameters.ChallengesQuery)["entrant"]
    return answer(describe_challenges(read_tournament(tournament), entrant, parts().accounts, now_ms()))


@blueprint.post("/<tournament>/challenges")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NewChallenge, **receipt)
def challenge_entrant(tournament: str) -> Response:
    """Challenge an entrant of a ladder who stands above you, within the reach of the terms.

    The challenge is a round of its own: the server makes its match at once, and the challenged gets a notice. Each
    plays one challenge at a time. If the challenger wins, it takes the rung of the challenged. Organisers can name the
    entrant who challenges.
    """
    return execute(tournament, bodies.NewChallenge, lambda base, body, _: ChallengeEntrant(**base, **body), 201)


@blueprint.post("/<tournament>/close")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Reason, **receipt)
def close_tournament(tournament: str) -> Response:
    """Close a ladder.

    Only organisers can do this. Nobody enters or is challenged any more, and the ladder ends once all challenges are
    decided.
    """
    return execute(tournament, bodies.Reason, lambda base, body, _: CloseTournament(**base, **body))
