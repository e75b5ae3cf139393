"""Check who may read a match, and set the headers that depend on it."""

from collections.abc import Callable
from contextlib import suppress

from flask import Response, request

from plyscribe.domain.decide.choices import Choice
from plyscribe.domain.errors import DomainError, Unknown
from plyscribe.domain.match import Match
from plyscribe.domain.replay import has_settled
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.acting import list_choices_of
from plyscribe.service.access.invitations import read_invitation
from plyscribe.service.access.reading import may_read
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import NotFound, ServiceError
from plyscribe.service.store.imported import ReadOnly
from plyscribe.service.store.port import StoreError
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.web.api.http import TOKEN_HEADERS, bearer_token, has_token, parts, principal_if_any

EVENTS_BESIDE_MOVES = 6
"""About how many events a match of two has besides its moves. A match with more needs a second read."""


def read_match(id: str, version: int | None = None) -> Match:
    """The match, or its state at `version`; NotFound if it does not exist or the request may not read it."""
    require_match_id(id)
    match = parts().matches.read(id, version)
    # Players come and go, so the newest version decides who may read an old one.
    _require_readable(match if version is None or may_read(match, None) else parts().matches.read(id))
    if version is not None and match.version != version:
        raise NotFound(f"{id} is at version {match.version} and has no version {version} yet", "stream/unknown-version")
    return match


def read_for_position(id: str, ply: int, version: int | None) -> Match:
    """Like read_match, but the match may be at another version that has the same position at `ply`."""
    require_match_id(id)
    match = parts().matches.read_until(id, lambda match: has_settled(match, ply), ply + EVENTS_BESIDE_MOVES)
    if version is not None and not (
        has_settled(match, ply) and match.play and match.play.steps[ply].version <= version <= match.version
    ):
        return read_match(id, version)
    _require_readable(match)
    return match


def _require_readable(match: Match) -> None:
    """Raise Unknown if the request may not read the match."""
    who = principal_if_any()
    if not may_read(match, None):
        code = request.args.get("invitation")
        require_reader(match, who, None if parts().may_read(match, who) else invited_seat(match, code))


def right_to_read(match: Match) -> Callable[[int], bool]:
    """A check whether this request may still read the match's events up to a version, callable from any thread.

    It looks at the match at that version or a later one, so it sees any event that ended the right. For all checks of
    one version, the store is read at most once.
    """
    if may_read(match, None):
        return lambda version: True
    composed, code = parts(), request.args.get("invitation", "")
    token = bearer_token() if has_token() else None

    def holds(version: int) -> bool:
        try:
            state = composed.matches.read_since(match.stream, version)
            who = None if token is None else composed.accounts.authenticate(token)
            return composed.may_read(state, who) or bool(
                read_invitation(composed.config.server_key, state, code, now_ms())
            )
        except (DomainError, ServiceError, StoreError):
            return False

    return holds


def list_choices_now(state: Match) -> tuple[Choice, ...]:
    """What this request's token may do in the match now; nothing without a token, and in imported matches."""
    who = principal_if_any()
    if who is None or parts().imports.is_imported(state.stream):
        return ()
    invited = None
    # Old invitations still stand in the addresses of people who have taken their seat since.
    with suppress(Unknown):
        invited = invited_seat(state, request.args.get("invitation"))
    return list_choices_of(state, who, invited)


def require_reader(state: Match, who: Principal | None, invited: int | None = None) -> None:
    """Raise Unknown, as if the match did not exist, unless `who` may read it or has an invitation."""
    if state.version == 0 or not (invited or parts().may_read(state, who)):
        raise Unknown("match/unknown", f"there is no match {state.stream}")


def require_own(state: Match) -> None:
    """Raise ReadOnly if the match was imported. Nobody can act in an imported match, not even its players."""
    if parts().imports.is_imported(state.stream):
        raise ReadOnly(state.stream)


def invited_seat(state: Match, code: str | None) -> int | None:
    """The seat that an invitation is for; None if the code is not one of ours; Unknown if the invitation is over."""
    if code is None or state.lifecycle is None:
        return None
    invitation = read_invitation(parts().config.server_key, state, code, now_ms())
    return invitation.seat if invitation else None


def require_match_id(id: str) -> None:
    """Raise NotFound if `id` is not the id of a match."""
    if not is_stream_id("match", id):
        raise NotFound(f"there is no match {id[:64]}", "match/unknown")


def confined(response: Response, match: Match) -> Response:
    """The response, kept out of shared caches if the match is private."""
    if not may_read(match, None):
        response.cache_control.public = False
        response.cache_control.private = True
        response.vary.update(TOKEN_HEADERS)
    return response


def personal(response: Response) -> Response:
    """The answer, which depends on who asks: no cache gives it to anybody else."""
    response.vary.update(TOKEN_HEADERS)
    if has_token():
        response.cache_control.private = True
    return response


def varied(response: Response) -> Response:
    """The response, marked as dependent on the request's `Accept`."""
    response.vary.add("Accept")
    return response


def tagged(response: Response, version: int | str) -> Response:
    """The response with its version as `ETag`; 304 without a body if the client already has that version."""
    response.headers["ETag"] = f'"{version}"'
    if request.if_none_match.contains_weak(str(version)):
        response.status_code = 304
        response.set_data(b"")
    return response
