"""Whatever is sent as a move is a legal move spelled exactly so, or refused as what it is."""

from functools import cache
from string import ascii_letters, digits
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.ruleset import AnyRuleset, Decision
from tests.domain.conformance import CLAUSE, Position, sample_positions
from tests.domain.prove import every_ruleset, settings_of

NOTATION_ALPHABET = ascii_letters + digits + " ,-+<>x."


@cache
def decisions(ruleset: AnyRuleset) -> list[Position]:
    return [position for position in sample_positions(ruleset, settings_of) if isinstance(position.turn, Decision)]


@cache
def spellings(ruleset: AnyRuleset) -> list[str]:
    """Legal notations of many kinds, from all over the ruleset's matches."""
    return sorted({text for position in decisions(ruleset) for text in position.texts()[::7]})


def check_reading(position: Position, text: str) -> None:
    ruleset, state = position.ruleset, position.state
    try:
        move = ruleset.parse_move(state, text)
    except (BadNotation, IllegalMove) as error:
        refused = error
    else:
        assert ruleset.format_move(state, move) == text
        assert move in ruleset.legal_moves(state, text)
        return
    assert isinstance(refused, BadNotation) or CLAUSE.fullmatch(refused.clause)


def any_position(data: st.DataObject, ruleset: AnyRuleset) -> Position:
    return data.draw(st.sampled_from(sample_positions(ruleset, settings_of)))


@every_ruleset
@given(data=st.data(), text=st.text() | st.text(NOTATION_ALPHABET, max_size=20))
def test_arbitrary_text_is_refused_or_spells_a_move_exactly(
    ruleset: AnyRuleset, data: st.DataObject, text: str
) -> None:
    check_reading(any_position(data, ruleset), text)


@every_ruleset
@given(data=st.data())
def test_a_mutated_notation_is_refused_or_spells_a_move_exactly(ruleset: AnyRuleset, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(spellings(ruleset)))
    for _ in range(data.draw(st.integers(1, 3))):
        text = data.draw(mutations(text))
    check_reading(any_position(data, ruleset), text)


@st.composite
def mutations(draw: st.DrawFn, text: str) -> str:
    """The text with one character put in, taken out, doubled or replaced, or two swapped."""
    place = draw(st.integers(0, max(0, len(text) - 1)))
    character = draw(st.sampled_from(NOTATION_ALPHABET) | st.characters())
    head, here, tail = text[:place], text[place : place + 1], text[place + 1 :]
    grown = [head + character + here + tail, head + here * 2 + tail]
    changed = [head + character + tail, head + tail[:1] + here + tail[1:], text.swapcase()]
    return draw(st.sampled_from([*grown, *changed, head + tail]))


@every_ruleset
@given(data=st.data())
def test_words_of_legal_notations_mixed_are_refused_or_spell_a_move_exactly(
    ruleset: AnyRuleset, data: st.DataObject
) -> None:
    words = sorted({word for text in spellings(ruleset) for word in text.split(" ")})
    mixed = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=4))
    check_reading(any_position(data, ruleset), " ".join(mixed))


@every_ruleset
@given(data=st.data())
def test_a_notation_legal_elsewhere_is_refused_or_spells_a_move_exactly(
    ruleset: AnyRuleset, data: st.DataObject
) -> None:
    check_reading(any_position(data, ruleset), data.draw(st.sampled_from(spellings(ruleset))))


@every_ruleset
@given(text=st.text())
@example(text="")
@example(text="\ud800")
@example(text="1" * 10_000)
def test_text_of_no_use_never_breaks_the_reader(ruleset: AnyRuleset, text: Any) -> None:
    check_reading(decisions(ruleset)[0], text)
