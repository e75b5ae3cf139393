"""The page of a match and the list of matches, without scripts."""

import re
from html import unescape
from typing import Any

import pytest
from werkzeug.test import TestResponse

from plyscribe.domain.commands import Actor, AnnulMatch
from plyscribe.domain.events import WITHDRAWAL_CAUSES
from plyscribe.service.composition import Parts
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.pages import match as match_pages
from plyscribe.service.web.pages import move_list
from plyscribe.service.web.pages.ending import name_result
from plyscribe.service.web.pages.people import name_judge
from plyscribe.service.web.pages.score_sheet import WITHDRAWALS, list_rows
from plyscribe.service.web.pages.times import format_duration, render_time
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api
from tests.service.random_matches import Play
from tests.service.test_imports_api import Elsewhere, bring, bundle_of, forged
from tests.service.test_tournaments_api import TournamentOverHttp

FOR_PEOPLE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
NASTY = '<script>alert("1")</script>'


def text_of(html: str) -> str:
    """All text, with each run of white space as one space."""
    apart = re.sub(r"</(?:p|li|d[td]|t[dh]|h\d)>", " ", html)
    return " ".join(unescape(re.sub(r"<[^>]*>", "", apart)).split())


class Shown:
    """A page that the service sent."""

    def __init__(self, html: str) -> None:
        self.html = html

    @property
    def text(self) -> str:
        """All text, with each run of white space as one space."""
        return text_of(self.html)

    @property
    def rows(self) -> list[str]:
        """The rows of the list of moves: the number and the notation of each move, and what else happened."""
        listed = re.search(r'<ol[^>]* id="(?:moves|news-rows)".*?</ol>', self.html, re.DOTALL)[0]
        bare = re.sub(r'<svg.*?</svg>| <small class="spent".*?</small>', "", listed, flags=re.DOTALL)
        short = re.sub(r"<span>[^<]*</span> (?=<code>)", "", bare)
        return [text_of(f"<li{row}") for row in short.split("<li")[1:]]

    @property
    def sentences(self) -> list[str]:
        """What the rows of the list of moves say."""
        listed = re.search(r'<ol[^>]* id="(?:moves|news-rows)".*?</ol>', self.html, re.DOTALL)[0]
        return [unescape(each) for each in re.findall(r"<span>([^<]*)</span>", listed)]


class Table:
    """A match between Ann and Ben, or two others, and what pages show of it."""

    def __init__(
        self,
        api: Api,
        parts: Parts,
        ruleset: str = "pathagon",
        names: tuple[str, str] = ("Ann", "Ben"),
        **more: Any,
    ) -> None:
        self.api, self.parts = api, parts
        (self.ann, self.ann_token), (self.ben, self.ben_token) = map(api.sign_up, names)
        seats = [{"player": self.ann}, {"player": self.ben}]
        self.match = api.new_match(self.ann_token, seats, ruleset, **more)
        api.post(f"/v1/matches/{self.match}/seats/2", self.ben_token, {})

    def play(self, *moves: str) -> None:
        for move in moves:
            turn = self.api.get(f"/v1/matches/{self.match}", self.ann_token).json["turn"]["decision"]
            token = (self.ann_token, self.ben_token)[turn - 1]
            assert self.api.post(f"/v1/matches/{self.match}/moves", token, {"move": move}).status_code == 200

    def resign(self) -> None:
        ended = self.api.post(f"/v1/matches/{self.match}/withdrawal", self.ben_token, {})
        self.version = ended.json["version"]

    def verify(self) -> None:
        assert verify_all(self.parts, [(self.match, self.version)]) == ["scored"]

    def show(self, rest: str = "", token: str | None = None, status: int = 200) -> Shown:
        return show(self.api, f"/matches/{self.match}{rest}", token, status)


def get(api: Api, path: str, token: str | None = None) -> TestResponse:
    rights = {"Authorization": f"Bearer {token}"} if token else {}
    return api.app.test_client().get(path, headers={**FOR_PEOPLE, **rights})


