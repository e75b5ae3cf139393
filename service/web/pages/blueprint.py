"""What all pages share: the frame around them, and what they allow a browser to do."""

from typing import Any

from flask import Blueprint, Response, request

from plyscribe.domain.player import Player
from plyscribe.service.access.accounts import Principal
from plyscribe.service.errors import CrossSite, ServiceError
from plyscribe.service.store.port import StoreError
from plyscribe.service.web.api.http import (
    OLD_COOKIE,
    SAFE_METHODS,
    TOKEN_HEADERS,
    current_request,
    parts,
    principal_if_any,
)
from plyscribe.service.web.pages.speech import render_page

blueprint = Blueprint("pages", __name__, template_folder="templates")

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
"""Allows nothing from other sites, and no inline scripts or styles."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}


ABOUT_SIGNING_IN = ("/sign-in", "/sign-up", "/sign-out", "/recover")
"""Pages that signing in does not lead back to."""


@blueprint.before_request
def refuse_other_sites() -> None:
    """CrossSite for a form sent by another site, which may only read."""
    asked = current_request()
    if asked.method not in SAFE_METHODS and not asked.is_from_here:
        raise CrossSite("a form must be sent from a page of this site")


@blueprint.after_request
def confine(response: Response) -> Response:
    """Add the headers that confine a browser, to redirects and assets too."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if response.cache_control.private:
        response.vary.update(TOKEN_HEADERS)
    return response


def show_page(template: str, status: int = 200, who: dict[str, Any] | None = None, **context: Any) -> Response:
    """A page as the visitor sees it, or as `who` sees it, who has just signed in. Templates escape all text."""
    return _render(template, status, who or _describe(principal_if_any()), context)


def _render(template: str, status: int, who: dict[str, Any] | None, context: dict[str, Any]) -> Response:
    asked = current_request()
    path = request.full_path.rstrip("?")
    back = asked_next() if request.path in ABOUT_SIGNING_IN else path
    # The cookie of an earlier release holds a token, which must not go to other servers of this host any longer.
    had_token = OLD_COOKIE in asked.cookies
    lapsed = who is None and (had_token or asked.session_sent is not None)
    page = render_page(template, who=who, path=path, back=back, lapsed=lapsed, **context)
    response = Response(page, status, content_type=f"{HTML}; charset=utf-8", headers=HEADERS)
    if had_token:
        response.delete_cookie(OLD_COOKIE)
    # What moves did is told in the language of the reader.
    response.vary.update((*TOKEN_HEADERS, "Accept-Language"))
    return response


def asked_next() -> str:
    """The page of this site that `next` in the query leads to; the home page if it names none."""
    asked = request.args.get("next", "/")
    return asked if asked.startswith("/") and not asked.startswith(("//", "/\\")) and asked.isprintable() else "/"


def _describe(who: Principal | None) -> dict[str, Any] | None:
    # Whoever holds the code of a table has no account.
    if who is None or who.table is not None:
        return None
    return describe_visitor(parts().accounts.players.read(who.account), who.scopes)


def describe_visitor(player: Player, scopes: tuple[str, ...]) -> dict[str, Any]:
    """What the frame of a page shows of the account that is signed in."""
    return {"player": player.stream, "name": player.name, "scopes": scopes}


@blueprint.app_template_filter("sentence")
def begin_sentence(text: str) -> str:
    """The text with a capital at its beginning, as sentences have on pages."""
    return text[:1].upper() + text[1:]


def is_for_people() -> bool:
    """Whether to answer this request with a page, by what its client prefers."""
    if request.path.startswith("/v1/") or request.path == "/readyz":
        return False
    return request.accept_mimetypes.best_match((HTML, "application/json"), "application/json") == HTML


def show_problem(problem: dict[str, Any]) -> Response:
    """A problem as a page. It is shown signed out if the problem is that we cannot find out who asks."""
    try:
        # Do not wait a second time for a store that is down.
        who = None if problem["code"].startswith("store/") else _describe(principal_if_any())
    except (ServiceError, StoreError):
        who = None
    return _render("problem.html", problem["status"], who, {"problem": problem})
