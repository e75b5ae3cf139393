"""What operators and tools ask: whether the service is alive, ready, and what it offers."""

from flask import Blueprint, Response, current_app

from service import schemas
from service.api.http import answer, parts
from service.api.openapi import format_openapi, operation

blueprint = Blueprint("system", __name__)


@blueprint.get("/healthz")
@operation("system", schemas.Health, open=True)
def health() -> Response:
    """Tell that the process answers."""
    return answer({"status": "alive"})


@blueprint.get("/readyz")
@operation("system", schemas.Ready, open=True)
def ready() -> Response:
    """Tell that the store answers, and what a success answer is worth.

    `durability` is `always` (on disk before the answer), `everysec` (within a second) or `unknown`.
    """
    return answer({"status": "ready", **parts().store.describe()})


@blueprint.get("/openapi.yaml")
@operation("system", media={"application/yaml": None}, open=True)
def openapi() -> Response:
    """Give this document."""
    return Response(format_openapi(current_app), content_type="application/yaml")
