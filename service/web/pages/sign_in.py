"""Signing in: the token of a browser is kept in a cookie that scripts cannot read."""

from flask import Response, redirect, request
from marshmallow import ValidationError
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.commands import Actor
from plyscribe.service.errors import ScopeMissing, Unauthenticated
from plyscribe.service.web.api.http import COOKIE, MAX_BODY_BYTES, current_request, parts
from plyscribe.service.web.pages.blueprint import asked_next, blueprint, show_page
from plyscribe.service.web.schemas import bodies

STAYS_S = 365 * 24 * 3600


@blueprint.get("/sign-in")
def ask_who() -> Response:
    """Ask for a token, or for a name if anyone may open an account."""
    return _ask()


@blueprint.post("/sign-in")
def sign_in() -> AnyResponse:
    """Sign this browser in with the token of the form, and go to the page that asked for it."""
    token = _field("token")
    try:
        parts().accounts.authenticate(token)
    except Unauthenticated as error:
        return _ask(401, refused=str(error))
    return _with_token(redirect(asked_next(), 303), token)


@blueprint.post("/sign-up")
def open_account() -> AnyResponse:
    """Open an account, sign this browser in, and show the token for the only time."""
    if not parts().config.open_sign_up:
        raise ScopeMissing("on this server, an administrator opens accounts")
    try:
        asked = bodies.NewPlayer().load({"name": _field("name")})
    except ValidationError as error:
        [messages] = error.messages_dict.values()
        return _ask(422, refused_name=" ".join(messages), name=_field("name"))
    player, token = parts().accounts.sign_up(
        Actor("system", "sign-up"), asked["name"], asked["kind"], tuple(asked["scopes"])
    )
    shown = show_page("welcome.html", name=player.name, token=token, next=asked_next())
    shown.headers["Cache-Control"] = "no-store"
    return _with_token(shown, token)


@blueprint.post("/sign-out")
def sign_out() -> AnyResponse:
    """Make this browser forget its token. The token stays valid."""
    response = redirect("/", 303)
    response.delete_cookie(COOKIE)
    return response


def _ask(status: int = 200, **context: str) -> Response:
    return show_page("sign_in.html", status, open=parts().config.open_sign_up, next=asked_next(), **context)


def _field(name: str) -> str:
    """A field of the form, without spaces at its ends: copying often adds some."""
    if (current_request().content_length or 0) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    return request.form.get(name, "").strip()


def _with_token(response: AnyResponse, token: str) -> AnyResponse:
    # A proxy that speaks HTTPS to the browser says so. A client that lies about it locks out only itself.
    secure = request.is_secure or request.headers.get("X-Forwarded-Proto") == "https"
    response.set_cookie(COOKIE, token, max_age=STAYS_S, httponly=True, samesite="Lax", secure=secure)
    return response
