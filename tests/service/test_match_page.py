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
from tests.service.test_matches_api import Two
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
        return text_of(self.html)

    @property
    def _listed(self) -> str:
        return re.search(r'<ol[^>]* id="(?:moves|news-rows)".*?</ol>', self.html, re.DOTALL)[0]

    @property
    def rows(self) -> list[str]:
        """The rows of the list of moves: the number and the notation of each move, and what else happened."""
        bare = re.sub(r'<svg.*?</svg>| <small class="spent".*?</small>', "", self._listed, flags=re.DOTALL)
        short = re.sub(r"<span>[^<]*</span> (?=<code>)", "", bare)
        return [text_of(f"<li{row}") for row in short.split("<li")[1:]]

    @property
    def sentences(self) -> list[str]:
        """What the rows of the list of moves say."""
        return [unescape(each) for each in re.findall(r"<span>([^<]*)</span>", self._listed)]


class Table(Two):
    """A match between Ann and Ben, or two others, and what pages show of it."""

    def __init__(self, api: Api, parts: Parts, ruleset: str = "pathagon", **more: Any) -> None:
        super().__init__(api, ruleset=ruleset, **more)
        self.parts = parts

    def resign(self) -> None:
        self.version = self.api.post(f"{self.path}/withdrawal", self.ben_token, {}).json["version"]

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
    shown = table.show()
    assert "3 1 Ann c3 Ann places a piece from the reserve on c3. PA4 It is Ben's turn." in shown.text
    assert shown.rows == ["Beginning", "1 d4", "2 a1", "3 c3"]
    assert shown.sentences[1] == "Ben places a piece from the reserve on a1."
    assert 'href="/rulesets/pathagon#PA4"' in shown.html
    shown = table.show("?ply=1")
    assert "1 1 Ann d4 Ann places" in shown.text
    steps = re.findall(r'name="ply" value="(\d+)" data-step="(\w+)"', shown.html)
    assert steps == [("0", "first"), ("0", "previous"), ("2", "next"), ("3", "last")]
    assert "The starting position. It is Ann's turn." in table.show("?ply=0").text
    for ply in (4, -1):
        table.show(f"?ply={ply}", status=404)
    part = table.show("/positions/1")
    assert ("<html" in part.html, 'data-ply="1"' in part.html) == (False, True)
    assert "4 . . . 1 . . . 4" in part.text
    picture = get(table.api, f"/matches/{table.match}/positions/1.svg")
    assert picture.mimetype == "image/svg+xml"
    assert picture.headers["Content-Disposition"] == f'attachment; filename="{table.match}-1.svg"'


def test_what_a_move_did_is_told_at_its_position_alone_in_the_language_of_the_reader(table, api):
    table.play("c3", "c4", "d1", "a1", "c5")
    shown = table.show()
    told = "Ann traps the piece of Ben on c4: it returns to the reserve. PA8 c4 is closed to Ben for the next turn. PA6"
    assert told in shown.text.replace("C4 is", "c4 is")
    assert shown.sentences[-1] == "Ann places a piece from the reserve on c5."
    headers = {**FOR_PEOPLE, "Accept-Language": "de-AT, en;q=0.5"}
    german = api.app.test_client().get(f"/matches/{table.match}/positions/5", headers=headers).text
    assert '<ul class="happened" lang="de">' in german
    assert "Ann fängt den Stein von Ben auf c4" in german


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


def record(api: Api, *moves: str) -> tuple[str, str]:
    """A recorded match, and the recorder's token."""
    _, token = api.sign_up()
    match = api.new_match(token, [{"name": "Uwe"}, {"name": "Eva"}], recorded=True)
    for move in moves:
        assert api.post(f"/v1/matches/{match}/moves", token, {"move": move}).status_code == 200
    return match, token


def test_moves_that_were_taken_back_are_not_listed(api, parts, monkeypatch):
    match, token = record(api, "a1", "b1", "c1")
    assert 'class="spent"' not in show(api, f"/matches/{match}").html, "nobody knows how long a move took"
    version = parts.matches.read(match).version
    for steps, moves in ((2, ("e5", "d5")), (2, ("a3", "b4"))):
        api.post(f"/v1/matches/{match}/take-back", token, {"steps": steps})
        for move in moves:
            assert api.post(f"/v1/matches/{match}/moves", token, {"move": move}).status_code == 200
    whole = ["Beginning", "1 a1", "2 a3", "3 b4"]
    assert show(api, f"/matches/{match}").rows == show(api, f"/matches/{match}/moves?ply=2").rows == whole
    news = show(api, f"/matches/{match}/news?after={version}")
    assert news.rows == []
    assert "data-whole" in news.html, "the page loads its list of moves again"
    monkeypatch.setattr(move_list, "PART", 2)
    assert show(api, f"/matches/{match}?ply=2").rows + show(api, f"/matches/{match}").rows == whole


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
    monkeypatch.undo()
    table.resign()
    monkeypatch.setattr(move_list, "MAX_EVENTS", 3)
    assert table.show().rows == ["Beginning", "1 d4", "2 a1", "3 c3", "4 b2", "5 e5"], "of many events the moves alone"


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


