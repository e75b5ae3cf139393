"""Health, readiness, metrics and the API's own description, for operators and tools."""

from flask import Blueprint, Response, current_app

from plyscribe.service import metrics
from plyscribe.service.health.gauges import read_gauges
from plyscribe.service.health.readiness import Readiness
from plyscribe.service.web.api.http import answer, parts, principal
from plyscribe.service.web.api.openapi import YAML, format_openapi, operation
from plyscribe.service.web.charging import FREE, PAGE, charged
from plyscribe.service.web.packing import answer_fixed, fix
from plyscribe.service.web.schemas import answers

READINESS = "plyscribe-readiness"
"""The extension of the application that knows whether the store takes writes."""

blueprint = Blueprint("system", __name__)


@blueprint.get("/healthz")
@charged(FREE)
@operation("system", answers.Health, open=True)
def health() -> Response:
    """Check that the process is running."""
    return answer({"status": "alive"})


@blueprint.get("/readyz")
@charged(FREE)
@operation("system", answers.Ready, open=True)
def ready() -> Response:
    """Check that the store takes writes.

    `durability` says when a successful command is on disk, `replicas_awaited` how many replicas have it then. Looks at
    the store at most once a second, and answers within half a second. 503 with the code of the trouble if nothing can
    be stored now.
    """
    return answer({"status": "ready", **_readiness().read()._asdict()})


def _readiness() -> Readiness:
    readiness: Readiness = current_app.extensions[READINESS]
    return readiness


@blueprint.get("/metrics")
@charged(FREE)
@operation("system", media={metrics.CONTENT_TYPE.partition(";")[0]: None}, problems=(401, 403), open=True)
def read_metrics() -> Response:
    """Get the metrics of all processes in the Prometheus text format.

    Unless the operator has opened the metrics to everyone, this needs the scope `admin`.
    """
    composed, readiness = parts(), _readiness()
    if not composed.config.open_metrics:
        # Without an answer from the store nobody can be known, and to wait for one would take seconds.
        readiness.require_answer()
        principal().require("admin")
    return Response(metrics.render_metrics(lambda: read_gauges(composed, readiness)), content_type=metrics.CONTENT_TYPE)


@blueprint.get("/openapi.yaml")
@charged(PAGE)
@operation("system", media={YAML: None}, open=True, tagged=True)
def openapi() -> Response:
    """Get this document."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    return answer_fixed(fix(format_openapi(app)), YAML)
