"""The pages in Debian's Chromium, with a real service.

A test fails if a page asks another host for anything, or for an asset that it cannot keep, if a script fails, or if
the content security policy blocks something. With PLYSCRIBE_SCREENSHOTS=1 screenshots go to `.screenshots/`.
"""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Route,
    ViewportSize,
    expect,
    sync_playwright,
)

from plyscribe.service.client import Client
from tests.missing import do_without
from tests.pages.halls import ClubNight
from tests.system.running import ROOT, WITHIN_S, Pair, Serving, open_account, pair, serving, wait_until_scored

# A quarter of the usual deadline: a fault in one page makes many tests wait until it passes.
WITHIN_MS = WITHIN_S * 1000 / 4
expect.set_options(timeout=WITHIN_MS)

SCREENSHOTS = ROOT / ".screenshots"
OFFLINE = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"]
TOKENS: dict[tuple[str, str], str] = {}
"""The tokens of the accounts that the tests have opened, by service and name."""

ID = re.compile(r"\b[a-z2-7]{26}\b")
ASKED_AGAIN = re.compile(r"/v1/matches\?waiting=me|/v1/players/me/events\?|/play/lobby$")
"""What pages ask for every few seconds. A store whose disk is busy for long answers that it should be asked later."""

NAMED_BY_DIGEST = re.compile(r"/assets/[a-z_]+\.[0-9a-f]{16}\.[a-z]+$")
RULES_OF_COLOURS = ["color-contrast", "link-in-text-block", "th-has-data-cells"]
"""The rules of axe-core that read colours; the last takes rows of several colours for a table of data.

Only these have to run again in the other colours: these change nothing else of a page, as test_barriers holds.
"""

