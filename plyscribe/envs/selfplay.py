"""Many games at a time, random ones or those of bots, in worker processes.

>>> from plyscribe.envs.selfplay import play_bots, play_random
>>> for game in play_random("zhen", games=3, seed=7, workers=0):
...     print(game.number, game.outcome.ranks, game.plies)
0 (2, 1) 50
1 (1, 2) 56
2 (2, 1) 46

Games come in the order of their numbers. A game depends on the ruleset, the options, the seats, the bots, the seed and
its number, and on nothing else. So any number of workers gives the same games, and `first=2, games=1` gives the last
one again.

No game is kept: workers play a little ahead of what was taken and then wait. They end when the iterator is exhausted or
closed, on Ctrl-C, and with this process.
"""

import os
import pickle
import subprocess
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, NamedTuple, Self

from plyscribe.domain.bots import find_bot, require_build
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.ruleset import require_seats
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.envs.compiled import find_build
from plyscribe.envs.playing import Game, Played, Player, Task, play_games

MOST_WORKERS = 256
MOST_GAMES = 2**53
"""Numbers of games are below this."""
MOST_STEPS = 10_000
"""A game is cut off after so many moves and rolls, unless the caller says otherwise."""

BATCH_S = 0.2
"""Workers get so many games at a time that they are busy for about this long."""
MOST_AT_A_TIME = 1_000
AHEAD = 2
"""Each worker plays at most this many batches ahead of what was taken."""


class SelfPlayError(RuntimeError):
    """Games could not be played.

    SelfPlayError
    ├── GameFailed      the ruleset or a bot raised an error; it will again
    └── WorkerLost      a worker process ended
    """


