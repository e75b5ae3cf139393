"""The Flask application: blueprints, the table of problems, request ids."""

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import Any
from urllib.parse import quote

from flask import Flask, Request, Response, current_app, g, redirect, request
from flask.sessions import NullSession, SessionInterface
from werkzeug.exceptions import HTTPException
from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter, IntegerConverter, MapAdapter, Rule
from werkzeug.wrappers import Response as AnyResponse

from plyscribe import __version__
from plyscribe.service import metrics
from plyscribe.service.composition import Parts, compose_process
from plyscribe.service.config import require_parts
from plyscribe.service.health.readiness import watch_readiness
from plyscribe.service.language.problems import translate_problem
from plyscribe.service.logs import begin_logs
from plyscribe.service.store.port import StoreError, StoreUnavailable
from plyscribe.service.store.presence import Attendance, describe_process
from plyscribe.service.store.requirements import require_store_at
from plyscribe.service.streams.patience import PATIENCE, PLACES
from plyscribe.service.web import pages
from plyscribe.service.web.any_server import AnyServer
from plyscribe.service.web.api import (
    bot_lines,
    bots,
    datasets,
    docs,
    explorer,
    imports,
    inboxes,
    lists,
    many,
    matches,
    players,
    ratings,
    rulesets,
    system,
    telemetry,
    tokens,
    tournament_dates,
    tournament_imports,
    tournament_stream,
    variations,
    webhooks,
)
from plyscribe.service.web.api.exports import prepare_exports
from plyscribe.service.web.api.http import (
    LARGER_BODIES,
    MAX_BODY_BYTES,
    PROBLEM,
    READS,
    SAFE_METHODS,
    TOKEN_HEADERS,
    ApiRequest,
    accepted,
    answer,
    current_request,
    negotiate_language,
    require_valid_token,
    spoken,
)
from plyscribe.service.web.api.openapi import media_of
from plyscribe.service.web.api.refusals import describe_refusal
from plyscribe.service.web.charging import charge_requests
from plyscribe.service.web.origins import guard_origins
from plyscribe.service.web.packing import pack_answers
from plyscribe.service.web.pages.blueprint import is_for_people, show_problem
from plyscribe.service.web.pages.speech import PageEnvironment, install_speech
from plyscribe.service.web.problems import PASSING, RETRY_AFTER_S, problem_title

log = logging.getLogger(__name__)


def create_app(composed: Parts | None = None) -> Flask:
    """The application over these parts.

    Without parts it makes those of a whole web process from the environment (REDIS_URL and the other settings in
    docs/operations.md), with logs and metrics, so that any WSGI server can run it:
    `gunicorn 'plyscribe.service.web.app:create_app()'`. ConfigError says which setting is missing, or which part of a
    game from outside cannot be read.
    """
    app = _Api("plyscribe", static_folder=None)
    app.url_rule_class = _Route
    app.config["MAX_CONTENT_LENGTH"] = max(MAX_BODY_BYTES, *LARGER_BODIES.values())
    app.url_map.converters["int"] = _PlainInteger
    app.url_map.converters["token"] = _TokenId
    app.url_map.converters["player"] = _PlayerId
    # Every resource of the API has one address: no redirects from `//` or a trailing slash.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = True
    app.extensions["plyscribe"] = composed or _begin_process()
    require_parts()
    app.extensions[system.READINESS] = watch_readiness(app.extensions["plyscribe"])
    prepare_exports(app)
    bot_lines.prepare_connections(app)
    telemetry.observe(app)
    modules = (
        system,
        docs,
        explorer,
        players,
        tokens,
        inboxes,
        rulesets,
        bots,
        matches,
        imports,
        lists,
        many,
        bot_lines,
        datasets,
        ratings,
        # With everything else about tournaments, on whose blueprint it builds.
        tournament_dates,
        tournament_imports,
        tournament_stream,
        variations,
        webhooks,
        pages,
    )
    install_speech(app)
    # The views of tournaments are in several modules, with one blueprint.
    for blueprint in dict.fromkeys(module.blueprint for module in modules):
        app.register_blueprint(blueprint)
    app.register_error_handler(HTTPException, _answer_http_error)
    app.register_error_handler(Exception, _answer_error)
    of: Parts = app.extensions["plyscribe"]
    guard_origins(app, of.config)
    charge_requests(app, of.allowances, of.config.allowances_for)
    app.before_request(_require_valid_token)
    app.before_request(_require_acceptable)
    app.after_request(_seal)
    pack_answers(app)
    if proxies := of.config.proxies:
        # Each proxy appends the address of its client. Entries before those may be forged.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=0)  # type: ignore[method-assign]
    app.wsgi_app = AnyServer(app.wsgi_app, MAX_BODY_BYTES, LARGER_BODIES)  # type: ignore[method-assign]
    return app


def _begin_process() -> Parts:
    """Set up a web process as `plyscribe web` does, except that the store need not answer yet.

    UnsupportedServer, with what to do, if it answers and cannot be our store.
    """
    if not logging.getLogger().handlers:
        begin_logs("web")
    metrics.begin("web")
    parts = compose_process()
    # The server that runs us may have few threads.
    PATIENCE.places = max(1, min(parts.config.stream_threads, PLACES))
    with suppress(StoreUnavailable):
        require_store_at(parts.config.redis_url, mark=True)
    Attendance(parts.config.redis_url, describe_process("web", __version__)).begin()
    return parts


class _NoSessions(SessionInterface):
    _none = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        """The same empty session for every request; it cannot be written."""
        return self._none


