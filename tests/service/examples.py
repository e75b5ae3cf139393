"""The examples of the contract: `python -m tests.service.examples` records service/web/api/examples.json.

Each story sends requests to the application. The requests that it sends with `show` instead of `send` become the
examples. To give an operation an example, add one such line to a story, with a name if the operation has several.
Time and randomness are fixed, so the same stories always give the same bytes.
"""

import logging
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import orjson
from werkzeug.test import TestResponse

from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.commands import AbortMatch, Actor, Withdraw
from plyscribe.domain.record import MEDIA_TYPE
from plyscribe.domain.rulesets import register
from plyscribe.domain.tournament.state import MAX_ATTEMPTS
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.datasets.keeping import MAKING, Making
from plyscribe.service.datasets.shelf import KeptDataset, KeptFile, Shelf
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.streams.ids import job_command
from plyscribe.service.web.api import openapi
from plyscribe.service.web.app import create_app
from plyscribe.service.web.handover import HOLDS, LATE
from plyscribe.workers.check_import import check_import
from plyscribe.workers.verify_match import verify_all
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.notifying import notify

RECORDED = Path(openapi.__file__).with_name("examples.json")
BEGIN_MS = 1_767_225_600_000
"""The first of January 2026."""

VARYING = orjson.loads(Path(__file__).with_name("varying_answers.json").read_bytes())
JSON = "application/json"
AT_TABLE = {"at_table": True, "is_open": False, "seed": 7}
MAX_TEXT = 4000


class Story(Api):
    """The API with a new store, and with a clock that moves by a second with every request."""

    def __init__(self, examples: dict[str, Any], name: str, **settings: Any) -> None:
        config = Config("", "", parse_key("5a" * 32), **{"open_sign_up": True, **settings})
        self.parts: Parts = compose(config, MemoryStore())
        super().__init__(create_app(self.parts))
        self._examples = examples
        self._name = name
        self._requests = 0

    def send(self, method: str, path: str, token: str | None = None, **request: Any) -> TestResponse:
        self._requests += 1
        headers = {"X-Request-Id": f"{self._name}-{self._requests}", **(request.pop("headers", None) or {})}
        with _made_up(f"{self._name} {self._requests}", BEGIN_MS + 1000 * self._requests):
            return super().send(method, path, token, headers=headers, **request)

    def show(
        self, method: str, path: str, token: str | None = None, body: Any = None, name: str = "example", **request: Any
    ) -> Any:
        """Send the request, record it as an example, and return the answer's JSON. A refusal is named by its code."""
        if body is not None:
            request["json"] = body
        answered = self.send(method, path, token, **request)
        if answered.is_json and answered.status_code >= 400:
            name = answered.json["code"]
        self._record(method, answered, name, body if answered.status_code < 400 else None)
        return answered.json if answered.is_json else answered.text

    def show_each(self, method: str, path: str, *asked: tuple[Any, ...]) -> None:
        """Show requests of several tokens and bodies to the same path, in this order."""
        for token, *body in asked:
            self.show(method, path, token, *body)

    def read(self, *paths: str) -> None:
        for path in paths:
            self.show("GET", path)

    def show_body(self, method: str, path: str, body: str) -> None:
        """Record a body that is not JSON as an example."""
        with self.app.test_request_context(path, method=method) as context:
            rule = context.request.url_rule
        assert rule is not None
        self._examples[openapi.operation_id(rule.endpoint)]["bodies"] = {"example": body}

    def enrol(self, name: str) -> Any:
        return self.send("POST", "/v1/players", json={"name": name}).json

    def create(self, account: Any, ruleset: str, key: str, seats: list[Any] | None = None) -> str:
        """A match in which the account has all seats unless said otherwise; returns its id."""
        body = {"ruleset": ruleset, "seats": seats or [{"player": account["player"]}] * 2}
        return self.send("POST", "/v1/matches", account["token"], json=body, key=key).json["match"]

    def play(self, match: str, *moves: tuple[Any, str]) -> None:
        for account, move in moves:
            self.send("POST", f"/v1/matches/{match}/moves", account["token"], json={"move": move})

    def appoint(self, name: str, *scopes: str, seed: str = "organiser", by: str = "test") -> str:
        """The token of an account with more scopes than one can sign up for."""
        with _made_up(seed, BEGIN_MS):
            return self.parts.accounts.sign_up(Actor("system", by), name, "person", scopes)[1]

    def sign_up_organiser(self) -> str:
        return self.appoint("Olga", "play", "organise")

    def verify(self, seed: str, played: tuple[str, int]) -> None:
        with _made_up(seed, BEGIN_MS + 60_000):
            verify_all(self.parts, [played])

    def check(self, id: str) -> None:
        with _made_up("worker", BEGIN_MS + 60_000):
            check_import(self.parts, id)

    def write_varying(self, *operation_ids: str) -> None:
        """Write the answers of these operations that vary or never end, as they are in `varying_answers.json`."""
        for operation_id in operation_ids:
            for media, value in VARYING[operation_id].items():
                self.write(operation_id, media, value)

    def write(self, operation_id: str, media: str, value: Any, status: int = 200, name: str = "example") -> None:
        """Write the example of an answer that varies or never ends."""
        self._answers(operation_id, status, media)[name] = value

    def _record(self, method: str, answered: TestResponse, name: str, body: Any) -> None:
        with self.app.test_request_context(answered.request.path, method=method) as context:
            rule = context.request.url_rule
        assert rule is not None, f"{method} {answered.request.path} is not an operation"
        operation_id = openapi.operation_id(rule.endpoint)
        if answered.status_code < 400 and answered.request.path != rule.rule:
            self._examples.setdefault(operation_id, {}).setdefault("path", context.request.view_args)
        value = answered.json if answered.is_json else answered.text[:MAX_TEXT]
        self._answers(operation_id, answered.status_code, answered.mimetype)[name] = value
        if body is not None:
            self._examples[operation_id].setdefault("bodies", {})[name] = body

    def _answers(self, operation_id: str, status: int, media: str) -> dict[str, Any]:
        answers = self._examples.setdefault(operation_id, {}).setdefault("answers", {})
        return answers.setdefault(str(status), {}).setdefault(media, {})


