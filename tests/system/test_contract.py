"""Whatever the contract allows, and what it does not, sent to the running service: no answer but a documented one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plyscribe.service.client import Client
from tests.system.running import Serving, pair, serving

pytestmark = pytest.mark.server

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "ignored_auth",
    # Left out: positive_data_acceptance, for a schema cannot say which rulesets there are, whose turn it is, or which
    # texts are cursors; allow_header_conformance, for `/tokens/rotation` is a `/tokens/{token}` too, with its DELETE;
    # the checks of resources over several requests, which need links between operations.
)
EXAMPLES = 12
"""Random requests an operation, beside those that its examples and the edges of its schemas give."""

SPOILS_THE_REST = "^/v1/players/me/tokens/|/abort$"
"""Operations that end the token that is used, or all matches before anything else is tried on them."""

TAKES_NO_JSON = "^/v1/imports$"
"""Operations whose bodies schemathesis cannot make: any text is taken, and what is wrong with it is told later."""

FOR_ADMINISTRATORS = "^/v1/players$|^/v1/players/[^/]+/tokens$|^/metrics$"

CONFIG = """\
warnings = false
max-stream-events = 3
generation.deterministic = true
generation.database = "none"

[dictionaries]
matches = {{ values = {matches} }}
players = {{ values = {players} }}
rulesets = {{ values = ["zhen", "toy"] }}
seats = {{ values = [1, 2] }}
plies = {{ values = [0, 1, 2] }}
moves = {{ values = ["+1", "+2", "+3", "+4", "+5", "+6", "+7", "d4", "hold"] }}

[parameters]
"path.match" = {{ dictionary = "matches", probability = 0.8 }}
"path.player" = {{ dictionary = "players", probability = 0.8 }}
"path.ruleset" = {{ dictionary = "rulesets", probability = 0.8 }}
"path.seat" = {{ dictionary = "seats", probability = 0.7 }}
"path.ply" = {{ dictionary = "plies", probability = 0.7 }}
"body.move" = {{ dictionary = "moves", probability = 0.7 }}
"""


HOOKS = """\
import schemathesis

# What is no bundle, in the bytes of any text.
schemathesis.serializer.alias(["application/vnd.plyscribe.bundle+ndjson", "application/x-ndjson"], "text/plain")
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("contract") / "data") as service:
        yield service


def send_everything(service: Serving, directory: Path, token: str, matches: list[str], players: list[str], *paths: str):
    """Fail with what is found where the service does not keep its contract."""
    config = directory / "schemathesis.toml"
    config.write_text(CONFIG.format(matches=matches, players=players).replace("'", '"'))
    hooks = directory / "hooks.py"
    hooks.write_text(HOOKS)
    argv = [
        Path(sys.executable).with_name("schemathesis"),
        "--config-file",
        config,
        "run",
        f"{service.url}/openapi.yaml",
    ]
    argv += ["--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS), *paths]
    argv += ["--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES), "--continue-on-failure"]
    env = {**os.environ, "SCHEMATHESIS_HOOKS": str(hooks)}
    sent = subprocess.run(argv, capture_output=True, text=True, timeout=400, cwd=directory, env=env)
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


@pytest.mark.parametrize(
    "which",
    [("--exclude-path-regex", f"{SPOILS_THE_REST}|{TAKES_NO_JSON}"), ("--include-path-regex", SPOILS_THE_REST)],
    ids=["all", "spoiling"],
)
def test_no_answer_to_a_player_is_undocumented(service, tmp_path, which):
    with pair(service.url) as both:
        token = both.clients[0].token
        send_everything(service, tmp_path, token, open_matches(service, token), both.ids, *which)


def test_no_answer_to_an_administrator_is_undocumented(service, tmp_path):
    token = (service.data / "admin.token").read_text().strip()
    with pair(service.url) as both:
        send_everything(service, tmp_path, token, ["-"], both.ids, "--include-path-regex", FOR_ADMINISTRATORS)
