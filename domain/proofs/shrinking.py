"""Shrinking: the smallest match that still shows what a longer one showed.

The steps are cut down as in delta debugging (A. Zeller and R. Hildebrandt, Simplifying and Isolating Failure-Inducing
Input, IEEE Transactions on Software Engineering 28(2), 2002). What is left stays legal: a step that no longer fits is
left out. Seats and options are tried at their defaults and at smaller values, and moves are replaced by simpler ones.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import combinations, islice
from typing import Any, NamedTuple

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.errors import OptionError
from plyscribe.domain.proofs.trials import (
    MOVE,
    ROLL,
    WITHDRAW,
    Trial,
    Walk,
    draw_walk,
    format_roll,
    walk,
    walk_by_seats,
)
from plyscribe.domain.ruleset import AnyRuleset, Decision, Roll

MOST_RUNS = 1_000

MOST_PAIRED = 24
"""The longest match of which any two steps are dropped together."""

MOST_DRAWN = 24
"""The longest match beside which shorter ones are drawn at random."""

DRAWS = 24
DRAWS_A_SETTING = 2
LISTED = 200
SIMPLER = 6
"""Moves that are tried in the place of another one."""

Shows = Callable[[Walk], int | None]
"""After how many steps of the walk it shows; None if it does not."""


class Shrunk(NamedTuple):
    """What is left of a match.

    `runs` is how often it was tried whether a match shows it. `is_done` says that no smaller match was found with all
    ways tried; otherwise the runs were used up.
    """

    walk: Walk
    runs: int
    is_done: bool

    @property
    def trial(self) -> Trial:
        """The smallest match that was found."""
        return self.walk.trial


def shrink(ruleset: AnyRuleset, trial: Trial, shows: Shows, most_runs: int = MOST_RUNS) -> Shrunk | None:
    """The smallest match that shows it, in at most `most_runs` runs; None if the trial itself does not show it (again).

    A match with fewer steps is smaller; then one with fewer seats, with fewer options that differ from the defaults,
    with smaller options, and with shorter moves. The result is legal, and it shows after its last step. The same
    arguments give the same result if `shows` always answers the same.
    """
    walked = walk(ruleset, trial)
    found = shows(walked) if walked else None
    if walked is None or found is None:
        return None
    shrinking = _Shrinking(ruleset, walked.cut(found), shows, most_runs)
    with suppress(_Spent):
        shrinking.run()
        return Shrunk(shrinking.best, shrinking.runs, is_done=True)
    return Shrunk(shrinking.best, shrinking.runs, is_done=False)


class _Spent(Exception):
    """All runs are used up."""


class _Shrinking:
    def __init__(self, ruleset: AnyRuleset, best: Walk, shows: Shows, most_runs: int) -> None:
        self._ruleset = ruleset
        self._shows = shows
        self._most_runs = most_runs
        self._defaults = ruleset.parse_options({})
        self._tried: set[bytes] = set()
        self.runs = 1
        self.best = best

    @property
    def steps(self) -> tuple[str, ...]:
        return self.best.trial.steps

    def run(self) -> None:
        """Try all ways to make the match smaller, until none does."""
        before = None
        while self.best is not before:
            before = self.best
            self._change_setting()
            self._drop_chunks(self._drop)
            for turned in range(self.best.trial.seats):
                self._drop_chunks(partial(self._drop_by_seats, turned))
            self._drop_pairs()
            self._simplify_steps()
            self._draw_shorter()

    def _change_setting(self) -> None:
        for seats, options in _list_smaller_settings(self._ruleset, self.best.trial):
            if self._try(Trial(seats, options, tuple(_seat(step, seats) for step in self.steps))):
                continue
            for number in range(DRAWS_A_SETTING):
                # Steps of another setting may not lead there, though matches of this one do.
                if self._try_drawn(Trial(seats, options), len(self.steps), f"setting/{number}"):
                    break

    def _drop_chunks(self, drop: Callable[[range], bool]) -> None:
        size = len(self.steps)
        while size:
            start = 0
            while start < len(self.steps):
                if not drop(range(start, start + size)):
                    start += size
            size //= 2

    def _drop(self, places: range) -> bool:
        """Drop steps; the steps after them may fall to other seats."""
        return self._try_steps(self.steps[: places.start] + self.steps[places.stop :])

    def _drop_by_seats(self, turned: int, places: range) -> bool:
        """Drop steps; the steps of a seat stay together."""
        return self._try_walk(walk_by_seats(self._ruleset, self.best, places, len(self.steps), turned))

    def _drop_pairs(self) -> None:
        """Drop any two steps: what lies between them falls to other seats, and the rest to its own."""
        places = combinations(range(len(self.steps)), 2) if len(self.steps) <= MOST_PAIRED else ()
        for one, two in places:
            if two < len(self.steps):
                self._try_steps(self.steps[:one] + self.steps[one + 1 : two] + self.steps[two + 1 :])

    def _simplify_steps(self) -> None:
        place = 0
        while place < len(self.steps):
            for simpler in _list_simpler(self._ruleset, self.best.states[place], self.steps[place]):
                if self._try_steps((*self.steps[:place], simpler, *self.steps[place + 1 :])):
                    break
            place += 1

    def _draw_shorter(self) -> None:
        for number in range(DRAWS if len(self.steps) <= MOST_DRAWN else 0):
            kept = (0, len(self.steps) // 2)[number % 2]
            begun = self.best.trial._replace(steps=self.steps[:kept])
            self._try_drawn(begun, len(self.steps) - 1, f"shorter/{number}")

    def _try_steps(self, steps: tuple[str, ...]) -> bool:
        return self._try(self.best.trial._replace(steps=steps))

    def _try_drawn(self, begun: Trial, most: int, seed: str) -> bool:
        try:
            drawn = draw_walk(self._ruleset, begun, seed, most)
        except Exception:
            # Options and seats may not fit, and faulty rules may fail in any way.
            return False
        return most > 0 and self._try_walk(drawn)

    def _try(self, trial: Trial) -> bool:
        walked = walk(self._ruleset, trial, len(self.steps))
        return walked is not None and self._try_walk(walked)

    def _try_walk(self, walked: Walk) -> bool:
        """Whether the match shows it and is smaller than the best one, whose place it takes then."""
        key = canonical_json(list(walked.trial))
        if key in self._tried:
            return False
        self._tried.add(key)
        if self.runs >= self._most_runs:
            raise _Spent
        self.runs += 1
        found = self._shows(walked)
        if found is None or not self._is_smaller(shown := walked.cut(found)):
            return False
        self.best = shown
        return True

    def _is_smaller(self, shown: Walk) -> bool:
        return _weigh(shown.trial, self._defaults) < _weigh(self.best.trial, self._defaults)


def _seat(step: str, seats: int) -> str:
    """The step at a table with so many seats: in the place of a seat that is not there, the last one leaves."""
    if step.startswith(WITHDRAW) and int(step.removeprefix(WITHDRAW)) > seats:
        return f"{WITHDRAW}{seats}"
    return step


def _weigh(trial: Trial, defaults: dict[str, Any]) -> tuple[Any, ...]:
    changed = sum(value != defaults[name] for name, value in trial.options.items())
    sizes = [_measure(canonical_json(value)) for value in trial.options.values()]
    return len(trial.steps), trial.seats, changed, sizes, [_measure(step.encode()) for step in trial.steps]


def _measure(text: bytes) -> tuple[int, bytes]:
    """Shorter texts first, so that 9 comes before 10."""
    return len(text), text


def _list_smaller_settings(ruleset: AnyRuleset, trial: Trial) -> Iterator[tuple[int, dict[str, Any]]]:
    """Fewer seats; the defaults; each option at its default and at smaller values; any two at their smallest ones."""
    for seats in range(ruleset.min_seats, trial.seats):
        yield seats, trial.options
    defaults = ruleset.parse_options({})
    if trial.options != defaults:
        yield trial.seats, defaults
    properties = ruleset.options_schema()["properties"]
    changes = [
        {name: value}
        for name, schema in properties.items()
        for value in _list_smaller_values(schema, trial.options[name], defaults[name])
    ]
    lows = {name: schema["minimum"] for name, schema in properties.items() if type(schema.get("minimum")) is int}
    for change in [*changes, *map(dict, combinations(lows.items(), 2))]:
        # Options may depend on each other: a small board does not hold all the pieces of a large one.
        for raw in ({**trial.options, **change}, change):
            with suppress(OptionError):
                yield trial.seats, ruleset.parse_options(raw)
                break


def _list_smaller_values(schema: dict[str, Any], value: Any, default: Any) -> Iterator[Any]:
    if value != default:
        yield default
    low = schema.get("minimum")
    if type(value) is int and type(low) is int:
        yield from (each for each in dict.fromkeys((low, (low + value) // 2, value - 1)) if low <= each < value)
    elif value is None and type(low) is int:
        yield low
    if "enum" in schema:
        yield from (each for each in schema["enum"] if each not in (value, default))
    if value is True:
        yield False


def _list_simpler(ruleset: AnyRuleset, state: Any, step: str) -> Iterator[str]:
    """Legal steps that could stand in the place of this one, the shortest first."""
    turn = ruleset.turn(state)
    if step.startswith(MOVE) and isinstance(turn, Decision):
        listed = (MOVE + ruleset.format_move(state, move) for move in islice(ruleset.legal_moves(state), LISTED))
        simpler = sorted((text for text in listed if _is_simpler(text, step)), key=lambda text: _measure(text.encode()))
        yield from simpler[:SIMPLER]
    elif step.startswith(ROLL) and isinstance(turn, Roll):
        values = step.removeprefix(ROLL).split()
        yield format_roll((1,) * len(values))
        yield from (ROLL + " ".join([*values[:place], "1", *values[place + 1 :]]) for place in range(len(values)))


def _is_simpler(text: str, step: str) -> bool:
    return _measure(text.encode()) < _measure(step.encode())
