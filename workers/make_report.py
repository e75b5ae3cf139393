"""The job that makes a report, so that no thread of a web process has to."""

from collections.abc import Sequence
from typing import Any

from plyscribe.service.reports.subjects import Subject
from plyscribe.workers.parts import process_parts


def make_report(kind: str, stream: str, numbers: Sequence[int]) -> dict[str, Any]:
    """The report on a subject, which rq keeps. May run any number of times."""
    return process_parts().maker.make(Subject(kind, stream, tuple(numbers)))
