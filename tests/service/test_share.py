"""What is passed on: pictures, cards beside links, boards on other sites, and links to friends."""

import json
import re
from io import BytesIO
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from PIL import Image

from plyscribe.service.boards.pixels import CARD_SIZE, frame_card
from plyscribe.service.matches.pictures import FILM_WIDTH, PICTURE_WIDTH, Look, render_picture
from plyscribe.service.reports.subjects import BULKY, film_of, picture_at
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.friend import draw_code
from tests.service.test_pages import FOR_PEOPLE, sign_up
from tests.service.test_play_page import Browser

FRAMING = re.compile(r"frame-ancestors ([^;]+)")
UNKNOWN = f"match-{'a' * 26}"
SITE = "http://localhost"


class Player(Browser):
    """A person who has the token of their account too."""

    def __init__(self, app, name: str) -> None:
        super().__init__(None, app)
        self.token = sign_up(self.client, name)
        self.player = self.client.get("/v1/players/me").json["player"]

    def open(self, other: "Player | None" = None, **more) -> str:
        """Open a match of two, in which the other player takes the second seat."""
        match = self.begin(seats=[{"player": self.player}, None], **more)
        if other:
            taken = other.post(f"/v1/matches/{match}/seats/2", {"invitation": self.invite(match)})
            assert taken.status_code == 200, taken.json
        return match

    def invite(self, match: str) -> str:
        return self.post(f"/v1/matches/{match}/seats/2/invitations").json["invitation"]


@pytest.fixture
def app(parts):
    return create_app(parts)


@pytest.fixture
def ann(app) -> Player:
    return Player(app, "Ann")


@pytest.fixture
def ben(app) -> Player:
    return Player(app, "Ben")


@pytest.fixture
def anybody(app) -> FlaskClient:
    return app.test_client(use_cookies=False)


@pytest.fixture
def match(ann, ben) -> str:
    """A public match with two moves."""
    match = ann.open(ben)
    ann.move(match, "d4")
    ben.move(match, "e5")
    return match


WRONG = ("theme=pink", "seat=3", "seat=0", "what=ever")


def opened(answered) -> Image.Image:
    assert answered.status_code == 200, answered.text
    return Image.open(BytesIO(answered.data))


def tags_of(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', page))


@pytest.mark.parametrize(
    ("query", "look"),
    [("", Look()), ("?theme=dark", Look("dark")), ("?seat=2", Look(seat=2)), ("?seat=1&theme=light", Look(seat=1))],
)
def test_a_position_is_a_png_in_the_colours_and_from_the_seat_that_are_asked_for(anybody, match, parts, query, look):
    sent = anybody.get(f"/matches/{match}/positions/1.png{query}")
    assert sent.content_type == "image/png"
    assert opened(sent).width == PICTURE_WIDTH
    assert sent.data == render_picture(parts.matches.read(match), 1, look)
    others = ("0.png", "2.png", "2.png?theme=dark", "2/card.png")
    assert sent.data not in [anybody.get(f"/matches/{match}/positions/{path}").data for path in others]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("{match}/positions/3.png", 404, "position/unknown"),
        ("{match}/positions/1.png?version=99", 404, "stream/unknown-version"),
        *((f"{{match}}/positions/1.png?{wrong}", 422, "request/invalid") for wrong in WRONG),
        *((f"{UNKNOWN}{path}", 404, "match/unknown") for path in (".gif", "/positions/0.png", "/positions/0/card.png")),
    ],
)
def test_a_picture_that_does_not_exist_is_refused(anybody, match, path, status, code):
    refused = anybody.get(f"/matches/{path.format(match=match)}")
    assert (refused.status_code, refused.json["code"]) == (status, code)


def test_a_picture_at_a_version_may_be_kept_and_a_client_that_has_one_costs_no_drawing(
    anybody, match, parts, monkeypatch
):
    kept = anybody.get(f"/matches/{match}/positions/1.png?version=4")
    assert (kept.cache_control.public, kept.cache_control.max_age) == (True, 86400)
    asked = anybody.get(f"/matches/{match}/positions/1.png")
    assert (asked.cache_control.no_cache, asked.data == kept.data) == (True, True)
    paths = [f"/matches/{match}/positions/1.png", f"/matches/{match}/positions/1/card.png", f"/matches/{match}.gif"]
    tags = [anybody.get(path).headers["ETag"] for path in paths]
    assert len(set(tags)) == 3
    monkeypatch.setattr(parts.desk, "wait_for", lambda *_, **__: 1 / 0)
    for path, tag in zip(paths, tags, strict=True):
        again = anybody.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b"")


