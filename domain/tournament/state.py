"""The tournament: the state that its events add up to."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from plyscribe.domain.errors import FoldError
from plyscribe.domain.events import Build, Occupant, SeatWithdrawn
from plyscribe.domain.tournament.events import SeatBuild, TournamentCreated
from plyscribe.domain.tournament.terms import TAKE_LATE, WITH_DEADLINES, list_seatings

STATUSES = ("open", "playing", "ended", "aborted")

MAX_ATTEMPTS = 5
"""A game whose matches failed this often is not played again until the organiser says so. Then it gets as many more."""

ADJUDICATED, FORFEITED, REPORTED = "adjudicated", "forfeited", "reported"
"""The reasons of a game that no match decided: the organiser did, or its result was entered at the table."""

REPLAYED = "replayed"
"""Why a match that decided a game counts no more: the game is played once more."""

ACTS = (
    "game-annulled",
    "game-retried",
    "game-reported",
    "game-adjudicated",
    "game-forfeited",
    "deadline-extended",
    "tournament-closed",
    "game-corrected",
    "game-replayed",
    "arbiter-call-answered",
    "penalty-given",
    "penalty-lifted",
    "round-paired",
    "round-taken-back",
    "table-codes-revoked",
    "entry-request-ended",
    "entry-link-revoked",
    "entrant-withdrawn",
    "entrant-disqualified",
    "entrant-returned",
    "arbiter-named",
    "arbiter-dismissed",
    "tournament-paused",
    "tournament-resumed",
    "tournament-aborted",
)
"""What the organiser, arbiters and administrators can do to the course of a tournament."""


WAYS_IN = ("entered", "invited", "asked", "guest", "bot")
"""How an entrant came in: by itself, by an invitation, because it asked, or entered by an organiser."""


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
    byes: frozenset[int] = frozenset()
    """The rounds for which it asked for a bye; they are among its absences."""

    rating: int | None = None
    seed: int | None = None
    came: str = "entered"
    """How it came in: one of WAYS_IN."""
    team: str | None = None
    place: int | None = None
    """In the board order of its team."""
    builds: tuple[Build, ...] = ()
    """The builds that its account named, in order; the last one counts."""

    is_pinned: bool = False
    """Whether it may play with the last of its builds alone."""


class Invitation(NamedTuple):
    """An account that is invited and has not answered yet, since `at` (UTC milliseconds)."""

    player: str
    label: str | None
    at: int


class Request(NamedTuple):
    """An account that asks to be let in, since `at` (UTC milliseconds)."""

    player: str
    label: str | None
    at: int


class Penalty(NamedTuple):
    """Points that an entrant loses, given after round `round` was paired. `lifted` says why it counts no more."""

    number: int
    entrant: int
    points: int
    round: int
    why: str
    lifted: str | None = None


class Act(NamedTuple):
    """An act of an organiser, arbiter or administrator: one of ACTS, when (UTC milliseconds), by whom, and why.

    It is about a game, given by its round, board and number, about a round, an entrant or an account, or else about the
    tournament.
    """

    at: int
    by: str
    what: str
    why: str | None
    place: tuple[int, int, int] | None = None
    entrant: int | None = None
    round: int | None = None
    board: int | None = None
    player: str | None = None


class Failure(NamedTuple):
    """A match that failed: see AttemptFailed. Times are UTC milliseconds."""

    match: str
    cause: str
    why: str
    made_at: int
    at: int


class Step(NamedTuple):
    """A step in the course of a ladder: what happened, and the number of an entrant or a round. See `ladder.py`."""

    what: str
    number: int


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
    """Why the organiser adjudicated it, had it forfeited, or corrected it."""

    entered: tuple[int, ...] | None = None
    """The ranks as they were entered first, if the organiser corrected them."""

    call: str | None = None
    """Why those at the table ask for an arbiter, until one answers or rules on the game."""

    replays: int = 0
    """How often it was decided and then had to be played once more."""

    builds: tuple[SeatBuild, ...] = ()
    """The builds that accounts declared in the match that decided it, by seat and in order."""

    pairing: int = 0
    """How often its round had been taken back when it was paired."""

    @property
    def is_ruled(self) -> bool:
        """Whether it is decided, but not by a match."""
        return self.ranks is not None and self.match is None

    @property
    def was_played(self) -> bool:
        """Whether it counts, and its result comes from play."""
        return self.counts and not self.forfeited and (self.match is not None or self.reason == REPORTED)

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
        failed = sum(each.cause != REPLAYED for each in self.failed)
        return failed >= MAX_ATTEMPTS * (1 + self.retries)


class Basis(NamedTuple):
    """What a round was paired by: the games of each round before, and the penalties, as they stood then."""

    games: tuple[tuple[tuple[Game, ...], ...], ...]
    penalties: tuple[Penalty, ...]


class Round(NamedTuple):
    """A round as paired, with its games by board."""

    number: int
    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    absent: tuple[int, ...]
    costs: dict[str, Any]
    engine: str
    games: tuple[tuple[Game, ...], ...]
    byes_asked: tuple[int, ...] = ()
    """The absent entrants who had asked for a bye."""

    basis: Basis | None = None
    """None from round MAX_ROUNDS on, since no format that pairs by results has as many."""
    ends_at: int | None = None
    """When the round ends by its plan, and the next one may begin (UTC milliseconds)."""

    deadlines: tuple[int, ...] = ()
    """For each board, when its games are to be decided (UTC milliseconds); empty without deadlines."""

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

    started_at: int | None = None
    """When it started (UTC milliseconds)."""

    paused_at: int | None = None
    """Since when it is paused (UTC milliseconds)."""

    late: tuple[int, ...] = ()
    """The entrants who came after the start, in the order in which they came."""

    rounds: tuple[Round, ...] = ()
    invitations: tuple[Invitation, ...] = ()
    """The invitations that nobody has answered, oldest first."""

    arbiters: tuple[str, ...] = ()
    """The accounts of the arbiters, in the order in which they were named."""

    requests: tuple[Request, ...] = ()
    """The accounts that ask to be let in, oldest first."""

    paused: str | None = None
    """Why the tournament is paused; None if it is not."""
    stop: int = 0
    """The version of the newest event that paused the matches under way, too; 0 if there was none."""
    is_stopped: bool = False
    """Whether the matches under way are to be paused."""

    called: int = 0
    """The last round that was called, in a tournament whose rounds are called."""

    taken_back: tuple[Round, ...] = ()
    """The rounds that were taken back, as they were paired, oldest first."""

    penalties: tuple[Penalty, ...] = ()
    codes_revoked: Mapping[tuple[int, int] | None, int] = field(default_factory=dict)
    """How often the table codes of a board, given by round and number, were revoked; of all boards under None."""

    entry_links_revoked: int = 0
    acts: tuple[Act, ...] = ()
    """Everything that organisers, arbiters and administrators did to its course, oldest first."""

    course: tuple[Step, ...] = ()
    """What moved the rungs of a ladder, in order."""

    rungs: tuple[int, ...] = ()
    """The entrants of a ladder, the one on top first."""

    closed: str | None = None
    """Why the organiser closed the ladder; None if it is not closed."""

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
        """Whether somebody can still enter: before the start and, in some formats, until it is over."""
        takes_late = self.terms.format["kind"] in TAKE_LATE and self.closed is None
        return self.status == "open" or (self.status == "playing" and takes_late)

    def find_invitation(self, player: str) -> Invitation | None:
        """The unanswered invitation of this account; None without one."""
        return next((each for each in self.invitations if each.player == player), None)

    def find_request(self, player: str) -> Request | None:
        """The request of this account to be let in; None without one."""
        return next((each for each in self.requests if each.player == player), None)

    def may_pair(self, round: int) -> bool:
        """Whether this round is the next one, and it is time to pair it, but for its date: see `due_dates`."""
        if self.terms.format["kind"] == "ladder":
            # Its rounds are challenges.
            return False
        may_overlap = self.terms.format.get("next_round") == "date"
        is_next = round == len(self.rounds) + 1 and (may_overlap or not self.rounds or self.rounds[-1].is_decided)
        is_due = self.terms.rounds_begin == "auto" or self.called >= round
        return self.status == "playing" and self.paused is None and is_next and is_due

    def list_seeds(self) -> list[int]:
        """The entrants in the order of their seeds: those with a seed, then those with a rating, then the others.

        Among equals, the one who entered first comes first.
        """

        def key(entrant: Entrant) -> tuple[bool, int, bool, int, int]:
            seed, rating = entrant.seed, entrant.rating
            return seed is None, seed or 0, rating is None, -(rating or 0), entrant.number

        return [each.number for each in sorted(self.entrants, key=key)]

    @property
    def open_rounds(self) -> tuple[Round, ...]:
        """The rounds that may have undecided games: the last one, or all such rounds where they may overlap."""
        if self.terms.format["kind"] in WITH_DEADLINES:
            return tuple(round for round in self.rounds if not round.is_decided)
        return self.rounds[-1:]

    def games(self) -> Iterator[Game]:
        """All paired games, in order."""
        return (game for round in self.rounds for games in round.games for game in games)

    def list_absent(self, round: int) -> list[int]:
        """The entrants still in that announced to sit out the round, ascending."""
        return [each.number for each in self.entrants if each.is_in and round in each.absences]

    def list_present(self, round: int) -> list[int]:
        """The entrants who can be paired in the round, ascending."""
        return [each.number for each in self.entrants if each.is_in and round not in each.absences]


def rank_forfeit(entrants: Sequence[int], losers: Collection[int]) -> tuple[int, ...]:
    """The rank of each seat when these entrants lose by forfeit: the others share the first place, they the last.

    >>> rank_forfeit((4, 7, 9), [7, 9]), rank_forfeit((4, 7), [4, 7])
    ((1, 3, 3), (2, 2))
    """
    return tuple(len(entrants) if each in losers else 1 for each in entrants)


def find_game(state: Tournament, place: tuple[int, int, int]) -> Game | None:
    """The game with these numbers of round, board and game; None if there is none."""
    round, board, game = place
    if not 1 <= round <= len(state.rounds):
        return None
    boards = state.rounds[round - 1].games
    return boards[board - 1][game - 1] if 1 <= board <= len(boards) and 1 <= game <= len(boards[board - 1]) else None


def replace_game(state: Tournament, changed_game: Game) -> Tournament:
    """The tournament with this version of a game."""
    number, board, game, *_ = changed_game
    round = state.rounds[number - 1]
    games = round.games[board - 1]
    changed = (*games[: game - 1], changed_game, *games[game:])
    boards = (*round.games[: board - 1], changed, *round.games[board:])
    rounds = (*state.rounds[: number - 1], round._replace(games=boards), *state.rounds[number:])
    return replace(state, rounds=rounds)
