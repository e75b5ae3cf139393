"""One game after the other: what a task is, what a game leaves behind, and the loops that play it."""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from traceback import format_exception
from typing import Any, NamedTuple

from plyscribe.domain.bots import make_bot
from plyscribe.domain.draws import draw_with
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, RandBelow

Step = str | tuple[int, ...]
"""A move in its notation, or the values of a roll."""


class Player(NamedTuple):
    """A bot by name, with its playouts for each decision; None for its default, and for a bot without playouts."""

    name: str
    playouts: int | None = None

    def __str__(self) -> str:
        return self.name if self.playouts is None else f"{self.name}:{self.playouts}"


class Task(NamedTuple):
    """What all games of a run have in common. `options` are complete; without `players`, moves are random.

    A tuple, because it is written by a process with the sources and read by one with the compiled build.
    """

    ruleset: AnyRuleset
    options: dict[str, Any]
    seats: int
    seed: int
    players: tuple[Player, ...]
    rotate: bool
    with_steps: bool
    most_steps: int


class Game(NamedTuple):
    """A game that was played. Its number, the seed and the arguments of the run are all it depends on."""

    number: int
    players: tuple[int, ...]
    """For each seat, which of the bots sat there, counted from 0; empty if moves were random."""
    outcome: Over | None
    """How it ended; None if it was cut off after the most steps."""
    plies: int
    rolls: int
    steps: tuple[Step, ...] | None
    """All moves and rolls in order, if they were asked for."""


class Failure(NamedTuple):
    """Why a game could not be played."""

    number: int
    why: str
    """The traceback."""


class Played(NamedTuple):
    """Games up to the first one that could not be played."""

    games: list[Game]
    failure: Failure | None = None


def play_batch(task: Task, first: int, count: int) -> Played:
    """The games from number `first` on, up to one that fails."""
    games: list[Game] = []
    try:
        games.extend(play_games(task, range(first, first + count)))
    except Exception as error:
        return Played(games, Failure(first + len(games), "".join(format_exception(error))))
    return Played(games)


def play_games(task: Task, numbers: Iterable[int]) -> Iterator[Game]:
    """The games of these numbers, one by one."""
    start = task.ruleset.initial_state(task.options, task.seats)
    for number in numbers:
        yield _play_game(task, start, number)


def _play_game(task: Task, state: Any, number: int) -> Game:
    randbelow = draw_with(Random(f"{task.seed} {number}").getrandbits)  # noqa: S311 (repeatable, not unpredictable)
    seating = _seat_players(task, number)
    steps: list[Step] | None = [] if task.with_steps else None
    ruleset = task.ruleset
    choose = _choose_by_bots(task, number, seating) if seating else ruleset.sample_move
    # These names are looked up once, and not at each of a million plies.
    look, apply = ruleset.turn, ruleset.apply_move
    rolls = 0
    for taken in range(task.most_steps):
        turn = look(state)
        if isinstance(turn, Decision):
            move = choose(state, randbelow)
            if steps is not None:
                steps.append(ruleset.format_move(state, move))
            state = apply(state, move)
        elif isinstance(turn, Over):
            return Game(number, seating, turn, taken - rolls, rolls, None if steps is None else tuple(steps))
        else:
            values = tuple([1 + randbelow(turn.sides) for _ in range(turn.count)])
            if steps is not None:
                steps.append(values)
            state = ruleset.apply_roll(state, values)
            rolls += 1
    turn = look(state)
    outcome = turn if isinstance(turn, Over) else None
    plies = task.most_steps - rolls
    return Game(number, seating, outcome, plies, rolls, None if steps is None else tuple(steps))


def _seat_players(task: Task, number: int) -> tuple[int, ...]:
    """Who sits on each seat: in order, and with `rotate` one seat further in each game."""
    if not task.players:
        return ()
    shift = number if task.rotate else 0
    return tuple((seat + shift) % len(task.players) for seat in range(task.seats))


def _choose_by_bots(task: Task, number: int, seating: tuple[int, ...]) -> Callable[[Any, RandBelow], Any]:
    """What chooses the move of the seat on turn, in place of `sample_move`. Each bot has a seed of its own."""
    ruleset, bots = task.ruleset, []
    for seat, player in enumerate(seating, 1):
        name, playouts = task.players[player]
        bots.append(make_bot(name, f"{task.seed} {number} {seat}", playouts))

    def choose(state: Any, randbelow: RandBelow) -> Any:
        turn = ruleset.turn(state)
        assert isinstance(turn, Decision)
        return bots[turn.seat - 1].choose_move(ruleset, state)

    return choose
