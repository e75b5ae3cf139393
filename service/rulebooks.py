"""The rulebooks: the pages of docs/rulesets and of games from outside, read clause by clause.

`<id>.md` describes version 1 of a ruleset, `<id>_v2.md` version 2, and so on; a game from outside names its page. A
folder for each other language has the same pages in it, such as `de/<id>.md`, with the same clauses and numbers.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from plyscribe.service.games import find_game

ENGLISH = "en"
PAGES = Path(__file__).parent / "rulebooks"
"""The folder docs/rulesets, as shipped with this package."""

_HEADING = re.compile(r"^### ([A-Z]{2}\d+) · (.+)$", re.MULTILINE)
_ANY_HEADING = re.compile(r"^#{1,3} ", re.MULTILINE)


class Clause(NamedTuple):
    """A numbered clause: its title and its text in Markdown."""

    clause: str
    title: str
    text: str


@cache
def read_clauses(ruleset: str, version: int, language: str = ENGLISH) -> dict[str, Clause]:
    """The clauses of a ruleset version by number, in the page's order; empty if it has no page."""
    page = read_page(ruleset, version, language)
    return parse_clauses(page) if page else {}


def read_page(ruleset: str, version: int, language: str = ENGLISH) -> str | None:
    """The page of a ruleset version in Markdown; None if the ruleset has none.

    A version without a page of its own uses the page of the newest version before it. A page that has no translation
    into the language is in English.
    """
    path = _find_page(ruleset, version, language)
    return path.read_text(encoding="utf-8") if path else None


def find_language(ruleset: str, version: int, language: str) -> str:
    """The language of the page that a reader of this language gets."""
    path = _find_page(ruleset, version, language)
    return ENGLISH if path is None or path == _find_english(ruleset, version) else language


def _find_page(ruleset: str, version: int, language: str) -> Path | None:
    english = _find_english(ruleset, version)
    if english is None:
        return None
    translated = english.parent / language / english.name
    return translated if translated.is_file() else english


def _find_english(ruleset: str, version: int) -> Path | None:
    """The page of this version, or else of the newest version before it."""
    for number in range(version, 0, -1):
        ours = PAGES / (f"{ruleset}_v{number}.md" if number > 1 else f"{ruleset}.md")
        if ours.is_file():
            return ours
        game = find_game(ruleset, number)
        if game is not None and game.rulebook is not None:
            return game.rulebook
    return None


def parse_clauses(page: str) -> dict[str, Clause]:
    """The clauses of a page: each third-level heading `PA1 · Title`, with the text up to the next heading."""
    clauses = {}
    for heading in _HEADING.finditer(page):
        following = _ANY_HEADING.search(page, heading.end())
        text = page[heading.end() : following.start() if following else None].strip()
        clauses[heading[1]] = Clause(heading[1], heading[2].strip(), text)
    return clauses
