"""The pages to start, play and record matches: what they offer to each visitor."""

import re

import pytest
from flask.testing import FlaskClient

from plyscribe.domain.rulesets import RULESETS, list_newest, register
from plyscribe.service.composition import compose
from plyscribe.service.language.option_texts import describe_option
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.option_fields import OptionField, format_value, list_fields
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG

FROM_HERE = {"Sec-Fetch-Site": "same-origin"}


class Browser:
    """A person's browser. `other` opens one for another person at the same service."""

    def __init__(self, name: str | None = "Ann", app=None) -> None:
        self.app = app or create_app(compose(CONFIG, MemoryStore()))
        self.client: FlaskClient = self.app.test_client()
        if name:
            self.client.post("/sign-up", data={"name": name}, headers=FROM_HERE)
            self.player = self.client.get("/v1/players/me").json["player"]

    def other(self, name: str | None = "Ben") -> "Browser":
        return Browser(name, self.app)

    def post(self, path: str, body: dict | None = None):
        return self.client.post(path, json=body or {}, headers=FROM_HERE)

    def begin(self, ruleset: str = "pathagon", seats: list | None = None, **more) -> str:
        """Start a match and return its id. I play all seats unless others are given."""
        wanted = [{"player": self.player}] * 2 if seats is None else seats
        made = self.post("/v1/matches", {"ruleset": ruleset, "seats": wanted, **more})
        assert made.status_code == 201, made.json
        return made.json["match"]

    def record(self, ruleset: str = "pathagon", **more) -> str:
        seats = [{"name": "Ada"}, {"name": "Bea"}]
        return self.begin(ruleset, seats, recorded=True, dice="recorded", **more)

    def move(self, match: str, *moves: str) -> None:
        for move in moves:
            assert self.post(f"/v1/matches/{match}/moves", {"move": move}).status_code == 200

    def see(self, path: str, status: int = 200) -> str:
        shown = self.client.get(path, headers={"Accept": "text/html"})
        assert shown.status_code == status, shown.text
        # The frame is HTML for other sites.
        page = re.sub("(?s)<textarea.*?</textarea>", "", shown.text)
        assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", page)
        return shown.text

    def table(self, match: str, way: str = "play") -> str:
        return self.see(f"/matches/{match}/{way}")


@pytest.fixture
def ann() -> Browser:
    return Browser()


def text_of(page: str, id: str) -> str:
    """The text of a part of the page, in one line."""
    found = re.search(rf'<(\w+)[^>]*id="{id}".*?</\1>', page, re.DOTALL)
    assert found is not None
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())


def posts(page: str) -> set[str]:
    """The addresses that the forms of the page post to, without the address of the match."""
    return {re.sub(r"^/v1/matches/match-\w+", "", path) for path in re.findall(r'data-post="([^"]+)"', page)}


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: f"{ruleset.id}_v{ruleset.version}")
def test_every_option_has_a_field_that_holds_the_default(ruleset):
    fields = list_fields(ruleset)
    entered = {field.name: field.default for field in fields if field.default is not None}
    assert {field.name for field in fields} == set(ruleset.options_schema()["properties"])
    assert ruleset.parse_options(entered) == ruleset.parse_options({})