def show(api: Api, path: str, token: str | None = None, status: int = 200) -> Shown:
    shown = get(api, path, token)
    assert shown.status_code == status, shown.text
    assert shown.mimetype == "text/html"
    # Links that are passed on have our own origin. The frame is HTML for other sites.
    page = re.sub(r'(?s)<textarea.*?</textarea>|"http://localhost/', "", shown.text)
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=|https?://(?!www\.w3\.org/)", page)
    return Shown(shown.text)


@pytest.fixture
def table(api: Api, parts: Parts) -> Table:
    return Table(api, parts)


def test_a_match_is_shown_at_its_last_ply_unless_another_one_is_asked_for(table):
    table.play("d4", "a1", "c3")
    assert "3 1 Ann c3 Ann places a piece from the reserve on c3. PA4 It is Ben's turn." in table.show().text
    assert "1 1 Ann d4 Ann places" in table.show("?ply=1").text
    assert "The starting position. It is Ann's turn." in table.show("?ply=0").text


@pytest.mark.parametrize("ply", ["4", "-1"])
def test_a_ply_outside_the_match_is_not_found(table, ply):
    table.play("d4", "a1", "c3")
    table.show(f"?ply={ply}", status=404)


def test_stepping_needs_no_script(table):
    table.play("d4", "a1", "c3")
    shown = table.show("?ply=1").html
    steps = re.findall(r'name="ply" value="(\d+)" data-step="(\w+)" aria-label="(\w+)"', shown)
    assert steps == [
        ("0", "first", "First"),
        ("0", "previous", "Previous"),
        ("2", "next", "Next"),
        ("3", "last", "Last"),
    ]


def test_what_a_move_did_is_told_in_the_language_of_the_reader(table, api):
    table.play("c3", "c4", "d1", "a1", "c5")
    told = "Ann traps the piece of Ben on c4: it returns to the reserve. PA8 c4 is closed to Ben for the next turn. PA6"
    assert told in table.show("?ply=5").text.replace("C4 is", "c4 is")
    german = api.app.test_client().get(
        f"/matches/{table.match}/positions/5", headers={**FOR_PEOPLE, "Accept-Language": "de-AT, en;q=0.5"}
    )
    assert '<ul class="happened" lang="de">' in german.text
    assert "Ann fängt den Stein von Ben auf c4" in german.text


def test_every_move_is_listed_in_a_sentence_before_its_notation(table):
    table.play("d4", "a1", "d5")
    shown = table.show()
    assert shown.rows == ["Beginning", "1 d4", "2 a1", "3 d5"]
    assert shown.sentences[1] == "Ben places a piece from the reserve on a1."
    assert 'href="/rulesets/pathagon#PA4"' in shown.html


def test_what_followed_from_a_move_is_told_at_its_position_alone(table):
    table.play("c3", "c4", "d1", "a1", "c5")
    assert table.show().sentences[-1] == "Ann places a piece from the reserve on c5."
    assert "Ann traps" in table.show().text


def test_the_rows_of_news_have_the_sentences_of_the_whole_list(api, parts):
    table = Table(api, parts, "crystals")
    api.post(f"/v1/matches/{table.match}/start", table.ann_token, {})
    table.play("choose rider", "choose archer")
    version = parts.matches.read(table.match).version
    table.play("spawn scout", "spawn tower")
    whole, news = table.show().sentences, table.show(f"/news?after={version}").sentences
    assert len(news) > 2
    assert whole[-len(news) :] == news
    assert len(whole) > len(news)


def test_rolls_are_listed_between_the_moves(api, parts):
    table = Table(api, parts, "rings")
    api.post(f"/v1/matches/{table.match}/start", table.ann_token, {})
    rows = table.show().rows
    assert rows == ["Beginning", *4 * ["The terrain of the next ring is drawn by lot."]]


