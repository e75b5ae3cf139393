"""Running the tasks of a study in worker processes, each result noted as soon as it is there."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from plyscribe.service.config import register_rulesets
from plyscribe.service.laboratory.batches import Task
from plyscribe.service.laboratory.notebook import Notebook, StudyError
from plyscribe.service.processes.stopping import deaf_to_ctrl_c

TASKS_A_WORKER = 2
"""Tasks that wait or run for each worker: enough that none is idle, few enough to keep in memory."""

Progress = Callable[[Task], None]
"""Called in order with each task that is done."""


def run_tasks(tasks: Iterable[Task], notebook: Notebook, workers: int, progress: Progress) -> None:
    """Run all tasks that are not in the notebook; which worker runs a task makes no difference to its result.

    The tasks are taken one by one and only so far ahead as the workers need. With one worker they run in this process.
    At KeyboardInterrupt, workers finish what they have begun, and all that is done stays noted. StudyError if a worker
    dies.
    """
    if workers == 1:
        for task in tasks:
            if task.name not in notebook:
                notebook.add(task.name, task.run())
            progress(task)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin) as pool:
        try:
            _share_out(tasks, notebook, pool, workers, progress)
        except BrokenProcessPool:
            why = "a worker process died, perhaps for want of memory. What is done is kept: run the same command again"
            raise StudyError(why) from None


def _share_out(
    tasks: Iterable[Task], notebook: Notebook, pool: ProcessPoolExecutor, workers: int, progress: Progress
) -> None:
    begun: deque[tuple[Task, Future[dict[str, Any]] | None]] = deque()

    def finish_first() -> None:
        task, future = begun[0]
        if future:
            notebook.add(task.name, future.result())
        begun.popleft()
        progress(task)

    try:
        for task in tasks:
            # Workers are started when there is something for them to do.
            with deaf_to_ctrl_c():
                begun.append((task, None if task.name in notebook else pool.submit(_run, task)))
            if len(begun) >= workers * TASKS_A_WORKER:
                finish_first()
        while begun:
            finish_first()
    except KeyboardInterrupt:
        for task, future in begun:
            # What has begun cannot be stopped, and would be lost otherwise.
            if future and not future.cancel() and task.name not in notebook:
                notebook.add(task.name, future.result())
        raise


def _begin() -> None:
    # Where signals cannot be hidden from what is started.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))


def _run(task: Task) -> dict[str, Any]:
    return task.run()
