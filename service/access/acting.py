"""What an account may do in a match now: the domain's choices, as far as its token and its invitation go."""

from plyscribe.domain.commands import Actor
from plyscribe.domain.decide.choices import Choice, list_choices
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS, needs_invitation


def scope_to_act(match: Match, account: str) -> str:
    """The scope that a token needs to act in the match: its recorder records, everybody else plays."""
    return "record" if match.lifecycle and match.life.created.recorder == account else "play"


def list_choices_of(match: Match, who: Principal | None, invited: int | None = None) -> tuple[Choice, ...]:
    """What the API lets `who` do in a match of this server; nothing for None, who acts for nobody.

    `invited` is the seat that the request has an invitation to.
    """
    if who is None:
        return ()
    found: list[Choice] = []
    if scope_to_act(match, who.account) in who.scopes:
        found += list_choices(match, Actor("player", who.account))
    if not set(OVERSEERS).isdisjoint(who.scopes):
        found += [each for each in list_choices(match, Actor("organiser", who.account)) if each.command == "annul"]
    return tuple(each for choice in found if (each := _without_uninvited(choice, match, who, invited)))


def _without_uninvited(choice: Choice, match: Match, who: Principal, invited: int | None) -> Choice | None:
    """The choice without the seats that only an invitation opens; None if no seat is left."""
    if choice.command != "take-seat":
        return choice
    seats = tuple(seat for seat in choice.seats if seat == invited or not needs_invitation(match, who, seat))
    return choice._replace(seats=seats) if seats else None
