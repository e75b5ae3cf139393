"""Runs the work of a job on several matches at once: shares writes to the store, and isolates failures."""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TypeVar

from rq.timeouts import BaseTimeoutException

from plyscribe.domain.match import Match
from plyscribe.service.streams.handler import Answer, Handler, Order

TOGETHER = 32
"""Matches that are worked on together: enough to share the cost of a write to disk, few enough to redo cheaply."""

D = TypeVar("D")
T = TypeVar("T")

Work = Generator[Order, Match, T]
"""Work on one match: it yields orders, and each `yield` returns the match after the order, or raises why it failed."""


def do_all(matches: Handler[Match], due: Sequence[D], begin: Callable[[Sequence[D]], Iterable[Work[T]]]) -> list[T]:
    """Do all that is due, a few at a time and step by step, and return the results of all work that succeeded.

    Failures are raised together at the end, as an ExceptionGroup that rq keeps. When the job runs out of time, the
    rest is left undone; the relay's sweep finds it.
    """
    done: list[T] = []
    failures: list[Exception] = []
    for place in range(0, len(due), TOGETHER):
        try:
            _do_together(matches, begin(due[place : place + TOGETHER]), done, failures)
        except BaseTimeoutException:
            raise
        except Exception as error:
            failures.append(error)
    if failures:
        raise ExceptionGroup("some matches of this job failed", failures)
    return done


def _do_together(matches: Handler[Match], works: Iterable[Work[T]], done: list[T], failures: list[Exception]) -> None:
    steps: list[tuple[Work[T], Callable[[], Order]]] = [(work, work.__next__) for work in works]
    while steps:
        wanted: list[tuple[Work[T], Order]] = []
        for work, step in steps:
            try:
                wanted.append((work, step()))
            except StopIteration as end:
                done.append(end.value)
            except BaseTimeoutException:
                raise
            except Exception as error:
                failures.append(error)
        answers = matches.execute_all([order for _, order in wanted])
        steps = [(work, _go_on(work, answer)) for (work, _), answer in zip(wanted, answers, strict=True)]


def _go_on(work: Work[T], answer: Answer[Match] | Exception) -> Callable[[], Order]:
    if isinstance(answer, Answer):
        state = answer.state
        return lambda: work.send(state)
    error = answer
    return lambda: work.throw(error)
