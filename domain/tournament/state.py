"""The tournament: the state that its events add up to."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from plyscribe.domain.codec import Event
from plyscribe.domain.commands import parse_actor
from plyscribe.domain.errors import FoldError
from plyscribe.domain.events import Account, Occupant, SeatWithdrawn
from plyscribe.domain.tournament.events import (
    AttemptFailed,
    EntrantAbsent,
    EntrantInvited,
    EntrantRegistered,
    EntrantWithdrawn,
    GameAdjudicated,
    GameAnnulled,
    GameDecided,
    GameForfeited,
    GameRetried,
    InvitationEnded,
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
"""A game whose matches failed this often is not played again until the organiser says so. Then it gets as many more."""

ADJUDICATED, FORFEITED = "adjudicated", "forfeited"
"""The reasons of a game that the organiser decided, not a match."""

ACTS = (
    "game-annulled",
    "game-retried",
    "game-adjudicated",
    "game-forfeited",
    "entrant-withdrawn",
    "entrant-disqualified",
    "tournament-aborted",
)
"""What organisers and administrators can do to the course of a tournament."""


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

    is_disqualified: bool = False


class Invitation(NamedTuple):
    """An account that is invited and has not answered yet, since `at` (UTC milliseconds)."""

    player: str
    label: str | None
    at: int


class Act(NamedTuple):
    """An act of an organiser or administrator: one of ACTS, when (UTC milliseconds), by whose account, and why.

    It is about a game, given by its round, board and number, or about an entrant, or else about the tournament.
    """

    at: int
    by: str
    what: str
    why: str | None
    place: tuple[int, int, int] | None = None
    entrant: int | None = None


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

    retries: int = 0
    """How often the organiser had it played again after it was given up."""

    forfeited: tuple[int, ...] = ()
    """The entrants that lost it by forfeit."""

    why: str | None = None
    """Why the organiser adjudicated it, or had it forfeited."""

    @property
    def is_ruled(self) -> bool:
        """Whether the organiser decided it, not a match."""
        return self.ranks is not None and self.match is None

    @property
    def was_played(self) -> bool:
        """Whether it counts as the result of a match."""
        return self.counts and self.match is not None

    @property
    def counts(self) -> bool:
        """Whether the game is decided and not annulled."""
        return self.ranks is not None and self.annulled is None

    @property
    def is_given_up(self) -> bool:
        """Whether the game failed too often to be played again."""
        return self.ranks is None and self.has_failed_too_often

    @property
    def has_failed_too_often(self) -> bool:
        """Whether no further match is made for it. A game that is given up and then ruled on stays like that."""
        return len(self.failed) >= MAX_ATTEMPTS * (1 + self.retries)


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
    invitations: tuple[Invitation, ...] = ()
    """The invitations that nobody has answered, oldest first."""

    acts: tuple[Act, ...] = ()
    """Everything that organisers and administrators did to its course, oldest first."""

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

    @property
    def takes_entrants(self) -> bool:
        """Whether somebody can still enter: before the start and, in a Swiss, until it is over."""
        return self.status == "open" or (self.status == "playing" and self.terms.format["kind"] == "swiss")

    def find_invitation(self, player: str) -> Invitation | None:
        """The unanswered invitation of this account; None without one."""
        return next((each for each in self.invitations if each.player == player), None)

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
        case EntrantInvited(player, label):
            return replace(state, invitations=(*state.invitations, Invitation(player, label, event.at)))
        case InvitationEnded(player):
            return replace(state, invitations=_without(state.invitations, player))
        case EntrantRegistered(number, occupant, label):
            entrant = Entrant(number, occupant, label, joined=len(state.rounds) + 1)
            invited = occupant.player if isinstance(occupant, Account) else None
            rest = _without(state.invitations, invited)
            return replace(state, entrants=(*state.entrants, entrant), invitations=rest)
        case EntrantWithdrawn(number, cause, why):
            if cause != "entrant":
                what = "entrant-disqualified" if cause == "disqualified" else data.type
                state = _note_act(state, event, what, why, entrant=number)
            return _with_entrant(state, event, number, is_in=False, is_disqualified=cause == "disqualified")
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
        case GameRetried(round, board, game, why):
            place = (round, board, game)
            known = find_game(state, place)
            retried = _with_game(state, event, place, retries=known.retries + 1 if known else 0)
            return _note_act(retried, event, data.type, why, place)
        case GameAdjudicated(round, board, game, ranks, why):
            ruled = {"ranks": ranks, "reason": ADJUDICATED, "why": why, "decided_at": event.at}
            state = _with_game(state, event, (round, board, game), **ruled)
            return _note_act(state, event, data.type, why, (round, board, game))
        case GameForfeited(round, board, game, entrants, why):
            place = (round, board, game)
            known = find_game(state, place)
            ranks = rank_forfeit(known.entrants, entrants) if known else ()
            ruled = {"ranks": ranks, "reason": FORFEITED, "why": why, "decided_at": event.at, "forfeited": entrants}
            return _note_act(_with_game(state, event, place, **ruled), event, data.type, why, place)
        case GameAnnulled(round, board, game, why):
            place = (round, board, game)
            return _note_act(_with_game(state, event, place, annulled=why), event, data.type, why, place)
        case TournamentEnded(reason):
            return replace(state, status="ended", ended=reason)
        case TournamentAborted(cause):
            return _note_act(replace(state, status="aborted", ended=cause), event, data.type, cause)


def rank_forfeit(entrants: Sequence[int], losers: Collection[int]) -> tuple[int, ...]:
    """The rank of each seat when these entrants lose by forfeit: the others share the first place, they the last.

    >>> rank_forfeit((4, 7, 9), [7, 9]), rank_forfeit((4, 7), [4, 7])
    ((1, 3, 3), (2, 2))
    """
    return tuple(len(entrants) if each in losers else 1 for each in entrants)


def _without(invitations: tuple[Invitation, ...], player: str | None) -> tuple[Invitation, ...]:
    return tuple(each for each in invitations if each.player != player)


def _note_act(
    state: Tournament,
    event: Event,
    what: str,
    why: str | None,
    place: tuple[int, int, int] | None = None,
    entrant: int | None = None,
) -> Tournament:
    act = Act(event.at, parse_actor(event.by).id, what, why, place, entrant)
    return replace(state, acts=(*state.acts, act))


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
