"""Who paused a match and why, for its players and for all who watch."""

from typing import NamedTuple

from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match
from plyscribe.service.web.pages.people import name_director


class PauseNote(NamedTuple):
    """A pause: who paused the match, as a sentence begins with it, why, and since when (UTC milliseconds)."""

    who: str
    why: str
    at: int


def describe_pause(state: Match) -> PauseNote | None:
    """The pause that holds the match; None if it goes on."""
    pause = state.pause
    return pause and PauseNote(name_director(pause.by, is_address(state.stream)), pause.why, pause.at)
