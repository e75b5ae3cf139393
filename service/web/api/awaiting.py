"""Answers that wait for a report, without a thread."""

from collections.abc import Callable

from flask import Response, request

from plyscribe.service.reports.desk import Awaited
from plyscribe.service.reports.subjects import Json, Subject
from plyscribe.service.web.api.http import parts
from plyscribe.service.web.handover import HOLD, HOLDS, WAITED

SHORT = 100
"""Reports on matches of so many events are made in the thread that answers: 1 to 5 ms, less than a job would take."""


def answer_report(subject: Subject, show: Callable[[Json], Response], events: int | None = None) -> Response:
    """What `show` makes of the report on the subject. ReportBusy, ReportFailed, StoreUnavailable.

    The request is held until the report is made, and then repeated. If the subject has grown meanwhile, it still gets
    the report that it waited for. With `events`, the report is on so many events.
    """
    waited: Awaited | None = request.environ.get(WAITED)
    if waited is not None:
        return show(waited.read())
    if events is not None and events <= SHORT:
        return show(parts().maker.make(subject))
    request.environ[HOLD] = parts().desk.wait_for(subject, in_thread=HOLDS not in request.environ)
    return Response(status=202)
