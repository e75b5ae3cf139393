"""The API under test: a Flask test client that checks every answer against the OpenAPI document."""

import gzip
import json
import re
import secrets
from collections.abc import Iterator
from functools import cache
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator, Registry
from werkzeug.test import TestResponse

from plyscribe.domain.commands import Actor
from plyscribe.domain.player import RegisterPlayer
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.service.web.api.openapi import build_openapi

_documents: list[dict[str, Any]] = []
"""The OpenAPI document, once it is built: it is the same for all applications, and slow to build."""


class _ThreadedClient(FlaskClient):
    """A client of a server that has threads: without them no stream is kept open."""

    def open(self, *args: Any, environ_overrides: dict[str, Any] | None = None, **request: Any) -> TestResponse:
        return super().open(*args, environ_overrides={"wsgi.multithread": True, **(environ_overrides or {})}, **request)


class Api:
    """Sends requests as a client would. An undocumented answer fails the test."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self._nameless = 0
        app.test_client_class = _ThreadedClient
        self._client = app.test_client()
        if not _documents:
            _documents.append(build_openapi(app))
        self.document = _documents[0]

    def send(
        self,
        method: str,
        path: str,
        token: str | None = None,
        *,
        key: str | None = None,
        if_match: str | None = None,
        headers: dict[str, str] | None = None,
        **request: Any,
    ) -> TestResponse:
        bearer = token and f"Bearer {token}"
        ours = {"Authorization": bearer, "Idempotency-Key": key, "If-Match": if_match}
        sent = {**(headers or {}), **{name: value for name, value in ours.items() if value}}
        response = self._client.open(path, method=method, headers=sent, **request)
        self._require_documented(method, path, response)
        return response

    def get(self, path: str, token: str | None = None, **request: Any) -> TestResponse:
        return self.send("GET", path, token, **request)

    def post(self, path: str, token: str | None = None, body: Any = None, **request: Any) -> TestResponse:
        return self.send("POST", path, token, **({} if body is None else {"json": body}), **request)

    def pages(self, path: str | None, token: str | None = None) -> Iterator[Any]:
        """The page at this path, and those that follow it."""
        while path:
            page = self.get(path, token)
            assert page.status_code == 200, page.json
            yield page.json
            path = page.json["next"]

    def sign_up(self, name: str = "", scopes: tuple[str, ...] = ("play", "record")) -> tuple[str, str]:
        """Sign up a player, by default with a name of their own; returns the id and the token."""
        self._nameless += not name
        name = name or f"Player {self._nameless}"
        made = self.post("/v1/players", body={"name": name, "scopes": list(scopes)}).json
        return made["player"], made["token"]

    def new_match(self, token: str, seats: list[Any] | None = None, ruleset: str = "pathagon", **more: Any) -> str:
        """Create a match; returns its id."""
        body = {"ruleset": ruleset, "seats": seats or [None, None], **more}
        made = self.post("/v1/matches", token, body)
        assert made.status_code == 201, made.json
        return made.json["match"]

    def _require_documented(self, method: str, path: str, response: TestResponse) -> None:
        with self.app.test_request_context(response.request.path, method=method) as context:
            matched = context.request.url_rule
        if matched is None:
            return
        template = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", matched.rule)
        operation = self.document["paths"][template].get(method.lower())
        if operation is None:
            return
        documented = self._resolve(operation["responses"].get(str(response.status_code)))
        assert documented is not None, f"{method} {template} answers {response.status_code}, which is not documented"
        self._require_headers(f"{method} {template}", documented, response)
        if response.status_code in (204, 304):
            return
        media = response.mimetype
        assert media in documented["content"], f"{method} {template} answers {media}, which is not documented"
        if media in ("application/json", "application/problem+json"):
            sent = gzip.decompress(response.data) if response.content_encoding == "gzip" else response.data
            self.validate(documented["content"][media]["schema"], json.loads(sent))

    def _require_headers(self, asked: str, documented: dict[str, Any], response: TestResponse) -> None:
        headers = self.document["components"]["headers"]
        sent = {name for name in headers if name in response.headers}
        assert sent <= set(documented["headers"]), f"{asked} sends {sent}, not all of which is documented"
        needed = {name for name in documented["headers"] if headers[name]["required"]}
        assert needed <= sent, f"{asked} does not send {needed - sent}, which is documented"

    def _resolve(self, response: dict[str, Any] | None) -> dict[str, Any] | None:
        if response is None or "$ref" not in response:
            return response
        return self.document["components"]["responses"][response["$ref"].rpartition("/")[2]]

    def validate(self, schema: dict[str, Any], value: Any) -> None:
        compile_schema(json.dumps(schema)).validate(value)


@cache
def compile_schema(schema: str) -> Draft202012Validator:
    """The validator of a schema, given as JSON, whose references lead into the OpenAPI document."""
    return Draft202012Validator(json.loads(schema.replace('"#/', '"urn:openapi#/')), registry=_read_document())


@cache
def _read_document() -> Registry:
    return Registry([("urn:openapi", _documents[0])])


def open_as_before(parts: Parts, name: str) -> str:
    """Open an account as releases did in which several accounts could have the same name; returns its id."""
    asked = command_of("test", "", "", None, b"")
    account = stream_id("player", asked)
    fields = {"name": name, "kind": "person", "scopes": ("play",), "digest": secrets.token_hex(32)}
    command = RegisterPlayer(actor=Actor("system", "test"), at=now_ms(), id=asked.id.hex(), **fields)
    parts.accounts.players.execute(account, lambda _: command, asked, new=True)
    return account
