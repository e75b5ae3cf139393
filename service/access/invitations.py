"""Invitations: codes that let whoever holds one read a private match and take one open seat of it.

Nothing is stored of them. A code names its seat, the event that opened the seat, and when it expires, signed with a key
that derives from the server key, or did from an older one. It is over when it expires, when someone takes the seat, and
when the match starts; a seat that is taken and left again is opened by another event, so that all earlier codes stay
over.
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
    """What a code says: a seat, the version of the event that opened it, and UTC milliseconds."""

    seat: int
    opened: int
    expires_at: int


def issue_invitation(key: ServerKey, match: Match, seat: int, expires_at: int) -> str:
    """The code of an invitation to a seat of an open match that is open itself; Refusal where it is not."""
    require_open(match.life)
    found = require_seat(match.life, seat)
    if found.seated:
        raise WrongTime("seat/taken", f"seat {seat} is taken", seat=seat)
    if found.occupant is not None:
        raise WrongPerson("seat/reserved", f"seat {seat} is reserved for a player: open it first", seat=seat)
    invitation = Invitation(seat, found.since, expires_at)
    return "-".join((*map(str, invitation), _sign(key, match.stream, invitation)))


def read_invitation(key: ServerKey, match: Match, code: str, now_ms: int) -> Invitation | None:
    """What the code says, None where it is not one of ours for this match; Unknown where it is over."""
    parsed = _CODE.fullmatch(code)
    if parsed is None:
        return None
    invitation = Invitation(*map(int, parsed.groups()[:3]))
    if not any(hmac.compare_digest(_sign(each, match.stream, invitation), parsed[4]) for each in key.ring):
        return None
    seat = match.life.seats[invitation.seat - 1]  # a seat that we signed for is there
    # The signature proves that we told the holder of this match: why it does not help any more is no secret.
    if now_ms >= invitation.expires_at:
        raise Unknown("invitation/over", "the invitation has expired: ask for another one")
    if match.life.status != "open" or seat.occupant is not None or seat.since != invitation.opened:
        raise Unknown(
            "invitation/over", f"the invitation is over: seat {invitation.seat} was taken, or the match began"
        )
    return invitation


def _sign(key: ServerKey, match: str, invitation: Invitation) -> str:
    text = "\n".join((match, *map(str, invitation)))
    return urlsafe_b64encode(hmac.digest(key.invitation_key, text.encode(), "sha256")[:SIGNATURE_BYTES]).decode()
