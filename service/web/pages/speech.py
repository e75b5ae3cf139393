"""What pages say, in the language of the reader: English is what code and templates say, `texts/` has the others.

Templates say `_("Sign in")` or `{% trans %}`, modules `gettext("Sign in")`, and so do scripts, with `speech.js`. Values
have names: `gettext("%(name)s wins", name=winner)`.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.extract import extract
from flask import Flask, g, has_request_context
from markupsafe import Markup

from plyscribe.service.language.catalogues import ENGLISH, find_plural, read_folder
from plyscribe.service.web.api.http import negotiate_language

TEXTS = Path(__file__).parent / "texts"
SCRIPTS = Path(__file__).parent / "assets"

KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "_": None,
    "gettext": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
}
"""The functions whose arguments are texts to translate."""


def install_speech(app: Flask) -> None:
    """Let the templates of the application speak the language of the request."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(_find_one, _find_form, newstyle=True)  # type: ignore[attr-defined]
    # Pages say up to a hundred texts: this takes less than half as long as what the extension would call.
    app.jinja_env.globals["_"] = _say_in_page
    app.jinja_env.globals["page_language"] = page_language


def page_language() -> str:
    """The language of the page that is being made."""
    # A page says dozens of texts, so this looks once.
    try:
        language: str = g.page_language
    except (AttributeError, RuntimeError):
        if not has_request_context():
            return ENGLISH
        language = g.page_language = negotiate_language()
    return language


def gettext(text: str, **values: Any) -> str:
    """The text in the reader's language, with its values."""
    return _find_one(text) % values


def ngettext(one: str, many: str, num: int, **values: Any) -> str:
    """The text for this number in the reader's language; `%(num)s` is the number."""
    return _find_form(one, many, num) % {"num": num, **values}


def gettext_noop(text: str) -> str:
    """The text as it is: a constant that `gettext` is given later, in a request."""
    return text


def _say_in_page(text: str, **values: Any) -> Markup:
    """What a template says, with its values escaped."""
    bare, form = _read_safe(page_language(), text)
    return form % values if values else bare


@cache
def _read_safe(language: str, text: str) -> tuple[Markup, Markup]:
    """The text without values, and the form that takes values. Only templates ask, so there are as many as they say."""
    form = Markup(read_folder(TEXTS, language).get((None, text), (text,))[0])  # noqa: S704
    return (form if "%(" in form else form % {}), form


def _find_one(text: str) -> str:
    return read_folder(TEXTS, page_language()).get((None, text), (text,))[0]


def _find_form(one: str, many: str, num: int) -> str:
    language = page_language()
    forms = read_folder(TEXTS, language).get((None, one))
    if forms is None:
        return one if num == 1 else many
    return forms[find_plural(language, num)]


def render_script(language: str) -> str:
    """A script that gives the other scripts their texts in this language."""
    known = read_folder(TEXTS, language)
    said = [text for path in sorted(SCRIPTS.glob("*.js")) for text in list_script(path)]
    texts = {text: known[None, text] for text in said if (None, text) in known}
    return f"globalThis.plyscribeTexts = {json.dumps(texts, ensure_ascii=False)};\n"


def list_script(path: Path) -> Iterator[str]:
    """The English texts that a script says; of two forms, the singular."""
    with path.open("rb") as script:
        for _, said, _, _ in extract("javascript", script, keywords=KEYWORDS):
            yield said if isinstance(said, str) else said[0]
