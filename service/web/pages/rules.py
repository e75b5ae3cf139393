"""The rules of a game as HTML, from its page in docs/rulesets."""

import re
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markupsafe import Markup

from plyscribe.service.rulebooks import read_page

_CLAUSE = re.compile(r"[A-Z]{2}\d+(?= · )")
_ELSEWHERE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")
"""A link to another page of the documentation, which the service does not have."""


@cache
def render_rules(ruleset: str, version: int, language: str) -> Markup | None:
    """The page of a ruleset version in this language, without its title; None if it has no page.

    The heading of each clause has the clause's number as its id. HTML in the page is shown as text, and so are links to
    other pages of the documentation.
    """
    page = read_page(ruleset, version, language)
    if page is None:
        return None
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(_ELSEWHERE.sub(r"\1", page.partition("\n")[2]))
    for heading, text in pairwise(tokens):
        if heading.type == "heading_open" and (clause := _CLAUSE.match(text.content)):
            heading.attrSet("id", clause[0])
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704
