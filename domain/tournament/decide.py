"""The events that each command of a tournament leads to, or its refusal."""

from collections.abc import Mapping
from typing import Any

from plyscribe.domain.aggregate import Aggregate, Opening, declare
from plyscribe.domain.chain import canonical_json
from plyscribe.domain.decide.opening import is_ratable
from plyscribe.domain.errors import MoveError, WrongTime, WrongValue
from plyscribe.domain.limits import parse_limits
from plyscribe.domain.names import describe_names, is_name
from plyscribe.domain.ruleset import AnyRuleset, Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.assigning import check_teams, decide_assign
from plyscribe.domain.tournament.authority import decide_dismiss, decide_name
from plyscribe.domain.tournament.commands import (
    AbortTournament,
    AdjudicateGame,
    AnnounceAbsence,
    AnnulGame,
    AnswerCall,
    AssignEntrant,
    CallArbiter,
    CallRound,
    CancelAbsence,
    ChallengeEntrant,
    CloseTournament,
    CorrectGame,
    CreateTournament,
    DismissArbiter,
    EndInvitation,
    EndRequest,
    EndTournament,
    EnterBuild,
    EnterResult,
    ExtendDeadline,
    ForfeitGame,
    GivePenalty,
    InviteEntrant,
    LiftPenalty,
    NameArbiter,
    NoteFailure,
    PairByHand,
    PairRound,
    PassDeadline,
    PauseTournament,
    RegisterEntrant,
    ReplayGame,
    ReportResult,
    RequestEntry,
    ResumeTournament,
    RetryGame,
    ReturnEntrant,
    RevokeEntryLinks,
    RevokeTableCodes,
    SeedEntrant,
    StartTournament,
    TakeBackRound,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.conditions import (
    MAX_CAUSE_LENGTH,
    MAX_NAME_LENGTH,
    check_cause,
    require_game,
    require_organiser,
    require_owner,
    require_status,
    require_system,
)
from plyscribe.domain.tournament.due_dates import decide_extend, decide_pass
from plyscribe.domain.tournament.entering import (
    decide_absence,
    decide_end_invitation,
    decide_end_request,
    decide_invite,
    decide_presence,
    decide_register,
    decide_request,
    decide_return,
    decide_revoke_links,
    decide_seed,
    decide_withdraw,
)
from plyscribe.domain.tournament.entrant_builds import decide_enter_build
from plyscribe.domain.tournament.events import (
    AttemptFailed,
    GameDecided,
    TournamentAborted,
    TournamentCreated,
    TournamentEnded,
    TournamentEvent,
    TournamentStarted,
)
from plyscribe.domain.tournament.evolve import evolve_tournament
from plyscribe.domain.tournament.groups import KIND, require_groups
from plyscribe.domain.tournament.ladder import decide_challenge, decide_close
from plyscribe.domain.tournament.rounds import (
    decide_call,
    decide_pair,
    decide_pair_by_hand,
    decide_pause,
    decide_resume,
    decide_revoke_codes,
    decide_take_back,
)
from plyscribe.domain.tournament.rulings import (
    decide_adjudicate,
    decide_annul,
    decide_answer,
    decide_arbiter_call,
    decide_correct,
    decide_forfeit,
    decide_lift,
    decide_penalty,
    decide_replay,
    decide_report,
    decide_retry,
)
from plyscribe.domain.tournament.sprt import format_hypotheses
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.terms import (
    MAX_ENTRANTS,
    ROUNDS_BEGIN,
    WITH_DEADLINES,
    list_seatings,
    parse_format,
    parse_scoring,
    parse_tiebreaks,
)

MAX_OPENINGS = 1000
MAX_OPENING_BYTES = 32 * 1024


def _decide_create(command: CreateTournament, _: Tournament) -> list[Any]:
    if not is_name(command.name, MAX_NAME_LENGTH):
        raise WrongValue("tournament/name", f"a name must have {describe_names(MAX_NAME_LENGTH)}")
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
    _check_kind(command, ruleset, options)
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
            limits=None if command.limits is None else parse_limits(command.limits, command.seats),
            sprt=None if command.sprt is None else _complete_test(command.sprt, command.seats, games),
            max_entrants=command.max_entrants,
            is_open=command.is_open,
            rounds_begin=command.rounds_begin,
            at_table=command.at_table,
            rated=command.rated,
            private=command.private,
            seed=command.seed,
            server=command.server,
        )
    ]


