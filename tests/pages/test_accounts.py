"""Opening an account, keeping its secrets, and coming back without them, as people do it in a browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import find_barriers, overflows, take_pictures
from tests.system.running import Serving

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def service(own_service: Serving) -> Serving:
    return own_service


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
    take_pictures(page, "welcome")
    assert find_barriers(page) == []
    assert not overflows(page)


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


def test_a_person_who_lost_the_token_comes_back_with_the_code(visit):
    kira = visit()
    kira.open_account("Kira")
    old, code = kira.page.locator("code.token").inner_text(), kira.page.locator("code.code").inner_text()
    page = visit().page
    page.goto("/sign-in")
    page.get_by_role("link", name="Lost your token?").click()
    take_pictures(page, "recover")
    assert find_barriers(page) == []
    assert not overflows(page)
    page.get_by_label("Name").fill("kira")
    page.get_by_label("Recovery code").fill(code.lower().replace("-", " "))
    page.get_by_role("button", name="Get a new token").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome back, Kira")
    expect(page.get_by_role("banner").get_by_role("link", name="Kira")).to_be_visible()
    assert page.locator("code.token").inner_text() != old
    expect(page.locator("code.code")).to_have_text(CODE)
    assert page.locator("code.code").inner_text() != code


def test_a_wrong_code_is_refused_without_scripts_too(visit):
    visitor = visit(scripts=False)
    visitor.sign_up("Lena")
    page = visitor.page
    page.goto("/recover")
    page.get_by_label("Name").fill("Lena")
    page.get_by_label("Recovery code").fill("0000-0000-0000-0000-0000")
    page.get_by_role("button", name="Get a new token").click()
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    expect(page.get_by_label("Name")).to_have_value("Lena")
    visitor.faults.clear()


def test_a_name_that_is_taken_is_refused_with_one_that_is_free(visit):
    visit().sign_up("Mona")
    visitor = visit()
    page = visitor.page
    page.goto("/sign-in")
    page.get_by_label("Name").fill("MONA")
    page.get_by_role("button", name="Open an account").click()
    expect(page.get_by_role("alert")).to_contain_text("such as MONA 2")
    page.get_by_label("Name").fill("greedy bot")
    page.get_by_role("button", name="Open an account").click()
    expect(page.get_by_role("alert")).to_contain_text("built-in bot")
    assert find_barriers(page) == []
    assert not overflows(page)
    take_pictures(page, "name-refused")
    visitor.faults.clear()


def test_a_new_recovery_code_is_made_on_the_account_page(visit):
    nora = visit()
    nora.open_account("Nora")
    first = nora.page.locator("code.code").inner_text()
    page = nora.page
    page.goto("/account")
    expect(page.get_by_text("You have a recovery code")).to_be_visible()
    page.get_by_role("button", name="Make a new code").click()
    expect(page.locator("code.code")).to_have_text(CODE)
    assert page.locator("code.code").inner_text() != first
    take_pictures(page, "account-code")
    assert find_barriers(page) == []
    assert not overflows(page)


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
