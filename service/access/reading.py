"""Who may read a match: the one rule that every way to it asks."""

from plyscribe.domain.events import Account
from plyscribe.domain.imported import Import
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal

OVERSEERS = ("organise", "admin")
"""Scopes that read every match."""


def may_read(match: Match, who: Principal | None) -> bool:
    """Whether the match is public, or `who` (None: anyone) created or records it, or has a seat or an invitation.

    Overseers may always. A match whose first event cannot be read may have been private, and counts as that.
    """
    if match.lifecycle is not None and not match.life.created.private:
        return True
    return who is not None and (not set(OVERSEERS).isdisjoint(who.scopes) or _is_concerned(match, who))


def may_read_import(imported: Import, who: Principal | None) -> bool:
    """Whether the import is of a public match, or `who` (None: anyone) imported it. Overseers may always."""
    if imported.begun is not None and not imported.begun.private:
        return True
    # What somebody typed is shown to others when it is a match.
    return who is not None and (not set(OVERSEERS).isdisjoint(who.scopes) or who.account == imported.importer)


def needs_invitation(match: Match, who: Principal, seat: int) -> bool:
    """Whether the seat is an open one of a private match of somebody else's."""
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
