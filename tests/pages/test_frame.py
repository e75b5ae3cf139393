"""The home page and signing in, as people use them."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import find_barriers, overflows, take_pictures

pytestmark = pytest.mark.server


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
    ann.sign_up("Ann")
    token = ann.page.locator("code.token").inner_text()
    assert token == ann.token()
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
    visitor.sign_up("Cleo")
    visitor.page.get_by_role("link", name="Continue").click()
    expect(visitor.page.get_by_role("link", name="Cleo")).to_be_visible()