@contextmanager
def _made_up(seed: str, now_ms: int) -> Iterator[None]:
    chance = random.Random(seed)
    with (
        patch("time.time_ns", lambda: now_ms * 1_000_000),
        patch("secrets.token_bytes", chance.randbytes),
        patch("secrets.token_hex", lambda size: chance.randbytes(size).hex()),
        patch("secrets.token_urlsafe", lambda size: "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=43))),
    ):
        yield


# ----------------------------------------------------------------------------------------------------------- stories


def record_rulesets(story: Story) -> None:
    story.read("/v1/rulesets", "/v1/bots", "/v1/rulesets/zhen?version=1", "/v1/rulesets/zhen/clauses/ZH1")
    story.read("/v1/rulesets/zhen/clauses/ZH99", "/v1/rulesets/chess", "/v1/rulesets/zhen?version=new")
    steps = [{"move": "+3"}, {"move": "+8"}]
    story.show("POST", "/v1/rulesets/zhen/positions", body={"seats": 2, "steps": steps})
    story.show("POST", "/v1/rulesets/zhen/positions", body={"seats": 2, "steps": [*steps, {"values": [4]}]})
    _, ann = story.sign_up("Ann")
    story.show("POST", "/v1/rulesets/zhen/suggestions", ann, {"seats": 2, "steps": steps, "playouts": 50})


def record_system(story: Story) -> None:
    story.read("/healthz", "/readyz", "/metrics")
    story.write_varying("system_openapi", "docs_read_docs", "system_read_metrics")


def record_accounts(story: Story) -> None:
    key = "0d9f6e5c1b7a4f3e9c2d8b6a5f4e3d2c"
    ann = story.show("POST", "/v1/players", body={"name": "Ann"}, key=key)
    story.show("POST", "/v1/players", body={"name": "Cat"}, key=key)
    story.show("POST", "/v1/players", body={"name": "Chip", "kind": "bot", "scopes": ["play"]}, name="bot")
    story.show("POST", "/v1/players", body={"name": " Ann"})
    story.show("POST", "/v1/players", body={"name": "ANN"})
    story.show("POST", "/v1/players", body={"name": "Ann"}, key="k1")
    story.show("GET", "/v1/players/me", ann["token"])
    story.read("/v1/players/me", f"/v1/players/{ann['player']}", f"/v1/players/player-{'a' * 26}")


def record_tokens(story: Story) -> None:
    admin = story.appoint("Root", "admin", seed="administrator", by="first-start")
    ann = story.enrol("Ann")
    tokens = "/v1/players/me/tokens"
    made = story.show("POST", tokens, ann["token"], {"scopes": ["play"], "label": "phone", "expires_in_s": 86400})
    with _made_up("browser", BEGIN_MS):
        story.parts.accounts.begin_session(ann["token"], "Firefox on Linux")
    story.show("POST", tokens, made["token"], {"scopes": ["record"]})
    story.show("GET", tokens, ann["token"])
    story.show("DELETE", "/v1/players/me/sessions", ann["token"], {})
    story.show("POST", f"{tokens}/rotation", ann["token"], {"overlap_s": 60})
    story.show("DELETE", f"{tokens}/{made['id']}", ann["token"], {})
    story.show("POST", f"/v1/players/{ann['player']}/tokens", admin, {"scopes": ["play", "record"]})
    story.show("POST", f"/v1/players/{ann['player']}/tokens", ann["token"], {"scopes": ["play"]})
    story.show("POST", f"/v1/players/{ann['player']}/organiser", admin, {})
    story.show_each("DELETE", f"/v1/players/{ann['player']}/organiser", (admin, {}), (admin, {}))


def record_recovery(story: Story) -> None:
    ann = story.enrol("Ann")
    made = story.show("POST", "/v1/players/me/recovery-code", ann["token"], {})
    lost = {"name": "Ann", "code": made["recovery_code"], "label": "New phone"}
    story.show("POST", "/v1/players/recovery", body=lost)
    story.show("POST", "/v1/players/recovery", body=lost)


def record_webhooks(story: Story) -> None:
    ann = story.enrol("Ann")
    webhooks = "/v1/players/me/webhooks"
    body = {"url": "https://example.org/plyscribe", "topics": ["your-turn", "match-ended"]}
    made = story.show("POST", webhooks, ann["token"], body, key="hook-1")
    story.show("POST", webhooks, ann["token"], {**body, "url": "http://example.org/"})
    story.show("POST", webhooks, ann["token"], {**body, "url": "https://10.0.0.1/"})
    one = f"{webhooks}/{made['id']}"
    story.show("POST", f"{one}/test", ann["token"], {})
    story.show("GET", webhooks, ann["token"])
    story.show("PATCH", one, ann["token"], {"enabled": False}, name="disable")
    story.show("POST", f"{one}/test", ann["token"], {})
    story.show("PATCH", one, ann["token"], {"enabled": True, "topics": ["tournament-ended"]}, name="enable and change")
    story.show("PATCH", one, ann["token"], {})
    story.show("POST", f"{one}/secret", ann["token"], {})
    story.show_each("DELETE", one, (ann["token"], {}), (ann["token"], {}))


def record_lists(story: Story) -> None:
    ann, _ = map(story.enrol, ("Ann", "Ben"))
    for number, ruleset in enumerate(("zhen", "pathagon")):
        story.create(ann, ruleset, f"list-{number}", [{"player": ann["player"]}, None])
    story.show("GET", f"/v1/matches?player={ann['player']}&limit=1")
    story.show("GET", "/v1/matches?q=ann&sort=length", name="by length")
    story.read(f"/v1/matches?opponent={ann['player']}", "/v1/matches?cursor=nowhere")
    story.write_varying("many_follow_matches")
    story.read(f"/v1/matches/export?player={ann['player']}&limit=1", "/v1/players?name=a")


def record_match(story: Story) -> None:
    ann, ben, eve = map(story.enrol, ("Ann", "Ben", "Eve"))
    story.show("POST", "/v1/matches", ann["token"], {"ruleset": "chess", "seats": [None, None]})
    body = {"ruleset": "zhen", "seats": [{"player": ann["player"]}, None], "start": "call"}
    created = story.show("POST", "/v1/matches", ann["token"], body, key="evening-1")
    match = f"/v1/matches/{created['match']}"
    story.show("POST", "/v1/matches", ann["token"], {**body, "start": "auto"}, key="evening-1")
    story.show_each("POST", f"{match}/seats/2", (ben["token"], {}), (eve["token"], {}))
    story.show("DELETE", f"{match}/seats/2", ben["token"], {})
    story.send("POST", f"{match}/seats/2", ben["token"])
    story.show_each("POST", f"{match}/start", (ben["token"], {}), (ann["token"], {}))
    story.show("POST", f"{match}/moves", ann["token"], {"move": "+5"}, key="m1")
    story.show_each("POST", f"{match}/moves", (ann["token"], {"move": "+6"}), (eve["token"], {"move": "+6"}))
    story.show_each("POST", f"{match}/moves", (ben["token"], {"move": "+5"}), (ben["token"], {"move": "here"}))
    story.show("POST", f"{match}/moves", ben["token"], {"move": "+6"}, if_match='"4"')
    story.show("POST", f"{match}/moves", ben["token"], {"steps": []})
    story.show("POST", f"/v1/matches/match-{'a' * 26}/moves", ben["token"], {"move": "+6"})
    story.read(match, f"/v1/matches/match-{'a' * 26}", f"{match}/legal-moves?prefix=%2B&limit=3")
    story.show("GET", f"{match}/events?after=4&limit=1")
    story.show("GET", f"{match}/events", headers={"Accept": "application/x-ndjson"})
    story.show("GET", f"{match}/events", headers={"Accept": "text/csv"})
    story.show("GET", f"{match}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": "x"})
    story.show("GET", f"{match}/positions/1")
    story.show("GET", f"{match}/positions/1", headers={"Accept": "text/plain"})
    story.write_varying("matches_get_position")
    story.read(f"{match}/positions/9", f"{match}/record")
    story.show("GET", f"{match}/record", headers={"Accept": "text/plain"})
    story.show("POST", f"{match}/draw", ann["token"], {"action": "agree"})
    story.show("POST", f"{match}/draw", ann["token"], {"action": "offer"}, name="offer")
    story.show("POST", f"{match}/draw", ben["token"], {"action": "decline"}, name="decline")
    story.show("POST", f"{match}/rematch", ann["token"], {})
    story.show_each("POST", f"{match}/withdrawal", (ben["token"], {}), (ben["token"], {}))
    story.show("POST", f"{match}/rematch", ann["token"], {})
    story.show("POST", f"{match}/forks", eve["token"], {"ply": 1}, key="study-1")
    story.show("POST", f"{match}/forks", eve["token"], {"ply": 1, "steps": [{"move": "g7"}]}, name="with a step")
    story.show("POST", f"{match}/forks", eve["token"], {"ply": 9})


