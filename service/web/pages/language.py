"""The choice of a language, for those whose browser asks for another one."""

from flask import redirect, request
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.service.language.catalogues import LANGUAGES
from plyscribe.service.web.api.http import LANGUAGE_COOKIE, current_request
from plyscribe.service.web.pages.blueprint import asked_next, blueprint

KEPT_S = 365 * 24 * 3600

NAMES = {"en": "English", "de": "Deutsch"}
"""Each language by its own name."""


@blueprint.post("/language")
def choose() -> AnyResponse:
    """Keep the chosen language in this browser, and go back to the page."""
    return keep_language(redirect(asked_next(), 303))


def keep_language(response: AnyResponse) -> AnyResponse:
    """The response, which keeps the language of the form in this browser; BadRequest unless it is one of ours."""
    chosen = request.form.get("language", "")
    if chosen not in LANGUAGES:
        raise BadRequest(f"choose one of {', '.join(LANGUAGES)}")
    secure = current_request().is_encrypted
    response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=KEPT_S, samesite="Lax", secure=secure, httponly=True)
    return response


@blueprint.app_template_global("other_languages")
def list_others(language: str) -> list[tuple[str, str]]:
    """The languages besides this one, each with its own name."""
    return [(each, NAMES[each]) for each in LANGUAGES if each != language]
