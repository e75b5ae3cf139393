"""Who may do what in a tournament, as far as its own stream says."""

from plyscribe.domain.events import Account
from plyscribe.domain.match import Match
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS


def owns(state: Tournament, who: Principal) -> bool:
    """Whether a request of `who` counts as one of the owner. Administrators can do what the owner can."""
    return "admin" in who.scopes or (who.account == state.organiser and "organise" in who.scopes)


def is_arbiter(state: Tournament, who: Principal) -> bool:
    """Whether `who` is an arbiter of the tournament, with a token that may play."""
    return who.account in state.arbiters and "play" in who.scopes


def find_role(state: Tournament, who: Principal) -> str:
    """The role in which `who` acts on the tournament: organiser, arbiter, table or player."""
    if who.table is not None:
        return "table"
    return "organiser" if owns(state, who) else "arbiter" if is_arbiter(state, who) else "player"


def may_read_tournament(state: Tournament, who: Principal | None) -> bool:
    """Whether `who` may read the tournament (None: a request without a token): anybody, unless it is private.

    A private one may be read by organisers, arbiters, overseers, entrants, those who are invited or ask to be let in,
    and those with the code of one of its tables.
    """
    if not state.terms.private:
        return True
    if who is None:
        return False
    if who.table is not None:
        return who.table.tournament == state.stream
    concerned = {state.organiser, *state.arbiters}
    concerned |= {each.player for each in state.invitations} | {each.player for each in state.requests}
    entered = any(each.occupant == Account(who.account) for each in state.entrants)
    return entered or who.account in concerned or not set(OVERSEERS).isdisjoint(who.scopes)


def may_arbitrate(match: Match, state: Tournament, who: Principal) -> bool:
    """Whether `who` arbitrates this match of the tournament: nobody does where they sit."""
    if any(seat.occupant == Account(who.account) for seat in match.life.seats):
        return False
    return owns(state, who) or is_arbiter(state, who)