def record_effects(story: Story) -> None:
    ann, ben = map(story.enrol, ("Ann", "Ben"))
    id = story.create(ann, "pathagon", "effects-1", [{"player": ann["player"]}, None])
    match = f"/v1/matches/{id}"
    story.send("POST", f"{match}/seats/2", ben["token"])
    story.play(id, (ann, "c3"), (ben, "c4"), (ann, "c5"))
    story.show("GET", f"{match}/effects?from=2&to=3")
    story.show("GET", f"{match}/effects?from=3", name="in German", headers={"Accept-Language": "de"})
    story.show("GET", f"{match}/effects", headers={"Accept": "text/plain"})
    story.show("GET", f"{match}/effects?from=3&to=2")
    story.show("GET", f"{match}/positions/3?include=effects", name="with effects")
    story.show("GET", f"{match}/record?comments=effects", name="with effects")


def record_composition(story: Story) -> None:
    ann = story.enrol("Ann")
    match = story.create(ann, "zhen", "steps-1")
    story.play(match, (ann, "+5"), (ann, "+8"))
    story.show("GET", f"/v1/matches/{match}/legal-moves/next?prefix=5")
    match = story.create(ann, "pathagon", "touches-1")
    story.play(match, (ann, "d4"))
    story.show("GET", f"/v1/matches/{match}/legal-moves/touched?touch=d4")
    story.show("POST", f"/v1/matches/{match}/score-sheet", body={"text": "2. e5 3. d4"})


def record_explorer(story: Story) -> None:
    ann = story.enrol("Ann")
    for number, moves in enumerate((("c3", "c4", "c5"), ("e5", "e4", "a1"))):
        match = story.create(ann, "pathagon", f"explorer-{number}")
        story.play(match, *((ann, move) for move in moves))
        ended = story.send("POST", f"/v1/matches/{match}/withdrawal", ann["token"], json={"seat": 2}).json
        with _made_up(f"worker {number}", BEGIN_MS + 60_000):
            verify_all(story.parts, [(match, ended["version"])])
    story.read("/v1/explorer/pathagon?moves=c3;c4", f"/v1/explorer/pathagon?match={match}&position={'a' * 24}")
    story.read("/v1/explorer/pathagon?moves=c3;c3", "/v1/explorer/pathagon/search?q=trapped at=c*")
    story.read("/v1/explorer/pathagon/search?q=traped", "/v1/explorer/pathagon/search?q=trapped and")


def record_bundle(story: Story) -> None:
    ann = story.enrol("Ann")
    match = story.create(ann, "zhen", "bundle-1")
    ended = story.send("POST", f"/v1/matches/{match}/withdrawal", ann["token"], json={"seat": 2}).json
    story.verify("worker", (match, ended["version"]))
    story.show("GET", f"/v1/matches/{match}/bundle")
    story.show("GET", f"/v1/matches/{match}/bundle", headers={"Accept": "text/csv"})
    story.show("GET", f"/v1/matches/{match}/verification")


def record_live(story: Story) -> None:
    story.write_varying("matches_list_events")
    ann = story.enrol("Ann")
    match = story.create(ann, "zhen", "live-1", [None, None])
    streamed = {"headers": {"Accept": "text/event-stream"}}
    opened = story.send("GET", f"/v1/matches/{match}/events", ann["token"], **streamed)
    story.show("GET", f"/v1/matches/{match}/events", ann["token"], **streamed)
    opened.close()


def record_inbox(story: Story) -> None:
    ann, ben = map(story.enrol, ("Ann", "Ben"))
    match = story.create(ann, "zhen", "inbox-1", [{"player": ann["player"]}, {"player": ben["player"]}])
    story.send("POST", f"/v1/matches/{match}/seats/2", ben["token"])
    story.play(match, (ann, "+5"))
    notify(story.parts, story.parts.store.tail().entries)
    story.show("GET", "/v1/players/me/events", ben["token"])
    story.show("GET", "/v1/players/me/events")
    story.show("GET", "/v1/players/me/events?after=x", ben["token"])
    story.write_varying("inboxes_read_inbox")


def record_private_match(story: Story) -> None:
    ann, ben = map(story.enrol, ("Ann", "Ben"))
    body = {"ruleset": "pathagon", "seats": [{"player": ann["player"]}, None], "private": True}
    created = story.show("POST", "/v1/matches", ann["token"], body, name="private", key="evening-2")
    seat = f"/v1/matches/{created['match']}/seats/2"
    invited = story.show("POST", f"{seat}/invitations", ann["token"], {"expires_in_s": 3600})
    story.show("POST", seat, ben["token"], {"invitation": invited["invitation"]}, name="invited")
    story.show("POST", f"/v1/matches/{created['match']}/abort", ann["token"], {"cause": "wrong table"})
    story.show("POST", f"/v1/matches/{created['match']}/abort", ann["token"], {})


def record_limits(story: Story) -> None:
    ann, ben = map(story.enrol, ("Ann", "Ben"))
    body = {"ruleset": "zhen", "seats": [{"player": ann["player"]}, None], "limits": {"move_ms": 86_400_000}}
    created = story.show("POST", "/v1/matches", ann["token"], body, name="limits", key="slowly")
    times = {"match_ms": 5_400_000, "increment_ms": 30_000}
    limits = {**times, "phases": [{"after": 40, "add_ms": 1_800_000, "increment_ms": 30_000}]}
    story.show("POST", "/v1/matches", ann["token"], {**body, "limits": limits}, name="phases", key="in phases")
    match = f"/v1/matches/{created['match']}"
    story.send("POST", f"{match}/seats/2", ben["token"])
    story.show("GET", match, name="limits")
    story.show("POST", "/v1/matches", ann["token"], {**body, "limits": {}})


