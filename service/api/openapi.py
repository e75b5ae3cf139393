"""`openapi.yaml`: generated from the routes, what each view says of itself, and the schemas."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from marshmallow import Schema
from werkzeug.routing import IntegerConverter

from service import schemas
from service.api.http import PROBLEM
from service.errors import problem_title

View = TypeVar("View", bound=Callable[..., Any])

DESCRIPTION = """\
Plyscribe records matches of board games as events, move by move, and gives them back: any position of any match,
checked, at any time.

Commands answer with a receipt of the events that they stored: what was answered with success is on disk. Send an
`Idempotency-Key` and a request may be repeated at will: it counts once and gets the same answer, byte for byte. Send
`If-Match` with a version (as in `ETag`) and the command counts only if nothing has happened since.

Every error is an RFC 9457 problem document with a stable `code`.
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a view says of itself beside its docstring."""

    tag: str
    answers: dict[int, dict[str, type[Schema] | None]]
    problems: tuple[int, ...]
    body: type[Schema] | None
    query: type[Schema] | None
    open: bool
    command: bool
    keyed: bool


def operation(
    tag: str,
    answer: type[Schema] | None = None,
    *,
    status: int = 200,
    media: dict[str, type[Schema] | None] | None = None,
    problems: tuple[int, ...] = (),
    body: type[Schema] | None = None,
    query: type[Schema] | None = None,
    open: bool = False,
    command: bool = False,
    keyed: bool = True,
) -> Callable[[View], View]:
    """Mark a view with its contract; nothing is wrapped, so a request pays nothing for it."""

    def mark(view: View) -> View:
        answers = {status: media or {"application/json": answer}}
        view.__operation__ = Operation(tag, answers, problems, body, query, open, command, keyed)  # type: ignore[attr-defined]
        return view

    return mark


def build_openapi(app: Flask) -> dict[str, Any]:
    """The OpenAPI 3.1 document of all routes; LookupError for a route whose view says nothing of itself."""
    spec = APISpec(
        title="Plyscribe",
        version="1",
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin(schema_name_resolver=_schema_name)],
        info={"description": DESCRIPTION},
        servers=[{"url": "/"}],
    )
    spec.components.security_scheme("token", {"type": "http", "scheme": "bearer", "bearerFormat": "ply_…"})
    spec.components.schema("Problem", schema=schemas.Problem)
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        if rule.endpoint == "static":
            continue
        view = app.view_functions[rule.endpoint]
        operation = getattr(view, "__operation__", None)
        if operation is None:
            raise LookupError(f"the view of {rule.rule} says nothing of itself: mark it with @operation")
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        spec.path(
            path=re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule),
            operations={method.lower(): _describe(rule.endpoint, view, operation) for method in methods},
            parameters=[_path_parameter(name, rule._converters[name]) for name in sorted(rule.arguments)],
        )
    document = spec.to_dict()
    return {"openapi": document.pop("openapi"), **document}


def format_openapi(app: Flask) -> str:
    """The document as the YAML that is committed."""
    return yaml.dump(build_openapi(app), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks that a person can read."""


def _dump_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _dump_text)


def _schema_name(schema: Any) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__


def _path_parameter(name: str, converter: Any) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0} if isinstance(converter, IntegerConverter) else {"type": "string"}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _describe(endpoint: str, view: Callable[..., Any], operation: Operation) -> dict[str, Any]:
    summary, _, description = (view.__doc__ or "").strip().partition("\n")
    described: dict[str, Any] = {
        "operationId": endpoint.replace(".", "_"),
        "tags": [operation.tag],
        "summary": summary.rstrip("."),
        "description": re.sub(r"\n +", "\n", description).strip(),
        "parameters": _parameters(operation),
        "responses": _responses(operation),
        "security": [{}, {"token": []}] if operation.open else [{"token": []}],
    }
    if operation.body is not None:
        required = any(field.required for field in operation.body().fields.values())
        content = {"application/json": {"schema": operation.body}}
        described["requestBody"] = {"required": required, "content": content}
    return {key: value for key, value in described.items() if value not in ("", [])}


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = []
    if operation.query is not None:
        parameters.append({"in": "query", "schema": operation.query})
    if operation.command and operation.keyed:
        parameters.append(_header("Idempotency-Key", "1 to 64 printable ASCII characters, new for each new request."))
    if operation.command and 412 in operation.problems:
        parameters.append(_header("If-Match", 'The version that the match must have, in quotes: `"12"`.'))
    return parameters


def _header(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string"}}


def _responses(operation: Operation) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, media in operation.answers.items():
        content: dict[str, Any] = {name: {"schema": schema or {"type": "string"}} for name, schema in media.items()}
        responses[str(status)] = {"description": _SUCCESS[status], "content": content}
    for status in sorted(set(operation.problems) | _always(operation)):
        content = {PROBLEM: {"schema": "Problem"}}
        responses[str(status)] = {"description": problem_title(status), "content": content}
    return responses


_SUCCESS = {200: "As asked", 201: "Created"}


def _always(operation: Operation) -> set[int]:
    statuses = {500, 503}
    if not operation.open:
        statuses |= {401}
    if operation.body is not None:
        statuses |= {400, 411, 413, 415, 422}
    if operation.query is not None:
        statuses |= {422}
    if operation.command:
        statuses |= {400}
    return statuses
