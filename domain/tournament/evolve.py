"""Folds the events of a tournament."""

from collections import Counter
from dataclasses import replace
from typing import Any

from plyscribe.domain.codec import Event
from plyscribe.domain.commands import parse_actor
from plyscribe.domain.errors import FoldError
from plyscribe.domain.events import Account
from plyscribe.domain.tournament.events import (
    ArbiterDismissed,
    ArbiterNamed,
    AttemptFailed,
    EntrantAbsent,
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
    TournamentCreated,
    TournamentEnded,
    TournamentEvent,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from plyscribe.domain.tournament.state import (
    ADJUDICATED,
    FORFEITED,
    REPLAYED,
    REPORTED,
    Act,
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

BY_HAND = "by hand"
"""The engine of a round that a person paired."""


def evolve_tournament(state: Tournament, event: Event, data: TournamentEvent) -> Tournament:
    """The tournament after one event; FoldError when it names an entrant or a game that does not exist."""
    match data:
        case TournamentCreated():
            return replace(state, created=data, organiser=parse_actor(event.by).id, created_at=event.at)
        case ArbiterNamed(player):
            state = replace(state, arbiters=(*state.arbiters, player))
            return _note_act(state, event, data.type, None, player=player)
        case ArbiterDismissed(player):
            state = replace(state, arbiters=tuple(each for each in state.arbiters if each != player))
            return _note_act(state, event, data.type, None, player=player)
        case EntrantInvited(player, label):
            return replace(state, invitations=(*state.invitations, Invitation(player, label, event.at)))
        case InvitationEnded(player):
            return replace(state, invitations=_without(state.invitations, player))
        case EntrantRegistered(number, occupant, label):
            entrant = Entrant(number, occupant, label, joined=len(state.rounds) + 1)
            own = occupant.player if isinstance(occupant, Account) else None
            invitations, requests = _without(state.invitations, own), _without(state.requests, own)
            return replace(state, entrants=(*state.entrants, entrant), invitations=invitations, requests=requests)
        case EntryRequested(player, label):
            return replace(state, requests=(*state.requests, Request(player, label, event.at)))
        case EntryRequestEnded(player, cause):
            state = replace(state, requests=_without(state.requests, player))
            return _note_act(state, event, data.type, data.why, player=player) if cause == "refused" else state
        case EntryLinkRevoked():
            state = replace(state, entry_links_revoked=state.entry_links_revoked + 1)
            return _note_act(state, event, data.type, None)
        case EntrantSeeded(number, rating, seed):
            return _with_entrant(state, event, number, rating=rating, seed=seed)
        case EntrantWithdrawn(number, cause, why):
            if cause != "entrant":
                what = "entrant-disqualified" if cause == "disqualified" else data.type
                state = _note_act(state, event, what, why, entrant=number)
            return _with_entrant(state, event, number, is_in=False, is_disqualified=cause == "disqualified")
        case EntrantReturned(number, why):
            state = _note_act(state, event, data.type, why, entrant=number)
            return _with_entrant(state, event, number, is_in=True, is_disqualified=False)
        case EntrantAbsent(number, round, bye):
            entrant = _entrant(state, event, number)
            byes = entrant.byes | {round} if bye else entrant.byes
            return _with_entrant(state, event, number, absences=entrant.absences | {round}, byes=byes)
        case EntrantPresent(number, round):
            entrant = _entrant(state, event, number)
            return _with_entrant(state, event, number, absences=entrant.absences - {round}, byes=entrant.byes - {round})
        case TournamentStarted():
            starters = tuple(each.number for each in state.entrants if each.is_in)
            return replace(state, status="playing", starters=starters)
        case TournamentPaused(why):
            return _note_act(replace(state, paused=why), event, data.type, why)
        case TournamentResumed():
            return _note_act(replace(state, paused=None), event, data.type, None)
        case RoundCalled(round):
            return replace(state, called=round)
        case RoundPaired(round):
            state = replace(state, rounds=(*state.rounds, _open_round(state, data)))
            by_hand = parse_actor(event.by).role != "system"
            return _note_act(state, event, data.type, data.costs.get("why"), round=round) if by_hand else state
        case RoundTakenBack(round, why):
            *rounds, last = state.rounds
            state = replace(state, rounds=tuple(rounds), called=len(rounds), taken_back=(*state.taken_back, last))
            return _note_act(state, event, data.type, why, round=round)
        case TableCodesRevoked(round, board, why):
            table = None if round is None or board is None else (round, board)
            revoked = Counter(state.codes_revoked) + Counter([table])
            return _note_act(
                replace(state, codes_revoked=dict(revoked)), event, data.type, why, round=round, board=board
            )
        case GameDecided(round, board, game, match, ranks, reason, made_at, left):
            result = {"match": match, "ranks": ranks, "reason": reason}
            more = {"made_at": made_at, "decided_at": event.at, "left": left}
            return _with_game(state, event, (round, board, game), **result, **more)
        case AttemptFailed(round, board, game, match, cause, why, made_at):
            known = find_game(state, (round, board, game))
            failed = (*(known.failed if known else ()), Failure(match, cause, why, made_at, event.at))
            return _with_game(state, event, (round, board, game), failed=failed)
        case GameRetried(round, board, game, why):
            place = (round, board, game)
            known = find_game(state, place)
            retried = _with_game(state, event, place, retries=known.retries + 1 if known else 0)
            return _note_act(retried, event, data.type, why, place)
        case GameAdjudicated(round, board, game, ranks, why):
            ruled = {"ranks": ranks, "reason": ADJUDICATED, "why": why, "decided_at": event.at}
            state = _with_game(state, event, (round, board, game), **ruled)
            return _note_act(state, event, data.type, why, (round, board, game))
        case GameForfeited(round, board, game, entrants, why):
            place = (round, board, game)
            known = find_game(state, place)
            ranks = rank_forfeit(known.entrants, entrants) if known else ()
            ruled = {"ranks": ranks, "reason": FORFEITED, "why": why, "decided_at": event.at, "forfeited": entrants}
            return _note_act(_with_game(state, event, place, **ruled), event, data.type, why, place)
        case GameReported(round, board, game, ranks, forfeited):
            place, by = (round, board, game), parse_actor(event.by)
            result = {"ranks": ranks, "reason": REPORTED, "forfeited": forfeited}
            state = _with_game(state, event, place, **result, decided_at=event.at)
            return state if by.role == "table" else _note_act(state, event, data.type, None, place)
        case GameCorrected(round, board, game, ranks, forfeited, why):
            place = (round, board, game)
            known = find_game(state, place)
            entered = known and (known.entered or known.ranks)
            changed = {"ranks": ranks, "forfeited": forfeited, "why": why, "annulled": None, "entered": entered}
            return _note_act(_with_game(state, event, place, **changed), event, data.type, why, place)
        case GameReplayed(round, board, game, why):
            place = (round, board, game)
            known = find_game(state, place)
            again = {} if known is None else _forget_result(known, why, event.at)
            return _note_act(_with_game(state, event, place, **again), event, data.type, why, place)
        case PenaltyGiven(number, entrant, points, why):
            penalty = Penalty(number, entrant, points, len(state.rounds), why)
            state = replace(state, penalties=(*state.penalties, penalty))
            return _note_act(state, event, data.type, why, entrant=entrant)
        case PenaltyLifted(number, why):
            return _lift_penalty(state, event, number, why)
        case GameAnnulled(round, board, game, why):
            place = (round, board, game)
            return _note_act(_with_game(state, event, place, annulled=why), event, data.type, why, place)
        case TournamentEnded(reason):
            return replace(state, status="ended", ended=reason)
        case TournamentAborted(cause):
            return _note_act(replace(state, status="aborted", ended=cause), event, data.type, cause)


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
    asked = tuple(each for each in paired.absent if paired.round in state.entrants[each - 1].byes)
    return Round(paired.round, paired.boards, paired.byes, paired.absent, paired.costs, paired.engine, games, asked)


def _with_game(state: Tournament, event: Event, place: tuple[int, int, int], **changes: Any) -> Tournament:
    found = find_game(state, place)
    if found is None:
        raise FoldError(event.version, f"there is no game {place}")
    return replace_game(state, found._replace(**changes))
