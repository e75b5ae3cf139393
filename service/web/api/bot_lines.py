"""The standing connection of a bot: a line of JSON a move, and a line of JSON an answer.

A line stands for a request, and does what the request does: it is charged like it, needs the scopes that it needs, is
decided and stored by the same steps, and has the same command id, so that a bot can repeat by a request what it said on
a connection that broke. What falls away is HTTP, and what lines that are there at once share. `standing_connections`
keeps the connections.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, cast

import orjson
from flask import Blueprint, Flask, Response, current_app, request

from plyscribe.domain.commands import Actor
from plyscribe.domain.match import Match
from plyscribe.service import metrics
from plyscribe.service.access.accounts import Principal
from plyscribe.service.composition import Parts
from plyscribe.service.errors import (
    AllowanceUsed,
    BadBody,
    BadRequest,
    ConnectionFull,
    ConnectionShare,
    LiveFull,
    LiveShare,
    NotOffered,
    Unauthenticated,
    UpgradeRequired,
)
from plyscribe.service.language.problems import translate_problem
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.live.followers import Follower, Framing, Source
from plyscribe.service.live.match_changes import ChangeEntries
from plyscribe.service.matches import queries
from plyscribe.service.store.port import StoreError
from plyscribe.service.streams.handler import Answer, Order
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.api.http import (
    KEY,
    current_request,
    name_client,
    negotiate_language,
    parse_json,
    principal,
    who_asks,
)
from plyscribe.service.web.api.many import FOLLOWED
from plyscribe.service.web.api.matches.play import SAID, Said, count_more, make_order
from plyscribe.service.web.api.matches.reading import require_match_id
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.refusals import describe_refusal
from plyscribe.service.web.charging import MOST_MORE, PAUSE_S, is_limited
from plyscribe.service.web.handover import HOLDS, TALK, UPGRADES, Talk
from plyscribe.service.web.places import Places
from plyscribe.service.web.problems import problem_title

blueprint = Blueprint("connection", __name__)

FIELDS = {"id", "match", "to", "key", "version", "thought_ms", "body"}
FOLLOW = "follow"
UNFRAMED = Framing(b"", b"", b"", b"")
"""The connection has heartbeats and an end of its own."""

MAX_ID = 2**53 - 1
MAX_ID_LENGTH = 64
MAX_NUMBER = 10**12

PLACES = "plyscribe.connections"

Json = dict[str, Any]

log = logging.getLogger(__name__)


def prepare_connections(app: Flask) -> None:
    """Give the application its places for standing connections."""
    of: Parts = app.extensions["plyscribe"]
    app.extensions[PLACES] = Places(
        of.config.max_connections,
        of.config.max_connections_each,
        lambda most: ConnectionFull(f"all places for standing connections are taken ({most}): try again later"),
        lambda each: ConnectionShare(f"you have as many standing connections as one client may have ({each})"),
    )


@blueprint.get("/v1/connection")
@operation("play", status=101, media={}, problems=(401, 426, 429, 501, 503))
def connect() -> Response:
    """Open a standing connection: a WebSocket with a line of JSON a move, and a line of JSON an answer.

    docs/api.md says what is said on it. A refusal of a WebSocket has a status alone: send the request again without
    `Upgrade`, and you get the problem; 426 if there is none. The token comes in `Authorization`; a cookie does not do.
    """
    asked = current_request()
    if "HTTP_AUTHORIZATION" not in asked.environ:
        # Any site can make a browser open a WebSocket with our cookie.
        raise Unauthenticated("send your token as `Authorization: Bearer ply_…`", "auth/missing")
    who = principal()
    if HOLDS not in asked.environ:
        raise NotOffered("this server keeps no connections: send requests", "connection/not-offered")
    places: Places = current_app.extensions[PLACES]
    give_back = places.take(name_client(who))
    if UPGRADES not in asked.environ or request.method == "HEAD":
        give_back()
        raise UpgradeRequired("this address is for WebSockets: send `Upgrade: websocket`, as a client for them does")
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    asked.environ[TALK] = Conversation(app, who, who_asks(), negotiate_language(), is_limited(), give_back)
    return Response(status=101)


class _Read(NamedTuple):
    """A line that was read: what it is answered under, what it asks for, and the order for the store."""

    id: int | str
    to: str
    order: Order
    seen: list[Match]
    """The state that it was decided on last."""


class _Answered(NamedTuple):
    """A line that asks for nothing that is stored, or that could be, and its answer."""

    answer: str


class Conversation:
    """What one account says on a standing connection: a Talk."""

    def __init__(
        self,
        app: Flask,
        who: Principal,
        find_principal: Callable[[], Principal],
        language: str,
        is_limited: bool,
        give_back: Callable[[], object],
    ) -> None:
        self.pause_s = 0.0
        self._app = app
        self._parts: Parts = app.extensions["plyscribe"]
        self._who = who
        self._find_principal = find_principal
        self._language = language
        self._is_limited = is_limited
        self._give_back = give_back
        self._lock = threading.Lock()
        self._follower: Follower | None = None
        self._is_over = False

    # ------------------------------------------------------------------------------------------------- as a Talk

    def start(self, push: Callable[[str], bool], end: Callable[[str], object]) -> None:
        """See Talk.start."""
        self._push, self._end = push, end

    def find_end(self) -> str | None:
        """See Talk.find_end: the token is not valid any more."""
        try:
            self._who = self._find_principal()
        except Unauthenticated as error:
            return _format_end(describe_refusal(error, self._language, None), self._language)
        except StoreError as error:
            # Whoever it was is still believed, as nothing can be stored meanwhile.
            log.debug("it is not known whether a token still counts: %s", error)
        return None

    def answer_all(self, said: Sequence[tuple[Talk, str]]) -> Sequence[str]:
        """See Talk.answer_all. Lines with an order share a round trip to the store."""
        with self._app.app_context():
            read = [talk._read(line) for talk, line in said if isinstance(talk, Conversation)]
            done = iter(self._execute([each.order for each in read if isinstance(each, _Read)]))
            return [
                talk._answer(each, next(done)) if isinstance(each, _Read) else each.answer
                for (talk, _), each in zip(said, read, strict=True)
                if isinstance(talk, Conversation)
            ]

    def format_end(self, code: str, detail: str, status: int) -> str:
        """See Talk.format_end."""
        problem = {
            "type": f"urn:plyscribe:problem:{code.replace('/', ':')}",
            "title": problem_title(status),
            "status": status,
            "code": code,
            "detail": detail,
        }
        return _format_end(problem, self._language)

    def stop(self) -> None:
        """See Talk.stop."""
        with self._lock:
            self._is_over = True
        if self._follower is not None:
            self._follower.stop()
        self._give_back()

    # ------------------------------------------------------------------------------------------------------- lines

    def _read(self, line: str) -> _Read | _Answered:
        id: int | str | None = None
        to = "none"
        try:
            fields = _parse_line(line)
            id = _find_id(fields)
            if FOLLOW in fields:
                to = FOLLOW
                return _Answered(self._begin_to_follow(fields))
            said = _find_said(fields)
            to = fields.get("to", "moves")
            return self._make_order(fields, to, said)
        except Exception as error:
            return _Answered(self._refuse(id, to, error))

    def _make_order(self, fields: Json, to: str, said: Said) -> _Read:
        match, raw = fields["match"], orjson.dumps(fields.get("body", {}))
        require_match_id(match)
        body = parse_json(said.body, raw)
        self._charge("moves", 1 + count_more(body))
        who, thought, seen = self._who, fields.get("thought_ms"), list[Match]()
        asked = command_of(
            str(Actor("player", who.account)), "POST", f"/v1/matches/{match}/{to}", fields.get("key"), raw
        )
        order = make_order(said, match, who, body, asked, thought, fields.get("version"), seen)
        return _Read(fields["id"], to, order, seen)

    def _charge(self, kind: str, cost: int) -> None:
        policy = self._parts.allowances.policies.get(kind)
        if policy is None or not cost or not self._is_limited or "admin" in self._who.scopes:
            return
        try:
            self._parts.allowances.take(policy, name_client(self._who), cost)
        except AllowanceUsed:
            self.pause_s = PAUSE_S
            raise

    def _begin_to_follow(self, fields: Json) -> str:
        """Follow the account's matches from now on, or after a number; the answer says after which."""
        _require_only(fields, {"id", FOLLOW})
        _require_only(wanted := fields[FOLLOW], {"after"})
        after = wanted.get("after")
        if after is not None and not _is_number(after, MAX_ID):
            raise _bad("follow.after", "Must be a whole number.")
        if self._follower is not None:
            raise BadBody("the line is invalid: follow: you follow your matches already")
        newest, _ = self._parts.changes.numbers()
        start = newest if after is None else min(after, newest)
        self._charge("heavy", min(MOST_MORE, (newest - start) // FOLLOWED))
        who = self._who
        wanted_matches = MatchFilter(player=who.account)
        listed = self._parts.lists.matches
        source = ChangeEntries(
            self._parts.changes, self._parts.matches, lambda ids: listed.select(ids, wanted_matches, who), as_lines=True
        )
        self._follow(source, f"connection-{who.account}-{sha256(repr(who).encode()).hexdigest()}", start)
        metrics.note_line(FOLLOW, 200)
        return _format({"id": fields["id"], "status": 200, "after": start})

    def _follow(self, source: Source, topic: str, after: int) -> None:
        follower = self._parts.live.follow(source, topic, after, client=self._who.account, framing=UNFRAMED)
        with self._lock:
            self._follower = follower
            is_over = self._is_over
        if is_over:
            follower.stop()
        else:
            follower.start(self._push_change, lambda: self._follow_on(source, topic, follower))

    def _push_change(self, data: bytes) -> None:
        if data and not self._push(data.decode()):
            raise BrokenPipeError("the connection ends")

    def _follow_on(self, source: Source, topic: str, before: Follower) -> None:
        """Go on where a follower has ended: each has an age and a number of bytes at most."""
        with self._lock:
            if self._is_over:
                return
        try:
            self._follow(source, topic, before.number)
        except (LiveFull, LiveShare) as error:
            self._end(_format_end(describe_refusal(error, self._language, None), self._language))

    def _execute(self, orders: Sequence[Order]) -> list[Answer[Match] | Exception]:
        matches = self._parts.matches
        try:
            return matches.execute_all(orders)
        except Exception:
            if len(orders) == 1:
                log.exception("a line failed")
                return [RuntimeError("a line failed")]
        # An error of ours in one of them: the others are not to suffer. Whatever was stored is answered from the store.
        return [done for order in orders for done in self._execute([order])]

    def _answer(self, read: _Read, done: Answer[Match] | Exception) -> str:
        if isinstance(done, Exception):
            return self._refuse(read.id, read.to, done, read.seen)
        try:
            receipt = queries.describe_receipt(done)
        except Exception as error:
            return self._refuse(read.id, read.to, error, read.seen)
        metrics.note_line(read.to, 200)
        replayed = {"replayed": True} if done.replayed else {}
        return _format({"id": read.id, "status": 200, **replayed, "receipt": receipt})

    def _refuse(self, id: int | str | None, to: str, error: Exception, seen: Sequence[Match] = ()) -> str:
        problem = describe_refusal(error, self._language, seen[0] if seen else None)
        metrics.note_line(to, problem["status"])
        metrics.note_refusal(problem["code"])
        if problem["status"] >= 500 and problem["status"] != 503:
            log.error("a line failed", exc_info=error)
        return _format({"id": id, "status": problem["status"], "problem": translate_problem(problem, self._language)})


def _parse_line(line: str) -> Json:
    """The fields of a line. BadRequest if it is no object."""
    try:
        fields = orjson.loads(line)
    except ValueError as error:
        raise BadRequest(f"the line cannot be read: {error}", "request/unreadable") from None
    if not isinstance(fields, dict):
        raise BadRequest("the line cannot be read: it is no object", "request/unreadable")
    return fields


def _find_id(fields: Json) -> int | str:
    """What the line is answered under; BadBody without it."""
    id = fields.get("id")
    if isinstance(id, str) and len(id) <= MAX_ID_LENGTH:
        return id
    if not _is_number(id, MAX_ID):
        raise _bad("id", f"Must be a whole number or a text of {MAX_ID_LENGTH} characters at most.")
    return cast(int, id)


def _find_said(fields: Json) -> Said:
    """What the line says, once each of its fields is as it may be; else BadBody."""
    _require_only(fields, FIELDS)
    to = fields.get("to", "moves")
    said = SAID.get(to) if isinstance(to, str) else None
    if said is None:
        raise _bad("to", f"Must be one of: {', '.join(SAID)}.")
    if not isinstance(fields.get("match"), str):
        raise _bad("match", "Must be the id of a match.")
    if "key" in fields and not (isinstance(fields["key"], str) and KEY.fullmatch(fields["key"])):
        raise _bad("key", "Must be 1 to 64 printable ASCII characters.")
    if not isinstance(fields.get("body", {}), dict):
        raise _bad("body", "Must be an object.")
    for name in ("version", "thought_ms"):
        if name in fields and not _is_number(fields[name], MAX_NUMBER):
            raise _bad(name, "Must be a whole number.")
    return said


def _require_only(fields: Any, allowed: set[str]) -> None:
    if not isinstance(fields, dict):
        raise _bad("follow", "Must be an object.")
    if not fields.keys() <= allowed:
        raise _bad(min(fields.keys() - allowed), "Unknown field.")


def _is_number(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _bad(field: str, why: str) -> BadBody:
    return BadBody(f"the line is invalid: {field}: {why}", errors={field: [why]})


def _format(fields: Json) -> str:
    return orjson.dumps(fields).decode() + "\n"


def _format_end(problem: Json, language: str) -> str:
    metrics.note_refusal(problem["code"])
    return _format({"type": "end", "problem": translate_problem(problem, language)})
