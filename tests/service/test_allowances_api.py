"""What answers say of allowances, and which requests count in which."""

import re
from dataclasses import replace

from plyscribe.domain.commands import Actor
from plyscribe.domain.record import MEDIA_TYPE
from plyscribe.domain.rulesets import register
from plyscribe.service.composition import compose
from plyscribe.service.config import ALLOWANCES, Windows
from plyscribe.service.live import match_changes
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.api import many
from plyscribe.service.web.app import create_app
from plyscribe.service.web.charging import FREE, kind_of
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.conftest import CONFIG

LIMITS = ("RateLimit", "RateLimit-Policy")
EVER = 10**9
"""A time, in seconds, that does not end while a test runs. Counts in memory begin anew at its multiples."""


def open_api(whom: str = "all", **changed: Windows) -> Api:
    """The API with these allowances instead of the usual ones, for everybody unless said otherwise."""
    register(TOY_V1)
    config = replace(CONFIG, allowances={**ALLOWANCES, **changed}, allowances_for=whom)
    api = Api(create_app(compose(config, MemoryStore())))
    # What is left grows with time, and no time passes here.
    api.app.extensions["plyscribe"].allowances._clock = lambda: 1000.0
    return api


def read_from(api: Api, address: str, token: str | None = None) -> int:
    return api.get("/v1/matches", token, environ_overrides={"REMOTE_ADDR": address}).status_code


def test_every_request_counts_in_an_allowance_or_is_free():
    app = open_api().app
    for rule in app.url_map.iter_rules():
        for method in rule.methods or ():
            assert kind_of(app.view_functions[rule.endpoint], method) in {*ALLOWANCES, FREE}


def test_an_answer_announces_what_is_left_and_who_has_used_it_up_is_refused():
    api = open_api(accounts=((2, EVER),))
    answers = [api.get("/v1/matches") for _ in range(2)]
    assert [each.headers["RateLimit"] for each in answers] == ['"reads";r=599;t=10', '"reads";r=598;t=10']
    assert {each.headers["RateLimit-Policy"] for each in answers} == {'"reads";q=600;w=10'}
    for _ in range(2):
        api.sign_up()
    refused = api.post("/v1/players", body={"name": "One Too Many"})
    assert (refused.status_code, refused.json["code"], refused.json["policy"]) == (429, "allowance/used", "accounts")
    assert int(refused.headers["Retry-After"]) == refused.json["retry_after_s"] > 60
    assert refused.headers["RateLimit"].startswith('"accounts";r=0;t=')
    assert refused.headers["RateLimit-Policy"] == f'"accounts";q=2;w={EVER}'
    # Nothing happened: the name is free.
    assert api.get("/v1/players?name=One Too Many").json["players"] == []


def test_who_has_used_up_everything_else_can_still_move():
    api = open_api(reads=((4, EVER),), heavy=((1, EVER),), commands=((1, EVER),), creations=((1, EVER),))
    player, token = api.sign_up()
    match = api.new_match(token, [{"player": player}, {"player": player}])
    for path in (f"/v1/matches/{match}/bundle", f"/v1/matches/{match}"):
        assert [api.get(path, token).status_code for _ in range(5)][-1] == 429
    assert api.post("/v1/matches", token, {"ruleset": "pathagon", "seats": [None, None]}).status_code == 429
    moved = api.post(f"/v1/matches/{match}/moves", token, {"move": "a1"})
    assert moved.status_code == 200
    # The end of a window is rounded up to whole seconds.
    assert re.fullmatch('"moves-10s";r=599;t=1[01], "moves-86400s";r=99999;t=8640[01]', moved.headers["RateLimit"])


def test_an_account_counts_as_one_client_with_all_its_tokens_and_from_everywhere():
    api = open_api(reads=((3, EVER),))
    _, token = api.sign_up()
    another = api.post("/v1/players/me/tokens", token, {}).json["token"]
    assert read_from(api, "203.0.113.7", token) == read_from(api, "203.0.113.8", another) == 200
    assert [read_from(api, "203.0.113.9", token), read_from(api, "203.0.113.9", another)] == [200, 429]
    assert read_from(api, "203.0.113.9") == 200


def test_an_address_counts_as_one_client_and_so_does_the_network_of_ipv6():
    api = open_api(reads=((1, EVER),))
    assert [read_from(api, address) for address in ("203.0.113.7", "203.0.113.7", "203.0.113.8")] == [200, 429, 200]
    assert [read_from(api, f"2001:db8:{rest}") for rest in (":1", ":ffff", "0:1::1")] == [200, 429, 200]


def test_guessing_tokens_counts_for_the_address_that_guesses():
    api = open_api(reads=((3, EVER),))
    player, token = api.sign_up()
    forged = f"ply_{player.removeprefix('player-')}_{'A' * 43}"
    assert [api.get("/v1/players/me", forged).status_code for _ in range(4)] == [401, 401, 401, 429]
    assert api.get("/v1/players/me", token).status_code == 200


