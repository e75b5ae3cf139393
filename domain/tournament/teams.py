"""Teams: their members in board order, their matches, and the tournament as a tournament of teams.

A match of teams is all boards of a round on which members of two teams meet. A member whose opponent is missing has a
bye, which counts for the team. Teams get 2 match points for a match won by board points, 1 for a level one, and 2 for
a round without an opponent. In a tournament of teams, pairings and tiebreaks see teams as entrants with these points.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from plyscribe.domain.events import Guest
from plyscribe.domain.tournament.points import ZERO, score_round
from plyscribe.domain.tournament.state import Entrant, Game, Round, Tournament
from plyscribe.domain.tournament.terms import TEAM_FORMATS

MATCH_SCORING = {"places": [2, 0], "bye": 2, "absence": 0}
"""The match points of a team match."""

VOID = "no game of the match counts"


class Team(NamedTuple):
    """A team. Numbers count from 1, the best seed first."""

    number: int
    name: str
    members: tuple[int, ...]
    """In board order: by place, then those without one by seed."""


class TeamMatch(NamedTuple):
    """The match of two teams in a round. The first has seat 1 on the first board."""

    teams: tuple[int, int]
    boards: tuple[int, ...]
    points: tuple[Fraction, Fraction]
    """The board points so far."""

    is_decided: bool
    counts: bool
    """Whether a game of it counts or a member has a bye for a missing opponent."""

    @property
    def ranks(self) -> tuple[int, int] | None:
        """The rank of each team; None until it is decided."""
        one, other = self.points
        return (1 + (one < other), 1 + (other < one)) if self.is_decided else None


def is_of_teams(state: Tournament) -> bool:
    """Whether teams play in the tournament."""
    return state.terms.format["kind"] in TEAM_FORMATS


def list_teams(state: Tournament) -> list[Team]:
    """All teams. The more the ratings of the members on its boards add up to, the better a team is seeded.

    Among equals, the one whose first member entered first comes first.
    """
    places = {number: place for place, number in enumerate(state.list_seeds())}
    named: dict[str, list[Entrant]] = {}
    for entrant in state.entrants:
        if entrant.team is not None:
            named.setdefault(entrant.team, []).append(entrant)
    for members in named.values():
        members.sort(key=lambda each: (each.place is None, each.place or 0, places[each.number]))
    most = state.terms.format.get("boards", len(state.entrants))
    strength = {name: sum(each.rating or 0 for each in members[:most]) for name, members in named.items()}
    # The dictionary is in the order of the first members.
    ordered = sorted(named, key=lambda name: -strength[name])
    return [Team(number, name, tuple(each.number for each in named[name])) for number, name in enumerate(ordered, 1)]


def find_teams(teams: Sequence[Team]) -> dict[int, int]:
    """The number of the team of each entrant that has one."""
    return {each: team.number for team in teams for each in team.members}


def list_team_matches(state: Tournament, round: Round, teams: Sequence[Team]) -> list[TeamMatch]:
    """The matches of teams in a round, in the order of their boards."""
    return _match_teams(round, find_teams(teams), _score_members(state, round))


def _score_members(state: Tournament, round: Round) -> dict[int, Fraction]:
    """The board points of each entrant in the round. An absence is worth none to a team."""
    return {each: points for each, points in score_round(state, round).items() if each not in round.absent}


def _match_teams(round: Round, team_of: Mapping[int, int], points: Mapping[int, Fraction]) -> list[TeamMatch]:
    boards: dict[frozenset[int], list[int]] = {}
    for number, board in enumerate(round.boards, 1):
        boards.setdefault(frozenset(team_of[each] for each in board), []).append(number)
    totals: Counter[int] = Counter()
    for each, earned in points.items():
        totals[team_of[each]] += earned  # type: ignore[assignment]
    with_bye = {team_of[each] for each in round.byes}
    matches = []
    for numbers in boards.values():
        one, other = (team_of[each] for each in round.boards[numbers[0] - 1])
        games = [game for number in numbers for game in round.games[number - 1]]
        counts = any(game.counts for game in games) or not with_bye.isdisjoint({one, other})
        scores = (Fraction(totals[one]), Fraction(totals[other]))
        is_decided = all(game.ranks is not None for game in games)
        matches.append(TeamMatch((one, other), tuple(numbers), scores, is_decided, counts))
    return matches


def total_board_points(state: Tournament, teams: Sequence[Team]) -> dict[int, Fraction]:
    """The board points of each team, less the penalties of its members."""
    team_of = find_teams(teams)
    totals = {team.number: ZERO for team in teams}
    for round in state.rounds:
        for each, points in _score_members(state, round).items():
            totals[team_of[each]] += points
    for penalty in state.penalties:
        if penalty.lifted is None and penalty.entrant in team_of:
            totals[team_of[penalty.entrant]] -= penalty.points
    return totals


def project_teams(state: Tournament, teams: Sequence[Team]) -> Tournament:
    """The tournament with teams as its entrants, and one game for each match of teams."""
    kind = state.terms.format["kind"].removeprefix("team-")
    terms = replace(
        state.terms, format={**state.terms.format, "kind": kind}, repeat="once", scoring=MATCH_SCORING, sprt=None
    )
    team_of = find_teams(teams)
    return replace(
        state,
        created=terms,
        entrants=tuple(_enter(state, team) for team in teams),
        starters=tuple(sorted({team_of[each] for each in state.starters})),
        rounds=tuple(_project_round(state, round, teams, team_of) for round in state.rounds),
        penalties=(),
    )


def _enter(state: Tournament, team: Team) -> Entrant:
    """The team as an entrant: it sits out the rounds that all its members sit out."""
    staying = [state.entrants[each - 1] for each in team.members if state.entrants[each - 1].is_in]
    absences = [each.absences for each in staying]
    absent = absences[0].intersection(*absences[1:]) if absences else frozenset[int]()
    return Entrant(team.number, Guest(team.name), team.name, is_in=bool(staying), absences=absent)


def _project_round(state: Tournament, round: Round, teams: Sequence[Team], team_of: Mapping[int, int]) -> Round:
    matches = _match_teams(round, team_of, _score_members(state, round))
    boards = tuple(each.teams for each in matches)
    paired = {each for board in boards for each in board}
    byes = tuple(sorted({team_of[each] for each in round.byes} - paired))
    absent = tuple(team.number for team in teams if team.number not in paired.union(byes))
    games = tuple((_project_match(round, number, each),) for number, each in enumerate(matches, 1))
    return Round(round.number, boards, byes, absent, {}, round.engine, games)


def _project_match(round: Round, number: int, match: TeamMatch) -> Game:
    void = None if match.counts else VOID
    return Game(round.number, number, 1, match.teams, match="teams", ranks=match.ranks, annulled=void)


def list_lineup(state: Tournament, team: Team, round: int) -> list[int]:
    """The members who play the round, in board order: for each one missing, those behind move up."""
    present = set(state.list_present(round))
    most = state.terms.format.get("boards", len(team.members))
    return [each for each in team.members if each in present][:most]
