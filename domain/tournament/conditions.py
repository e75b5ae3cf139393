"""What the commands of a tournament require: of the tournament, of the actor, and of texts."""

from typing import NamedTuple

from plyscribe.domain.commands import Command
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account
from plyscribe.domain.names import describe_names, is_name, is_printable
from plyscribe.domain.ruleset import rank_by
from plyscribe.domain.tournament.state import Entrant, Game, Tournament, find_game, rank_forfeit

MAX_NAME_LENGTH = 100
MAX_CAUSE_LENGTH = 200


class Result(NamedTuple):
    """How a game ended: the rank of each seat, and the entrants who forfeited it."""

    ranks: tuple[int, ...]
    forfeited: tuple[int, ...]


def require_status(state: Tournament, *allowed: str) -> None:
    """WrongTime unless the tournament has one of these statuses."""
    if state.status not in allowed:
        raise WrongTime("tournament/status", f"the tournament is {state.status}", tournament_status=state.status)


def is_owner(command: Command) -> bool:
    """Whether the actor owns the tournament or is an administrator; the caller has checked the actor's token."""
    return command.actor.role == "organiser"


def is_organiser(command: Command, state: Tournament) -> bool:
    """Whether the actor organises the tournament: its owner, an administrator, or one of its arbiters."""
    return is_owner(command) or (command.actor.role == "arbiter" and command.actor.id in state.arbiters)


def require_owner(command: Command) -> None:
    """WrongPerson unless the actor owns the tournament."""
    if not is_owner(command):
        raise WrongPerson("tournament/not-yours", "only the organiser of the tournament may do this, not an arbiter")


def require_organiser(command: Command, state: Tournament) -> None:
    """WrongPerson unless the actor organises the tournament."""
    if not is_organiser(command, state):
        raise WrongPerson("tournament/not-yours", "only the organiser or an arbiter of the tournament may do this")


def require_system(command: Command) -> None:
    """WrongPerson unless the server itself acts."""
    if command.actor.role != "system":
        raise WrongPerson("tournament/not-yours", "only the server may do this")


def require_game(state: Tournament, *place: int) -> Game:
    """The game with these numbers of round, board and game; Unknown if there is none."""
    round, board, game = place
    found = find_game(state, (round, board, game))
    if found is None:
        raise Unknown("tournament/no-game", f"there is no game {game} on board {board} of round {round}")
    return found


def require_entrant(state: Tournament, number: int) -> Entrant:
    """The entrant with this number; Unknown if there is none."""
    if not 1 <= number <= len(state.entrants):
        raise Unknown("entrant/unknown", f"there is no entrant {number}: the last one is {len(state.entrants)}")
    return state.entrants[number - 1]


def check_ranks(ranks: tuple[int, ...], seats: int) -> None:
    """WrongValue unless these are ranks of so many seats: 1 + the number of seats with a better one."""
    if len(ranks) != seats or ranks != rank_by([-rank for rank in ranks]):
        why = "each 1 + the number of seats with a better one, so that seats that tie share a rank"
        raise WrongValue("tournament/ranks", f"a game needs {seats} ranks, {why}; not {list(ranks)}")


def parse_result(game: Game, ranks: tuple[int, ...] | None, forfeited: tuple[int, ...]) -> Result:
    """The result that a person entered; WrongValue unless it has the ranks of all seats or those who forfeited."""
    if (ranks is None) == (not forfeited):
        raise WrongValue("tournament/result", "a result has either the rank of each seat, or those who forfeited")
    if ranks is not None:
        check_ranks(ranks, len(game.entrants))
        return Result(ranks, ())
    losers = parse_losers(game, forfeited)
    return Result(rank_forfeit(game.entrants, losers), losers)


def parse_losers(game: Game, entrants: tuple[int, ...]) -> tuple[int, ...]:
    """The entrants who forfeit the game, ascending; WrongValue unless each is on the board and named once."""
    losers = tuple(sorted(set(entrants)))
    if not losers or len(losers) < len(entrants) or not set(losers) <= set(game.entrants):
        why = f"name one or more of the entrants on the board, each once: {sorted(game.entrants)}"
        raise WrongValue("tournament/forfeit", why)
    return losers


def require_uninvolved(command: Command, state: Tournament, game: Game) -> None:
    """WrongPerson if the actor is an entrant on the board of the game: nobody judges a game that they sit in."""
    if any(is_account(state, entrant, command.actor.id) for entrant in game.entrants):
        why = "you sit on this board: only an organiser or administrator who does not may judge its games"
        raise WrongPerson("tournament/own-game", why)


def is_account(state: Tournament, entrant: int, account: str) -> bool:
    """Whether the entrant is this account."""
    return state.entrants[entrant - 1].occupant == Account(account)


def check_cause(cause: str) -> None:
    """WrongValue unless it can be the reason of an act."""
    if not (1 <= len(cause) <= MAX_CAUSE_LENGTH and is_printable(cause)):
        raise WrongValue("tournament/cause", f"a cause must have 1 to {MAX_CAUSE_LENGTH} printable characters")


def check_label(label: str | None) -> None:
    """WrongValue unless it can be the label of an entrant."""
    if label is not None and not is_name(label, MAX_NAME_LENGTH):
        raise WrongValue("entrant/label", f"a label must have {describe_names(MAX_NAME_LENGTH)}")