def test_moves_that_were_taken_back_are_not_listed(api, parts):
    _, token = api.sign_up()
    seats = [{"name": "Uwe"}, {"name": "Eva"}]
    match = api.new_match(token, seats, "pathagon", recorded=True)
    for move in ("a1", "b1", "c1"):
        assert api.post(f"/v1/matches/{match}/moves", token, {"move": move}).status_code == 200
    version = parts.matches.read(match).version
    api.post(f"/v1/matches/{match}/take-back", token, {"ply": 1})
    api.post(f"/v1/matches/{match}/moves", token, {"move": "e5"})
    assert show(api, f"/matches/{match}").rows == ["Beginning", "1 a1", "2 e5"]
    news = show(api, f"/matches/{match}/news?after={version}")
    assert news.rows == []
    assert "data-whole" in news.html, "the page loads its list of moves again"
    assert show(api, f"/matches/{match}/moves?ply=2").rows == ["Beginning", "1 a1", "2 e5"]


PLAYED = ("d4", "a1", "c3", "b2", "e5")


def test_a_page_shows_the_part_of_the_moves_that_its_position_is_in(table, monkeypatch):
    monkeypatch.setattr(move_list, "PART", 2)
    table.play(*PLAYED)
    assert table.show().rows == ["5 e5"]
    assert table.show("?ply=4").rows == table.show("?ply=3").rows == ["3 c3", "4 b2"]
    assert table.show("?ply=2").rows == table.show("?ply=0").rows == ["Beginning", "1 d4", "2 a1"]
    for ply, ways in ((1, ["From move 3 on"]), (3, ["Up to move 2", "From move 5 on"]), (5, ["Up to move 4"])):
        shown = table.show(f"/moves?ply={ply}")
        assert shown.rows == table.show(f"?ply={ply}").rows
        assert re.findall(r'<a href="\?ply=\d+" rel="\w+">([^<]+)', shown.html) == ways
    assert table.show("/moves?ply=99").rows == table.show("/moves").rows == ["5 e5"]


def test_the_parts_of_a_match_are_its_whole_score_sheet(parts, api, monkeypatch):
    monkeypatch.setattr(move_list, "PART", 3)
    play, checked = Play(parts, 7), 0
    for _ in range(20):
        play.create()
    play.go_on(600)
    for match in play.matches:
        state, entries = parts.matches.read(match), parts.matches.read_events(match, 0)
        if state.play is None:
            continue
        with api.app.test_request_context():
            shown = [
                row._replace(sentence="", spent_ms=None)
                for ply in range(1, max(2, state.play.ply + 1), 3)
                for row in move_list.list_part(state, ply, ["one", "two"], True).rows
            ]
            whole = list_rows(entries, 0, ["one", "two"], lambda by: name_judge(by, imported=True))
        assert shown == whole
        checked += state.play.ply > 3
    assert checked


def test_parts_leave_out_what_was_taken_back(api, monkeypatch):
    _, token = api.sign_up()
    match = api.new_match(token, [{"name": "Uwe"}, {"name": "Eva"}], "pathagon", recorded=True)
    for move in ("a1", "b1", "c1", None, "e5", "d5", None, "a3", "b4"):
        path, body = ("take-back", {"steps": 2}) if move is None else ("moves", {"move": move})
        assert api.post(f"/v1/matches/{match}/{path}", token, body).status_code == 200
    whole = show(api, f"/matches/{match}").rows
    assert whole == ["Beginning", "1 a1", "2 a3", "3 b4"]
    monkeypatch.setattr(move_list, "PART", 2)
    assert show(api, f"/matches/{match}?ply=2").rows + show(api, f"/matches/{match}").rows == whole


def test_the_parts_of_a_fork_are_its_whole_score_sheet(table, monkeypatch):
    table.play(*PLAYED)
    fork = table.api.post(f"/v1/matches/{table.match}/forks", table.ben_token, {"ply": 5}).json["match"]
    monkeypatch.setattr(move_list, "PART", 2)
    shown = [show(table.api, f"/matches/{fork}/moves?ply={ply}").rows for ply in (1, 3, 5)]
    assert shown == [["Beginning", "1 d4", "2 a1"], ["3 c3", "4 b2"], ["5 e5"]]


