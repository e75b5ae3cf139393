"""Take and leave seats, invite players to them, and add their entropy."""

from flask import Response, g, request

from plyscribe.domain.commands import AddEntropy, DeclareBuild, LeaveSeat, TakeSeat
from plyscribe.domain.declared_builds import build_of
from plyscribe.domain.errors import WrongPerson
from plyscribe.domain.events import Guest
from plyscribe.domain.match import Match
from plyscribe.domain.tournament.entrant_builds import require_pin
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.invitations import issue_invitation
from plyscribe.service.access.reading import needs_invitation
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import BadRequest
from plyscribe.service.web.api.http import answer, parse_body, parts, principal
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import (
    COMMAND_PROBLEMS,
    Fields,
    carry_out,
    execute,
    give_receipt,
    require_no_pause,
    require_scope,
)
from plyscribe.service.web.api.matches.reading import invited_seat, read_own_match, require_reader
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, bodies


@blueprint.post("/<match>/seats/<int:seat>")
@operation("seats", answers.Receipt, body=bodies.TakeSeat, problems=COMMAND_PROBLEMS, command=True)
def take_seat(match: str, seat: int) -> Response:
    """Take a seat.

    The recorder of a match can seat a guest. In a private match, you need an `invitation` to take an open seat, unless
    you are its creator or recorder.
    """
    who = principal()

    def make(base: Fields, body: Fields) -> TakeSeat:
        require_no_pause(who, g.match.life.created.rated)
        guest = Guest(body["name"]) if body["name"] is not None else None
        return TakeSeat(**base, seat=seat, guest=guest, entropy=body["entropy"])

    def permit(state: Match, who: Principal, body: Fields) -> None:
        needed = needs_invitation(state, who, seat)
        invited = invited_seat(state, body["invitation"]) if needed or not parts().may_read(state, who) else None
        require_reader(state, who, invited)
        if needed and invited != seat:
            raise WrongPerson("invitation/needed", f"you need an invitation to seat {seat}", seat=seat)

    return execute(match, bodies.TakeSeat, make, permit)


@blueprint.delete("/<match>/seats/<int:seat>")
@operation("seats", answers.Receipt, body=bodies.Nothing, problems=COMMAND_PROBLEMS, command=True)
def leave_seat(match: str, seat: int) -> Response:
    """Leave a seat, or decline an invitation to it.

    Only before the start. The creator can reopen any seat.
    """
    return execute(match, bodies.Nothing, lambda base, _: LeaveSeat(**base, seat=seat))


@blueprint.post("/<match>/seats/<int:seat>/invitations")
@operation(
    "seats",
    answers.InvitationOut,
    status=201,
    body=bodies.NewInvitation,
    problems=(403, 404, 409),
    command=True,
    keyed=False,
)
def invite(match: str, seat: int) -> Response:
    """Create an invitation to an open seat of your match.

    Anyone who has its code can read the match, even if it is private, and take the seat. The invitation ends when it
    expires, when anyone takes the seat, or when the match starts. To revoke it, take the seat and leave it again.
    """
    if "Idempotency-Key" in request.headers:
        raise BadRequest("Idempotency-Key is not needed here: nothing is stored, so just ask again", "key/not-here")
    who = principal()
    body = parse_body(bodies.NewInvitation)
    state = read_own_match(match)
    require_scope(state, who)
    if who.account not in (state.life.creator, state.life.created.recorder):
        raise WrongPerson("match/not-yours", "only the creator and the recorder of a match can invite players")
    expires_at = now_ms() + 1000 * body["expires_in_s"]
    code = issue_invitation(parts().config.server_key, state, seat, expires_at)
    path = f"/v1/matches/{match}?invitation={code}"
    return answer({"match": match, "seat": seat, "invitation": code, "expires_at": expires_at, "path": path}, 201)


@blueprint.post("/<match>/builds")
@operation("seats", answers.Receipt, status=201, body=bodies.NewBuild, problems=COMMAND_PROBLEMS, command=True)
def declare_build(match: str) -> Response:
    """Say which build of a program plays for your seat from now on.

    It is your own claim: nobody can check which program sends a move. Everybody who can read the match can read it, so
    put no secrets in it. Only while the match is played. A tournament that you entered with a pinned build takes no
    other one.
    """

    def make(base: Fields, body: Fields) -> DeclareBuild:
        build, place = build_of(body), g.match.life.created.tournament
        if place is not None:
            require_pin(parts().tournaments.read(place["id"]), principal().account, build)
        return DeclareBuild(**base, build=build, seat=body["seat"])

    return give_receipt(carry_out(match, bodies.NewBuild, make), 201)


@blueprint.post("/<match>/entropy")
@operation("seats", answers.Receipt, body=bodies.Entropy, problems=COMMAND_PROBLEMS, command=True)
def add_entropy(match: str) -> Response:
    """Add entropy to the server's dice.

    Once for each seat, before the start.
    """
    return execute(match, bodies.Entropy, lambda base, body: AddEntropy(**base, **body))
