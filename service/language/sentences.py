"""Sentences: effects and phrases with the names of the players, in the reader's language.

A sentence has placeholders for the details of an effect: `{seat}`, `{owner}`, `{piece}`, `{from}`, `{to}`, `{amount}`,
`{word}`. A translation can ask for a word in one of its cases: `{piece_accusative}` is the translation of the piece in
the context `accusative`; `{piece}` has no context.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from string import Formatter

from plyscribe.domain.effects import Effect, describe_effect
from plyscribe.domain.phrases import SEATS, Phrase, Value
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.language.catalogues import find_text
from plyscribe.service.language.every_game import SEAT, SENTENCES

Names = Mapping[int, str]
"""The names of the players by seat; a seat without one is called by its number."""

Sentences = Mapping[str, str | tuple[str, str]]
"""A sentence for each kind of effect, or for `<kind>/<word>` or `<kind>/<piece>` where one kind needs several. Two are
singular and plural, by the amount.
"""


@cache
def find_sentences(ruleset: AnyRuleset) -> Sentences:
    """The sentences for the effects of a ruleset version."""
    own: Sentences = import_module(f"{__package__}.{ruleset.id}_v{ruleset.version}").SENTENCES
    return {**SENTENCES, **own}


def describe_effects(ruleset: AnyRuleset, effects: Iterable[Effect], language: str, names: Names) -> list[str]:
    """A sentence for each effect, in order."""
    sentences = find_sentences(ruleset)
    return [_write(choose_sentence(sentences, effect), effect, language, names) for effect in effects]


def choose_sentence(sentences: Sentences, effect: Effect) -> tuple[str, ...]:
    """The sentence of the effect in English: one text, or singular and plural."""
    keys = (f"{effect.kind}/{effect.word}", f"{effect.kind}/{effect.piece}", effect.kind)
    found = next(sentences[key] for key in keys if key in sentences)
    return (found,) if isinstance(found, str) else found


def _write(texts: tuple[str, ...], effect: Effect, language: str, names: Names) -> str:
    text = find_text(language, texts, 1 if effect.amount is None else effect.amount)
    return _capitalise(_fill_in(text, describe_effect(effect), language, names))


def translate(phrase: Phrase, language: str, names: Names) -> str:
    """The phrase in this language; a part without a translation stays in English."""
    return _fill_in(find_text(language, (phrase.text,)), phrase.values, language, names)


def _fill_in(text: str, values: Mapping[str, Value], language: str, names: Names) -> str:
    return text.format_map({place: _show(place, values, language, names) for place in list_places(text)})


@cache
def list_places(text: str) -> tuple[str, ...]:
    """The placeholders of a text, in order."""
    return tuple(place for _, place, _, _ in Formatter().parse(text) if place)


def _show(place: str, values: Mapping[str, Value], language: str, names: Names) -> str:
    name, context = (place, None) if place in values else place.rpartition("_")[::2]
    value = values[name]
    if isinstance(value, Phrase):
        return translate(value, language, names)
    if isinstance(value, int):
        return _call(value, language, names) if name in SEATS else str(value)
    return find_text(language, (value,), context=context)


def _call(seat: int, language: str, names: Names) -> str:
    return names.get(seat) or find_text(language, (SEAT,)).format(number=seat)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
