"""Whatever is sent as a move is a legal move spelled exactly so, or refused as what it is."""

from functools import cache
from string import ascii_letters, digits

from hypothesis import strategies as st

from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.ruleset import Decision
from plyscribe.testing.conformance import CLAUSE, Position, sample_positions
from plyscribe.testing.subject import Subject

NOTATION_ALPHABET = ascii_letters + digits + " ,-+<>x."


@cache
def list_decisions(subject: Subject) -> list[Position]:
    """The sample positions in which a seat decides."""
    return [position for position in sample_positions(subject) if isinstance(position.turn, Decision)]


@cache
def list_spellings(subject: Subject) -> list[str]:
    """Legal notations of many kinds, from all over the ruleset's matches."""
    return sorted({text for position in list_decisions(subject) for text in position.texts()[::7]})


def list_words(subject: Subject) -> list[str]:
    """The words of which they are made."""
    return sorted({word for text in list_spellings(subject) for word in text.split(" ")})


def check_reading(position: Position, text: str) -> None:
    """The text is a legal move, spelled exactly so and listed; or it is refused, as illegal with a clause."""
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


@st.composite
def mutations(draw: st.DrawFn, texts: list[str]) -> str:
    """One of the texts, changed one to three times."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 3))):
        text = draw(_changes(text))
    return text


@st.composite
def _changes(draw: st.DrawFn, text: str) -> str:
    """The text with one character put in, taken out, doubled or replaced, or two swapped."""
    place = draw(st.integers(0, max(0, len(text) - 1)))
    character = draw(st.sampled_from(NOTATION_ALPHABET) | st.characters())
    head, here, tail = text[:place], text[place : place + 1], text[place + 1 :]
    grown = [head + character + here + tail, head + here * 2 + tail]
    changed = [head + character + tail, head + tail[:1] + here + tail[1:], text.swapcase()]
    return draw(st.sampled_from([*grown, *changed, head + tail]))
