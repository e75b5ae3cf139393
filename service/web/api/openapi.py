"""Generates `openapi.yaml` from the routes, the docstrings and `@operation` marks of the views, and the schemas."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from marshmallow import Schema
from marshmallow.fields import Dict, Field
from marshmallow.validate import Length, Regexp
from werkzeug.routing import IntegerConverter, Rule

from plyscribe.service.access.repeatable import MIN_KEY_LENGTH
from plyscribe.service.language.catalogues import LANGUAGES
from plyscribe.service.web.api.examples import Examples, read_examples, some_problem
from plyscribe.service.web.api.http import PROBLEM, VERSION_PATTERN, made_once
from plyscribe.service.web.api.live import SSE
from plyscribe.service.web.charging import FREE, kind_of
from plyscribe.service.web.problems import PROBLEM_STATUSES, problem_title
from plyscribe.service.web.schemas import answers

YAML = "application/yaml"
PAGES = "pages"
"""The blueprint of the pages for people. They are not documented here: the API can do everything that they can."""

View = TypeVar("View", bound=Callable[..., Any])

DESCRIPTION = """\
Plyscribe records matches of board games move by move, as events, and gives back any position of any match at any
time.

A command answers with a receipt of the events that it stored. A successful answer means that they are stored on disk;
`/readyz` says when exactly. Send an `Idempotency-Key`, and you can safely repeat a request: it counts once, and every
repetition gets the same answer, byte for byte. Send `If-Match` with a version (as in `ETag`), and the command is
refused if anything has happened since.

Every error is a problem document (RFC 9457) with a stable `code`.
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """What the document says about a view, besides its docstring."""

    tag: str
    answers: dict[int, dict[str, type[Schema] | None]]
    problems: tuple[int, ...]
    body: type[Schema] | None
    takes: tuple[str, ...]
    query: type[Schema] | None
    open: bool
    command: bool
    keyed: bool
    secret: bool
    tagged: bool
    located: bool
    followed: bool
    spoken: bool
    timed: bool
    ranged: bool


def operation(
    tag: str,
    answer: type[Schema] | None = None,
    *,
    status: int = 200,
    media: dict[str, type[Schema] | None] | None = None,
    problems: tuple[int, ...] = (),
    body: type[Schema] | None = None,
    takes: tuple[str, ...] = (),
    query: type[Schema] | None = None,
    open: bool = False,
    command: bool = False,
    keyed: bool = True,
    secret: bool = False,
    tagged: bool = False,
    located: bool = False,
    followed: bool = False,
    spoken: bool = False,
    timed: bool = False,
    ranged: bool = False,
) -> Callable[[View], View]:
    """Mark a view with what the document says about it. The view is not wrapped, so requests cost nothing extra.

    `takes`: the media types of a body that is not JSON. `open`: no token is needed. `command`: it changes something.
    `keyed`: it takes an Idempotency-Key. `secret`: one that nobody can guess. `tagged`: its answers have an ETag, and
    requests can have If-None-Match.
    `located`: its answers have the Location of what it created. `followed`: one of its media types is a live stream
    after Last-Event-ID. `spoken`: it answers in a language that Accept-Language chooses.
    `timed`: Thought-Ms may say how long somebody thought. `ranged`: a part of it can be asked for with Range.
    """

    def mark(view: View) -> View:
        answered = {status: {"application/json": answer} if media is None else media}
        operation = Operation(
            tag,
            answered,
            problems,
            body,
            takes,
            query,
            open,
            command,
            keyed,
            secret,
            tagged,
            located,
            followed,
            spoken,
            timed,
            ranged,
        )
        view.__operation__ = operation  # type: ignore[attr-defined]
        return view

    return mark


def media_of(view: Callable[..., Any]) -> tuple[str, ...]:
    """The media types in which a view of the API answers; empty for a page."""
    marked: Operation | None = getattr(view, "__operation__", None)
    return tuple(media for answered in marked.answers.values() for media in answered) if marked else ()


