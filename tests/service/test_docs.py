"""The contract as a page: complete, and with nothing from elsewhere."""

import re
from html.parser import HTMLParser

import pytest

from plyscribe.service.web.api.docs import read_problems, render_type
from tests.service.api import Api
from tests.service.test_openapi import operations

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """What a reader of HTML finds in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.loads: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        told = dict(attributes)
        self.ids += [told["id"]] if "id" in told else []
        self.links += [told["href"]] if tag == "a" else []
        self.loads += [told[name] for name in ("src", "href") if name in told and tag != "a"]
        assert not any(name.startswith("on") or name == "style" for name in told)
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.fixture
def text(api: Api) -> str:
    return api.get("/docs").text


@pytest.fixture
def page(text) -> Page:
    return Page(text)


def test_it_needs_no_script_and_nothing_from_elsewhere(page, text):
    assert page.loads == []
    assert not page.tags & {"script", "img", "iframe", "link", "form", "object"}
    assert all(link.startswith("#") or link == "/openapi.yaml" for link in page.links)
    assert "url(" not in text
    assert "@import" not in text


def test_its_policy_allows_its_own_style_alone(api):
    policy = api.get("/docs").headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_every_operation_stands_in_it(api, page):
    assert {name for name, _ in operations(api.document)} <= set(page.ids)


def test_every_schema_stands_in_it(api, page):
    assert {f"schema-{name}" for name in api.document["components"]["schemas"]} <= set(page.ids)


def test_every_link_leads_somewhere(page):
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_every_code_of_a_problem_stands_in_it(text):
    told = "".join(row.codes for row in read_problems())
    assert "`match/unknown`" in told
    assert all(f"<code>{code}</code>" in text for code in re.findall(r"`([a-z-]+/[a-z-]+)`", told))


def test_what_the_contract_says_is_text_and_no_html():
    assert render_type({"type": "string", "pattern": "<b>&"}) == "string, matches &lt;b&gt;&amp;"
