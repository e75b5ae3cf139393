"""Health, readiness, metrics and the API's own description, for operators and tools."""

from flask import Blueprint, Response, current_app

from plyscribe.service import metrics
from plyscribe.service.health.gauges import read_gauges
from plyscribe.service.web.api.http import answer, parts, principal
from plyscribe.service.web.api.openapi import format_openapi, operation
from plyscribe.service.web.schemas import answers

blueprint = Blueprint("system", __name__)


@blueprint.get("/healthz")
@operation("system", answers.Health, open=True)
def health() -> Response:
    """Check that the process is running."""
    return answer({"status": "alive"})


@blueprint.get("/readyz")
@operation("system", answers.Ready, open=True)
def ready() -> Response:
    """Check that the store answers.

    `durability` says when a successful command is on disk.
    """
    return answer({"status": "ready", **parts().store.describe()})


@blueprint.get("/metrics")
@operation("system", media={metrics.CONTENT_TYPE.partition(";")[0]: None}, problems=(401, 403), open=True)
def read_metrics() -> Response:
    """Get the metrics of all processes in the Prometheus text format.

    Unless the operator has opened the metrics to everyone, this needs the scope `admin`.
    """
    if not parts().config.open_metrics:
        principal().require("admin")
    composed = parts()
    return Response(metrics.render_metrics(lambda: read_gauges(composed)), content_type=metrics.CONTENT_TYPE)


@blueprint.get("/openapi.yaml")
@operation("system", media={"application/yaml": None}, open=True)
def openapi() -> Response:
    """Get this document."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    return Response(format_openapi(app), content_type="application/yaml")