def build_openapi(app: Flask) -> dict[str, Any]:
    """The OpenAPI 3.1 document of all routes; LookupError if a view is not marked with `@operation`."""
    plugin = MarshmallowPlugin(schema_name_resolver=_schema_name)
    spec = APISpec(
        title="Plyscribe",
        version="1",
        openapi_version="3.1.0",
        plugins=[plugin],
        info={"description": DESCRIPTION},
        servers=[{"url": "/"}],
    )
    assert plugin.converter is not None
    plugin.converter.add_attribute_function(_describe_keys)  # type: ignore[no-untyped-call]
    spec.components.security_scheme("token", {"type": "http", "scheme": "bearer", "bearerFormat": "ply_…"})
    spec.components.schema("Problem", schema=answers.Problem)
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    for status in PROBLEM_STATUSES:
        spec.components.response(f"Problem{status}", _describe_problem(status, some_problem(status)))
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        if rule.endpoint.startswith(f"{PAGES}."):
            continue
        view = app.view_functions[rule.endpoint]
        operation = getattr(view, "__operation__", None)
        if operation is None:
            raise LookupError(f"the view of {rule.rule} is not documented: mark it with @operation")
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        spec.path(
            path=re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule),
            operations={method.lower(): _describe(rule.endpoint, view, operation, method) for method in methods},
            parameters=[_path_parameter(rule, name) for name in sorted(rule.arguments)],
        )
    document = spec.to_dict()
    _speak_json_schema(document)
    for (shape, *_), name in plugin.converter.refs.items():
        described = document["components"]["schemas"][name]
        if alternatives := getattr(shape, "alternatives", ()):
            described = {"oneOf": [_one_of(described, fields) for fields in alternatives]}
            document["components"]["schemas"][name] = described
        described["description"] = inspect.cleandoc(shape.__doc__)
    return {"openapi": document.pop("openapi"), **document}


def _describe_keys(_: Any, field: Field[Any], ret: dict[str, Any], **__: Any) -> dict[str, Any]:
    """Which keys an object may have, and how many: apispec only says what their values are."""
    if not isinstance(field, Dict) or field.key_field is None:
        return {}
    sizes = [each for each in field.validators if isinstance(each, Length)]
    # apispec takes it for a text.
    for word in ("minLength", "maxLength"):
        ret.pop(word, None)
    patterns = [each.regex.pattern for each in field.key_field.validators if isinstance(each, Regexp)]
    least, most = ([value for each in sizes if (value := getattr(each, end)) is not None] for end in ("min", "max"))
    said: dict[str, Any] = {"minProperties": max(least)} if least else {}
    if most:
        said["maxProperties"] = min(most)
    if patterns:
        said |= {"patternProperties": {patterns[0]: ret["additionalProperties"]}, "additionalProperties": False}
    return said