class GameFailed(SelfPlayError):
    """The ruleset or a bot raised an error in the game with this `number`."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"game {number} failed; play it alone with first={number}, games=1, workers=0:\n{why}")
        self.number = number


class WorkerLost(SelfPlayError):
    """A worker process ended while it played, for example because memory ran out."""

    def __init__(self, code: int | None, first: int, count: int) -> None:
        games = f"game {first}" if count == 1 else f"games {first} to {first + count - 1}"
        ended = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
        super().__init__(f"a worker process {ended} while it played {games}. Go on from there with first={first}.")
        self.first = first


def play_random(
    ruleset_id: str,
    games: int,
    *,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    version: int | None = None,
    seed: int = 0,
    first: int = 0,
    steps: bool = False,
    most_steps: int = MOST_STEPS,
    workers: int | None = None,
    compiled: bool = True,
) -> Generator[Game]:
    """Games of random moves, as the ruleset's `sample_move` draws them, in the order of their numbers.

    `games` are played, from number `first` on. Defaults: the fewest seats that can play, the default options, the
    newest version of the ruleset, one worker for each processor. With `workers=0` the games are played in this process.
    With `steps` each game has all its moves and rolls. Workers use the compiled build of the rules, if there is one and
    `compiled` is not False; the games are the same.

    Raises UnknownRuleset, OptionError or ValueError at once. While games are taken, it raises GameFailed or WorkerLost;
    with `workers=0` the error itself.
    """
    task = _make_task(ruleset_id, version, options, seats, seed, [], False, steps, most_steps)
    return _play(task, first, games, workers, find_build() if compiled else None)


def play_bots(
    ruleset_id: str,
    games: int,
    bots: Sequence[str],
    *,
    rotate: bool = True,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    version: int | None = None,
    seed: int = 0,
    first: int = 0,
    steps: bool = False,
    most_steps: int = MOST_STEPS,
    workers: int | None = None,
    compiled: bool = True,
) -> Generator[Game]:
    """Games between bots, such as `["mcts:400", "greedy"]`, in the order of their numbers.

    A number after the name is the playouts for each decision. If there are more seats than bots, the bots take turns in
    sitting down. With `rotate` everybody sits one seat further in each game; `Game.players` says where. `seats` has the
    number of bots as its default, at least as many as the game needs. All else is as in `play_random`.

    Raises WrongValue for a bot that does not exist, or too many of them.
    """
    players = [parse_player(text) for text in bots]
    if not players:
        raise ValueError("name at least one bot, such as greedy or mcts:200")
    if seats is None:
        seats = max(len(players), find_ruleset(ruleset_id, version).min_seats)
    if len(players) > seats:
        raise ValueError(f"{len(players)} bots do not fit on {seats} seats: name fewer bots or ask for more seats")
    task = _make_task(ruleset_id, version, options, seats, seed, players, rotate, steps, most_steps)
    return _play(task, first, games, workers, find_build() if compiled else None)


def parse_player(text: str) -> Player:
    """The bot that a text such as `greedy` or `mcts:400` names; WrongValue if there is none."""
    name, colon, number = text.partition(":")
    if colon and not (number.isascii() and number.isdigit()):
        raise WrongValue("bot/playouts", f"{text!r} names no bot: write a name, or a name and playouts as in mcts:400")
    player = Player(name, int(number[:9]) if colon else None)
    bot = find_bot(name)
    require_build(BuiltIn(name, bot.version, 0, bot.default_playouts if player.playouts is None else player.playouts))
    return player


def count_processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _make_task(
    ruleset_id: str,
    version: int | None,
    options: Mapping[str, Any] | None,
    seats: int | None,
    seed: int,
    players: Iterable[Player],
    rotate: bool,
    steps: bool,
    most_steps: int,
) -> Task:
    ruleset = find_ruleset(ruleset_id, version)
    seats = ruleset.min_seats if seats is None else seats
    require_seats(ruleset, seats)
    complete = ruleset.parse_options(dict(options or {}))
    ruleset.initial_state(complete, seats)  # so that options that do not fit are refused now
    if most_steps < 1:
        raise ValueError(f"most_steps is {most_steps}: a game has at least one step")
    return Task(ruleset, complete, seats, seed, tuple(players), rotate, steps, most_steps)


def _play(task: Task, first: int, games: int, workers: int | None, build: Path | None) -> Generator[Game]:
    if games < 0 or first < 0 or first + games > MOST_GAMES:
        raise ValueError(f"games {first} to {first + games - 1} are not to be had: number them from 0 to 2^53 - 1")
    workers = min(count_processors(), MOST_WORKERS) if workers is None else workers
    if not 0 <= workers <= MOST_WORKERS:
        raise ValueError(f"{workers} workers are not to be had: ask for 0 (this process) to {MOST_WORKERS}")
    if not workers:
        return _play_here(task, first, games)
    module = type(task.ruleset).__module__
    if module == "__main__":
        raise ValueError(
            f"{task.ruleset.id} is defined in the script that runs, where worker processes cannot import it. "
            "Put it into a module of its own, or play with workers=0."
        )
    return _play_in_workers(task, first, games, min(workers, games), build)


def _play_here(task: Task, first: int, games: int) -> Generator[Game]:
    yield from play_games(task, range(first, first + games))


class _Batch(NamedTuple):
    """What a worker has played, and the seconds that it took."""

    played: Played
    took_s: float


def _play_in_workers(task: Task, first: int, games: int, workers: int, build: Path | None) -> Generator[Game]:
    end, size = first + games, 1
    if not games:
        return
    with _Crew(task, workers, build) as crew:
        due: deque[Future[_Batch]] = deque()
        while due or first < end:
            while first < end and len(due) < AHEAD * workers:
                count = max(1, min(size, (end - first) // (AHEAD * workers)))
                due.append(crew.play(first, count))
                first += count
            batch = due.popleft().result()
            size = _choose_size(size, batch)
            yield from batch.played.games
            if batch.played.failure:
                raise GameFailed(*batch.played.failure)


def _choose_size(size: int, last: _Batch) -> int:
    """How many games a worker gets next: what it can play in BATCH_S, but no more than four times as many as before."""
    fitting = int(len(last.played.games) * BATCH_S / max(last.took_s, 1e-6))
    return max(1, min(fitting, 4 * size, MOST_AT_A_TIME))


class _Crew:
    """Worker processes, with a thread for each that waits for its answer. All end with the block."""

    def __init__(self, task: Task, size: int, build: Path | None) -> None:
        # Threads of the caller rule out forks, and a script without a main guard rules out multiprocessing.
        self._workers = [_Worker(task, build) for _ in range(size)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(size, "selfplay")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.kill()
        # A thread that still waits reads the end of its worker's answers.
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def play(self, first: int, count: int) -> Future[_Batch]:
        """Have games played by the first worker that is free."""
        return self._threads.submit(self._play, first, count)

    def _play(self, first: int, count: int) -> _Batch:
        worker, begun = self._idle.get(), time.monotonic()
        try:
            return _Batch(worker.play(first, count), time.monotonic() - begun)
        finally:
            self._idle.put(worker)  # a dead one as well, or another thread would wait for it for ever


class _Worker:
    """A process that plays games."""

    def __init__(self, task: Task, build: Path | None) -> None:
        path = os.pathsep.join([*([str(build)] if build else []), *(entry or os.getcwd() for entry in sys.path)])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "plyscribe.envs.selfplay_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            # Ctrl-C in a terminal goes to its process group. This process decides what it means, also for a worker that
            # is still starting.
            process_group=None if sys.platform == "win32" else 0,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._requests, self._answers = self._process.stdin, self._process.stdout
        self._task: Task | None = task

    def play(self, first: int, count: int) -> Played:
        """The games of these numbers up to one that fails; WorkerLost when the process has ended."""
        try:
            if self._task:
                pickle.dump(self._task, self._requests)
                self._task = None
            pickle.dump((first, count), self._requests)
            self._requests.flush()
            played: Played = pickle.load(self._answers)  # noqa: S301 (from a child of this process)
        except (OSError, EOFError, pickle.UnpicklingError):
            self._process.kill()
            raise WorkerLost(self._process.wait(), first, count) from None
        return played

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> None:
        """Wait for the end of the process, and close the pipes."""
        self._process.wait()
        self._answers.close()
        with suppress(OSError):  # something was still to be written
            self._requests.close()
