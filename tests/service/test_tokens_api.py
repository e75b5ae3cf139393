"""Tokens over HTTP: issuing, rotating, revoking and recovering them."""

import pytest
from click.testing import CliRunner

from plyscribe.domain.commands import Actor
from plyscribe.domain.player import token_id
from plyscribe.service.access.accounts import CACHED_S, Accounts, Principal
from plyscribe.service.access.repeatable import REPEATED_MS
from plyscribe.service.cli import __main__ as cli
from plyscribe.service.composition import compose
from plyscribe.service.errors import Unauthenticated
from plyscribe.service.streams.ids import job_command
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_sessions import TOKENS, Clock


@pytest.fixture
def clock(monkeypatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def ann(api) -> str:
    return api.sign_up("Ann")[1]


@pytest.fixture
def root(parts) -> str:
    return parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("play", "admin"))[1]


def is_valid(api: Api, token: str) -> bool:
    return api.get("/v1/players/me", token).status_code == 200


def revoke(api: Api, token: str, id: str, **more: str):
    return api.send("DELETE", f"{TOKENS}/{id}", token, **more)


def test_another_token_acts_for_the_same_account_and_is_by_default_like_the_one_that_asks(api, ann):
    made = api.post(TOKENS, ann, {"scopes": ["play"], "label": "Bot", "expires_in_s": 3600})
    assert made.status_code == 201
    assert made.json["expires_at"] - made.json["issued_at"] == 3_600_000
    me = api.get("/v1/players/me", made.json["token"]).json
    assert (me["player"], me["scopes"]) == (made.json["player"], ["play"])
    alike = api.post(TOKENS, ann, {}).json
    assert (alike["scopes"], alike["label"], alike["expires_at"]) == (["play", "record"], None, None)
    listed = api.get(TOKENS, ann)
    shown = [(token["label"], token["current"]) for token in listed.json["tokens"]]
    assert shown == [(None, True), ("Bot", False), (None, False)]
    assert listed.json["tokens"][1]["id"] == made.json["id"]
    for text in (ann, made.json["token"]):
        assert text.split("_", 2)[2] not in listed.text


def test_a_revoked_token_is_invalid_at_once_in_the_same_process(api, ann):
    made = api.post(TOKENS, ann, {}).json
    assert is_valid(api, made["token"])
    first, again = (revoke(api, ann, made["id"], key="k") for _ in range(2))
    assert (first.status_code, first.json["id"]) == (200, made["id"])
    assert (again.status_code, again.data) == (200, first.data)
    assert not is_valid(api, made["token"])
    [own] = api.get(TOKENS, ann).json["tokens"]
    for unknown in ("0" * 16, "nothing", "0" * 200):
        refused = revoke(api, ann, unknown)
        assert (refused.status_code, refused.json["code"]) == (404, "token/unknown")
    assert revoke(api, ann, own["id"]).status_code == 200, "a token can revoke itself"
    assert not is_valid(api, ann)


def test_other_processes_learn_of_a_revocation_within_ten_seconds_and_issue_no_tokens_meanwhile(api, ann, parts, clock):
    other = Api(create_app(compose(CONFIG, parts.store)))
    token = api.post(TOKENS, ann, {}).json
    assert is_valid(other, token["token"])
    revoke(api, ann, token["id"])
    refused = other.post(TOKENS, token["token"], {})
    assert (refused.status_code, refused.json["code"]) == (403, "token/over")
    assert other.post(f"{TOKENS}/rotation", token["token"], {}).json["code"] == "token/over"
    clock.s += CACHED_S - 0.001
    assert is_valid(other, token["token"])
    clock.s += 0.001
    assert not is_valid(other, token["token"])


def test_a_token_expires_on_time_even_if_it_is_cached_and_after_a_rotation_both_are_valid_for_a_while(api, ann, clock):
    short = api.post(TOKENS, ann, {"expires_in_s": 3}).json["token"]
    clock.s += 2.999
    assert is_valid(api, short)
    clock.s += 0.002
    assert not is_valid(api, short)
    assert len(api.get(TOKENS, ann).json["tokens"]) == 1
    made = api.post(f"{TOKENS}/rotation", ann, {"overlap_s": 30})
    assert made.status_code == 201
    clock.s += 29.999
    assert is_valid(api, ann)
    clock.s += 0.002
    assert not is_valid(api, ann)
    assert is_valid(api, made.json["token"])
    at_once = api.post(f"{TOKENS}/rotation", made.json["token"], {"overlap_s": 0}).json
    assert (is_valid(api, made.json["token"]), is_valid(api, at_once["token"])) == (False, True)
    lost, second = (api.post(f"{TOKENS}/rotation", at_once["token"], {}).json for _ in range(2))
    assert is_valid(api, second["token"])
    assert revoke(api, second["token"], lost["id"]).status_code == 200


