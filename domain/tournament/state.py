"""The tournament: the state that its events add up to."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from plyscribe.domain.codec import Event
from plyscribe.domain.commands import parse_actor
from plyscribe.domain.errors import FoldError
from plyscribe.domain.events import Occupant, SeatWithdrawn
from plyscribe.domain.tournament.events import (
    AttemptFailed,
    EntrantAbsent,
    EntrantRegistered,
    EntrantWithdrawn,
    GameAnnulled,
    GameDecided,
    RoundPaired,
    TournamentAborted,
    TournamentCreated,
    TournamentEnded,
    TournamentEvent,
    TournamentStarted,
)
from plyscribe.domain.tournament.terms import list_seatings

STATUSES = ("open", "playing", "ended", "aborted")

MAX_ATTEMPTS = 5
"""A game whose matches failed this often is not played again."""


class Entrant(NamedTuple):
    """An entrant. Numbers count from 1, in the order of registration."""

    number: int
    occupant: Occupant
    label: str | None
    is_in: bool = True
    absences: frozenset[int] = frozenset()
    """The rounds that it announced to sit out."""

    joined: int = 1
    """The first round that it can play."""


class Failure(NamedTuple):
    """A match that failed: see AttemptFailed. Times are UTC milliseconds."""

    match: str
    cause: str
    why: str
    made_at: int
    at: int


class Game(NamedTuple):
    """A game of a board: the entrant on each seat, and the result once it is decided."""

    round: int
    board: int
    game: int
    entrants: tuple[int, ...]
    """By seat."""

    match: str | None = None
    ranks: tuple[int, ...] | None = None
    reason: str | None = None
    annulled: str | None = None
    failed: tuple[Failure, ...] = ()
    """The matches of this game that failed."""

    made_at: int | None = None
    decided_at: int | None = None
    left: tuple[SeatWithdrawn, ...] = ()
    """The seats that left the match, in order."""

    @property
    def counts(self) -> bool:
        """Whether the game is decided and not annulled."""
        return self.ranks is not None and self.annulled is None

    @property
    def is_given_up(self) -> bool:
        """Whether the game failed too often to be played again."""
        return self.ranks is None and len(self.failed) >= MAX_ATTEMPTS


class Round(NamedTuple):
    """A round as paired, with its games by board."""

    number: int
    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    absent: tuple[int, ...]
    costs: dict[str, Any]
    engine: str
    games: tuple[tuple[Game, ...], ...]

    @property
    def is_decided(self) -> bool:
        """Whether all its games are decided."""
        return all(game.ranks is not None for games in self.games for game in games)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament folded up to `version`; at version 0 it is not created yet."""

    stream: str
    version: int = 0
    head: bytes = b""
    created: TournamentCreated | None = None
    organiser: str = ""
    created_at: int = 0
    status: str = "open"
    entrants: tuple[Entrant, ...] = ()
    starters: tuple[int, ...] = ()
    """The entrants who took part when it started, ascending."""

    rounds: tuple[Round, ...] = ()
    ended: str | None = None
    """The reason why it ended or was called off; None before."""

    @property
    def terms(self) -> TournamentCreated:
        """The terms as announced; FoldError when the tournament was never created."""
        if self.created is None:
            raise FoldError(1, "the tournament was never created")
        return self.created

    @property
    def seatings(self) -> list[tuple[int, ...]]:
        """See list_seatings."""
        return list_seatings(self.terms.seats, self.terms.repeat)

    def games(self) -> Iterator[Game]:
        """All paired games, in order."""
        return (game for round in self.rounds for games in round.games for game in games)

    def list_absent(self, round: int) -> list[int]:
        """The entrants still in that announced to sit out the round, ascending."""
        return [each.number for each in self.entrants if each.is_in and round in each.absences]

    def list_present(self, round: int) -> list[int]:
        """The entrants who can be paired in the round, ascending."""
        return [each.number for each in self.entrants if each.is_in and round not in each.absences]


