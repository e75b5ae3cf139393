"""The events that each command of a tournament leads to, or its refusal."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from plyscribe.domain.aggregate import Aggregate, Opening, declare
from plyscribe.domain.bots import require_build
from plyscribe.domain.chain import canonical_json
from plyscribe.domain.commands import Command
from plyscribe.domain.deadlines import parse_limits
from plyscribe.domain.errors import MoveError, Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, BuiltIn, Guest
from plyscribe.domain.player import is_printable
from plyscribe.domain.ruleset import AnyRuleset, Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.commands import (
    AbortTournament,
    AnnounceAbsence,
    AnnulGame,
    CreateTournament,
    EndTournament,
    EnterResult,
    NoteFailure,
    PairRound,
    RegisterEntrant,
    StartTournament,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.events import (
    AttemptFailed,
    EntrantAbsent,
    EntrantRegistered,
    EntrantWithdrawn,
    GameAnnulled,
    GameDecided,
    RoundPaired,
    TournamentAborted,
    TournamentCreated,
    TournamentEnded,
    TournamentEvent,
    TournamentStarted,
)
from plyscribe.domain.tournament.sprt import DEFAULTS, parse_hypotheses
from plyscribe.domain.tournament.state import Game, Tournament, evolve_tournament, find_game
from plyscribe.domain.tournament.terms import MAX_ROUNDS, list_seatings, parse_format, parse_scoring, parse_tiebreaks

MAX_ENTRANTS = 1024
MAX_NAME_LENGTH = 100
MAX_OPENINGS = 1000
MAX_OPENING_BYTES = 32 * 1024
MAX_CAUSE_LENGTH = 200


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
    parse_hypotheses(raw)
    return {**DEFAULTS, **raw}


def _decide_register(command: RegisterEntrant, state: Tournament) -> list[Any]:
    terms, is_organiser = state.terms, _is_organiser(command)
    _require_status(state, "open", *(["playing"] if terms.format["kind"] == "swiss" else []))
    match command.occupant:
        case Account(player):
            if player != command.actor.id:
                raise WrongPerson("entrant/not-yours", "a player must enter with its own token")
            if not (terms.is_open or is_organiser):
                raise WrongPerson("entrant/closed", "only the organiser can enter players in this tournament")
            if any(each.occupant == command.occupant for each in state.entrants):
                raise WrongTime("entrant/entered", "you have already entered")
        case BuiltIn() as bot:
            _require_organiser(command)
            require_build(bot)
        case Guest():
            raise WrongValue("entrant/guest", "an entrant must be an account or a bot of the server")
    if len(state.entrants) >= terms.max_entrants:
        raise WrongTime("entrant/full", f"the tournament already has {terms.max_entrants} entrants, the most it takes")
    label = command.label
    if label is not None and not (1 <= len(label) <= MAX_NAME_LENGTH and is_printable(label)):
        raise WrongValue("entrant/label", f"a label must have 1 to {MAX_NAME_LENGTH} printable characters")
    return [EntrantRegistered(len(state.entrants) + 1, command.occupant, label)]


def _decide_withdraw(command: WithdrawEntrant, state: Tournament) -> list[Any]:
    _require_status(state, "open", "playing")
    cause = _require_entrant(command, command.entrant, state)
    return [EntrantWithdrawn(command.entrant, cause)]


def _decide_absence(command: AnnounceAbsence, state: Tournament) -> list[Any]:
    _require_status(state, "open", "playing")
    _require_entrant(command, command.entrant, state)
    if not len(state.rounds) < command.round <= len(state.rounds) + MAX_ROUNDS:
        raise WrongTime("entrant/absence", f"round {command.round} is already paired, or too far ahead")
    if command.round in state.entrants[command.entrant - 1].absences:
        raise WrongTime("entrant/absence", f"entrant {command.entrant} already sits out round {command.round}")
    return [EntrantAbsent(command.entrant, command.round)]


def _require_entrant(command: Command, number: int, state: Tournament) -> str:
    """Who acts for the entrant: "entrant" or "organiser"; Refusal for anyone else, and when the entrant is not in."""
    if not 1 <= number <= len(state.entrants):
        raise Unknown("entrant/unknown", f"there is no entrant {number}: the last one is {len(state.entrants)}")
    entrant = state.entrants[number - 1]
    is_own = entrant.occupant == Account(command.actor.id)
    if not (is_own or _is_organiser(command)):
        raise WrongPerson("entrant/not-yours", f"you are not entrant {number}")
    if not entrant.is_in:
        raise WrongTime("entrant/out", f"entrant {number} has withdrawn")
    return "entrant" if is_own else "organiser"


def _decide_start(command: StartTournament, state: Tournament) -> list[Any]:
    _require_organiser(command)
    _require_status(state, "open")
    present, seats = sum(each.is_in for each in state.entrants), state.terms.seats
    if present < seats:
        raise WrongTime("tournament/too-few", f"too few entrants: {present}, and a match needs {seats}")
    if state.terms.sprt is not None and not present == len(state.entrants) == 2:
        raise WrongTime(
            "tournament/too-many", f"a sequential test needs two entrants, and {len(state.entrants)} entered"
        )
    return [TournamentStarted()]


def _decide_pair(command: PairRound, state: Tournament) -> list[Any]:
    _require_system(command)
    _require_status(state, "playing")
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
    _require_system(command)
    _require_status(state, "playing")
    game = _require_game(state, command.round, command.board, command.game)
    if game.ranks is not None:
        raise WrongTime("tournament/decided", f"{game.match} already decided the game")
    if len(command.ranks) != state.terms.seats:
        raise WrongValue("tournament/ranks", f"a game needs {state.terms.seats} ranks")
    place = (command.round, command.board, command.game)
    return [GameDecided(*place, command.match, command.ranks, command.reason, command.made_at, command.left)]


def _decide_failure(command: NoteFailure, state: Tournament) -> list[Any]:
    _require_system(command)
    _require_status(state, "playing")
    game = _require_game(state, command.round, command.board, command.game)
    if game.ranks is not None or command.match in [each.match for each in game.failed]:
        raise WrongTime("tournament/decided", f"{command.match} is not the match being played")
    place = (command.round, command.board, command.game)
    return [AttemptFailed(*place, command.match, command.cause, command.why[:MAX_CAUSE_LENGTH], command.made_at)]


def _decide_annul(command: AnnulGame, state: Tournament) -> list[Any]:
    _require_organiser(command)
    _require_status(state, "playing", "ended")
    game = _require_game(state, command.round, command.board, command.game)
    if not game.counts:
        raise WrongTime("tournament/not-decided", "the game does not count")
    _check_cause(command.why)
    return [GameAnnulled(command.round, command.board, command.game, command.why)]


def _require_game(state: Tournament, *place: int) -> Game:
    round, board, game = place
    found = find_game(state, (round, board, game))
    if found is None:
        raise Unknown("tournament/no-game", f"there is no game {game} on board {board} of round {round}")
    return found


def _decide_end(command: EndTournament, state: Tournament) -> list[Any]:
    _require_system(command)
    _require_status(state, "playing")
    if not all(round.is_decided for round in state.rounds):
        raise WrongTime("tournament/round", "a round is still being played")
    return [TournamentEnded(command.reason)]


def _decide_abort(command: AbortTournament, state: Tournament) -> list[Any]:
    _require_organiser(command)
    _require_status(state, "open", "playing")
    _check_cause(command.cause)
    return [TournamentAborted(command.cause)]


def _check_cause(cause: str) -> None:
    if not (1 <= len(cause) <= MAX_CAUSE_LENGTH and is_printable(cause)):
        raise WrongValue("tournament/cause", f"a cause must have 1 to {MAX_CAUSE_LENGTH} printable characters")


def _require_status(state: Tournament, *allowed: str) -> None:
    if state.status not in allowed:
        raise WrongTime("tournament/status", f"the tournament is {state.status}", tournament_status=state.status)


def _is_organiser(command: Command) -> bool:
    """Whether the actor organises the tournament; the caller has checked the actor's token."""
    return command.actor.role == "organiser"


def _require_organiser(command: Command) -> None:
    if not _is_organiser(command):
        raise WrongPerson("tournament/not-yours", "only the organiser of the tournament may do this")


def _require_system(command: Command) -> None:
    if command.actor.role != "system":
        raise WrongPerson("tournament/not-yours", "only the server may do this")


TOURNAMENT: Aggregate[Tournament] = declare(
    "tournament",
    Tournament,
    TournamentEvent,
    evolve_tournament,
    {
        CreateTournament: _decide_create,
        RegisterEntrant: _decide_register,
        WithdrawEntrant: _decide_withdraw,
        AnnounceAbsence: _decide_absence,
        StartTournament: _decide_start,
        PairRound: _decide_pair,
        EnterResult: _decide_result,
        NoteFailure: _decide_failure,
        AnnulGame: _decide_annul,
        EndTournament: _decide_end,
        AbortTournament: _decide_abort,
    },
    Opening(CreateTournament, exists="tournament/exists", unknown="tournament/unknown"),
    first=TournamentCreated,
)