def test_an_administrator_has_no_limits():
    api = open_api(reads=((1, EVER),))
    accounts = api.app.extensions["plyscribe"].accounts
    _, token = accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))
    answers = [api.get("/v1/matches", token) for _ in range(5)]
    assert [each.status_code for each in answers] == [200] * 5
    assert not any(header in each.headers for each in answers for header in LIMITS)


def test_programs_of_this_machine_have_no_limits_unless_a_proxy_passes_them_on():
    api = open_api("remote", reads=((1, EVER),))
    assert [api.get("/v1/matches").status_code for _ in range(3)] == [200, 200, 200]
    assert [read_from(api, "203.0.113.7") for _ in range(2)] == [200, 429]
    for header in ("X-Forwarded-For", "Forwarded", "Via"):
        passed_on = api.get("/v1/matches", headers={header: "for=203.0.113.7"})
        assert "RateLimit" in passed_on.headers, header
    nobody = open_api("none", reads=((1, EVER),))
    assert [read_from(nobody, "203.0.113.7") for _ in range(3)] == [200] * 3


def test_supervisors_are_never_refused_and_what_does_not_exist_counts_as_read():
    api = open_api(reads=((2, EVER),), commands=((1, EVER),), pages=((1, EVER),))
    for path in ("/healthz", "/readyz", "/metrics"):
        assert 429 not in {api.get(path).status_code for _ in range(4)}
    assert [api.get("/v1/nothing").status_code for _ in range(3)] == [404, 404, 429]


def test_the_bytes_of_imports_are_counted():
    api = open_api(bytes=((1000, EVER),))
    _, token = api.sign_up()
    sent = [api.post("/v1/imports", token, data=b"x" * 400, content_type=MEDIA_TYPE).status_code for _ in range(3)]
    assert [status == 429 for status in sent] == [False, False, True]


def test_a_page_of_another_origin_sees_what_is_left():
    seen = open_api().get("/v1/matches", headers={"Origin": "https://elsewhere.example"})
    assert set(LIMITS) <= set(seen.headers["Access-Control-Expose-Headers"].split(", "))


def test_a_person_who_is_refused_gets_a_page_that_says_why():
    api = open_api(pages=((1, EVER),))
    browser, headers = api.app.test_client(), {"Accept": "text/html"}
    assert browser.get("/rulesets", headers=headers).status_code == 200
    refused = browser.get("/rulesets", headers=headers)
    assert (refused.status_code, refused.mimetype) == (429, "text/html")
    assert "1 requests of the kind pages within" in refused.text
    assert api.get("/v1/rulesets").status_code == 200


def test_what_is_larger_counts_more_often():
    api = open_api(reads=((20, EVER),))
    _, token = api.sign_up()
    match = api.new_match(token, [{"name": "Ada"}, {"name": "Bea"}], recorded=True)
    for _ in range(60):
        api.post(f"/v1/matches/{match}/moves", token, {"move": "a1"})
        api.post(f"/v1/matches/{match}/take-back", token, {"steps": 1})
    left = [api.get(f"/v1/matches/{match}/events?limit={limit}", token).headers["RateLimit"] for limit in (99, 100)]
    assert left == [f'"reads";r={19};t={EVER}', f'"reads";r={17};t={EVER}']


def test_a_stream_that_begins_far_in_the_past_counts_as_heavy(monkeypatch):
    monkeypatch.setattr(many, "FOLLOWED", 2)
    monkeypatch.setattr(match_changes, "FRESH_S", 0.0)
    api = open_api()
    _, ann = api.sign_up()
    start = api.app.extensions["plyscribe"].changes.numbers().newest
    for _ in range(6):
        api.new_match(ann)
    for after, left in ((start + 6, '"reads";'), (start + 2, '"heavy";r=18;t=10'), (start, '"heavy";r=15;t=10')):
        opened = api.get(f"/v1/matches/stream?after={after}")
        opened.close()
        assert opened.headers["RateLimit"].startswith(left)


def test_an_export_counts_more_for_a_higher_limit():
    api = open_api()
    left = [api.get(f"/v1/matches/export?limit={limit}").headers["RateLimit"] for limit in (99, 250)]
    assert left == ['"heavy";r=19;t=10', '"heavy";r=16;t=10']


def test_a_correction_counts_once_more_for_every_two_steps_that_it_enters():
    api = open_api()
    _, token = api.sign_up()
    match = api.new_match(token, [{"name": "Ann"}, {"name": "Ben"}], recorded=True, dice="recorded")
    for move in ("a1", "b2", "c3", "d4", "e5"):
        api.post(f"/v1/matches/{match}/moves", token, {"move": move})
    put_right = api.post(f"/v1/matches/{match}/corrections", token, {"take_back": 5, "steps": [{"move": "a2"}]})
    assert put_right.status_code == 200
    left = 600 - 5 - 1 - 2
    assert put_right.headers["RateLimit"].startswith(f'"moves-10s";r={left};')
