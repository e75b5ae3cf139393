"""Canonical bytes and the hash chain."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.chain import (
    MAX_INTEGER,
    StoredEvent,
    canonical_json,
    check_chain,
    first_link,
    link_all,
    parse_json,
)
from plyscribe.domain.errors import BrokenChain, NotCanonical

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEYS = st.text(st.characters(max_codepoint=127), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def test_keys_are_sorted_nothing_is_spaced_and_control_characters_are_escaped_as_rfc_8785_says():
    assert canonical_json({"b": [1, None, True], "a": "é"}) == '{"a":"é","b":[1,null,true]}'.encode()
    text = '\b\t\n\f\r\x00\x1f\x7f"\\/'
    assert canonical_json(text) == b'"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\\"\\\\/"'


@given(VALUES)
def test_parsing_is_the_inverse(value):
    assert parse_json(canonical_json(value)) == value


@pytest.mark.parametrize(
    "value",
    [1.5, float("nan"), MAX_INTEGER + 1, -MAX_INTEGER - 1, "\ud800", {"é": 1}, {1: 2}, {1, 2}, b"x", ["\udfff"]],
)
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(NotCanonical):
        canonical_json(value)


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"{", b"\xff", b"1.0", b"1e3", b"NaN", b"Infinity", b"-Infinity", b"\xef\xbb\xbf1", b"1 2"),
        *(b"9007199254740992", b"-9007199254740992", b"1" * 10_000),
        *(b'{"a":1,"a":1}', b'"\\ud800"', b'{"\\udfff":1}', b"[" * 30_000, b'{"a":' * 10_000),
    ],
)
def test_what_readers_could_understand_differently_is_refused(raw):
    with pytest.raises(NotCanonical):
        parse_json(raw)
    assert parse_json(b"[9007199254740991,-9007199254740991]") == [MAX_INTEGER, -MAX_INTEGER]


def test_a_chain_starts_with_the_hash_of_the_streams_id_and_gives_its_head():
    [stored] = link_all(first_link("match-x"), 1, [b"{}"])
    assert stored.h == sha256(sha256(b"match-x").digest() + b"{}").digest()
    events = link_all(first_link("s"), 1, [b"1", b"2", b"3"])
    assert check_chain(first_link("s"), 0, events) == events[-1].h
    assert check_chain(events[0].h, 1, events[1:]) == events[-1].h
    assert check_chain(b"head", 7, []) == b"head"


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_a_changed_dropped_or_swapped_event_breaks_the_chain_where_it_stands(victim):
    events = link_all(first_link("s"), 1, [b"1", b"2", b"3"])
    changed = list(events)
    changed[victim] = events[victim]._replace(e=b"x")
    swapped = [*events[:victim], StoredEvent(victim + 1, b"x", bytes(32)), *events[victim + 1 :]]
    for broken in (changed, swapped, events[:victim] + events[victim + 1 :] + [StoredEvent(9, b"", b"")]):
        with pytest.raises(BrokenChain) as error:
            check_chain(first_link("s"), 0, broken)
        assert error.value.details["version"] == victim + 1
