"""Opening an account, keeping its secrets, and coming back without them, as people do it in a browser."""

import re

from playwright.sync_api import expect

from tests.pages.conftest import require_usable

CODE = re.compile(r"^([0-9A-Z]{4}-){4}[0-9A-Z]{4}$")


def test_the_welcome_page_shows_two_secrets_and_who_is_signed_in(visit):
    hedi = visit()
    hedi.open_account("Hedi")
    page = hedi.page
    header = page.get_by_role("banner")
    expect(header.get_by_role("link", name="Hedi")).to_be_visible()
    expect(header.get_by_role("button", name="Sign out")).to_be_visible()
    expect(page.locator("code.token")).to_have_text(re.compile(r"^ply_"))
    expect(page.locator("code.code")).to_have_text(CODE)
    require_usable(page, "welcome")


def test_a_button_copies_the_token(visit):
    ines = visit()
    ines.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ines.open_account("Ines")
    page = ines.page
    page.get_by_role("button", name="Copy: Your token").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("code.token").inner_text()


def test_a_browser_that_copies_nothing_selects_the_secret(visit):
    jana = visit()
    jana.context.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined }); document.execCommand = () => false;"
    )
    jana.open_account("Jana")
    page = jana.page
    page.get_by_role("button", name="Copy: Your recovery code").click()
    expect(page.get_by_text("It is selected")).to_be_visible()
    assert page.evaluate("getSelection().toString()") == page.locator("code.code").inner_text()


def test_a_browser_that_keeps_no_cookies_is_told_that_it_is_not_signed_in(visit):
    visitor = visit()
    page = visitor.page

    def drop_cookie(route) -> None:
        answer = route.fetch()
        visitor.context.clear_cookies()
        route.fulfill(response=answer, headers={k: v for k, v in answer.headers.items() if k != "set-cookie"})

    page.route(re.compile("/sign-up"), drop_cookie)
    page.goto("/sign-in")
    page.get_by_label("Name").fill("Olli")
    page.get_by_role("button", name="Open an account").click()
    expect(page.get_by_role("alert")).to_contain_text("did not keep our cookie")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
    visitor.faults.clear()
