"""The check for barriers finds faults in both colour schemes, and the scheme changes nothing but colours."""

import re

import pytest

from plyscribe.service.boards.colours import render_colours
from tests.pages.conftest import find_barriers
from tests.system.running import ROOT

PAGE = """<!doctype html>
<html lang="en"><title>A page</title>
<style>:root {{ color-scheme: light dark; background: light-dark(#fff, #000); color: light-dark(#000, #fff); }}</style>
<main><h1>A page</h1>{}</main></html>
"""
PALE = '<p style="color: light-dark({})">Pale</p>'


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ("<p>Legible</p>", []),
        ("<button></button>" + PALE.format("#ddd, #fff"), ["dark: button-name", "light: color-contrast"]),
        (PALE.format("#000, #333"), ["dark: color-contrast"]),
    ],
)
def test_faults_are_found_in_the_scheme_that_has_them(page, body, faults):
    page.set_content(PAGE.format(body))
    assert [": ".join(fault.split(": ")[:2]) for fault in find_barriers(page)] == faults


def test_the_colour_scheme_changes_only_colours():
    pages = ROOT / "service" / "web" / "pages"
    files = [file for kind in ("css", "js", "html", "svg") for file in pages.rglob(f"*.{kind}")]
    assert len(files) > 50
    assert [file.name for file in files if "prefers-color-scheme" in file.read_text()] == []
    light, dark = (re.sub(r"#[0-9a-f]{3,8}\b", "colour", render_colours(scheme)) for scheme in ("light", "dark"))
    assert light == dark
