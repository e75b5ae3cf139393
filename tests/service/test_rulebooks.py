"""The rules say the same in every language: the same clauses, numbers, names and tables."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from plyscribe.service import rulebooks
from plyscribe.service.language.catalogues import ENGLISH, LANGUAGES
from plyscribe.service.rulebooks import PAGES, find_language, parse_clauses, read_clauses, read_page

FOREIGN = [language for language in LANGUAGES if language != ENGLISH]
NAMES = sorted(path.name for path in PAGES.glob("*.md"))
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
NUMBER = re.compile(r"\d+")
NAMED = re.compile(r"\b[A-Z]{2}\d+\b")
LINK = re.compile(r"\]\([^)]*\)")
OF_ENGLISH = re.compile(
    r"\b(?:and|are|for|from|has|is|it|its|of|or|seats?|that|the|then|to|turn|with)\b", re.IGNORECASE
)

TITLES = ("Green Box of Games",)
"""Names that are English in every language."""

each_page = pytest.mark.parametrize("name", NAMES)
each_language = pytest.mark.parametrize("language", FOREIGN)


class Section(NamedTuple):
    """What stands below a heading, up to the next one."""

    depth: str
    heading: str
    text: str


def read_sections(page: str) -> list[Section]:
    headings = list(HEADING.finditer(page))
    ends = [*(heading.start() for heading in headings[1:]), len(page)]
    return [Section(each[1], each[2], page[each.end() : end]) for each, end in zip(headings, ends, strict=True)]


def read_both(name: str, language: str) -> list[tuple[Section, Section]]:
    pages = [(folder / name).read_text(encoding="utf-8") for folder in (PAGES, PAGES / language)]
    return list(zip(*map(read_sections, pages), strict=True))


def list_code(text: str) -> set[str]:
    """What stands between backticks, with one space between its words."""
    return {" ".join(code.split()) for code in CODE.findall(text)}


def list_rows(text: str) -> list[list[str]]:
    """The rows of the tables in a text, below their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def strip_code(text: str) -> str:
    return LINK.sub("]", CODE.sub("", text))


@each_language
def test_every_page_of_rules_is_there_in_every_language_and_no_other(language):
    assert sorted(path.name for path in (PAGES / language).glob("*")) == NAMES


@each_page
@each_language
def test_every_section_has_the_same_numbers_clauses_names_and_tables(name, language):
    for english, other in read_both(name, language):
        assert other.depth == english.depth, other.heading
        assert NAMED.findall(other.heading) == NAMED.findall(english.heading)
        assert Counter(NUMBER.findall(other.text)) == Counter(NUMBER.findall(english.text)), other.heading
        assert Counter(NAMED.findall(other.text)) == Counter(NAMED.findall(english.text)), other.heading
        assert list_code(other.text) == list_code(english.text), other.heading
        for mark in ("\n\n", "\n- "):
            assert other.text.count(mark) == english.text.count(mark), other.heading
        for row, translated in zip(list_rows(english.text), list_rows(other.text), strict=True):
            for cell, cell_translated in zip(row, translated, strict=True):
                assert list_code(cell) == list_code(cell_translated), translated
                assert Counter(NUMBER.findall(cell)) == Counter(NUMBER.findall(cell_translated)), translated
    pages = [(folder / name).read_text(encoding="utf-8") for folder in (PAGES, PAGES / language)]
    assert list(parse_clauses(pages[0])) == list(parse_clauses(pages[1]))


@each_page
@each_language
def test_no_english_is_left_in_a_translation(name, language):
    page = strip_code((PAGES / language / name).read_text(encoding="utf-8"))
    for title in TITLES:
        page = page.replace(title, "")
    assert OF_ENGLISH.findall(page) == []


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(rulebooks, "PAGES", tmp_path)
    (tmp_path / "de").mkdir()
    return tmp_path


def test_a_page_without_a_translation_is_in_english(pages):
    (pages / "toy.md").write_text("one")
    (pages / "toy_v2.md").write_text("two")
    (pages / "de" / "toy.md").write_text("eins")
    assert [read_page("toy", version, "de") for version in (1, 2, 3)] == ["eins", "two", "two"]
    assert [find_language("toy", version, "de") for version in (1, 2, 3)] == ["de", "en", "en"]
    assert (read_page("toy", 1), find_language("toy", 1, "en")) == ("one", "en")
    assert read_page("other", 1, "de") is None


def test_clauses_are_read_in_the_language_of_the_reader():
    assert read_clauses("zhen", 1, "de")["ZH6"].title == "Zugpflicht"
    assert read_clauses("zhen", 1)["ZH6"].title == "Duty to act"


def test_a_page_is_read_clause_by_clause():
    page = "# X\n\n### XX1 · First\n\nOne.\n\nTwo.\n\n### XX2 · Second\nThree.\n\n## Other\n\nNot a clause.\n"
    assert [tuple(clause) for clause in parse_clauses(page).values()] == [
        ("XX1", "First", "One.\n\nTwo."),
        ("XX2", "Second", "Three."),
    ]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v1/rulesets/../clauses/PA1", "ruleset/unknown"),
        ("/v1/rulesets/%2e%2e%2fREADME/clauses/PA1", "request/not-found"),
        ("/v1/rulesets/chess/clauses/PA1", "ruleset/unknown"),
    ],
)
def test_no_file_but_the_page_of_a_ruleset_is_read(api, path, code):
    missing = api.get(path)
    assert (missing.status_code, missing.json["code"]) == (404, code)
