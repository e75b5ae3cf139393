"""Find the match that a request may read, and set the headers that depend on that.

A path names a match by its id or, if it was imported, by the address of one import. The id stands for a match of this
server. If there is none that the request may read, it stands for the only version that was imported, as if it were the
address of that version. If different versions were imported, the id stands for none of them. A receipt in the query
chooses the version that contains its event.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from flask import Response, request

from plyscribe.domain.bundle.receipt import Receipt
from plyscribe.domain.decide.choices import Choice
from plyscribe.domain.errors import DomainError, Unknown
from plyscribe.domain.imported import Import, is_address, split_address
from plyscribe.domain.match import Match, damaged
from plyscribe.domain.pauses import find_pause
from plyscribe.domain.replay import has_settled
from plyscribe.domain.waiting import find_confirm_by
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.acting import JOINING, list_choices_of
from plyscribe.service.access.invitations import read_invitation
from plyscribe.service.access.reading import may_read, may_read_import
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import BadBody, Lost, NotFound, ServiceError
from plyscribe.service.matches.imports import Ambiguous
from plyscribe.service.store.imported import ReadOnly
from plyscribe.service.store.port import StoreError
from plyscribe.service.streams.ids import is_match_name
from plyscribe.service.web.api.http import (
    TOKEN_HEADERS,
    current_request,
    has_token,
    parts,
    principal_if_any,
    who_asks,
)
from plyscribe.service.web.schemas.field_types import RECEIPT

EVENTS_BESIDE_MOVES = 6
"""About how many events a match of two has besides its moves. A match with more needs a second read."""


def read_match(id: str, version: int | None = None) -> Match:
    """The match, or its state at `version`; NotFound if it does not exist or the request may not read it.

    An imported match has its address as `stream`. Ambiguous if `id` stands for several.
    """
    return _read_named(id, partial(_read_at, version=version))


def read_own_match(id: str) -> Match:
    """The match, if it is one of this server; otherwise as read_match. ReadOnly for the address of an imported one."""
    require_match_id(id)
    match = _read_at(id)
    require_own(match)
    return match


def _read_at(id: str, version: int | None = None) -> Match:
    match = parts().matches.read(id, version)
    # Players come and go, so the newest version decides who may read an old one.
    _require_readable(match if version is None or may_read(match, None) else parts().matches.read(id))
    if version is not None and match.version != version:
        raise NotFound(f"{id} is at version {match.version} and has no version {version} yet", "stream/unknown-version")
    return match


def read_for_position(id: str, ply: int, version: int | None) -> Match:
    """Like read_match, but the match may be at another version that has the same position at `ply`."""
    return _read_named(id, partial(_read_near, ply=ply, version=version))


def _read_near(id: str, ply: int, version: int | None) -> Match:
    match = parts().matches.read_until(id, lambda match: has_settled(match, ply), ply + EVENTS_BESIDE_MOVES)
    if version is not None and not (
        has_settled(match, ply) and match.play and match.play.steps[ply].version <= version <= match.version
    ):
        return _read_at(id, version)
    _require_readable(match)
    return match


def _read_named(id: str, read: Callable[[str], Match]) -> Match:
    """The match that `id` stands for in this request, as `read` reads it from its stream or address."""
    require_match_id(id)
    receipt = _parse_receipt(id)
    if receipt is not None:
        return read(_find_by_receipt(id, receipt))
    try:
        return read(id)
    except Unknown as unknown:
        if is_address(id):
            raise
        versions = parts().imports.list_versions(id, _may_read_import())
        if not versions:
            raise unknown from None
    return read(_only(id, versions))


def _parse_receipt(id: str) -> Receipt | None:
    """The receipt in the query; BadBody if it is not spelled like one."""
    # Most requests have no query, and parsing it costs more than looking.
    if not current_request().environ.get("QUERY_STRING") or (text := request.args.get("receipt")) is None:
        return None
    found = RECEIPT.fullmatch(text)
    if found is None:
        raise BadBody("the query is invalid: receipt: it is <version>:<hash>, as in the answer to a command")
    return Receipt(split_address(id)[0], int(found[1]), bytes.fromhex(found[2]))


def _find_by_receipt(id: str, receipt: Receipt) -> str:
    """The only match of this id or address that contains the event of a receipt; Unknown if there is none.

    Lost if `id` stands for a match of this server, which should contain it.
    """
    own = None if is_address(id) else _read_own(id)
    if is_address(id) or own:
        entries = parts().matches.read_events(id, receipt.version - 1, 1)
        if [entry.h for entry in entries] == [receipt.hash]:
            return id
    versions = [] if is_address(id) else parts().imports.find_by_receipt(receipt, _may_read_import())
    if not versions and own:
        raise Lost(id, receipt.version, own.version)
    if not versions:
        raise Unknown("match/receipt", f"nothing that is known here as {id} contains the event of this receipt")
    return _only(id, versions)


def _read_own(id: str) -> Match | None:
    with suppress(Unknown):
        return _read_at(id)
    return None


def _only(id: str, versions: list[Import]) -> str:
    if len(versions) > 1:
        raise Ambiguous(id, versions)
    assert versions[0].address is not None  # an import of a bundle
    return versions[0].address


def _may_read_import() -> Callable[[Import], bool]:
    who = principal_if_any()
    return lambda imported: may_read_import(imported, who)


def list_other_versions(imported: Import) -> list[Import]:
    """The versions of an imported match that the request may read, besides this one."""
    assert imported.begun is not None
    versions = parts().imports.list_versions(imported.begun.match, _may_read_import())
    return [each for each in versions if each.reached != imported.reached]


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
    find_principal = who_asks() if has_token() else None

    def holds(version: int) -> bool:
        try:
            state = composed.matches.read_since(match.stream, version)
            who = None if find_principal is None else find_principal()
            return composed.may_read(state, who) or bool(
                read_invitation(composed.config.server_key, state, code, now_ms())
            )
        except (DomainError, ServiceError, StoreError):
            return False

    return holds


def list_choices_now(state: Match) -> tuple[Choice, ...]:
    """What this request's token may do in the match now; nothing without a token, and in imported matches."""
    who = principal_if_any()
    if who is None or is_address(state.stream):
        return ()
    invited = None
    # Old invitations still stand in the addresses of people who have taken their seat since.
    with suppress(Unknown):
        invited = invited_seat(state, request.args.get("invitation"))
    choices = list_choices_of(state, who, invited, parts().arbitrates(state, who))
    if any(choice.command in JOINING for choice in choices) and state.life.created.rated:
        paused = find_pause(parts().accounts.players.read(who.account), now_ms())
        return tuple(choice for choice in choices if not (paused and choice.command in JOINING))
    return choices


