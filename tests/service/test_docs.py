"""The contract as a page: complete, and without anything from other hosts."""

import re

import pytest

from plyscribe.service.web.api.docs import read_problems, render_type
from tests.service.api import Api
from tests.service.test_crawl import Page
from tests.service.test_openapi import operations


@pytest.fixture
def text(api: Api) -> str:
    return api.get("/docs").text


def test_the_page_needs_no_script_and_no_other_host(api, text):
    page, policy = Page(text), api.get("/docs").headers["Content-Security-Policy"]
    assert page.faults == ["a <style>"]
    assert not re.findall("<(?:script|img|iframe|link|form|object)[ >]", text)
    assert all(link.startswith("#") or link == "/openapi.yaml" for link in page.links)
    assert not [loaded for loaded in ("url(", "@import") if loaded in text]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_every_operation_schema_and_code_of_a_problem_is_on_the_page_and_links_have_targets(api, text):
    page = Page(text)
    assert {name for name, _ in operations(api.document)} <= set(page.ids)
    assert {f"schema-{name}" for name in api.document["components"]["schemas"]} <= set(page.ids)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    told = "".join(row.codes for row in read_problems())
    assert "`match/unknown`" in told
    assert all(f"<code>{code}</code>" in text for code in re.findall(r"`([a-z-]+/[a-z-]+)`", told))


def test_texts_of_the_contract_are_escaped():
    assert render_type({"type": "string", "pattern": "<b>&"}) == "string, matches &lt;b&gt;&amp;"
