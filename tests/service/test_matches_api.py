"""Matches over HTTP: from an open seat to the end, and every way to read them."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from plyscribe.domain.rulesets.pathagon_v1 import PATHAGON_V1
from plyscribe.service.access.accounts import Principal
from plyscribe.service.boards import draw_board
from plyscribe.service.boards.board import LastMove
from plyscribe.service.composition import compose
from plyscribe.service.matches import queries
from plyscribe.service.web.api.matches.reading import EVENTS_BESIDE_MOVES
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG

PICTURE = {"Accept": "image/svg+xml"}


class Two:
    """Ann and Ben, or two others, and a running match between them."""

    def __init__(self, api: Api, names: tuple[str, str] = ("Ann", "Ben"), **more: object) -> None:
        self.api = api
        (self.ann, self.ann_token), (self.ben, self.ben_token) = map(api.sign_up, names)
        self.match = api.new_match(self.ann_token, [{"player": self.ann}, None], **more)
        self.path = f"/v1/matches/{self.match}"
        assert api.post(f"{self.path}/seats/2", self.ben_token).status_code == 200

    def move(self, move: str, token: str | None = None, **request: object):
        if token is None:
            seat = self.api.get(self.path).json["turn"]["decision"]
            token = self.ann_token if seat == 1 else self.ben_token
        return self.api.post(f"{self.path}/moves", token, {"move": move}, **request)

    def play(self, *moves: str) -> None:
        for move in moves:
            assert self.move(move).status_code == 200

    def get(self, path: str = "", **request: object):
        return self.api.get(self.path + path, **request)

    def forget(self) -> None:
        """As if the process had just started."""
        self.api.app.extensions["plyscribe"].matches._cache.drop(self.match)


@pytest.fixture
def two(api) -> Two:
    return Two(api)


def record(api: Api, *moves: str, ruleset: str = "pathagon", **more: object) -> tuple[str, str]:
    """The path of a recorded match, and the recorder's token."""
    _, token = api.sign_up()
    seats = [{"name": "<b>Ada</b>"}, {"name": "Bea"}]
    path = f"/v1/matches/{api.new_match(token, seats, ruleset, recorded=True, **more)}"
    for move in moves:
        assert api.post(f"{path}/moves", token, {"move": move}).status_code == 200
    return path, token


def test_playing_and_recording_need_their_scopes(api, parts):
    _, recorder = api.sign_up(scopes=("record",))
    _, token = api.sign_up(scopes=("play",))
    body = {"ruleset": "zhen", "seats": [None, None]}
    assert api.post("/v1/matches", recorder, body).json["code"] == "auth/scope"
    body = {"ruleset": "zhen", "seats": [{"name": "A"}, {"name": "B"}], "recorded": True}
    assert api.post("/v1/matches", token, body).json["code"] == "auth/scope"
    match = api.new_match(token)
    assert api.post(f"/v1/matches/{match}/seats/1", recorder).json["code"] == "auth/scope"
    path, token = record(api)
    recorder = Principal(parts.accounts.authenticate(token).account, ("play",))
    parts.accounts.authenticate = parts.accounts.recall = lambda _: recorder
    assert api.post(f"{path}/moves", token, {"move": "d4"}).json["code"] == "auth/scope"


def test_the_same_request_with_the_same_key_is_one_move_and_the_same_bytes_after_the_end_on_another_server(two, parts):
    first = two.move("d4", two.ann_token, key="k1")
    two.play("e5")
    again = two.move("d4", two.ann_token, key="k1", headers={"Accept-Language": "de"})
    assert again.data == first.data
    assert again.status_code == first.status_code
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert two.get().json["ply"] == 2
    assert two.api.post(f"{two.path}/withdrawal", two.ben_token).status_code == 200
    other = Api(create_app(compose(parts.config, parts.store)))
    assert other.post(f"{two.path}/moves", two.ann_token, {"move": "d4"}, key="k1").data == first.data


def test_a_match_created_twice_with_one_key_is_one_match(api):
    _, token = api.sign_up()
    body = {"ruleset": "toy", "seats": [None, None]}
    first, again = (api.post("/v1/matches", token, body, key="new") for _ in range(2))
    assert (again.data, again.status_code) == (first.data, 201)
    assert (first.headers["ETag"], first.json["turn"]) == ('"1"', None)
    assert first.headers["Location"] == again.headers["Location"] == f"/v1/matches/{first.json['match']}"


def test_a_key_is_of_one_player_and_one_request_that_was_not_refused(two):
    assert two.move("e5", two.ben_token, key="k1").status_code == 409
    two.move("d4", two.ann_token, key="k1")
    reused = two.move("d5", two.ann_token, key="k1")
    assert (reused.status_code, reused.json["code"]) == (422, "key/reused")
    assert two.get().json["ply"] == 1
    assert two.move("e5", two.ben_token, key="k1").status_code == 200


