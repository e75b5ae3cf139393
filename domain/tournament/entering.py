"""Who takes part: invitations, entries, absences and withdrawals."""

from typing import Any

from plyscribe.domain.bots import require_build
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, BuiltIn, Guest
from plyscribe.domain.tournament.commands import (
    AnnounceAbsence,
    EndInvitation,
    InviteEntrant,
    RegisterEntrant,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.conditions import (
    check_cause,
    check_label,
    is_account,
    is_organiser,
    require_entrant,
    require_organiser,
    require_status,
)
from plyscribe.domain.tournament.events import EntrantAbsent, EntrantInvited, EntrantRegistered, EntrantWithdrawn
from plyscribe.domain.tournament.events import InvitationEnded as Ended
from plyscribe.domain.tournament.schedule import bound_rounds
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.terms import MAX_ROUNDS


def decide_invite(command: InviteEntrant, state: Tournament) -> list[Any]:
    """See InviteEntrant."""
    require_organiser(command)
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
    if not (is_own or is_organiser(command)):
        raise WrongPerson("entrant/not-yours", "only the invited player or the organiser may end an invitation")
    if state.find_invitation(command.player) is None:
        raise Unknown("entrant/no-invitation", f"{command.player} is not invited")
    return [Ended(command.player, "declined" if is_own else "withdrawn")]


def decide_register(command: RegisterEntrant, state: Tournament) -> list[Any]:
    """See RegisterEntrant. Without a label, an invited account gets that of its invitation."""
    _require_entry(state)
    label = command.label
    match command.occupant:
        case Account(player):
            if player != command.actor.id:
                why = "a player must enter with its own token: the organiser can invite it"
                raise WrongPerson("entrant/not-yours", why)
            invitation = state.find_invitation(player)
            if not (state.terms.is_open or is_organiser(command) or invitation):
                raise WrongPerson("entrant/closed", "only players whom the organiser invites can enter this tournament")
            _require_new(state, player, "you have already entered")
            label = invitation.label if invitation and label is None else label
        case BuiltIn() as bot:
            require_organiser(command)
            require_build(bot)
            if bot.seed is None:
                raise WrongValue("bot/seed", "a bot that enters a tournament needs a seed")
        case Guest():
            raise WrongValue("entrant/guest", "an entrant must be an account or a bot of the server")
    _require_room(state)
    check_label(label)
    return [EntrantRegistered(len(state.entrants) + 1, command.occupant, label)]


def _require_entry(state: Tournament) -> None:
    require_status(state, "open", *(["playing"] if state.terms.format["kind"] == "swiss" else []))


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
    if command.disqualified and not is_organiser(command):
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
    undecided = [game for round in state.rounds[-1:] for games in round.games for game in games if game.ranks is None]
    for game in undecided:
        if command.entrant in game.entrants and any(is_account(state, e, command.actor.id) for e in game.entrants):
            why = f"you play entrant {command.entrant} on board {game.board}, and would win by its withdrawal"
            raise WrongPerson("tournament/own-game", f"{why}: ask an administrator")


def decide_absence(command: AnnounceAbsence, state: Tournament) -> list[Any]:
    """See AnnounceAbsence. Refused for a round that cannot come."""
    require_status(state, "open", "playing")
    _require_right(command, command.entrant, state)
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
    return [EntrantAbsent(command.entrant, round)]


def _require_right(command: Command, number: int, state: Tournament) -> bool:
    """Whether the actor is this entrant; Refusal if it is not the organiser either, or if the entrant has left."""
    entrant = require_entrant(state, number)
    is_own = is_account(state, number, command.actor.id)
    if not (is_own or is_organiser(command)):
        raise WrongPerson("entrant/not-yours", f"you are not entrant {number}")
    if not entrant.is_in:
        raise WrongTime("entrant/out", f"entrant {number} has withdrawn")
    return is_own
