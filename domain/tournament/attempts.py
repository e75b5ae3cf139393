"""The attempts at each game: the matches made for it, how each ended, and who was at fault.

All of this follows from the tournament's own events. A match that the platform failed is not scored, and is played
again. An entrant that leaves a match loses it. The organiser can decide a game instead, which is its last attempt.
"""

from collections.abc import Iterator
from typing import NamedTuple

from plyscribe.domain.events import SeatWithdrawn
from plyscribe.domain.tournament.state import (
    ADJUDICATED,
    FORFEITED,
    REPLAYED,
    REPORTED,
    Failure,
    Game,
    Tournament,
)

RESIGNED = "resigned"

STATUSES = ("playing", "decided", "failed", "dropped", ADJUDICATED, FORFEITED, REPORTED)
"""The match is being played; it decided the game; it failed; the tournament was called off before it ended; the
organiser adjudicated the game; entrants forfeited it; its result was entered at the table.
"""

RULED = (ADJUDICATED, FORFEITED, REPORTED)

OWNERS = ("entrant", "opponent", "platform")
"""Who was at fault, as an entrant sees it: itself, another entrant on the board, or the platform."""


class Incident(NamedTuple):
    """Why a match did not run its course: a seat left it, or the platform failed it."""

    cause: str
    entrant: int | None = None
    """The entrant that left; None for a fault of the platform."""

    why: str | None = None

    def find_owner(self, seen_by: int | None = None) -> str | None:
        """One of OWNERS as entrant `seen_by` sees it; without `seen_by`, `entrant` stands for the fault of any entrant.

        None for a resignation and for a game that is played once more, which are nobody's fault.
        """
        if self.cause == REPLAYED:
            return None
        if self.entrant is None:
            return "platform"
        if self.cause == RESIGNED:
            return None
        return "entrant" if seen_by in (None, self.entrant) else "opponent"


class Attempt(NamedTuple):
    """A match made for a game; `number` counts the attempts at that game from 1."""

    game: Game
    number: int
    status: str
    match: str | None = None
    """None while it is being played, and for a match that the organiser's ruling ended: then `Tournaments.match_id`
    computes the id.
    """

    made_at: int | None = None
    closed_at: int | None = None
    """When its result or its failure was entered (UTC milliseconds)."""

    incidents: tuple[Incident, ...] = ()

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Round, board, game and number; attempts are sorted by these."""
        return (self.game.round, self.game.board, self.game.game, self.number)

    @property
    def is_decisive(self) -> bool:
        """Whether the game has its result from it."""
        return self.status in ("decided", *RULED)

    @property
    def has_match(self) -> bool:
        """Whether there is a match of it: not if the organiser ruled on a game that was given up."""
        return self.status not in RULED or not self.game.has_failed_too_often

    @property
    def is_scored(self) -> bool:
        """Whether its result counts in the tournament."""
        return self.is_decisive and self.game.counts


def list_all_attempts(state: Tournament) -> Iterator[Attempt]:
    """All attempts at all games, sorted by place."""
    for game in state.games():
        yield from list_game_attempts(state, game)


def list_game_attempts(state: Tournament, game: Game) -> Iterator[Attempt]:
    """The attempts at the game: first those that failed, then the one that decided it or is under way."""
    for number, failure in enumerate(game.failed, 1):
        yield _read_failed(game, number, failure)
    number = len(game.failed) + 1
    if game.is_ruled:
        lost = tuple(Incident(FORFEITED, each, game.why) for each in game.forfeited)
        yield Attempt(game, number, game.reason or "", closed_at=game.decided_at, incidents=lost)
    elif game.ranks is not None:
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
    """The number of faults in the games of an entrant, by owner."""

    entrant: int = 0
    opponent: int = 0
    platform: int = 0


def count_faults(state: Tournament) -> dict[int, Faults]:
    """The faults in the games of each entrant, including annulled games."""
    counted = {each.number: Faults() for each in state.entrants}
    for game, incidents in _list_incidents(state):
        for entrant in game.entrants:
            owners = [each.find_owner(entrant) for each in incidents]
            counted[entrant] = Faults(*map(sum, zip(counted[entrant], map(owners.count, OWNERS), strict=True)))
    return counted


def count_all_faults(state: Tournament) -> dict[str, int]:
    """The faults in all games, of entrants and of the platform."""
    owners = [each.find_owner() for _, incidents in _list_incidents(state) for each in incidents]
    return {owner: owners.count(owner) for owner in ("entrant", "platform")}


def _list_incidents(state: Tournament) -> Iterator[tuple[Game, list[Incident]]]:
    """The games with incidents, each with all its incidents."""
    for game in state.games():
        if game.failed or game.left or game.forfeited:
            yield game, [each for attempt in list_game_attempts(state, game) for each in attempt.incidents]
