"""Folds the events of a tournament."""

from collections import Counter
from dataclasses import replace
from typing import Any

from plyscribe.domain.codec import Event
from plyscribe.domain.commands import parse_actor
from plyscribe.domain.errors import FoldError
from plyscribe.domain.events import Account, BuiltIn, Guest, Occupant
from plyscribe.domain.tournament.due_dates import extend_deadlines, shift_dates
from plyscribe.domain.tournament.events import (
    ArbiterCallAnswered,
    ArbiterCalled,
    ArbiterDismissed,
    ArbiterNamed,
    AttemptFailed,
    BuildEntered,
    ChallengeMade,
    DeadlineExtended,
    EntrantAbsent,
    EntrantAssigned,
    EntrantInvited,
    EntrantPresent,
    EntrantRegistered,
    EntrantReturned,
    EntrantSeeded,
    EntrantWithdrawn,
    EntryLinkRevoked,
    EntryRequested,
    EntryRequestEnded,
    GameAdjudicated,
    GameAnnulled,
    GameCorrected,
    GameDecided,
    GameForfeited,
    GameReplayed,
    GameReported,
    GameRetried,
    InvitationEnded,
    PenaltyGiven,
    PenaltyLifted,
    RoundCalled,
    RoundPaired,
    RoundTakenBack,
    TableCodesRevoked,
    TournamentAborted,
    TournamentClosed,
    TournamentCreated,
    TournamentEnded,
    TournamentEvent,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from plyscribe.domain.tournament.ladder import follow_course, is_ladder
from plyscribe.domain.tournament.state import (
    ADJUDICATED,
    FORFEITED,
    REPLAYED,
    REPORTED,
    Act,
    Basis,
    Entrant,
    Failure,
    Game,
    Invitation,
    Penalty,
    Request,
    Round,
    Tournament,
    find_game,
    rank_forfeit,
    replace_game,
)
from plyscribe.domain.tournament.terms import MAX_ROUNDS

BY_HAND = "by hand"
"""The engine of a round that a person paired."""


Entering = (
    EntrantInvited
    | InvitationEnded
    | EntryRequested
    | EntryRequestEnded
    | EntryLinkRevoked
    | EntrantRegistered
    | EntrantSeeded
    | EntrantAssigned
    | BuildEntered
    | EntrantWithdrawn
    | EntrantReturned
    | EntrantAbsent
    | EntrantPresent
)
"""The events that say who takes part."""

OnGame = (
    GameDecided
    | AttemptFailed
    | GameRetried
    | GameReported
    | GameAdjudicated
    | GameForfeited
    | GameCorrected
    | GameReplayed
    | GameAnnulled
    | ArbiterCalled
    | ArbiterCallAnswered
)
"""The events of a game."""


def evolve_tournament(state: Tournament, event: Event, data: TournamentEvent) -> Tournament:
    """The tournament after one event; FoldError when it names an entrant, a round or a game that does not exist."""
    after = _evolve(state, event, data)
    return follow_course(after, data) if is_ladder(after) else after


def _evolve(state: Tournament, event: Event, data: TournamentEvent) -> Tournament:
    if isinstance(data, Entering):
        return _evolve_entering(state, event, data)
    if isinstance(data, OnGame):
        return _evolve_game(state, event, data)
    match data:
        case TournamentCreated():
            return replace(state, created=data, organiser=parse_actor(event.by).id, created_at=event.at)
        case ArbiterNamed(player):
            state = replace(state, arbiters=(*state.arbiters, player))
            return _note_act(state, event, data.type, None, player=player)
        case ArbiterDismissed(player):
            state = replace(state, arbiters=tuple(each for each in state.arbiters if each != player))
            return _note_act(state, event, data.type, None, player=player)
        case TournamentStarted():
            starters = tuple(each.number for each in state.entrants if each.is_in)
            return replace(state, status="playing", starters=starters, started_at=event.at)
        case TournamentPaused(why, matches):
            stop = event.version if matches else state.stop
            state = replace(state, paused=why, paused_at=event.at, is_stopped=matches, stop=stop)
            return _note_act(state, event, data.type, why)
        case TournamentResumed():
            state = shift_dates(state, event.at - (state.paused_at or event.at))
            state = replace(state, paused=None, paused_at=None, is_stopped=False)
            return _note_act(state, event, data.type, None)
        case RoundCalled(round):
            return replace(state, called=round)
        case RoundPaired(round):
            state = replace(state, rounds=(*state.rounds, _open_round(state, data)))
            by_hand = parse_actor(event.by).role != "system" and data.engine == BY_HAND
            return _note_act(state, event, data.type, data.costs.get("why"), round=round) if by_hand else state
        case ChallengeMade():
            return state
        case TournamentClosed(why):
            return _note_act(replace(state, closed=why), event, data.type, why)
        case DeadlineExtended(round, board, days, why):
            if not 1 <= round <= len(state.rounds):
                raise FoldError(event.version, f"there is no round {round}")
            state = extend_deadlines(state, round, board, days)
            return _note_act(state, event, data.type, why, round=round, board=board)
        case RoundTakenBack(round, why):
            if not state.rounds:
                raise FoldError(event.version, f"there is no round {round}")
            *rounds, last = state.rounds
            state = replace(state, rounds=tuple(rounds), called=len(rounds), taken_back=(*state.taken_back, last))
            return _note_act(state, event, data.type, why, round=round)
        case TableCodesRevoked(round, board, why):
            table = None if round is None or board is None else (round, board)
            revoked = Counter(state.codes_revoked) + Counter([table])
            return _note_act(
                replace(state, codes_revoked=dict(revoked)), event, data.type, why, round=round, board=board
            )
        case PenaltyGiven(number, entrant, points, why):
            penalty = Penalty(number, entrant, points, len(state.rounds), why)
            state = replace(state, penalties=(*state.penalties, penalty))
            return _note_act(state, event, data.type, why, entrant=entrant)
        case PenaltyLifted(number, why):
            return _lift_penalty(state, event, number, why)
        case TournamentEnded(reason):
            return replace(state, status="ended", ended=reason)
        case TournamentAborted(cause):
            return _note_act(replace(state, status="aborted", ended=cause), event, data.type, cause)


def _evolve_entering(state: Tournament, event: Event, data: Entering) -> Tournament:
    match data:
        case EntrantInvited(player, label):
            return replace(state, invitations=(*state.invitations, Invitation(player, label, event.at)))
        case InvitationEnded(player):
            return replace(state, invitations=_without(state.invitations, player))
        case EntryRequested(player, label):
            return replace(state, requests=(*state.requests, Request(player, label, event.at)))
        case EntryRequestEnded(player, cause):
            state = replace(state, requests=_without(state.requests, player))
            return _note_act(state, event, data.type, data.why, player=player) if cause == "refused" else state
        case EntryLinkRevoked():
            state = replace(state, entry_links_revoked=state.entry_links_revoked + 1)
            return _note_act(state, event, data.type, None)
        case EntrantRegistered(number, occupant, label):
            came = _find_way_in(state, occupant)
            entrant = Entrant(number, occupant, label, joined=len(state.rounds) + 1, came=came)
            own = occupant.player if isinstance(occupant, Account) else None
            invitations, requests = _without(state.invitations, own), _without(state.requests, own)
            state = replace(state, entrants=(*state.entrants, entrant), invitations=invitations, requests=requests)
            return _come_late(state, event, number)
        case EntrantSeeded(number, rating, seed):
            return _with_entrant(state, event, number, rating=rating, seed=seed)
        case EntrantAssigned(number, team, place):
            return _with_entrant(state, event, number, team=team, place=place)
        case BuildEntered(number, build, pinned):
            before = state.entrants[number - 1].builds if 1 <= number <= len(state.entrants) else ()
            return _with_entrant(state, event, number, builds=(*before, build), is_pinned=pinned)
        case EntrantWithdrawn(number, cause, why):
            if cause != "entrant":
                what = "entrant-disqualified" if cause == "disqualified" else data.type
                state = _note_act(state, event, what, why, entrant=number)
            return _with_entrant(state, event, number, is_in=False, is_disqualified=cause == "disqualified")
        case EntrantReturned(number, why):
            state = _note_act(state, event, data.type, why, entrant=number)
            state = _with_entrant(state, event, number, is_in=True, is_disqualified=False)
            return _come_late(state, event, number)
        case EntrantAbsent(number, round, bye):
            entrant = _entrant(state, event, number)
            byes = entrant.byes | {round} if bye else entrant.byes
            return _with_entrant(state, event, number, absences=entrant.absences | {round}, byes=byes)
        case EntrantPresent(number, round):
            entrant = _entrant(state, event, number)
            return _with_entrant(state, event, number, absences=entrant.absences - {round}, byes=entrant.byes - {round})


def _find_way_in(state: Tournament, occupant: Occupant) -> str:
    match occupant:
        case Guest():
            return "guest"
        case BuiltIn():
            return "bot"
        case Account(player) if state.find_invitation(player):
            return "invited"
        case Account(player) if state.find_request(player):
            return "asked"
    return "entered"


def _evolve_game(state: Tournament, event: Event, data: OnGame) -> Tournament:
    place = (data.round, data.board, data.game)
    known = find_game(state, place)
    if known is None:
        raise FoldError(event.version, f"there is no game {place}")
    match data:
        case GameDecided(match=match, ranks=ranks, reason=reason, made_at=made_at, left=left, builds=builds):
            result = {"match": match, "ranks": ranks, "reason": reason}
            more = {"made_at": made_at, "decided_at": event.at, "left": left, "builds": builds}
            return _with_game(state, known, **result, **more)
        case AttemptFailed(match=match, cause=cause, why=why, made_at=made_at):
            failed = (*known.failed, Failure(match, cause, why, made_at, event.at))
            return _with_game(state, known, failed=failed)
        case GameRetried(why=why):
            retried = _with_game(state, known, retries=known.retries + 1)
            return _note_act(retried, event, data.type, why, place)
        case GameReported(ranks=ranks, forfeited=forfeited):
            by = parse_actor(event.by)
            result = {"ranks": ranks, "reason": REPORTED, "forfeited": forfeited}
            state = _with_game(state, known, **result, decided_at=event.at)
            return state if by.role == "table" else _note_act(state, event, data.type, None, place)
        case GameAdjudicated(ranks=ranks, why=why):
            ruled = {"ranks": ranks, "reason": ADJUDICATED, "why": why, "decided_at": event.at, "call": None}
            state = _with_game(state, known, **ruled)
            return _note_act(state, event, data.type, why, place)
        case GameForfeited(entrants=entrants, why=why):
            ranks = rank_forfeit(known.entrants, entrants)
            ruled = {"ranks": ranks, "reason": FORFEITED, "why": why, "decided_at": event.at, "forfeited": entrants}
            state = _with_game(state, known, **ruled, call=None)
            by_deadline = parse_actor(event.by).role == "system"
            return state if by_deadline else _note_act(state, event, data.type, why, place)
        case GameCorrected(ranks=ranks, forfeited=forfeited, why=why):
            entered = known.entered or known.ranks
            changed = {"ranks": ranks, "forfeited": forfeited, "why": why, "annulled": None, "entered": entered}
            state = _with_game(state, known, **changed, call=None, reason=_name_reason(state, known, bool(forfeited)))
            return _note_act(state, event, data.type, why, place)
        case GameReplayed(why=why):
            again = _forget_result(known, why, event.at)
            return _note_act(_with_game(state, known, **again), event, data.type, why, place)
        case GameAnnulled(why=why):
            return _note_act(_with_game(state, known, annulled=why, call=None), event, data.type, why, place)
        case ArbiterCalled(why=why):
            return _with_game(state, known, call=why)
        case ArbiterCallAnswered(why=why):
            return _note_act(_with_game(state, known, call=None), event, data.type, why, place)


def _name_reason(state: Tournament, game: Game, is_forfeited: bool) -> str | None:
    """The reason of a game after its correction. One that a match decided keeps that of the match."""
    if game.match is not None:
        return game.reason
    if is_forfeited:
        return FORFEITED
    return REPORTED if state.terms.at_table and game.reason != ADJUDICATED else ADJUDICATED


def _forget_result(game: Game, why: str, at: int) -> dict[str, Any]:
    """What changes in a decided game that is played once more."""
    void = (Failure(game.match, REPLAYED, why, game.made_at or 0, at),) if game.match else ()
    fresh = Game(game.round, game.board, game.game, game.entrants)._asdict()
    kept = {"failed": (*game.failed, *void), "retries": game.retries, "pairing": game.pairing}
    return {**fresh, **kept, "replays": game.replays + 1}


def _lift_penalty(state: Tournament, event: Event, number: int, why: str) -> Tournament:
    if not 1 <= number <= len(state.penalties):
        raise FoldError(event.version, f"there is no penalty {number}")
    penalty = state.penalties[number - 1]
    penalties = (*state.penalties[: number - 1], penalty._replace(lifted=why), *state.penalties[number:])
    return _note_act(replace(state, penalties=penalties), event, "penalty-lifted", why, entrant=penalty.entrant)


def _without(waiting: tuple[Any, ...], player: str | None) -> tuple[Any, ...]:
    return tuple(each for each in waiting if each.player != player)


def _note_act(
    state: Tournament,
    event: Event,
    what: str,
    why: str | None,
    place: tuple[int, int, int] | None = None,
    **about: Any,
) -> Tournament:
    act = Act(event.at, parse_actor(event.by).id, what, why, place, **about)
    return replace(state, acts=(*state.acts, act))


def _entrant(state: Tournament, event: Event, number: int) -> Entrant:
    if not 1 <= number <= len(state.entrants):
        raise FoldError(event.version, f"there is no entrant {number}")
    return state.entrants[number - 1]


def _with_entrant(state: Tournament, event: Event, number: int, **changes: Any) -> Tournament:
    entrant = _entrant(state, event, number)._replace(**changes)
    return replace(state, entrants=(*state.entrants[: number - 1], entrant, *state.entrants[number:]))


def _come_late(state: Tournament, event: Event, number: int) -> Tournament:
    """Note an entrant as late if it is in for the first time since the start."""
    if state.status != "playing" or number in state.starters or number in state.late:
        return state
    state = _with_entrant(state, event, number, joined=len(state.rounds) + 1)
    return replace(state, late=(*state.late, number))


def _open_round(state: Tournament, paired: RoundPaired) -> Round:
    seatings = state.seatings
    pairing = sum(each.number == paired.round for each in state.taken_back)
    games = tuple(
        tuple(
            Game(paired.round, board, game, tuple(entrants[place] for place in seating), pairing=pairing)
            for game, seating in enumerate(seatings, 1)
        )
        for board, entrants in enumerate(paired.boards, 1)
    )
    byes = {each.number for each in state.entrants if paired.round in each.byes}
    asked = tuple(each for each in paired.absent if each in byes)
    known = (paired.round, paired.boards, paired.byes, paired.absent, paired.costs, paired.engine)
    round = Round(*known, games, asked, _note_basis(state))
    if paired.deadline is None:
        return round
    return round._replace(ends_at=paired.deadline, deadlines=(paired.deadline,) * len(paired.boards))


def _note_basis(state: Tournament) -> Basis | None:
    # Each round refers to all rounds before it, so their number must be bounded.
    if len(state.rounds) >= MAX_ROUNDS:
        return None
    return Basis(tuple(round.games for round in state.rounds), state.penalties)


def _with_game(state: Tournament, game: Game, /, **changes: Any) -> Tournament:
    return replace_game(state, game._replace(**changes))
