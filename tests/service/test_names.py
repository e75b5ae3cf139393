"""Names over HTTP and in the store: no two accounts get the same one, whatever happens in between."""

import pytest

from plyscribe.domain.claims import name_stream
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.service.access.accounts import Accounts
from plyscribe.service.composition import Parts
from plyscribe.service.lists.projections import rebuild
from plyscribe.service.processes.serving import _write_admin_token
from plyscribe.service.store.memory import MemoryStore
from tests.service.api import open_as_before
from tests.service.test_pages import FROM_HERE

SIGN_UP = Actor("system", "sign-up")


def sign_up(parts: Parts, name: str) -> str:
    return parts.accounts.sign_up(SIGN_UP, name, "person", ("play",))[0].stream


def refuses(parts: Parts, name: str) -> bool:
    with pytest.raises(WrongTime) as refusal:
        sign_up(parts, name)
    return refusal.value.code == "player/name-taken"


def test_whoever_claimed_a_name_first_but_opens_the_account_second_is_refused(monkeypatch):
    store = MemoryStore()
    slow, quick = Accounts(store), Accounts(store)
    issue, opened = slow.issue, []

    def be_overtaken(*request, **more):
        opened.append(quick.sign_up(SIGN_UP, "Ada", "person", ("play",))[0])
        return issue(*request, **more)

    monkeypatch.setattr(slow, "issue", be_overtaken)
    with pytest.raises(WrongTime) as refusal:
        slow.sign_up(SIGN_UP, "Ada", "person", ("play",))
    assert refusal.value.code == "player/name-taken"
    assert [stream for stream in store.streams() if stream.startswith("player-")] == [opened[0].stream]


def test_names_can_be_entered_again_and_nothing_changes(parts):
    player = sign_up(parts, "Ada")
    old = open_as_before(parts, "Bea")
    for _ in range(2):
        rebuild(parts.store, parts.lists.names)
        claim = parts.accounts.names.read(name_stream("Ada"))
        assert (claim.version, claim.player) == (1, player)
        assert parts.accounts.names.read(name_stream("Bea")).player == old


def test_an_administrator_alone_opens_an_account_for_an_organiser(api, parts):
    admin = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))[1]
    body = {"name": "Olga", "scopes": ["play", "organise"]}
    for token, status in ((api.sign_up("Eve")[1], 403), (None, 401)):
        assert api.post("/v1/players", token, body).status_code == status
    made = api.post("/v1/players", admin, body)
    assert (made.status_code, made.json["scopes"]) == (201, ["play", "organise"])
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}}
    assert api.post("/v1/tournaments", made.json["token"], terms).status_code == 201


def test_another_first_administrator_gets_another_name(parts, tmp_path):
    tokens = []
    for number in range(2):
        path = tmp_path / f"{number}.token"
        _write_admin_token(parts.accounts, path)
        tokens.append(path.read_text(encoding="ascii").strip())
    names = [parts.accounts.name_of(parts.accounts.authenticate(token).account) for token in tokens]
    assert names == ["Administrator", "Administrator 2"]


def test_a_name_that_is_taken_or_misleads_is_refused_and_a_free_one_suggested(api):
    api.sign_up("Bernd")
    refused = api.post("/v1/players", body={"name": "Bemd"}).json
    assert refused["detail"].startswith("there is a player called Bernd, which looks like Bemd")
    assert api.post("/v1/players", body={"name": "Greedy"}).json["code"] == "player/name-reserved"
    shown = api.app.test_client().post("/sign-up", data={"name": "Bemd"}, headers=FROM_HERE)
    assert (shown.status_code, "choose another" in shown.text, 'value="Bemd"' in shown.text) == (409, True, True)
    assert api.post("/v1/players", body={"name": refused["suggestion"]}).status_code == 201


def test_a_guest_who_is_called_like_a_bot_is_marked_as_a_guest(api):
    ann = api.sign_up("Ann")[1]
    seats = [{"name": "Greedy bot"}, {"name": "Greta"}]
    match = api.post("/v1/matches", ann, {"ruleset": "zhen", "seats": seats, "recorded": True}).json["match"]
    page = api.app.test_client().get(f"/matches/{match}").text
    assert "Greedy bot (guest)" in page
    assert "Greta (guest)" not in page


@pytest.mark.parametrize("alike", [("Ada", "ADA"), ("Bernd", "Bemd")])
def test_lookalikes_of_earlier_releases_keep_their_names_and_nobody_else_gets_them(api, parts, alike):
    first, second = (open_as_before(parts, name) for name in alike)
    api.get("/v1/players")
    for name in alike:
        assert refuses(parts, name.lower())
    names = {row["player"]: row["name"] for row in api.get("/v1/players").json["players"]}
    assert names == {first: alike[0], second: alike[1]}
    owner = parts.accounts.owner_of(alike[1])
    [other] = {first, second} - {owner}
    browser = api.app.test_client()
    page = browser.get("/players").text
    assert (f"({other[7:13]})" in page, f"({owner[7:13]})" in page) == (True, False)
    assert f"<h1>{names[other]} ({other[7:13]})</h1>" in browser.get(f"/players/{other}").text
