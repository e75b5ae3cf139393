"""What pages say, in the language of the reader: English is what code and templates say, `texts/` has the others.

Templates say `_("Sign in")`, modules `gettext("Sign in")`, and so do scripts, with `speech.js`. Values have names:
`gettext("%(name)s wins", name=winner)`.
"""

import json
from collections.abc import Hashable, Iterator, MutableMapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import orjson
from babel.messages.extract import extract
from flask import Flask, current_app, g, has_request_context, render_template
from flask.templating import Environment
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Macro
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

from plyscribe.service.language.catalogues import ENGLISH, LANGUAGES, find_plural, read_folder
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
    """Let the templates of the application speak the languages of its readers."""
    said = {"_": _say_in_page, "ngettext": _count_in_page, "page_language": page_language}
    app.jinja_env.globals |= {**said, "once": render_once, "large_once": render_large_once}
    app.jinja_env.policies |= {"json.dumps_function": _dump, "json.dumps_kwargs": {}}
    # Each language has templates of its own, in which most texts stand already.
    app.extensions[__name__] = {language: _speak(app.jinja_env, language) for language in LANGUAGES}


def _speak(environment: Environment, language: str) -> Environment:
    speaking: Environment = environment.overlay()
    speaking.extend(language=language)
    return speaking


def render_page(template: str, **context: Any) -> str:
    """The page that a template makes, in the language of the reader."""
    return render_template(current_app.extensions[__name__][page_language()].get_template(template), **context)


@lru_cache(4096)
def render_once(macro: Macro, *values: Hashable) -> Markup:
    """What a macro makes of these values, kept for the next visitor: it must depend on nothing else.

    Everybody who follows a match is shown its moves anew after every move. The values are plain text, never Markup,
    which is equal to the text that it would let through.
    """
    return Markup(macro(*values))  # noqa: S704 (a macro escapes what it is given)


@lru_cache(128)
def render_large_once(macro: Macro, *values: Hashable) -> Markup:
    """As `render_once`, for what takes up to some 100 kB."""
    return Markup(macro(*values))  # noqa: S704 (as above)


class _Compiler(CodeGenerator):
    """Compiles a template for one language. A page of a hundred texts is made in half the time."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 (the compiler's name)
        super().visit_Template(_Fixed(self.environment).visit(node), frame)


class _Fixed(NodeTransformer):
    """Replaces what is the same on every page by what it is: texts that take no values, and the paths of assets."""

    def __init__(self, environment: Any) -> None:
        self._environment = environment

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802 (the visitor's name)
        self.generic_visit(node)
        match node.node, node.args, (node.kwargs, node.dyn_args, node.dyn_kwargs):
            case nodes.Name(name="_"), [nodes.Const(value=str(text))], ([], None, None):
                return nodes.Const(_read_safe(self._environment.language, text)[0], lineno=node.lineno)
            case nodes.Name(name="asset"), [nodes.Const(value=str(name))], ([], None, None):
                return nodes.Const(self._environment.globals["asset"](name), lineno=node.lineno)
        return node


class PageEnvironment(Environment):
    """Makes pages. What a template knows is a plain dict: a page looks into it hundreds of times."""

    code_generator_class = _Compiler

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What a template knows: what all know, and this."""
        return {**self.globals, **(d or {})}


def _dump(value: Any) -> str:
    """What `tojson` writes, before it is made safe for HTML; much faster than the standard library."""
    # Named tuples are lists, as the standard library has them.
    return orjson.dumps(value, default=list, option=orjson.OPT_NON_STR_KEYS).decode()


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
    return _fill(form, values) if values else bare


def _count_in_page(one: str, many: str, num: int, **values: Any) -> Markup:
    """What a template says of a number, with its values escaped."""
    return _fill(_find_form(one, many, num), {"num": num, **values})


def _fill(form: str, values: dict[str, Any]) -> Markup:
    """A form with its values escaped, as Markup does it itself, in half its time."""
    return Markup(form % {name: escape(value) for name, value in values.items()})  # noqa: S704


@cache
def _read_safe(language: str, text: str) -> tuple[Markup, str]:
    """The text without values, and the form that takes values. Only templates ask, so there are as many as they say."""
    form = read_folder(TEXTS, language).get((None, text), (text,))[0]
    return Markup(form if "%(" in form else form % {}), form  # noqa: S704


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