def test_news_are_everything_after_a_version_unless_they_are_many_or_begin_a_new_part(table, monkeypatch):
    table.play("d4", "a1")
    version = table.parts.matches.read(table.match).version
    assert table.show("/news?after=x").rows == table.show("/news?after=0").rows == ["1 d4", "2 a1"]
    table.play("c3", "b2")
    news = table.show(f"/news?after={version}")
    assert news.rows == ["3 c3", "4 b2"]
    assert f'data-version="{version + 2}" data-last="4" data-status="playing"' in news.html
    assert "data-whole" not in news.html
    with monkeypatch.context() as patch:
        patch.setattr(match_pages, "PART", 1)
        assert "data-whole" in table.show(f"/news?after={version}").html
    monkeypatch.setattr(move_list, "PART", 2)
    assert "data-whole" in table.show(f"/news?after={version}").html
    assert table.show(f"/news?after={version + 1}").rows == ["4 b2"]


def test_a_match_is_followed_until_it_is_scored_and_its_badge_says_what_the_verdict_covers(table, monkeypatch):
    table.play("d4")
    shown = table.show()
    assert "Every move was checked against the rules before it was stored." in shown.text
    assert f'href="/matches/{table.match}/play"' in shown.html
    table.resign()
    ended = table.show()
    assert "Awaits verification" in ended.text
    assert "data-live=" in shown.html
    assert "data-live=" in ended.html
    table.verify()
    report = table.show("/verification").text
    assert "no errors found" in report
    assert "dice none nothing in this match is left to chance" in report
    # The page of the match executes nothing.
    monkeypatch.setattr(table.parts.maker, "make", None)
    shown = table.show()
    assert "data-live=" not in shown.html
    assert f"/matches/{table.match}/play" not in shown.html
    for told in ("Ann wins: Ben resigns.", "1st 1 Ann 2nd 2 Ben", "Verified", "SHA-256 of the final position"):
        assert told in shown.text
    assert "roll" not in shown.text.partition("Moves")[0]
    assert shown.rows[-2:] == ["Ben resigns", "The match is over"]


def test_dice_are_shown_with_their_commitment_and_after_the_end_with_their_secret(api, parts):
    table = Table(api, parts, "crystals")
    dice = parts.matches.read(table.match).life.created.dice
    shown = table.show().text
    assert dice.commitment in shown
    assert "revealed after the match" in shown
    api.post(f"/v1/matches/{table.match}/start", table.ann_token, {})
    assert 'name="dice"' not in table.show(token=table.ann_token).html
    table.resign()
    table.verify()
    shown = table.show(token=table.ann_token)
    assert parts.matches.read(table.match).life.secret in shown.text
    assert "No player shuffled the dice" in shown.text
    assert 'name="dice"' in shown.html, "a fork can have the same dice"


def test_the_terms_of_a_match_are_shown(api, parts):
    about = {"place": NASTY, "event": "Cup"}
    table = Table(api, parts, options={"size": 5}, about=about, limits={"match_ms": 600_000})
    table.play("a1")
    shown = table.show()
    for told in ("Board size 5", "Event Cup", NASTY, "10+0: Each player has 10 minutes for the whole match."):
        assert told in shown.text
    assert "Moves at most" not in shown.text, "an option that has its default"
    assert NASTY not in shown.html
    assert (shown.html.count('data-deadline="'), '<small class="spent" title="' in shown.html) == (1, True)


def test_who_signed_in_can_fork_and_a_fork_names_its_parent_and_has_its_line(table, monkeypatch):
    table.play(*PLAYED)
    assert ['id="fork"' in table.show(token=token).html for token in (table.ben_token, None)] == [True, False]
    assert f'href="/sign-in?next=/matches/{table.match}%3Fply%3D0"' in table.show("?ply=0").html
    fork = table.api.post(f"/v1/matches/{table.match}/forks", table.ben_token, {"ply": 4}).json["match"]
    shown = show(table.api, f"/matches/{fork}")
    assert f'href="/matches/{table.match}?ply=4"' in shown.html
    assert shown.rows == show(table.api, f"/matches/{fork}/moves").rows == ["Beginning", "1 d4", "2 a1", "3 c3", "4 b2"]
    assert "data-whole" in show(table.api, f"/matches/{fork}/news?after=0").html
    monkeypatch.setattr(move_list, "PART", 2)
    parts = [show(table.api, f"/matches/{fork}/moves?ply={ply}").rows for ply in (1, 3)]
    assert parts == [["Beginning", "1 d4", "2 a1"], ["3 c3", "4 b2"]]


