"""The steps that all commands on a match share: authentication, permission, execution, receipt."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from flask import Response, after_this_request, g
from marshmallow import Schema

from plyscribe.domain.commands import Actor, Command, CreateMatch
from plyscribe.domain.decide import decide_all
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.acting import act_in, require_unpaused, scope_to_act
from plyscribe.service.clock import now_ms
from plyscribe.service.matches import queries
from plyscribe.service.matches.seating import fit_bots
from plyscribe.service.matches.timing import time_moves
from plyscribe.service.streams.handler import Answer, Ready
from plyscribe.service.web.api.http import answer_command, expected_version, parse_body, parts, principal, remembered
from plyscribe.service.web.api.matches.reading import require_match_id, require_own, require_reader
from plyscribe.service.web.charging import is_limited

COMMAND_PROBLEMS = (403, 404, 409, 412)

Fields = dict[str, Any]

Made = Command | Ready[Match]
"""A command, or several that were decided in advance. Named here, because a function that is defined within another has
its annotations evaluated each time."""


def execute(
    match: str,
    asked_for: type[Schema] | Fields,
    make: Callable[[Fields, Fields], Command | Iterable[Command]],
    permit: Callable[[Match, Principal, Fields], None] = lambda state, who, _: require_reader(state, who),
    word: str = "",
) -> Response:
    """Execute the command that `make` builds, and return its receipt; see carry_out."""
    return give_receipt(carry_out(match, asked_for, make, permit, word))


def carry_out(
    match: str,
    asked_for: type[Schema] | Fields,
    make: Callable[[Fields, Fields], Command | Iterable[Command]],
    permit: Callable[[Match, Principal, Fields], None] = lambda state, who, _: require_reader(state, who),
    word: str = "",
) -> Answer[Match]:
    """Execute the command that `make` builds, or several, one after the other, in one append: all of them or none.

    `asked_for` is the schema of the body, or the body if the view has parsed it. `make` gets the fields that every
    command has (actor, time, id, secret) and the parsed body. `permit` raises unless the account may do this. `word`
    names the command if an overseer gives it as an organiser: see `act_in`.
    """
    who = principal()
    require_match_id(match)
    body = asked_for if isinstance(asked_for, dict) else parse_body(asked_for)
    # In whatever role it is carried out, it is one command of the account.
    asked = remembered(Actor("player", who.account))
    base = {"at": now_ms(), "id": asked.id.hex()}

    def command_for(state: Match) -> Made:
        # This comes first, so that nobody learns that a private match exists.
        permit(state, who, body)
        require_own(state)
        g.match = state
        return build_command(state, who, base, body, make, word)

    return parts().matches.execute(match, command_for, asked, expected_version())


def build_command(
    state: Match,
    who: Principal,
    base: Fields,
    body: Fields,
    make: Callable[[Fields, Fields], Command | Iterable[Command]],
    word: str,
) -> Made:
    """The command that `make` builds for a match that `who` may read: see carry_out. `base` has its time and its id."""
    actor = act_in(state, who, word, parts().arbitrates(state, who))
    made = make({**base, "actor": actor, "secret": parts().secret_for(state)}, body)
    return made if isinstance(made, Command) else Ready(state, decide_all(made, state))


def parse_known(schema: type[Schema]) -> Fields:
    """The body of a request by somebody whom we know, parsed by the schema. Who has no token learns that first."""
    principal()
    return parse_body(schema)


def require_no_pause(who: Principal, rated: bool) -> None:
    """Raise WrongTime if a match is rated and the player has to wait before the next rated match."""
    if rated:
        require_unpaused(parts().accounts.players.read(who.account), now_ms())


def permit_new(who: Principal, command: CreateMatch, match: str) -> CreateMatch:
    """The command that creates the match, if `who` may have one more like it; raises as require_no_pause and Quotas."""
    require_no_pause(who, command.rated)
    if is_limited():
        after_this_request(partial(_finish, who, match))
        parts().quotas.require_match(who, match, command.seats)
    layout = parts().layout()
    return fit_bots(time_moves(command, layout), layout)


def _finish(who: Principal, match: str, response: Response) -> Response:
    parts().quotas.finish_match(who, match)
    return response


def require_scope(state: Match, who: Principal) -> None:
    """Raise ScopeMissing unless the token has the scope to act here: `record` for the recorder, `play` for others."""
    who.require(scope_to_act(state, who.account))


def give_receipt(done: Answer[Match], status: int = 200) -> Response:
    """The receipt of a command on a match, as a response."""
    return answer_command(done, queries.describe_receipt(done), status)


def give_location(done: Answer[Match], status: int = 201) -> Response:
    """The receipt of a command that creates a match, with the path of that match."""
    return answer_command(done, queries.describe_receipt(done), status, f"/v1/matches/{done.state.stream}")
