"""Who plays for which team, and in which order of boards."""

from typing import Any

from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.names import describe_names, fold_width, is_name
from plyscribe.domain.tournament.commands import AssignEntrant
from plyscribe.domain.tournament.conditions import MAX_NAME_LENGTH, require_entrant, require_organiser, require_status
from plyscribe.domain.tournament.events import EntrantAssigned
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.teams import is_of_teams, list_teams
from plyscribe.domain.tournament.terms import MAX_ENTRANTS

SIDES = 2
"""The teams of a Scheveningen."""


def decide_assign(command: AssignEntrant, state: Tournament) -> list[Any]:
    """See AssignEntrant. Only before the start, because the pairings depend on it."""
    require_organiser(command, state)
    require_status(state, "open")
    entrant = require_entrant(state, command.entrant)
    team = parse_team(command.team, command.place, state)
    if (team, command.place) == (entrant.team, entrant.place):
        raise WrongTime("entrant/assigned", f"entrant {command.entrant} already has this team and place")
    return [EntrantAssigned(command.entrant, team, command.place)]


def parse_team(team: str | None, place: int | None, state: Tournament) -> str | None:
    """The name of the team, as it was spelled first; WrongValue if an entrant cannot have this team and place."""
    if not is_of_teams(state):
        raise WrongValue("tournament/no-teams", f"no teams play in a {state.terms.format['kind']}")
    if team is None:
        if place is not None:
            raise WrongValue("entrant/place", "a place in the board order needs a team")
        return None
    if place is not None and not 1 <= place <= MAX_ENTRANTS:
        raise WrongValue("entrant/place", f"a place in the board order is 1..{MAX_ENTRANTS}, not {place}")
    known = {fold_width(each.name): each.name for each in list_teams(state)}
    if fold_width(team) not in known and (not is_name(team, MAX_NAME_LENGTH) or team != team.strip()):
        allowed = f"{describe_names(MAX_NAME_LENGTH)}, and no space at either end"
        raise WrongValue("entrant/team", f"the name of a team must have {allowed}")
    if state.terms.format["kind"] == "scheveningen" and fold_width(team) not in known and len(known) >= SIDES:
        names = " and ".join(sorted(known.values()))
        raise WrongValue("entrant/team", f"two teams play, {names}: there is no third")
    return known.get(fold_width(team), team)


def check_teams(state: Tournament) -> None:
    """WrongTime unless the tournament can start with its teams as they are."""
    if not is_of_teams(state):
        return
    there = {each.number for each in state.entrants if each.is_in}
    alone = sorted(each.number for each in state.entrants if each.is_in and each.team is None)
    if alone:
        raise WrongTime("tournament/no-team", f"these entrants have no team: {alone}")
    sizes = {team.name: len(there.intersection(team.members)) for team in list_teams(state)}
    sizes = {name: size for name, size in sizes.items() if size}
    listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
    if len(sizes) < SIDES:
        raise WrongTime("tournament/teams", f"a tournament of teams needs two of them: {listed or 'none'}")
    if state.terms.format["kind"] == "scheveningen":
        if len(sizes) > SIDES or len(set(sizes.values())) > 1:
            raise WrongTime("tournament/teams", f"a Scheveningen needs two teams with as many members each: {listed}")
        return
    boards = state.terms.format["boards"]
    short = [name for name, size in sizes.items() if 2 * size <= boards]
    if short:
        why = f"a team needs members for more than half of its {boards} boards"
        raise WrongTime("tournament/teams", f"{why}; too few have {', '.join(short)}")
