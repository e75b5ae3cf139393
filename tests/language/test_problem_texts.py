"""Every problem that people can meet on a page is said in every language."""

import ast
import re
from pathlib import Path

import pytest

from plyscribe.service.language.catalogues import ENGLISH, LANGUAGES
from plyscribe.service.language.problems import BY_CODE, FIELDS, TITLES, WITHOUT_VALUES, translate_problem
from plyscribe.service.language.sentences import list_places
from plyscribe.service.web.problems import PROBLEM_STATUSES, problem_title
from plyscribe.service.web.schemas.answers.problems import Problem
from tests.language.test_catalogues import read_file

ROOT = Path(__file__).parents[2]
FOREIGN = [language for language in LANGUAGES if language != ENGLISH]

TECHNICAL = {
    "connection/full",
    "connection/idle",
    "connection/not-offered",
    "connection/share",
    "connection/slow",
    "connection/stopping",
    "connection/too-large",
    "connection/unreadable",
    "connection/upgrade",
    "effects/not-live",
    "effects/range",
    "key/guessable",
    "key/invalid",
    "key/not-here",
    "move/how-many",
    "oembed/format",
    "rated/ledger",
    "rated/noted",
    "request/if-match",
    "request/last-event-id",
    "request/length-required",
    "request/not-acceptable",
    "request/thought-ms",
    "request/unsupported-media-type",
    "server/unreachable",
    "webhook/address",
    "webhook/disabled",
    "webhook/key-missing",
    "webhook/off",
    "webhook/too-many",
    "webhook/topics",
    "webhook/unchanged",
    "webhook/unknown",
    "webhook/url",
}
"""The codes that only programs meet. They stay English."""

PHRASES = {"move/bad-notation", "move/illegal", "option/invalid", "roll/invalid"}
"""The codes of refusals that are phrases: tests of the catalogues hold their translations."""

each_language = pytest.mark.parametrize("language", FOREIGN)


def list_documented() -> set[str]:
    """The codes in the table of docs/api.md."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    codes = [line.split("|")[1] for line in page.partition("\n## Problems\n")[2].splitlines() if line.startswith("| `")]
    return {code for cell in codes for code in re.findall(r"`([a-z-]+/[a-z-]+)`", cell)}


def list_constants() -> set[str]:
    """Every constant text of the code."""
    paths = [path for folder in ("domain", "service") for path in (ROOT / folder).rglob("*.py")]
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def describe(code: str, detail: str = "what happened", **more: object) -> dict[str, object]:
    return {"title": "Not found", "status": 404, "code": code, "detail": detail, **more}


@each_language
def test_every_code_that_people_meet_has_a_translation(language):
    codes = {text for context, text in read_file(language, "problems") if context == BY_CODE}
    documented = list_documented()
    assert len(documented) > 200
    assert codes == documented - TECHNICAL - PHRASES
    assert documented >= TECHNICAL | PHRASES


@each_language
def test_every_translation_of_a_message_is_of_one_that_the_code_has(language):
    constants, documented = list_constants(), list_documented()
    for (context, text), [translated] in read_file(language, "problems").items():
        assert translated
        if context not in (BY_CODE, WITHOUT_VALUES, TITLES, FIELDS):
            assert context in documented, context
            assert text in constants, (context, text)
            assert not list_places(translated)


@each_language
def test_translations_name_values_that_problems_have(language):
    for (context, text), [translated] in read_file(language, "problems").items():
        assert {*list_places(translated)} <= Problem().fields.keys(), (context, text)


@each_language
def test_every_title_is_translated(language):
    titles = {text for context, text in read_file(language, "problems") if context == TITLES}
    assert titles == {problem_title(status) for status in PROBLEM_STATUSES}


def test_a_problem_is_said_in_the_language_of_the_reader():
    taken = describe("seat/taken", "seat 2 is taken", seat=2)
    assert translate_problem(taken, "en") == taken
    said = translate_problem(taken, "de")
    assert said == {**taken, "title": "Nicht gefunden", "detail": "Platz 2 ist schon besetzt."}


def test_a_message_that_is_translated_itself_goes_before_its_code():
    for detail, said in (
        ("you hold no seat in this match", "Du hast in dieser Partie keinen Platz."),
        ("seat 3 is not yours", "Das ist nicht dein Platz."),
    ):
        assert translate_problem(describe("seat/not-yours", detail), "de")["detail"] == said


def test_a_translation_without_values_stands_in_for_one_whose_values_are_missing():
    with_values = translate_problem(describe("player/name-taken", suggestion="Ann 2"), "de")["detail"]
    without = translate_problem(describe("player/name-taken"), "de")["detail"]
    assert "Frei ist zum Beispiel Ann 2." in with_values
    assert without.endswith("Wähle einen anderen.")


def test_what_has_no_translation_stays_english():
    assert translate_problem(describe("key/invalid"), "de")["detail"] == "what happened"
    assert translate_problem(describe("bundle/unreadable"), "de")["detail"] == "what happened"


def test_what_is_wrong_with_fields_is_translated():
    wrong = describe("request/invalid", errors={"seats": {"0": ["Not a valid integer.", "too odd"]}})
    said = translate_problem(wrong, "de")
    assert said["errors"] == {"seats": {"0": ["Das ist keine ganze Zahl.", "too odd"]}}
