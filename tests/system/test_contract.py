"""Whatever the contract allows, and what it does not, sent to the running service: no answer but a documented one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from plyscribe.service.client import Client
from tests.system.running import ROOT, Serving, pair, serving

EXAMPLES = 5
"""Random requests an operation, beside those that its examples and the edges of its schemas give."""

PATIENCE_S = 800
"""How long one role may take. A quiet machine needs a minute."""

SPOILS_THE_REST = "^/v1/players/me/tokens/|/abort$"
"""Operations that end the token that is used, or all matches before anything else is tried on them."""

TAKES_NO_JSON = "^/v1/imports$"
"""Operations whose bodies schemathesis cannot make: any text is taken, and what is wrong with it is told later."""

CONFIG = """\
warnings = false
max-stream-events = 3
# Longer than the service lets a request wait for a report.
request-timeout = 120
generation.deterministic = true
generation.database = "none"

# A schema cannot say which rulesets there are, whose turn it is or which cursors were issued: such refusals are 422 and
# 400 too. What the contract allows is never unreadable, though: see the check below.
[checks]
positive_data_acceptance.expected-statuses = [
  "2xx", "3xx", 400, 401, 403, 404, 406, 408, 409, 412, 422, 426, 429, "5xx"
]

negative_data_rejection.expected-statuses = [400, 401, 403, 404, 406, 409, 411, 412, 413, 415, 422, 428, "5xx"]

[dictionaries]
waits = {{ values = [0, 1] }}
matches = {{ values = {matches} }}
players = {{ values = {players} }}
rulesets = {{ values = ["zhen", "toy"] }}
seats = {{ values = [1, 2] }}
plies = {{ values = [0, 1, 2] }}
moves = {{ values = ["+1", "+2", "+3", "+4", "+5", "+6", "+7", "d4", "hold"] }}

[parameters]
"query.wait" = {{ dictionary = "waits", probability = 1.0 }}
"path.match" = {{ dictionary = "matches", probability = 0.8 }}
"path.player" = {{ dictionary = "players", probability = 0.8 }}
"path.ruleset" = {{ dictionary = "rulesets", probability = 0.8 }}
"path.seat" = {{ dictionary = "seats", probability = 0.7 }}
"path.ply" = {{ dictionary = "plies", probability = 0.7 }}
"body.move" = {{ dictionary = "moves", probability = 0.7 }}

# It has one entry at once, and others only when somebody moves.
[[operations]]
include-path = "/v1/matches/stream"
max-stream-events = 1
request-timeout = 5
"""


HOOKS = """\
import functools
import re

import requests
import schemathesis
from hypothesis.strategies._internal import regex
from schemathesis.core import deserialization

make_strategy, known = regex._strategy, {}


def make_once(codes, context, is_unicode, *, alphabet):
    # Only for speed: a class of 200,000 characters takes a second, and many patterns have the same one.
    if not (isinstance(codes, tuple) and codes[0] == re._constants.IN):
        return make_strategy(codes, context, is_unicode, alphabet=alphabet)
    key = repr(codes), context.flags, is_unicode, repr(alphabet)
    if key not in known:
        known[key] = make_strategy(codes, context, is_unicode, alphabet=alphabet)
    return known[key]


regex._strategy = make_once

# Only for speed, too: the contract itself is the longest answer by far, and always the same.
deserialization.deserialize_yaml = functools.cache(deserialization.deserialize_yaml)

# And this: each of 20,000 requests looks for proxies in the environment, and for a password in a file.
requests.Session.trust_env = property(lambda session: False, lambda session, value: None)


@schemathesis.check
def what_the_contract_allows_is_readable(ctx, response, case):
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return
    code = response.json()["code"]
    # It makes versions for If-Match by rules of its own, and not by the contract's pattern: test_openapi holds that.
    if code != "request/if-match":
        assert code != "key/invalid", "the contract allows a key that is refused"
        assert not code.startswith("request/"), f"the contract allows what is refused as {code}"