def test_a_part_with_very_many_events_shows_its_moves_alone(table, monkeypatch):
    table.play(*PLAYED)
    table.resign()
    monkeypatch.setattr(move_list, "MAX_EVENTS", 3)
    assert table.show().rows == ["Beginning", "1 d4", "2 a1", "3 c3", "4 b2", "5 e5"]


def test_news_that_begin_a_new_part_or_are_many_have_the_list_loaded_again(table, monkeypatch):
    table.play("d4", "a1")
    version = table.parts.matches.read(table.match).version
    monkeypatch.setattr(move_list, "PART", 2)
    table.play("c3")
    assert "data-whole" in table.show(f"/news?after={version}").html
    table.play("b2")
    assert table.show(f"/news?after={version + 1}").rows == ["4 b2"]
    monkeypatch.setattr(match_pages, "PART", 1)
    assert "data-whole" in table.show(f"/news?after={version}").html


def test_a_match_that_is_not_created_yet_has_no_list_of_moves(table):
    assert table.api.app.test_client().get(f"/matches/match-{'a' * 26}/moves").status_code == 404


def test_news_are_everything_after_a_version(table):
    table.play("d4", "a1")
    version = table.parts.matches.read(table.match).version
    table.play("c3", "b2")
    news = table.show(f"/news?after={version}")
    assert news.rows == ["3 c3", "4 b2"]
    assert f'data-version="{version + 2}" data-last="4" data-status="playing"' in news.html
    assert "data-whole" not in news.html


@pytest.mark.parametrize("after", ["-1", "-3", "x", ""])
def test_without_a_version_the_news_are_everything_that_happened(table, after):
    table.play("a1", "b2", "c3")
    assert table.show(f"/news?after={after}").rows == table.show("/news?after=0").rows


def test_a_position_is_served_as_part_of_a_page(table):
    table.play("d4", "a1")
    part = table.show("/positions/1")
    assert "<html" not in part.html
    assert 'data-ply="1"' in part.html
    assert "1 1 Ann d4" in part.text
    assert "4 . . . 1 . . . 4" in part.text
    assert part.html.count("<svg xmlns=") == 1


def test_the_picture_of_a_position_can_be_downloaded(table):
    table.play("d4")
    given = get(table.api, f"/matches/{table.match}/positions/1.svg")
    assert given.mimetype == "image/svg+xml"
    assert given.headers["Content-Disposition"] == f'attachment; filename="{table.match}-1.svg"'


def test_a_match_is_followed_until_it_is_scored(table):
    assert "data-live=" in table.show().html
    assert f'href="/matches/{table.match}/play"' in table.show().html
    table.resign()
    assert "data-live=" in table.show().html
    table.verify()
    assert "data-live=" not in table.show().html
    assert f"/matches/{table.match}/play" not in table.show().html


def test_at_the_end_the_outcome_the_ranks_and_the_points_are_shown(table):
    table.play("d4")
    table.resign()
    table.verify()
    shown = table.show()
    assert "Ann wins: Ben resigns." in shown.text
    assert "1st 1 Ann 2nd 2 Ben" in shown.text
    assert shown.rows[-2:] == ["Ben resigns", "The match is over"]


def test_the_badge_says_what_the_recorded_verdict_covers_and_executes_nothing(table, monkeypatch):
    assert "Every move was checked against the rules before it was stored." in table.show().text
    table.resign()
    assert "Awaits verification" in table.show().text
    table.verify()
    monkeypatch.setattr(table.parts.maker, "make", None)
    shown = table.show().text
    assert "Verified" in shown
    assert "played again, with the same result" in shown
    assert "SHA-256 of the final position" in shown
    assert "roll" not in shown.partition("Moves")[0]


