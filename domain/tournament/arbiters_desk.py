"""The arbiter's desk: how each game of a round stands, what an arbiter can do about it, and what the next round needs.

Everything here follows from the tournament, the matches of the round and the present time.
"""

from collections.abc import Mapping
from typing import NamedTuple

from plyscribe.domain.deadlines import find_deadline, time_left, time_stopped
from plyscribe.domain.events import RecordedDice
from plyscribe.domain.match import Match, Play
from plyscribe.domain.ruleset import Decision, Roll
from plyscribe.domain.tournament.state import Game, Round, Tournament

STATES = (
    "given-up",
    "damaged",
    "overdue",
    "not-begun",
    "quiet",
    "paused",
    "failed",
    "unconfirmed",
    "checking",
    "waiting",
    "playing",
    "annulled",
    "decided",
)
"""How a game stands, in the order in which an arbiter looks at them.

It failed too often; its match cannot be read; the time of the seat on turn is over; no step is made or recorded yet;
no step for QUIET_MS; an arbiter paused it; its match came to nothing and is made again; it ended and its record can
still be corrected; it ended and waits for the second execution; its match is about to be made; it is being played; it
was annulled; it has a result.
"""

GRACE_MS = 5 * 60 * 1000
"""How long a match may take to begin before somebody should look."""

QUIET_MS = 15 * 60 * 1000
"""How long a match without limits may stand still before somebody should look."""

FAILED = ("refuted", "aborted", "annulled")

Place = tuple[int, int]
"""A board and the number of its game, within a round."""


class GameOnDesk(NamedTuple):
    """How a game stands. Times are UTC milliseconds.

    `is_due` says whether an arbiter should look at it now.
    """

    state: str
    is_due: bool
    ply: int = 0
    begun_at: int | None = None
    """When its match was made."""

    changed_at: int | None = None
    """When something last happened in its match, or when it was decided."""

    on_turn: int | None = None
    """The entrant whose move or roll it is."""

    missing: tuple[int, ...] = ()
    """The entrants who have done nothing yet, as far as that is known: at a table it is everybody on the board."""

    deadline: int | None = None
    """When the time of the entrant on turn is over."""

    left_ms: tuple[int | None, ...] = ()
    """By seat, the time left for the match, None without such a limit; in a pause, for the decision that is due."""

    paused: str | None = None
    """Why its match is paused."""

    last_move: str | None = None


def describe_desk(
    state: Tournament, number: int, matches: Mapping[Place, Match], now_ms: int
) -> dict[Place, GameOnDesk]:
    """How each game of the round stands, in the order of boards. `matches` has the matches of undecided games."""
    seen = {
        (game.board, game.game): (game, _look_at(state, game, matches.get((game.board, game.game)), now_ms))
        for games in state.rounds[number - 1].games
        for game in games
    }
    return {place: look._replace(is_due=look.is_due or game.call is not None) for place, (game, look) in seen.items()}


def _look_at(state: Tournament, game: Game, match: Match | None, now_ms: int) -> GameOnDesk:
    if game.ranks is not None:
        return GameOnDesk("decided" if game.counts else "annulled", False, changed_at=game.decided_at)
    if game.is_given_up:
        return GameOnDesk("given-up", True, changed_at=game.failed[-1].at)
    if match is None or match.lifecycle is None:
        return GameOnDesk("waiting", False)
    life, play = match.life, match.play
    known = GameOnDesk("failed", False, play.ply if play else 0, life.created_at, match.at, last_move=_find_last(play))
    if match.fault or play is None:
        return known._replace(state="damaged", is_due=True)
    if life.status in FAILED:
        return known
    if life.outcome is not None:
        return known._replace(state="unconfirmed" if life.awaits_confirmation else "checking")
    return _look_at_play(state, game, match, play, known, now_ms)