def record_pauses(story: Story) -> None:
    ann, ben = map(story.enrol, ("Ann", "Ben"))
    olga = story.sign_up_organiser()
    seats = [{"player": ann["player"]}, {"player": ben["player"]}]
    body = {"ruleset": "zhen", "seats": seats, "limits": {"match_ms": 300_000, "increment_ms": 3_000}}
    match = f"/v1/matches/{story.send('POST', '/v1/matches', olga, json=body).json['match']}"
    for seat, who in enumerate((ann, ben), 1):
        story.send("POST", f"{match}/seats/{seat}", who["token"])
    story.send("POST", f"{match}/moves", ann["token"], json={"move": "+5"})
    story.show("POST", f"{match}/resume", olga, {})
    story.show("POST", f"{match}/pause", ben["token"], {"why": "I must think"})
    story.show("POST", f"{match}/pause", olga, {"why": "the lights went out"})
    story.show("POST", f"{match}/pause", olga, {"why": "the lights went out"})
    story.show("POST", f"{match}/moves", ben["token"], {"move": "+3"})
    story.show("GET", match, name="paused")
    story.show("POST", f"{match}/clock", olga, {"seat": 2, "add_ms": 120_000, "why": "the connection was lost"})
    story.show("POST", f"{match}/clock", ben["token"], {"seat": 2, "add_ms": 120_000, "why": "I need more"})
    story.show("POST", f"{match}/clock", olga, {"seat": 2, "add_ms": -900_000, "why": "a telephone rang"})
    story.show("POST", f"{match}/resume", olga, {"why": "the lights are on again"})


def record_ratings(story: Story) -> None:
    ann, ben = map(story.enrol, ("Ann", "Ben"))
    organiser = story.appoint("Olga", "admin")
    body = {"ruleset": "zhen", "seats": [{"player": ann["player"]}, None], "rated": True}
    story.show("POST", "/v1/matches", ann["token"], {**body, "options": {"tiles": 5}})
    created = story.show("POST", "/v1/matches", ann["token"], body, name="rated", key="evening-3")
    match = f"/v1/matches/{created['match']}"
    story.show("POST", f"{match}/seats/2", ann["token"], {})
    story.send("POST", f"{match}/seats/2", ben["token"])
    story.send("POST", f"{match}/moves", ann["token"], json={"move": "+5"})
    story.show("POST", f"{match}/moves", ben["token"], {"move": "+3"}, name="rated")
    story.show("POST", f"{match}/abort", ben["token"], {})
    ended = story.send("POST", f"{match}/withdrawal", ben["token"]).json
    story.verify("worker", (created["match"], ended["version"]))
    story.show("GET", match, name="scored")
    admin = story.appoint("Root", "admin", seed="administrator", by="first-start")
    story.show_each("POST", f"{match}/verification", (admin, {}), (ben["token"], {}))
    story.read("/v1/ratings/zhen?limit=1", "/v1/ratings/zhen?cursor=nowhere", "/v1/ratings/chess")
    story.read(f"/v1/ratings/zhen/{ben['player']}", f"/v1/ratings/pathagon/{ben['player']}", f"{match}/annulment")
    story.show("GET", f"{match}/annulment?preview=true", organiser, name="preview")
    story.show("POST", f"{match}/annulment", ben["token"], {"why": "I lost"})
    story.show("POST", f"{match}/annulment", organiser, {"why": "both were one person"})
    story.show("GET", f"{match}/annulment", name="annulled")


def record_recorded_match(story: Story) -> None:
    register(TOY_V1)
    ann = story.enrol("Ann")
    body = {"ruleset": "toy", "seats": [{"name": "Ada"}, None], "recorded": True, "dice": "recorded"}
    created = story.show("POST", "/v1/matches", ann["token"], body, name="recorded", key="table-1")
    match = f"/v1/matches/{created['match']}"
    story.show("POST", f"{match}/seats/2", ann["token"], {"name": "Bea"}, name="guest")
    story.show("POST", f"{match}/take-back", ann["token"], {"ply": 0})
    story.show_each("POST", f"{match}/rolls", (ann["token"], {"values": [1, 2]}), (ann["token"], {"values": [7]}))
    for values in ([1], [1]):
        story.send("POST", f"{match}/rolls", ann["token"], json={"values": values})
    story.show("POST", f"{match}/rolls", ann["token"], {"values": [1]})
    story.send("POST", f"{match}/moves", ann["token"], json={"move": "hold"})
    wrong = {"take_back": 2, "steps": [{"values": [3]}]}
    story.show_each("POST", f"{match}/corrections", (ann["token"], wrong), (ann["token"], {"take_back": 9}))
    story.show("POST", f"{match}/take-back", ann["token"], {"ply": 0})
    story.show("POST", f"{match}/withdrawal", ann["token"], {"seat": 2, "cause": "time"}, name="recorded")
    story.show("POST", f"{match}/take-back", ann["token"], {"steps": 1}, name="after the end")
    story.show("POST", f"{match}/take-back", ann["token"], {"steps": 9})
    story.show("POST", f"{match}/confirmation", ann["token"], {})
    story.send("POST", f"{match}/withdrawal", ann["token"], json={"seat": 2, "cause": "absent"})
    story.show("GET", match, name="awaiting confirmation")
    story.show("POST", f"{match}/confirmation", ann["token"], {})
    story.show("POST", f"{match}/take-back", ann["token"], {"steps": 1})


def record_import(story: Story) -> None:
    elsewhere = Story({}, "elsewhere")
    ann, ida = elsewhere.enrol("Ann"), story.enrol("Ann")
    match = elsewhere.create(ann, "zhen", "import-1", [{"player": ann["player"]}, None])
    elsewhere.send("POST", f"/v1/matches/{match}/abort", ann["token"])
    state, events = elsewhere.parts.matches.read(match), elsewhere.parts.matches.read_events(match, 0)
    bundle = b"".join(format_bundle(describe_head(match, state.life.created), events))
    sent = {"data": bundle, "content_type": "application/x-ndjson"}
    taken = story.show("POST", "/v1/imports", ida["token"], **sent)
    story.show_body("POST", "/v1/imports", bundle.decode())
    story.show("POST", "/v1/imports", ida["token"], **{**sent, "data": bundle[:-2]})
    story.check(taken["import"])
    story.read(f"/v1/imports/{taken['import']}", f"/v1/imports/import-{'a' * 26}")
    story.show("POST", f"/v1/matches/{taken['address']}/abort", ida["token"], {})
    later = [entry._replace(e=entry.e.replace(b'"at":', b'"at":1', 1)) for entry in events]
    chained = link_all(first_link(match), 1, [entry.e for entry in later])
    other = format_bundle(describe_head(match, state.life.created), chained)
    story.send("POST", "/v1/imports", ida["token"], **{**sent, "data": b"".join(other)})
    story.show("GET", f"/v1/matches/{match}")