def test_fields_of_options_are_as_strict_as_their_schema():
    by_name = {field.name: field for ruleset in RULESETS for field in list_fields(ruleset)}
    assert by_name["radius"] == OptionField("radius", "number", 4, 2, 8)
    kinds = {"capacity": "number-or-null", "demons": "flag", "terrain": "word-or-words"}
    assert {name: by_name[name].kind for name in kinds} == kinds
    assert by_name["first"].choices == ("roll", 1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("path", ["/play", "/record"])
def test_a_form_offers_all_games_and_the_seats_and_options_of_one_and_visitors_are_asked_to_sign_in(ann, path):
    page = ann.other(None).see(f"{path}?ruleset=zhen")
    assert (f"/sign-in?next={path}%3Fruleset%3Dzhen" in page, 'id="new"' in page) == (True, False)
    page = ann.see(f"{path}?ruleset=rings")
    for ruleset in RULESETS:
        assert f'href="{path}?ruleset={ruleset.id}"' in page
    assert page.count('data-seat="') == 4
    assert 'name="options.scoring"' in page
    assert '<option value="{&#34;size&#34;:5}">Small</option>' in ann.see(f"{path}?ruleset=pathagon")
    for ruleset in list_newest():
        page = ann.see(f"{path}?ruleset={ruleset.id}")
        described = set(re.findall(r"aria-describedby=(option-\w+-says)", page))
        if type(ruleset).__module__.startswith("plyscribe."):
            assert described == {f"option-{name}-says" for name in ruleset.options_schema()["properties"]}
        assert described == set(re.findall(r'id="(option-\w+-says)"', page))


def test_a_game_from_outside_has_the_names_of_its_options_alone_and_tells_them_in_words(ann):
    register(TOY_V1)
    page = ann.see("/play?ruleset=toy")
    assert "-says" not in page.partition('id="options"')[2].partition("</details>")[0]
    shown = re.findall(r"<tr><td>([\w ]+)</td><td>(.*?)</td>", ann.see("/rulesets/toy"))
    options = TOY_V1.options_schema()["properties"]
    wanted = {describe_option(TOY_V1, name, "en").label: format_value(options[name].get("default")) for name in options}
    assert dict(shown) == wanted


def test_matches_with_an_open_seat_are_listed_and_those_with_dice_ask_for_salt(ann):
    match = ann.begin(seats=[{"player": ann.player}, None])
    recorded = ann.begin(seats=[{"name": "Ada"}, None], recorded=True)
    page = ann.other().see("/play")
    assert f"/v1/matches/{match}/seats/2" in page
    assert recorded not in page + ann.see("/play")
    assert f'href="/matches/{recorded}/record"' in ann.see("/record")
    assert match not in ann.see("/record")
    assert f'href="/matches/{ann.begin()}/play"' in ann.see("/play")
    assert f"/sign-in?next=/matches/{match}/play" in ann.other(None).see("/play")
    assert "data-salted" not in page
    ann.begin("crystals", [{"player": ann.player}, None])
    assert "data-salted" in ann.see("/play")


def test_the_table_shows_the_board_and_whose_turn_it_is(ann):
    match = ann.begin(seats=[{"player": ann.player}, {"bot": "random"}])
    page = ann.table(match)
    assert 'data-touch="d4"' in page
    assert text_of(page, "now") == "Your turn. Place a piece on an empty field."
    assert 'data-mover="1"' in page
    assert "random (built-in bot)" in page
    watching = ann.other().table(match)
    assert text_of(watching, "now") == "It is Ann's turn."
    assert "data-mover" not in watching
    assert posts(watching) == set()


def test_a_player_of_all_seats_moves_for_the_seat_on_turn_and_the_log_begins_with_the_newest_event(ann):
    match = ann.begin()
    assert text_of(ann.table(match), "now").startswith("Your turn: seat 1.")
    ann.move(match, "d4")
    page = ann.table(match)
    assert text_of(page, "now").startswith("Your turn: seat 2.")
    assert 'data-mover="2"' in page
    ann.move(match, "e5")
    log = text_of(ann.table(match), "log")
    assert log.index("on e5.") < log.index("on d4.") < log.index("The match begins")


def test_the_log_says_what_each_move_did_but_not_what_an_undone_one_did(ann):
    match = ann.record("pathagon")
    ann.move(match, "c3", "c4", "d1", "a1", "c5")
    assert "Ada traps the piece of Bea on c4" in ann.table(match, "record")
    assert ann.post(f"/v1/matches/{match}/take-back", {"ply": 4}).status_code == 200
    log = ann.table(match, "record")
    assert "Ada traps" not in log
    assert "Ada places a piece from the reserve on d1." in log


def test_the_latest_dice_are_shown_and_lots_are_told(ann):
    match = ann.begin("crystals", [{"player": ann.player}, {"bot": "random"}])
    assert "/entropy" in posts(ann.table(match))
    assert text_of(ann.table(match), "now").endswith("Shuffle the dice to begin.")
    own = ann.begin("crystals")
    for seat in (1, 2):
        ann.post(f"/v1/matches/{own}/entropy", {"seat": seat, "entropy": "salt"})
    ann.move(own, "choose rider", "choose archer", "spawn scout", "spawn tower")
    page = ann.table(own)
    assert len(re.findall(r'<p data-version="\d+"><span class="faint">Ann rolled</span>', page)) >= 2
    assert re.search(r"Ann \(seat \d\) rolls an? \d for the first turn\.", page)
    rings = ann.begin("rings", [{"player": ann.player}, {"bot": "random"}])
    ann.post(f"/v1/matches/{rings}/entropy", {"entropy": "salt"})
    page = ann.table(rings)
    assert text_of(page, "dice") == ""
    assert page.count("The terrain of the next ring is drawn by lot.") == 4


def test_an_open_seat_is_offered_and_signing_in_leads_back_to_it(ann):
    match = ann.begin(seats=[{"player": ann.player}, None])
    assert posts(ann.table(match)) == {"/seats/1", "/seats/2", "/abort"}  # leave, take the other one too, call it off
    page = ann.other(None).table(match)
    assert f"/sign-in?next=/matches/{match}/play" in page
    assert posts(page) == set()
    ben = ann.other()
    assert posts(ben.table(match)) == {"/seats/2"}
    ben.post(f"/v1/matches/{match}/seats/2")
    assert posts(ben.table(match)) == {"/draw", "/withdrawal", "/abort"}


def test_the_other_players_answer_a_draw_offer(ann):
    match, ben = ann.begin(seats=[{"player": ann.player}, None]), ann.other()
    ben.post(f"/v1/matches/{match}/seats/2")
    ann.post(f"/v1/matches/{match}/draw", {"action": "offer"})
    assert "Ann offers a draw." in text_of(ben.table(match), "actions")
    assert "Accept" not in ann.table(match)
    ben.post(f"/v1/matches/{match}/draw", {"action": "decline"})
    assert "Offer a draw" not in ann.table(match)
    assert "Offer a draw" in ben.table(match)


def test_after_the_end_the_outcome_is_shown_and_a_rematch_offered(ann):
    match = ann.begin(seats=[{"player": ann.player}, {"bot": "random"}])
    ann.move(match, "d4")
    assert posts(ann.table(match)) == {"/draw", "/withdrawal"}, "it cannot be called off after a move"
    ann.post(f"/v1/matches/{match}/withdrawal")
    page = ann.table(match)
    assert text_of(page, "now") == "random (built-in bot) wins: you left the match."
    assert posts(page) == {"/rematch"}
    assert posts(ann.other().table(match)) == set()
    for event in ("Ann resigns", "The match is over"):
        assert event in text_of(page, "log")
        assert event in text_of(ann.see(f"/matches/{match}"), "moves")
    called_off = ann.begin()
    ann.post(f"/v1/matches/{called_off}/abort")
    assert text_of(ann.table(called_off), "now") == "The match was called off."


def test_clocks_show_the_time_left_and_user_text_is_shown_as_text(ann):
    match = ann.begin(limits={"match_ms": 600_000}, about={"place": "<script>alert(1)</script>"})
    page = ann.table(match)
    assert len(re.findall(r'data-deadline="\d+"', page)) == 1
    assert 'data-left="600000"' in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_a_recorder_moves_for_all_seats_takes_moves_back_and_withdraws_seats(ann):
    match = ann.record()
    page = ann.table(match, "record")
    assert text_of(page, "now") == "It is Ada's turn."
    assert posts(page) == {"/draw", "/withdrawal", "/pause", "/abort"}
    ann.move(match, "d4", "e5")
    page = ann.table(match, "record")
    assert "/take-back" in posts(page)
    assert "Take back the last step: move 2, e5</button>" in page
    assert '<option value="2">move 1, d4</option>' in page
    assert "disqualified" in page


def test_every_step_of_a_record_stands_in_the_list_with_a_way_to_correct_it(ann):
    match = ann.record("rings")
    for _ in range(4):
        assert ann.post(f"/v1/matches/{match}/rolls", {"values": [1]}).status_code == 200
    ann.post(f"/v1/matches/{match}/withdrawal", {"seat": 2, "cause": "absent"})
    page = ann.table(match, "record")
    assert "Heavy terrain d1 d2 · Medium terrain d6 d7 · Light terrain d3 d4 d5" in text_of(page, "log")
    assert ("Bea is absent" in text_of(page, "log"), page.count("data-mend=")) == (True, 5)
    assert ann.post(f"/v1/matches/{match}/take-back", {"steps": 3}).status_code == 200
    page = ann.table(match, "record")
    assert ("Bea is absent" in text_of(page, "log"), page.count("data-mend=")) == (False, 2)


def test_a_recorder_is_asked_for_what_is_due_and_dice_that_were_taken_back_do_not_lie_on_the_table(ann):
    match = ann.record("rings")
    for ring in "abcd":
        assert f"Which terrain lies on ring {ring}?" in text_of(ann.table(match, "record"), "roll")
        assert ann.post(f"/v1/matches/{match}/rolls", {"values": [1]}).status_code == 200
    assert text_of(ann.table(match, "record"), "roll") == ""
    match = ann.record("portals")
    for value in (3, 7):
        ann.post(f"/v1/matches/{match}/rolls", {"values": [value]})
    ann.post(f"/v1/matches/{match}/take-back", {"steps": 1})
    assert text_of(ann.table(match, "record"), "dice") == "Ada rolled 3"


def test_after_the_end_the_recorder_confirms_or_corrects_and_others_wait(ann):
    match = ann.record()
    ann.move(match, "d4")
    ann.post(f"/v1/matches/{match}/withdrawal", {"seat": 2, "cause": "absent"})
    page = ann.table(match, "record")
    by = ann.client.get(f"/v1/matches/{match}").json["confirm_by"]
    assert f'data-deadline="{by}"' in page
    assert {"/confirmation", "/take-back"} <= posts(page)
    seen = ann.see(f"/matches/{match}")
    assert "waits for its recorder" in seen
    assert f'href="/matches/{match}/play"' in seen
    assert ann.post(f"/v1/matches/{match}/confirmation", {}).status_code == 200
    page = ann.table(match, "record")
    assert not {"/confirmation", "/take-back"} & posts(page)
    assert "The record is confirmed" in text_of(page, "log")
    assert "waits for its recorder" not in ann.see(f"/matches/{match}")


def test_the_recorder_seats_guests_and_with_the_servers_dice_nothing_is_entered_or_taken_back(ann):
    match = ann.begin(seats=[{"name": "Ada"}, None], recorded=True)
    # Others may sit down themselves, but seat no guests.
    for page, names_guests in ((ann.table(match, "record"), True), (ann.other().table(match), False)):
        assert ("/seats/2" in posts(page), 'name="name"' in page) == (True, names_guests)
    match = ann.begin("crystals", [{"name": "Ada"}, {"name": "Bea"}], recorded=True)
    assert "/rolls" not in posts(ann.table(match, "record"))
    ann.move(match, ann.client.get(f"/v1/matches/{match}/legal-moves").json["moves"][0])
    assert "/take-back" not in posts(ann.table(match, "record"))


def test_each_visitor_is_redirected_to_the_right_page_of_a_match(ann):
    recorded, played = ann.record(), ann.begin()
    assert ann.client.get(f"/matches/{recorded}/play").headers["Location"] == f"/matches/{recorded}/record"
    assert ann.client.get(f"/matches/{played}/record").headers["Location"] == f"/matches/{played}/play"
    other = ann.other().client.get(f"/matches/{recorded}/record")
    assert other.headers["Location"] == f"/matches/{recorded}/play"
    ann.see(f"/matches/match-{'a' * 26}/play", 404)
    ann.see("/matches/nothing/record", 404)


def test_values_are_told_in_words():
    values = [None, True, False, 7, "stop", ["a", 2, None], (), {"move_ms": 5, "on": True}]
    words = ["none", "yes", "no", "7", "stop", "a, 2, none", "none", "Move ms: 5, On: yes"]
    assert [format_value(value) for value in values] == words
