"""The end of a match as people read it: who won and why, the places, what it counts for, and the rematch."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plyscribe.domain.counting import counts
from plyscribe.domain.events import Account
from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match
from plyscribe.service.language.guidance import count_score, list_ways
from plyscribe.service.language.sentences import translate
from plyscribe.service.matches.rematches import rematch_id, seats_offered
from plyscribe.service.web.api.http import negotiate_language, parts
from plyscribe.service.web.pages.happenings import find_end
from plyscribe.service.web.pages.people import name_account
from plyscribe.service.web.pages.score_sheet import find_name, format_withdrawal, format_word
from plyscribe.service.web.pages.speech import gettext

WITHDRAWN, AGREED = "withdrawal", "draw-agreed"

UNCOUNTED = (WITHDRAWN, AGREED, "path", "cleared", "stalemate", "experience")
"""Reasons to end that the score says nothing about."""


class Place(NamedTuple):
    """A player with a place in the final order, and what they have of what decides the game, if that is counted."""

    rank: int
    seat: int
    name: str
    score: int | None
    is_mine: bool


class Rematch(NamedTuple):
    """The rematch of a match, as a player of both sees it: `wanted_by` says whose offer the player can accept."""

    match: str
    wanted_by: str | None


class Ending(NamedTuple):
    """How a match ended. `headline` and `how` make one sentence; `why` says what ended it, by the rules.

    `is_counted` says whether the match counts for ratings: None if it was not to.
    """

    headline: str
    how: str
    why: str | None
    places: list[Place]
    is_counted: bool | None

    @property
    def sentence(self) -> str:
        """Who won and how."""
        return f"{self.headline}{self.how}."


def describe_ending(state: Match, names: Sequence[str], held: Sequence[int] = ()) -> Ending | None:
    """How the match ended, for a visitor who holds these seats; None if it has no outcome."""
    outcome = state.life.outcome
    if outcome is None or state.play is None:
        return None
    ranks = outcome.ranks
    # Who plays for everybody reads who won, like a spectator.
    own = held if len(held) < len(ranks) else ()
    score = count_score(state.play.ruleset, state.play.ruleset.view(state.play.state))
    places = [
        Place(rank, seat, names[seat - 1], score[seat - 1] if score else None, seat in own)
        for seat, rank in enumerate(ranks, 1)
    ]
    places.sort()
    return Ending(
        name_result(ranks, names, own),
        _say_how(state, outcome.reason, places),
        None if outcome.reason in (WITHDRAWN, AGREED) else find_end(state),
        places,
        counts(state),
    )


def name_result(ranks: Sequence[int], names: Sequence[str], own: Sequence[int] = ()) -> str:
    """Who won, for somebody who holds the seats `own`: "You win", "Ben wins", "A draw"."""
    winners = [seat for seat, rank in enumerate(ranks, 1) if rank == 1]
    others = [find_name(seat, names) for seat in winners if seat not in own]
    if len(winners) == len(ranks):
        return gettext("A draw")
    if not winners:
        # Somebody else may claim such an outcome for a match of theirs.
        return gettext("Nobody wins")
    if len(winners) == 1:
        return gettext("%(name)s wins", name=others[0]) if others else gettext("You win")
    if len(others) < len(winners) and others:
        return gettext("You share first place with %(names)s", names=join_names(others))
    return gettext("%(names)s share first place", names=join_names([names[seat - 1] for seat in winners]))


def join_names(names: Sequence[str]) -> str:
    """The names as people list them: "Ann, Ben and Cleo"."""
    *most, last = names
    return gettext("%(names)s and %(last)s", names=", ".join(most), last=last) if most else last


def _say_how(state: Match, reason: str, places: Iterable[Place]) -> str:
    """What follows who won, without a full stop: " by points, 15–10"."""
    if reason == WITHDRAWN:
        return f": {', '.join(_list_withdrawals(state, places))}"
    way = list_ways().get(reason)
    how = f" {translate(way, negotiate_language(), {})}" if way else f" ({format_word(reason)})"
    scores = [] if reason in UNCOUNTED else [str(place.score) for place in places if place.score is not None]
    return f"{how}, {'–'.join(scores)}" if scores else how


def _list_withdrawals(state: Match, places: Iterable[Place]) -> list[str]:
    assert state.play is not None
    left = set(state.play.left)
    causes = {each.seat: each.cause for each in state.life.withdrawals if each.seat in left}
    mine = {place.seat for place in places if place.is_mine}
    named = {place.seat: place.name for place in places}
    return [
        gettext("you left the match") if seat in mine else format_withdrawal(named[seat], cause)
        for seat, cause in causes.items()
    ]


def find_rematch(state: Match, account: str | None) -> Rematch | None:
    """The rematch of the match, if this account has a seat in it; None if there is none, or if it was called off."""
    if account is None or state.life.outcome is None or account not in state.life.players or is_address(state.stream):
        return None
    rematch = parts().matches.read(rematch_id(state.stream)[0])
    if rematch.lifecycle is None or rematch.life.status == "aborted":
        return None
    life = rematch.life
    is_open = any(
        not life.seats[seat - 1].seated and life.seats[seat - 1].occupant == Account(account)
        for seat in seats_offered(rematch, account)
    )
    wanted_by = name_account(life.creator) if is_open and life.creator != account else None
    return Rematch(rematch.stream, wanted_by)
