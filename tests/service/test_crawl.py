"""Every page of a service full of odd matches, found by following links: none fails, and all are sound HTML."""

import random
import time
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

from flask.testing import FlaskClient

from plyscribe.domain.commands import Actor
from plyscribe.domain.player import RegisterPlayer
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.composition import Parts
from plyscribe.service.streams.ids import command_of
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api
from tests.service.random_matches import PLAYERS, TOURNAMENTS, Play
from tests.service.test_imports_api import Elsewhere, bring, bundle_of, forged, let_the_other_win
from tests.service.test_pages import sign_in

FOR_PEOPLE = {"Accept": "text/html,application/xhtml+xml,image/svg+xml,*/*;q=0.8"}
HOST = "http://localhost"
NASTY = "\"'><nasty onx=1>&{{1}}"
"""A text that becomes an element or an attribute if it is not escaped."""

PATIENCE = 60
MAX_VISITS = 1500
MAX_PICTURES = 4
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """A page as a browser might read it. `faults` is empty if it is sound."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self.ids: list[str] = []
        self._wanted: list[str] = []
        self._labelled: set[str] = set()
        self._fields: list[dict[str, str]] = []
        self._headings = 0
        self.feed(html)
        self.close()
        self.faults += [f"<{tag}> stays open" for tag in self._open]
        self.faults += [f"two elements are called {id}" for id in set(self.ids) if self.ids.count(id) > 1]
        self.faults += [f"nothing is called {id}" for id in self._wanted if id not in self.ids]
        for field in self._fields:
            if field.get("id") not in self._labelled and not field.get("aria-label"):
                self.faults.append(f"{field} has no label")
        if "<html" in html and self._headings != 1:
            self.faults.append(f"{self._headings} first headings")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._look_at(tag, {name: value or "" for name, value in attrs})
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._look_at(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def _look_at(self, tag: str, named: dict[str, str]) -> None:
        if tag in ("nasty", "style") or (tag == "script" and "src" not in named):
            self.faults.append(f"a <{tag}>")
        self.faults += [f"{name} of <{tag}>" for name in named if name == "style" or name.startswith("on")]
        self._headings += tag == "h1"
        self.ids += [named["id"]] if "id" in named else []
        self._wanted += " ".join(named.get(name, "") for name in ("aria-describedby", "aria-labelledby", "for")).split()
        self._labelled |= {named["for"]} if tag == "label" and "for" in named else set()
        if tag in ("input", "select", "textarea") and named.get("type") != "hidden" and "label" not in self._open:
            self._fields.append(named)
        if tag == "img" and "alt" not in named:
            self.faults.append("an <img> without words")
        # Each position of each match has a page to try a line on, and each page a way back from a lost token.
        is_endless = named.get("rel") == "nofollow"
        self.links += [named[name] for name in ("href", "src") if name in named and not is_endless]
        if tag == "form" and "action" not in named and named.get("method") != "dialog":
            self.faults.append("a form that reloads the page if it is sent before scripts run")
        if tag == "form" and named.get("method", "get") == "get" and "action" in named:
            self.links.append(named["action"])


class Town:
    """A service with matches in all states, made from a seed. Every user text is nasty."""

    def __init__(self, api: Api, parts: Parts) -> None:
        self.api, self.parts, self.rng = api, parts, random.Random(7)
        self.ann, self.ann_token = api.sign_up(f"Ann{NASTY}")
        self.ben, self.ben_token = api.sign_up(f"Ben{NASTY}")
        scopes = ("play", "organise", "admin")
        _, self.overseer = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", scopes)
        for player in PLAYERS:
            self._register(player)
        play = Play(parts, 3)
        play.go_on(160)
        self.private = [match for match in play.matches if parts.matches.read(match).life.created.private]
        self.matches = [match for match in play.matches if match not in self.private]
        for ruleset in RULESETS:
            self._record(ruleset.id, ruleset.max_seats, 12)
        self._record("zhen", 2, 4, private=True)
        for _ in range(3):
            self._finish(rated=True)
        annulled = self.api.post(f"/v1/matches/{self._finish()}/annulment", self.overseer, {"why": NASTY})
        assert annulled.status_code == 200
        self._damage(self._record("pathagon", 2, 5), 3)
        self._abort()
        self._import()
        self._hold_tournament()

    def _register(self, who: Actor) -> None:
        asked = command_of(str(who), "", "", None, b"")
        names = {"name": f"{who.id[-1]}{NASTY}", "kind": "bot", "scopes": ("play",), "digest": "0" * 64}
        command = RegisterPlayer(actor=who, at=0, id=asked.id.hex(), **names)
        self.parts.accounts.players.execute(who.id, lambda _: command, asked, new=True)

    def _record(self, ruleset: str, seats: int, steps: int, **more: Any) -> str:
        """A recorded match of guests after some moves."""
        guests, about = [{"name": f"{seat}{NASTY}"} for seat in range(seats)], {"place": NASTY, "event": NASTY}
        match = self.api.new_match(self.ann_token, guests, ruleset, recorded=True, about=about, **more)
        (self.private if more.get("private") else self.matches).append(match)
        self._play(match, steps, self.ann_token)
        return match

    def _play(self, match: str, steps: int, *tokens: str) -> None:
        for _ in range(steps):
            play = self.parts.matches.read(match).play
            if play is None or not isinstance(play.turn, Decision):
                break
            move = play.ruleset.format_move(play.state, play.ruleset.sample_move(play.state, self.rng.randrange))
            self.api.post(f"/v1/matches/{match}/moves", tokens[(play.turn.seat - 1) % len(tokens)], {"move": move})

    def _finish(self, **more: Any) -> str:
        """A match between Ann and Ben that is over and scored."""
        match = self.api.new_match(self.ann_token, [{"player": self.ann}, {"player": self.ben}], "crystals", **more)
        self.matches.append(match)
        self.api.post(f"/v1/matches/{match}/entropy", self.ann_token, {"entropy": NASTY})
        self.api.post(f"/v1/matches/{match}/seats/2", self.ben_token, {"entropy": NASTY})
        self._play(match, 2, self.ann_token, self.ben_token)
        ended = self.api.post(f"/v1/matches/{match}/withdrawal", self.ben_token, {})
        assert verify_all(self.parts, [(match, ended.json["version"])]) == ["scored"]
        return match

    def _damage(self, match: str, place: int) -> None:
        stored = self.parts.store.within._events[match]
        stored[place] = stored[place]._replace(e=stored[place].e.replace(b'"type":"', b'"type":"x'))
        self.parts.matches._cache.drop(match)

    def _abort(self) -> None:
        match = self.api.new_match(self.ann_token, [None, None], "zhen", about={"place": NASTY})
        self.matches.append(match)
        assert self.api.post(f"/v1/matches/{match}/abort", self.ann_token, {}).status_code == 200

    def _import(self) -> None:
        def hide(raws: list[Any]) -> None:
            raws[0]["data"]["private"] = True

        def call_names(raws: list[Any]) -> None:
            raws[0]["data"]["seats"] = [{"name": NASTY}, {"name": NASTY}]

        elsewhere = Elsewhere()
        for change in (let_the_other_win, hide, call_names):
            bundle = forged(bundle_of(elsewhere.parts, elsewhere.play(about={"place": NASTY})), change)
            match = bring(self.api, self.parts, self.ben_token, bundle)
            (self.private if change is hide else self.matches).append(match)

    def _hold_tournament(self) -> None:
        terms = {"name": f"Cup{NASTY}", "ruleset": "zhen", "format": {"kind": "round-robin"}}
        path = "/v1/tournaments/" + self.api.post("/v1/tournaments", self.overseer, terms).json["tournament"]
        for number in range(3):
            body = {"bot": {"name": "random"}, "label": f"{number}{NASTY}"}
            assert self.api.post(f"{path}/entrants", self.overseer, body).status_code == 201
        assert self.api.post(f"{path}/start", self.overseer, {}).status_code == 200
        self.parts.tournaments.advance(path.rpartition("/")[2])


def crawl(browser: FlaskClient, first: list[str]) -> Iterator[tuple[str, Any, Page | None]]:
    """Each address that links lead to, in a fixed order, with its answer, and with its page if it is HTML.

    It requests addresses of the API too, but follows no links from there and opens no live streams.
    """
    found = dict.fromkeys(first)
    waiting = list(found)
    while waiting:
        assert len(found) < MAX_VISITS, f"there is no end of it: {waiting[-1]}"
        path = waiting.pop(0)
        answer = read(browser, path)
        page = Page(answer.text) if answer.mimetype == "text/html" and not path.startswith("/docs") else None
        yield path, answer, page
        for link in [*(page.links if page else ()), *answer.headers.getlist("Location")]:
            parts = urlsplit(urljoin(HOST + path, link))
            assert f"{parts.scheme}://{parts.netloc}" == HOST, f"{path} leads to {link}"
            there = parts.path + (f"?{parts.query}" if parts.query else "")
            # Turned boards are looked at once a match, not at every move; signing in once, not on the way to each page.
            is_turned_again = "seen=" in parts.query and "ply=" in parts.query
            is_sign_in_again = parts.path == "/sign-in" and any(known.startswith("/sign-in?") for known in found)
            if there not in found and not (is_turned_again or is_sign_in_again or is_drawn_again(there, found)):
                found[there] = None
                waiting.append(there)


def is_drawn_again(path: str, found: Iterable[str]) -> bool:
    """Whether this is one more picture of points. These take long, and the drawings they are made from are all read."""
    kind = path[-4:]
    return kind in (".png", ".gif") and sum(known.endswith(kind) for known in found) >= MAX_PICTURES


def read(browser, path):
    """What the server answers once the reports that it needs are made, such as a film on a busy machine."""
    for _ in range(PATIENCE):
        answer = browser.get(path, headers=FOR_PEOPLE, buffered=True)
        if answer.status_code != 503:
            break
        time.sleep(int(answer.headers["Retry-After"]))
    return answer


def test_following_all_links_leads_to_sound_pages_and_to_nothing_private(api, parts):
    # All visit the same town, whose pictures are made once.
    town = Town(api, parts)
    for who, token in (("stranger", None), ("player", town.ann_token), ("overseer", town.overseer)):
        wrong, visited = look_around(api, town, who, token)
        assert not wrong, f"{who}:\n" + "\n".join(map(str, wrong))
        assert visited > 150


def look_around(api, town, who, token):
    """What is wrong with the pages that a visitor finds, and how many there are."""
    browser = api.app.test_client()
    if token is not None:
        sign_in(browser, token)
    first = ["/", "/docs", "/recover?next=/play"]
    first += [f"/matches/{match}{page}" for match in town.matches for page in ("", "/analysis")]
    first += [f"/matches/{match}" for match in town.private if who == "overseer"]
    wrong, visited = [], 0
    for path, answer, page in crawl(browser, first):
        visited += 1
        if answer.status_code == 404 and path.rpartition("/")[2] in TOURNAMENTS:
            continue
        if answer.status_code >= 400:
            wrong.append((path, answer.status_code))
        elif page is not None and answer.status_code == 200:
            wrong += [(path, fault) for fault in page.faults]
            assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
            assert {"Authorization", "Cookie"} <= set(answer.vary)
            assert answer.cache_control.private
        if who == "stranger":
            # Some answers are pictures.
            wrong += [(path, f"mentions {match}") for match in town.private if match.encode() in answer.data]
    return wrong, visited