def test_a_detailed_report_of_the_checks_is_made_on_demand(table):
    table.resign()
    table.verify()
    shown = table.show("/verification").text
    assert "no errors found" in shown
    assert "chain ok The hash of each event follows from all events before it." in shown
    assert "dice none nothing in this match is left to chance" in shown


def test_dice_are_shown_with_their_commitment_and_after_the_end_with_their_secret(api, parts):
    table = Table(api, parts, "crystals")
    dice = parts.matches.read(table.match).life.created.dice
    assert dice.commitment in table.show().text
    assert "revealed after the match" in table.show().text
    api.post(f"/v1/matches/{table.match}/start", table.ann_token, {})
    table.resign()
    table.verify()
    shown = table.show().text
    assert parts.matches.read(table.match).life.secret in shown
    assert "No player shuffled the dice" in shown


def test_only_options_that_differ_from_the_defaults_are_shown(api, parts):
    table = Table(api, parts, options={"size": 5})
    shown = table.show().text
    assert "Board size 5" in shown
    assert "Moves at most" not in shown


def test_notes_about_a_match_are_shown_as_text(api, parts):
    table = Table(api, parts, about={"place": NASTY, "event": "Cup"})
    shown = table.show()
    assert "Event Cup" in shown.text
    assert NASTY not in shown.html
    assert NASTY in shown.text


def test_clocks_show_the_time_left(api, parts):
    table = Table(api, parts, limits={"match_ms": 600_000})
    shown = table.show()
    assert shown.html.count(">10 min</span>") == 2
    assert shown.html.count("data-deadline=") == 1
    assert "10+0: Each player has 10 minutes for the whole match." in shown.text


def test_the_list_of_moves_says_how_long_each_took(api, parts):
    table = Table(api, parts, limits={"match_ms": 600_000})
    table.play("d4")
    assert '<small class="spent" title="Time that the move took">0 s</small>' in table.show().html


def test_in_a_match_from_a_table_nobody_knows_how_long_a_move_took(api):
    _, token = api.sign_up("Rita")
    match = api.new_match(token, [{"name": "Ada"}, {"name": "Bea"}], recorded=True)
    api.post(f"/v1/matches/{match}/moves", token, {"move": "d4"})
    page = api.app.test_client().get(f"/matches/{match}", headers=FOR_PEOPLE).text
    assert "d4" in page
    assert 'class="spent"' not in page


def test_forking_needs_signing_in(table):
    table.play("d4")
    assert 'id="fork"' in table.show(token=table.ben_token).html
    assert 'id="fork"' not in table.show().html
    assert f'href="/sign-in?next=/matches/{table.match}%3Fply%3D0"' in table.show("?ply=0").html


def test_a_fork_can_have_the_same_dice_once_they_are_revealed(api, parts):
    table = Table(api, parts, "crystals")
    api.post(f"/v1/matches/{table.match}/start", table.ann_token, {})
    assert 'name="dice"' not in table.show(token=table.ann_token).html
    table.resign()
    assert 'name="dice"' in table.show(token=table.ann_token).html


def test_a_fork_names_its_parent_and_has_its_line(table):
    table.play("d4", "a1", "c3")
    fork = table.api.post(f"/v1/matches/{table.match}/forks", table.ben_token, {"ply": 2}).json["match"]
    shown = show(table.api, f"/matches/{fork}")
    assert f'href="/matches/{table.match}?ply=2"' in shown.html
    assert shown.rows == ["Beginning", "1 d4", "2 a1"]
    assert show(table.api, f"/matches/{fork}/moves").rows == shown.rows
    assert "data-whole" in show(table.api, f"/matches/{fork}/news?after=0").html