class _Api(Flask):
    """Flask without the parts that cost time in every request and that we do not use."""

    request_class = ApiRequest
    jinja_environment = PageEnvironment
    session_interface = _NoSessions()

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Match routes by path alone: every host has the same addresses."""
        if request is None:
            return None
        return MapAdapter(self.url_map, "", request.root_path, "", request.scheme, request.path, request.method)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself: we have no coroutines."""
        return func


class _TokenId(BaseConverter):
    """The id of a token in a path; `rotation` is none, so that its address has its own methods alone."""

    regex = "(?!rotation$)[^/]+"
    part_isolating = True


class _PlayerId(BaseConverter):
    """The id of a player in a path; `recovery` is none, so that its address has its own methods alone."""

    regex = "(?!recovery$)[^/]+"
    part_isolating = True


class _Route(Rule):
    """A route that compiles what puts its address together when that is first asked for, which few routes are.

    To compile it for all routes would take most of the start of an application.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compile_now = cache(partial(super()._compile_builder, append_unknown))

        def build(rule: Rule, /, **values: Any) -> tuple[str, str]:
            return compile_now()(rule, **values)

        return build


class _PlainInteger(IntegerConverter):
    """A number in a path, in ASCII digits. The usual converter accepts the digits of all scripts."""

    regex = "[0-9]{1,15}"


def _require_valid_token() -> None:
    """Unauthenticated if a token is sent that is not valid, so that a refusal never tells what exists.

    Health checks and the recovery of an account ignore tokens.
    """
    if request.blueprint != system.blueprint.name and request.endpoint != RECOVERY:
        # If the store does not answer, only views that need the account fail.
        with suppress(StoreError):
            require_valid_token()


def _require_acceptable() -> None:
    """NotAcceptable if a reader of the API accepts no form that the resource has.

    Commands are not held to it: what they store counts, whatever the answer looks like.
    """
    asked = current_request()
    if asked.method not in READS or "HTTP_ACCEPT" not in asked.environ or asked.url_rule is None:
        return
    forms = media_of(current_app.view_functions[asked.url_rule.endpoint])
    if forms:
        accepted(*forms)


def _seal(response: Response) -> Response:
    """Add what every answer has: the request's id, what it must not be taken for, and whether it may be kept.

    What is answered to an account is not kept, unless the view allows it: then by the browser alone, since shared
    caches do not know that a cookie says who asks. Anybody may keep other answers to GET, but must ask whether they
    are still right.
    """
    asked, headers = current_request(), response.headers
    headers.add("X-Request-Id", asked.id)
    headers.add("X-Content-Type-Options", "nosniff")
    if asked.method not in SAFE_METHODS or response.status_code >= 400:
        headers["Cache-Control"] = "no-store"
        return response
    by_cookie = "HTTP_COOKIE" in asked.environ and asked.session_sent is not None
    is_personal = by_cookie or "HTTP_AUTHORIZATION" in asked.environ
    allowed = headers.get("Cache-Control")
    if allowed is None:
        headers["Cache-Control"] = "no-store" if is_personal else "no-cache"
    return _confine(response, by_cookie, is_personal) if by_cookie or allowed else response


def _confine(response: Response, by_cookie: bool, is_personal: bool) -> Response:
    kept = response.cache_control
    if by_cookie and not kept.public:
        kept.private = True
        response.vary.update(TOKEN_HEADERS)
    if kept.private and not (kept.no_cache or kept.no_store):
        kept.no_store = is_personal
        kept.no_cache = not is_personal or None
    return response


def _answer_error(error: Exception) -> Response:
    problem = describe_refusal(error, negotiate_language(), g.get("match"), g.get("rules"))
    context = {"method": request.method, "route": telemetry.route(), "code": problem["code"]}
    if problem["status"] == 503:
        log.warning("request answered with 503: %s", error, extra=context)
    elif problem["status"] >= 500:
        log.exception("a request failed", extra=context)
    return _answer_problem(problem)


RECOVERY = "players.recover_own_account"
"""The view that ignores tokens: a client that needs a new one may still send the old one."""

_CODES = {
    400: "request/unreadable",
    404: "request/not-found",
    405: "request/method-not-allowed",
    411: "request/length-required",
    413: "request/too-large",
    415: "request/unsupported-media-type",
}


def _answer_http_error(error: HTTPException) -> AnyResponse:
    status = error.code or 500
    if status == 404 and (page := _find_page_without_slash()):
        return redirect(page, 308)
    code = _CODES.get(status, "request/refused" if status < 500 else "server/error")
    response = _answer_problem(
        {
            "type": f"urn:plyscribe:problem:{code.replace('/', ':')}",
            "title": problem_title(status) or HTTP_STATUS_CODES.get(status, "Error"),
            "status": status,
            "code": code,
            "detail": error.description or "",
        }
    )
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response


def _find_page_without_slash() -> str | None:
    """The address of the page that was meant, if only a slash at the end is wrong. Addresses of the API are exact."""
    path, query = request.path.rstrip("/"), request.query_string.decode("latin-1")
    is_meant = path != request.path and not path.startswith(("/v1/", "//")) and request.method in READS
    if not is_meant or not current_app.url_map.bind("").test(path, "GET"):
        return None
    return quote(path) + (f"?{query}" if query else "")


def _answer_problem(problem: dict[str, Any]) -> Response:
    telemetry.note_problem(problem["code"])
    language = negotiate_language()
    said = {**translate_problem(problem, language), "instance": f"urn:plyscribe:request:{current_request().id}"}
    response = show_problem(said) if is_for_people() else answer(said, problem["status"], PROBLEM)
    if problem["status"] in PASSING:
        response.headers["Retry-After"] = str(problem.get("retry_after_s", RETRY_AFTER_S))
    if problem["status"] == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="plyscribe"'
    return spoken(response, language)
