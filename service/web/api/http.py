"""The edge: reading what a request says, and writing answers and problems."""

import re
import secrets
from functools import cache, lru_cache
from typing import Any, cast
from urllib.parse import urlencode

import orjson
from flask import Request, Response, current_app, request
from marshmallow import Schema, ValidationError
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import LengthRequired, RequestEntityTooLarge
from werkzeug.utils import cached_property

from plyscribe.domain.chain import parse_json
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import NotCanonical
from plyscribe.service.access.accounts import Principal
from plyscribe.service.composition import Parts
from plyscribe.service.errors import (
    BadBody,
    BadRequest,
    BodyLate,
    NotAcceptable,
    TooManyLarge,
    Unauthenticated,
    UnsupportedType,
)
from plyscribe.service.logs import bind_ids
from plyscribe.service.store.port import CommandKey
from plyscribe.service.streams.handler import Answer
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.handover import CROWDED, LATE

JSON = "application/json"
NDJSON = "application/x-ndjson"
BUNDLE = "application/vnd.plyscribe.bundle+ndjson"
TEXT = "text/plain"
SVG = "image/svg+xml"
PROBLEM = "application/problem+json"

MAX_BODY_BYTES = 64 * 1024
LARGER_BODIES = {"/v1/imports": 16 * 1024 * 1024}
"""The paths where a body may be longer than MAX_BODY_BYTES, and how long it may be there."""

MAX_REPEATED_BYTES = 128
"""How long a body is at most that is worth to be remembered with what it reads as."""
COOKIE = "plyscribe_token"
"""The cookie by which a browser is signed in; its value is a token."""

TOKEN_HEADERS = ("Authorization", "Cookie")
"""Where a token may come: what answers vary by that depend on who asks."""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_KEY = re.compile(r"[\x20-\x7e]{1,64}")
_ETAG = re.compile(r'"(\d{1,15})(?:-[0-9a-f]{1,64})?"')
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class ApiRequest(Request):
    """A request with what is asked of it more than once.

    What most requests lack is looked up in the environment: `headers` raises an exception first where there is nothing.
    """

    @cached_property
    def id(self) -> str:
        """The client's X-Request-Id where it is fit, else a fresh one."""
        given = self.environ.get("HTTP_X_REQUEST_ID", "")
        return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)

    @cached_property
    def body(self) -> bytes:
        """The whole body, which must come with its length; BadRequest where it broke off on its way or was too slow.

        Servers hand on a body that broke off as if it had ended there. Only its length tells, so there must be one.
        """
        if "HTTP_TRANSFER_ENCODING" in self.environ:
            raise LengthRequired("send the body with a Content-Length, not in chunks")
        length = self.content_length or 0
        if length > LARGER_BODIES.get(self.path, MAX_BODY_BYTES):
            raise RequestEntityTooLarge
        raw: bytes = self.environ["wsgi.input"].read(length)
        if CROWDED in self.environ:
            raise TooManyLarge("other large bodies are being read at the moment: try again")
        if LATE in self.environ:
            raise BodyLate(f"the body did not arrive within {self.environ[LATE]:.0f} s")
        if len(raw) != length:
            raise BadRequest(f"{len(raw)} of {self.content_length} bytes of the body arrived", "request/truncated")
        return raw

    @cached_property
    def cookie_token(self) -> str | None:
        """The token in the cookie of our pages; None without one, and for a change that another site asks for.

        Cookies come along with what any site makes a browser send.
        """
        if "HTTP_COOKIE" not in self.environ:
            return None
        token = self.cookies.get(COOKIE)
        return token if token and (self.method in SAFE_METHODS or self.is_from_here) else None

    @property
    def is_from_here(self) -> bool:
        """Whether a browser says that it was a page of ours that asked; no other site can make it say so."""
        site: str | None = self.environ.get("HTTP_SEC_FETCH_SITE")
        if site is not None:
            return site == "same-origin"
        # Over plain HTTP from elsewhere than loopback browsers send the origin alone.
        _, _, origin = self.environ.get("HTTP_ORIGIN", "").partition("://")
        return bool(origin) and origin == self.host


def current_request() -> ApiRequest:
    """The request itself: every look through Flask's stand-in for it costs half a microsecond."""
    return request._get_current_object()  # type: ignore[attr-defined, no-any-return]


def parts() -> Parts:
    """What this application was composed of."""
    return cast(Parts, current_app.extensions["plyscribe"])


def bearer_token() -> str:
    """The token that the request was sent with, valid or not; Unauthenticated without one.

    It stands in the header, or in the cookie that our pages set.
    """
    asked = current_request()
    if (header := asked.environ.get("HTTP_AUTHORIZATION")) is None:
        token = asked.cookie_token
    else:
        scheme, _, token = header.partition(" ")
        token = token.strip() if scheme.lower() == "bearer" else None
    if not token:
        raise Unauthenticated("send your token as `Authorization: Bearer ply_…`", "auth/missing")
    return token


def principal() -> Principal:
    """Who the request comes from; Unauthenticated without a valid token."""
    who = parts().accounts.authenticate(bearer_token())
    bind_ids(actor=who.account)
    return who


