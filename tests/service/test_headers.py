"""Headers that every answer has, whatever the route and however it goes."""

import gzip
import re
from collections.abc import Iterator

import pytest
from flask import Flask

from plyscribe.domain.commands import Actor
from plyscribe.domain.rulesets.zhen_v1 import ZHEN_V1
from plyscribe.service.composition import Parts, compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.assets import list_assets, load_asset, path_of
from plyscribe.service.web.pages.blueprint import HTML
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_pages import FOR_PEOPLE, FROM_HERE, sign_up

UNKNOWN = {"match": "match", "player": "player", "tournament": "tournament", "import_": "import", "id": "import"}
MEDIA = ("application/json", HTML, "text/event-stream", "application/x-ndjson", "text/plain", "image/svg+xml")


@pytest.fixture(scope="module")
def parts() -> Parts:
    return compose(CONFIG, MemoryStore())


@pytest.fixture(scope="module")
def app(parts) -> Flask:
    app = create_app(parts)
    app.testing = False
    app.config["PROPAGATE_EXCEPTIONS"] = False
    return app


@pytest.fixture(scope="module")
def match(parts, app) -> str:
    api = Api(app)
    return api.new_match(api.sign_up("Mia")[1])


def list_requests(app: Flask, match: str) -> Iterator[tuple[str, str]]:
    """Each method of each route, and one that it does not have, with a match that exists where there is one."""
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:int:)(\w+)>", "1", rule.rule).replace("<match>", match).replace("<name>", "style.css")
        path = re.sub(r"<(\w+)>", lambda found: f"{UNKNOWN.get(found[1], 'x')}-{'a' * 26}", path)
        yield from ((method, path) for method in sorted({*(rule.methods or ()), "TRACE"}))


def assert_sealed(answered) -> None:
    assert answered.headers["X-Content-Type-Options"] == "nosniff", answered.request.path
    assert answered.headers["X-Request-Id"]
    assert "Cache-Control" in answered.headers, answered.request.path


@pytest.mark.parametrize("media", MEDIA)
def test_every_answer_says_what_it_is_and_whether_it_may_be_kept(app, match, media):
    browser = app.test_client()
    statuses = set()
    for method, path in list_requests(app, match):
        answered = browser.open(path, method=method, headers={**FROM_HERE, "Accept": media}, buffered=False)
        assert_sealed(answered)
        statuses.add(answered.status_code)
        if answered.status_code >= 400:
            assert answered.cache_control.no_store, path
        answered.close()
    assert {200, 401, 404, 405} <= statuses


def test_what_is_answered_to_an_account_is_not_kept(app, parts, match):
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Zoe", "person", ("play", "record", "organise", "admin"))
    browser = app.test_client(use_cookies=False)
    for method, path in list_requests(app, match):
        if not path.startswith("/v1/"):
            continue
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        answered = browser.open(path, method=method, headers=headers, json={} if method == "POST" else None)
        assert answered.cache_control.no_store or answered.cache_control.public, (method, path)


def test_answers_with_a_secret_are_not_kept(app, parts):
    browser = app.test_client(use_cookies=False)
    _, admin = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))
    made = browser.post("/v1/players", json={"name": "Ned"})
    answers = [made, browser.post("/sign-up", data={"name": "Nell"}, headers=FROM_HERE)]
    for path, token in (
        ("me/tokens", made.json["token"]),
        ("me/tokens/rotation", made.json["token"]),
        (f"{made.json['player']}/tokens", admin),
    ):
        headers = {"Authorization": f"Bearer {token}"}
        answers.append(browser.post(f"/v1/players/{path}", json={}, headers=headers))
    for answered in answers:
        assert "ply_" in answered.text
        assert answered.cache_control.no_store


