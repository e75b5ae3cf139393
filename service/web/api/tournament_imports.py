"""Tournaments that were run elsewhere, from their TRF reports."""

from flask import Blueprint, Response

from plyscribe.domain.commands import Actor
from plyscribe.service.clock import now_ms
from plyscribe.service.config import SERVER
from plyscribe.service.streams.ids import stream_id
from plyscribe.service.tournaments.queries import describe_receipt
from plyscribe.service.tournaments.runner import draw_seed
from plyscribe.service.tournaments.trf_import import draft_import
from plyscribe.service.tournaments.trf_reading import read_trf
from plyscribe.service.web.api.http import answer_command, parse_body, parts, principal, remembered
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charged
from plyscribe.service.web.schemas import answers, bodies

# Below /v1/tournaments, its name would stand where ids of tournaments do.
blueprint = Blueprint("tournament_imports", __name__, url_prefix="/v1/tournament-imports")


@blueprint.post("")
@charged("tournaments")
@operation(
    "tournaments",
    answers.TournamentReceipt,
    status=201,
    body=bodies.TrfReport,
    problems=(403,),
    command=True,
    located=True,
)
def import_tournament() -> Response:
    """Make a tournament of a club from a TRF16 report.

    Needs the scope `organise`. The players enter as guests, with their ratings and numbers; the rounds of the report
    are paired by hand, and its results entered. The next round waits until it is called. If the report has an error, or
    something that no tournament here can have, nothing is stored, and the answer names the line.
    """
    who = principal()
    who.require("organise")
    body = parse_body(bodies.TrfReport)
    actor = Actor("organiser", who.account)
    asked = remembered(actor)
    stream = stream_id("tournament", asked)
    report = read_trf(body.pop("trf"))
    seed = draw_seed(stream) if body["seed"] is None else body["seed"]
    terms = {**{name: value for name, value in body.items() if value is not None}, "seed": seed, "server": SERVER}
    base = {"actor": actor, "at": now_ms(), "id": asked.id.hex()}
    handler = parts().tournaments.handler
    done = handler.execute(stream, lambda _: draft_import(stream, report, terms, base), asked, new=True)
    return answer_command(done, describe_receipt(done), 201, f"/v1/tournaments/{stream}")
