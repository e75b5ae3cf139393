"""Decides who may read a match: one rule, which everything that shows matches asks."""

from plyscribe.domain.events import Account
from plyscribe.domain.imported import Import
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal

OVERSEERS = ("organise", "admin")
"""The scopes that may read every match."""


def may_read(match: Match, who: Principal | None) -> bool:
    """Whether `who` may read the match (None: a request without a token).

    Everybody may read a public match. A private match may be read by its creator, its recorder, the players who are
    seated in it or invited to it, and overseers. A match whose first event cannot be read counts as private.
    """
    if match.lifecycle is not None and not match.life.created.private:
        return True
    return who is not None and (not set(OVERSEERS).isdisjoint(who.scopes) or _is_concerned(match, who))


def may_read_import(imported: Import, who: Principal | None) -> bool:
    """Whether `who` may read the import (None: a request without a token).

    Everybody may read the import of a public match. Other imports may be read by their importer and by overseers.
    """
    if imported.begun is not None and not imported.begun.private:
        return True
    # Others see a typed record only once it is a match.
    return who is not None and (not set(OVERSEERS).isdisjoint(who.scopes) or who.account == imported.importer)


def needs_invitation(match: Match, who: Principal, seat: int) -> bool:
    """Whether the seat is an open seat of somebody else's private match, which takes an invitation."""
    life = match.lifecycle
    if life is None or not life.created.private or who.account in (life.creator, life.created.recorder):
        return False
    return 1 <= seat <= len(life.seats) and life.seats[seat - 1].occupant is None


def _is_concerned(match: Match, who: Principal) -> bool:
    life = match.lifecycle
    if life is None:
        return False
    seats = any(seat.occupant == Account(who.account) for seat in life.seats)
    return seats or who.account in (life.creator, life.created.recorder)
