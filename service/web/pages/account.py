"""The page of one's own account: its recovery code, the browsers that are signed in, the tokens, and the webhooks."""

from typing import Any
from urllib.parse import parse_qs, quote

from flask import redirect
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.commands import Actor
from plyscribe.domain.webhooks import TOPICS
from plyscribe.service.access.accounts import Principal
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import KeyExpired, Unauthenticated
from plyscribe.service.web.api.http import current_request, parts, principal_if_any
from plyscribe.service.web.api.tokens import describe_tokens
from plyscribe.service.web.api.webhooks import add, change, describe_webhooks, remove
from plyscribe.service.web.charging import charged
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.sign_in import new_form_key, repeatable_form
from plyscribe.service.web.pages.speech import gettext
from plyscribe.service.webhooks.targets import OFF


@blueprint.get("/account")
def show_account() -> AnyResponse:
    """Show the recovery code, browsers, tokens and webhooks of the account; without one, ask who it is."""
    who = principal_if_any()
    if who is None:
        return redirect(f"/sign-in?next={quote('/account')}", 303)
    return _show(who)


def _show(who: Principal, added: dict[str, Any] | None = None, code: str | None = None) -> AnyResponse:
    """The page; `added` is a new webhook, whose secret is shown only now, and `code` a new recovery code."""
    described = describe_tokens(who)
    player = parts().accounts.players.read(who.account)
    page = show_page(
        "account.html",
        player=player,
        recovery=player.recovery if player.recovery and player.recovery.is_valid(now_ms()) else None,
        code=code,
        key=new_form_key(),
        sessions=[each for each in described if each["kind"] == "session"],
        tokens=[each for each in described if each["kind"] == "token"],
        webhooks=describe_webhooks(who.account),
        added=added,
        topics=_name_topics(),
        has_webhooks=parts().config.webhooks != OFF,
    )
    page.headers["Cache-Control"] = "no-store"
    return page


@blueprint.post("/account/tokens/<token>/revocation")
def revoke(token: str) -> AnyResponse:
    """Revoke a token of the account, or end the session of a browser."""
    who = _require_account()
    parts().accounts.revoke(who, token)
    return redirect("/account", 303)


@blueprint.post("/account/recovery-code")
@charged("tokens")
def set_recovery_code() -> AnyResponse:
    """Give the account a new recovery code and show it, for ten minutes again if the form is sent again."""
    who = _require_account()
    actor = Actor("player", who.account)
    try:
        _, code = parts().accounts.set_code(who, repeatable_form(actor, "/account/recovery-code", who.digest))
    except KeyExpired:
        return redirect("/account", 303)
    return _show(who, code=code)


@blueprint.app_template_filter("scope")
def name_scope(scope: str) -> str:
    """What a scope of a token allows, as people call it."""
    known = {
        "play": gettext("playing matches"),
        "record": gettext("recording matches"),
        "organise": gettext("running tournaments"),
        "admin": gettext("administration"),
    }
    return known.get(scope, scope)


@blueprint.app_template_filter("browser")
def name_signed_in(label: str | None) -> str:
    """A browser that is signed in, by the label that it got when it was."""
    browser, on, system = (label or gettext("Unknown browser")).partition(" on ")
    return gettext("%(browser)s on %(system)s", browser=browser, system=system) if on else browser


def _name_topics() -> dict[str, str]:
    """The topics of webhooks as people call them."""
    names = (gettext("Your turn"), gettext("Match ended"), gettext("Round paired"), gettext("Tournament ended"))
    return dict(zip(TOPICS, names, strict=True))


@blueprint.post("/account/webhooks")
@charged("webhooks")
def add_webhook() -> AnyResponse:
    """Add a webhook to the account, and show its secret."""
    who = _require_account()
    form = parse_qs(current_request().body.decode(errors="replace"))
    _, added = add(who.account, form.get("url", [""])[0].strip(), form.get("topics", []))
    return _show(who, added)


@blueprint.post("/account/webhooks/<webhook>/removal")
def remove_webhook(webhook: str) -> AnyResponse:
    """Remove a webhook of the account."""
    remove(_require_account().account, webhook)
    return redirect("/account", 303)


@blueprint.post("/account/webhooks/<webhook>/<any(enabled, disabled):state>")
@charged("webhooks")
def switch_webhook(webhook: str, state: str) -> AnyResponse:
    """Enable or disable a webhook of the account."""
    change(_require_account().account, webhook, enabled=state == "enabled")
    return redirect("/account", 303)


@blueprint.post("/account/sign-out")
def sign_out_everywhere() -> AnyResponse:
    """End the sessions of all browsers, this one included."""
    who = _require_account()
    parts().accounts.end_sessions(who)
    return redirect("/sign-in", 303)


def _require_account() -> Principal:
    who = principal_if_any()
    if who is None:
        raise Unauthenticated("you are no longer signed in: sign in again")
    return who
