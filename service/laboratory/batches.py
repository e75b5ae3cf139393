"""The matches of a study: which bots sit where, with which seeds and dice, in batches of boards.

A board is one or more matches with the same dice and opening. All that a match depends on follows from the seed of the
study, the pattern of its batch and the number of its board. So batches of the same pattern play on the same dice,
openings and seeds, and what differs between them differs for no other reason.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from random import Random
from typing import Any, NamedTuple

from plyscribe.service.laboratory.observing import Observer
from plyscribe.service.laboratory.playing import Opening, Played, play
from plyscribe.service.laboratory.rungs import Rung
from plyscribe.service.laboratory.subject import Subject

Lineup = tuple[Rung, ...]
"""The bot of each seat."""

MOST_LINEUPS = 16
"""So many lineups are crossed with the dice: all that there are, or a sample of them."""


class Fixture(NamedTuple):
    """A match to be played: the bot and the seed of each seat, the dice, and the seed of the opening."""

    lineup: Lineup
    seeds: tuple[str, ...]
    dice: str
    opening: str


Pattern = Callable[["Batch", int], list[Fixture]]


class Batch(NamedTuple):
    """Matches of one subject. `repeats` and `dice` count the seeds and dice of crossed lineups."""

    name: str
    subject: Subject
    pattern: str
    lineups: tuple[Lineup, ...]
    boards: int
    seed: int
    boards_a_task: int
    opening: int
    """Moves at the beginning of each match that are drawn at random."""
    is_watched: bool = False
    with_curve: bool = False
    repeats: int = 1
    dice: int = 1

    def list_fixtures(self, board: int) -> list[Fixture]:
        """The matches of a board, counted from 0."""
        return PATTERNS[self.pattern](self, board)

    def list_tasks(self) -> "Iterator[Task]":
        """Tasks that together play all boards."""
        for first in range(0, self.boards, self.boards_a_task):
            yield Task(self, first, min(self.boards_a_task, self.boards - first))


class Task(NamedTuple):
    """Some boards of a batch: what a worker process plays at a time."""

    batch: Batch
    first: int
    boards: int

    @property
    def name(self) -> str:
        """A name that no other task of the study has."""
        return f"{self.batch.name}/{self.first}"

    @property
    def matches(self) -> int:
        """How many matches it has."""
        return self.boards * len(self.batch.list_fixtures(0))

    def run(self) -> dict[str, Any]:
        """The matches of each board, and what was seen in them if the batch is watched, for JSON."""
        batch, played = self.batch, []
        watched = Observer(batch.subject.ruleset, f"{batch.seed}/{self.name}") if batch.is_watched else None
        for board in range(self.first, self.first + self.boards):
            played.append([_play(batch, fixture, watched) for fixture in batch.list_fixtures(board)])
        return {"boards": played, "seen": watched.describe() if watched else None}


def _play(batch: Batch, fixture: Fixture, watched: Observer | None) -> dict[str, Any]:
    bots = [rung.make_bot(seed) for rung, seed in zip(fixture.lineup, fixture.seeds, strict=True)]
    opening = Opening(fixture.opening, batch.opening)
    played = play(batch.subject, bots, fixture.dice, opening, watched, batch.with_curve)
    return {**_describe(played), **(watched.finish() if watched else {})}


def _describe(played: Played) -> dict[str, Any]:
    described = played._asdict()
    if not played.curve:
        del described["lead_changes"], described["curve"]
    return described


def _seat_alike(batch: Batch, board: int) -> list[Fixture]:
    """One match, as its lineup stands."""
    [lineup] = batch.lineups
    return [Fixture(lineup, _name_seeds(batch, board, len(lineup)), *_name_draws(batch, board))]


def _rotate(batch: Batch, board: int) -> list[Fixture]:
    """A match for each seat of the first bot; each bot keeps its seed."""
    [lineup] = batch.lineups
    seeds, draws = _name_seeds(batch, board, len(lineup)), _name_draws(batch, board)
    turns = range(len(lineup))
    return [Fixture(lineup[-by:] + lineup[:-by], seeds[-by:] + seeds[:-by], *draws) for by in turns]


def _cross(batch: Batch, board: int) -> list[Fixture]:
    """One match: every lineup meets every dice with every seed; seeds and openings belong to their lineup."""
    row, dice = divmod(board, batch.dice)
    place, repeat = divmod(row, batch.repeats)
    lineup = batch.lineups[place]
    name = f"{batch.seed}/crossed/{place}/{repeat}"
    seeds = tuple(f"{name}/{seat}" for seat in range(len(lineup)))
    return [Fixture(lineup, seeds, f"{batch.seed}/crossed dice/{dice}", f"{name}/opening")]


def _name_seeds(batch: Batch, board: int, players: int) -> tuple[str, ...]:
    return tuple(f"{batch.seed}/bot/{board}/{player}" for player in range(players))


def _name_draws(batch: Batch, board: int) -> tuple[str, str]:
    return f"{batch.seed}/dice/{board}", f"{batch.seed}/opening/{board}"


ALIKE, ROTATED, CROSSED = "alike", "rotated", "crossed"
PATTERNS: Mapping[str, Pattern] = {ALIKE: _seat_alike, ROTATED: _rotate, CROSSED: _cross}


def draw_lineups(rungs: Lineup, weakest: Rung, seats: int) -> tuple[Lineup, ...]:
    """All lineups of these bots; or MOST_LINEUPS of them, half without the weakest, drawn the same every time."""
    every = list(product(rungs, repeat=seats))
    if len(every) <= MOST_LINEUPS:
        return tuple(every)
    random = Random(seats)  # noqa: S311 (drawn once, the same for everybody)
    halves = ([each for each in every if (weakest in each) is has] for has in (False, True))
    return tuple(lineup for half in halves for lineup in sorted(random.sample(half, MOST_LINEUPS // 2), key=repr))
