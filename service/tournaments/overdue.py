"""Decides the games of a tournament that were not played by their deadlines."""

import logging
from collections.abc import Iterator
from contextlib import suppress

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.match import Match
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.tournament.commands import PassDeadline
from plyscribe.domain.tournament.due_dates import Due, find_next_due, list_due
from plyscribe.domain.tournament.ladder import read_challenge
from plyscribe.domain.tournament.state import Game, Tournament
from plyscribe.domain.waiting import find_bot_due
from plyscribe.service.errors import Contended
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command
from plyscribe.service.tournaments.runner import Tournaments

WATCHER = Actor("system", "deadline")
LOOK_AGAIN_MS = 60_000
"""When to look again at a game whose deadline has passed, and which the server itself has to bring on."""

log = logging.getLogger(__name__)


def pass_deadlines(tournaments: Tournaments, matches: Handler[Match], stream: str, now_ms: int) -> int | None:
    """Decide the games that are overdue, and return when to look again (UTC milliseconds); None for never.

    May run at any time, any number of times and in several processes at once. A game whose match has ended is left
    alone, because its result is about to count. So is one in which a bot of the server is to move.
    """
    state = tournaments.read(stream)
    if find_next_due(state) is None:
        return None
    overdue = [due for due in list_due(state) if due.at <= now_ms]
    for due, losers in _find_all_losers(tournaments, matches, state, overdue):
        _pass(tournaments, state, due, losers, now_ms)
    state = tournaments.read(stream)
    left = [due.at for due in list_due(state)]
    return max(min(left), now_ms + LOOK_AGAIN_MS) if any(at <= now_ms for at in left) else find_next_due(state)


def _find_all_losers(
    tournaments: Tournaments, matches: Handler[Match], state: Tournament, overdue: list[Due]
) -> Iterator[tuple[Due, tuple[int, ...]]]:
    for due in overdue:
        losers = find_losers(state, due.game, matches.read(tournaments.match_id(state, due.game)))
        if losers:
            yield due, losers


def find_losers(state: Tournament, game: Game, match: Match) -> tuple[int, ...]:
    """Who loses the game at its deadline by the rule of the terms.

    Nobody does if the server has to bring it on, or while an arbiter has paused the match.
    At a table nobody sees whose move it is, so both lose.
    """
    if match.lifecycle is None or match.fault or match.life.status != "playing" or find_bot_due(match):
        return ()
    if match.play is None or match.play.pause is not None:
        return ()
    turn = match.turn
    if state.terms.format["overdue"] == "challenged":
        return (read_challenge(state.rounds[game.round - 1])[1],)
    if state.terms.at_table or state.terms.format["overdue"] == "both" or not isinstance(turn, Decision):
        return tuple(sorted(game.entrants))
    return (game.entrants[turn.seat - 1],)


def _pass(tournaments: Tournaments, state: Tournament, due: Due, losers: tuple[int, ...], now_ms: int) -> None:
    place = (due.game.round, due.game.board, due.game.game)
    asked = job_command("tournament-deadline", state.stream, *place, due.game.replays, due.at)
    log.info("%s: the deadline of game %s has passed", state.stream, "-".join(map(str, place)))
    command = PassDeadline(
        actor=WATCHER,
        at=now_ms,
        id=asked.id.hex(),
        round=due.game.round,
        board=due.game.board,
        game=due.game.game,
        entrants=losers,
    )
    # Decided, extended or paused in the meantime.
    with suppress(WrongTime, Contended):
        tournaments.handler.execute(state.stream, lambda _: command, asked)