def _one_of(whole: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """The object with these fields alone, the first of them required."""
    properties = {name: whole["properties"][name] for name in fields}
    return {"type": "object", "properties": properties, "required": [fields[0]], "additionalProperties": False}


def _speak_json_schema(part: Any) -> None:
    """Translate patterns and nullable queries from Python and marshmallow to JSON Schema."""
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _speak_json_schema(each)
    if not isinstance(part, dict):
        return
    if isinstance(pattern := part.get("pattern"), str):
        part["pattern"] = _anchored(pattern)
    if "patternProperties" in part:
        part["patternProperties"] = {_anchored(name): each for name, each in part["patternProperties"].items()}
    if part.get("in") == "query":
        _leave_out_null(part["schema"])


def _anchored(pattern: str) -> str:
    r"""Marshmallow anchors a pattern at the start only; JSON Schema does not anchor it and has no \Z."""
    return f"^(?:{pattern.removesuffix(_END)})$"


_END = r"\Z"


def _leave_out_null(schema: dict[str, Any]) -> None:
    """Remove null from the schema of a query parameter: a query leaves the parameter out instead."""
    if isinstance(schema.get("type"), list):
        [schema["type"]] = [kind for kind in schema["type"] if kind != "null"]
    if "enum" in schema:
        schema["enum"] = [value for value in schema["enum"] if value is not None]
    if schema.get("default") in (None, ""):
        schema.pop("default", None)


@made_once
def format_openapi(app: Flask) -> str:
    """The document as YAML, as it is committed."""
    return yaml.dump(build_openapi(app), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


# libyaml writes in a third of the time, and folds a few lines at other places. Packages of PyYAML bring it along.
class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes long texts as readable blocks, and repeats values instead of using aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dump_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _dump_text)


def _schema_name(schema: Any) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__


PLACES = {
    "clause": "The clause's id, as in refusals of moves.",
    "dataset": "The dataset's name, as in the description of the newest one.",
    "entrant": "The entrant's number in the tournament.",
    "penalty": "The number of the penalty, counted from 1.",
    "file": "The name of a file of the dataset.",
    "id": "The import's id.",
    "match": "The match's id, or the address of an imported match.",
    "number": "The number of the match among those that share the dice, from 2.",
    "player": "The account's id.",
    "ply": "The number of moves made before the position.",
    "round": "The round, counted from 1.",
    "ruleset": "The ruleset's id.",
    "seat": "The seat's number, counted from 1.",
    "token": "The token's id, as in the list of tokens.",
    "tournament": "The tournament's id.",
    "webhook": "The webhook's id.",
}
"""What each path parameter means; it has the same name in all paths."""


def _path_parameter(rule: Rule, name: str) -> dict[str, Any]:
    is_number = isinstance(rule._converters[name], IntegerConverter)
    parameter = {
        "name": name,
        "in": "path",
        "required": True,
        "description": PLACES[name],
        "schema": {"type": "integer", "minimum": 0} if is_number else {"type": "string"},
        "example": read_examples(operation_id(rule.endpoint)).path.get(name),
    }
    return {key: value for key, value in parameter.items() if value is not None}


def operation_id(endpoint: str) -> str:
    """The operation id of a view."""
    return endpoint.replace(".", "_")


def _describe(endpoint: str, view: Callable[..., Any], operation: Operation, method: str) -> dict[str, Any]:
    summary, _, description = (view.__doc__ or "").strip().partition("\n")
    kind = kind_of(view, method)
    shown = read_examples(operation_id(endpoint))
    described: dict[str, Any] = {
        "operationId": operation_id(endpoint),
        "tags": [operation.tag],
        "summary": summary.rstrip("."),
        "description": re.sub(r"\n +", "\n", description).strip(),
        "parameters": _parameters(operation),
        "responses": _responses(operation, shown, method, kind != FREE),
        "security": [{}, {"token": []}] if operation.open else [{"token": []}],
        "x-ratelimit-policy": kind if kind != FREE else "",
    }
    if operation.body is not None:
        body = operation.body()
        required = bool(getattr(body, "alternatives", ())) or any(field.required for field in body.fields.values())
        content = {"application/json": _content(operation.body, shown.bodies)}
        described["requestBody"] = {"required": required, "content": content}
    if operation.takes:
        content = {media: _content(None, shown.bodies) for media in operation.takes}
        described["requestBody"] = {"required": True, "content": content}
    return {key: value for key, value in described.items() if value not in ("", [])}


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = []
    if operation.query is not None:
        parameters.append({"in": "query", "schema": operation.query})
    if operation.command and operation.keyed:
        parameters.append(_secret_key() if operation.secret else _key())
    if operation.command and 412 in operation.problems:
        description = 'The version that the match or tournament must have, in quotes: `"12"`.'
        parameters.append(_header("If-Match", description, '"12"', pattern=rf"\*|{VERSION_PATTERN}"))
    if operation.followed:
        description = "The `id` of the last event that you received on a live stream."
        parameters.append(_header("Last-Event-ID", description, "12", pattern=NUMBER_PATTERN))
    if operation.spoken:
        description = f"The languages that you prefer. There are {' and '.join(LANGUAGES)}."
        parameters.append(_header("Accept-Language", description, "de, en;q=0.5"))
    if operation.timed:
        description = "The milliseconds for which you had the position before you moved."
        parameters.append(_header("Thought-Ms", description, "2450", pattern=MILLISECONDS_PATTERN))
    if operation.tagged:
        parameters.append(_header("If-None-Match", 'The `ETag` of the answer that you have: `"12"`.', '"12"'))
    if operation.ranged:
        parameters.append(_header("Range", "The part that you want, one at a time.", "bytes=0-1023"))
        parameters.append(_header("If-Range", "The `ETag` that a part must belong to; else you get all.", '"12"'))
    return parameters


KEY_DESCRIPTION = (
    "1 to 64 printable ASCII characters. Use a new key for each new request, and the same key to repeat a request."
)


def _key() -> dict[str, Any]:
    return _header("Idempotency-Key", KEY_DESCRIPTION, "move-7", pattern=KEY_PATTERN)


def _secret_key() -> dict[str, Any]:
    example = "4f0b6c1e9a7d4d52b8e3a1c05f26d7b9"
    return _header("Idempotency-Key", SECRET_KEY_DESCRIPTION, example, pattern=SECRET_KEY_PATTERN)


def _header(name: str, description: str, example: str, **schema: str) -> dict[str, Any]:
    shape = {"type": "string", **schema}
    return {"name": name, "in": "header", "description": description, "schema": shape, "example": example}


SECRET_KEY_DESCRIPTION = (
    f"{MIN_KEY_LENGTH} to 64 random characters, new for each new request. Send the same key to repeat the request "
    "within ten minutes: you get the same token. Keep it as secret as a token, because who knows it can do so too."
)

KEY_PATTERN = r"[!-~](?:[ -~]{0,62}[!-~])?"
"""HTTP takes the spaces from the ends of a header's value."""

SECRET_KEY_PATTERN = rf"[!-~][ -~]{{{MIN_KEY_LENGTH - 2},62}}[!-~]"

NUMBER_PATTERN = r"[0-9]{1,16}"

MILLISECONDS_PATTERN = r"[0-9]{1,12}"


def _responses(operation: Operation, shown: Examples, method: str, is_limited: bool) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, media in operation.answers.items():
        if status == SWITCHED:
            responses[str(status)] = {"description": SUCCESSES[status]}
            continue
        content = {name: _content(schema, shown.answers(status, name)) for name, schema in media.items()}
        # Some readers take these as text, others parse them, and events one by one.
        for name in {SSE, YAML} & content.keys():
            content[name]["schema"] = {}
        responses[str(status)] = {"description": SUCCESSES[status], "headers": _headers(operation), "content": content}
    if operation.followed:
        responses["204"] = {"description": "No more events will follow", "headers": _refer()}
    if operation.tagged:
        description = "You already have this version"
        responses["304"] = {"description": description, "headers": _refer("ETag", *_language(operation))}
    if operation.ranged:
        described = {"description": "The part that you asked for", "headers": _refer("ETag", "Content-Range")}
        content = {media: _content(None, shown.answers(206, media)) for media in operation.answers[200]}
        responses["206"] = {**described, "content": content}
    for status in sorted(set(operation.problems) | _always(operation, method) | ({429} if is_limited else set())):
        examples = shown.answers(status, PROBLEM)
        responses[str(status)] = _describe_problem(status, examples) if examples else f"Problem{status}"
    return responses


def _content(schema: type[Schema] | None, examples: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": schema or {"type": "string"}}
    if examples:
        content["examples"] = {name: {"value": value} for name, value in examples.items()}
    return content


def _describe_problem(status: int, examples: dict[str, Any]) -> dict[str, Any]:
    more = {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}.get(status, [])
    content = {PROBLEM: {**_content(None, examples), "schema": "Problem"}}
    return {"description": problem_title(status), "headers": _refer("Content-Language", *more), "content": content}


def _headers(operation: Operation) -> dict[str, Any]:
    given = {schema for media in operation.answers.values() for schema in media.values()}
    has_version = operation.tagged or bool(given & {answers.Receipt, answers.TournamentReceipt})
    sent = {
        "ETag": has_version,
        "Idempotency-Replayed": operation.command and operation.keyed,
        "Location": operation.located,
    }
    return _refer(*(name for name, is_sent in sent.items() if is_sent), *_language(operation))


def _language(operation: Operation) -> tuple[str, ...]:
    """The header of the language, for answers with sentences; of commands only refusals have some."""
    return ("Content-Language",) if operation.spoken and not operation.command else ()


ANSWERED = ("X-Request-Id", "RateLimit", "RateLimit-Policy")
"""The headers that any answer can have."""


def _refer(*headers: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*ANSWERED, *headers)}


def _response_header(description: str, example: str, required: bool = True) -> dict[str, Any]:
    return {"description": description, "required": required, "schema": {"type": "string"}, "example": example}


HEADERS = {
    "X-Request-Id": _response_header(
        "The id of the request, also in the server's log. You can send your own.", "asked-1"
    ),
    "RateLimit": _response_header(
        "How much of each limit in `RateLimit-Policy` is left (`r`), for how many seconds (`t`).",
        '"reads";r=598;t=7',
        False,
    ),
    "RateLimit-Policy": _response_header(
        "The limits that the request counts in: how much (`q`) in how many seconds (`w`). Absent if there are none.",
        '"reads";q=600;w=10',
        False,
    ),
    "ETag": _response_header('The version of what is answered, in quotes; of a packed answer `"12-gzip"`.', '"12"'),
    "Idempotency-Replayed": _response_header("`true` if this repeats the answer to an earlier request.", "true", False),
    "Content-Language": _response_header("The language of what is said in sentences.", "de", False),
    "Location": _response_header("The path of what was created.", f"/v1/matches/match-{'a' * 26}"),
    "Content-Range": _response_header("Which part this is, and how many bytes there are.", "bytes 0-1023/52214"),
    "Retry-After": _response_header("Seconds to wait before you try again.", "1"),
    "WWW-Authenticate": _response_header("How to authenticate.", 'Bearer realm="plyscribe"'),
}
SWITCHED = 101
SUCCESSES = {
    SWITCHED: "The connection stands",
    200: "Success",
    201: "Created",
    202: "Accepted: ask later for the result",
}


def _always(operation: Operation, method: str) -> set[int]:
    statuses = {400, 500, 503}
    if method == "GET":
        statuses |= {406}
    if operation.tag != "system":
        statuses |= {401}
    if not operation.open or {401, 404} & set(operation.problems):
        # The stream of what is asked for, or of the one who asks, may be damaged.
        statuses |= {409}
    if operation.body is not None or operation.takes:
        statuses |= {408, 411, 413, 415, 422}
    if operation.query is not None:
        statuses |= {422}
    return statuses