def confirm_by(state: Match) -> int | None:
    """When (UTC milliseconds) the match is verified without its recorder's word; None if it does not wait for it."""
    if is_address(state.stream):
        return None
    return find_confirm_by(state, parts().config.corrections_ms)


def require_reader(state: Match, who: Principal | None, invited: int | None = None) -> None:
    """Raise Unknown, as if the match did not exist, unless `who` may read it or has an invitation."""
    if state.version == 0 or not (invited or parts().may_read(state, who)):
        raise Unknown("match/unknown", f"there is no match {state.stream}")


def require_sound(state: Match) -> None:
    """Raise WrongTime if the match has a damaged event, so that nobody knows its present position."""
    if state.fault is not None:
        raise damaged(state.fault)


def require_own(state: Match) -> None:
    """Raise ReadOnly if the match was imported. Nobody can act in an imported match, not even its players."""
    if is_address(state.stream):
        raise ReadOnly(state.stream)


def invited_seat(state: Match, code: str | None) -> int | None:
    """The seat that an invitation is for; None if the code is not one of ours; Unknown if the invitation is over."""
    if code is None or state.lifecycle is None:
        return None
    invitation = read_invitation(parts().config.server_key, state, code, now_ms())
    return invitation.seat if invitation else None


def require_match_id(id: str) -> None:
    """Raise NotFound if `id` is neither the id of a match nor the address of an imported one."""
    if not is_match_name(id):
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