def test_a_film_of_a_match_that_goes_on_is_asked_for_again_and_holds_the_new_moves(anybody, ann, match):
    first = anybody.get(f"/matches/{match}.gif")
    film = opened(first)
    assert (film.format, film.width, film.n_frames) == ("GIF", FILM_WIDTH, 3)
    assert first.cache_control.no_cache
    ann.move(match, "a1")
    again = anybody.get(f"/matches/{match}.gif", headers={"If-None-Match": first.headers["ETag"]})
    assert opened(again).n_frames == 4


def test_a_film_counts_by_its_moves_and_once_and_of_a_long_match_it_is_a_selection(anybody, match, monkeypatch):
    charged = []
    monkeypatch.setattr("plyscribe.service.web.pages.picture_files.charge_size", lambda *cost: charged.append(cost))
    monkeypatch.setattr("plyscribe.service.matches.pictures.FILM_FRAMES", 2)
    assert opened(anybody.get(f"/matches/{match}.gif")).n_frames == 2
    assert charged == [("heavy", 2, 20)]


def test_pictures_are_named_by_what_they_show_and_are_kept_for_a_short_time(match):
    subjects = {picture_at(match, 4, 1, Look(theme, seat)) for theme in ("light", "dark") for seat in (None, 1, 2)}
    assert len({subject.name for subject in subjects}) == 6
    assert {"picture", "card", "film", "beginning"} <= set(BULKY)
    assert film_of(match, 4, Look()).name != film_of(match, 5, Look()).name


def test_pictures_of_a_private_match_are_for_its_readers_alone_and_never_in_shared_caches(anybody, ann, ben):
    match = ann.open(ben, private=True)
    for path in (f"/matches/{match}/positions/0.png?version=2", f"/matches/{match}/positions/0/card.png"):
        assert anybody.get(path).json["code"] == "match/unknown"
        shown = ann.client.get(path)
        assert (shown.status_code, bool(shown.cache_control.public)) == (200, False)
        assert shown.cache_control.private
        assert "Cookie" in shown.headers["Vary"]
    assert anybody.get(f"/matches/{match}.gif").status_code == 404
    assert not ben.client.get(f"/matches/{match}.gif").cache_control.public
    invited = ann.open(private=True)
    shown = anybody.get(f"/matches/{invited}/positions/0.png?invitation={ann.invite(invited)}")
    assert opened(shown)
    assert not shown.cache_control.public


@pytest.mark.parametrize("svg", ['<svg viewBox="0 0 300 100"></svg>', '<svg viewBox="0 0 100 400"></svg>'])
def test_a_card_has_the_size_that_sites_expect_whatever_the_board(svg):
    drawing = svg.replace("><", '><rect width="500" height="500" fill="#f00"/><')
    card = Image.open(BytesIO(frame_card(drawing))).convert("RGB")
    assert card.size == CARD_SIZE == (1200, 630)
    assert card.getpixel((600, 315)) == (255, 0, 0)
    assert card.getpixel((2, 2)) != (255, 0, 0)
    assert card.getpixel((600, 627)) != (255, 0, 0)


def test_the_page_of_a_match_says_what_stands_beside_a_link_to_it(anybody, match):
    tags = tags_of(anybody.get(f"/matches/{match}?ply=1", headers=FOR_PEOPLE).text)
    assert tags["og:title"] == "Ann – Ben · Pathagon"
    assert "Ann is to move" in tags["og:description"]
    assert tags["og:url"] == f"{SITE}/matches/{match}?ply=1"
    assert tags["twitter:card"] == "summary_large_image"
    card = opened(anybody.get(tags["og:image"].removeprefix(SITE)))
    assert card.size == (int(tags["og:image:width"]), int(tags["og:image:height"]))
    behind = {**FOR_PEOPLE, "X-Forwarded-Proto": "https"}
    tags = tags_of(anybody.get(f"/matches/{match}", headers=behind).text)
    assert tags["og:image"].startswith("https://localhost/matches/")


@pytest.mark.parametrize("path", ["/", "/rulesets/rings", "/rulesets/zhen?version=1"])
def test_pages_of_games_have_cards_with_their_boards(anybody, path):
    tags = tags_of(anybody.get(path, headers=FOR_PEOPLE).text)
    assert opened(anybody.get(tags["og:image"].removeprefix(SITE))).size == CARD_SIZE
    assert tags["og:description"] == tags["description"]


