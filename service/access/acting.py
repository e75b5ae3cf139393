"""What an account may do in a match now: the domain's choices, as far as its token and its invitation go."""

from plyscribe.domain.at_table import WHOLE_TABLE, find_table
from plyscribe.domain.commands import Actor
from plyscribe.domain.decide.choices import COMMANDS, Choice, list_choices
from plyscribe.domain.decide.who import refuse_own_match, sits_in
from plyscribe.domain.errors import WrongPerson, WrongTime
from plyscribe.domain.match import Match
from plyscribe.domain.pauses import find_pause
from plyscribe.domain.player import Player
from plyscribe.service.access.accounts import Principal, TableSeat
from plyscribe.service.access.reading import OVERSEERS, needs_invitation

DIRECTING = ("pause", "resume", "adjust-clock")
"""The commands on the clocks of a match, for those who direct it."""

OVERSEEN = ("start", "withdraw", *DIRECTING, "abort", "annul")
"""The commands that an overseer of a match gives as its organiser."""

JOINING = ("take-seat", "rematch")
"""The commands by which a player begins a match that exists."""

PAUSED = "rated/paused"


def scope_to_act(match: Match, account: str) -> str:
    """The scope that a token needs to act in the match: its recorder records, everybody else plays."""
    return "record" if match.lifecycle and match.life.created.recorder == account else "play"


def oversees(match: Match, who: Principal, arbitrates: bool = False) -> bool:
    """Whether `who` oversees the match.

    An administrator oversees all matches. An organiser oversees those that they created, also as the organiser of a
    tournament, and an arbiter oversees those that they arbitrate.
    """
    if "admin" in who.scopes or arbitrates:
        return True
    return "organise" in who.scopes and match.lifecycle is not None and match.life.creator == who.account


def act_in(match: Match, who: Principal, command: str = "", arbitrates: bool = False) -> Actor:
    """The actor that gives the command, a word of COMMANDS, for `who`; ScopeMissing if the token does not cover it.

    An overseer gives the commands in OVERSEEN as an organiser. The recorder of a match needs that only to annul it.
    Whoever holds the code of a table acts for its place there, and whoever arbitrates a match at a table records it.
    """
    if who.table is not None:
        return _act_at_table(match, who.table)
    is_recorder = match.lifecycle is not None and match.life.created.recorder == who.account
    if command in OVERSEEN and oversees(match, who, arbitrates) and (command == "annul" or not is_recorder):
        return Actor("organiser", who.account)
    if arbitrates and match.lifecycle is not None and find_table(match.life) is not None:
        return Actor("arbiter", who.account)
    if command == "annul":
        who.require(*OVERSEERS)
    else:
        who.require(scope_to_act(match, who.account))
    return Actor("player", who.account)


def _act_at_table(match: Match, table: TableSeat) -> Actor:
    tournament = match.life.created.tournament if match.lifecycle is not None else None
    place = find_table(match.life) if match.lifecycle is not None else None
    own = table.place._replace(seat=WHOLE_TABLE)
    if place != own or tournament is None or tournament["id"] != table.tournament:
        raise WrongPerson("match/not-yours", "this code is for the matches of another table")
    return table.place.actor


def require_may_judge(match: Match, who: Principal, arbitrates: bool = False) -> None:
    """Refusal unless `who` oversees the match and does not sit in it; ScopeMissing without the scope of an overseer."""
    actor = act_in(match, who, "annul", arbitrates)
    if actor.role != "organiser":
        raise WrongPerson("match/not-yours", "only an organiser of this match or an administrator can do this")
    if match.lifecycle is not None and sits_in(actor, match.life):
        raise refuse_own_match()


def require_unpaused(player: Player, now_ms: int) -> None:
    """WrongTime while the player has to wait before the next rated match."""
    until = find_pause(player, now_ms)
    if until is not None:
        why = f"you have aborted {len(player.aborts)} rated matches, several of them within a day"
        wait_s = max(1, (until - now_ms + 999) // 1000)
        raise WrongTime(PAUSED, f"{why}: your next rated match can begin in {wait_s} s", until=until)


def list_choices_of(
    match: Match, who: Principal | None, invited: int | None = None, arbitrates: bool = False
) -> tuple[Choice, ...]:
    """What the API lets `who` do in a match of this server; nothing for None, who acts for nobody.

    `invited` is the seat that the request has an invitation to. `arbitrates`: `who` is an arbiter of the match.
    """
    if who is None:
        return ()
    if who.table is not None:
        try:
            return list_choices(match, act_in(match, who))
        except WrongPerson:
            return ()
    found: dict[str, Choice] = {}
    if arbitrates and match.lifecycle is not None and find_table(match.life) is not None:
        found |= {each.command: each for each in list_choices(match, Actor("arbiter", who.account))}
    elif scope_to_act(match, who.account) in who.scopes:
        found |= {each.command: each for each in list_choices(match, Actor("player", who.account))}
    if oversees(match, who, arbitrates):
        organiser = Actor("organiser", who.account)
        judged = [each for each in list_choices(match, organiser) if each.command in OVERSEEN]
        found |= {each.command: each for each in judged if act_in(match, who, each.command, arbitrates) == organiser}
    in_order = sorted(found.values(), key=lambda choice: COMMANDS.index(choice.command))
    return tuple(each for choice in in_order if (each := _without_uninvited(choice, match, who, invited)))


def _without_uninvited(choice: Choice, match: Match, who: Principal, invited: int | None) -> Choice | None:
    """The choice without the seats that only an invitation opens; None if no seat is left."""
    if choice.command != "take-seat":
        return choice
    seats = tuple(seat for seat in choice.seats if seat == invited or not needs_invitation(match, who, seat))
    return choice._replace(seats=seats) if seats else None
