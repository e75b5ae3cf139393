"""The job that makes a report, so that no thread of a web process has to."""

from collections.abc import Sequence
from typing import Any

import orjson

from plyscribe.service.reports.queued import MAX_BYTES
from plyscribe.service.reports.subjects import Subject
from plyscribe.workers.parts import process_parts


def make_report(kind: str, stream: str, numbers: Sequence[int], text: str = "") -> dict[str, Any]:
    """The report on a subject, which rq keeps; ValueError if it is too large to keep. May run any number of times."""
    report = process_parts().maker.make(Subject(kind, stream, tuple(numbers), text))
    if (size := len(orjson.dumps(report))) > MAX_BYTES:
        raise ValueError(f"the report has {size} bytes; at most {MAX_BYTES} are kept")
    return report
