"""Pages speak the reader's language, and show times in the reader's zone."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.server


@pytest.fixture
def hamburg(chromium, service):
    context = chromium.new_context(base_url=service.url, locale="de-DE", timezone_id="Europe/Berlin")
    yield context.new_page()
    context.close()


def test_a_reader_in_hamburg_reads_german(hamburg):
    hamburg.goto("/matches")
    expect(hamburg.get_by_role("heading", level=1)).to_have_text("Partien")
    expect(hamburg.locator("html")).to_have_attribute("lang", "de")
    expect(hamburg.get_by_role("link", name="Anmelden")).to_be_visible()


def test_a_reader_chooses_another_language_than_the_browser_asks_for(hamburg):
    hamburg.goto("/players?kind=person")
    hamburg.get_by_role("button", name="English").click()
    hamburg.wait_for_url("**/players?kind=person")
    expect(hamburg.get_by_role("heading", level=1)).to_have_text("Players")
    hamburg.goto("/matches")
    expect(hamburg.get_by_role("heading", level=1)).to_have_text("Matches")
    hamburg.get_by_role("button", name="Deutsch").click()
    expect(hamburg.get_by_role("heading", level=1)).to_have_text("Partien")


def test_times_are_shown_in_the_readers_zone(hamburg):
    hamburg.goto("/players")
    hamburg.evaluate(
        """() => {
            const time = document.createElement("time");
            time.dateTime = "2026-07-01T22:30:00Z";
            time.textContent = "2026-07-01 22:30 UTC";
            document.querySelector("main").append(time);
        }"""
    )
    shown = hamburg.locator("main time").last
    expect(shown).to_have_text("02.07.2026, 00:30")
    expect(shown).to_have_attribute("title", "2026-07-01 22:30 UTC")