# What is no bundle, in the bytes of any text.
schemathesis.serializer.alias(["application/vnd.plyscribe.bundle+ndjson", "application/x-ndjson"], "text/plain")
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("contract") / "data", PLYSCRIBE_WEBHOOKS="public") as service:
        yield service


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Path:
    """A directory with what all roles read: the contract as JSON, and the tables of characters that hypothesis makes.

    YAML takes a hundred times as long to read, and the tables two seconds to make.
    """
    directory = tmp_path_factory.mktemp("shared")
    contract = yaml.load((ROOT / "openapi.yaml").read_text(), yaml.CSafeLoader)
    (directory / "openapi.json").write_text(json.dumps(contract))
    return directory


def send_everything(
    service: Serving, directory: Path, shared: Path, token: str | None, names: dict[str, list[str]], *paths: str
):
    """Fail with what is found where the service does not keep its contract, whichever check finds it."""
    (config := directory / "schemathesis.toml").write_text(CONFIG.format(**names))
    (hooks := directory / "hooks.py").write_text(HOOKS)
    argv = [Path(sys.executable).with_name("schemathesis"), "--config-file", config, "run", shared / "openapi.json"]
    argv += ["--url", service.url, "--checks", "all", "--max-examples", str(EXAMPLES), "--continue-on-failure", *paths]
    if token is not None:
        argv += ["--header", f"Authorization: Bearer {token}"]
    env = {**os.environ, "SCHEMATHESIS_HOOKS": str(hooks), "HYPOTHESIS_STORAGE_DIRECTORY": str(shared / "hypothesis")}
    sent = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE_S, cwd=directory, env=env)
    assert sent.returncode == 0, sent.stdout + sent.stderr


def open_matches(service: Serving, token: str) -> list[str]:
    """Matches in which the owner of the token has a word: open, under way, recorded, ended; requests end some more."""
    with Client(service.url, token) as me:
        mine = {"player": me.me()["player"]}
        guests = [{"name": "Ada"}, {"name": "Bea"}]
        made = [me.create_match("zhen", [mine, mine]) for _ in range(12)]
        me.withdraw(made[0]["match"], 1)
        made += [me.create_match("pathagon", [mine, None]) for _ in range(4)]
        made += [me.create_match("toy", guests, recorded=True, dice="recorded") for _ in range(4)]
    return [receipt["match"] for receipt in made]


def token_for(role: str, service: Serving, player: Client) -> str | None:
    """A token of the role; None for a stranger."""
    match role:
        case "stranger":
            return None
        case "organiser":
            with Client(service.url, service.admin_token) as owner:
                scopes = ["play", "record", "organise"]
                return owner.recover_account(player.me()["player"], scopes, revoke_others=False)["token"]
        case "administrator":
            return service.admin_token
    return player.token


BEARABLE = "--exclude-path-regex", f"{SPOILS_THE_REST}|{TAKES_NO_JSON}"
EACH = "--phases", "examples,coverage,fuzzing"
"""Each operation by itself, without those that follow from its answers."""

ROLES = {
    "stranger": ("--include-method", "GET", "--exclude-path-regex", "/me"),
    "player who looks": ("--include-method", "GET", *BEARABLE, *EACH),
    "player who acts": ("--exclude-method", "GET", *BEARABLE, *EACH),
    "player step by step": (*BEARABLE, "--phases", "stateful"),
    "player who spoils": ("--include-path-regex", SPOILS_THE_REST),
    "organiser": (
        "--include-path-regex",
        "^/v1/tournaments|/(withdrawal|start|annulment)$",
        "--phases",
        "examples,coverage",
    ),
    "administrator": ("--include-path-regex", "^/v1/players(/[^/]+/tokens)?$|^/metrics$|/annulment$"),
}
"""What is sent as whom: a player everything, the others what they alone may do. All of it takes a few minutes."""


@pytest.mark.parametrize("role", ROLES)
def test_contract_and_server_agree(service, shared, tmp_path, role):
    with pair(service.url) as both:
        player = both.clients[0]
        names = {"matches": open_matches(service, player.token), "players": both.ids}
        send_everything(service, tmp_path, shared, token_for(role, service, player), names, *ROLES[role])
