"""Which builds of programs play in a tournament: what entrants say beforehand, and what they said in each match."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plyscribe.domain.declared_builds import check_build, require_new
from plyscribe.domain.errors import WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, Build
from plyscribe.domain.tournament.commands import EnterBuild
from plyscribe.domain.tournament.conditions import is_account, require_entrant, require_status
from plyscribe.domain.tournament.events import BuildEntered
from plyscribe.domain.tournament.state import Tournament


class PlayedBuild(NamedTuple):
    """A build of an entrant, with the number of decided games in which it played, and the first of them."""

    build: Build
    games: int
    first: tuple[int, int, int]


class Played(NamedTuple):
    """The builds of an entrant in the order in which they came, and its decided games in which none was declared."""

    builds: tuple[PlayedBuild, ...] = ()
    undeclared: int = 0


def decide_enter_build(command: EnterBuild, state: Tournament) -> list[Any]:
    """See EnterBuild. A build that is pinned stays, once the tournament has started."""
    require_status(state, "open", "playing")
    entrant = require_entrant(state, command.entrant)
    if not is_account(state, command.entrant, command.actor.id):
        raise WrongPerson("entrant/not-yours", f"you are not entrant {command.entrant}: its account names its build")
    if state.terms.at_table:
        raise WrongValue("entrant/at-table", "no program plays at a table")
    check_build(command.build)
    if entrant.is_pinned and state.status != "open":
        raise WrongTime("build/pinned", _explain(command.entrant, entrant.builds[-1]))
    if command.pinned == entrant.is_pinned:
        require_new(command.build, entrant.builds, f"entrant {command.entrant}")
    return [BuildEntered(command.entrant, command.build, command.pinned)]


def require_pin(state: Tournament, player: str, build: Build) -> None:
    """WrongTime if this account has entered with a pinned build, and this one has another digest."""
    for entrant in state.entrants:
        if entrant.occupant == Account(player) and entrant.is_pinned and entrant.builds[-1].digest != build.digest:
            raise WrongTime("build/pinned", f"{_explain(entrant.number, entrant.builds[-1])}; this is {build}")


def _explain(number: int, build: Build) -> str:
    return f"entrant {number} plays this tournament with a pinned build: {build}"


def list_played(state: Tournament) -> dict[int, Played]:
    """What the accounts among the entrants said in the matches that decided their games, by entrant."""
    found = {each.number: Played() for each in state.entrants if isinstance(each.occupant, Account)}
    for game in state.games():
        if game.match is None or game.ranks is None:
            continue
        place = (game.round, game.board, game.game)
        for seat, number in enumerate(game.entrants, 1):
            if number in found:
                found[number] = _add(found[number], [each.build for each in game.builds if each.seat == seat], place)
    return found


def list_builds(state: Tournament, names: Mapping[int, str]) -> list[list[str]]:
    """What the accounts say of their programs, as rows of cells, headings first; empty if none says anything."""
    rows = []
    for number, played in list_played(state).items():
        entered, pinned = state.entrants[number - 1].builds[-1:], state.entrants[number - 1].is_pinned
        told = [(str(each.build), each.games) for each in played.builds] or [(str(each), 0) for each in entered]
        told += [("none declared", played.undeclared)] if told and played.undeclared else []
        rows += [[str(number), names[number], "yes" if pinned else "", build, str(games)] for build, games in told]
    return [["entrant", "name", "pinned", "program", "games"], *rows] if rows else []


def _add(played: Played, builds: Sequence[Build], place: tuple[int, int, int]) -> Played:
    """What an entrant played with, after a game in which it declared these builds."""
    if not builds:
        return played._replace(undeclared=played.undeclared + 1)
    known = list(played.builds)
    # A build that came back in the same game played in one game.
    for number, build in enumerate(builds):
        if build in builds[:number]:
            continue
        place_of = next((place for place, each in enumerate(known) if each.build == build), None)
        if place_of is None:
            known.append(PlayedBuild(build, 1, place))
        else:
            known[place_of] = known[place_of]._replace(games=known[place_of].games + 1)
    return played._replace(builds=tuple(known))
