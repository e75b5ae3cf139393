"""Read requests and write answers."""

import re
import secrets
import threading
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial, wraps
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, cast
from urllib.parse import urlencode

import orjson
from flask import Request, Response, current_app, request
from marshmallow import Schema, ValidationError, fields
from marshmallow.exceptions import SCHEMA
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import LengthRequired, RequestEntityTooLarge
from werkzeug.http import parse_accept_header
from werkzeug.utils import cached_property

from plyscribe.domain.chain import parse_request
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import NotCanonical
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.allowances import network_of
from plyscribe.service.access.repeatable import MIN_KEY_LENGTH, Repeatable
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
from plyscribe.service.language.catalogues import LANGUAGES, choose_language
from plyscribe.service.logs import bind_ids
from plyscribe.service.store.port import CommandKey
from plyscribe.service.streams.handler import Answer
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.handover import CROWDED, LATE, TRIED

JSON = "application/json"
NDJSON = "application/x-ndjson"
BUNDLE = "application/vnd.plyscribe.bundle+ndjson"
TEXT = "text/plain"
SVG = "image/svg+xml"
PROBLEM = "application/problem+json"

MAX_BODY_BYTES = 64 * 1024
LARGER_BODIES = {"/v1/imports": 16 * 1024 * 1024, "/v1/tournament-imports": 256 * 1024}
"""The paths where a body may be longer than MAX_BODY_BYTES, with their limits."""

MAX_REPEATED_BYTES = 128
"""Bodies and `Accept` headers up to this size are cached with their parsed form."""
LANGUAGE_COOKIE = "plyscribe_language"
"""The cookie with the language that a reader chose on a page."""

OLD_COOKIE = "plyscribe_token"
"""The cookie of earlier releases, whose value is a token. It signs nobody in any more."""

TOKEN_HEADERS = ("Authorization", "Cookie")
"""The headers that say who asks. Answers that depend on the account vary by them."""

READS = ("GET", "HEAD")
"""The methods that only read."""

A = TypeVarTuple("A")
T = TypeVar("T")

TABLE_PREFIX = "plyt_"
TABLE_PAGES = "/at/"
"""What the address of a page at a table begins with. The code follows."""

AT_TABLE = frozenset({"matches", "tournaments", "variations", "pages"})
"""The blueprints whose views know that whoever holds the code of a table has no account."""

SAFE_METHODS = (*READS, "OPTIONS")
VERSION_PATTERN = r'(?:W/)?"([0-9]{1,15})(?:-[0-9a-f]{1,64})?(?:-gzip)?"'
"""An ETag of ours, and the version in it. A proxy that packs answers makes the tag a weak one."""

