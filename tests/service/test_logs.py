"""Log records: one line each, with the ids they are about, and never a secret."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest

from plyscribe.service.config import ConfigError
from plyscribe.service.logs import begin_ids, begin_logs, bind_ids
from plyscribe.service.store.port import StoreUnavailable
from tests.service.test_moves_together import Table

TOKEN = f"ply_{'a' * 26}_{'Ab1-' * 10}xyz"
KEY = "5a" * 32
INVITATION = f"2-1-1767225600000-{'aB_-' * 6}"


@pytest.fixture(autouse=True)
def loggers_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("plyscribe")
    handlers, level, our_level = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    ours.setLevel(our_level)
    begin_ids()


class Lines:
    """What is logged."""

    def __init__(self, **settings: str) -> None:
        self._out = StringIO()
        begin_logs("web", settings, self._out)

    @property
    def text(self) -> str:
        return self._out.getvalue()

    def __call__(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


log = logging.getLogger("plyscribe.test")


def test_a_record_is_a_line_of_json_or_text_for_people():
    lines = Lines()
    log.warning("two\nlines of %s", "text", extra={"code": "store/error"})
    [record] = lines()
    assert list(record)[:5] == ["ts", "level", "event", "process", "pid"]
    assert (record["level"], record["event"], record["process"]) == ("warning", "two\nlines of text", "web")
    assert record["code"] == "store/error"
    assert record["ts"].endswith("Z")
    text = Lines(PLYSCRIBE_LOG="text")
    log.warning("careful")
    assert ("careful" in text.text, text.text.startswith("{")) == (True, False)


def test_records_carry_the_ids_that_are_bound_and_those_in_their_text():
    lines, named = Lines(), "match-" + "b" * 26
    begin_ids(request_id="r1")
    bind_ids(match="m1")
    log.info("one")
    begin_ids()
    log.error("%s has no verdict", named)
    assert [(each.get("request_id"), each.get("match")) for each in lines()] == [("r1", "m1"), (None, named)]


@pytest.mark.parametrize("setting", ["PLYSCRIBE_LOG", "PLYSCRIBE_LOG_LEVEL"])
def test_an_invalid_setting_is_named(setting):
    with pytest.raises(ConfigError, match=setting):
        Lines(**{setting: "loud"})


@pytest.mark.parametrize("form", ["json", "text"])
def test_no_secret_is_logged(form):
    lines = Lines(PLYSCRIBE_LOG=form)

    def fail(token: str) -> None:
        secret = KEY
        raise RuntimeError(f"{token} was sent, {len(secret)}")

    try:
        fail(TOKEN)
    except RuntimeError:
        log.exception("the key %s", KEY, extra={"header": f"Bearer {TOKEN}", "url": "redis://ann:pass@host:1"})
    log.warning("Authorization: bearer abc.def; /v1/matches/m?invitation=%s", INVITATION)
    assert "RuntimeError" in lines.text
    for secret in (TOKEN, TOKEN[-43:], KEY, "ann:pass", "abc.def", INVITATION):
        assert secret not in lines.text


def test_a_failure_is_logged_with_request_match_command_and_actor(api, parts, monkeypatch):
    player, token = api.sign_up()
    match = api.new_match(token, [{"player": player}, None])

    def away(*_: object) -> None:
        raise StoreUnavailable("gone")

    lines = Lines()
    monkeypatch.setattr(parts.matches, "_append_within_s", 0.0)
    monkeypatch.setattr(parts.store, "append", away)
    headers = {"X-Request-Id": "asked-1"}
    refused = api.post(f"/v1/matches/{match}/seats/2", token, {}, key="k", headers=headers)
    assert refused.status_code == 503
    [record] = lines()
    assert (record["request_id"], record["match"], record["actor"]) == ("asked-1", match, player)
    assert len(bytes.fromhex(record["command"])) == 16
    assert (record["code"], record["route"]) == ("store/unavailable", "/v1/matches/{match}/seats/{seat}")
    assert token not in lines.text


def test_at_level_debug_every_request_is_a_line_and_libraries_log_only_warnings_and_errors(api):
    lines = Lines(PLYSCRIBE_LOG_LEVEL="debug")
    logging.getLogger("httpx").info("chatter")
    logging.getLogger("httpx").warning("trouble")
    _, token = api.sign_up()
    api.get("/v1/players/me", token)
    api.get("/v1/players/nobody")
    trouble, *requests = lines()
    assert trouble["event"] == "trouble"
    shown = [(each["route"], each["status"], each.get("code")) for each in requests]
    assert shown == [
        ("/v1/players", 201, None),
        ("/v1/players/me", 200, None),
        ("/v1/players/{player}", 404, "player/unknown"),
    ]
    assert token not in lines.text


def test_a_move_that_is_made_together_with_others_is_logged_for_debugging_with_its_ids():
    table = Table()
    match = table.new_match()
    lines = Lines(PLYSCRIBE_LOG_LEVEL="debug")
    table.try_all(table.ask(match, {"move": "+1"}, x_request_id="mine"))
    log.info("something else")
    [answered, later] = [record for record in lines() if record["event"] in ("answered", "something else")]
    assert (answered["request_id"], answered["match"], answered["actor"]) == ("mine", match, table.ann)
    assert (answered["route"], answered["status"]) == ("/v1/matches/{match}/moves", 200)
    assert "request_id" not in later
