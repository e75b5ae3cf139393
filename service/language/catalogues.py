"""The catalogues: what is said in which language. English is what the code says; others have a folder of .po files."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from babel.core import Locale, negotiate_locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from plyscribe.service.games import list_games

HERE = Path(__file__).parent
ENGLISH = "en"
LANGUAGES = (ENGLISH, "de")


def choose_language(preferred: Sequence[str]) -> str:
    """The first of these language tags (`de-AT`, `en`) that there is, by its language; English if there is none."""
    return negotiate_locale([tag.replace("-", "_") for tag in preferred], LANGUAGES) or ENGLISH


Texts = Mapping[tuple[str | None, str], tuple[str, ...]]
"""Translations by context and English text: one text, or one for each plural form of the language."""


def read_catalogue(language: str) -> Texts:
    """The translations of what the games say. Where two have the same text, ours counts, or else the first one's."""
    outside = tuple(dict.fromkeys(game.translations for game in list_games() if game.translations))
    return _read_folders((HERE, *outside), language) if outside else read_folder(HERE, language)


@cache
def _read_folders(folders: Sequence[Path], language: str) -> Texts:
    return {key: text for folder in reversed(folders) for key, text in read_folder(folder, language).items()}


@cache
def read_folder(folder: Path, language: str) -> Texts:
    """The translations into this language that a folder has; none into English."""
    found: dict[tuple[str | None, str], tuple[str, ...]] = {}
    for path in sorted((folder / language).glob("*.po")):
        with path.open("rb") as file:
            found |= _collect(read_po(file, locale=language, abort_invalid=True))
    return found


def _collect(catalogue: Catalog) -> dict[tuple[str | None, str], tuple[str, ...]]:
    found = {}
    for message in catalogue:
        if message.id and not message.fuzzy:
            english = message.id if isinstance(message.id, str) else message.id[0]
            texts = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
            found[message.context, english] = texts
    return found


def find_text(language: str, texts: tuple[str, ...], count: int = 1, context: str | None = None) -> str:
    """The text in this language, for a count; `texts` has it in English: one text, or singular and plural.

    A text without a translation is returned in English.
    """
    forms = texts if language == ENGLISH else read_catalogue(language).get((context, texts[0]), ())
    if not forms or not all(forms):
        language, forms = ENGLISH, texts
    return forms[find_plural(language, count) if len(forms) > 1 else 0]


@cache
def find_plural(language: str, count: int) -> int:
    """The place of the form for a count among the plural forms, in the order of the language's plural categories."""
    rule = Locale.parse(language).plural_form
    return [*sorted(rule.tags, key=("zero", "one", "two", "few", "many").index), "other"].index(rule(count))
