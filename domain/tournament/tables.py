"""The table of a tournament for JSON, and tables as text and as CSV."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plyscribe.domain.tournament.attempts import Faults, count_faults
from plyscribe.domain.tournament.group_tables import (
    dump_groups,
    has_groups,
    list_bracket_lines,
    list_group_cells,
    name_groups,
)
from plyscribe.domain.tournament.naming import name_entrant, name_entrants
from plyscribe.domain.tournament.points import format_points
from plyscribe.domain.tournament.results import Results
from plyscribe.domain.tournament.standings import Standing, Value, rank_entrants
from plyscribe.domain.tournament.state import Tournament

FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""A spreadsheet treats cells with these first characters as formulas."""


def dump_table(state: Tournament, players: Mapping[int, str] | None = None) -> dict[str, Any]:
    """The table for JSON; `against` is the crosstable. Points, and tiebreaks except places, are decimals in strings.

    `players` is as in name_entrants.
    """
    table, results, faults = rank_entrants(state), Results(state), count_faults(state)
    names = name_entrants(state, players)
    order, groups = [each.entrant for each in table], name_groups(state)
    return {
        "version": state.version,
        "status": state.status,
        "rounds": len(state.rounds),
        "tiebreaks": list(state.terms.tiebreaks),
        "rows": [
            {
                **_dump_row(state, each, results, order, faults[each.entrant]),
                "name": names[each.entrant],
                **({"group": groups[each.entrant]} if each.entrant in groups else {}),
                **({"rung": state.rungs.index(each.entrant) + 1} if each.entrant in state.rungs else {}),
            }
            for each in table
        ],
        **dump_groups(state, names),
    }


def _dump_row(
    state: Tournament, standing: Standing, results: Results, all: Iterable[int], faults: Faults
) -> dict[str, Any]:
    entrant = state.entrants[standing.entrant - 1]
    against = {
        str(other): [None if score.status == "annulled" else format_points(score.share) for score in scores]
        for other in all
        if (scores := results.against[entrant.number].get(other))
    }
    values = zip(state.terms.tiebreaks, standing.tiebreaks, strict=True)
    row = {
        "rank": standing.rank,
        "entrant": entrant.number,
        "label": name_entrant(entrant),
        "points": format_points(standing.points),
        "tiebreaks": {
            name: list(value) if isinstance(value, tuple) else format_points(value) for name, value in values
        },
        "games": standing.games,
        "seats": list(standing.seats),
        "byes": standing.byes,
        "absences": standing.absences,
        "faults": faults._asdict(),
        "in": entrant.is_in,
        "against": against,
    }
    return row if standing.reached is None else {**row, "reached": standing.reached}


def list_table(state: Tournament, players: Mapping[int, str] | None = None) -> list[list[str]]:
    """The table as rows of cells, headings first; `players` is as in name_entrants."""
    names, faults = name_entrants(state, players), count_faults(state)
    groups = _list_group_column(state)
    head = ["rank", "entrant", "name", *groups.get(None, []), "points", *state.terms.tiebreaks]
    return [
        [*head, "games", "seats", "byes", "absences", "faults"],
        *(
            [
                str(each.rank),
                str(each.entrant),
                names[each.entrant],
                *groups.get(each.entrant, []),
                format_points(each.points),
                *map(_format_value, each.tiebreaks),
                str(each.games),
                "-".join(map(str, each.seats)),
                str(each.byes),
                str(each.absences),
                "-".join(map(str, faults[each.entrant])),
            ]
            for each in rank_entrants(state)
        ),
    ]


def _list_group_column(state: Tournament) -> dict[int | None, list[str]]:
    """The column with the group of each entrant, its heading under None; empty if there are no groups."""
    if not has_groups(state):
        return {}
    groups = name_groups(state)
    return {None: ["group"], **{each.number: [groups.get(each.number, "")] for each in state.entrants}}


def render_standings(state: Tournament, players: Mapping[int, str] | None = None) -> str:
    """The table as text; with groups, first the table of each group and the bracket."""
    names = name_entrants(state, players)
    groups = [f"Group {group}\n{render_text(cells)}\n" for group, cells in list_group_cells(state, names).items()]
    lines = list_bracket_lines(state, names)
    bracket = ["Bracket\n" + "".join(f"{line}\n" for line in lines) + "\n"] if lines else []
    table = render_text(list_table(state, players))
    return "".join([*groups, *bracket, f"All entrants\n{table}" if groups else table])


def _format_value(value: Value) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else format_points(value)


def render_text(cells: Sequence[Sequence[str]]) -> str:
    """The cells in columns, one line for each row; the column `name` is left-aligned, all others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = cells[0].index("name")
    lines = (
        "  ".join(
            cell.ljust(width) if place == left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )
    return "".join(line.rstrip() + "\n" for line in lines)


def render_csv(cells: Sequence[Sequence[str]]) -> str:
    """The cells as CSV (RFC 4180), with a quote before each cell that a spreadsheet would treat as a formula.

    Anyone can choose a name, and organisers open these tables. OWASP's page on CSV injection recommends the quote.
    """
    lines = _Lines()
    csv.writer(lines).writerows([f"'{cell}" if cell.startswith(FORMULA) else cell for cell in row] for row in cells)
    return "".join(lines.written)


class _Lines:
    """Collects the lines that csv writes."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, line: str) -> None:
        self.written.append(line)