def test_a_private_match_is_hidden_from_strangers_and_open_to_invited_people(api):
    ann, token = api.sign_up()
    match = api.new_match(token, [{"player": ann}, None], "pathagon", private=True)
    for rest in ("", "/positions/0", "/news", "/verification"):
        show(api, f"/matches/{match}{rest}", status=404)
        show(api, f"/matches/{match}{rest}", token)
    assert get(api, f"/matches/{match}/positions/0.svg").status_code == 404
    code = api.post(f"/v1/matches/{match}/seats/2/invitations", token, {}).json["invitation"]
    shown = show(api, f"/matches/{match}?invitation={code}").html
    for address in (
        f'href="?ply=0&amp;invitation={code}"',
        f'href="/matches/{match}/play?invitation={code}"',
        f'href="/v1/matches/{match}/record?invitation={code}"',
        f'data-query="&amp;invitation={code}"',
        f'<input type="hidden" name="invitation" value="{code}">',
    ):
        assert address in shown
    show(api, f"/matches/{match}/positions/0?invitation={code}")


@pytest.mark.parametrize("match", ["match-" + "a" * 26, "match-nonsense", "tournament-" + "a" * 26])
def test_an_unknown_match_is_not_found(api, match):
    show(api, f"/matches/{match}", status=404)


def test_an_open_match_shows_who_is_invited(api):
    ann, token = api.sign_up()
    ben, _ = api.sign_up("Ben")
    match = api.new_match(token, [{"player": ann}, {"player": ben}], "pathagon")
    shown = show(api, f"/matches/{match}")
    assert "Ben invited" in shown.text
    assert "Take a seat" in shown.text
    assert "The starting position. The match has not begun." in shown.text


def test_an_aborted_match_says_so(table):
    table.api.post(f"/v1/matches/{table.match}/abort", table.ann_token, {})
    shown = table.show()
    assert "called off and has no outcome" in shown.text
    assert shown.rows[-1] == "The match is called off"


def test_an_annulled_match_says_why_and_what_was_found_before(table):
    table.resign()
    table.verify()
    who = Actor("organiser", "player-" + "o" * 26)
    asked = command_of(str(who), "", "", None, b"")
    command = AnnulMatch(actor=who, at=0, id=asked.id.hex(), why=NASTY)
    table.parts.matches.execute(table.match, lambda _: command, asked)
    shown = table.show()
    assert f"Annulled: {NASTY}" in shown.text
    assert NASTY not in shown.html
    assert "with the same result" in shown.text


def test_a_damaged_match_shows_what_comes_before_the_fault(table):
    table.play("d4", "a1", "c3")
    events = table.parts.store.within._events
    stored = events[table.match]
    stored[-1] = stored[-1]._replace(e=stored[-1].e.replace(b'"c3"', b'"d4"'))
    table.parts.matches._cache.drop(table.match)
    shown = table.show()
    assert f"Event {stored[-1].version} of this match is damaged" in shown.text
    assert "Damaged" in shown.text
    assert shown.rows == ["Beginning", "1 d4", "2 a1"]
    assert "data-live" not in shown.html


def test_a_match_damaged_from_its_first_event_on_shows_what_is_known(table):
    events = table.parts.store.within._events
    stored = events[table.match]
    stored[0] = stored[0]._replace(e=stored[0].e.replace(b'"size":7', b'"size":8'))
    table.parts.matches._cache.drop(table.match)
    shown = table.show()
    assert "Ann – Ben" in shown.text
    assert "Event 1 of this match is damaged" in shown.text
    assert 'id="board"' not in shown.html
    table.show("/positions/0", status=409)
    table.show("/news?after=1")


def test_an_imported_match_belongs_to_nobody_here_and_shows_our_verdict(api, parts):
    _, token = api.sign_up("Ida")
    elsewhere = Elsewhere()
    match = bring(api, parts, token, bundle_of(elsewhere.parts, elsewhere.play()))
    shown = show(api, f"/matches/{match}")
    assert "Imported, consistent" in shown.text
    assert "This match was recorded elsewhere." in shown.text
    assert "/players/player-" not in shown.html.partition("<main")[2]
    assert "data-live" not in shown.html
    assert f"{match}/play" not in shown.html


