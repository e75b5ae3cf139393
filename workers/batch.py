"""Jobs that take several matches: their writes go to the store together, and one that fails keeps no other back."""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TypeVar

from rq.timeouts import BaseTimeoutException

from plyscribe.domain.match import Match
from plyscribe.service.streams.handler import Answer, Handler, Order

TOGETHER = 32
"""Matches that wait for each other: enough to share what a write to disk costs, and little to do again."""

D = TypeVar("D")
T = TypeVar("T")

Work = Generator[Order, Match, T]
"""Work on one match: it yields what it wants to be executed and is given the match after that, or what was raised."""


def do_all(matches: Handler[Match], due: Sequence[D], begin: Callable[[Sequence[D]], Iterable[Work[T]]]) -> list[T]:
    """What the works on all that is due return, which are begun a few together and done step by step.

    What went wrong in some is raised together in the end, for rq to keep. When the time of the job is up, the rest is
    left: the relay finds it.
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
        raise ExceptionGroup("not all matches of this job were done", failures)
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