def test_a_private_match_is_hidden_from_strangers_and_open_to_invited_people(api):
    ann, token = api.sign_up()
    invited = api.new_match(token, [{"player": ann}, {"player": api.sign_up("Ben")[0]}], "pathagon")
    assert "Ben invited" in show(api, f"/matches/{invited}").text
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


@pytest.mark.parametrize(
    "path", [f"match-{'a' * 26}", f"match-{'a' * 26}/moves", "match-nonsense", f"tournament-{'a' * 26}"]
)
def test_an_unknown_match_is_not_found(api, path):
    assert get(api, f"/matches/{path}").status_code == 404


def test_a_match_that_was_called_off_or_annulled_says_so(table, api, parts):
    aborted = Table(api, parts, names=("Cat", "Dan"))
    api.post(f"/v1/matches/{aborted.match}/abort", aborted.ann_token, {})
    shown = aborted.show()
    assert "called off and has no outcome" in shown.text
    assert shown.rows[-1] == "The match is called off"
    table.resign()
    table.verify()
    who = Actor("organiser", "player-" + "o" * 26)
    asked = command_of(str(who), "", "", None, b"")
    command = AnnulMatch(actor=who, at=0, id=asked.id.hex(), why=NASTY)
    parts.matches.execute(table.match, lambda _: command, asked)
    shown = table.show()
    assert f"Annulled: {NASTY}" in shown.text
    assert NASTY not in shown.html
    assert "with the same result" in shown.text


def damage(table: Table, place: int, old: bytes, new: bytes) -> int:
    """The version of the event that was damaged."""
    stored = table.parts.store.within._events[table.match]
    stored[place] = stored[place]._replace(e=stored[place].e.replace(old, new))
    table.parts.matches._cache.drop(table.match)
    return stored[place].version


def test_a_damaged_match_shows_what_comes_before_the_fault(table):
    table.play("d4", "a1", "c3")
    version = damage(table, -1, b'"c3"', b'"d4"')
    shown = table.show()
    assert f"Event {version} of this match is damaged" in shown.text
    assert shown.rows == ["Beginning", "1 d4", "2 a1"]
    assert "data-live" not in shown.html
    damage(table, 0, b'"size":7', b'"size":8')
    shown = table.show()
    assert "Ann – Ben" in shown.text
    assert "Event 1 of this match is damaged" in shown.text
    assert 'id="board"' not in shown.html
    table.show("/positions/0", status=409)
    table.show("/news?after=1")


def test_an_imported_match_belongs_to_nobody_here_and_shows_our_verdict(api, parts):
    def cheat(raws: list[Any]) -> None:
        ended = next(raw for raw in raws if raw["type"] == "match-ended")
        ended["data"]["ranks"].reverse()

    _, token = api.sign_up("Ida")
    elsewhere = Elsewhere()
    match = bring(api, parts, token, bundle_of(elsewhere.parts, elsewhere.play()))
    shown = show(api, f"/matches/{match}")
    assert "Imported, consistent" in shown.text
    assert "This match was recorded elsewhere." in shown.text
    assert "/players/player-" not in shown.html.partition("<main")[2]
    assert "data-live" not in shown.html
    assert f"{match}/play" not in shown.html
    match = bring(api, parts, token, forged(bundle_of(elsewhere.parts, elsewhere.play()), cheat))
    assert "Imported, refuted here" in show(api, f"/matches/{match}").text


def test_every_cause_of_a_withdrawal_has_its_words():
    assert WITHDRAWALS.keys() == set(WITHDRAWAL_CAUSES)


@pytest.mark.parametrize(
    ("ranks", "yours", "outcome"),
    [
        ((2, 1, 3), [], "Ben wins"),
        ((1, 1, 3), [], "Ann and Ben share first place"),
        ((1, 1, 1), [], "A draw"),
        ((1, 2, 3), [1], "You win"),
        ((2, 1, 3), [1], "Ben wins"),
        ((1, 1, 3), [1], "You share first place with Ben"),
    ],
)
def test_an_outcome_names_who_won_and_a_player_reads_you(ranks, yours, outcome):
    assert name_result(ranks, ("Ann", "Ben", "Cleo"), yours) == outcome


