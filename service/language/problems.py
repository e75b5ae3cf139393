"""What problems say to people: in English what was raised, in other languages by the code of the problem."""

from collections.abc import Mapping
from typing import Any

from plyscribe.service.language.catalogues import ENGLISH, find_text, read_catalogue
from plyscribe.service.language.sentences import list_places

BY_CODE = "problem"
WITHOUT_VALUES = "problem without values"
TITLES = "title"
FIELDS = "field"
"""The contexts of texts in problems.po. The translation of one English detail is in the context of its code."""


def translate_problem(problem: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The problem with its title, its detail and what is wrong with its fields in this language.

    A detail that has no translation stays as it is. That of a refused move is a phrase, which is translated by itself.
    """
    if language == ENGLISH:
        return dict(problem)
    translated = {
        "title": find_text(language, (problem["title"],), context=TITLES),
        "detail": _find_detail(problem, language) or problem["detail"],
    }
    if "errors" in problem:
        translated["errors"] = _translate_errors(problem["errors"], language)
    return {**problem, **translated}


def _find_detail(problem: Mapping[str, Any], language: str) -> str | None:
    """The translation of exactly this detail, or else one for its code whose values the problem has."""
    code, catalogue = problem["code"], read_catalogue(language)
    for known in ((code, problem["detail"]), (BY_CODE, code), (WITHOUT_VALUES, code)):
        for text in catalogue.get(known, ()):
            if problem.keys() >= {*list_places(text)}:
                return text.format_map(problem)
    return None


def _translate_errors(errors: Any, language: str) -> Any:
    if isinstance(errors, str):
        return find_text(language, (errors,), context=FIELDS)
    if isinstance(errors, Mapping):
        return {name: _translate_errors(each, language) for name, each in errors.items()}
    return [_translate_errors(each, language) for each in errors] if isinstance(errors, list) else errors
