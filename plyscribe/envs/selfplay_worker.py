"""A process that plays for another one: `python -m plyscribe.envs.selfplay_worker`.

It reads pickles from standard input: the task, then, again and again, the number of the first game and how many to
play. It writes a Played to standard output each time. It ends when standard input does, so also when the process that
started it dies.
"""

import gc
import os
import pickle
import signal
import sys
from typing import BinaryIO

from plyscribe.envs.playing import Task, play_batch

GARBAGE_THRESHOLDS = (50_000, 20, 100)
"""States refer to older ones only, so the collector finds nothing and need not look often."""


def main() -> None:
    """Answer until standard input ends."""
    # On Windows Ctrl-C goes to all processes of a terminal. The one that started this one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a ruleset prints must not get between the answers
    try:
        _answer(source, sink)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # nobody reads what is left to write


def _answer(source: BinaryIO, sink: BinaryIO) -> None:
    task: Task = pickle.load(source)  # noqa: S301 (from the process that started this one)
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    gc.freeze()
    while True:
        first, count = pickle.load(source)  # noqa: S301
        pickle.dump(play_batch(task, first, count), sink, pickle.HIGHEST_PROTOCOL)
        sink.flush()


if __name__ == "__main__":
    main()
