"""A job that takes its time."""

import time


def take_long(started: str, done: str, seconds: float) -> None:
    """Leave one file at the beginning, another at the end."""
    open(started, "w").close()
    time.sleep(seconds)
    open(done, "w").close()
