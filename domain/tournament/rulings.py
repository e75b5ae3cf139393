"""Rulings of organisers on games: annul, try again, adjudicate, forfeit. Nobody rules on a game that they sit in."""

from typing import Any

from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.ruleset import rank_by
from plyscribe.domain.tournament.commands import AdjudicateGame, AnnulGame, ForfeitGame, RetryGame
from plyscribe.domain.tournament.conditions import (
    check_cause,
    require_game,
    require_organiser,
    require_status,
    require_uninvolved,
)
from plyscribe.domain.tournament.events import GameAdjudicated, GameAnnulled, GameForfeited, GameRetried
from plyscribe.domain.tournament.state import Game, Tournament

Ruling = AnnulGame | RetryGame | AdjudicateGame | ForfeitGame


def decide_annul(command: AnnulGame, state: Tournament) -> list[Any]:
    """See AnnulGame."""
    game = _require_ruling(command, state, "playing", "ended")
    if not game.counts:
        raise WrongTime("tournament/not-decided", "the game does not count")
    return [GameAnnulled(command.round, command.board, command.game, command.why)]


def decide_retry(command: RetryGame, state: Tournament) -> list[Any]:
    """See RetryGame."""
    game = _require_ruling(command, state, "playing")
    if not game.is_given_up:
        raise WrongTime("tournament/not-given-up", "the game is not given up: only such a game can be tried again")
    return [GameRetried(command.round, command.board, command.game, command.why)]


def decide_adjudicate(command: AdjudicateGame, state: Tournament) -> list[Any]:
    """See AdjudicateGame. A rank is 1 + the number of seats with a better one, so seats that tie share a rank."""
    _require_undecided(_require_ruling(command, state, "playing"))
    ranks, seats = command.ranks, state.terms.seats
    if len(ranks) != seats or ranks != rank_by([-rank for rank in ranks]):
        why = "each 1 + the number of seats with a better one, so that seats that tie share a rank"
        raise WrongValue("tournament/ranks", f"a game needs {seats} ranks, {why}; not {list(ranks)}")
    return [GameAdjudicated(command.round, command.board, command.game, ranks, command.why)]


def decide_forfeit(command: ForfeitGame, state: Tournament) -> list[Any]:
    """See ForfeitGame. All entrants of a game may forfeit it."""
    game = _require_ruling(command, state, "playing")
    _require_undecided(game)
    losers = tuple(sorted(set(command.entrants)))
    if not losers or len(losers) < len(command.entrants) or not set(losers) <= set(game.entrants):
        why = f"name one or more of the entrants on the board, each once: {sorted(game.entrants)}"
        raise WrongValue("tournament/forfeit", why)
    return [GameForfeited(command.round, command.board, command.game, losers, command.why)]


def _require_ruling(command: Ruling, state: Tournament, *statuses: str) -> Game:
    """The game that the command is about; Refusal unless the actor may rule on it in one of these statuses."""
    require_organiser(command)
    require_status(state, *statuses)
    game = require_game(state, command.round, command.board, command.game)
    require_uninvolved(command, state, game)
    check_cause(command.why)
    return game


def _require_undecided(game: Game) -> None:
    if game.ranks is not None:
        raise WrongTime("tournament/decided", "the game is decided; it can be annulled")
