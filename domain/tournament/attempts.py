"""The attempts at each game: which matches were made for it, how each ended, and whose fault went with it.

All of it follows from the tournament's own events. A fault of the platform is played again and never scored; an
entrant that leaves a match loses it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from plyscribe.domain.events import SeatWithdrawn
from plyscribe.domain.tournament.state import Failure, Game, Tournament

RESIGNED = "resigned"

STATUSES = ("playing", "decided", "failed", "dropped")
"""Of an attempt: its match is played; it decided the game; it came to nothing; the tournament was called off first."""

OWNERS = ("entrant", "opponent", "platform")
"""Whose fault something was, seen from an entrant's side: its own, that of another one on the board, or nobody's who
plays.
"""


class Incident(NamedTuple):
    """Something by which a match did not go on as the rules have it: a seat left it, or the platform failed it."""

    cause: str
    entrant: int | None = None
    """Who left; None where it was the platform."""

    why: str | None = None

    def find_owner(self, seen_by: int | None = None) -> str | None:
        """One of OWNERS; `entrant` of any entrant's fault where no side is taken. None: to resign is nobody's fault."""
        if self.entrant is None:
            return "platform"
        if self.cause == RESIGNED:
            return None
        return "entrant" if seen_by in (None, self.entrant) else "opponent"


class Attempt(NamedTuple):
    """A match that was made for a game; `number` counts those of the game, from 1."""

    game: Game
    number: int
    status: str
    match: str | None = None
    """None where the game is being played: it follows from what is played, see `Tournaments.match_id`."""

    made_at: int | None = None
    closed_at: int | None = None
    """UTC milliseconds: when its result, or that it failed, was entered."""

    incidents: tuple[Incident, ...] = ()

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Round, board, game and number, by which attempts are ordered."""
        return (self.game.round, self.game.board, self.game.game, self.number)

    @property
    def is_scored(self) -> bool:
        """Whether its result counts."""
        return self.status == "decided" and self.game.counts


def list_all_attempts(state: Tournament) -> Iterator[Attempt]:
    """All attempts at all games, in the order of their places."""
    for game in state.games():
        yield from list_game_attempts(state, game)


def list_game_attempts(state: Tournament, game: Game) -> Iterator[Attempt]:
    """The attempts at the game: those that failed, then the one that decided it, or that is under way."""
    for number, failure in enumerate(game.failed, 1):
        yield _read_failed(game, number, failure)
    number = len(game.failed) + 1
    if game.ranks is not None:
        left = tuple(_read_left(game, each) for each in game.left)
        yield Attempt(game, number, "decided", game.match, game.made_at, game.decided_at, left)
    elif not game.is_given_up:
        yield Attempt(game, number, "playing" if state.status == "playing" else "dropped")


def _read_failed(game: Game, number: int, failure: Failure) -> Attempt:
    incidents = (Incident(failure.cause, why=failure.why),)
    return Attempt(game, number, "failed", failure.match, failure.made_at, failure.at, incidents)


def _read_left(game: Game, left: SeatWithdrawn) -> Incident:
    return Incident(left.fault or left.cause, game.entrants[left.seat - 1])


class Faults(NamedTuple):
    """How many faults there were in the games of an entrant, by whose they were."""

    entrant: int = 0
    opponent: int = 0
    platform: int = 0


def count_faults(state: Tournament) -> dict[int, Faults]:
    """The faults in the games of each entrant, annulled ones too."""
    counted = {each.number: Faults() for each in state.entrants}
    for game, incidents in _list_incidents(state):
        for entrant in game.entrants:
            owners = [each.find_owner(entrant) for each in incidents]
            counted[entrant] = Faults(*map(sum, zip(counted[entrant], map(owners.count, OWNERS), strict=True)))
    return counted


def count_all_faults(state: Tournament) -> dict[str, int]:
    """The faults in all games: those of entrants, and those of the platform."""
    owners = [each.find_owner() for _, incidents in _list_incidents(state) for each in incidents]
    return {owner: owners.count(owner) for owner in ("entrant", "platform")}


def _list_incidents(state: Tournament) -> Iterator[tuple[Game, list[Incident]]]:
    """Games in which there was something, with all of it."""
    for game in state.games():
        if game.failed or game.left:
            yield game, [each for attempt in list_game_attempts(state, game) for each in attempt.incidents]
