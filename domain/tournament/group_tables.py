"""The tables of a group stage and the bracket after it, for JSON, as text and as CSV."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from plyscribe.domain.tournament.groups import KIND, Plan, name_group, plan_groups
from plyscribe.domain.tournament.points import format_points, score_games
from plyscribe.domain.tournament.standings import Standing, rank_group
from plyscribe.domain.tournament.state import Round, Tournament


def has_groups(state: Tournament) -> bool:
    """Whether its entrants are dealt to groups already."""
    return state.terms.format["kind"] == KIND and bool(state.starters)


def list_groups(state: Tournament) -> dict[str, list[Standing]]:
    """The table of each group, by its name; empty without groups."""
    if not has_groups(state):
        return {}
    plan = plan_groups(state)
    return {name_group(number): rank_group(state, plan, number) for number in range(len(plan.groups))}


def name_groups(state: Tournament) -> dict[int, str]:
    """The name of the group of each entrant who has one."""
    if not has_groups(state):
        return {}
    groups = enumerate(plan_groups(state).groups)
    return {entrant: name_group(number) for number, group in groups for entrant in group}


def find_stage(state: Tournament, round: int) -> str | None:
    """Whether the round is played in `groups` or is of the `knockout`; None without groups."""
    if not has_groups(state):
        return None
    return "groups" if round <= plan_groups(state).rounds else "knockout"


def dump_groups(state: Tournament, names: Mapping[int, str]) -> dict[str, Any]:
    """The groups and the bracket for JSON, beside the table; empty without groups."""
    if not has_groups(state):
        return {}
    groups = [
        {"group": group, "rows": [_dump_row(state, each, names) for each in table]}
        for group, table in list_groups(state).items()
    ]
    return {"groups": groups, "bracket": _dump_bracket(state, plan_groups(state))}


def _dump_row(state: Tournament, row: Standing, names: Mapping[int, str]) -> dict[str, Any]:
    values = zip(state.terms.tiebreaks, row.tiebreaks, strict=True)
    return {
        "rank": row.rank,
        "entrant": row.entrant,
        "name": names[row.entrant],
        "points": format_points(row.points),
        "tiebreaks": {name: list(each) if isinstance(each, tuple) else format_points(each) for name, each in values},
        "games": row.games,
        "in": state.entrants[row.entrant - 1].is_in,
    }


def _dump_bracket(state: Tournament, plan: Plan) -> list[dict[str, Any]]:
    seeds = {number: place for place, number in enumerate(state.list_seeds())}
    return [
        {
            "round": round.number,
            "boards": [_dump_board(state, round, board, seeds) for board in range(len(round.boards))],
            "byes": list(round.byes),
        }
        for round in state.rounds[plan.rounds :]
    ]


def _dump_board(state: Tournament, round: Round, board: int, seeds: Mapping[int, int]) -> dict[str, Any]:
    games = round.games[board]
    points = score_games(state, games)
    is_decided = all(game.ranks is not None for game in games)
    # As in a knockout, the better seed wins a level board.
    winner = max(points, key=lambda each: (points[each], -seeds[each])) if is_decided else None
    return {
        "board": board + 1,
        "entrants": list(round.boards[board]),
        "points": [format_points(points[each]) for each in round.boards[board]],
        "winner": winner,
    }


def list_group_cells(state: Tournament, names: Mapping[int, str]) -> dict[str, list[list[str]]]:
    """The table of each group as rows of cells, headings first, by the name of the group."""
    head = ["place", "entrant", "name", "points", "games"]
    return {
        group: [head, *([str(each.rank), str(each.entrant), names[each.entrant], *_list_sums(each)] for each in table)]
        for group, table in list_groups(state).items()
    }


def _list_sums(row: Standing) -> list[str]:
    return [format_points(row.points), str(row.games)]


def list_bracket_lines(state: Tournament, names: Mapping[int, str]) -> list[str]:
    """The bracket as lines, the rounds in order."""
    if not has_groups(state):
        return []
    return list(chain.from_iterable(_list_lines(each, names) for each in _dump_bracket(state, plan_groups(state))))


def _list_lines(round: Mapping[str, Any], names: Mapping[int, str]) -> list[str]:
    boards = [f"  {each['board']}: {_describe_board(each, names)}" for each in round["boards"]]
    byes = [f"  bye: {', '.join(names[each] for each in round['byes'])}"] if round["byes"] else []
    return [f"Round {round['round']}", *boards, *byes]


def _describe_board(board: Mapping[str, Any], names: Mapping[int, str]) -> str:
    who = " – ".join(names[each] for each in board["entrants"])
    if board["winner"] is None:
        return f"{who}  not finished"
    return f"{who}  {'–'.join(board['points'])}, {names[board['winner']]} goes on"