def test_a_weak_tag_names_the_same_version(two):
    tag = f"W/{two.get().headers['ETag']}"
    assert [
        two.move(move, who, if_match=tag).status_code for move, who in (("d4", two.ann_token), ("e5", two.ben_token))
    ] == [200, 412]


def test_a_stale_if_match_gets_the_events_that_it_missed(two):
    version = two.get().headers["ETag"]
    assert two.move("d4", two.ann_token, if_match=version).status_code == 200
    assert two.move("e5", two.ben_token, if_match="*").status_code == 200
    stale = two.move("d5", two.ann_token, if_match=version)
    assert (stale.status_code, stale.json["code"]) == (412, "stream/version-conflict")
    assert [event["data"] for event in stale.json["events"]] == [{"move": "d4", "seat": 1}, {"move": "e5", "seat": 2}]
    assert stale.json["version"] == two.get().json["version"]
    stale = two.move("d5", two.ann_token, if_match='"99"')
    assert (stale.status_code, "was lost since" in stale.json["detail"]) == (412, True)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"options": {"size": True}}, "option/invalid"),
        ({"seats": []}, "request/invalid"),
        ({"seats": [None, {"player": "player-" + "a" * 26}]}, "player/unknown"),
        ({"seats": [None, {"name": "Guest"}]}, "seat/needs-recorder"),
        ({"seats": [None, {"name": "G" + "\u0334" * 5}], "recorded": True}, "seat/guest-name"),
        ({"seats": [None, {}]}, "request/invalid"),
        ({"about": {"Place": "x"}}, "request/invalid"),
        ({"start": "soon"}, "request/invalid"),
        ({"rated": 1}, "request/invalid"),
        ([], "request/invalid"),
    ],
)
def test_an_invalid_match_is_refused_and_nothing_is_stored(api, parts, body, code):
    _, token = api.sign_up()
    before = parts.store.streams()
    usual = {"ruleset": "pathagon", "seats": [None, None]}
    refused = api.post("/v1/matches", token, {**usual, **body} if body else body)
    assert (refused.status_code, refused.json["code"]) == (422, code)
    assert parts.store.streams() == before


def test_a_position_is_the_same_whatever_the_process_has_read_before(two):
    for _ in range(24):
        two.play(two.get("/legal-moves?limit=1").json["moves"][0])
    last = two.get().json["ply"]
    kept = [two.get(f"/positions/{ply}") for ply in range(last + 1)]
    versions = [position.json["version"] for position in kept]
    for ply in range(last + 1):
        two.forget()
        assert two.get(f"/positions/{ply}").data == kept[ply].data
        two.forget()
        assert two.get(f"/positions/{ply}?version={versions[-1]}").data == kept[ply].data
        assert two.get(f"/positions/{ply}?version={versions[ply]}").data == kept[ply].data
        assert two.get(f"/positions/{ply}").headers["ETag"] == f'"{versions[ply]}"'


def test_any_position_as_a_picture_that_marks_the_move_before_it(two):
    two.play("d4", "e5")
    ruleset = PATHAGON_V1
    state = ruleset.initial_state(ruleset.parse_options({}), 2)
    pictures = [two.get(f"/positions/{ply}", headers=PICTURE) for ply in range(3)]
    assert pictures[0].text == draw_board(ruleset, state, None, "auto")
    for picture, seat, move in zip(pictures[1:], (1, 2), ("d4", "e5"), strict=True):
        state = ruleset.apply_move(state, ruleset.parse_move(state, move))
        assert picture.text == draw_board(ruleset, state, LastMove(seat, move), "auto")
    assert {picture.mimetype for picture in pictures} == {"image/svg+xml"}
    (style,) = re.findall("<style>(.*)</style>", pictures[0].text, re.DOTALL)
    hashed = b64encode(sha256(style.encode()).digest()).decode()
    assert pictures[0].headers["Content-Security-Policy"] == f"default-src 'none'; style-src 'sha256-{hashed}'"
    assert pictures[0].headers["X-Content-Type-Options"] == "nosniff"
    assert " style=" not in pictures[0].text
    assert not re.search("Ann|Ben", pictures[2].text), "names of players are not in it"


def test_a_position_is_drawn_once_with_the_view_that_its_move_was_made_in(two, monkeypatch):
    drawn = []

    def draw(ruleset, state, last, theme, seat):
        drawn.append((last, theme))
        return draw_board(ruleset, state, last, theme, seat)

    monkeypatch.setattr(queries, "draw_board", draw)
    queries._draw.cache_clear()
    two.play("d4", "e5")
    pictures = {two.get("/positions/2", headers=PICTURE).text for _ in range(3)}
    assert len(pictures) == 1
    assert drawn == [(LastMove(2, "e5", two.get("/positions/1").json["view"]), "auto")]
    two.play("a1")
    assert two.get("/positions/3", headers=PICTURE).text not in pictures
    assert two.get("/positions/0", headers=PICTURE).text not in pictures
    assert [last and last.move for last, _ in drawn] == ["e5", "a1", None]


