"""Jobs that take several matches: one that fails keeps no other from its turn."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from rq.timeouts import BaseTimeoutException

T = TypeVar("T")


def do_each(work: Callable[[T], object], items: Iterable[T]) -> None:
    """Do the work on each item; what went wrong on some is raised together in the end, for rq to keep.

    When the time of the job is up, the rest is left: the relay finds it.
    """
    failures: list[Exception] = []
    for item in items:
        try:
            work(item)
        except BaseTimeoutException:
            raise
        except Exception as error:
            failures.append(error)
    if failures:
        raise ExceptionGroup("not all matches of this job were done", failures)
