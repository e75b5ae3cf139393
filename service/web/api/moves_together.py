"""Requests for moves that are there at the same time: they are answered together, and share a round trip to the store.

What a request means is defined by its view. Here is the short way for those that are usual: everything about them is in
its simplest form, the account and the match are known to this process, and the command is accepted. Such a request gets
the same answer as from the view, with the same headers. All others are left to the view: refusals, repeated requests,
lists of steps, a store in trouble. `batching` takes together what waits.
"""

import logging
import re
import time
from collections.abc import Sequence
from typing import NamedTuple

import orjson
from flask import Flask

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import DomainError
from plyscribe.domain.match import Match
from plyscribe.service import metrics
from plyscribe.service.access.accounts import Principal
from plyscribe.service.composition import Parts
from plyscribe.service.errors import ServiceError
from plyscribe.service.logs import begin_ids
from plyscribe.service.matches import queries
from plyscribe.service.streams.handler import Answer, Order
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.api import telemetry
from plyscribe.service.web.api.http import (
    JSON,
    KEY,
    TABLE_PREFIX,
    Tried,
    choose_request_id,
    parse_json,
    parse_thought_ms,
    parse_version,
)
from plyscribe.service.web.api.matches.play import SAID, make_order
from plyscribe.service.web.charging import charge_account
from plyscribe.service.web.handover import Asked, Leave, Reply
from plyscribe.service.web.origins import goes_by

METHOD = "POST"
PATH = re.compile(rf"/v1/matches/(match-[a-z2-7]{{26}})/({'|'.join(SAID)})")
ROUTES = {to: f"/v1/matches/{{match}}/{to}" for to in SAID}
"""Templates of the routes, as metrics and logs name them."""

UNUSUAL = frozenset({"origin", "transfer-encoding"})
"""Headers that the answer depends on in more ways than are known here."""

log = logging.getLogger(__name__)


class _Read(NamedTuple):
    """A request that was read, and charged."""

    id: str
    to: str
    account: str
    order: Order
    allowed: tuple[str, str] | None

    @property
    def tried(self) -> Tried:
        return Tried(self.order.asked, self.allowed)


class MovesTogether:
    """Answers requests for moves of an application: a Together."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._parts: Parts = app.extensions["plyscribe"]

    def takes(self, method: str, path: str) -> bool:
        """See Together.takes."""
        return method == METHOD and PATH.fullmatch(path) is not None

    def answer_all(self, asked: Sequence[Asked]) -> Sequence[Reply | Leave]:
        """See Together.answer_all."""
        started_s = time.perf_counter()
        with self._app.app_context():
            read = [self._read_or_leave(each) for each in asked]
            done = iter(self._execute([each.order for each in read if each is not None]))
            return [Leave() if each is None else _answer(each, next(done), started_s) for each in read]

    def _read_or_leave(self, asked: Asked) -> _Read | None:
        try:
            return self._read(asked)
        except (DomainError, ServiceError):
            # The view will say so.
            return None
        except Exception:
            log.exception("a request could not be read together with others")
            return None

    def _read(self, asked: Asked) -> _Read | None:
        """The request, once it is charged; None if it is not a usual one."""
        headers, address = asked.headers, PATH.fullmatch(asked.path)
        who = self._find_account(headers.get("authorization", ""))
        key = headers.get("idempotency-key")
        if (
            who is None
            or address is None
            or not UNUSUAL.isdisjoint(headers)
            or not goes_by(headers.get("host", ""))
            or headers.get("content-type") != JSON
            or headers.get("content-length") != str(len(asked.body))
            or not (key is None or KEY.fullmatch(key))
        ):
            return None
        match, to = address.groups()
        known = self._parts.matches.cached(match)
        if known is None or self._parts.needs_tournament(known, who):
            # The others would wait until it is read.
            return None
        said = SAID[to]
        body = parse_json(said.body, asked.body)
        if "steps" in body:
            return None
        thought, version = parse_thought_ms(headers.get("thought-ms")), parse_version(headers.get("if-match", "*"))
        command = command_of(str(Actor("player", who.account)), METHOD, asked.path, key, asked.body)
        order = make_order(said, match, who, body, command, thought, version, list[Match]())
        id = choose_request_id(headers.get("x-request-id", ""))
        return _Read(id, to, who.account, order, charge_account("moves", who, asked.client, headers))

    def _find_account(self, authorization: str) -> Principal | None:
        """Who asks, if this process knows the token already."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or (token := token.strip()).startswith(TABLE_PREFIX):
            return None
        return self._parts.accounts.recall(token)

    def _execute(self, orders: Sequence[Order]) -> Sequence[Answer[Match] | None]:
        try:
            return self._parts.matches.execute_known(orders)
        except Exception:
            # An error of ours in one of them: the others are not to suffer.
            log.exception("requests could not be executed together")
            return [None] * len(orders)


def _answer(read: _Read, done: Answer[Match] | None, started_s: float) -> Reply | Leave:
    if done is None:
        return Leave(read.tried)
    try:
        receipt = orjson.dumps(queries.describe_receipt(done))
    except Exception:
        # The view finds what was stored, and says what is wrong.
        return Leave(read.tried)
    _note(read, time.perf_counter() - started_s)
    return Reply(200, _list_headers(read, done.events[-1].version, len(receipt)), receipt)


def _list_headers(read: _Read, version: int, length: int) -> list[tuple[str, str]]:
    headers = [
        ("Content-Type", JSON),
        ("Content-Length", str(length)),
        ("ETag", f'"{version}"'),
        ("X-Request-Id", read.id),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
    ]
    if read.allowed is not None:
        policy, left = read.allowed
        headers += ("RateLimit-Policy", policy), ("RateLimit", left)
    return headers


def _note(read: _Read, seconds: float) -> None:
    route = ROUTES[read.to]
    metrics.note_request(METHOD, route, 200, seconds)
    if telemetry.log.isEnabledFor(logging.DEBUG):
        begin_ids(request_id=read.id, match=read.order.stream, actor=read.account, command=read.order.asked.id.hex())
        telemetry.log_answer(METHOD, route, 200, seconds)
        begin_ids()