def principal_if_any() -> Principal | None:
    """Who the request comes from, None for one without a token; Unauthenticated where its token is not valid.

    A browser sends its cookie unasked, so one that has become invalid counts as none.
    """
    asked = current_request()
    if "HTTP_AUTHORIZATION" in asked.environ:
        return principal()
    if asked.cookie_token is None:
        return None
    try:
        return principal()
    except Unauthenticated:
        return None


def has_token() -> bool:
    """Whether the request was sent with a token, valid or not."""
    asked = current_request()
    return "HTTP_AUTHORIZATION" in asked.environ or asked.cookie_token is not None


def parse_body(schema: type[Schema]) -> dict[str, Any]:
    """The body as the schema reads it; an absent body counts as an empty object."""
    asked = current_request()
    raw = asked.body
    if raw and asked.environ.get("CONTENT_TYPE") != JSON and asked.mimetype != JSON:
        raise UnsupportedType(f"the body is {asked.mimetype or 'of no type'}; send {JSON}")
    read = _read_again if len(raw) <= MAX_REPEATED_BYTES else _read_body
    try:
        return dict(read(schema, raw))
    except NotCanonical as error:
        raise BadRequest(f"the body cannot be read: {error}") from None
    except ValidationError as error:
        raise BadBody("the body does not fit: " + _format_fault(error), errors=_by_name(error.messages_dict)) from None


def _read_body(schema: type[Schema], raw: bytes) -> dict[str, Any]:
    return cast(dict[str, Any], _instance(schema).load(parse_json(raw) if raw else {}))


# The same moves are made over and over, in all matches of a ruleset.
_read_again = lru_cache(maxsize=4096)(_read_body)


def parse_query(schema: type[Schema], of_form: bool = False) -> dict[str, Any]:
    """The query parameters as the schema reads them; of a form's, those that were left empty count as absent."""
    try:
        if not request.query_string:
            return dict(_read_no_query(schema))
        given = {name: value for name, value in request.args.to_dict().items() if value or not of_form}
        return cast(dict[str, Any], _instance(schema).load(given))
    except ValidationError as error:
        raise BadBody("the query does not fit: " + _format_fault(error), errors=_by_name(error.messages_dict)) from None


@cache
def _read_no_query(schema: type[Schema]) -> dict[str, Any]:
    return cast(dict[str, Any], _instance(schema).load({}))


@cache
def _instance(schema: type[Schema]) -> Schema:
    return schema()


def _format_fault(error: ValidationError) -> str:
    return "; ".join(f"{name}: {_first(messages)}" for name, messages in error.messages_dict.items())


def _by_name(messages: Any) -> Any:
    """Marshmallow's messages with the places in lists as text, for JSON knows no other names."""
    return {str(name): _by_name(at) for name, at in messages.items()} if isinstance(messages, dict) else messages


def _first(messages: Any) -> str:
    if isinstance(messages, dict):
        return _first(next(iter(messages.values())))
    return _first(messages[0]) if isinstance(messages, list) else str(messages)


def idempotency_key() -> str | None:
    """The Idempotency-Key of the request; BadRequest where it is unfit."""
    key = current_request().headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key is 1 to 64 printable ASCII characters", "key/invalid")
    return key


def remembered(actor: Actor, step: str = "") -> CommandKey:
    """What the store remembers this request by, or one step of it; BadRequest where its Idempotency-Key is unfit."""
    asked = current_request()
    command = command_of(str(actor), asked.method, asked.path + step, idempotency_key(), asked.body)
    bind_ids(command=command.id.hex())
    return command


def expected_version() -> int | None:
    """The version that If-Match asks for; None without one."""
    text = current_request().environ.get("HTTP_IF_MATCH", "*").strip()
    if text == "*":
        return None
    tag = _ETAG.fullmatch(text)
    if tag is None:
        raise BadRequest('If-Match is one version in quotes, as in an ETag of ours: "12"', "request/if-match")
    return int(tag[1])


def accepted(*media: str) -> str:
    """The one of these media types that the client likes best, the first at a tie; NotAcceptable where none will do."""
    # Parameters such as a charset do not matter: each of ours comes in one form alone.
    wanted = MIMEAccept([(value.partition(";")[0].strip(), quality) for value, quality in request.accept_mimetypes])
    best = wanted.best_match(media) if wanted else media[0]
    if best is None:
        raise NotAcceptable(f"this comes as {' or '.join(media)}")
    return best


def answer(data: dict[str, Any], status: int = 200, media: str = JSON) -> Response:
    """A JSON answer."""
    return Response(orjson.dumps(data), status, content_type=media)


def answer_command(done: Answer[Any], receipt: dict[str, Any], status: int = 200) -> Response:
    """The receipt of a command; the same for the same request, but for the header that says so."""
    given = answer(receipt, status)
    given.headers["ETag"] = f'"{done.events[-1].version}"'
    if done.replayed:
        given.headers["Idempotency-Replayed"] = "true"
    return given


def path_with(**changed: Any) -> str:
    """The path of this request with some of its query changed, as `next` names it."""
    return f"{request.path}?{urlencode({**request.args.to_dict(), **changed})}"