KEY = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("path", [TOKENS, f"{TOKENS}/rotation"])
def test_a_request_for_a_token_can_be_sent_again_with_its_key_that_must_be_hard_to_guess(api, ann, path):
    assert api.post(path, ann, {}, key="bot-1").json["code"] == "key/guessable"
    first, again = (api.post(path, ann, {}, key=KEY) for _ in range(2))
    assert (again.status_code, again.data, again.headers["Idempotency-Replayed"]) == (201, first.data, "true")
    assert len(api.get(TOKENS, ann).json["tokens"]) == 2
    assert is_valid(api, again.json["token"])
    other = {"overlap_s": 7} if "rotation" in path else {"label": "x"}
    assert api.post(path, ann, other, key=KEY).json["code"] == "key/reused"


def test_a_key_counts_only_with_the_token_that_it_was_sent_with(api, ann):
    narrow = api.post(TOKENS, ann, {"scopes": ["play"]}).json["token"]
    wide, other = (api.post(TOKENS, token, {}, key=KEY).json for token in (ann, narrow))
    assert (wide["scopes"], other["scopes"]) == (["play", "record"], ["play"])
    assert other["token"] != wide["token"]


def test_a_token_is_repeated_for_ten_minutes(api, ann, clock):
    first = api.post(TOKENS, ann, {}, key=KEY)
    clock.s += REPEATED_MS / 1000 - 1
    assert api.post(TOKENS, ann, {}, key=KEY).data == first.data
    clock.s += 1
    refused = api.post(TOKENS, ann, {}, key=KEY)
    assert (refused.status_code, refused.json["code"]) == (409, "key/expired")


def test_only_an_administrator_can_issue_tokens_for_others_or_of_administrators(api, ann, root):
    player, _ = api.sign_up("Ben")
    nobody = f"player-{'a' * 26}"
    for path, token, body, refusal in (
        (TOKENS, ann, {"scopes": ["play", "admin"]}, (403, "token/scopes")),
        (f"/v1/players/{player}/tokens", ann, {}, (403, "auth/scope")),
        (f"/v1/players/{nobody}/tokens", root, {}, (404, "player/unknown")),
    ):
        refused = api.post(path, token, body)
        assert (refused.status_code, refused.json["code"]) == refusal


def test_an_administrator_can_help_a_player_who_lost_their_token(api, parts, root):
    player, lost = api.sign_up("Ann")
    path = f"/v1/players/{player}/tokens"
    assert api.post(path, root, {"revoke_others": False, "scopes": ["organise"]}).status_code == 201
    assert is_valid(api, lost)
    fresh, again = (api.post(path, root, {"label": "after the flood"}, key=KEY) for _ in range(2))
    assert (fresh.status_code, again.data) == (201, fresh.data)
    assert api.get("/v1/players/me", fresh.json["token"]).json["player"] == player
    assert not is_valid(api, lost)
    admin = api.get("/v1/players/me", root).json["player"]
    assert f'"by":"player:{admin}"'.encode() in parts.store.load(player).entries[-1].e


def test_a_token_revoked_during_its_lookup_is_not_cached(parts, monkeypatch):
    player, token = parts.accounts.sign_up(Actor("system", "test"), "Ann", "person", ("play",))
    read = parts.accounts.players.read

    def read_and_revoke(account):
        found = read(account)
        monkeypatch.undo()
        who = Principal(player.stream, ("play",))
        [digest] = player.tokens
        parts.accounts.revoke(who, token_id(digest), job_command("revoke"))
        return found

    monkeypatch.setattr(parts.accounts.players, "read", read_and_revoke)
    parts.accounts.authenticate(token)
    with pytest.raises(Unauthenticated):
        parts.accounts.authenticate(token)


def test_the_operator_issues_a_token_from_the_command_line(api, parts, monkeypatch):
    player, lost = api.sign_up("Ann")
    monkeypatch.setattr("plyscribe.service.cli.tokens.compose_beside", lambda data: parts)
    options = ["--scope", "admin", "--scope", "play", "--label", "console", "--expires-in-days", "1"]
    ran = CliRunner().invoke(cli.cli, ["issue-token", player, *options], catch_exceptions=False)
    account, token = ran.output.split()
    assert account == player
    assert Accounts(parts.store).authenticate(token).scopes == ("play", "admin")
    [listed] = api.get(TOKENS, token).json["tokens"]
    assert (listed["label"], listed["expires_at"] - listed["issued_at"]) == ("console", 24 * 3600 * 1000)
    assert not is_valid(api, lost)


@pytest.mark.parametrize("player", ["player-" + "a" * 26, "Ann"])
def test_the_command_line_tells_what_is_no_account(parts, monkeypatch, player):
    monkeypatch.setattr("plyscribe.service.cli.tokens.compose_beside", lambda data: parts)
    monkeypatch.setattr("sys.argv", ["plyscribe", "issue-token", player])
    with pytest.raises(SystemExit, match="error: "):
        cli.main()
