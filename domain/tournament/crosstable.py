"""The crosstable: for every two entrants, each of their games, from the side of the line's entrant."""

from collections.abc import Mapping
from typing import NamedTuple

from plyscribe.domain.tournament.group_tables import name_groups
from plyscribe.domain.tournament.naming import name_entrants
from plyscribe.domain.tournament.points import ZERO, format_points
from plyscribe.domain.tournament.results import HALF, ONE, Score, score_pairs
from plyscribe.domain.tournament.standings import Standing, rank_entrants
from plyscribe.domain.tournament.state import Game, Tournament

BYE, ASKED_BYE, ABSENT = "bye", "asked bye", "absent"

MARKS = {ZERO: "0", HALF: "½", ONE: "1"}
ANNULLED, FORFEITED, CORRECTED = "×", "f", "*"

HOW_TO_READ = (
    "Read along a line: 1 means that its entrant finished above the entrant of the column, ½ level, 0 below.\n"
    f"{ANNULLED} is an annulled game; after a result, {FORFEITED} means by forfeit and {CORRECTED} corrected.\n"
)


class Cell(NamedTuple):
    """A game of two entrants, and the score of the line's entrant against the column's."""

    game: Game
    score: Score

    @property
    def mark(self) -> str:
        """The score in one to three characters, such as `1`, `½`, `0f`, `1*` or `×`."""
        if self.score.status == "annulled":
            return ANNULLED
        forfeited = FORFEITED if self.score.status == "forfeited" else ""
        return MARKS[self.score.share] + forfeited + (CORRECTED if self.game.entered is not None else "")


class SatOut(NamedTuple):
    """A round that an entrant did not play, and why: BYE, ASKED_BYE or ABSENT."""

    round: int
    kind: str


class Line(NamedTuple):
    """The line of an entrant: its cells by opponent, in the order of rounds, and the rounds that it sat out."""

    standing: Standing
    against: Mapping[int, list[Cell]]
    sat_out: list[SatOut]
    group: str | None = None
    """The name of the group, in a tournament with groups."""


def build_crosstable(state: Tournament) -> list[Line]:
    """The lines of all entrants in the table, in its order; with groups, group by group."""
    cells: dict[int, dict[int, list[Cell]]] = {each.number: {} for each in state.entrants}
    for game in state.games():
        for one, other, score in score_pairs(game):
            cells[one].setdefault(other, []).append(Cell(game, score))
    sat_out, groups = _list_sat_out(state), name_groups(state)
    lines = [
        Line(each, cells[each.entrant], sat_out[each.entrant], groups.get(each.entrant))
        for each in rank_entrants(state)
    ]
    # Those of a group stand together, and those without one at the end.
    return sorted(lines, key=lambda line: (line.group is None, len(line.group or ""), line.group))


def _list_sat_out(state: Tournament) -> dict[int, list[SatOut]]:
    found: dict[int, list[SatOut]] = {each.number: [] for each in state.entrants}
    for round in state.rounds:
        for entrant in round.byes:
            found[entrant].append(SatOut(round.number, BYE))
        for entrant in round.absent:
            found[entrant].append(SatOut(round.number, ASKED_BYE if entrant in round.byes_asked else ABSENT))
    return found


def list_crosstable(state: Tournament, players: Mapping[int, str] | None = None) -> list[list[str]]:
    """The crosstable as rows of cells, in the table's order: see HOW_TO_READ. A backslash stands where nobody can meet.

    A column is named by the number of its entrant. `players` is as in name_entrants.
    """
    names, lines = name_entrants(state, players), build_crosstable(state)
    order = [line.standing.entrant for line in lines]
    has_groups = any(line.group for line in lines)
    return [
        ["rank", "entrant", "name", *(["group"] if has_groups else []), *map(str, order), "points", "sat out"],
        *(
            [
                str(line.standing.rank),
                str(line.standing.entrant),
                names[line.standing.entrant],
                *([line.group or ""] if has_groups else []),
                *(_format(line, other) for other in order),
                format_points(line.standing.points),
                ", ".join(f"{each.kind} {each.round}" for each in line.sat_out),
            ]
            for line in lines
        ),
    ]


def _format(line: Line, other: int) -> str:
    if other == line.standing.entrant:
        return "\\"
    return "".join(cell.mark for cell in line.against.get(other, []))