def _look_at_play(
    state: Tournament, game: Game, match: Match, play: Play, known: GameOnDesk, now_ms: int
) -> GameOnDesk:
    """A match that is being played."""
    turn, deadline, stopped = match.turn, find_deadline(match), time_stopped(match)
    seat = turn.seat if isinstance(turn, Decision | Roll) else None
    # The server plays the opening, and rolls its own dice.
    by_server = len((match.life.created.tournament or {}).get("opening", ()))
    by_server += 0 if isinstance(match.life.created.dice, RecordedDice) else play.rolls
    playing = known._replace(
        state="playing",
        on_turn=game.entrants[seat - 1] if seat else None,
        deadline=deadline.at if deadline else None,
        left_ms=tuple(
            stopped.left_ms if stopped and stopped.seat == each else time_left(match, each)
            for each in range(1, len(game.entrants) + 1)
        ),
        paused=play.pause.why if play.pause else None,
    )
    if play.pause:
        playing = playing._replace(state="paused")
    elif deadline is not None and deadline.at < now_ms:
        playing = playing._replace(state="overdue", is_due=True)
    elif play.length <= by_server:
        playing = playing._replace(state="not-begun", is_due=now_ms - match.life.created_at > GRACE_MS)
    elif match.life.created.limits is None and now_ms - match.at > QUIET_MS:
        playing = playing._replace(state="quiet", is_due=True)
    return playing._replace(missing=_list_missing(state, game, play, playing))


def _list_missing(state: Tournament, game: Game, play: Play, playing: GameOnDesk) -> tuple[int, ...]:
    if state.terms.at_table:
        return game.entrants if playing.state == "not-begun" else ()
    # Nobody knows of a seat that is not on turn whether somebody sits there.
    seat = game.entrants.index(playing.on_turn) + 1 if playing.on_turn in game.entrants else 0
    has_moved = any(step.seat == seat and not step.is_copied for step in play.steps)
    return () if not seat or has_moved else (game.entrants[seat - 1],)


def _find_last(play: Play | None) -> str | None:
    return play.steps[-1].move if play and play.steps else None


def list_rulings(state: Tournament, game: Game) -> tuple[str, ...]:
    """What an organiser who does not sit on the board can do about the game now, as the API calls it.

    Deciders accept exactly these, as far as the tournament knows: a result is refused while its match has ended.
    """
    if state.status not in ("playing", "ended"):
        return ()
    is_playing = state.status == "playing"
    if game.ranks is not None:
        ways = ("corrections",) + (("annulments",) if game.counts else ())
        return ways + (("replays",) if is_playing and game.round == len(state.rounds) else ())
    if not is_playing:
        return ()
    at_table = ("results",) if state.terms.at_table else ()
    return (*(("retries",) if game.is_given_up else ()), *at_table, "adjudications", "forfeits")


class NextRound(NamedTuple):
    """What the next round waits for. It is paired as soon as it waits for nothing."""

    number: int
    boards: tuple[int, ...]
    """The boards of the last round that have no result yet, ascending."""

    paused: str | None
    """Why the tournament is paused."""

    is_callable: bool
    """Whether an organiser can call it now."""

    waits_for_call: bool
    """Whether an organiser has to call it once all boards have a result."""

    is_end: bool = False
    """Whether it is known that no round is left, so that the tournament ends instead."""


def find_next_round(state: Tournament) -> NextRound | None:
    """What the next round waits for; None unless the tournament is under way. No round may be left."""
    if state.status != "playing":
        return None
    number = len(state.rounds) + 1
    last: tuple[Round, ...] = state.rounds[-1:]
    boards = tuple(
        board
        for round in last
        for board, games in enumerate(round.games, 1)
        if any(game.ranks is None for game in games)
    )
    uncalled = state.terms.rounds_begin == "call" and state.called < number
    format = state.terms.format
    is_end = format["kind"] == "swiss" and number > format["rounds"]
    return NextRound(number, boards, state.paused, uncalled and not boards, uncalled, is_end)