def test_other_sites_may_frame_the_board_and_no_other_page(anybody, match):
    framed = anybody.get(f"/embed/matches/{match}", headers=FOR_PEOPLE)
    assert FRAMING.search(framed.headers["Content-Security-Policy"])[1] == "*"
    others = ["/", "/play", f"/matches/{match}", f"/matches/{match}/play", f"/matches/{match}/join", "/rulesets/rings"]
    others += ["/sign-in", f"/matches/{match}/positions/1", f"/matches/{match}/positions/1.png", "/nowhere", "/oembed"]
    for path in others:
        policy = anybody.get(path, headers=FOR_PEOPLE).headers["Content-Security-Policy"]
        assert FRAMING.search(policy)[1] == "'none'", path


def test_a_framed_board_is_the_same_for_everybody_and_holds_nothing_of_the_visitor(anybody, ann, match):
    path = f"/embed/matches/{match}?ply=1&seat=2&theme=dark"
    seen = anybody.get(path, headers=FOR_PEOPLE)
    assert seen.text == ann.client.get(path, headers=FOR_PEOPLE).text
    assert "Sign" not in seen.text
    assert seen.cache_control.public
    assert {"Accept-Language", "Cookie"} <= {name.strip() for name in seen.headers["Vary"].split(",")}
    assert "Set-Cookie" not in seen.headers
    for text in ("Ann", "Ben", "1 of 2", 'data-theme="dark"', "boards_dark", f"/matches/{match}?ply=1"):
        assert text in seen.text
    assert "2 of 2" in anybody.get(f"/embed/matches/{match}", headers=FOR_PEOPLE).text


@pytest.mark.parametrize("query", ["ply=99", "ply=-1", "ply=x", "seat=9", "seat=0", "theme=pink", "more=1"])
def test_a_framed_board_makes_the_best_of_a_wrong_query(anybody, match, query):
    assert anybody.get(f"/embed/matches/{match}?{query}", headers=FOR_PEOPLE).status_code == 200


def test_a_private_match_has_no_card_and_a_frame_says_that_there_is_no_public_match(anybody, ann):
    match = ann.open(private=True)
    for browser, path in ((ann.client, match), (anybody, f"{match}?invitation={ann.invite(match)}"), (anybody, match)):
        assert not re.search("og:|oembed", browser.get(f"/matches/{path}", headers=FOR_PEOPLE).text)
    for browser in (anybody, ann.client):
        for path in (match, f"{match}?invitation={ann.invite(match)}", UNKNOWN, "x"):
            shown = browser.get(f"/embed/matches/{path}", headers=FOR_PEOPLE)
            assert (shown.status_code, "There is no public match here." in shown.text) == (404, True)
            assert FRAMING.search(shown.headers["Content-Security-Policy"])[1] == "*"


def ask(anybody: FlaskClient, url: str, more: str = ""):
    return anybody.get(f"/oembed?url={quote(url, safe='')}{more}")


def test_oembed_says_how_to_show_a_match(anybody, match):
    page = anybody.get(f"/matches/{match}?ply=1", headers=FOR_PEOPLE).text
    found = re.search(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)"', page)[1]
    answered = anybody.get(found.replace("&amp;", "&").removeprefix(SITE))
    assert answered.content_type == "application/json"
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    said = answered.json
    assert (said["version"], said["type"], said["provider_name"]) == ("1.0", "rich", "Plyscribe")
    assert said["title"] == "Ann – Ben · Pathagon"
    source = re.search(r'src="([^"]+)"', said["html"])[1]
    assert source == f"{SITE}/embed/matches/{match}?ply=1"
    assert anybody.get(source.removeprefix(SITE), headers=FOR_PEOPLE).status_code == 200


def test_oembed_obeys_the_greatest_size_and_has_one_format(anybody, match):
    said = ask(anybody, f"{SITE}/matches/{match}", "&maxwidth=300&maxheight=9999&format=json&callback=x").json
    assert (said["width"], said["height"] < 9999) == (300, True)
    assert f'width="300" height="{said["height"]}"' in said["html"]
    refused = ask(anybody, f"{SITE}/matches/{match}", "&format=xml")
    assert (refused.status_code, refused.json["code"]) == (501, "oembed/format")
    assert anybody.get("/oembed").json["code"] == "request/invalid"


ELSEWHERE = """
    http://elsewhere.example/matches/{} ftp://localhost/matches/{} http://localhost:81/matches/{}
    http://localhost@elsewhere.example/matches/{} http://[::1/matches/{} http://localhost/players/{}
    http://localhost/matches/x javascript:alert(1)
"""


