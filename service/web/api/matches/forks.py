"""Fork matches: continue one from any ply as a new match."""

from flask import Response, g

from plyscribe.domain.commands import Actor, CreateMatch
from plyscribe.domain.line import measure_line
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.matches.forks import draft_fork
from plyscribe.service.streams.ids import stream_id
from plyscribe.service.web.api.http import parse_body, parts, principal, remembered
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import give_location, permit_new
from plyscribe.service.web.api.matches.lifecycle import require_players
from plyscribe.service.web.api.matches.reading import read_match
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charge, charge_size, charged
from plyscribe.service.web.schemas import answers, bodies


@blueprint.post("/<match>/forks")
@charged("creations")
@operation(
    "matches",
    answers.Receipt,
    status=201,
    body=bodies.NewFork,
    problems=(403, 404, 409),
    command=True,
    located=True,
)
def fork_match(match: str) -> Response:
    """Continue a match from just before move `ply` + 1 as a new match.

    If you can read a match, you can fork it, whatever its status. The second event of the fork holds a copy of the
    moves up to there. The fork is therefore read and verified without its parent, and later changes of the parent do
    not affect it. A fork is never rated, and a fork of a private match is private. A withdrawal that ended the match is
    not copied. With `steps`, the fork goes on with what somebody tried on that position.
    """
    who = principal()
    body = parse_body(bodies.NewFork)
    who.require("record" if body["recorded"] else "play")
    # To execute a long line again takes as long as many new matches.
    charge_size("creations", body["ply"] + len(body["steps"]), 200)
    actor = Actor("player", who.account)
    asked = remembered(actor)
    fork = stream_id("match", asked)
    require_players(body["seats"] or [], who.account)

    def command_for(_: Match) -> CreateMatch:
        # A repeated request gets the same answer, even if the parent has changed since.
        g.match = parent = read_match(match)
        entries = parts().matches.read_events(parent.stream, 0, parent.version)
        base = {"actor": actor, "at": now_ms(), "id": asked.id.hex()}
        command = draft_fork(parent, entries, fork, body, base, parts().config.server_key)
        if command.line is not None:
            charge("bytes", measure_line(command.line))
        return permit_new(who, command, fork)

    return give_location(parts().matches.execute(fork, command_for, asked, new=True))