def record_typed_match(story: Story) -> None:
    ann = story.enrol("Ann")
    text = "[ruleset zhen]\n[seat 1 Ada]\n[seat 2 Bea]\n\n1. +5 2. +3 3. +5\n"
    sent = {"data": text.encode(), "content_type": MEDIA_TYPE, "key": "typed-1"}
    taken = story.show("POST", "/v1/imports", ann["token"], name="text record", **sent)
    story.check(taken["import"])
    path = f"/v1/imports/{taken['import']}"
    story.show("GET", path, ann["token"], name="a fault")
    story.show("POST", f"{path}/prefix", ann["token"], {})


def record_dice(story: Story) -> None:
    ann = story.enrol("Ann")
    body = {"ruleset": "toy", "seats": [{"player": ann["player"]}, None]}
    match = story.send("POST", "/v1/matches", ann["token"], json=body, key="dice-1").json["match"]
    story.show("POST", f"/v1/matches/{match}/entropy", ann["token"], {"entropy": "correct horse"})
    story.show("POST", f"/v1/matches/{match}/entropy", ann["token"], {"entropy": "again"})
    build = {"digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "command": "mybot"}
    alone = {"ruleset": "pathagon", "seats": [{"player": ann["player"]}] * 2, "start": "call"}
    played = story.send("POST", "/v1/matches", ann["token"], json=alone, key="build-1").json["match"]
    declared = {**build, "version": "1.2", "options": {"level": 3}, "seat": 1}
    story.show("POST", f"/v1/matches/{played}/builds", ann["token"], declared, name="before the start")
    story.send("POST", f"/v1/matches/{played}/start", ann["token"], json={})
    story.show("POST", f"/v1/matches/{played}/builds", ann["token"], declared)
    story.show("POST", f"/v1/matches/{played}/builds", ann["token"], declared, name="again")
    shared = {**body, "shared_dice": 2}
    first = story.show("POST", "/v1/matches", ann["token"], shared, name="shared dice", key="duplicate-1")["match"]
    story.show("GET", f"/v1/matches/{first}", name="shared dice")
    other = {"seats": [None, None]}
    story.show("POST", f"/v1/matches/{first}/duplicates/2", ann["token"], other, key="duplicate-2")
    story.show("POST", f"/v1/matches/{first}/duplicates/3", ann["token"], other)
    story.show("POST", f"/v1/matches/{first}/duplicates/2", ann["token"], other)


def record_tournament(story: Story) -> None:
    ann = story.enrol("Ann")
    olga = story.sign_up_organiser()
    tournaments = "/v1/tournaments"
    terms = {"name": "Club cup", "ruleset": "zhen", "format": {"kind": "swiss", "rounds": 3}}
    created = story.show("POST", tournaments, olga, {**terms, "seed": 7}, key="cup-1")
    story.show_each("POST", tournaments, (ann["token"], terms), (olga, {**terms, "format": {"kind": "tower"}}))
    tournament = f"{tournaments}/{created['tournament']}"
    story.show_each("POST", f"{tournament}/entrants", (ann["token"], {}), (ann["token"], {}))
    story.show("POST", f"{tournament}/start", olga, {})
    bot = {"bot": {"name": "mcts", "playouts": 500}, "label": "thinks longer"}
    story.show("POST", f"{tournament}/entrants", ann["token"], bot)
    story.show("POST", f"{tournament}/entrants", olga, bot, name="a bot")
    story.send("POST", f"{tournament}/entrants", olga, json={"bot": {"name": "greedy"}})
    story.send("POST", f"{tournament}/entrants", olga, json={"bot": {"name": "random"}})
    build = {"digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "command": "mybot"}
    pinned = {**build, "version": "1.2", "options": {"level": 3}, "pinned": True}
    story.show("POST", f"{tournament}/entrants/1/builds", ann["token"], pinned)
    story.show("POST", f"{tournament}/entrants/2/builds", ann["token"], pinned)
    story.show_each("POST", f"{tournament}/entrants/4/withdrawal", (ann["token"], {}), (olga, {}))
    story.show("POST", f"{tournament}/entrants/1/absences", ann["token"], {"round": 2})
    story.show("POST", f"{tournament}/entrants/1/absences", ann["token"], {"round": 2})
    story.show("POST", f"{tournament}/start", olga, {})
    with _made_up("worker", BEGIN_MS + 60_000):
        story.parts.tournaments.advance(created["tournament"])
    story.read(tournament, f"{tournaments}?ruleset=zhen&status=playing", f"{tournaments}?cursor=nowhere")
    story.read(f"{tournament}/rounds", f"{tournament}/rounds/1/check", f"{tournament}/rounds/9/check")
    story.show("GET", f"{tournament}/standings")
    for media in ("text/plain", "text/csv", "image/png"):
        story.show("GET", f"{tournament}/standings", headers={"Accept": media})
    story.show("GET", f"{tournament}/trf")
    robin = {**terms, "format": {"kind": "round-robin"}}
    other = story.send("POST", tournaments, olga, json=robin, key="cup-2").json["tournament"]
    story.read(f"{tournaments}/{other}/trf", f"{tournament}/events?limit=2")
    for media in ("application/x-ndjson", "image/png"):
        story.show("GET", f"{tournament}/events", headers={"Accept": media})
    story.show("GET", f"{tournament}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": "x"})
    story.write_varying("tournaments_list_events", "tournaments_follow_tournament")
    story.show("GET", f"{tournament}/stream", headers={"Accept": "text/event-stream", "Last-Event-ID": "x"})
    for path in ("", "/rounds", "/attempts", "/events", "/standings", "/trf", "/stream"):
        story.show("GET", f"{tournaments}/tournament-{'a' * 26}{path}")
    story.show("POST", f"{tournament}/annulments", olga, {"round": 1, "board": 1, "why": "the wrong bot played"})
    story.show("POST", f"{tournament}/annulments", ann["token"], {"round": 1, "board": 1, "why": "I lost"})
    [first, *_] = story.send("GET", f"{tournament}/rounds").json["rounds"][0]["games"]
    with _made_up("worker", BEGIN_MS + 120_000):
        _finish(story, first["match"])
        story.parts.tournaments.advance(created["tournament"])
    story.show("GET", f"{tournament}/attempts")
    story.show("GET", f"{tournament}/attempts?entrant=1&faults=true", name="of one entrant, with a fault")
    story.show("GET", f"{tournament}/attempts?after=x")
    wrong = {"round": 1, "board": first["board"], "why": "the wrong bot played"}
    board = f"round=1&board={first['board']}"
    story.read(f"{tournament}/matches", f"{tournaments}/tournament-{'a' * 26}/matches")
    story.read(f"{tournament}/annulments?{board}", f"{tournament}/annulments?round=1&board={3 - first['board']}")
    story.show("GET", f"{tournament}/annulments?round=9&board=1")
    story.show("POST", f"{tournament}/annulments", olga, wrong)
    *_, newest = story.send("GET", f"{tournament}/rounds").json["rounds"]
    place = {"round": newest["round"], "board": 1}
    players = newest["games"][0]["entrants"]
    story.show("POST", f"{tournament}/retries", olga, {**place, "why": "the bot is repaired"})
    for ruling, more in (("adjudications", {"ranks": [1, 1]}), ("forfeits", {"entrants": players[:1]})):
        story.show("POST", f"{tournament}/{ruling}", ann["token"], {**place, "why": "I won", **more})
    story.show("POST", f"{tournament}/adjudications", olga, {**place, "why": "nobody can win", "ranks": [2, 2]})
    story.show("POST", f"{tournament}/adjudications", olga, {**place, "why": "nobody can win", "ranks": [1, 1]})
    story.show_each("POST", f"{tournament}/abort", (ann["token"], {}), (olga, {"cause": "a power cut"}), (olga, {}))


def record_closed_tournament(story: Story) -> None:
    ann, ben = map(story.enrol, ("Ann", "Ben"))
    olga = story.sign_up_organiser()
    terms = {"name": "Closed cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, "is_open": False, "seed": 7}
    created = story.send("POST", "/v1/tournaments", olga, json=terms, key="cup-3").json
    tournament = f"/v1/tournaments/{created['tournament']}"
    story.show("POST", f"{tournament}/invitations", olga, {"name": "Ann", "label": "Annie"})
    story.show_each("POST", f"{tournament}/invitations", (olga, {"name": "Zoe"}), (olga, {"player": ann["player"]}))
    story.show("POST", f"{tournament}/invitations", ben["token"], {"player": ben["player"]})
    story.send("POST", f"{tournament}/invitations", olga, json={"player": ben["player"]})
    story.show_each("DELETE", f"{tournament}/invitations/{ben['player']}", (ben["token"], {}), (ben["token"], {}))
    story.show("POST", f"{tournament}/entrants", ann["token"], {}, name="by invitation")
    story.send("POST", f"{tournament}/entrants", olga, json={"bot": {"name": "greedy"}})
    story.send("POST", f"{tournament}/start", olga)
    with _made_up("worker", BEGIN_MS + 60_000):
        story.parts.tournaments.advance(created["tournament"])
    place = {"round": 1, "board": 1, "why": "Annie never came"}
    for number in range(MAX_ATTEMPTS):
        [game] = story.send("GET", f"{tournament}/rounds").json["rounds"][0]["games"]
        with _made_up(f"worker {number}", BEGIN_MS + 70_000 + number):
            _abort(story, game["match"])
            story.parts.tournaments.advance(created["tournament"])
    story.show("POST", f"{tournament}/retries", olga, {**place, "why": "the bot is repaired"})
    story.show("POST", f"{tournament}/forfeits", olga, {**place, "entrants": [3]})
    story.show("POST", f"{tournament}/forfeits", olga, {**place, "entrants": [1]})
    story.show("POST", f"{tournament}/retries", olga, place)


def record_club(story: Story) -> None:
    ann, ben, cem = map(story.enrol, ("Ann", "Ben", "Cem"))
    olga = story.sign_up_organiser()
    swiss = {"format": {"kind": "swiss", "rounds": 3}, "scoring": {"asked_byes": 1}, "rounds_begin": "call"}
    terms = {"name": "Club night", "ruleset": "zhen", **swiss, **AT_TABLE}
    created = story.send("POST", "/v1/tournaments", olga, json=terms, key="club-1").json
    id, club = created["tournament"], f"/v1/tournaments/{created['tournament']}"
    story.show_each("POST", f"{club}/arbiters", (olga, {"name": "Ann"}), (olga, {"name": "Ann"}))
    story.show("POST", f"{club}/arbiters", ann["token"], {"name": "Ben"})
    story.show("POST", f"{club}/entrants", olga, {"guest": "Ida", "rating": 1500}, name="a guest")
    for guest in ("Kim", "Lou"):
        story.send("POST", f"{club}/entrants", olga, json={"guest": guest})
    story.show_each("POST", f"{club}/requests", (ben["token"], {"label": "Benny"}), (ben["token"], {}))
    story.show("POST", f"{club}/entrants", olga, {"player": ben["player"]}, name="a player who asked")
    story.send("POST", f"{club}/requests", cem["token"], json={})
    story.show("DELETE", f"{club}/requests/{cem['player']}", ann["token"], {"why": "members only"})
    story.show("DELETE", f"{club}/requests/{cem['player']}", ann["token"], {})
    with _made_up("links", BEGIN_MS):
        story.show_each("POST", f"{club}/entry-link", (olga, {"hours": 24}), (ben["token"], {}))
    story.show_each("DELETE", f"{club}/entry-link", (olga, {}), (ben["token"], {}))
    story.show_each("PATCH", f"{club}/entrants/2", (olga, {"seed": 1}), (olga, {"seed": 1}))
    story.show("POST", f"{club}/entrants/3/return", olga, {"why": "a mistake"})
    story.send("POST", f"{club}/entrants/3/withdrawal", olga, json={})
    story.show("POST", f"{club}/entrants/3/return", olga, {"why": "a mistake"})
    story.send("POST", f"{club}/entrants/4/absences", ben["token"], json={"round": 2, "bye": True})
    story.show_each("DELETE", f"{club}/entrants/4/absences/2", (ben["token"], {}), (ben["token"], {}))
    story.show("GET", f"{club}/rounds/next")
    story.show("POST", f"{club}/rounds/1/codes", olga, {})
    story.send("POST", f"{club}/start", olga)
    story.show("GET", f"{club}/rounds/next")
    story.show_each("POST", f"{club}/pause", (ann["token"], {"why": "dinner"}), (ann["token"], {"why": "dinner"}))
    story.show_each("POST", f"{club}/resume", (ann["token"], {}), (ann["token"], {}))
    story.show_each("POST", f"{club}/rounds", (olga, {"round": 2}), (olga, {"round": 1}))
    _advance(story, id, 1)
    story.show("DELETE", f"{club}/rounds/1", olga, {"why": "they came together"})
    story.show("DELETE", f"{club}/rounds/1", olga, {"why": "they came together"})
    _advance(story, id, 2)
    pairing = {"boards": [[1, 2], [3, 4]], "byes": []}
    story.show_each("POST", f"{club}/rounds/next/check", (olga, pairing), (olga, {"boards": [[1, 2]]}))
    by_hand = {"round": 1, **pairing, "why": "they came together"}
    story.show("POST", f"{club}/rounds", olga, by_hand, name="by hand")
    _advance(story, id, 3)
    with _made_up("codes", BEGIN_MS):
        made = story.show("POST", f"{club}/rounds/1/codes", olga, {})
        story.show("POST", f"{club}/rounds/1/codes", olga, {"board": 1, "seats": True}, name="a code for each seat")
    code = made["codes"][0]["code"]
    with _made_up("at the table", BEGIN_MS + 60_000):
        story.show("POST", f"{club}/results", code, {"round": 1, "board": 2, "ranks": [1, 2]})
        story.show("POST", f"{club}/results", code, {"round": 1, "board": 1, "ranks": [1, 2]})
        story.show("POST", f"{club}/results", code, {"round": 1, "board": 1, "ranks": [2, 1]})
        call = {"round": 1, "board": 1, "why": "The result is wrong"}
        story.show_each("POST", f"{club}/calls", (code, call), (code, call), (ann["token"], call))
    answer = {"round": 1, "board": 1, "why": "I come at once"}
    story.show_each("POST", f"{club}/call-answers", (ann["token"], answer), (ann["token"], answer))
    walkover = {"round": 1, "board": 2, "forfeited": [4]}
    story.show("POST", f"{club}/results", olga, walkover, name="a walkover")
    story.show("POST", f"{club}/code-revocations", olga, {"round": 1, "board": 1, "why": "a lost phone"})
    story.show("POST", f"{club}/code-revocations", olga, {"round": 1, "why": "a lost phone"})
    story.read(f"{club}/rulings/preview?round=1&board=1&ranks=2,1", f"{club}/rulings/preview?round=1&board=1")
    wrong = {"round": 1, "board": 1, "ranks": [2, 1], "why": "they mixed up the names"}
    story.show_each("POST", f"{club}/corrections", (ann["token"], wrong), (ann["token"], wrong))
    again = {"round": 1, "board": 2, "why": "Ben was in the wrong room"}
    story.show_each("POST", f"{club}/replays", (ann["token"], again), (ann["token"], again))
    story.show("POST", f"{club}/penalties", ann["token"], {"entrant": 1, "points": 1, "why": "a phone rang"})
    story.show("POST", f"{club}/penalties", ben["token"], {"entrant": 1, "why": "a phone rang"})
    story.show("DELETE", f"{club}/penalties/1", ann["token"], {"why": "it was not theirs"})
    story.show("DELETE", f"{club}/penalties/1", ann["token"], {"why": "it was not theirs"})
    story.show_each("DELETE", f"{club}/arbiters/{ann['player']}", (olga, {}), (olga, {}))
    told = "XXR 3\n001    1      Ida{0:31}1800{0:28} 1.0    1     2 w 1\n001    2      Kim{0:63} 0.0    2     1 b {1}\n"
    report = {"ruleset": "zhen", "name": "Autumn cup", "seed": 7}
    story.show("POST", "/v1/tournament-imports", olga, {**report, "trf": told.format("", "0")})
    story.show("POST", "/v1/tournament-imports", olga, {**report, "trf": told.format("", "=")})


def record_groups(story: Story) -> None:
    olga = story.sign_up_organiser()
    terms = {"name": "Two groups", "ruleset": "zhen", "at_table": True, "seed": 7}
    format = {"kind": "groups", "groups": 2, "advance": 1}
    body = {**terms, "format": format}
    id = story.show("POST", "/v1/tournaments", olga, body, key="groups-1", name="with groups")["tournament"]
    tournament = f"/v1/tournaments/{id}"
    for guest in ("Ida", "Kim", "Lou", "Max"):
        story.send("POST", f"{tournament}/entrants", olga, json={"guest": guest})
    story.send("POST", f"{tournament}/start", olga)
    for number, boards in ((1, 2), (2, 1)):
        _advance(story, id, number)
        for board in range(1, boards + 1):
            result = {"round": number, "board": board, "ranks": [1, 2]}
            story.send("POST", f"{tournament}/results", olga, json=result)
    _advance(story, id, 3)
    story.show("GET", f"{tournament}/standings", name="with groups")
    story.show("GET", f"{tournament}/standings", headers={"Accept": "text/plain"}, name="with groups")


def record_league(story: Story) -> None:
    ann = story.enrol("Ann")
    olga = story.sign_up_organiser()
    terms = {"name": "Winter league", "ruleset": "zhen", "at_table": True, "seed": 7}
    body = {**terms, "format": {"kind": "league", "round_days": 7}}
    id = story.show("POST", "/v1/tournaments", olga, body, key="league-1", name="a league")["tournament"]
    league = f"/v1/tournaments/{id}"
    for guest in ("Ida", "Kim"):
        story.send("POST", f"{league}/entrants", olga, json={"guest": guest})
    story.send("POST", f"{league}/start", olga)
    _advance(story, id, 1)
    story.show("GET", f"{league}/deadlines")
    longer = {"round": 1, "board": 1, "days": 3, "why": "a holiday"}
    story.show_each("POST", f"{league}/deadlines", (olga, longer), (ann["token"], longer))
    story.show_each("POST", f"{league}/deadlines", (olga, {**longer, "days": 91}), (olga, {**longer, "board": 9}))
    story.send("POST", f"{league}/results", olga, json={"round": 1, "board": 1, "ranks": [1, 2]})
    story.show("POST", f"{league}/deadlines", olga, longer)
    story.show("GET", f"/v1/tournaments/tournament-{'a' * 26}/deadlines")


def record_ladder(story: Story) -> None:
    ann, ben, cem = map(story.enrol, ("Ann", "Ben", "Cem"))
    olga = story.sign_up_organiser()
    body = {"name": "Club ladder", "ruleset": "zhen", "format": {"kind": "ladder", "reach": 2}, "seed": 7}
    id = story.show("POST", "/v1/tournaments", olga, body, key="ladder-1", name="a ladder")["tournament"]
    ladder = f"/v1/tournaments/{id}"
    for player in (ann, ben):
        story.send("POST", f"{ladder}/entrants", player["token"], json={})
    story.send("POST", f"{ladder}/start", olga)
    story.read(f"{ladder}/challenges?entrant=2", f"{ladder}/challenges?entrant=9", f"{ladder}/challenges")
    story.show_each("POST", f"{ladder}/challenges", (ben["token"], {"opponent": 1}), (ann["token"], {"opponent": 2}))
    story.show_each("POST", f"{ladder}/challenges", (cem["token"], {"opponent": 1}), (ben["token"], {"opponent": 2}))
    story.show("POST", f"{ladder}/challenges", ben["token"], {"opponent": 9})
    story.show("POST", f"{ladder}/close", ben["token"], {"why": "the season is over"})
    story.show("POST", f"{ladder}/close", olga, {"why": "the season is over"})
    story.show("POST", f"{ladder}/close", olga, {"why": "the season is over"})


def _advance(story: Story, tournament: str, number: int) -> None:
    with _made_up(f"worker {number}", BEGIN_MS + 60_000 + number):
        story.parts.tournaments.advance(tournament)


def _abort(story: Story, match: str) -> None:
    """Abort the match as the server does when its bot breaks down."""
    asked = job_command("example abort", match)
    base = {"actor": Actor("system", "play"), "at": BEGIN_MS, "id": asked.id.hex(), "cause": "the bot broke down"}
    secret_for = story.parts.secret_for
    story.parts.matches.execute(match, lambda state: AbortMatch(**base, secret=secret_for(state)), asked)


def _finish(story: Story, match: str) -> None:
    """End the match, verify it and score it."""
    organiser, asked = Actor("organiser", "player-" + "o" * 26), job_command("example", match)
    told = {"id": asked.id.hex(), "secret": story.parts.secret_for(story.parts.matches.read(match))}
    withdraw = Withdraw(actor=organiser, at=BEGIN_MS, seat=2, cause="absent", why="did not come", **told)
    ended = story.parts.matches.execute(match, lambda _: withdraw, asked).state
    verify_all(story.parts, [(match, ended.version)])


def record_teams(story: Story) -> None:
    olga = story.sign_up_organiser()
    terms = {"name": "Four teams", "ruleset": "zhen", "format": {"kind": "team-round-robin", "boards": 2}, **AT_TABLE}
    created = story.send("POST", "/v1/tournaments", olga, json=terms, key="teams-1").json
    teams = f"/v1/tournaments/{created['tournament']}"
    for number in range(4):
        team = {"team": ("Red Kites", "Blue Tits")[number % 2]}
        story.send("POST", f"{teams}/entrants", olga, json={"guest": f"Guest {number + 1}", **team})
    story.show("PUT", f"{teams}/entrants/3/team", olga, {"team": "Red Kites", "place": 1})
    story.show_each("PUT", f"{teams}/entrants/3/team", (olga, {"team": "Red Kites", "place": 1}), (olga, {"place": 1}))
    story.send("POST", f"{teams}/start", olga)
    _advance(story, created["tournament"], 1)
    story.send("POST", f"{teams}/results", olga, json={"round": 1, "board": 1, "ranks": [1, 2]})
    story.show("GET", f"{teams}/standings", name="of teams")
    story.show("GET", f"{teams}/rounds", name="of teams")


def record_datasets(story: Story) -> None:
    name, sha256 = f"{BEGIN_MS}-98804ed794e989e2", "5509799cf26b093089383ff8d80bb3c48315c39e03f71afbf70e49d33be66542"
    matches = {
        "count": 1425,
        "digest": "78083873ad745080ec71145a232db5f1bb2c23e4d1e6bb882f1c7a28e6e873ca",
        "splits": {"train": 1138, "validation": 154, "test": 133},
    }
    tables = {"plies": {"file": "plies.parquet", "rows": 68_599}}
    sheet = {"schema": 1, "until_ms": BEGIN_MS, "licence": "CC BY 4.0", "matches": matches, "tables": tables}
    # Their bytes depend on the library that writes them.
    kept = KeptDataset("zhen", name, BEGIN_MS + 37_380, sheet, (KeptFile("plies.parquet", 2_982_533, sha256),))
    makers = SimpleNamespace(look=lambda _: Making(MAKING, 1200))
    path = f"/v1/datasets/zhen/{name}/plies.parquet"
    with patch.object(story.parts.datasets, "_makers", makers):
        story.show("GET", "/v1/datasets/zhen", name="making")
    with patch.object(Shelf, "list_kept", lambda _, ruleset, anew=False: [kept] if ruleset == "zhen" else []):
        story.show("GET", "/v1/datasets/zhen", name="made")
        story.show("GET", "/v1/datasets")
        story.show("GET", path, headers={"Range": "bytes=2982533-"})
    told = {"ruleset": "zhen", "title": "Zhen", "rules": {}, "until": "2026-01-01T00:00:00.000Z", **sheet}
    story.write("datasets_get_dataset_file", JSON, told)
    for media, text in (("application/vnd.apache.parquet", "PAR1…"), ("text/markdown", "# Datasheet: Zhen\n…")):
        story.write("datasets_get_dataset_file", media, text)
        story.write("datasets_get_dataset_file", media, text[:4], 206)
    story.write("datasets_get_dataset_file", JSON, "{", 206)
    story.show("GET", path)


def record_problems(story: Story) -> None:
    """Show one of every problem that any request can get."""
    ann = story.enrol("Ann")
    chip = story.send("POST", "/v1/players", json={"name": "Chip", "kind": "bot", "scopes": ["play"]}).json
    new = {"ruleset": "zhen", "seats": [None, None]}
    story.show("POST", "/v1/matches", chip["token"], {**new, "recorded": True})
    story.show("POST", "/v1/matches", ann["token"], data=b"{", content_type=JSON)
    story.show("POST", "/v1/matches", ann["token"], data=b"{}", content_type="text/plain")
    story.show("POST", "/v1/matches", ann["token"], data=b" " * 70_000, content_type=JSON)
    chunked = {"Transfer-Encoding": "chunked"}
    story.show("POST", "/v1/matches", ann["token"], data=b"{}", content_type=JSON, headers=chunked)
    late = {"data": b"", "content_type": JSON, "environ_overrides": {LATE: 30.0}}
    story.show("POST", "/v1/matches", ann["token"], **late)
    story.show("POST", "/v1/matches", "ply_x", new)
    with_bot = {**new, "seats": [None, {"bot": "greedy"}]}
    story.send("POST", "/v1/matches", ann["token"], json=with_bot)
    story.show("POST", "/v1/matches", ann["token"], with_bot)
    for error in (RuntimeError(), StoreUnavailable("the store does not answer: Connection refused")):
        with patch.object(story.parts.matches, "execute", side_effect=error):
            story.show("POST", "/v1/matches", ann["token"], new)
    story.show("GET", "/v1/connection", ann["token"], environ_overrides={HOLDS: True})


STORIES: list[Callable[[Story], None]] = [story for name, story in globals().items() if name.startswith("record_")]
SETTINGS: dict[Callable[[Story], None], dict[str, Any]] = {
    record_system: {"open_metrics": True},
    record_problems: {"max_bot_matches": 1, "allowances_for": "all"},
    record_datasets: {"archive": "memory:///"},
    record_live: {"max_followers_each": 1, "stream_threads": 1000},
}
"""The stories that need settings of their own."""


def record() -> bytes:
    """All examples, the same in every fresh process."""
    examples: dict[str, Any] = {}
    for record in STORIES:
        record(Story(examples, record.__name__.removeprefix("record_").replace("_", "-"), **SETTINGS.get(record, {})))
    return orjson.dumps(dict(sorted(examples.items())), option=orjson.OPT_INDENT_2) + b"\n"


if __name__ == "__main__":
    logging.disable()
    if sys.argv[1:] == ["--print"]:
        sys.stdout.buffer.write(record())
    else:
        RECORDED.write_bytes(record())
