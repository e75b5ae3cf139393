"""Pages show times in the reader's zone."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.server


@pytest.fixture
def hamburg(chromium, service):
    context = chromium.new_context(base_url=service.url, locale="de-DE", timezone_id="Europe/Berlin")
    yield context.new_page()
    context.close()


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