@pytest.mark.parametrize("name", sorted(list_assets()))
def test_what_is_named_by_its_digest_is_kept_for_ever_and_the_plain_name_is_asked_for_again(app, name):
    browser, named = app.test_client(), path_of(name)
    assert re.fullmatch(r"/assets/[a-z_]+\.[0-9a-f]{16}\.(css|js|svg)", named)
    kept, plain = browser.get(named), browser.get(f"/assets/{name}")
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert plain.headers["Cache-Control"] == "no-cache"
    assert (plain.data, plain.content_type) == (kept.data, kept.content_type)
    again = browser.get(f"/assets/{name}", headers={"If-None-Match": plain.headers["ETag"]})
    assert (again.status_code, again.headers["Cache-Control"]) == (304, "no-cache")


def test_the_assets_have_the_board_of_each_game_that_is_registered_now(monkeypatch):
    assert {"board_rings.svg", "board_zhen.svg"} <= list_assets()
    monkeypatch.setattr("plyscribe.domain.rulesets.RULESETS", [ZHEN_V1])
    boards = {name for name in list_assets() if name.startswith("board_")}
    assert boards == {"board_marks.js", "board_page.css", "board_zhen.svg"}


def test_the_digest_of_another_release_leads_to_the_present_content_and_an_unknown_asset_to_none(app):
    browser = app.test_client()
    given = browser.get("/assets/style.0123456789abcdef.css")
    assert given.headers["Cache-Control"] == "no-cache"
    assert given.data == browser.get(path_of("style.css")).data
    for name in ("nothing.css", "style.css.js", "style.0123.css", "assets.py", "..", "style", "Style.css"):
        assert browser.get(f"/assets/{name}").status_code == 404


def test_scripts_and_pages_refer_to_assets_by_their_digests(app, match):
    browser = app.test_client()
    sign_up(browser, "Paula")
    texts = [load_asset(name).text.plain.decode() for name in list_assets()]
    pages = ["/", "/matches", "/play?ruleset=zhen", "/record?ruleset=zhen"]
    pages += [f"/matches/{match}", f"/matches/{match}/play"]
    texts += [browser.get(path, headers=FOR_PEOPLE).text for path in pages]
    found = [name for text in texts for name in re.findall(r"/assets/([^\"' ]+)", text)]
    assert {"style", "boards", "table", "match", "early", "commands", "icon"} <= {name.split(".")[0] for name in found}
    assert all(f"/assets/{name}" == path_of(re.sub(r"\.[0-9a-f]{16}", "", name)) for name in found)


def test_a_body_that_is_too_long_gets_the_headers_too(app):
    browser = app.test_client()
    sign_up(browser, "Otto")
    for path in ("/v1/matches", "/sign-in"):
        refused = browser.post(path, data=b"x" * 70_000, headers=FROM_HERE, content_type="application/json")
        assert refused.status_code == 413
        assert_sealed(refused)


@pytest.mark.parametrize("headers", [{}, FOR_PEOPLE])
def test_a_fault_of_ours_gets_the_headers_too(app, parts, monkeypatch, headers):
    monkeypatch.setattr(parts.lists.players, "read", lambda **_: 1 / 0)
    for path in ("/players", "/v1/players"):
        failed = app.test_client().get(path, headers=headers)
        assert failed.status_code == 500
        assert_sealed(failed)


@pytest.mark.parametrize("path", ["/openapi.yaml", "/docs", path_of("match.js")])
def test_what_is_the_same_for_everybody_is_packed_and_sent_once(app, path):
    browser = app.test_client()
    plain = browser.get(path)
    assert "Content-Encoding" not in plain.headers
    packed = browser.get(path, headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert 2 * len(packed.data) < len(plain.data)
    assert packed.headers["Cache-Control"] == plain.headers["Cache-Control"]
    for answered, asked in ((plain, {}), (packed, {"Accept-Encoding": "gzip"})):
        assert "Accept-Encoding" in answered.headers["Vary"]
        again = browser.get(path, headers={"If-None-Match": answered.headers["ETag"], **asked})
        assert (again.status_code, again.data) == (304, b"")
    assert plain.headers["ETag"] != packed.headers["ETag"]
    assert "Content-Encoding" not in browser.get(path, headers={"Accept-Encoding": "gzip;q=0"}).headers