@pytest.mark.parametrize("url", ["", f"{SITE}/matches/{UNKNOWN}", *ELSEWHERE.split()])
def test_oembed_knows_public_matches_of_this_server_alone(anybody, ann, match, url):
    private = f"{SITE}/matches/{ann.open(private=True)}"
    refused = ask(ann.client, url.format(match) if url else private)
    assert (refused.status_code, refused.json["code"]) == (404, "oembed/unknown-url")


def test_names_are_text_in_frames_and_cards(app, anybody):
    match = Player(app, '"><b>Eve').open()
    for path in (f"/matches/{match}", f"/embed/matches/{match}"):
        assert "<b>" not in anybody.get(path, headers=FOR_PEOPLE).text
    assert "<b>" not in ask(anybody, f"{SITE}/matches/{match}").json["html"]


def links_of(browser: FlaskClient, match: str, query: str = "") -> list[str]:
    """The links to pass on, on the page of a table."""
    page = browser.get(f"/matches/{match}/play{query}", headers=FOR_PEOPLE).text
    return [each.replace("&amp;", "&") for each in re.findall(r'id="link-[^"]+" readonly value="([^"]+)"', page)]


def test_the_host_alone_sees_the_link_and_the_same_whenever_the_page_is_loaded(anybody, ann, ben):
    match = ann.open(private=True)
    [link] = links_of(ann.client, match)
    assert links_of(ann.client, match) == [link]
    assert draw_code(link) in ann.client.get(f"/matches/{match}/play").text
    assert link.startswith(f"{SITE}/matches/{match}/join?invitation=2-")
    assert links_of(ann.client, match, "?invitation=guess") == []
    code = link.partition("invitation=")[2]
    assert [links_of(ben.client, match, query) for query in ("", f"?invitation={code}")] == [[], []]
    page = ben.client.get(f"/matches/{match}/play?invitation={code}", headers=FOR_PEOPLE).text
    assert f'name="invitation" value="{code}"' in page
    assert links_of(anybody, ann.open()) == []


def test_an_open_seat_of_a_public_match_has_a_plain_link_until_the_friend_has_come(anybody, ann, ben):
    match = ann.open()
    assert links_of(ann.client, match) == [f"{SITE}/matches/{match}/join"]
    assert "Ann invites you to play Pathagon" in anybody.get(f"/matches/{match}/join").text
    for private in (True, False):
        match = ann.open(ben, private=private)
        assert links_of(ann.client, match) == []
        for who in (ann, ben):
            led = who.client.get(f"/matches/{match}/join")
            assert (led.status_code, led.headers["Location"]) == (303, f"/matches/{match}/play")


def test_a_friend_signs_in_and_comes_back_to_one_button_and_the_card_of_the_link_holds_nothing_of_the_match(
    anybody, ann, ben
):
    match = ann.open(private=True)
    [link] = links_of(ann.client, match)
    path = link.removeprefix(SITE)
    shown = ben.client.get(path, headers=FOR_PEOPLE).text
    [form] = re.findall(r'<form method="dialog" id="join" ([^>]+)>', shown)
    for text in (f'data-match="{match}"', 'data-seat="2"', link.partition("invitation=")[2]):
        assert text in form
    shown = anybody.get(path, headers=FOR_PEOPLE).text
    assert f'href="/sign-in?next={quote(path)}"' in shown
    tags = tags_of(shown)
    assert tags["og:title"] == "Ann invites you to play Pathagon"
    assert "/rulesets/pathagon/card.png" in tags["og:image"]
    assert match not in json.dumps(tags)
    # Sites that follow it would link to another page.
    assert "og:url" not in tags


@pytest.mark.parametrize("end", ["used up", "revoked"])
def test_a_link_that_has_ended_and_one_that_never_was_get_a_page_that_says_so(anybody, ann, ben, end):
    match = ann.open(private=True)
    [link] = links_of(ann.client, match)
    if end == "used up":
        code = link.partition("invitation=")[2]
        assert ben.post(f"/v1/matches/{match}/seats/2", {"invitation": code}).status_code == 200
    else:
        assert ann.post(f"/v1/matches/{match}/abort", {"cause": "no time"}).status_code == 200
    ended = anybody.get(link.removeprefix(SITE), headers=FOR_PEOPLE)
    assert (ended.status_code, "This invitation has ended" in ended.text) == (404, True)
    for wrong in (f"/matches/{match}/join", f"/matches/{match}/join?invitation=x", f"/matches/{UNKNOWN}/join"):
        shown = anybody.get(wrong, headers=FOR_PEOPLE)
        assert (shown.status_code, "This link does not work" in shown.text) == (404, True)