def test_a_refuted_import_says_so(api, parts):
    def cheat(raws: list[Any]) -> None:
        ended = next(raw for raw in raws if raw["type"] == "match-ended")
        ended["data"]["ranks"].reverse()

    _, token = api.sign_up("Ida")
    elsewhere = Elsewhere()
    match = bring(api, parts, token, forged(bundle_of(elsewhere.parts, elsewhere.play()), cheat))
    shown = show(api, f"/matches/{match}")
    assert "Imported, refuted here" in shown.text
    assert "refuted" in shown.text


def test_the_rows_of_later_events_continue_those_of_earlier_ones(table):
    table.play("d4", "a1", "c3")
    entries = table.parts.matches.read_events(table.match, 0)
    whole = list_rows(entries)
    for cut in range(len(entries)):
        first = list_rows(entries[:cut])
        ply = sum(row.kind == "move" for row in first)
        assert first + list_rows(entries[cut:], ply) == whole


def test_every_cause_of_a_withdrawal_has_its_words():
    assert WITHDRAWALS.keys() == set(WITHDRAWAL_CAUSES)


@pytest.mark.parametrize(
    ("ranks", "outcome"),
    [
        ((2, 1, 3), "Ben wins"),
        ((1, 1, 3), "Ann and Ben share first place"),
        ((1, 1, 1), "A draw"),
    ],
)
def test_an_outcome_names_who_won(ranks, outcome):
    assert name_result(ranks, ("Ann", "Ben", "Cleo")) == outcome


@pytest.mark.parametrize(
    ("ranks", "outcome"),
    [
        ((1, 2, 3), "You win"),
        ((2, 1, 3), "Ben wins"),
        ((1, 1, 3), "You share first place with Ben"),
        ((1, 1, 1), "A draw"),
    ],
)
def test_a_player_reads_you_instead_of_their_own_name(ranks, outcome):
    assert name_result(ranks, ("Ann", "Ben", "Cleo"), [1]) == outcome


def test_a_time_outside_the_calendar_is_a_dash():
    assert render_time(0) == '<time datetime="1970-01-01T00:00:00Z">1970-01-01 00:00 UTC</time>'
    assert render_time(2**53 - 1) == render_time(-(2**53) + 1) == "–"


@pytest.mark.parametrize(
    ("span_ms", "text"), [(0, "0 s"), (999, "0 s"), (61_000, "1 min 1 s"), (90_061_000, "1 d 1 h"), (86_400_000, "1 d")]
)
def test_durations_are_shown_in_two_units(span_ms, text):
    assert format_duration(span_ms) == text


def tiles(shown: Shown) -> list[str]:
    return re.findall(r'<a class="tile" href="/matches/(match-\w+)">', shown.html)


def test_matches_are_listed_with_a_picture_the_newest_first(api, parts):
    first, second = Table(api, parts), Table(api, parts, "zhen", names=("Cat", "Dan"))
    second.resign()
    shown = show(api, "/matches")
    assert tiles(shown) == [second.match, first.match]
    assert f'<img src="/v1/matches/{first.match}/positions/0" alt=""' in shown.html
    assert "Zhen ended 1 Cat won" in shown.text


def test_every_field_of_the_form_filters_matches(api, parts):
    first, second = Table(api, parts, rated=True), Table(api, parts, "zhen", names=("Cat", "Dan"))
    second.resign()
    assert tiles(show(api, "/matches?ruleset=zhen&status=&rated=&player=&tournament=")) == [second.match]
    assert tiles(show(api, "/matches?status=playing")) == [first.match]
    assert tiles(show(api, "/matches?rated=true")) == [first.match]
    assert tiles(show(api, "/matches?rated=false")) == [second.match]
    assert tiles(show(api, "/matches?tournament=tournament-" + "a" * 26)) == []
    assert tiles(show(api, f"/matches?player={first.ann}")) == [first.match]
    assert tiles(show(api, "/matches?waiting=me", first.ann_token)) == [first.match]
    assert tiles(show(api, "/matches?waiting=me", first.ben_token)) == []


