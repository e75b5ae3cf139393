"""Invitations: codes that let their holder read a private match and take one open seat in it.

Invitations are not stored. A code names its seat, the event that opened the seat, and its expiry, and is signed with a
key derived from the server key or an older one. A code ends when it expires, when somebody takes the seat, or when the
match starts. It stays ended if the seat is left again, because that opens the seat by another event.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from typing import NamedTuple

from plyscribe.domain.decide.who import require_open, require_seat
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime
from plyscribe.domain.match import Match
from plyscribe.service.config import ServerKey

SIGNATURE_BYTES = 18
_CODE = re.compile(r"([0-9]{1,2})-([0-9]{1,15})-([0-9]{1,15})-([A-Za-z0-9_-]{24})")


class Invitation(NamedTuple):
    """What a code says: the seat, the version of the event that opened it, and the expiry in UTC milliseconds."""

    seat: int
    opened: int
    expires_at: int


def issue_invitation(key: ServerKey, match: Match, seat: int, expires_at: int) -> str:
    """The code of an invitation to an open seat of an open match; Refusal if either is not open."""
    require_open(match.life)
    found = require_seat(match.life, seat)
    if found.seated:
        raise WrongTime("seat/taken", f"seat {seat} is taken", seat=seat)
    if found.occupant is not None:
        raise WrongPerson("seat/reserved", f"seat {seat} is reserved for a player: open it first", seat=seat)
    invitation = Invitation(seat, found.since, expires_at)
    return "-".join((*map(str, invitation), _sign(key, match.stream, invitation)))


def read_invitation(key: ServerKey, match: Match, code: str, now_ms: int) -> Invitation | None:
    """What the code says; None if it is not one of ours for this match; Unknown if it is no longer valid."""
    parsed = _CODE.fullmatch(code)
    if parsed is None:
        return None
    invitation = Invitation(*map(int, parsed.groups()[:3]))
    if not any(hmac.compare_digest(_sign(each, match.stream, invitation), parsed[4]) for each in key.ring):
        return None
    seat = match.life.seats[invitation.seat - 1]  # we signed the code, so the seat exists
    # The signature proves that we invited the holder to this match, so we may say why the code no longer works.
    if now_ms >= invitation.expires_at:
        raise Unknown("invitation/over", "the invitation has expired: ask for a new one")
    if match.life.status != "open" or seat.occupant is not None or seat.since != invitation.opened:
        why = f"seat {invitation.seat} was taken, or the match began"
        raise Unknown("invitation/over", f"the invitation is no longer valid: {why}")
    return invitation


def _sign(key: ServerKey, match: str, invitation: Invitation) -> str:
    text = "\n".join((match, *map(str, invitation)))
    return urlsafe_b64encode(hmac.digest(key.invitation_key, text.encode(), "sha256")[:SIGNATURE_BYTES]).decode()
