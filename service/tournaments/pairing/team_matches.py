"""Pairs teams as if they were entrants: by the circle method, or by the Dutch system. Then their members meet.

The members play in board order. The first of two teams has seat 1 on boards 1, 3, ..., and seat 2 on the others.
"""

from plyscribe.domain.tournament.schedule import Pairing, pair_round_robin
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.teams import list_lineup, list_teams, project_teams
from plyscribe.service.tournaments.pairing.dutch import pair_dutch


def pair_teams(state: Tournament) -> Pairing | None:
    """The next round; None after the last, or when fewer than two teams have anybody left.

    If a team is short of members, those of the other team who find no opponent have a bye. If a team has no opponent,
    the members who would have played have a bye.
    """
    teams, number = list_teams(state), len(state.rounds) + 1
    projected = project_teams(state, teams)
    if sum(each.is_in for each in projected.entrants) < 2:
        return None
    if state.terms.format["kind"] == "team-round-robin":
        found = pair_round_robin(projected)
    else:
        found = pair_dutch(projected) if number <= state.terms.format["rounds"] else None
    if found is None:
        return None
    lineups = {team.number: list_lineup(state, team, number) for team in teams}
    boards: list[tuple[int, ...]] = []
    byes = [each for team in found.byes for each in lineups[team]]
    for one, other in found.boards:
        first, second = lineups[one], lineups[other]
        pairs = list(zip(first, second, strict=False))
        boards += [pair if place % 2 == 0 else pair[::-1] for place, pair in enumerate(pairs)]
        byes += [*first[len(pairs) :], *second[len(pairs) :]]
    costs = {name: value for name, value in found.costs.items() if name != "floats"}
    if "floats" in found.costs:
        costs["team_floats"] = [
            {"from": teams[each["down"] - 1].name, "to": teams[each["up"] - 1].name, "by": each["by"]}
            for each in found.costs["floats"]
        ]
    return Pairing(tuple(boards), tuple(sorted(byes)), costs, found.engine)
