"""Barriers are found in both colour schemes, and the scheme changes nothing but colours."""

import re

import pytest
from playwright.sync_api import Page

from plyscribe.service.boards.colours import render_colours
from tests.pages.conftest import find_barriers
from tests.system.running import ROOT

pytestmark = pytest.mark.server

PALE_WHEN = {"light": "light-dark(#ddd, #fff)", "dark": "light-dark(#000, #333)"}
LINK_LIKE_TEXT_WHEN = {"light": "light-dark(#222, #888)", "dark": "light-dark(#707070, #ddd)"}
PAGE = """<!doctype html>
<html lang="en"><title>A page</title>
<style>:root {{ color-scheme: light dark; background: light-dark(#fff, #000); color: light-dark(#000, #fff); }}</style>
<main><h1>A page</h1>{}</main></html>
"""


def find_in(page: Page, body: str) -> list[str]:
    """The colour scheme and the rule of each fault."""
    page.set_content(PAGE.format(body))
    return [": ".join(fault.split(": ")[:2]) for fault in find_barriers(page)]


@pytest.fixture
def page(visit) -> Page:
    return visit().page


def test_a_page_without_faults_has_no_barriers(page):
    assert find_in(page, "<p>Legible</p>") == []


@pytest.mark.parametrize("scheme", PALE_WHEN)
def test_text_that_is_pale_in_one_scheme_is_found(page, scheme):
    pale = f'<p style="color: {PALE_WHEN[scheme]}">Pale</p>'
    assert find_in(page, pale) == [f"{scheme}: color-contrast"]


@pytest.mark.parametrize("scheme", LINK_LIKE_TEXT_WHEN)
def test_a_link_that_looks_like_the_text_around_it_in_one_scheme_is_found(page, scheme):
    style = f"text-decoration: none; color: {LINK_LIKE_TEXT_WHEN[scheme]}"
    text = f'<p>Read <a href="/" style="{style}">this</a> first.</p>'
    assert find_in(page, text) == [f"{scheme}: link-in-text-block"]


def test_a_fault_of_no_colour_is_found_beside_one_of_light_colours(page):
    body = f'<button></button><p style="color: {PALE_WHEN["light"]}">Pale</p>'
    assert find_in(page, body) == ["dark: button-name", "light: color-contrast"]


def test_a_fault_is_found_in_a_page_that_was_checked_before(page):
    assert find_in(page, "<p>Legible</p>") == []
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert [fault[:17] for fault in find_barriers(page)] == ["dark: button-name"]


def test_the_colour_scheme_changes_only_colours():
    pages = ROOT / "service" / "web" / "pages"
    files = [file for kind in ("css", "js", "html", "svg") for file in pages.rglob(f"*.{kind}")]
    assert len(files) > 50
    assert [file.name for file in files if "prefers-color-scheme" in file.read_text()] == []
    light, dark = (re.sub(r"#[0-9a-f]{3,8}\b", "colour", render_colours(scheme)) for scheme in ("light", "dark"))
    assert light == dark
