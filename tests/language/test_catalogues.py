"""Every sentence is there in every language, with the same placeholders, and none is left over."""

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from babel.messages.pofile import read_po

from plyscribe.domain.errors import OptionError
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.language import guidance
from plyscribe.service.language.catalogues import ENGLISH, HERE, LANGUAGES, choose_language, find_text, read_catalogue
from plyscribe.service.language.every_game import GUEST, SEAT, SENTENCES
from plyscribe.service.language.sentences import choose_sentence, find_sentences, list_places
from plyscribe.service.matches import touching
from plyscribe.testing.effect_checks import proved
from tests.domain.breaches import commit_breach, find_breaches
from tests.domain.prove import subject_of

DOMAIN = Path(import_module("plyscribe.domain").__file__ or "").parent
FOREIGN = [language for language in LANGUAGES if language != ENGLISH]

Found = dict[tuple[str | None, str], tuple[str, ...]]
"""Translations by context and English text."""

OURS = [ruleset for ruleset in RULESETS if type(ruleset).__module__.startswith("plyscribe.")]
"""Rulesets from outside, such as those that other tests register, have no sentences here."""

every_ruleset = pytest.mark.parametrize("ruleset", OURS, ids=lambda each: f"{each.id}_v{each.version}")
every_language = pytest.mark.parametrize("language", FOREIGN)


def list_decisions(ruleset: AnyRuleset, seed: int) -> Iterator[tuple[Any, int]]:
    """The decisions of a match at random: the state and the seat."""
    random, state = Random(seed), ruleset.initial_state(ruleset.parse_options({}), ruleset.min_seats)
    for _ in range(150):
        match ruleset.turn(state):
            case Over():
                return
            case Roll(sides, count):
                state = ruleset.apply_roll(state, tuple(random.randint(1, sides) for _ in range(count)))
            case Decision(seat):
                yield state, seat
                state = ruleset.apply_move(state, random.choice(list(islice(ruleset.legal_moves(state), 50))))


def name_of(ruleset: AnyRuleset) -> str:
    return f"{ruleset.id}_v{ruleset.version}"


