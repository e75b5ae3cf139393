"""How a change of which matches count spreads: from the players of these matches to those whom they meet later."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from plyscribe.service.ratings.model import Model, Rating


class Entry(NamedTuple):
    """A match as it was entered in the ledger, and the version of the ledger at which it was."""

    version: int
    at: int
    match: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]


class Standing(NamedTuple):
    """A player's rating, and the number of matches behind it."""

    rating: Rating
    matches: int


class Step(NamedTuple):
    """A player's standing before and after a match."""

    before: Standing
    after: Standing


Steps = dict[str, Step]
"""The steps of a match that counts, by player."""


def rate_again(
    model: Model,
    entries: Iterable[Entry],
    counts: Callable[[Entry], bool],
    known: Mapping[int, Steps],
    influenced: dict[str, Standing],
    find_standing: Callable[[str, int], Standing],
) -> Iterator[tuple[Entry, Steps]]:
    """Yield those of these matches that count now and whose steps are new or other than the known ones, with the steps.

    Entries come in the order of the ledger. `known` has the steps of those that counted until now, by version.
    `influenced` has the players who come to the first entry with other standings than they were known with; it is kept
    up to date, so that another call can go on from there. `find_standing` gives the known standing of a player before a
    version. A match is rated again only if somebody comes to it with another rating.
    """
    for entry in entries:
        old, counting = known.get(entry.version), counts(entry)
        if not (old or counting) or (old and counting and influenced.keys().isdisjoint(entry.players)):
            continue
        before = {
            who: influenced.get(who) or (old[who].before if old else find_standing(who, entry.version))
            for who in entry.players
        }
        after = _play(model, entry, before, old) if counting else before
        for who, standing in after.items():
            if old and standing == old[who].after:
                influenced.pop(who, None)
            else:
                influenced[who] = standing
        if counting:
            yield entry, {who: Step(before[who], after[who]) for who in entry.players}


def _play(model: Model, entry: Entry, before: Mapping[str, Standing], old: Steps | None) -> dict[str, Standing]:
    if old and all(old[who].before.rating == standing.rating for who, standing in before.items()):
        ratings = [old[who].after.rating for who in before]
    else:
        ratings = [*model.rate([standing.rating for standing in before.values()], entry.ranks)]
    return {
        who: Standing(rating, standing.matches + 1)
        for (who, standing), rating in zip(before.items(), ratings, strict=True)
    }
