"""Signing in with a token, as somebody new, or with a recovery code.

A browser keeps a session, made with a token, in a cookie that scripts cannot read. The cookie has `SameSite=Lax`, so
that somebody who follows a link from elsewhere is signed in. Requests that change something must come from a page of
ours all the same: see `ApiRequest.session_sent`.
"""

import json
import re
import secrets
from contextlib import suppress
from typing import Any

from flask import Response, redirect, request
from marshmallow import ValidationError
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Refusal, Unknown
from plyscribe.domain.player import token_id
from plyscribe.service.access.accounts import Issued, SignedIn, digest_of
from plyscribe.service.access.repeatable import Repeatable
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import KeyExpired, ScopeMissing, Unauthenticated
from plyscribe.service.language.problems import translate_problem
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.api.http import MAX_BODY_BYTES, OLD_COOKIE, current_request, parts
from plyscribe.service.web.charging import charged
from plyscribe.service.web.pages.blueprint import asked_next, begin_sentence, blueprint, describe_visitor, show_page
from plyscribe.service.web.pages.browsers import name_browser
from plyscribe.service.web.pages.speech import gettext, page_language
from plyscribe.service.web.problems import problem_of, status_of
from plyscribe.service.web.schemas import bodies

KEY_BYTES = 16
"""Random bytes in the key of a form, which makes it safe to send the form again."""

_KEY = re.compile(f"[0-9a-f]{{{2 * KEY_BYTES}}}")


@blueprint.get("/sign-in")
def ask_who() -> Response:
    """Ask for a token, or for a name if anyone may open an account."""
    return _ask()


@blueprint.post("/sign-in")
@charged("tokens")
def sign_in() -> AnyResponse:
    """Sign this browser in with the token of the form, and go to the page that asked for it."""
    try:
        signed_in = parts().accounts.begin_session(_field("token"), _name_browser())
    except (Unauthenticated, Refusal) as error:
        return _ask(401, refused=_explain(error))
    _end_session()
    return _with_session(redirect(asked_next(), 303), signed_in)


@blueprint.post("/sign-up")
@charged("accounts")
def open_account() -> AnyResponse:
    """Open an account, sign this browser in, and show the token, for ten minutes again if the form is sent again."""
    if not parts().config.open_sign_up:
        raise ScopeMissing("on this server, an administrator opens accounts")
    try:
        asked = bodies.NewPlayer().load({"name": _field("name")})
    except ValidationError as error:
        [messages] = error.messages_dict.values()
        return _ask(422, refused_name=" ".join(messages), name=_field("name"))
    actor, scopes = Actor("system", "sign-up"), tuple(asked["scopes"])
    try:
        issued, signed_in = parts().accounts.sign_up_here(
            actor,
            asked["name"],
            asked["kind"],
            scopes,
            _name_browser(),
            repeatable_form(actor, "/sign-up", asked["name"]),
        )
    except (Refusal, KeyExpired, Unauthenticated) as refusal:
        return _ask(status_of(refusal), refused_name=_explain(refusal), name=_field("name"))
    return _welcome(issued, signed_in)


@blueprint.get("/recover")
def ask_code() -> Response:
    """Ask for the name and the recovery code of an account whose token was lost."""
    return _ask_code()


@blueprint.post("/recover")
@charged("tokens")
def recover() -> AnyResponse:
    """Give a new token to whoever has the name and the recovery code of an account, and sign this browser in."""
    fields = {name: _field(name) for name in ("name", "code")}
    try:
        asked = bodies.Recovery().load(fields)
        revoke_others = bool(_field("revoke_others"))
        repeated = repeatable_form(Actor("system", "recovery"), "/recover", [*fields.values(), revoke_others])
        issued, signed_in = parts().accounts.recover_here(
            asked["name"], asked["code"], _name_browser(), revoke_others, repeated
        )
    except ValidationError:
        return _ask_code(422, refused_code=gettext("Give your name and the whole code."), lost=fields["name"])
    except (Refusal, KeyExpired, Unauthenticated) as refusal:
        return _ask_code(status_of(refusal), refused_code=_explain(refusal), lost=fields["name"])
    return _welcome(issued, signed_in, back=True)


def _welcome(issued: Issued, signed_in: SignedIn, back: bool = False) -> AnyResponse:
    """The page that shows a token and a recovery code, as the account sees it that this browser is now signed in as."""
    player = issued.player
    _end_session(player.stream)
    scopes = player.tokens[digest_of(issued.token)].scopes
    shown = show_page(
        "welcome.html",
        who=describe_visitor(player, scopes),
        name=player.name,
        token=issued.token,
        code=issued.code,
        back_again=back,
        next=asked_next(),
    )
    shown.headers["Cache-Control"] = "no-store"
    return _with_session(shown, signed_in)


@blueprint.post("/sign-out")
def sign_out() -> AnyResponse:
    """End the session of this browser."""
    _end_session()
    return _without_session(redirect("/", 303))


def _end_session(unless_of: str = "") -> None:
    """End the session that this browser has had so far, if it has not ended and is not one of that account."""
    if session := current_request().session_sent:
        with suppress(Unauthenticated, Unknown):
            who = parts().accounts.authenticate_session(session)
            if who.account != unless_of:
                parts().accounts.revoke(who, token_id(who.digest))


def repeatable_form(actor: Actor, route: str, fields: object) -> Repeatable | None:
    """What makes it repeatable to send this form with the same fields; None without the form's key."""
    key = _field("key")
    if not _KEY.fullmatch(key):
        return None
    command = command_of(str(actor), "POST", f"{route} {json.dumps(fields)}", key, b"")
    return Repeatable(command, key, parts().config.server_key.ring)


def _ask(status: int = 200, **context: Any) -> Response:
    return show_page(
        "sign_in.html",
        status,
        open=parts().config.open_sign_up,
        key=new_form_key(),
        next=asked_next(),
        again="again" in request.args,
        **context,
    )


def _ask_code(status: int = 200, **context: Any) -> Response:
    return show_page("recover.html", status, key=new_form_key(), next=asked_next(), **context)


def new_form_key() -> str:
    """A key for a form, which makes it safe to send the form again."""
    return secrets.token_hex(KEY_BYTES)


def _explain(refusal: Refusal | KeyExpired | Unauthenticated) -> str:
    """What is wrong, in the language of the page."""
    detail: str = translate_problem(problem_of(refusal), page_language())["detail"]
    return begin_sentence(detail)


def _field(name: str) -> str:
    """A field of the form, without spaces at its ends: copying often adds some."""
    if (current_request().content_length or 0) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    return request.form.get(name, "").strip()


def _name_browser() -> str | None:
    return name_browser(request.headers.get("User-Agent", ""))


def _with_session(response: AnyResponse, signed_in: SignedIn) -> AnyResponse:
    asked = current_request()
    lasts_s = max(0, signed_in.expires_at - now_ms()) // 1000
    response.delete_cookie(OLD_COOKIE)
    response.set_cookie(
        asked.cookie_name,
        signed_in.session,
        max_age=lasts_s,
        httponly=True,
        samesite="Lax",
        secure=asked.is_encrypted,
    )
    return response


def _without_session(response: AnyResponse) -> AnyResponse:
    asked = current_request()
    # A browser removes a cookie with this prefix only if it is sent securely.
    response.delete_cookie(asked.cookie_name, httponly=True, samesite="Lax", secure=asked.is_encrypted)
    response.delete_cookie(OLD_COOKIE)
    return response
