"""The course of the rounds: pausing, calling and pairing a round, and taking it back."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.tournament.commands import (
    CallRound,
    PairByHand,
    PairRound,
    PauseTournament,
    ResumeTournament,
    RevokeTableCodes,
    TakeBackRound,
)
from plyscribe.domain.tournament.conditions import (
    check_cause,
    require_game,
    require_organiser,
    require_status,
    require_system,
)
from plyscribe.domain.tournament.due_dates import find_deadline, require_begun
from plyscribe.domain.tournament.events import (
    RoundCalled,
    RoundPaired,
    RoundTakenBack,
    TableCodesRevoked,
    TournamentPaused,
    TournamentResumed,
)
from plyscribe.domain.tournament.evolve import BY_HAND
from plyscribe.domain.tournament.history import describe_costs
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.terms import TEAM_FORMATS

Boards = Sequence[Sequence[int]]

BRACKETED = ("knockout", "gauntlet", "pyramid", "groups", "league", "ladder", *TEAM_FORMATS)
"""The formats whose rounds nobody can pair by hand: they follow a plan, or teams meet on all their boards."""


def decide_pause(command: PauseTournament, state: Tournament) -> list[Any]:
    """See PauseTournament."""
    require_organiser(command, state)
    require_status(state, "playing")
    if state.paused is not None:
        raise WrongTime("tournament/paused", f"the tournament is paused already: {state.paused}")
    check_cause(command.why)
    return [TournamentPaused(command.why, command.matches)]


def decide_resume(command: ResumeTournament, state: Tournament) -> list[Any]:
    """See ResumeTournament."""
    require_organiser(command, state)
    require_status(state, "playing")
    if state.paused is None:
        raise WrongTime("tournament/not-paused", "the tournament is not paused")
    return [TournamentResumed()]


def decide_call(command: CallRound, state: Tournament) -> list[Any]:
    """See CallRound."""
    require_organiser(command, state)
    require_status(state, "playing")
    if state.terms.rounds_begin != "call":
        raise WrongTime("tournament/not-called", "the rounds of this tournament begin by themselves")
    _require_next(command.round, state)
    if state.called >= command.round:
        raise WrongTime("tournament/called", f"round {command.round} has been called already")
    return [RoundCalled(command.round)]


def decide_pair(command: PairRound, state: Tournament) -> list[Any]:
    """See PairRound. Refused if the tournament has changed since the pairing was computed."""
    require_system(command)
    require_status(state, "playing")
    if not state.may_pair(command.round):
        raise WrongTime("tournament/round", f"round {command.round} cannot be paired now")
    present = state.list_present(command.round)
    placed = _check_boards(command.boards, command.byes, state)
    if not placed <= set(present):
        # They withdrew or announced an absence after the pairing was computed.
        raise WrongTime("tournament/round", f"these entrants are not present: {sorted(placed - set(present))}")
    require_begun(state, command.at)
    absent, deadline = tuple(state.list_absent(command.round)), find_deadline(state, command.at)
    return [RoundPaired(command.round, command.boards, command.byes, absent, command.costs, command.engine, deadline)]


def decide_pair_by_hand(command: PairByHand, state: Tournament) -> list[Any]:
    """See PairByHand. Everybody present has a board or a bye."""
    require_organiser(command, state)
    require_status(state, "playing")
    if state.terms.format["kind"] in BRACKETED:
        raise WrongTime(
            "tournament/by-hand", f"a {state.terms.format['kind']} follows its plan: no round is paired by hand"
        )
    _require_next(command.round, state)
    check_cause(command.why)
    check_placed(command.boards, command.byes, state)
    costs = {**describe_costs(state, command.boards, command.byes), "why": command.why}
    absent = tuple(state.list_absent(command.round))
    return [RoundPaired(command.round, command.boards, command.byes, absent, costs, BY_HAND)]


def check_placed(boards: Boards, byes: Sequence[int], state: Tournament) -> None:
    """WrongValue unless everybody present in the next round, and nobody else, has a place on a board or a bye."""
    placed = _check_boards(boards, byes, state)
    present = set(state.list_present(len(state.rounds) + 1))
    if placed - present:
        why = f"these entrants are not present: {sorted(placed - present)}"
        raise WrongValue("tournament/pairing", f"{why}; cancel their absence first if they are here")
    if present - placed:
        why = f"these entrants have neither a board nor a bye: {sorted(present - placed)}"
        raise WrongValue("tournament/pairing", why)


def _check_boards(boards: Boards, byes: Sequence[int], state: Tournament) -> set[int]:
    """All entrants who are placed; WrongValue if a board is not full or somebody is placed twice."""
    placed = [*chain.from_iterable(boards), *byes]
    if any(len(board) != state.terms.seats for board in boards) or len(set(placed)) < len(placed):
        why = f"each board needs {state.terms.seats} entrants, and nobody may be paired twice"
        raise WrongValue("tournament/pairing", why)
    return set(placed)


def _require_next(round: int, state: Tournament) -> None:
    """WrongTime unless this is the next round and all games before are decided."""
    number = len(state.rounds) + 1
    if round != number:
        raise WrongTime("tournament/round", f"the next round is {number}, not {round}")
    if state.rounds and not state.rounds[-1].is_decided:
        raise WrongTime("tournament/round", f"round {number - 1} is still being played")


def decide_take_back(command: TakeBackRound, state: Tournament) -> list[Any]:
    """See TakeBackRound."""
    require_organiser(command, state)
    require_status(state, "playing")
    if state.terms.format["kind"] == "ladder":
        why = "no challenge of a ladder is taken back"
        raise WrongTime("challenge/final", f"{why}: adjudicate it, or let somebody forfeit")
    if not state.rounds or command.round != len(state.rounds):
        raise WrongTime("tournament/round", f"only the last round can be taken back: {len(state.rounds) or 'none'}")
    last = state.rounds[-1]
    if any(game.ranks is not None for games in last.games for game in games):
        why = f"a game of round {last.number} has a result"
        raise WrongTime("tournament/round-begun", f"{why}: the round can be taken back only before")
    check_cause(command.why)
    return [RoundTakenBack(command.round, command.why)]


def decide_revoke_codes(command: RevokeTableCodes, state: Tournament) -> list[Any]:
    """See RevokeTableCodes."""
    require_organiser(command, state)
    require_status(state, "playing")
    if (command.round is None) != (command.board is None):
        raise WrongValue("tournament/board", "name both the round and the board, or neither for all boards")
    if command.round is not None and command.board is not None:
        require_game(state, command.round, command.board, 1)
    check_cause(command.why)
    return [TableCodesRevoked(command.round, command.board, command.why)]
