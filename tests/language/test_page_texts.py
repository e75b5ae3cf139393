"""Every text of the pages is there in every language, once, with the same values, and none is left over."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po

from plyscribe.service.language.catalogues import ENGLISH, LANGUAGES
from plyscribe.service.web.pages.speech import KEYWORDS, TEXTS

PAGES = TEXTS.parent
METHODS = {".html": "jinja2.ext.babel_extract", ".js": "javascript", ".py": "python"}
FOREIGN = [language for language in LANGUAGES if language != ENGLISH]
VALUE = re.compile(r"%\(\w+\)s")
OPTIONS = {"trimmed": "true", "newstyle_gettext": "true"}

every_language = pytest.mark.parametrize("language", FOREIGN)


def list_texts() -> Iterator[tuple[Path, str | tuple[str, ...]]]:
    """Every text that a template, a script or a module of the pages says, with its file."""
    for path in sorted(PAGES.rglob("*")):
        if method := METHODS.get(path.suffix):
            with path.open("rb") as source:
                for _, said, _, _ in extract(method, source, keywords=KEYWORDS, options=OPTIONS):
                    yield path, said


def forms_of(said: str | tuple[str, ...]) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else tuple(said)


@every_language
def test_every_text_of_the_pages_is_translated_once_and_nothing_else(language):
    said: dict[str, tuple[str, ...]] = {}
    for path, each in list_texts():
        forms = forms_of(each)
        assert said.setdefault(forms[0], forms) == forms, f"{path}: {forms[0]!r} has other forms elsewhere"
    translated: dict[str, tuple[str, ...]] = {}
    for path in sorted((TEXTS / language).glob("*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language, abort_invalid=True)
        assert not catalogue.obsolete, path
        for message in catalogue:
            if message.id:
                english = forms_of(message.id)[0]
                assert not message.fuzzy, f"{path}: {english}"
                assert english not in translated, f"{path}: {english!r} is translated twice"
                translated[english] = forms_of(message.string)
    assert translated.keys() == said.keys()
    for english, forms in translated.items():
        assert all(forms), f"{english!r} has no translation"
        for form in forms:
            asked, given = set(VALUE.findall(form)), set(VALUE.findall(" ".join(said[english])))
            assert asked <= given | {"%(num)s"}, f"{form!r} asks for what {english!r} has not"
            assert given <= asked | {"%(num)s"}, f"{form!r} leaves out a value of {english!r}"
