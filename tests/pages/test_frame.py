"""The home page and signing in, as people use them."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import ASKED_AGAIN, TOKENS, find_barriers, overflows, take_pictures
from tests.system.running import Serving, serving

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def service(own_service: Serving) -> Serving:
    return own_service


def test_the_home_page_says_what_this_is_and_where_to_start(visit):
    page = visit().page
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("The match server for board games")
    for name in ("Play against a bot", "Record a match", "Watch matches"):
        expect(page.get_by_role("link", name=name)).to_be_visible()
    take_pictures(page, "home")
    assert find_barriers(page) == []
    assert not overflows(page)


def test_a_person_opens_an_account_and_comes_back_with_the_token(visit):
    ann = visit()
    ann.open_account("Ann")
    token = ann.page.locator("code.token").inner_text()
    assert ann.session() not in (token, "")
    elsewhere = visit().page
    elsewhere.goto("/sign-in?next=/%3Ffrom=elsewhere")
    assert find_barriers(elsewhere) == []
    elsewhere.get_by_label("Token").fill(token)
    elsewhere.get_by_role("button", name="Sign in").click()
    expect(elsewhere).to_have_url(re.compile(r"/\?from=elsewhere$"))
    expect(elsewhere.get_by_role("link", name="Ann")).to_be_visible()
    elsewhere.get_by_role("button", name="Sign out").click()
    expect(elsewhere.get_by_role("link", name="Sign in")).to_be_visible()


def test_the_keyboard_can_skip_the_navigation(visit):
    page = visit().page
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))


def test_signing_in_works_without_scripts(visit):
    visitor = visit(scripts=False)
    visitor.open_account("Cleo")
    visitor.page.get_by_role("link", name="Continue").click()
    expect(visitor.page.get_by_role("link", name="Cleo")).to_be_visible()


def test_webhooks_are_added_disabled_and_removed_on_the_account_page(visit):
    ann = visit()
    ann.sign_up("Edda")
    page = ann.page
    page.goto("/account")
    page.get_by_label("Address").fill("https://hooks.example.org/plyscribe")
    page.get_by_label("Match ended").check()
    page.get_by_role("button", name="Add a webhook").click()
    expect(page.locator("code.token")).to_contain_text("whsec_")
    row = page.get_by_role("group", name="Addresses").get_by_role("row").nth(1)
    expect(row).to_contain_text("your turn, match ended")
    take_pictures(page, "webhooks")
    assert find_barriers(page) == []
    assert not overflows(page)
    row.get_by_role("button", name="Disable").click()
    expect(row).to_contain_text("disabled: you disabled it")
    row.get_by_role("button", name="Enable").click()
    expect(row).not_to_contain_text("disabled")
    row.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("group", name="Addresses")).to_have_count(0)


def test_browsers_are_listed_and_signed_out_on_the_account_page(visit):
    ann, elsewhere = visit(), visit()
    ann.sign_up("Dora")
    elsewhere.sign_up("Dora")
    page = ann.page
    page.goto("/")
    page.get_by_role("link", name="Account").click()
    expect(page.get_by_role("row", name=re.compile("Chrome on Linux"))).to_have_count(2)
    assert find_barriers(page) == []
    assert not overflows(page)
    take_pictures(page, "account")
    # A page that is open would ask for news in vain.
    elsewhere.page.goto("about:blank")
    other = page.get_by_role("row").filter(has_text="Chrome on Linux").filter(has_not_text="this one")
    other.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("row", name=re.compile("Chrome on Linux"))).to_have_count(1)
    # The other process that answers may trust the session for ten more seconds.
    elsewhere.page.wait_for_timeout(10_500)
    elsewhere.page.goto("/")
    expect(elsewhere.page.get_by_role("link", name="Sign in again")).to_be_visible()
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.goto("/")
    expect(page.get_by_role("link", name="Sign in again")).to_be_visible()
    # The page may have asked for news in the moment between the sign-out and the next page.
    ann.faults = [fault for fault in ann.faults if not ("401" in fault and ASKED_AGAIN.search(fault))]


def test_two_services_on_one_host_do_not_disturb_each_other(chromium, service, tmp_path):
    with serving(tmp_path / "data") as other:
        context = chromium.new_context()
        page = context.new_page()
        for url, name in ((service.url, "Bea"), (other.url, "Cyd")):
            page.goto(f"{url}/sign-in")
            page.get_by_label("Name").fill(name)
            page.get_by_role("button", name="Open an account").click()
            page.get_by_role("heading", name=f"Welcome, {name}").wait_for()
        for url, name in ((service.url, "Bea"), (other.url, "Cyd")):
            page.goto(url)
            expect(page.get_by_role("link", name=name)).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        page.goto(service.url)
        expect(page.get_by_role("link", name="Bea")).to_be_visible()
        context.close()


def test_the_cookie_of_an_earlier_release_is_removed_and_the_page_says_so(visit):
    ann = visit()
    ann.sign_up("Ann")
    old = {"name": "plyscribe_token", "value": TOKENS[ann.url, "Ann"], "url": ann.url}
    # A page that is open would ask for news in vain.
    ann.page.goto("about:blank")
    ann.context.clear_cookies()
    ann.context.add_cookies([old])
    ann.page.goto("/matches")
    assert ann.context.cookies() == []
    ann.page.get_by_role("link", name="Sign in again").click()
    expect(ann.page.get_by_role("status")).to_contain_text("Sign in again with your token.")
