"""Sentences: effects and phrases with the names of the players, in the reader's language.

A sentence has placeholders for the details of an effect: `{seat}`, `{owner}`, `{piece}`, `{from}`, `{to}`, `{amount}`,
`{word}`. A translation can ask for a word in one of its cases: `{piece_accusative}` is the translation of the piece in
the context `accusative`; `{piece}` has no context.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from string import Formatter

from plyscribe.domain.effects import Effect, describe_effect
from plyscribe.domain.names import fold_name, is_reserved
from plyscribe.domain.phrases import SEATS, Phrase, Value
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.games import load_part
from plyscribe.service.language.catalogues import find_text
from plyscribe.service.language.every_game import GUEST, SEAT, SENTENCES

Names = Mapping[int, str]
"""The names of the players by seat; a seat without one is called by its number."""

FIELDS = ("from", "to")
"""The placeholders for a field or another place."""

Sentences = Mapping[str, str | tuple[str, str]]
"""A sentence for each kind of effect, or for `<kind>/<word>` or `<kind>/<piece>` where one kind needs several. Two are
singular and plural, by the amount.
"""


@cache
def find_sentences(ruleset: AnyRuleset) -> Sentences:
    """The sentences for the effects of a ruleset version. A ruleset from outside may have only those that all share."""
    name = f"{__package__}.{ruleset.id}_v{ruleset.version}"
    words = import_module(name) if find_spec(name) else load_part(ruleset.id, ruleset.version, "words")
    return {**SENTENCES, **(words.SENTENCES if words else {})}


def name_seats(given: Mapping[int, str], language: str) -> Names:
    """The names as sentences have them: those of players with the same name are followed by their seats.

    >>> name_seats({1: "Ann", 2: "Ann", 3: "Ben"}, "en")
    {1: 'Ann (seat 1)', 2: 'Ann (seat 2)', 3: 'Ben'}
    """
    count = Counter(given.values())
    return {seat: f"{name} ({_call(seat, language, {})})" if count[name] > 1 else name for seat, name in given.items()}


def name_guest(name: str, language: str) -> str:
    """The name of a guest, who has no account; marked as one if it reads as a built-in bot, the service or a seat.

    >>> name_guest("Greedy bot", "en"), name_guest("Greta", "en")
    ('Greedy bot (guest)', 'Greta')
    """
    return find_text(language, (GUEST,)).format(name=name) if is_reserved(fold_name(name)) else name


def describe_effects(ruleset: AnyRuleset, effects: Iterable[Effect], language: str, names: Names) -> list[str]:
    """A sentence for each effect, in order. An effect without a sentence is shown with its kind and details."""
    sentences = find_sentences(ruleset)
    return [
        _write(choose_sentence(sentences, effect) or _list_details(effect), effect, language, names)
        for effect in effects
    ]


def choose_sentence(sentences: Sentences, effect: Effect) -> tuple[str, ...]:
    """The sentence of the effect in English: one text, or singular and plural; empty if there is none."""
    keys = (f"{effect.kind}/{effect.word}", f"{effect.kind}/{effect.piece}", effect.kind)
    found = next((sentences[key] for key in keys if key in sentences), ())
    return (found,) if isinstance(found, str) else found


def _list_details(effect: Effect) -> tuple[str]:
    details = ", ".join(f"{name} {{{name}}}" for name in list(describe_effect(effect))[3:])
    return (f"{{kind}}: {details}." if details else "{kind}.",)


def _write(texts: tuple[str, ...], effect: Effect, language: str, names: Names) -> str:
    text = find_text(language, texts, 1 if effect.amount is None else effect.amount)
    values = describe_effect(effect)
    sentence = _fill_in(text, values, language, names)
    first = list_places(text)[0] if text.startswith("{") else ""
    # The name of a player or of a field stays as it is.
    is_name = values[first] in names if first in SEATS else first in FIELDS
    return sentence if is_name else sentence[:1].upper() + sentence[1:]


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