def test_an_image_element_of_a_browser_gets_the_picture(two):
    for accept in (
        "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
        "image/*",
    ):
        assert two.get("/positions/0", headers={"Accept": accept}).mimetype == "image/svg+xml"
    refused = two.get("/positions/0", headers={"Accept": "image/png"})
    assert (refused.status_code, refused.json["code"]) == (406, "request/not-acceptable")
    assert two.get("/events", headers={"Accept": "text/html"}).status_code == 406


def test_the_etag_of_a_picture_differs_from_other_forms_and_changes_with_the_drawing(two, monkeypatch):
    told, drawn = two.get("/positions/0"), two.get("/positions/0", headers=PICTURE)
    assert drawn.headers["ETag"] != told.headers["ETag"]
    assert "accept" in drawn.vary
    tag = {"If-None-Match": drawn.headers["ETag"]}
    assert two.get("/positions/0", headers=PICTURE | tag).status_code == 304
    assert two.get("/positions/0", headers=tag).status_code == 200
    assert two.get("/positions/0", headers=PICTURE | {"If-None-Match": told.headers["ETag"]}).status_code == 200
    monkeypatch.setattr(queries, "_draw", lambda *_: "<svg/>")
    assert two.get("/positions/0", headers=PICTURE | tag).text == "<svg/>"
    # Later releases may draw a position differently.
    exact = two.get(f"/positions/0?version={two.get().json['version']}", headers=PICTURE).cache_control
    assert (exact.max_age, exact.immutable, exact.public) == (86400, False, True)
    assert two.get("/positions/0", headers=PICTURE).headers["Cache-Control"] == "no-cache"


def test_a_position_at_a_version_never_changes(api):
    path, token = record(api, "d4")
    version = api.get(path).json["version"]
    before = api.get(f"{path}/positions/1?version={version}")
    api.post(f"{path}/take-back", token, {"ply": 0})
    api.post(f"{path}/moves", token, {"move": "a1"})
    after = api.get(f"{path}/positions/1?version={version}")
    assert after.data == before.data
    assert after.cache_control.immutable
    assert after.cache_control.public
    assert api.get(f"{path}/positions/1").json["view"] != before.json["view"]
    assert api.get(f"{path}/positions/0?version=99").json["code"] == "stream/unknown-version"


@pytest.mark.parametrize("query", ["after=-1", "limit=0", "limit=9999", "after=x", "nonsense=1", f"after={10**19}"])
def test_a_page_of_events_that_cannot_be_is_refused(two, query):
    assert two.get(f"/events?{query}").json["code"] == "request/invalid"


def test_legal_moves_come_in_pages_and_by_prefix(two):
    page = two.get("/legal-moves?limit=40").json
    rest = two.api.get(page["next"]).json
    assert len(page["moves"]) + len(rest["moves"]) == 49
    assert rest["next"] is None
    assert two.get("/legal-moves?prefix=d").json["moves"] == [f"d{row}" for row in range(1, 8)]
    assert two.get("/legal-moves?prefix=nothing").json["moves"] == []
    waiting = f"/v1/matches/{two.api.new_match(two.ann_token)}"
    assert two.api.get(f"{waiting}/legal-moves").json["moves"] == []
    assert two.api.get(f"{waiting}/positions/0").json["turn"] is None


@pytest.mark.parametrize("path", ["", "/record"])
def test_an_unchanged_match_and_its_record_are_304(two, path):
    tag = two.get(path).headers["ETag"]
    for unchanged in (tag, f"W/{tag}"):
        assert two.get(path, headers={"If-None-Match": unchanged}).status_code == 304
    assert two.get(path, headers={"If-Match": '"99"'}).status_code == 200, "reading ignores it"
    two.play("d4")
    assert two.get(path, headers={"If-None-Match": tag}).status_code == 200
    assert all("Accept" in two.get(form).vary for form in ("/events", "/positions/0"))


def test_a_match_that_was_read_up_to_the_event_before_its_end_is_over(api, parts):
    ann, token = api.sign_up("Ann")
    match = api.new_match(token, [{"player": ann}] * 2, "zhen")
    for move in ("+5", "+6", "+4"):
        api.post(f"/v1/matches/{match}/moves", token, {"move": move})
    api.post(f"/v1/matches/{match}/withdrawal", token, {"seat": 2})
    ended = api.get(f"/v1/matches/{match}").json["version"]
    other = Api(create_app(compose(CONFIG, parts.store)))
    other.get(f"/v1/matches/{match}/positions/{ended - 1 - EVENTS_BESIDE_MOVES}")
    refused = other.post(f"/v1/matches/{match}/moves", token, {"move": "+1"})
    assert (refused.status_code, refused.json["code"]) == (409, "match/over")