GAMES = {
    "crystals": {"ply_limit": 60},
    "pathagon": {"size": 5},
    "portals": {"radius": 2, "ply_limit": 40},
    "rings": {"ply_limit": 60},
    "zhen": {"tiles": 6, "cubes": 5},
}
"""The options of the match of each game that tests of many pages look at."""

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
NARROW: ViewportSize = {"width": 320, "height": 640}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    # The shell is the same browser without windows, which take a third of its time and may hang when they are closed.
    binary = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if binary is None:
        do_without("chromium-headless-shell is not on PATH (Debian: apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        # Chromium has no sandbox for root, as in a container.
        sandbox = [] if os.geteuid() else ["--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=binary, args=[*sandbox, "--disable-gpu", *OFFLINE])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def service(tmp_path_factory) -> Iterator[Serving]:
    """One service for the tests of many pages: its start takes as long as several of them.

    Tests share its accounts: sign up with `Visitor.sign_up`. A test of the sign-up form needs a name that no other
    test uses.
    """
    with serving(tmp_path_factory.mktemp("pages") / "data") as running:
        with Client(running.url) as anyone:
            # The accounts of a Pair would take these names, too.
            for name in ("Ann", "Ben"):
                TOKENS[running.url, name] = open_account(anyone, name)["token"]
        yield running


class Visitor:
    """A person with their own browser."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context, self.url, self.token = context, url, ""
        self.faults: list[str] = []
        self._forgiven: list[str] = []
        self.page = self.open_window()

    def open_window(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(WITHIN_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._note_error)
        page.on("request", lambda asked: self._note_request(asked.url))
        return page

    def _note_error(self, said: ConsoleMessage) -> None:
        # What it says of an answer does not name the request.
        address = ID.sub("…", said.location["url"].removeprefix(self.url))
        if said.type == "error" and not ("503" in said.text and ASKED_AGAIN.match(address)):
            self.faults.append(f"{said.text} [{address}]")

    def _note_request(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"asked elsewhere: {url}")
        if "/assets/" in url and not NAMED_BY_DIGEST.search(url):
            self.faults.append(f"asked for an asset that cannot be kept: {url}")

    def sign_up(self, name: str) -> None:
        """Sign this browser in, with a new account unless somebody has signed up under the name before.

        It sends the form without opening its page: pages take most of the time of these tests.
        """
        if (self.url, name) not in TOKENS:
            with Client(self.url) as anyone:
                TOKENS[self.url, name] = anyone.sign_up(name)["token"]
        self._send_token(TOKENS[self.url, name])

    def _send_token(self, token: str) -> None:
        self.token = token
        headers = {"Origin": self.url}
        signed_in = self.context.request.post("/sign-in", form={"token": token}, headers=headers, max_redirects=0)
        assert signed_in.status == 303

    def sign_in(self, token: str, path: str) -> Page:
        """The page at this path, of the owner of the token, once its scripts have loaded."""
        self._send_token(token)
        self.page.goto(path)
        return self.page

    def forgive(self, *said: str) -> None:
        """Take this for no fault: browsers note each refusal, and each request without network, as an error."""
        self._forgiven += said

    def list_faults(self) -> list[str]:
        return [fault for fault in self.faults if not any(each in fault for each in self._forgiven)]

    def client(self) -> Client:
        return Client(self.url, self.token)

    def play_alone(self, *moves: str, ruleset: str = "pathagon", **terms: Any) -> str:
        """A match of this person against themselves, after these moves."""
        with self.client() as client:
            match = client.create_match(ruleset, [{"player": client.me()["player"]}] * 2, **terms)["match"]
            for seat in (1, 2) if client.match(match)["status"] == "open" else ():
                client.add_entropy(match, f"seat-{seat}", seat)
            for move in moves:
                client.move(match, move)
        return str(match)

    def record(self, ruleset: str, *steps: str | Sequence[int], seats: Sequence[str] = ("Ada", "Bea")) -> str:
        """A match that this person records, after these moves and rolls."""
        with self.client() as client:
            named = [{"name": name} for name in seats]
            match = client.create_match(ruleset, named, recorded=True, dice="recorded")["match"]
            for step in steps:
                client.move(match, step) if isinstance(step, str) else client.roll(match, step)
        return str(match)

    def enter(self, tournament: str) -> None:
        """Enter an open tournament on its page, and stay there."""
        self.page.goto(f"/tournaments/{tournament}")
        button = self.page.get_by_role("button", name="Enter")
        button.click()
        expect(button).to_have_count(0)

    def open_account(self, name: str) -> None:
        """Open an account with the form, and stay on the page that shows its token."""
        self.page.goto("/sign-in")
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_role("button", name="Open an account").click()
        self.page.get_by_role("heading", name=f"Welcome, {name}").wait_for()
        TOKENS[self.url, name] = self.token = self.page.locator("code.token").inner_text()


@pytest.fixture
def visit(chromium, service) -> Iterator:
    """Opens browsers, of people with an account if they have names. At the end, none of them may have a fault."""
    visitors: list[Visitor] = []

    def open_browser(name: str = "", phone: bool = False, dark: bool = False, scripts: bool = True) -> Visitor:
        context = chromium.new_context(
            base_url=service.url,
            viewport=PHONE if phone else DESKTOP,
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            has_touch=phone,
            is_mobile=phone,
        )
        visitors.append(Visitor(context, service.url))
        if name:
            visitors[-1].sign_up(name)
        return visitors[-1]

    yield open_browser
    faults = [fault for visitor in visitors for fault in visitor.list_faults()]
    for visitor in visitors:
        visitor.context.close()
    assert not faults


@pytest.fixture
def page(visit) -> Page:
    """The page of somebody without an account."""
    return visit().page


class OtherSite(ThreadingHTTPServer):
    """A page of another origin, with this HTML."""

    def __init__(self, html: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _OtherPage)
        self.html = html
        self.origin = f"http://127.0.0.1:{self.server_port}"
        Thread(target=self.serve_forever, daemon=True).start()


class _OtherPage(BaseHTTPRequestHandler):
    server: OtherSite

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>{self.server.html}".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def reader(chromium: Browser) -> Iterator[Page]:
    """A browser that asks other sites too."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def two(service: Serving) -> Iterator[Pair]:
    with pair(service.url) as both:
        yield both


@pytest.fixture
def announce(service: Serving) -> Iterator[Callable[..., ClubNight]]:
    """Announces evenings at a club, with these guests."""
    nights: list[ClubNight] = []

    def announce_one(*guests: str, **terms: Any) -> ClubNight:
        nights.append(ClubNight(service, **terms))
        nights[-1].guests(*guests)
        return nights[-1]

    yield announce_one
    for night in nights:
        night.close()


@pytest.fixture
def organiser(service: Serving) -> Iterator[Client]:
    with Client(service.url, service.admin_token) as client:
        yield client


@pytest.fixture(scope="session")
def matches(service: Serving) -> dict[str, str]:
    """A scored match of each game, played by bots of the server."""
    with pair(service.url) as both:
        ann = both.clients[0]
        bots = [{"bot": "random", "seed": seat} for seat in range(2)]
        made = {game: ann.create_match(game, bots, options=options)["match"] for game, options in GAMES.items()}
        for match in made.values():
            wait_until_scored(ann, match)
    return made


class Held(list[Route]):
    """Requests of a page that a test answers when it likes."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page

    def wait(self) -> Route:
        """The first request, once the page has sent it."""
        deadline = time.monotonic() + WITHIN_S
        while not self and time.monotonic() < deadline:
            self._page.wait_for_timeout(20)
        assert self, "the page did not send the request"
        return self[0]


def hold(page: Page, address: Any, times: int | None = None) -> Held:
    """Hold the requests for an address; or the first ones alone."""
    held = Held(page)
    page.route(address, lambda route: held.append(route), times=times)
    return held


def make_move(page: Page, *fields: str) -> None:
    """Click these fields of the board, and play the move that they make."""
    for field in fields:
        page.locator(f"#board [data-touch='{field}']").first.click()
    page.get_by_role("button", name="Play it").first.click()


def require_usable(page: Page, picture: str = "", size: ViewportSize = PHONE) -> None:
    """The page as it is has no barriers and does not scroll sideways on a phone; take pictures of it if asked for."""
    assert find_barriers(page) == []
    page.set_viewport_size(size)
    assert fits(page)
    page.set_viewport_size(DESKTOP)
    if picture:
        take_pictures(page, picture)


def fits(page: Page) -> bool:
    """Whether nothing of the page is to be scrolled for sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def take_pictures(page: Page, name: str) -> None:
    if not os.environ.get("PLYSCRIBE_SCREENSHOTS"):
        return
    SCREENSHOTS.mkdir(exist_ok=True)
    for form, size in (("desk", DESKTOP), ("phone", PHONE)):
        for colours in ("dark", "light"):
            page.emulate_media(color_scheme=colours)
            page.set_viewport_size(size)
            page.screenshot(path=SCREENSHOTS / f"{name}-{form}-{colours}.png", full_page=True)
    page.set_viewport_size(DESKTOP)


def find_faults(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """The accessibility faults that axe-core finds in the page as it is, but for minor ones; by all rules or some."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
        for each in page.evaluate("options => axe.run(options).then(results => results.violations)", options)
        if each["impact"] != "minor"
    ]


def find_barriers(page: Page) -> list[str]:
    """The accessibility faults that axe-core finds in the page, light and dark, but for minor ones."""
    page.emulate_media(color_scheme="dark")
    found = [f"dark: {fault}" for fault in find_faults(page)]
    page.emulate_media(color_scheme="light")
    return found + [f"light: {fault}" for fault in find_faults(page, RULES_OF_COLOURS)]