def list_said(*paths: Path) -> Iterator[str]:
    """The texts of all phrases in these modules; AssertionError for one that is no constant."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                text = node.args[0]
                assert isinstance(text, ast.Constant), f"{path}:{node.lineno}: a phrase is a constant"
                yield text.value


def modules_of(ruleset: AnyRuleset) -> list[Path]:
    place = DOMAIN / "rulesets" / name_of(ruleset)
    return sorted(place.glob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


def boards_of(ruleset: AnyRuleset) -> list[Path]:
    """The modules with the board and the lessons of a ruleset."""
    rooms = [f"plyscribe.service.{room}.{name_of(ruleset)}" for room in ("boards", "lessons")]
    return [Path(import_module(room).__file__ or "") for room in rooms if find_spec(room)]


def list_sentences(ruleset: AnyRuleset) -> list[tuple[str, ...]]:
    own = import_module(f"plyscribe.service.language.{name_of(ruleset)}").SENTENCES
    return [(text,) if isinstance(text, str) else text for text in own.values()]


def list_words(ruleset: AnyRuleset) -> set[str]:
    """The words that a sentence of an effect can name: they are translated too."""
    found = set()
    for kind in ruleset.effect_kinds:
        for text in choose_texts(ruleset, kind.kind):
            found |= set(kind.pieces) if "{piece" in text else set()
            found |= set(kind.words) if "{word" in text else set()
    return found


def choose_texts(ruleset: AnyRuleset, kind: str) -> list[str]:
    found = [text for key, text in find_sentences(ruleset).items() if key.partition("/")[0] == kind]
    return [each for text in found for each in ((text,) if isinstance(text, str) else text)]


def list_common() -> list[tuple[str, ...]]:
    rulesets = {path for ruleset in RULESETS for path in modules_of(ruleset)}
    others = [path for path in sorted(DOMAIN.rglob("*.py")) if path not in rulesets and path.name != "phrases.py"]
    said = list_said(*others, Path(touching.__file__))
    return [(SEAT,), (GUEST,), *((text,) for text in SENTENCES.values()), *((text,) for text in said)]


def read_file(language: str, name: str) -> Found:
    with (HERE / language / f"{name}.po").open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    found = {}
    for message in catalogue:
        if message.id:
            assert not message.fuzzy, message.id
            assert not message.python_format
            english = message.id if isinstance(message.id, str) else message.id[0]
            found[message.context, english] = (
                (message.string,) if isinstance(message.string, str) else tuple(message.string)
            )
    assert not catalogue.obsolete
    return found


def check_file(language: str, name: str, texts: list[tuple[str, ...]], words: set[str]) -> None:
    """All texts have a translation with places that they have themselves, and nothing else is there."""
    found = read_file(language, name)
    contexts = {place.rpartition("_")[2] for forms in found.values() for form in forms for place in list_places(form)}
    wanted = {text[0] for text in texts}
    assert {english for context, english in found if context is None} - words == wanted
    for text in texts:
        forms = found[None, text[0]]
        assert all(forms), f"{text[0]!r} has no translation"
        for number, form in enumerate(forms):
            check_places(text[min(number, len(text) - 1)], form, found, words)
    stray = {key for key in found if key[0] is not None and (key[0] not in contexts or key[1] not in words)}
    assert not stray


def check_places(english: str, translated: str, found: Found, words: set[str]) -> None:
    known = list_places(english)
    for place in list_places(translated):
        name, _, context = place.rpartition("_")
        assert place in known or name in known, f"{translated!r} asks for {place!r}, which {english!r} has not"
        if place not in known:
            missing = {word for word in words if (context, word) not in found}
            assert name not in ("piece", "word") or not missing, f"{context} of {missing}"
    asked = {place if place in known else place.rpartition("_")[0] for place in list_places(translated)}
    assert asked == set(known), f"{translated!r} leaves out {set(known) - asked}"


@every_language
@every_ruleset
def test_every_sentence_of_a_ruleset_is_translated(ruleset, language):
    common = {text[0] for text in list_common()}
    said = [
        (text,) for text in dict.fromkeys(list_said(*modules_of(ruleset), *boards_of(ruleset))) if text not in common
    ]
    check_file(language, name_of(ruleset), [*list_sentences(ruleset), *said], list_words(ruleset))


@every_language
def test_every_sentence_that_games_share_is_translated(language):
    check_file(language, "every_game", list_common(), set())


@every_language
def test_all_guidance_is_translated(language):
    said = dict.fromkeys(list_said(Path(guidance.__file__)))
    check_file(language, "guidance", [(text,) for text in said], set())


@every_ruleset
def test_every_game_has_a_goal_and_a_way_for_each_end(ruleset):
    assert guidance.find_goal(ruleset)
    [ended] = [kind for kind in ruleset.effect_kinds if kind.kind == "ended"]
    assert {*ended.words} - {"withdrawal"} <= guidance.WAYS.keys()


@every_ruleset
def test_a_seat_that_moves_is_told_what_to_do(ruleset):
    for seed in range(3):
        for state, seat in list_decisions(ruleset, seed):
            assert guidance.find_prompt(ruleset, ruleset.view(state), seat), ruleset.render_text(state)


@every_ruleset
def test_every_effect_has_a_sentence_with_its_details_alone(ruleset):
    sentences = find_sentences(ruleset)
    for taken in proved(subject_of(ruleset)):
        for effect in taken.effects:
            texts = choose_sentence(sentences, effect)
            assert texts, effect
            for text in texts:
                for place in list_places(text):
                    name = {"from": "source", "to": "target"}.get(place, place)
                    assert getattr(effect, name) is not None, (effect, text)


@every_ruleset
def test_no_sentence_is_for_a_kind_that_there_is_not(ruleset):
    kinds = {kind.kind: {*kind.pieces, *kind.words} for kind in ruleset.effect_kinds}
    for key in import_module(f"plyscribe.service.language.{name_of(ruleset)}").SENTENCES:
        kind, _, word = key.partition("/")
        assert kind in kinds
        assert not word or word in kinds[kind], key


@every_ruleset
def test_every_refusal_is_said_by_a_breach_of_its_clause(ruleset):
    said = set(list_said(*modules_of(ruleset)))
    met = set()
    for breach in find_breaches(ruleset):
        error = commit_breach(ruleset, breach)
        assert str(error).endswith(breach.says), error
        why = error.phrase.values["why" if breach.clause else "expected"]
        met |= {why.text, *(value.text for value in why.values.values() if hasattr(value, "text"))}
    met |= {getattr(error.phrase.values["allowed"], "text", "") for error in list_wrong_options(ruleset)}
    assert said <= met, said - met


def list_wrong_options(ruleset: AnyRuleset) -> Iterator[OptionError]:
    """The refusals of each option: of no value at all, and of each choice that needs more seats than there are."""
    for name, schema in ruleset.options_schema()["properties"].items():
        for value in (object(), *schema.get("enum", ())):
            try:
                ruleset.initial_state(ruleset.parse_options({name: value}), ruleset.min_seats)
            except OptionError as error:
                yield error


def test_a_reader_gets_the_first_language_that_there_is():
    assert choose_language(["fr-CH", "de-AT", "en"]) == "de"
    assert choose_language(["en-GB", "de"]) == "en"
    assert choose_language(["fr"]) == choose_language([]) == "en"


def test_a_text_without_a_translation_stays_in_english():
    assert find_text("de", ("nobody ever says this",)) == "nobody ever says this"
    assert read_catalogue("de")[None, "seat {number}"] == ("Platz {number}",)