KEY = re.compile(r"[\x20-\x7e]{1,64}")
_MILLISECONDS = re.compile(r"[0-9]{1,12}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class ApiRequest(Request):
    """A request that caches what is read more than once.

    Headers that most requests lack are looked up in the environment, because `headers` is slow for a missing one.
    """

    allowed: tuple[str, str] | None = None
    """What the answer says of the client's allowance: the headers RateLimit-Policy and RateLimit."""

    principal: Principal | None = None
    """The account that sent the request, once it has been looked up."""

    @cached_property
    def id(self) -> str:
        """The client's X-Request-Id if it is valid, else a new one."""
        return choose_request_id(self.environ.get("HTTP_X_REQUEST_ID", ""))

    @cached_property
    def body(self) -> bytes:
        """The whole body. It must come with its length.

        A server passes on a body that broke off as if it were complete, so only the length shows that something is
        missing. Raises LengthRequired, RequestEntityTooLarge, TooManyLarge, BodyLate, and BadRequest for a body that
        broke off.
        """
        if "HTTP_TRANSFER_ENCODING" in self.environ:
            raise LengthRequired("send the body with a Content-Length, not in chunks")
        length = self.content_length or 0
        if length > (limit := LARGER_BODIES.get(self.path, MAX_BODY_BYTES)):
            raise RequestEntityTooLarge(f"the body has {length} bytes; {self.path} takes at most {limit}")
        raw: bytes = self.environ["wsgi.input"].read(length)
        if CROWDED in self.environ:
            raise TooManyLarge("too many large bodies are being read at the moment: try again")
        if LATE in self.environ:
            raise BodyLate(f"the body did not arrive within {self.environ[LATE]:.0f} s")
        if len(raw) != length:
            raise BadRequest(f"{len(raw)} of {self.content_length} bytes of the body arrived", "request/truncated")
        return raw

    @cached_property
    def is_encrypted(self) -> bool:
        """Whether the browser speaks HTTPS. A proxy says so; a client that lies about it locks out only itself."""
        return self.is_secure or self.environ.get("HTTP_X_FORWARDED_PROTO") == "https"

    @cached_property
    def own_origin(self) -> str:
        """Our origin as the client knows it, for addresses that are passed on: `https://play.example.org`."""
        return f"{'https' if self.is_encrypted else 'http'}://{self.host}"

    @cached_property
    def cookie_name(self) -> str:
        """The cookie of our sessions, named after the port: browsers send a cookie to all ports of a host.

        Over HTTPS its prefix makes browsers keep it to this host, and refuse one that came without encryption.
        """
        _, _, port = self.host.rpartition(":")
        name = f"plyscribe-{port}" if port.isdecimal() else "plyscribe"
        return f"__Host-{name}" if self.is_encrypted else name

    @cached_property
    def session_sent(self) -> str | None:
        """The session in the cookie of our pages; None without one, and for a change requested by another site.

        Any site can make a browser send a request with our cookie.
        """
        if "HTTP_COOKIE" not in self.environ:
            return None
        session = self.cookies.get(self.cookie_name)
        return session if session and (self.method in SAFE_METHODS or self.is_from_here) else None

    @cached_property
    def table_code_sent(self) -> str | None:
        """The code in the address of a page at a table: there it acts, and no account does. None elsewhere."""
        if not self.path.startswith(TABLE_PAGES + TABLE_PREFIX):
            return None
        code, _, _ = self.path.removeprefix(TABLE_PAGES).partition("/")
        return code

    @property
    def token_sent(self) -> str | None:
        """The header Authorization; None without it, and on the page of a table, whose code is in the address."""
        return None if self.table_code_sent else self.environ.get("HTTP_AUTHORIZATION")

    @property
    def is_from_here(self) -> bool:
        """Whether the browser says that one of our pages sent the request. Other sites cannot forge this."""
        site: str | None = self.environ.get("HTTP_SEC_FETCH_SITE")
        if site is not None:
            return site == "same-origin"
        # Over plain HTTP, except on loopback, browsers send only the origin.
        _, _, origin = self.environ.get("HTTP_ORIGIN", "").partition("://")
        return bool(origin) and origin == self.host


class Tried(NamedTuple):
    """What is known of a request that could not be answered together with others: see TRIED."""

    command: CommandKey
    """What it was, or would have been, stored by. It may have been stored, and its answer lost."""

    allowed: tuple[str, str] | None
    """It has been charged, and this is what its answer says of the allowance: see ApiRequest.allowed."""


def choose_request_id(given: str) -> str:
    """The id that the client gave the request if it is valid, else a new one."""
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def current_request() -> ApiRequest:
    """The request itself. Each access through Flask's proxy would cost half a microsecond."""
    return request._get_current_object()  # type: ignore[attr-defined, no-any-return]


def parts() -> Parts:
    """The parts that this application was built from."""
    return cast(Parts, current_app.extensions["plyscribe"])


def who_asks() -> Callable[[], Principal]:
    """A function that finds out who sent the request, callable from any thread; Unauthenticated without a token.

    The function raises Unauthenticated if the token or session is not valid, or no longer.
    """
    find, secret = _read_credential()
    return partial(find, secret)


def _read_credential() -> tuple[Callable[[str], Principal], str]:
    """The token in the header or, without that header, the session in the cookie, and what looks it up."""
    asked, accounts = current_request(), parts().accounts
    if (header := asked.token_sent) is None:
        if code := asked.table_code_sent:
            return parts().table_codes.authenticate, code
        if session := asked.session_sent:
            return accounts.authenticate_session, session
    else:
        scheme, _, token = header.partition(" ")
        if scheme.lower() == "bearer" and (token := token.strip()):
            return parts().table_codes.authenticate if token.startswith(TABLE_PREFIX) else accounts.authenticate, token
    raise Unauthenticated("send your token as `Authorization: Bearer ply_…`", "auth/missing")


def principal() -> Principal:
    """The account that sent the request, with its scopes; Unauthenticated without a valid token or session."""
    asked = current_request()
    found = _find_principal(asked)
    if found.table is not None and asked.blueprint not in AT_TABLE:
        raise Unauthenticated("the code of a table stands for no account: sign in", "table/no-account")
    return found


def require_valid_token() -> None:
    """Unauthenticated if the request has a token that is not valid, even where none is needed."""
    asked = current_request()
    if asked.token_sent is not None:
        _find_principal(asked)


def _find_principal(asked: ApiRequest) -> Principal:
    if asked.principal is None:
        find, secret = _read_credential()
        asked.principal = find(secret)
        bind_ids(actor=asked.principal.account)
    return asked.principal


def principal_if_any() -> Principal | None:
    """The account that sent the request, None without a token; Unauthenticated if the token is invalid.

    A browser always sends its cookie, so a session that has ended counts as none.
    """
    asked = current_request()
    if asked.token_sent is not None:
        return principal()
    if asked.session_sent is None and asked.table_code_sent is None:
        return None
    try:
        return principal()
    except Unauthenticated:
        return None


def name_client(who: Principal | None) -> str:
    """The client that this request counts for: the account or, without one, the network that it comes from."""
    return network_of(current_request().remote_addr or "") if who is None else who.account


def has_token() -> bool:
    """Whether the request was sent with a token or a session, valid or not."""
    asked = current_request()
    return asked.token_sent is not None or asked.session_sent is not None or asked.table_code_sent is not None


def parse_body(schema: type[Schema]) -> dict[str, Any]:
    """The body, parsed by the schema. A missing body counts as an empty object."""
    asked = current_request()
    raw = asked.body
    if raw and asked.environ.get("CONTENT_TYPE") != JSON and asked.mimetype != JSON:
        raise UnsupportedType(f"the body has {asked.mimetype or 'no media type'}; send {JSON}")
    return parse_json(schema, raw)


def parse_json(schema: type[Schema], raw: bytes) -> dict[str, Any]:
    """A body, parsed by the schema; BadRequest if it is no JSON, BadBody if it is not as the schema says."""
    read = _read_again if len(raw) <= MAX_REPEATED_BYTES else _read_body
    try:
        return dict(read(schema, raw))
    except NotCanonical as error:
        raise BadRequest(f"the body cannot be read: {error}") from None
    except ValidationError as error:
        raise BadBody("the body is invalid: " + _format_fault(error), errors=_by_name(error.messages_dict)) from None


def _read_body(schema: type[Schema], raw: bytes) -> dict[str, Any]:
    return cast(dict[str, Any], _instance(schema).load(parse_request(raw) if raw else {}))


# The same few moves are made again and again in all matches of a ruleset.
_read_again = lru_cache(maxsize=4096)(_read_body)


def parse_query(schema: type[Schema], of_form: bool = False) -> dict[str, Any]:
    """The query, parsed by the schema. With `of_form`, empty parameters count as missing."""
    try:
        if not request.query_string:
            return dict(_read_no_query(schema))
        repeated, lists = _list_repeated(schema), dict(request.args.lists())
        if twice := [name for name, values in lists.items() if len(values) > 1 and name not in repeated]:
            raise ValidationError({name: ["It can be given only once."] for name in twice})
        given = {
            name: values if name in repeated else values[0]
            for name, values in lists.items()
            if values[0] or not of_form
        }
        return cast(dict[str, Any], _instance(schema).load(given))
    except ValidationError as error:
        raise BadBody("the query is invalid: " + _format_fault(error), errors=_by_name(error.messages_dict)) from None


@cache
def _read_no_query(schema: type[Schema]) -> dict[str, Any]:
    return cast(dict[str, Any], _instance(schema).load({}))


@cache
def _list_repeated(schema: type[Schema]) -> frozenset[str]:
    """The parameters that a query may have several times."""
    declared = _instance(schema).fields.items()
    return frozenset(field.data_key or name for name, field in declared if isinstance(field, fields.List))


@cache
def _instance(schema: type[Schema]) -> Schema:
    return schema()


def _format_fault(error: ValidationError) -> str:
    """Each field at fault by its whole path, with its first message: `limits.move_ms: Not a valid integer.`."""
    return "; ".join(_list_faults(error.messages_dict, ""))


def _list_faults(messages: Any, path: str) -> Iterator[str]:
    if isinstance(messages, dict):
        for name, at in messages.items():
            # Marshmallow names the faults of a whole object after no field.
            step = "" if name == SCHEMA else f"[{name}]" if isinstance(name, int) else f".{name}"
            yield from _list_faults(at, f"{path}{step}".removeprefix("."))
    else:
        message = messages[0] if isinstance(messages, list) else messages
        yield f"{path}: {message}" if path else str(message)


def _by_name(messages: Any) -> Any:
    """Marshmallow's messages, with list indexes as text, because JSON has no other keys."""
    return {str(name): _by_name(at) for name, at in messages.items()} if isinstance(messages, dict) else messages


def idempotency_key() -> str | None:
    """The Idempotency-Key of the request, None without one; BadRequest if it is invalid."""
    key = current_request().headers.get("Idempotency-Key")
    if key is not None and not KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key must be 1 to 64 printable ASCII characters", "key/invalid")
    return key


def remembered(actor: Actor, step: str = "") -> CommandKey:
    """What the store remembers this request, or one step of it, by; BadRequest if Idempotency-Key is invalid."""
    asked = current_request()
    if (tried := asked.environ.get(TRIED)) is not None:
        command: CommandKey = tried.command
    else:
        command = command_of(str(actor), asked.method, asked.path + step, idempotency_key(), asked.body)
    bind_ids(command=command.id.hex())
    return command


def repeatable(actor: Actor, step: str = "") -> Repeatable | None:
    """What makes this request for a token repeatable; None without Idempotency-Key.

    BadRequest if the key is invalid, or so short that it could be guessed.
    """
    key = idempotency_key()
    if key is None:
        return None
    if len(key) < MIN_KEY_LENGTH:
        why = f"who guesses this Idempotency-Key gets the token: it needs {MIN_KEY_LENGTH} random characters or more"
        raise BadRequest(why, "key/guessable")
    return Repeatable(remembered(actor, step), key, parts().config.server_key.ring)


def expected_version() -> int | None:
    """The version in If-Match; None without that header or for `*`; BadRequest if it is invalid."""
    return parse_version(current_request().environ.get("HTTP_IF_MATCH", "*"))


def parse_version(text: str) -> int | None:
    """The version in the text of If-Match; None for `*`; BadRequest if it is invalid."""
    text = text.strip()
    if text == "*":
        return None
    tag = re.fullmatch(VERSION_PATTERN, text)
    if tag is None:
        raise BadRequest('If-Match must be one version in quotes, as in an ETag: "12"', "request/if-match")
    return int(tag[1])


def thought_ms() -> int | None:
    """The milliseconds in Thought-Ms; None without that header; BadRequest if it is no number of them."""
    return parse_thought_ms(current_request().environ.get("HTTP_THOUGHT_MS"))


def parse_thought_ms(text: str | None) -> int | None:
    """The milliseconds in the text of Thought-Ms; None without that; BadRequest if it is no number of them."""
    if text is None:
        return None
    if not _MILLISECONDS.fullmatch(text.strip()):
        raise BadRequest("Thought-Ms must be a whole number of milliseconds", "request/thought-ms")
    return int(text)


def accepted(*media: str) -> str:
    """The media type of these that the client prefers, the first one in a tie; NotAcceptable if it accepts none."""
    asked = request.environ.get("HTTP_ACCEPT", "")
    # Clients send the same few headers again and again.
    best = (_choose if len(asked) <= MAX_REPEATED_BYTES else _choose.__wrapped__)(asked, media)
    if best is None:
        raise NotAcceptable(f"this resource is available as {' or '.join(media)}")
    return best


@lru_cache(maxsize=1024)
def _choose(asked: str, media: tuple[str, ...]) -> str | None:
    # Parameters such as a charset are ignored: each of our media types has only one form.
    given = parse_accept_header(asked, MIMEAccept)
    wanted = MIMEAccept([(value.partition(";")[0].strip(), quality) for value, quality in given])
    return wanted.best_match(media) if wanted else media[0]


def negotiate_language(given: str | None = None) -> str:
    """The language of the answer: the given one, or else the one that the reader chose on a page.

    For all others it is the first that the request prefers and that we have.
    """
    chosen = given or request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    return choose_language([tag for tag, quality in request.accept_languages if quality > 0])


def spoken(response: Response, language: str) -> Response:
    """The response, marked as being in this language because the request prefers it."""
    response.headers["Content-Language"] = language
    response.vary.add("Accept-Language")
    if LANGUAGE_COOKIE in request.cookies:
        response.vary.add("Cookie")
    return response


def answer(data: dict[str, Any], status: int = 200, media: str = JSON) -> Response:
    """A response with this JSON."""
    return Response(orjson.dumps(data), status, content_type=media)


def made_once(make: Callable[[*A], T]) -> Callable[[*A], T]:
    """As `functools.cache`, for a slow function: of threads that ask at the same time, one does the work."""
    kept, making = cache(make), threading.Lock()

    @wraps(make)
    def get(*args: *A) -> T:
        with making:
            return kept(*args)

    return get


def answer_command(
    done: Answer[Any], receipt: dict[str, Any], status: int = 200, location: str | None = None
) -> Response:
    """The receipt of a command, with the path of what it created. A repeated request gets the same one, marked so."""
    given = answer(receipt, status)
    if location is not None:
        given.headers["Location"] = location
    given.headers["ETag"] = f'"{done.events[-1].version}"'
    return replayed(given) if done.replayed else given


def replayed(response: Response) -> Response:
    """The response, marked as one that an earlier request like this got too."""
    response.headers["Idempotency-Replayed"] = "true"
    return response


def path_with(**changed: Any) -> str:
    """The path of this request with parts of its query changed, for `next`."""
    return f"{request.path}?{urlencode({**request.args.to_dict(), **changed})}"
