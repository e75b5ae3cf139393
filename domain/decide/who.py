"""Who may act in a match, and when: the rules that several commands share."""

from collections.abc import Callable
from typing import Any

from plyscribe.domain.at_table import WHOLE_TABLE, find_seat, find_table
from plyscribe.domain.commands import AbortMatch, Actor, Command, Withdraw
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, BuiltIn
from plyscribe.domain.match import Lifecycle, Play, Seat

Deciders = dict[type[Command], Callable[[Any, Lifecycle, Draft], None]]
"""Maps a command type to the function that adds its events to a draft or raises the refusal."""


def sign_actor(actor: Actor, recorder: str | None) -> Actor:
    """The actor as events name it: a player who records the match gets the role `recorder`."""
    return actor._replace(role="recorder") if actor.id == recorder and actor.role == "player" else actor


def step_down(actor: Actor, life: Lifecycle) -> Actor:
    """The actor as who it leaves or aborts the match: an organiser who sits in it, as the player that it is."""
    return actor._replace(role="player") if actor.role == "organiser" and sits_in(actor, life) else actor


def actor_of(command: Command, life: Lifecycle) -> Actor:
    """Who gives the command: its actor, stepped down for a command that would let it judge its own match."""
    actor = command.actor
    if actor.role != "organiser" or not isinstance(command, Withdraw | AbortMatch) or predates_judging(command, life):
        return actor
    return step_down(actor, life)


def predates_judging(command: Command, life: Lifecycle) -> bool:
    """Whether the command may have been recorded before organisers had to be impartial and to say why.

    Nothing in a match tells, except that one with `counts_from` is younger.
    """
    return command.again and life.created.counts_from is None


def sits_in(actor: Actor, life: Lifecycle) -> bool:
    """Whether a seat is taken by the actor's account, or reserved for it."""
    return any(seat.occupant == Account(actor.id) for seat in life.seats)


def refuse_own_match() -> WrongPerson:
    """The refusal of an organiser who would judge a match that they sit in."""
    return WrongPerson("match/own-seat", "you sit in this match: another organiser or an administrator judges it")


def is_recorder(actor: Actor, life: Lifecycle) -> bool:
    """Whether the actor records the match.

    At a table of a tournament, whoever holds the table's code does, and each arbiter who does not sit there.
    """
    if actor.role == "table":
        return find_seat(actor, life) == WHOLE_TABLE
    if actor.role == "arbiter":
        return find_table(life) is not None and not sits_in(actor, life)
    return actor.id == life.created.recorder and actor.role in ("player", "recorder")


def require_director(actor: Actor, life: Lifecycle) -> None:
    """WrongPerson unless the actor directs the match and does not sit in it.

    An organiser does, an arbiter of its tournament, and a recorder with an account. Whoever holds the code of a table
    does not: mostly the players do.
    """
    if actor.role != "organiser" and (actor.role == "table" or not is_recorder(actor, life)):
        raise WrongPerson("match/not-yours", "only an arbiter, an organiser or the recorder of the match can do this")
    if sits_in(actor, life):
        raise refuse_own_match()


def is_creator(actor: Actor, life: Lifecycle) -> bool:
    """Whether the actor created the match."""
    return actor.role in ("player", "recorder", "organiser") and actor.id == life.creator


def seats_sat_on(actor: Actor, life: Lifecycle) -> list[int]:
    """The seats that the actor's account has taken, ascending."""
    return [
        number
        for number, seat in enumerate(life.seats, 1)
        if seat.seated and isinstance(seat.occupant, Account) and seat.occupant.player == actor.id
    ]


def seats_held(actor: Actor, life: Lifecycle) -> list[int]:
    """The seats that the actor may act for, ascending.

    A player acts for its own seats, the recorder for all, the system for those of built-in bots, and whoever holds the
    code of a seat for that one.
    """
    if is_recorder(actor, life):
        return list(range(1, len(life.seats) + 1))
    if actor.role == "table":
        seat = find_seat(actor, life)
        return [] if seat is None else [seat]
    if actor.role == "system":
        return [number for number, seat in enumerate(life.seats, 1) if isinstance(seat.occupant, BuiltIn)]
    return seats_sat_on(actor, life) if actor.role == "player" else []


def require_system(actor: Actor) -> None:
    """WrongPerson unless the actor is a job of the server."""
    if actor.role != "system":
        raise WrongPerson("match/not-yours", f"a {actor.role} cannot do this")


def require_recorder(actor: Actor, life: Lifecycle) -> None:
    """WrongPerson unless the actor records the match."""
    if life.created.recorder is None:
        raise WrongPerson("match/not-recorder", "only a recorder can do this, and the match has none")
    if not is_recorder(actor, life):
        raise WrongPerson("match/not-recorder", "only the recorder of the match can do this")


def require_open(life: Lifecycle) -> None:
    """WrongTime unless the match is open, that is, has not started."""
    if life.status != "open":
        raise WrongTime(
            "match/not-open", f"the match is {life.status}: its seats cannot change", match_status=life.status
        )


def require_playing(life: Lifecycle) -> None:
    """WrongTime before the start and after the end."""
    if life.status == "open":
        raise WrongTime("match/not-started", "the match has not started", match_status=life.status)
    if life.status != "playing":
        raise WrongTime("match/over", f"the match is {life.status}", match_status=life.status)


def require_unpaused(play: Play) -> None:
    """WrongTime during a pause."""
    if play.pause is not None:
        why = f"the match is paused since {play.pause.at}: {play.pause.why}"
        raise WrongTime("match/paused", why, since=play.pause.at)


def require_revealed(life: Lifecycle) -> None:
    """WrongTime if the match is over but shares secret dice with matches that are not."""
    if life.awaits_reveal:
        raise WrongTime("dice/secret", "the dice stay secret until all matches that share them are over")


def require_seat(life: Lifecycle, number: int) -> Seat:
    """The seat with this number; Unknown if the match has no such seat."""
    if not 1 <= number <= len(life.seats):
        raise Unknown("seat/unknown", f"the match has seats 1..{len(life.seats)}, not {number}", seat=number)
    return life.seats[number - 1]


def require_own_seat(held: list[int], life: Lifecycle, seat: int | None) -> int:
    """The seat that the actor means: the one named, which must be among those held, or the only one held."""
    if seat is not None:
        require_seat(life, seat)
        if seat not in held:
            raise WrongPerson("seat/not-yours", f"seat {seat} is not yours", seat=seat)
        return seat
    if not held:
        raise WrongPerson("seat/not-yours", "you hold no seat in this match")
    if len(held) > 1:
        raise WrongValue("seat/ambiguous", f"name one of your seats {', '.join(map(str, held))}", seats=held)
    return held[0]
