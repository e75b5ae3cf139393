"""Why the boards of a tournament of teams were paired: why the teams met, and why these members did."""

from collections.abc import Mapping, Sequence
from typing import Any

from plyscribe.domain.tournament.explaining import Explanation, Past, Reason
from plyscribe.domain.tournament.history import count_meetings
from plyscribe.domain.tournament.points import total_points
from plyscribe.domain.tournament.scheveningen import list_turns
from plyscribe.domain.tournament.state import Round
from plyscribe.domain.tournament.teams import Team, TeamMatch, find_teams, list_team_matches, list_teams, project_teams

WORDS: Mapping[str, str] = {
    "scheveningen": "round `turn` of cycle `cycle`: members `places` of their teams",
    "team-match": "board `position` of the match of the teams `teams`",
    "moved-up": "the entrant is number `place` of its team and plays board `position`, as others are missing",
    "team-circle": "the schedule has the teams meet in round `turn` of cycle `cycle`",
    "team-points": "the teams had `points` match points",
    "team-meetings": "`number` earlier meetings of the teams",
    "team-bye": "bye: the team `team` has no opponent in this round",
    "team-short": "bye: the other team is short of a member",
}


def explain_scheveningen(past: Past, round: Round) -> Explanation:
    """The round of the plan, and the places of both in their teams."""
    sides = [[each for each in team.members if each in past.state.starters] for team in list_teams(past.state)]
    places = {each: place for side in sides for place, each in enumerate(side)}
    one, other = (side for side in sides if side)
    cycle, number = divmod(round.number - 1, len(one))
    shift = list_turns(len(one))[number].shift
    values = {"cycle": cycle + 1, "turn": number + 1}

    def explain(entrants: Sequence[int]) -> tuple[Reason, ...]:
        numbers = {**values, "places": [places[each] + 1 for each in entrants]}
        return (Reason("scheveningen", tuple(entrants), numbers),)

    def miss(entrant: int) -> tuple[Reason, ...]:
        if entrant in one:
            opponent = other[(places[entrant] + shift) % len(other)]
        else:
            opponent = one[(places[entrant] - shift) % len(one)]
        return (Reason("opponent-missing", (entrant, opponent), values),)

    return Explanation(tuple(map(explain, round.boards)), tuple(map(miss, round.byes)))


def explain_teams(past: Past, round: Round) -> Explanation:
    """Why the teams met, the board of their match, and who moved up."""
    teams = list_teams(past.state)
    matches = list_team_matches(past.state, round, teams)
    team_of = find_teams(teams)
    found: dict[int, tuple[Reason, ...]] = {}
    of_teams = _explain_circle if past.state.terms.format["kind"] == "team-round-robin" else _explain_points
    told = of_teams(past, round, matches, teams)
    for match, reasons in zip(matches, told, strict=True):
        names = [teams[each - 1].name for each in match.teams]
        for position, number in enumerate(match.boards, 1):
            board = round.boards[number - 1]
            first = Reason("team-match", board, {"teams": names, "position": position})
            found[number] = (first, *reasons, *_list_moved(board, position, teams, team_of))
    meeting = {each for match in matches for each in match.teams}
    byes = [
        (Reason("team-short", (each,)),)
        if team_of[each] in meeting
        else (Reason("team-bye", (each,), {"team": teams[team_of[each] - 1].name}),)
        for each in round.byes
    ]
    return Explanation(tuple(found[number] for number in range(1, len(round.boards) + 1)), tuple(byes))


def _list_moved(board: Sequence[int], position: int, teams: Sequence[Team], team_of: Mapping[int, int]) -> list[Reason]:
    moved = []
    for each in board:
        place = teams[team_of[each] - 1].members.index(each) + 1
        if place > position:
            moved.append(Reason("moved-up", (each,), {"place": place, "position": position}))
    return moved


Told = list[tuple[Reason, ...]]


def _explain_circle(past: Past, round: Round, matches: Sequence[TeamMatch], teams: Sequence[Team]) -> Told:
    starters = {find_teams(teams)[each] for each in past.state.starters}
    cycle, turn = divmod(round.number - 1, len(starters) + len(starters) % 2 - 1)
    return [(Reason("team-circle", (), {"cycle": cycle + 1, "turn": turn + 1}),) for _ in matches]


def _explain_points(past: Past, round: Round, matches: Sequence[TeamMatch], teams: Sequence[Team]) -> Told:
    projected = project_teams(past.recall(round), teams)
    points, met = total_points(projected), count_meetings(projected)

    def explain(match: TeamMatch) -> tuple[Reason, ...]:
        values: dict[str, Any] = {"points": [points[each] for each in match.teams]}
        number = met[min(match.teams), max(match.teams)]
        again = (Reason("team-meetings", (), {"number": number}),) if number else ()
        return (Reason("team-points", (), values), *again)

    return list(map(explain, matches))
