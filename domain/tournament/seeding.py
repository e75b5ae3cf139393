"""Seeds: pairings see the entrants numbered by strength, whatever the order in which they entered.

Entrants keep the numbers of their registration. All methods of pairing take an entrant's number as its seed. So a round
is paired in a copy of the tournament whose entrants have their seeds as numbers, and the pairing is translated back.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from plyscribe.domain.tournament.schedule import Pairing
from plyscribe.domain.tournament.state import Round, Tournament

ENTRANTS = frozenset({"down", "up", "entrant", "entrants", "opponent", "challenger", "challenged"})
"""The fields of costs that hold entrants."""

BY_ENTRANT = frozenset({"defeats", "slots"})
"""The fields of costs that are objects with entrants as keys."""


def pair_by_seed(state: Tournament, pair: Callable[[Tournament], Pairing | None]) -> Pairing | None:
    """What `pair` finds for the tournament with its entrants numbered by seed, in the numbers of the tournament."""
    order = state.list_seeds()
    if order == sorted(order):
        return pair(state)
    found = pair(number_by_seed(state))
    if found is None:
        return None
    number = dict(enumerate(order, 1))
    boards = tuple(tuple(number[each] for each in board) for board in found.boards)
    byes = tuple(sorted(number[each] for each in found.byes))
    return Pairing(boards, byes, translate_costs(found.costs, number), found.engine)


def number_by_seed(state: Tournament) -> Tournament:
    """The tournament with each entrant numbered by its seed, from 1 without gaps."""
    order = state.list_seeds()
    seed = {number: place for place, number in enumerate(order, 1)}
    entrants = tuple(
        state.entrants[number - 1]._replace(number=place, rating=None, seed=None)
        for place, number in enumerate(order, 1)
    )
    return replace(
        state,
        entrants=entrants,
        starters=tuple(sorted(_translate(state.starters, seed))),
        late=_translate(state.late, seed),
        rungs=_translate(state.rungs, seed),
        rounds=tuple(_renumber(round, seed) for round in state.rounds),
        penalties=tuple(each._replace(entrant=seed[each.entrant]) for each in state.penalties),
    )


def _renumber(round: Round, seed: Mapping[int, int]) -> Round:
    return round._replace(
        boards=tuple(_translate(board, seed) for board in round.boards),
        byes=_translate(round.byes, seed),
        absent=_translate(round.absent, seed),
        byes_asked=_translate(round.byes_asked, seed),
        costs=translate_costs(round.costs, seed),
        games=tuple(
            tuple(
                game._replace(entrants=_translate(game.entrants, seed), forfeited=_translate(game.forfeited, seed))
                for game in games
            )
            for games in round.games
        ),
    )


def _translate(entrants: Iterable[int], numbers: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(numbers[each] for each in entrants)


def translate_costs(costs: Any, numbers: Mapping[int, int]) -> Any:
    """The costs of a pairing with each entrant under its other number."""
    if isinstance(costs, list | tuple):
        return [translate_costs(each, numbers) for each in costs]
    if not isinstance(costs, dict):
        return costs
    return {name: _translate_cost(name, value, numbers) for name, value in costs.items()}


def _translate_cost(name: str, value: Any, numbers: Mapping[int, int]) -> Any:
    if name in BY_ENTRANT:
        return {str(numbers[int(entrant)]): each for entrant, each in value.items()}
    if name in ENTRANTS:
        return numbers[value] if isinstance(value, int) else list(_translate(value, numbers))
    return translate_costs(value, numbers)