def test_a_time_outside_the_calendar_is_a_dash_and_a_duration_has_two_units():
    assert render_time(0) == '<time datetime="1970-01-01T00:00:00Z">1970-01-01 00:00 UTC</time>'
    assert render_time(2**53 - 1) == render_time(-(2**53) + 1) == "–"
    spans = {0: "0 s", 999: "0 s", 61_000: "1 min 1 s", 90_061_000: "1 d 1 h", 86_400_000: "1 d"}
    assert {span_ms: format_duration(span_ms) for span_ms in spans} == spans


def tiles(shown: Shown) -> list[str]:
    return re.findall(r'<a class="tile" href="/matches/(match-\w+)">', shown.html)


def test_every_field_of_the_form_filters_matches(api, parts):
    first, second = Table(api, parts, rated=True), Table(api, parts, "zhen", names=("Cat", "Dan"))
    second.resign()
    api.sign_up("Annabel")
    shown = show(api, "/matches")
    assert tiles(shown) == [second.match, first.match]
    assert f'<img src="/v1/matches/{first.match}/positions/0" alt=""' in shown.html
    assert "Zhen ended 1 Cat won" in shown.text
    for query, found in (
        ("ruleset=zhen&status=&rated=&player=&tournament=", second),
        ("status=playing", first),
        ("rated=true", first),
        ("rated=false", second),
        (f"tournament=tournament-{'a' * 26}", None),
        (f"player={first.ann}", first),
        ("player=ANN", first),
        ("player=Annabel", None),
        ("player=ann&opponent=BEN", first),
        ("player=ann&opponent=ben&result=won&q=", None),
        ("q=ben+an&min_plies=&max_plies=", first),
        ("sort=ended", second),
    ):
        assert tiles(show(api, f"/matches?{query}")) == ([found.match] if found else []), query
    assert tiles(show(api, "/matches?waiting=me", first.ann_token)) == [first.match]
    assert tiles(show(api, "/matches?waiting=me", first.ben_token)) == []
    for query in ("player=Zoe", "player=ann&opponent=Zoe"):
        assert "There is no player called “Zoe”." in show(api, f"/matches?{query}").text
    assert "name one in" in show(api, "/matches?opponent=ann", status=400).text
    cup = TournamentOverHttp(api, parts, ("Olga", "Paula"), name="Autumn cup")
    assert f'<option value="{cup.id}" selected>Autumn cup</option>' in show(api, f"/matches?tournament={cup.id}").html
    ordered = show(api, "/matches?ruleset=pathagon&sort=created&order=asc").html
    assert '<span aria-current="true">Oldest</span>' in ordered
    assert 'href="/matches?ruleset=pathagon&amp;sort=length&amp;order=desc">Longest</a>' in ordered
    assert '<input type="hidden" name="order" value="asc">' in ordered


def test_the_list_has_pages_and_the_form_keeps_its_input_and_shows_it_as_text(api):
    kept = show(api, '/matches?player="><b>&ruleset=zhen').html
    assert ('<option value="zhen" selected>' in kept, "<b>" in kept) == (True, False)
    show(api, "/matches?status=lost", status=422)
    show(api, "/matches?cursor=x", status=400)
    ann, token = api.sign_up()
    made = [api.new_match(token, [{"player": ann}, None], "pathagon") for _ in range(5)]
    private = api.new_match(token, [{"player": ann}, None], "zhen", private=True)
    seen, path = [], "/matches?limit=2"
    while path:
        shown = show(api, path)
        seen += tiles(shown)
        following = re.search(r'rel="next" href="([^"]+)"', shown.html)
        path = unescape(following[1]) if following else ""
    assert sorted(seen) == sorted(made)
    assert '<a class="button second" href="/matches?limit=2">Newest</a>' in shown.html
    assert private in tiles(show(api, "/matches", token))


def test_an_empty_list_says_what_to_do_and_how_far_it_lags(api, parts, monkeypatch):
    assert "There are no matches yet." in show(api, "/matches").text
    assert "No matches found." in show(api, "/matches?ruleset=zhen").text
    assert "Sign in to see the matches that wait for you." in show(api, "/matches?waiting=me").text
    lag = parts.lists.lag()
    monkeypatch.setattr(type(parts.lists.lag), "__call__", lambda _: lag._replace(ms=65_000, complete=False))
    shown = show(api, "/matches").text
    assert "This list is 1 min 5 s out of date." in shown
    assert "Older matches may be missing" in shown
