"""What all pages share: the frame around them and what they allow a browser to do."""

from typing import Any

from flask import Blueprint, Response, render_template, request

from plyscribe.domain.player import Player
from plyscribe.service.access.accounts import Principal
from plyscribe.service.errors import CrossSite, ServiceError
from plyscribe.service.store.port import StoreError, StoreUnavailable
from plyscribe.service.web.api.http import SAFE_METHODS, TOKEN_HEADERS, current_request, parts, principal_if_any

blueprint = Blueprint("pages", __name__, template_folder="templates", static_folder="assets", static_url_path="/assets")

HTML = "text/html"

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
"""Nothing from elsewhere, and no script or style that stands in a page."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}


ABOUT_SIGNING_IN = ("/sign-in", "/sign-up", "/sign-out")
"""Pages that nobody wants to come back to after signing in."""


@blueprint.before_request
def refuse_other_sites() -> None:
    """CrossSite for a form that another site sends: no more than reading is for those."""
    asked = current_request()
    if asked.method not in SAFE_METHODS and not asked.is_from_here:
        raise CrossSite("this form counts only when it is sent from its own page")


@blueprint.after_request
def confine(response: Response) -> Response:
    """The answer, a redirect or an asset too, with what pages allow a browser to do."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if response.cache_control.private:
        response.vary.update(TOKEN_HEADERS)
    return response


def show_page(template: str, status: int = 200, **told: Any) -> Response:
    """A page, as the one who asks sees it. Templates escape all texts."""
    return _render(template, status, _describe(principal_if_any()), told)


def _render(template: str, status: int, who: dict[str, Any] | None, told: dict[str, Any]) -> Response:
    path = request.full_path.rstrip("?")
    back = asked_next() if request.path in ABOUT_SIGNING_IN else path
    page = render_template(template, who=who, path=path, back=back, **told)
    response = Response(page, status, content_type=f"{HTML}; charset=utf-8", headers=HEADERS)
    response.vary.update(TOKEN_HEADERS)
    return response


def asked_next() -> str:
    """Where `next` of the query leads: to a page of ours, the first one unless one is named."""
    asked = request.args.get("next", "/")
    return asked if asked.startswith("/") and not asked.startswith(("//", "/\\")) and asked.isprintable() else "/"


def _describe(who: Principal | None) -> dict[str, Any] | None:
    if who is None:
        return None
    player: Player = parts().accounts.players.read(who.account)
    return {"player": player.stream, "name": player.name, "scopes": who.scopes}


def is_for_people() -> bool:
    """Whether the answer to this request is to be a page, by what its client likes best."""
    if request.path.startswith("/v1/"):
        return False
    return request.accept_mimetypes.best_match((HTML, "application/json"), "application/json") == HTML


def show_problem(problem: dict[str, Any]) -> Response:
    """A problem as a page; as nobody sees it where the problem is that nobody can tell who asks."""
    try:
        # A store that is away is not waited for twice.
        who = None if problem["code"] == StoreUnavailable.code else _describe(principal_if_any())
    except (ServiceError, StoreError):
        who = None
    return _render("problem.html", problem["status"], who, {"problem": problem})