def _check_kind(command: CreateTournament, ruleset: AnyRuleset, options: Mapping[str, Any]) -> None:
    """WrongValue if the tournament cannot be rated or played at tables as it is asked for."""
    if command.rounds_begin not in ROUNDS_BEGIN:
        allowed = ", ".join(ROUNDS_BEGIN)
        raise WrongValue("tournament/rounds-begin", f"rounds_begin is {command.rounds_begin!r}; allowed: {allowed}")
    if command.format.get("kind") in WITH_DEADLINES and command.rounds_begin != "auto":
        why = "the rounds of such a tournament begin at their dates, and nobody calls them"
        raise WrongValue("tournament/rounds-begin", why)
    if command.at_table and command.limits is not None:
        raise WrongValue("limits/recorded", "a tournament at the table has no limits: each table keeps its own clock")
    if command.limits is not None and command.limits.get("seats"):
        raise WrongValue("limits/odds", "in a tournament all seats have the same limits: entrants change seats")
    if not command.rated:
        return
    if command.at_table:
        raise WrongValue("rated/recorded", "matches recorded at a table are not rated: every seat plays by itself")
    if command.private:
        raise WrongValue("rated/private", "a rated match is public: its outcome shows in the ratings")
    if command.openings:
        raise WrongValue("rated/fork", "a match that begins with moves of an opening is not rated")
    if not is_ratable(ruleset, dict(options)):
        allowed = ", ".join(["the defaults", *ruleset.presets])
        raise WrongValue("rated/options", f"a rated match has standard options: {allowed}")


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


def _complete_test(raw: Mapping[str, Any], seats: int, games: int) -> dict[str, Any]:
    if seats > 2 and games == 1:
        raise WrongValue(
            "tournament/sprt", "a sequential test with more than two seats needs rotations or permutations"
        )
    return format_hypotheses(raw)


def _decide_start(command: StartTournament, state: Tournament) -> list[Any]:
    require_organiser(command, state)
    require_status(state, "open")
    present, seats = sum(each.is_in for each in state.entrants), state.terms.seats
    if present < seats:
        raise WrongTime("tournament/too-few", f"too few entrants: {present}, and a match needs {seats}")
    if state.terms.format["kind"] == KIND:
        require_groups(state.terms.format, present)
    if state.terms.sprt is not None and not present == len(state.entrants) == seats:
        why = f"a sequential test needs {seats} entrants, one for each seat, and {len(state.entrants)} entered"
        raise WrongTime("tournament/too-many", why)
    check_teams(state)
    return [TournamentStarted()]


def _decide_result(command: EnterResult, state: Tournament) -> list[Any]:
    require_system(command)
    require_status(state, "playing")
    game = require_game(state, command.round, command.board, command.game)
    if game.ranks is not None:
        by = game.match or "the organiser"
        raise WrongTime("tournament/decided", f"{by} already decided the game")
    if len(command.ranks) != state.terms.seats:
        raise WrongValue("tournament/ranks", f"a game needs {state.terms.seats} ranks")
    decided = GameDecided(
        command.round,
        command.board,
        command.game,
        command.match,
        command.ranks,
        command.reason,
        command.made_at,
        command.left,
        command.builds,
    )
    return [decided]


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
    require_owner(command)
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
        NameArbiter: decide_name,
        DismissArbiter: decide_dismiss,
        InviteEntrant: decide_invite,
        EndInvitation: decide_end_invitation,
        RequestEntry: decide_request,
        EndRequest: decide_end_request,
        RevokeEntryLinks: decide_revoke_links,
        RegisterEntrant: decide_register,
        SeedEntrant: decide_seed,
        AssignEntrant: decide_assign,
        EnterBuild: decide_enter_build,
        WithdrawEntrant: decide_withdraw,
        ReturnEntrant: decide_return,
        AnnounceAbsence: decide_absence,
        CancelAbsence: decide_presence,
        StartTournament: _decide_start,
        PauseTournament: decide_pause,
        ResumeTournament: decide_resume,
        CallRound: decide_call,
        PairRound: decide_pair,
        PairByHand: decide_pair_by_hand,
        TakeBackRound: decide_take_back,
        RevokeTableCodes: decide_revoke_codes,
        ReportResult: decide_report,
        EnterResult: _decide_result,
        NoteFailure: _decide_failure,
        RetryGame: decide_retry,
        AdjudicateGame: decide_adjudicate,
        ForfeitGame: decide_forfeit,
        ChallengeEntrant: decide_challenge,
        CloseTournament: decide_close,
        ExtendDeadline: decide_extend,
        PassDeadline: decide_pass,
        CorrectGame: decide_correct,
        ReplayGame: decide_replay,
        AnnulGame: decide_annul,
        CallArbiter: decide_arbiter_call,
        AnswerCall: decide_answer,
        GivePenalty: decide_penalty,
        LiftPenalty: decide_lift,
        EndTournament: _decide_end,
        AbortTournament: _decide_abort,
    },
    Opening(CreateTournament, exists="tournament/exists", unknown="tournament/unknown"),
    first=TournamentCreated,
)
