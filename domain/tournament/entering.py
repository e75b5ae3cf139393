"""Who takes part: invitations, requests, entries, seeds, absences, withdrawals and returns."""

from typing import Any

from plyscribe.domain.bots import require_build
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, BuiltIn, Guest
from plyscribe.domain.names import describe_names, is_name
from plyscribe.domain.tournament.assigning import parse_team
from plyscribe.domain.tournament.commands import (
    AnnounceAbsence,
    CancelAbsence,
    EndInvitation,
    EndRequest,
    InviteEntrant,
    RegisterEntrant,
    RequestEntry,
    ReturnEntrant,
    RevokeEntryLinks,
    SeedEntrant,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.conditions import (
    check_cause,
    check_label,
    is_account,
    is_organiser,
    is_owner,
    require_entrant,
    require_organiser,
    require_status,
)
from plyscribe.domain.tournament.events import (
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
)
from plyscribe.domain.tournament.events import InvitationEnded as Ended
from plyscribe.domain.tournament.groups import is_bracket_begun
from plyscribe.domain.tournament.schedule import bound_rounds
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.terms import MAX_ENTRANTS, MAX_ROUNDS, TAKE_LATE

MAX_RATING = 10_000


def decide_invite(command: InviteEntrant, state: Tournament) -> list[Any]:
    """See InviteEntrant."""
    require_organiser(command, state)
    _require_entry(state)
    _require_new(state, command.player, f"{command.player} has already entered")
    if state.find_invitation(command.player):
        raise WrongTime("entrant/invited", f"{command.player} is already invited")
    if len(state.invitations) >= state.terms.max_entrants:
        why = f"{len(state.invitations)} invitations are unanswered, as many as the tournament takes entrants"
        raise WrongTime("entrant/invitations", f"{why}: withdraw some first")
    _require_room(state)
    check_label(command.label)
    return [EntrantInvited(command.player, command.label)]


def decide_end_invitation(command: EndInvitation, state: Tournament) -> list[Any]:
    """See EndInvitation."""
    require_status(state, "open", "playing")
    is_own = command.actor.id == command.player
    if not (is_own or is_organiser(command, state)):
        raise WrongPerson("entrant/not-yours", "only the invited player or the organiser may end an invitation")
    if state.find_invitation(command.player) is None:
        raise Unknown("entrant/no-invitation", f"{command.player} is not invited")
    return [Ended(command.player, "declined" if is_own else "withdrawn")]


def decide_request(command: RequestEntry, state: Tournament) -> list[Any]:
    """See RequestEntry."""
    _require_entry(state)
    player = command.actor.id
    if command.actor.role == "organiser" or state.terms.is_open or state.find_invitation(player):
        raise WrongTime("entrant/no-need", "you need not ask: you can enter this tournament")
    _require_new(state, player, "you have already entered")
    if state.find_request(player):
        raise WrongTime("entrant/asked", "you have asked already: the organiser has not answered yet")
    if len(state.requests) >= state.terms.max_entrants:
        why = f"{len(state.requests)} players ask to be let in, as many as the tournament takes"
        raise WrongTime("entrant/requests", f"{why}: try again later")
    _require_room(state)
    check_label(command.label)
    return [EntryRequested(player, command.label)]


def decide_end_request(command: EndRequest, state: Tournament) -> list[Any]:
    """See EndRequest."""
    require_status(state, "open", "playing")
    is_own = command.actor.id == command.player
    if not (is_own or is_organiser(command, state)):
        raise WrongPerson("entrant/not-yours", "only the player who asked or the organiser may end a request")
    if state.find_request(command.player) is None:
        raise Unknown("entrant/no-request", f"{command.player} does not ask to be let in")
    if command.why is not None:
        check_cause(command.why)
    return [EntryRequestEnded(command.player, "withdrawn" if is_own else "refused", command.why)]


def decide_revoke_links(command: RevokeEntryLinks, state: Tournament) -> list[Any]:
    """See RevokeEntryLinks."""
    require_organiser(command, state)
    require_status(state, "open", "playing")
    return [EntryLinkRevoked()]


def decide_register(command: RegisterEntrant, state: Tournament) -> list[Any]:
    """See RegisterEntrant. Without a label, an account gets that of its invitation or of its request."""
    _require_entry(state)
    number, label = len(state.entrants) + 1, command.label
    match command.occupant:
        case Account(player):
            asked = state.find_invitation(player) if player == command.actor.id else state.find_request(player)
            _require_consent(command, player, state)
            _require_new(state, player, "the player has already entered")
            label = asked.label if asked and label is None else label
        case BuiltIn() as bot:
            require_organiser(command, state)
            require_build(bot)
            if state.terms.at_table:
                raise WrongValue("entrant/at-table", "a bot of the server cannot sit at a table")
            if bot.seed is None:
                raise WrongValue("bot/seed", "a bot that enters a tournament needs a seed")
        case Guest(name):
            _require_guest(command, name, state)
    _require_room(state)
    check_label(command.label)
    more: list[Any] = []
    if command.rating is not None or command.seed is not None:
        require_organiser(command, state)
        _check_seeding(state, command.rating, command.seed)
        more.append(EntrantSeeded(number, command.rating, command.seed))
    if command.team is not None or command.place is not None:
        require_organiser(command, state)
        more.append(EntrantAssigned(number, parse_team(command.team, command.place, state), command.place))
    return [EntrantRegistered(number, command.occupant, label), *more]


def _require_consent(command: RegisterEntrant, player: str, state: Tournament) -> None:
    """WrongPerson unless the account agreed to enter, and may: it enters itself, or it asked to be let in."""
    if player != command.actor.id:
        if is_organiser(command, state) and state.find_request(player):
            return
        why = "a player must enter with its own token: the organiser can invite it"
        raise WrongPerson("entrant/not-yours", why)
    may = state.terms.is_open or command.admitted or is_organiser(command, state) or state.find_invitation(player)
    if not may:
        why = "only players whom the organiser invites can enter this tournament"
        raise WrongPerson("entrant/closed", f"{why}: you can ask to be let in")


def _require_guest(command: RegisterEntrant, name: str, state: Tournament) -> None:
    require_organiser(command, state)
    if not state.terms.at_table:
        why = "a guest has no account, so nobody could enter its moves online"
        raise WrongValue("entrant/guest", f"{why}: guests play in tournaments at the table")
    if not is_name(name) or name != name.strip():
        allowed = f"{describe_names()}, and no space at either end"
        raise WrongValue("entrant/name", f"the name of a guest must have {allowed}")


def _check_seeding(state: Tournament, rating: int | None, seed: int | None) -> None:
    if rating is not None and not 0 <= rating <= MAX_RATING:
        raise WrongValue("entrant/rating", f"a rating is 0..{MAX_RATING}, not {rating}")
    if seed is not None and not 1 <= seed <= MAX_ENTRANTS:
        raise WrongValue("entrant/seed", f"a seed is 1..{MAX_ENTRANTS}, not {seed}")


def decide_seed(command: SeedEntrant, state: Tournament) -> list[Any]:
    """See SeedEntrant. Only before the start, because the pairings depend on it."""
    require_organiser(command, state)
    require_status(state, "open")
    entrant = require_entrant(state, command.entrant)
    _check_seeding(state, command.rating, command.seed)
    if (command.rating, command.seed) == (entrant.rating, entrant.seed):
        raise WrongTime("entrant/seeded", f"entrant {command.entrant} already has this rating and seed")
    return [EntrantSeeded(command.entrant, command.rating, command.seed)]


def _require_entry(state: Tournament) -> None:
    require_status(state, "open", *(["playing"] if state.terms.format["kind"] in TAKE_LATE else []))
    if state.closed is not None:
        raise WrongTime("challenge/over", "the ladder is closing: nobody enters any more")


def _require_new(state: Tournament, player: str, why: str) -> None:
    if any(each.occupant == Account(player) for each in state.entrants):
        raise WrongTime("entrant/entered", why)


def _require_room(state: Tournament) -> None:
    most = state.terms.max_entrants
    if len(state.entrants) >= most:
        raise WrongTime("entrant/full", f"the tournament already has {most} entrants, the most it takes")


def decide_withdraw(command: WithdrawEntrant, state: Tournament) -> list[Any]:
    """See WithdrawEntrant. An organiser cannot withdraw an opponent from a game that it plays itself."""
    require_status(state, "open", "playing")
    is_own = _require_right(command, command.entrant, state)
    if command.disqualified and not is_organiser(command, state):
        raise WrongPerson("tournament/not-yours", "only the organiser of the tournament may disqualify an entrant")
    if command.why is not None:
        check_cause(command.why)
    if command.disqualified:
        if command.why is None:
            raise WrongValue("tournament/cause", "say why you disqualify the entrant")
        cause = "disqualified"
    else:
        cause = "entrant" if is_own else "organiser"
    if not is_own:
        _require_no_shared_game(command, state)
    return [EntrantWithdrawn(command.entrant, cause, command.why)]


def _require_no_shared_game(command: WithdrawEntrant, state: Tournament) -> None:
    """WrongPerson if the withdrawal would decide a game that the actor sits in."""
    undecided = [game for round in state.open_rounds for games in round.games for game in games if game.ranks is None]
    for game in undecided:
        if command.entrant in game.entrants and any(is_account(state, e, command.actor.id) for e in game.entrants):
            why = f"you play entrant {command.entrant} on board {game.board}, and would win by its withdrawal"
            raise WrongPerson("tournament/own-game", f"{why}: ask an administrator")


def decide_return(command: ReturnEntrant, state: Tournament) -> list[Any]:
    """See ReturnEntrant. Not in a knockout that has begun, where the bracket has gone on."""
    require_organiser(command, state)
    require_status(state, "open", "playing")
    if require_entrant(state, command.entrant).is_in:
        raise WrongTime("entrant/in", f"entrant {command.entrant} has not withdrawn")
    is_knockout = state.status == "playing" and state.terms.format["kind"] == "knockout"
    if is_knockout or is_bracket_begun(state):
        raise WrongTime("entrant/knockout", "nobody returns to a knockout: its bracket has gone on")
    if is_account(state, command.entrant, command.actor.id) and not is_owner(command):
        raise WrongPerson("tournament/own-game", "you are this entrant: another organiser or arbiter lets you return")
    check_cause(command.why)
    return [EntrantReturned(command.entrant, command.why)]


def decide_presence(command: CancelAbsence, state: Tournament) -> list[Any]:
    """See CancelAbsence."""
    require_status(state, "open", "playing")
    _require_right(command, command.entrant, state)
    if command.round <= len(state.rounds):
        raise WrongTime("entrant/absence", f"round {command.round} is already paired")
    if command.round not in state.entrants[command.entrant - 1].absences:
        raise WrongTime("entrant/absence", f"entrant {command.entrant} does not sit out round {command.round}")
    return [EntrantPresent(command.entrant, command.round)]


def decide_absence(command: AnnounceAbsence, state: Tournament) -> list[Any]:
    """See AnnounceAbsence. Refused for a round that cannot come."""
    require_status(state, "open", "playing")
    _require_right(command, command.entrant, state)
    if state.terms.format["kind"] == "ladder":
        why = "nobody sits out a round of a ladder: ask an organiser for more time, or withdraw"
        raise WrongTime("entrant/absence", why)
    round, paired, most = command.round, len(state.rounds), bound_rounds(state)
    if round < 1:
        raise WrongTime("entrant/absence", f"there is no round {round}: rounds count from 1")
    if round > most:
        raise WrongTime("entrant/absence", f"there will be no round {round}: the tournament has at most {most}")
    if round <= paired:
        raise WrongTime("entrant/absence", f"round {round} is already paired")
    if round > paired + MAX_ROUNDS:
        raise WrongTime("entrant/absence", f"round {round} is more than {MAX_ROUNDS} rounds ahead")
    if round in state.entrants[command.entrant - 1].absences:
        raise WrongTime("entrant/absence", f"entrant {command.entrant} already sits out round {round}")
    if command.bye:
        _require_bye_left(command.entrant, state)
    return [EntrantAbsent(command.entrant, round, command.bye)]


def _require_bye_left(number: int, state: Tournament) -> None:
    most, asked = state.terms.scoring.get("asked_byes", 0), len(state.entrants[number - 1].byes)
    if asked >= most:
        may = f"may ask for {most}, and asked for {asked}" if most else "cannot ask for one in this tournament"
        raise WrongTime("entrant/byes", f"no bye is left: an entrant {may}; it can sit out the round without one")


def _require_right(command: Command, number: int, state: Tournament) -> bool:
    """Whether the actor is this entrant; Refusal if it is not the organiser either, or if the entrant has left."""
    entrant = require_entrant(state, number)
    is_own = is_account(state, number, command.actor.id)
    if not (is_own or is_organiser(command, state)):
        raise WrongPerson("entrant/not-yours", f"you are not entrant {number}")
    if not entrant.is_in:
        raise WrongTime("entrant/out", f"entrant {number} has withdrawn")
    return is_own