def test_tournaments_are_chosen_by_name(api, parts):
    tournament = TournamentOverHttp(api, parts, name="Autumn cup")
    shown = show(api, f"/matches?tournament={tournament.id}").html
    assert f'<option value="{tournament.id}" selected>Autumn cup</option>' in shown


def test_players_are_found_by_name(api, parts):
    table = Table(api, parts)
    api.sign_up("Annabel")
    assert tiles(show(api, "/matches?player=ANN")) == [table.match]
    assert tiles(show(api, "/matches?player=Annabel")) == []
    assert "There is no player called “Zoe”." in show(api, "/matches?player=Zoe").text


def test_the_form_finds_matches_between_two_players_by_result_and_words(api, parts):
    table = Table(api, parts)
    assert tiles(show(api, "/matches?player=ann&opponent=BEN")) == [table.match]
    assert tiles(show(api, "/matches?player=ann&opponent=ben&result=won&q=")) == []
    assert tiles(show(api, "/matches?q=ben+an&min_plies=&max_plies=")) == [table.match]
    assert "There is no player called “Zoe”." in show(api, "/matches?player=ann&opponent=Zoe").text
    assert "name one in" in show(api, "/matches?opponent=ann", status=400).text


def test_matches_can_be_listed_in_other_orders(api, parts):
    table = Table(api, parts)
    shown = show(api, "/matches?ruleset=pathagon&sort=created&order=asc")
    assert tiles(shown) == [table.match]
    assert '<span aria-current="true">Oldest</span>' in shown.html
    assert 'href="/matches?ruleset=pathagon&amp;sort=length&amp;order=desc">Longest</a>' in shown.html
    assert '<input type="hidden" name="order" value="asc">' in shown.html
    assert "No matches found." in show(api, "/matches?sort=ended").text


def test_the_form_keeps_its_input_and_shows_it_as_text(api):
    shown = show(api, '/matches?player="><b>&ruleset=zhen')
    assert '<option value="zhen" selected>' in shown.html
    assert "<b>" not in shown.html


def test_an_invalid_query_is_refused(api):
    show(api, "/matches?status=lost", status=422)
    show(api, "/matches?cursor=x", status=400)


def test_private_matches_are_listed_for_their_players(api):
    ann, token = api.sign_up()
    match = api.new_match(token, [{"player": ann}, None], "pathagon", private=True)
    assert tiles(show(api, "/matches")) == []
    assert tiles(show(api, "/matches", token)) == [match]


def test_the_list_has_pages(api):
    ann, token = api.sign_up()
    made = [api.new_match(token, [{"player": ann}, None], "pathagon") for _ in range(5)]
    seen, path = [], "/matches?ruleset=pathagon&limit=2"
    while path:
        shown = show(api, path)
        seen += tiles(shown)
        following = re.search(r'rel="next" href="([^"]+)"', shown.html)
        path = unescape(following[1]) if following else ""
    assert sorted(seen) == sorted(made)
    assert '<a class="button second" href="/matches?ruleset=pathagon&amp;limit=2">Newest</a>' in shown.html


def test_an_empty_list_says_what_to_do(api):
    assert "There are no matches yet." in show(api, "/matches").text
    assert "No matches found." in show(api, "/matches?ruleset=zhen").text
    assert "Sign in to see the matches that wait for you." in show(api, "/matches?waiting=me").text


def test_a_list_says_how_far_it_lags(api, parts, monkeypatch):
    lag = parts.lists.lag()
    monkeypatch.setattr(type(parts.lists.lag), "__call__", lambda _: lag._replace(ms=65_000, complete=False))
    shown = show(api, "/matches").text
    assert "This list is 1 min 5 s out of date." in shown
    assert "Older matches may be missing" in shown