def evolve_tournament(state: Tournament, event: Event, data: TournamentEvent) -> Tournament:
    """The tournament after one event; FoldError when it names an entrant or a game that does not exist."""
    match data:
        case TournamentCreated():
            return replace(state, created=data, organiser=parse_actor(event.by).id, created_at=event.at)
        case EntrantRegistered(number, occupant, label):
            entrant = Entrant(number, occupant, label, joined=len(state.rounds) + 1)
            return replace(state, entrants=(*state.entrants, entrant))
        case EntrantWithdrawn(number):
            return _with_entrant(state, event, number, is_in=False)
        case EntrantAbsent(number, round):
            return _with_entrant(state, event, number, absences=_entrant(state, event, number).absences | {round})
        case TournamentStarted():
            starters = tuple(each.number for each in state.entrants if each.is_in)
            return replace(state, status="playing", starters=starters)
        case RoundPaired():
            return replace(state, rounds=(*state.rounds, _open_round(state, data)))
        case GameDecided(round, board, game, match, ranks, reason, made_at, left):
            result = {"match": match, "ranks": ranks, "reason": reason}
            more = {"made_at": made_at, "decided_at": event.at, "left": left}
            return _with_game(state, event, (round, board, game), **result, **more)
        case AttemptFailed(round, board, game, match, cause, why, made_at):
            known = find_game(state, (round, board, game))
            failed = (*(known.failed if known else ()), Failure(match, cause, why, made_at, event.at))
            return _with_game(state, event, (round, board, game), failed=failed)
        case GameAnnulled(round, board, game, why):
            return _with_game(state, event, (round, board, game), annulled=why)
        case TournamentEnded(reason):
            return replace(state, status="ended", ended=reason)
        case TournamentAborted(cause):
            return replace(state, status="aborted", ended=cause)


def _entrant(state: Tournament, event: Event, number: int) -> Entrant:
    if not 1 <= number <= len(state.entrants):
        raise FoldError(event.version, f"there is no entrant {number}")
    return state.entrants[number - 1]


def _with_entrant(state: Tournament, event: Event, number: int, **changes: Any) -> Tournament:
    entrant = _entrant(state, event, number)._replace(**changes)
    return replace(state, entrants=(*state.entrants[: number - 1], entrant, *state.entrants[number:]))


def _open_round(state: Tournament, paired: RoundPaired) -> Round:
    seatings = state.seatings
    games = tuple(
        tuple(
            Game(paired.round, board, game, tuple(entrants[place] for place in seating))
            for game, seating in enumerate(seatings, 1)
        )
        for board, entrants in enumerate(paired.boards, 1)
    )
    return Round(paired.round, paired.boards, paired.byes, paired.absent, paired.costs, paired.engine, games)


def find_game(state: Tournament, place: tuple[int, int, int]) -> Game | None:
    """The game with these numbers of round, board and game; None if there is none."""
    round, board, game = place
    if not 1 <= round <= len(state.rounds):
        return None
    boards = state.rounds[round - 1].games
    return boards[board - 1][game - 1] if 1 <= board <= len(boards) and 1 <= game <= len(boards[board - 1]) else None


def _with_game(state: Tournament, event: Event, place: tuple[int, int, int], **changes: Any) -> Tournament:
    found = find_game(state, place)
    if found is None:
        raise FoldError(event.version, f"there is no game {place}")
    return replace_game(state, found._replace(**changes))


def replace_game(state: Tournament, changed_game: Game) -> Tournament:
    """The tournament with this version of a game."""
    number, board, game, *_ = changed_game
    round = state.rounds[number - 1]
    games = round.games[board - 1]
    changed = (*games[: game - 1], changed_game, *games[game:])
    boards = (*round.games[: board - 1], changed, *round.games[board:])
    rounds = (*state.rounds[: number - 1], round._replace(games=boards), *state.rounds[number:])
    return replace(state, rounds=rounds)
