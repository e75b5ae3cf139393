"""Metrics of every request, and the ids in its log records."""

import logging
import re
import time
from functools import cache

from flask import Flask, Request, Response, g

from plyscribe.service import metrics
from plyscribe.service.logs import begin_ids, bind_ids
from plyscribe.service.streams.ids import is_match_name
from plyscribe.service.web.api.http import current_request
from plyscribe.service.web.handover import HOLD

log = logging.getLogger(__name__)


def observe(app: Flask) -> None:
    """Count and log the requests of the application."""
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    g.started_s = time.perf_counter()
    asked = current_request()
    begin_ids(request_id=asked.id)
    match = (asked.view_args or {}).get("match", "")
    if is_match_name(match):
        bind_ids(match=match)


def _end(response: Response) -> Response:
    seconds = time.perf_counter() - g.started_s
    asked = current_request()
    if HOLD in asked.environ and asked.environ[HOLD].wait_s is not None:
        # The request waits for news. It is counted when it is repeated and answered.
        return response
    metrics.note_request(asked.method, _route_of(asked), response.status_code, seconds)
    if log.isEnabledFor(logging.DEBUG):
        refused = {"code": g.code} if "code" in g else {}
        log_answer(asked.method, _route_of(asked), response.status_code, seconds, **refused)
    return response


def log_answer(method: str, route: str, status: int, seconds: float, **more: str) -> None:
    """Log the answer to a request, for debugging."""
    request = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 2)}
    log.debug("answered", extra={**request, **more})


def note_problem(code: str) -> None:
    """Count a refusal, and remember its code for the log."""
    g.code = code
    metrics.note_refusal(code)


def route() -> str:
    """The template of this request's route, never its path, so that the number of metrics stays bounded."""
    return _route_of(current_request())


def _route_of(asked: Request) -> str:
    return _template(asked.url_rule.rule) if asked.url_rule else "none"


@cache
def _template(rule: str) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)
