"""The form that announces a tournament, without scripts."""

import re

import pytest

from plyscribe.domain.options import Choice
from plyscribe.domain.tournament.terms import FORMATS, TIEBREAKS
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.format_fields import list_formats, name_value
from tests.service.test_tournament_page import browser

__all__ = ["browser"]


@pytest.mark.parametrize("ruleset", ["zhen", "crystals", "rings", "portals", "pathagon"])
def test_the_form_offers_every_format_tiebreak_and_number_of_players_of_a_game(browser, ruleset):
    shown = browser.get(f"/tournaments/new?ruleset={ruleset}").text
    kinds = re.findall(r'<option value="([^"]+)" data-seats', shown)
    assert (set(kinds), kinds[0]) == (set(FORMATS), "swiss")
    for name in TIEBREAKS:
        assert shown.count(f'<option value="{name}"') == len(TIEBREAKS)
    assert f'name="ruleset" value="{ruleset}"' in shown
    assert re.search(r'id="swiss-rounds"[^>]* value="5"', shown)
    assert re.search(r'id="at-table"[^>]* checked', shown)
    assert browser.get("/tournaments/new?ruleset=chess").status_code == 404


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_format_and_each_of_its_options_is_explained_in_words(parts, language):
    with create_app(parts).test_request_context(headers={"Accept-Language": language}):
        for offered in list_formats():
            assert offered.says, f"{offered.kind} has no sentence in format_fields.py"
            assert offered.seats
            assert len(offered.fields) == len(FORMATS[offered.kind])
            for option in FORMATS[offered.kind]:
                words = [each.label for each in offered.fields if each.field.name == option.name]
                assert words != [option.name.replace("_", " ").capitalize()] or language == "en", option.name
                for value in option.values if isinstance(option, Choice) else ():
                    assert name_value(value) != value
