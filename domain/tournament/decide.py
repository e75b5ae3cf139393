"""The events that each command of a tournament leads to, or its refusal."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from plyscribe.domain.aggregate import Aggregate, Opening, declare
from plyscribe.domain.chain import canonical_json
from plyscribe.domain.deadlines import parse_limits
from plyscribe.domain.errors import MoveError, WrongTime, WrongValue
from plyscribe.domain.names import is_printable
from plyscribe.domain.ruleset import AnyRuleset, Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.commands import (
    AbortTournament,
    AdjudicateGame,
    AnnounceAbsence,
    AnnulGame,
    CreateTournament,
    EndInvitation,
    EndTournament,
    EnterResult,
    ForfeitGame,
    InviteEntrant,
    NoteFailure,
    PairRound,
    RegisterEntrant,
    RetryGame,
    StartTournament,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.conditions import (
    MAX_CAUSE_LENGTH,
    MAX_NAME_LENGTH,
    check_cause,
    require_game,
    require_organiser,
    require_status,
    require_system,
)
from plyscribe.domain.tournament.entering import (
    decide_absence,
    decide_end_invitation,
    decide_invite,
    decide_register,
    decide_withdraw,
)
from plyscribe.domain.tournament.events import (
    AttemptFailed,
    GameDecided,
    RoundPaired,
    TournamentAborted,
    TournamentCreated,
    TournamentEnded,
    TournamentEvent,
    TournamentStarted,
)
from plyscribe.domain.tournament.rulings import decide_adjudicate, decide_annul, decide_forfeit, decide_retry
from plyscribe.domain.tournament.sprt import format_hypotheses
from plyscribe.domain.tournament.state import Tournament, evolve_tournament
from plyscribe.domain.tournament.terms import MAX_ENTRANTS, list_seatings, parse_format, parse_scoring, parse_tiebreaks

MAX_OPENINGS = 1000
MAX_OPENING_BYTES = 32 * 1024


def _decide_create(command: CreateTournament, _: Tournament) -> list[Any]:
    if not (1 <= len(command.name) <= MAX_NAME_LENGTH and is_printable(command.name)):
        raise WrongValue("tournament/name", f"a name must have 1 to {MAX_NAME_LENGTH} printable characters")
    ruleset = find_ruleset(command.ruleset, command.ruleset_version)
    options = ruleset.parse_options(command.options)
    ruleset.initial_state(options, command.seats)
    if not command.seats >= 2:
        raise WrongValue("tournament/seats", "a match of a tournament needs at least two seats")
    if not 2 <= command.max_entrants <= MAX_ENTRANTS:
        raise WrongValue("tournament/entrants", f"max_entrants must be 2..{MAX_ENTRANTS}")
    _check_openings(command.openings)
    if command.openings and ruleset.has_chance(options):
        why = f"{ruleset.id} with these options has dice, so the legal moves depend on the rolls"
        raise WrongValue("tournament/openings", f"openings are for games without chance: {why}")
    for number, moves in enumerate(command.openings, 1):
        _play_opening(ruleset, ruleset.initial_state(options, command.seats), number, moves)
    format = parse_format(command.format, command.seats)
    games = len(list_seatings(command.seats, command.repeat))
    return [
        TournamentCreated(
            name=command.name,
            ruleset=ruleset.id,
            ruleset_version=ruleset.version,
            options=options,
            seats=command.seats,
            format=format,
            repeat=command.repeat,
            openings=command.openings,
            scoring=parse_scoring(command.scoring, command.seats, games),
            tiebreaks=parse_tiebreaks(command.tiebreaks),
            limits=None if command.limits is None else parse_limits(command.limits),
            sprt=None if command.sprt is None else _complete_test(command.sprt, command.seats),
            max_entrants=command.max_entrants,
            is_open=command.is_open,
            seed=command.seed,
            server=command.server,
        )
    ]


def _check_openings(openings: tuple[tuple[str, ...], ...]) -> None:
    length = len(canonical_json([list(moves) for moves in openings]))
    if len(openings) > MAX_OPENINGS or length > MAX_OPENING_BYTES or not all(openings):
        bounds = f"at most {MAX_OPENINGS} lists of moves, none empty, in at most {MAX_OPENING_BYTES} bytes of JSON"
        raise WrongValue("tournament/openings", f"openings must be {bounds}")


def _play_opening(ruleset: AnyRuleset, state: Any, number: int, moves: tuple[str, ...]) -> None:
    for text in moves:
        try:
            state = ruleset.apply_move(state, ruleset.parse_move(state, text))
        except MoveError as error:
            raise WrongValue("tournament/openings", f"opening {number}: {error}") from None
    if isinstance(ruleset.turn(state), Over):
        raise WrongValue("tournament/openings", f"the match is over after opening {number}")


def _complete_test(raw: Mapping[str, Any], seats: int) -> dict[str, Any]:
    if seats != 2:
        raise WrongValue("tournament/sprt", "a sequential test needs two entrants and matches with two seats")
    return format_hypotheses(raw)


def _decide_start(command: StartTournament, state: Tournament) -> list[Any]:
    require_organiser(command)
    require_status(state, "open")
    present, seats = sum(each.is_in for each in state.entrants), state.terms.seats
    if present < seats:
        raise WrongTime("tournament/too-few", f"too few entrants: {present}, and a match needs {seats}")
    if state.terms.sprt is not None and not present == len(state.entrants) == 2:
        raise WrongTime(
            "tournament/too-many", f"a sequential test needs two entrants, and {len(state.entrants)} entered"
        )
    return [TournamentStarted()]


def _decide_pair(command: PairRound, state: Tournament) -> list[Any]:
    require_system(command)
    require_status(state, "playing")
    if command.round != len(state.rounds) + 1 or (state.rounds and not state.rounds[-1].is_decided):
        raise WrongTime("tournament/round", f"round {command.round} cannot be paired now")
    present, seats = state.list_present(command.round), state.terms.seats
    placed = [*chain.from_iterable(command.boards), *command.byes]
    if any(len(board) != seats for board in command.boards) or len(set(placed)) < len(placed):
        raise WrongValue("tournament/pairing", f"each board needs {seats} entrants, and nobody may be paired twice")
    if not set(placed) <= set(present):
        # They withdrew or announced an absence after the pairing was computed.
        raise WrongTime("tournament/round", f"these entrants are not present: {sorted(set(placed) - set(present))}")
    absent = tuple(state.list_absent(command.round))
    return [RoundPaired(command.round, command.boards, command.byes, absent, command.costs, command.engine)]


def _decide_result(command: EnterResult, state: Tournament) -> list[Any]:
    require_system(command)
    require_status(state, "playing")
    game = require_game(state, command.round, command.board, command.game)
    if game.ranks is not None:
        by = game.match or "the organiser"
        raise WrongTime("tournament/decided", f"{by} already decided the game")
    if len(command.ranks) != state.terms.seats:
        raise WrongValue("tournament/ranks", f"a game needs {state.terms.seats} ranks")
    place = (command.round, command.board, command.game)
    return [GameDecided(*place, command.match, command.ranks, command.reason, command.made_at, command.left)]


def _decide_failure(command: NoteFailure, state: Tournament) -> list[Any]:
    require_system(command)
    require_status(state, "playing")
    game = require_game(state, command.round, command.board, command.game)
    if game.ranks is not None or command.match in [each.match for each in game.failed]:
        raise WrongTime("tournament/decided", f"{command.match} is not the match being played")
    place = (command.round, command.board, command.game)
    return [AttemptFailed(*place, command.match, command.cause, command.why[:MAX_CAUSE_LENGTH], command.made_at)]


def _decide_end(command: EndTournament, state: Tournament) -> list[Any]:
    require_system(command)
    require_status(state, "playing")
    if not all(round.is_decided for round in state.rounds):
        raise WrongTime("tournament/round", "a round is still being played")
    return [TournamentEnded(command.reason)]


def _decide_abort(command: AbortTournament, state: Tournament) -> list[Any]:
    require_organiser(command)
    require_status(state, "open", "playing")
    check_cause(command.cause)
    return [TournamentAborted(command.cause)]


TOURNAMENT: Aggregate[Tournament] = declare(
    "tournament",
    Tournament,
    TournamentEvent,
    evolve_tournament,
    {
        CreateTournament: _decide_create,
        InviteEntrant: decide_invite,
        EndInvitation: decide_end_invitation,
        RegisterEntrant: decide_register,
        WithdrawEntrant: decide_withdraw,
        AnnounceAbsence: decide_absence,
        StartTournament: _decide_start,
        PairRound: _decide_pair,
        EnterResult: _decide_result,
        NoteFailure: _decide_failure,
        RetryGame: decide_retry,
        AdjudicateGame: decide_adjudicate,
        ForfeitGame: decide_forfeit,
        AnnulGame: decide_annul,
        EndTournament: _decide_end,
        AbortTournament: _decide_abort,
    },
    Opening(CreateTournament, exists="tournament/exists", unknown="tournament/unknown"),
    first=TournamentCreated,
)
