"""Who may read a match, and what every answer about one says to caches."""

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
"""About how many events a match of two has beside its moves: where it has more, the rest of it is read after them."""


def read_match(id: str, version: int | None = None) -> Match:
    """The match, or its state at `version`; NotFound, too, where the request may not read it."""
    require_match_id(id)
    match = parts().matches.read(id, version)
    # Seats are taken and left: who reads an old version is judged by the newest one.
    _require_readable(match if version is None or may_read(match, None) else parts().matches.read(id))
    if version is not None and match.version != version:
        raise NotFound(f"{id} is at version {match.version}, not yet at {version}", "stream/unknown-version")
    return match


def read_for_position(id: str, ply: int, version: int | None) -> Match:
    """As read_match, but perhaps at another version, at which the position at `ply` is the same."""
    require_match_id(id)
    match = parts().matches.read_until(id, lambda match: has_settled(match, ply), ply + EVENTS_BESIDE_MOVES)
    if version is not None and not (
        has_settled(match, ply) and match.play and match.play.steps[ply].version <= version <= match.version
    ):
        return read_match(id, version)
    _require_readable(match)
    return match


def _require_readable(match: Match) -> None:
    """Unknown where the request may not read the match, which is no older than its start."""
    who = principal_if_any()
    if not may_read(match, None):
        code = request.args.get("invitation")
        require_reader(match, who, None if parts().may_read(match, who) else invited_seat(match, code))


def right_to_read(match: Match) -> Callable[[int], bool]:
    """Whether this request might read the match's events up to a version: to be asked later, from any thread.

    It is judged by a state at that version or a later one, so that whichever of the events ended the right is seen. Of
    all who ask for one version the store is asked once at most.
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
    """Unknown, as of a match that is not there, unless `who` may read the match or has an invitation to it."""
    if state.version == 0 or not (invited or parts().may_read(state, who)):
        raise Unknown("match/unknown", f"there is no match {state.stream}")


def require_own(state: Match) -> None:
    """ReadOnly where the match was imported: whomever it names, nobody acts in it here."""
    if parts().imports.is_imported(state.stream):
        raise ReadOnly(state.stream)


def invited_seat(state: Match, code: str | None) -> int | None:
    """The seat that an invitation is to, None without one of ours; Unknown where it is over."""
    if code is None or state.lifecycle is None:
        return None
    invitation = read_invitation(parts().config.server_key, state, code, now_ms())
    return invitation.seat if invitation else None


def require_match_id(id: str) -> None:
    """NotFound for what is no id of a match."""
    if not is_stream_id("match", id):
        raise NotFound(f"there is no match {id[:64]}", "match/unknown")


def confined(response: Response, match: Match) -> Response:
    """The answer, kept out of shared caches where only some may read the match."""
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
    """The answer, which depends on what the client accepts."""
    response.vary.add("Accept")
    return response


def tagged(response: Response, version: int | str) -> Response:
    """The answer with its version as ETag; 304 without a body where the client has that version."""
    response.headers["ETag"] = f'"{version}"'
    if request.if_none_match.contains_weak(str(version)):
        response.status_code = 304
        response.set_data(b"")
    return response
