"""The table of teams: by match points and board points, then by the tiebreaks of the terms over matches of teams."""

from fractions import Fraction
from typing import Any, NamedTuple

from plyscribe.domain.tournament.points import format_points
from plyscribe.domain.tournament.results import Results
from plyscribe.domain.tournament.standings import Value, break_ties
from plyscribe.domain.tournament.state import Round, Tournament
from plyscribe.domain.tournament.teams import (
    Team,
    TeamMatch,
    list_team_matches,
    list_teams,
    project_teams,
    total_board_points,
)


class TeamStanding(NamedTuple):
    """A row of the table of teams. Teams that nothing separates share a rank."""

    rank: int
    team: Team
    match_points: Fraction
    board_points: Fraction
    tiebreaks: tuple[Value, ...]
    """In the order of the terms."""

    matches: int
    """The matches that count: won, level and lost ones."""

    won: int
    level: int
    lost: int
    byes: int


def rank_teams(state: Tournament) -> list[TeamStanding]:
    """The present table of teams, sorted by rank and then by seed."""
    teams = list_teams(state)
    projected = project_teams(state, teams)
    results, board_points = Results(projected), total_board_points(state, teams)
    is_by_boards = state.terms.format.get("first", "board-points") == "board-points"
    keys: dict[int, tuple[Any, ...]] = {}
    for team in teams:
        both = (results.points[team.number], board_points[team.number])
        keys[team.number] = both[::-1] if is_by_boards else both
    keys = break_ties(projected, results, keys)
    table: list[TeamStanding] = []
    for place, team in enumerate(sorted(teams, key=lambda each: keys[each.number], reverse=True), 1):
        number = team.number
        is_level = bool(table) and keys[table[-1].team.number] == keys[number]
        scores = [score for scores in results.against[number].values() for score in scores if score.status == "played"]
        won, level = sum(each.share == 1 for each in scores), sum(each.share == Fraction(1, 2) for each in scores)
        table.append(
            TeamStanding(
                rank=table[-1].rank if is_level else place,
                team=team,
                match_points=results.points[number],
                board_points=board_points[number],
                tiebreaks=keys[number][2:],
                matches=len(scores),
                won=won,
                level=level,
                lost=len(scores) - won - level,
                byes=sum(number in round.byes for round in projected.rounds),
            )
        )
    return table


def dump_teams(state: Tournament) -> list[dict[str, Any]]:
    """The table of teams for JSON. Points, and tiebreaks except places, are decimals in strings."""
    return [
        {
            "rank": each.rank,
            "team": each.team.number,
            "name": each.team.name,
            "members": list(each.team.members),
            "match_points": format_points(each.match_points),
            "board_points": format_points(each.board_points),
            "tiebreaks": {
                name: list(value) if isinstance(value, tuple) else format_points(value)
                for name, value in zip(state.terms.tiebreaks, each.tiebreaks, strict=True)
            },
            "matches": each.matches,
            "won": each.won,
            "level": each.level,
            "lost": each.lost,
            "byes": each.byes,
        }
        for each in rank_teams(state)
    ]


def list_team_table(state: Tournament) -> list[list[str]]:
    """The table of teams as rows of cells, headings first."""
    head = ["rank", "team", "name", "match points", "board points", *state.terms.tiebreaks, "won-level-lost", "byes"]
    rows = [
        [
            str(each.rank),
            str(each.team.number),
            each.team.name,
            format_points(each.match_points),
            format_points(each.board_points),
            *("-".join(map(str, one)) if isinstance(one, tuple) else format_points(one) for one in each.tiebreaks),
            f"{each.won}-{each.level}-{each.lost}",
            str(each.byes),
        ]
        for each in rank_teams(state)
    ]
    return [head, *rows]


def dump_team_matches(state: Tournament, round: Round, teams: list[Team]) -> list[dict[str, Any]]:
    """The matches of teams in a round for JSON, in the order of their boards."""
    return [_dump_match(each, teams) for each in list_team_matches(state, round, teams)]


def _dump_match(match: TeamMatch, teams: list[Team]) -> dict[str, Any]:
    return {
        "teams": list(match.teams),
        "names": [teams[each - 1].name for each in match.teams],
        "boards": list(match.boards),
        "points": list(map(format_points, match.points)),
        "ranks": None if match.ranks is None or not match.counts else list(match.ranks),
    }
