"""Private matches: whom they exist for."""

from collections.abc import Callable

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.composition import compose
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG

READS = """
    /events /events?after=1 /positions/0 /positions/0?version=1 /positions/0?version=99 /positions/9 /effects
    /legal-moves /legal-moves/next /legal-moves/touched /record /bundle /verification
"""
COMMANDS: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("POST", "/seats/2", {}),
    ("DELETE", "/seats/2", None),
    ("POST", "/entropy", {"entropy": "x"}),
    ("POST", "/start", {}),
    ("POST", "/moves", {"move": "+1"}),
    ("POST", "/rolls", {"values": [1]}),
    ("POST", "/take-back", {"ply": 0}),
    ("POST", "/confirmation", {}),
    ("POST", "/withdrawal", {}),
    ("POST", "/draw", {"action": "offer"}),
    ("POST", "/abort", {}),
    ("POST", "/pause", {"why": "dinner"}),
    ("POST", "/clock", {"seat": 1, "add_ms": 9000, "why": "dinner"}),
)
NOWHERE = "match-" + "a" * 26


class Private:
    """Ann's private match, to which Ben is invited; Cat is a stranger."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.ann, self.ann_token = api.sign_up("Ann")
        self.ben, self.ben_token = api.sign_up("Ben")
        _, self.cat_token = api.sign_up("Cat")
        seats = [{"player": self.ann}, {"player": self.ben}]
        self.match = api.new_match(self.ann_token, seats, "zhen", private=True)
        self.path = f"/v1/matches/{self.match}"

    def same_as_nowhere(self, ask: Callable[[str], object]) -> None:
        """Nothing but the id tells the answers about this match and about none apart."""
        here, nowhere = ask(self.path), ask(f"/v1/matches/{NOWHERE}")
        assert (here.status_code, here.json["code"]) == (404, "match/unknown")
        told = [{**each.json, "instance": ""} for each in (here, nowhere)]
        assert told[0] == {**told[1], "detail": told[1]["detail"].replace(NOWHERE, self.match)}
        skip = {"X-Request-Id", "Content-Length"}
        headers = [{name: value for name, value in each.headers if name not in skip} for each in (here, nowhere)]
        assert headers[0] == headers[1]


@pytest.fixture
def private(api) -> Private:
    return Private(api)


@pytest.mark.parametrize(
    ("path", "media"),
    [
        *((path, "*/*") for path in ("", *READS.split())),
        *(("/positions/0", media) for media in ("text/plain", "image/svg+xml")),
        ("/events", "application/x-ndjson"),
    ],
)
def test_its_creator_and_the_invited_read_it_and_for_others_it_does_not_exist(private, path, media):
    status, headers = 404 if path.endswith(("=99", "/9")) else 200, {"Accept": media}
    for token in (private.ann_token, private.ben_token):
        assert private.api.get(private.path + path, token, headers=headers).status_code == status
    for token in (None, private.cat_token):
        private.same_as_nowhere(lambda at, token=token: private.api.get(at + path, token, headers=headers))


@pytest.mark.parametrize(("method", "path", "body"), COMMANDS)
@pytest.mark.parametrize("if_match", [None, '"77"'])
def test_strangers_cannot_command_what_does_not_exist_for_them(private, method, path, body, if_match):
    def ask(at: str) -> object:
        return private.api.send(method, at + path, private.cat_token, json=body, if_match=if_match)

    private.same_as_nowhere(ask)


def test_a_token_that_is_not_valid_is_told_before_anything_else_and_one_of_another_scope_learns_nothing(private):
    _, recording = private.api.sign_up("Dan", ("record",))
    private.same_as_nowhere(lambda at: private.api.post(f"{at}/moves", recording, {"move": "+1"}))
    assert private.api.get(private.path, "ply_wrong").status_code == 401
    assert private.api.get(f"/v1/matches/{NOWHERE}", "ply_wrong").status_code == 401


def test_overseers_read_it_and_who_declines_the_invitation_no_more(private, parts):
    tokens = {private.ben_token: 404}
    for name, scope in (("Eve", "organise"), ("Fay", "admin")):
        tokens[parts.accounts.sign_up(Actor("system", "test"), name, "person", (scope,))[1]] = 200
    assert private.api.send("DELETE", f"{private.path}/seats/2", private.ben_token).status_code == 200
    for token, status in tokens.items():
        for path in ("", "/positions/0?version=1"):
            assert private.api.get(private.path + path, token).status_code == status


def test_who_sits_down_commands_through_a_process_that_has_not_seen_it_yet(private, parts):
    other = Api(create_app(compose(CONFIG, parts.store)))
    assert other.get(private.path, private.ann_token).json["version"] == 1
    private.api.send("DELETE", f"{private.path}/seats/2", private.ben_token)
    private.api.send("POST", f"{private.path}/seats/2", private.ann_token)
    assert other.post(f"{private.path}/moves", private.ann_token, {"move": "+1", "seat": 1}).status_code == 200


def test_its_answers_and_pictures_stay_out_of_shared_caches(private):
    exact = f"{private.path}/positions/0?version=1"
    assert private.api.get(exact, private.ann_token).cache_control.immutable
    answers = [private.api.get(f"{private.path}{path}", private.ann_token) for path in ("", *READS.split())]
    drawn = private.api.get(exact, private.ann_token, headers={"Accept": "image/svg+xml"})
    for answer in (drawn, *(each for each in answers if each.status_code == 200)):
        assert answer.cache_control.private
        assert not answer.cache_control.public
        assert "authorization" in answer.vary
