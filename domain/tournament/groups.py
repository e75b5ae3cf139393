"""The plan of a group stage with a knockout after it: who is in which group, and when the bracket begins.

The entrants who took part at the start are dealt to the groups in the order of their seeds, forwards and then
backwards. In its group, everybody meets everybody. The best of each group play a knockout.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from plyscribe.domain.errors import WrongTime
from plyscribe.domain.tournament.state import Game, Round, Tournament

KIND = "groups"
MAX_GROUPS = 64


class Plan(NamedTuple):
    """The groups, each in the order of seeds, and the rounds that are played in groups."""

    groups: tuple[tuple[int, ...], ...]
    rounds: int

    def find_group(self, entrant: int) -> int | None:
        """The group of the entrant, from 0; None if it has none."""
        return next((number for number, group in enumerate(self.groups) if entrant in group), None)


def plan_groups(state: Tournament) -> Plan:
    """The plan of a tournament that has started. It never changes."""
    format, starters = state.terms.format, set(state.starters)
    seeds = [each for each in state.list_seeds() if each in starters]
    count = count_groups(format, len(seeds))
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, entrant in enumerate(seeds):
        turn, column = divmod(place, count)
        groups[count - 1 - column if turn % 2 else column].append(entrant)
    return Plan(tuple(map(tuple, groups)), count_stage_rounds(format, len(seeds)))


def count_groups(format: Mapping[str, Any], entrants: int) -> int:
    """How many groups so many entrants make."""
    return int(format["groups"]) if "groups" in format else -(-entrants // int(format["size"]))


def count_stage_rounds(format: Mapping[str, Any], entrants: int) -> int:
    """The rounds that the greatest group needs."""
    greatest = -(-entrants // count_groups(format, entrants))
    return int(format["cycles"]) * count_cycle(greatest)


def count_cycle(members: int) -> int:
    """The rounds in which everybody of a group meets everybody once."""
    return members - 1 + members % 2


def bound_groups(format: Mapping[str, Any], entrants: int) -> int:
    """The most rounds that so many entrants play, in groups and in the bracket."""
    qualified = min(entrants, count_groups(format, entrants) * int(format["advance"]))
    return count_stage_rounds(format, entrants) + (qualified - 1).bit_length()


def require_groups(format: Mapping[str, Any], entrants: int) -> None:
    """WrongTime unless so many entrants can be dealt to groups, each with as many as advance, and two at least."""
    count = count_groups(format, entrants)
    least, needed = entrants // count, max(2, int(format["advance"]))
    if least < needed:
        why = f"{entrants} entrants make {count} groups, the smallest of {least}, and each needs {needed}"
        raise WrongTime("tournament/too-few", f"{why}: let more enter, or announce it with fewer groups")
    if count > MAX_GROUPS:
        why = f"{entrants} entrants make {count} groups, and the most is {MAX_GROUPS}"
        raise WrongTime("tournament/too-many", f"{why}: announce it with greater groups")


def name_group(number: int) -> str:
    """The name of a group, counted from 0: A to Z, then AA, AB, and so on.

    >>> name_group(0), name_group(25), name_group(26)
    ('A', 'Z', 'AA')
    """
    letter = chr(ord("A") + number % 26)
    return letter if number < 26 else name_group(number // 26 - 1) + letter


def read_slots(state: Tournament, plan: Plan) -> dict[int, int]:
    """The slot in the bracket of each entrant who reached it, as the first round of the bracket records it.

    Empty before that round is paired. What becomes of the results of the groups afterwards does not change it.
    """
    if len(state.rounds) <= plan.rounds:
        return {}
    return {int(entrant): slot for entrant, slot in state.rounds[plan.rounds].costs["slots"].items()}


def is_bracket_begun(state: Tournament) -> bool:
    """Whether the first round of the bracket is paired."""
    return state.terms.format["kind"] == KIND and len(state.rounds) > plan_groups(state).rounds


def narrow_to_group(state: Tournament, plan: Plan, number: int) -> Tournament:
    """The round robin that a group has played, as a tournament of its own: all else is left out."""
    members = plan.groups[number]
    format = {"kind": "round-robin", "cycles": state.terms.format["cycles"]}
    return replace(
        state,
        created=replace(state.terms, format=format),
        starters=tuple(sorted(members)),
        rounds=tuple(_narrow_round(round, set(members)) for round in state.rounds[: plan.rounds]),
        penalties=tuple(each for each in state.penalties if each.round <= plan.rounds),
    )


def _narrow_round(round: Round, members: set[int]) -> Round:
    kept = [(board, games) for board, games in zip(round.boards, round.games, strict=True) if board[0] in members]
    boards: tuple[tuple[int, ...], ...] = tuple(board for board, _ in kept)
    games: tuple[tuple[Game, ...], ...] = tuple(games for _, games in kept)
    byes, absent, asked = (
        tuple(each for each in some if each in members) for some in (round.byes, round.absent, round.byes_asked)
    )
    return round._replace(boards=boards, games=games, byes=byes, absent=absent, byes_asked=asked)
