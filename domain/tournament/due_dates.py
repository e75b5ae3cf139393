"""The dates of leagues: when a round may begin, by when its games are to be decided, and what happens then.

All times are UTC milliseconds. No date passes while a tournament is paused.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.tournament.commands import ExtendDeadline, PassDeadline
from plyscribe.domain.tournament.conditions import (
    check_cause,
    parse_losers,
    require_game,
    require_organiser,
    require_status,
    require_system,
    require_uninvolved,
)
from plyscribe.domain.tournament.events import DeadlineExtended, GameForfeited
from plyscribe.domain.tournament.state import Game, Round, Tournament
from plyscribe.domain.tournament.terms import WITH_DEADLINES

DAY_MS = 24 * 60 * 60 * 1000
LATE_MS = 60 * 60 * 1000
"""A round that begins later than this after its date has its full time from then on."""

MAX_DAYS = 90
LONGEST_MS = 366 * DAY_MS
"""No deadline is extended further than this ahead."""

UNPLAYED = "it was not played by its deadline"
"""Why a game is forfeited at its deadline."""


class Due(NamedTuple):
    """An undecided game, and when it is to be decided."""

    game: Game
    at: int


def has_deadlines(state: Tournament) -> bool:
    """Whether its games are to be decided by deadlines."""
    return state.terms.format["kind"] in WITH_DEADLINES


def find_next_begin(state: Tournament) -> int | None:
    """When the next round may begin, once the tournament has started; None if no date holds it back."""
    format = state.terms.format
    if format["kind"] != "league":
        return None
    if not state.rounds:
        begins_at: int | None = format["begins_at"]
        return begins_at
    return None if format["next_round"] == "early" else state.rounds[-1].ends_at


def is_begun(state: Tournament, now_ms: int) -> bool:
    """Whether the date of the next round has come."""
    begin = find_next_begin(state)
    return begin is None or begin <= now_ms


def require_begun(state: Tournament, now_ms: int) -> None:
    """WrongTime unless the date of the next round has come."""
    if not is_begun(state, now_ms):
        raise WrongTime("tournament/round", f"round {len(state.rounds) + 1} does not begin yet")


def find_deadline(state: Tournament, now_ms: int) -> int | None:
    """By when the games of the next round are to be decided, if it is paired now; None without deadlines.

    That follows from its date, so that weeks stay weeks. A round that begins late has its full time.
    """
    if state.terms.format["kind"] != "league":
        return None
    begin = find_next_begin(state)
    start = now_ms if begin is None or now_ms > begin + LATE_MS else begin
    return start + int(state.terms.format["round_days"]) * DAY_MS


def list_due(state: Tournament) -> Iterator[Due]:
    """The games that wait for their deadlines, in the order of rounds. One that is given up waits for a person."""
    for round in state.open_rounds if has_deadlines(state) else ():
        for games, at in zip(round.games, round.deadlines, strict=True):
            yield from (Due(game, at) for game in games if game.ranks is None and not game.is_given_up)


def find_next_due(state: Tournament) -> int | None:
    """When the next deadline passes; None if there is none now."""
    if state.status != "playing" or state.paused is not None:
        return None
    return min((due.at for due in list_due(state)), default=None)


def find_game_deadline(round: Round, board: int) -> int | None:
    """By when the games of the board are to be decided; None without deadlines."""
    return round.deadlines[board - 1] if round.deadlines else None


def decide_extend(command: ExtendDeadline, state: Tournament) -> list[Any]:
    """See ExtendDeadline. Nobody does it for a board where they sit."""
    require_organiser(command, state)
    require_status(state, "playing")
    if not has_deadlines(state):
        raise WrongTime("tournament/no-deadline", "the games of this tournament have no deadlines")
    if not 1 <= command.days <= MAX_DAYS:
        raise WrongValue("tournament/days", f"extend a deadline by 1..{MAX_DAYS} days, not {command.days}")
    check_cause(command.why)
    require_game(state, command.round, command.board or 1, 1)
    round = state.rounds[command.round - 1]
    boards = range(1, len(round.boards) + 1) if command.board is None else [command.board]
    undecided = [board for board in boards if any(game.ranks is None for game in round.games[board - 1])]
    if not undecided:
        raise WrongTime("tournament/decided", "all these games are decided")
    for board in undecided:
        require_uninvolved(command, state, round.games[board - 1][0])
    if any(round.deadlines[board - 1] + command.days * DAY_MS > command.at + LONGEST_MS for board in undecided):
        raise WrongValue("tournament/days", "a deadline lies at most a year ahead")
    return [DeadlineExtended(command.round, command.board, command.days, command.why)]


def decide_pass(command: PassDeadline, state: Tournament) -> list[Any]:
    """See PassDeadline. The rule of the terms says who loses."""
    require_system(command)
    require_status(state, "playing")
    game = require_game(state, command.round, command.board, command.game)
    if game.ranks is not None:
        raise WrongTime("tournament/decided", "the game is decided")
    at = find_game_deadline(state.rounds[command.round - 1], command.board)
    if at is None or state.paused is not None or command.at < at:
        raise WrongTime("tournament/round", "the deadline of the game has not passed")
    losers = parse_losers(game, command.entrants)
    return [GameForfeited(command.round, command.board, command.game, losers, UNPLAYED)]


def extend_deadlines(state: Tournament, number: int, board: int | None, days: int) -> Tournament:
    """The tournament with so many days more for the board of a round, or for all of its boards."""
    round = state.rounds[number - 1]
    longer = tuple(at + days * DAY_MS if board in (None, place) else at for place, at in enumerate(round.deadlines, 1))
    return replace_round(state, round._replace(deadlines=longer))


def shift_dates(state: Tournament, by_ms: int) -> Tournament:
    """The tournament with all dates to come so much later."""
    for round in {each.number: each for each in (*state.open_rounds, *state.rounds[-1:])}.values():
        ends_at = None if round.ends_at is None else round.ends_at + by_ms
        later = round._replace(ends_at=ends_at, deadlines=tuple(at + by_ms for at in round.deadlines))
        state = replace_round(state, later)
    return state


def replace_round(state: Tournament, round: Round) -> Tournament:
    """The tournament with this version of a round."""
    return replace(state, rounds=(*state.rounds[: round.number - 1], round, *state.rounds[round.number :]))
