"""Rulings on games and entrants: annul, try again, adjudicate, forfeit, correct, replay, and penalties.

Organisers and arbiters rule. Nobody rules on a game that they sit in.
"""

from typing import Any

from plyscribe.domain.at_table import list_actors
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.tournament.commands import (
    AdjudicateGame,
    AnnulGame,
    AnswerCall,
    CallArbiter,
    CorrectGame,
    ForfeitGame,
    GivePenalty,
    LiftPenalty,
    ReplayGame,
    ReportResult,
    RetryGame,
)
from plyscribe.domain.tournament.conditions import (
    check_cause,
    check_ranks,
    is_account,
    is_organiser,
    parse_losers,
    parse_result,
    require_entrant,
    require_game,
    require_organiser,
    require_status,
    require_uninvolved,
)
from plyscribe.domain.tournament.events import (
    ArbiterCallAnswered,
    ArbiterCalled,
    GameAdjudicated,
    GameAnnulled,
    GameCorrected,
    GameForfeited,
    GameReplayed,
    GameReported,
    GameRetried,
    PenaltyGiven,
    PenaltyLifted,
)
from plyscribe.domain.tournament.state import Game, Tournament

MAX_PENALTY = 1000
MAX_PENALTIES = 1000

Ruling = AnnulGame | RetryGame | AdjudicateGame | ForfeitGame | CorrectGame | ReplayGame


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
    check_ranks(command.ranks, state.terms.seats)
    return [GameAdjudicated(command.round, command.board, command.game, command.ranks, command.why)]


def decide_forfeit(command: ForfeitGame, state: Tournament) -> list[Any]:
    """See ForfeitGame. All entrants of a game may forfeit it."""
    game = _require_ruling(command, state, "playing")
    _require_undecided(game)
    losers = parse_losers(game, command.entrants)
    return [GameForfeited(command.round, command.board, command.game, losers, command.why)]


def decide_correct(command: CorrectGame, state: Tournament) -> list[Any]:
    """See CorrectGame. The pairings that followed from the old result stay."""
    game = _require_ruling(command, state, "playing", "ended")
    if game.ranks is None:
        raise WrongTime("tournament/not-decided", "the game has no result yet")
    result = parse_result(game, command.ranks, command.forfeited)
    if game.counts and result == (game.ranks, game.forfeited):
        raise WrongTime("tournament/same-result", "the game already has this result")
    return [GameCorrected(command.round, command.board, command.game, *result, command.why)]


def decide_replay(command: ReplayGame, state: Tournament) -> list[Any]:
    """See ReplayGame. Only in the last round, because the next one was paired by the results."""
    game = _require_ruling(command, state, "playing")
    if game.ranks is None:
        raise WrongTime("tournament/not-decided", "the game has no result yet")
    if command.round != len(state.rounds):
        why = f"round {len(state.rounds)} was paired by the result of this game: correct or annul it"
        raise WrongTime("tournament/replay", why)
    return [GameReplayed(command.round, command.board, command.game, command.why)]


def decide_report(command: ReportResult, state: Tournament) -> list[Any]:
    """See ReportResult. Whoever holds a code of the table may report it, and organisers who do not sit there."""
    require_status(state, "playing")
    game = require_game(state, command.round, command.board, command.game)
    if not state.terms.at_table:
        why = "this tournament is played online, and its matches decide"
        raise WrongTime("tournament/not-at-table", f"{why}: an arbiter can adjudicate or forfeit a game")
    if is_organiser(command, state):
        require_uninvolved(command, state, game)
    elif command.actor not in list_actors(command.round, command.board, state.terms.seats):
        raise WrongPerson("tournament/not-yours", "only those at the table and arbiters may enter a result")
    if game.ranks is not None:
        raise WrongTime("tournament/decided", "the game has a result: an arbiter can correct it")
    result = parse_result(game, command.ranks, command.forfeited)
    return [GameReported(command.round, command.board, command.game, *result)]


def decide_arbiter_call(command: CallArbiter, state: Tournament) -> list[Any]:
    """See CallArbiter. The last result is called about after the end, too."""
    require_status(state, "playing", "ended")
    game = require_game(state, command.round, command.board, command.game)
    if command.actor not in list_actors(command.round, command.board, state.terms.seats):
        raise WrongPerson("tournament/not-yours", "an arbiter is called from the table, with its code")
    if game.call is not None:
        raise WrongTime("call/open", "an arbiter is called already")
    check_cause(command.why)
    return [ArbiterCalled(command.round, command.board, command.game, command.why)]


def decide_answer(command: AnswerCall, state: Tournament) -> list[Any]:
    """See AnswerCall. Who sits on the board may answer, because this rules on nothing."""
    require_organiser(command, state)
    require_status(state, "playing", "ended")
    if require_game(state, command.round, command.board, command.game).call is None:
        raise WrongTime("call/none", "nobody at this table calls an arbiter")
    check_cause(command.why)
    return [ArbiterCallAnswered(command.round, command.board, command.game, command.why)]


def decide_penalty(command: GivePenalty, state: Tournament) -> list[Any]:
    """See GivePenalty."""
    _require_judge(command, command.entrant, state)
    if not 0 <= command.points <= MAX_PENALTY:
        raise WrongValue("tournament/penalty", f"a penalty takes 0..{MAX_PENALTY} points, not {command.points}")
    if len(state.penalties) >= MAX_PENALTIES:
        raise WrongTime("tournament/penalties", f"a tournament has at most {MAX_PENALTIES} penalties")
    check_cause(command.why)
    return [PenaltyGiven(len(state.penalties) + 1, command.entrant, command.points, command.why)]


def decide_lift(command: LiftPenalty, state: Tournament) -> list[Any]:
    """See LiftPenalty."""
    if not 1 <= command.penalty <= len(state.penalties):
        raise Unknown("tournament/no-penalty", f"there is no penalty {command.penalty}")
    penalty = state.penalties[command.penalty - 1]
    _require_judge(command, penalty.entrant, state)
    if penalty.lifted is not None:
        raise WrongTime("tournament/lifted", f"penalty {penalty.number} is lifted already")
    check_cause(command.why)
    return [PenaltyLifted(command.penalty, command.why)]


def _require_judge(command: GivePenalty | LiftPenalty, entrant: int, state: Tournament) -> None:
    """Refusal unless the actor may give this entrant a penalty: nobody judges themselves or, as a rival, others."""
    require_organiser(command, state)
    require_status(state, "playing", "ended")
    require_entrant(state, entrant)
    if any(is_account(state, each.number, command.actor.id) for each in state.entrants):
        why = "you play in this tournament: an organiser or arbiter who does not gives and lifts penalties"
        raise WrongPerson("tournament/own-game", why)


def _require_ruling(command: Ruling, state: Tournament, *statuses: str) -> Game:
    """The game that the command is about; Refusal unless the actor may rule on it in one of these statuses."""
    require_organiser(command, state)
    require_status(state, *statuses)
    game = require_game(state, command.round, command.board, command.game)
    require_uninvolved(command, state, game)
    check_cause(command.why)
    return game


def _require_undecided(game: Game) -> None:
    if game.ranks is not None:
        raise WrongTime("tournament/decided", "the game is decided: it can be corrected or annulled")
