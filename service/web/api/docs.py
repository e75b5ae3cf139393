"""`/docs`: the API's description as a page, rendered on the server, without scripts or anything from other hosts."""

import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from flask import Blueprint, Flask, Response, current_app, render_template
from markupsafe import Markup, escape

from plyscribe.service.web.api.http import made_once
from plyscribe.service.web.api.openapi import build_openapi, operation
from plyscribe.service.web.charging import PAGE, charged
from plyscribe.service.web.packing import answer_fixed, fix

blueprint = Blueprint("docs", __name__, template_folder="templates")

PROBLEMS = Path(__file__).parent / "problems.md"
"""A copy of docs/api.md that is part of the package."""

STYLE = (Path(__file__).parent / "templates" / "docs.css").read_text(encoding="utf-8")
POLICY = "; ".join(
    [
        "default-src 'none'",
        f"style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
METHODS = ("get", "post", "put", "patch", "delete")
_ROW = re.compile(r"^\| (`[a-z-]+/[a-z-]+`[^|]*) \| ([0-9, ]+) \| ([^|]*) \|$", re.MULTILINE)


class Entry(NamedTuple):
    """An operation of the document, with its method, its path and all its parameters."""

    method: str
    path: str
    parameters: list[dict[str, Any]]
    operation: dict[str, Any]


class Problems(NamedTuple):
    """A row of the table of problems: the codes, their statuses and their meaning."""

    codes: str
    statuses: str
    meaning: str


@blueprint.get("/docs")
@charged(PAGE)
@operation("system", media={"text/html": None}, open=True, tagged=True)
def read_docs() -> Response:
    """Get the API's description as a page.

    The page needs no scripts and no other hosts.
    """
    page = _render(current_app._get_current_object())  # type: ignore[attr-defined]
    response = answer_fixed(fix(page), "text/html; charset=utf-8")
    response.headers.update({"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"})
    return response


@made_once
def _render(app: Flask) -> str:
    document = build_openapi(app)
    return render_template(
        "docs.html",
        document=document,
        groups=_group(document),
        problems=read_problems(),
        style=Markup(STYLE),  # noqa: S704
        words=_mark_up,
        pretty=_format_value,
        render_type=render_type,
        resolve=lambda part: _resolve(document, part),
    )


@made_once
def read_problems() -> list[Problems]:
    """The rows of the table of problems in docs/api.md."""
    return [Problems(*row) for row in _ROW.findall(PROBLEMS.read_text(encoding="utf-8"))]


def _group(document: dict[str, Any]) -> dict[str, list[Entry]]:
    """The operations by tag, sorted by path."""
    groups: dict[str, list[Entry]] = {}
    for each in _list_operations(document):
        groups.setdefault(each.operation["tags"][0], []).append(each)
    return groups


def _list_operations(document: dict[str, Any]) -> Iterator[Entry]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                parameters = item.get("parameters", []) + item[method].get("parameters", [])
                yield Entry(method.upper(), path, parameters, item[method])


def _resolve(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """The part that a reference points to; any other part unchanged."""
    if "$ref" not in part:
        return part
    found = document
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found


def render_type(schema: dict[str, Any]) -> Markup:
    """A schema in a few words, with links to the schemas that it refers to."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    for choice in ("allOf", "anyOf", "oneOf"):
        if choice in schema:
            return Markup(" or ").join(map(render_type, schema[choice]))
    kinds = schema.get("type", "any")
    text = escape(" or ".join(kinds) if isinstance(kinds, list) else kinds)
    if "items" in schema:
        text = Markup("{} of {}").format(text, render_type(schema["items"]))
    bounds = "".join(f", {word} {schema[name]}" for name, word in _BOUNDS.items() if name in schema)
    return Markup("{}{}").format(text, bounds)


_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "minLength": "length at least",
    "maxLength": "length at most",
    "minItems": "number at least",
    "maxItems": "number at most",
    "pattern": "matches",
    "enum": "one of",
    "default": "default",
}


def _mark_up(text: str) -> Markup:
    """A text of the document as HTML, with its paragraphs and its code between backquotes."""
    paragraphs = [Markup("<p>{}</p>").format(_mark_code(each)) for each in text.strip().split("\n\n")]
    return Markup("").join(paragraphs)


def _mark_code(text: str) -> Markup:
    plain, *rest = text.split("`")
    marked = escape(plain)
    for number, part in enumerate(rest):
        marked += Markup("<code>{}</code>").format(part) if number % 2 == 0 else escape(part)
    return marked


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
