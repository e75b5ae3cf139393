"""The names that the service goes by, and what pages of other origins may do."""

from dataclasses import replace

import pytest

from plyscribe.service.composition import compose
from plyscribe.service.config import ConfigError, read_config
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_live import eventually

APP, ELSEWHERE = "https://app.example", "https://elsewhere.example"
OUR_NAMES = ["localhost", "localhost:8420", "a.localhost:8420", "127.0.0.1", "10.1.2.3:80", "[::1]:8420", "LOCALHOST"]
NO_NAMES_OF_OURS = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost", "x"]
NO_NAMES = ["", "a b", "localhost,localhost", "localhost:80:80", "[::1", "user@localhost", "localhost/", "é"]


def serve(**settings: tuple[str, ...]) -> Api:
    return Api(create_app(compose(replace(CONFIG, **settings), MemoryStore())))


def ask(api: Api, host: str, path: str = "/v1/rulesets") -> tuple[int, str | None]:
    answered = api.get(path, environ_overrides={"HTTP_HOST": host})
    return answered.status_code, answered.json.get("code") if answered.json else None


@pytest.mark.parametrize("host", [*NO_NAMES_OF_OURS, *NO_NAMES])
def test_a_name_that_is_not_ours_is_refused_so_that_no_page_can_pass_for_one_of_ours(api, host):
    assert ask(api, host) == (400, "request/host")
    page = api.app.test_client().get("/", environ_overrides={"HTTP_HOST": host})
    assert (page.status_code, "Set-Cookie" in page.headers) == (400, False)


@pytest.mark.parametrize(
    ("hosts", "names", "status"),
    [
        ((), OUR_NAMES, 200),
        (("games.example",), ["games.example", "GAMES.example:443", "localhost"], 200),
        (("games.example",), ["club.games.example"], 400),
        ((".games.example",), ["club.games.example", "games.example"], 200),
        ((".games.example",), ["badgames.example"], 400),
        (("*",), ["anything.example"], 200),
        (("*",), ["any thing"], 400),
    ],
)
def test_names_of_this_machine_are_ours_and_those_that_the_operator_gives(hosts, names, status):
    api = serve(hosts=hosts)
    assert {ask(api, name)[0] for name in names} == {status}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_supervisors_may_call_us_by_any_name_and_only_the_old_protocol_has_none(api, path):
    for protocol, status in (("HTTP/1.1", 400), ("HTTP/1.0", 200)):
        nameless = {"HTTP_HOST": None, "SERVER_PROTOCOL": protocol}
        assert api.get("/v1/rulesets", environ_overrides=nameless).status_code == status
    # A look at the store that has not ended in time is seen by those who ask next.
    eventually(lambda: ask(api, "pod-7", path)[0] != 503)
    assert ask(api, "pod-7", path)[0] == 200


@pytest.mark.parametrize("origin", [None, APP, ELSEWHERE, "null"])
@pytest.mark.parametrize("path", ["/v1/rulesets", "/v1/matches", "/openapi.yaml", "/v1/matches/match-none"])
def test_any_page_may_read_what_everybody_may_read(path, origin):
    answered = serve(origins=(APP,)).get(path, headers={"Origin": origin} if origin else {})
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answered.headers
    assert ("ETag" in answered.headers.get("Access-Control-Expose-Headers", "")) == (origin is not None)


def preflight(api: Api, origin: str, method: str = "POST", path: str = "/v1/matches") -> dict[str, str]:
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization",
    }
    answered = api.app.test_client().options(path, headers=asked)
    assert answered.status_code == 200
    assert "Origin" in answered.headers["Vary"]
    return {name: value for name, value in answered.headers if name.startswith("Access-Control-")}


@pytest.mark.parametrize(
    ("origins", "origin"), [((APP,), APP), (("http://127.0.0.1:5000", APP), APP), (("*",), ELSEWHERE)]
)
def test_pages_of_origins_that_are_trusted_may_send_tokens_and_commands(origins, origin):
    allowed = preflight(serve(origins=origins), origin)
    assert allowed["Access-Control-Allow-Origin"] == origin
    assert "POST" in allowed["Access-Control-Allow-Methods"].split(", ")
    assert {"Authorization", "Idempotency-Key", "If-Match"} <= set(allowed["Access-Control-Allow-Headers"].split(", "))
    assert "Access-Control-Allow-Credentials" not in allowed


@pytest.mark.parametrize(
    "origin", [ELSEWHERE, f"{APP}.evil.example", "https://app.example:444", "http://app.example", "null"]
)
def test_other_pages_may_neither_send_a_token_nor_change_anything(origin):
    allowed = preflight(serve(origins=(APP,)), origin)
    assert allowed["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "Authorization" not in allowed["Access-Control-Allow-Headers"]


def test_what_a_command_answers_is_for_pages_that_are_trusted_and_pages_for_people_for_none():
    api = serve(origins=(APP,))
    for origin, seen in ((APP, APP), (ELSEWHERE, None)):
        answered = api.post("/v1/players", body={"name": f"Ann of {origin}"[:20]}, headers={"Origin": origin})
        assert answered.headers.get("Access-Control-Allow-Origin") == seen
        assert "Origin" in answered.headers["Vary"]
    answered = serve(origins=("*",)).app.test_client().get("/", headers={"Origin": APP})
    assert "Access-Control-Allow-Origin" not in answered.headers


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("PLYSCRIBE_HOSTS", value) for value in ("https://games.example", "games.example:80", "a b")),
        *(("PLYSCRIBE_ORIGINS", value) for value in ("games.example", "https://games.example/", "null")),
    ],
)
def test_a_setting_that_can_allow_nothing_is_refused(name, value):
    with pytest.raises(ConfigError, match=name):
        read_config({"REDIS_URL": "redis://x", "PLYSCRIBE_SERVER_KEY": "5a" * 32, name: value})


def test_settings_are_lists():
    lists = {"PLYSCRIBE_HOSTS": "Games.example, .club.example", "PLYSCRIBE_ORIGINS": f"{APP},http://[::1]:3000,"}
    needed = {"REDIS_URL": "redis://x", "PLYSCRIBE_SERVER_KEY": "5a" * 32, "PLYSCRIBE_READ_URL": "sqlite://"}
    config = read_config({**needed, **lists})
    assert config.hosts == ("games.example", ".club.example")
    assert config.origins == (APP, "http://[::1]:3000")
