"""The steps that all commands on a match share: authentication, permission, execution, receipt."""

from collections.abc import Callable
from typing import Any

from flask import Response, g
from marshmallow import Schema

from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.acting import scope_to_act
from plyscribe.service.clock import now_ms
from plyscribe.service.matches import queries
from plyscribe.service.streams.handler import Answer
from plyscribe.service.web.api.http import answer_command, expected_version, parse_body, parts, principal, remembered
from plyscribe.service.web.api.matches.reading import require_match_id, require_own, require_reader

COMMAND_PROBLEMS = (403, 404, 409, 412)

Fields = dict[str, Any]


def execute(
    match: str,
    schema: type[Schema],
    make: Callable[[Fields, Fields], Command],
    permit: Callable[[Match, Principal, Fields], None] = lambda state, who, _: require_reader(state, who),
) -> Response:
    """Execute the command that `make` builds, and return its receipt.

    `make` gets the fields that every command has (actor, time, id, secret) and the parsed body. `permit` raises unless
    the account may do this.
    """
    who = principal()
    require_match_id(match)
    body = parse_body(schema)
    actor = Actor("player", who.account)
    asked = remembered(actor)
    base = {"actor": actor, "at": now_ms(), "id": asked.id.hex()}

    def command_for(state: Match) -> Command:
        # This comes first, so that nobody learns that a private match exists.
        permit(state, who, body)
        require_own(state)
        g.match = state
        require_scope(state, who)
        return make({**base, "secret": parts().secret_for(state)}, body)

    return give_receipt(parts().matches.execute(match, command_for, asked, expected_version()))


def require_scope(state: Match, who: Principal) -> None:
    """Raise ScopeMissing unless the token has the scope to act here: `record` for the recorder, `play` for others."""
    who.require(scope_to_act(state, who.account))


def give_receipt(done: Answer[Match]) -> Response:
    """The receipt of a command on a match, as a response."""
    return answer_command(done, queries.describe_receipt(done))


def give_location(done: Answer[Match], status: int = 201) -> Response:
    """The receipt of a command that creates a match, with the path of that match."""
    return answer_command(done, queries.describe_receipt(done), status, f"/v1/matches/{done.state.stream}")
