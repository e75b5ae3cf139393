"""Event types and shapes: what is recorded now must be readable for ever."""

import json
from dataclasses import MISSING, fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.codec import Event, dump_data, format_event, is_canonical, parse_event
from plyscribe.domain.errors import NotCanonical, StreamError, UnknownEventShape, UnknownEventType
from plyscribe.domain.events import MoveMade
from plyscribe.domain.kinds import STREAM_KINDS

FIXTURES = Path(__file__).parent / "events.jsonl"
LINES = FIXTURES.read_text(encoding="utf-8").splitlines()
ALL_EVENT_TYPES = {word: type for kind in STREAM_KINDS for word, type in kind.types.items()}

MOVE = {"version": 7, "type": "move-made", "at": 1, "by": "player:x", "cause": "00", "data": {"seat": 1, "move": "d4"}}


def stored(raw: object, version: int = 7) -> StoredEvent:
    return StoredEvent(version, canonical_json(raw), b"")


LATER = {
    "entrant-withdrawn": {"why": None},
    "game-decided": {"made_at": None, "left": []},
    "match-aborted": {"seat": None, "why": None},
    "match-created": {"rematch_of": None, "counts_from": None, "bots": None},
    "seat-withdrawn": {"fault": None, "why": None},
    "token-issued": {"label": None, "expires_at": None, "session_of": None},
    "tournament-created": {"sprt": None},
}
"""Fields that came later: what an event without them means."""

OMITTED = {
    "match-created": {"lag_ms": None},
    "move-made": {"spent_ms": None, "lag_ms": 0},
    "entrant-absent": {"bye": False},
    "game-decided": {"builds": []},
    "round-paired": {"deadline": None},
    "tournament-created": {"rounds_begin": "auto", "at_table": False, "rated": False, "private": False},
    "tournament-paused": {"matches": False},
}
"""Fields that came later, too, and are not written while they have these defaults."""


def complete(raw):
    """The event in today's shape."""
    data = LATER.get(raw["type"], {}) | raw["data"]
    if raw["type"] == "line-copied":
        withdrawal = LATER["seat-withdrawn"]
        data["steps"] = [withdrawal | step if "cause" in step else step for step in data["steps"]]
    if raw["type"] == "game-decided":
        data["left"] = [LATER["seat-withdrawn"] | each for each in data["left"]]
    return raw | {"data": data}


@pytest.mark.parametrize("line", LINES)
def test_every_shape_that_was_ever_written_is_read_and_means_what_it_did(line):
    raw = json.loads(line)
    event = parse_event(StoredEvent(raw["version"], line.encode(), b""), ALL_EVENT_TYPES)
    newest = StoredEvent(event.version, format_event(event), b"")
    assert newest.e == canonical_json(complete(raw))
    assert parse_event(newest, ALL_EVENT_TYPES) == event


@pytest.mark.parametrize("line", LINES)
def test_an_event_is_canonical_in_the_shape_in_which_it_was_written(line):
    version = json.loads(line)["version"]
    assert is_canonical(StoredEvent(version, line.encode(), b""))
    assert not is_canonical(StoredEvent(version, line.replace(",", ", ", 1).encode(), b""))


def test_a_field_that_came_later_has_a_default_and_a_fixture_that_lacks_it():
    later = {
        word: {field.name: field.default for field in fields(kind) if field.default is not MISSING}
        for word, kind in ALL_EVENT_TYPES.items()
    }
    both = {word: LATER.get(word, {}) | OMITTED.get(word, {}) for word in LATER | OMITTED}
    assert {word: added for word, added in later.items() if added} == {
        word: {name: tuple(value) if value == [] else value for name, value in added.items()}
        for word, added in both.items()
    }
    written = [json.loads(line) for line in LINES]
    for word, added in both.items():
        for name in added:
            assert any(raw["type"] == word and name not in raw["data"] for raw in written), f"{name} of {word}"


@pytest.mark.parametrize(("word", "name"), [(word, name) for word, added in OMITTED.items() for name in added])
def test_a_field_that_is_omitted_has_a_fixture_with_another_value(word, name):
    written = [json.loads(line) for line in LINES]
    assert any(
        raw["type"] == word and raw["data"].get(name, OMITTED[word][name]) != OMITTED[word][name] for raw in written
    )


def test_there_is_a_fixture_of_every_type():
    written = {json.loads(line)["type"] for line in LINES}
    assert written == ALL_EVENT_TYPES.keys(), f"add the missing ones to {FIXTURES.name}"


def test_an_unknown_type_is_refused_by_name():
    with pytest.raises(UnknownEventType, match="event 7 has the unknown type 'seat-swapped'"):
        parse_event(stored({**MOVE, "type": "seat-swapped"}))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"seat": 1, "move": "d4", "clock_ms": 5}, "unknown fields clock_ms"),
        ({"seat": 1}, "missing fields move"),
        ({"seat": 1, "player": "x", "clock_ms": 5}, "unknown fields clock_ms, player; missing fields move"),
        ({}, "missing fields move, seat"),
    ],
)
def test_an_unknown_field_is_refused_by_name_and_so_is_a_missing_one_without_a_default(data, why):
    with pytest.raises(UnknownEventShape) as refused:
        parse_event(stored({**MOVE, "data": data}))
    assert str(refused.value) == f"event 7 of type 'move-made' has an unknown shape: {why}"


@pytest.mark.parametrize(
    "step", [{"cause": "time"}, {"seat": 1, "cause": "time", "fault": None, "by": "x"}, {"seat": 1}, {}, "resigned"]
)
def test_a_step_of_a_line_is_refused_like_an_event_of_its_own(step):
    data = {"steps": [step], "salts": None}
    with pytest.raises(UnknownEventShape, match="is not recorded as MoveMade or DiceRolled or SeatWithdrawn"):
        parse_event(stored({**MOVE, "type": "line-copied", "data": data}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limits", {}),
        ("limits", {"move_ms": 1000}),
        ("limits", {"move_ms": "1000", "match_ms": None}),
        ("limits", {"move_ms": None, "match_ms": None}),
        ("limits", {"move_ms": 1000, "match_ms": None, "increment_ms": 1000}),
        ("limits", {"move_ms": None, "match_ms": 1000, "increment_ms": None}),
        ("limits", {"move_ms": None, "match_ms": 1000, "increment_ms": 1000, "delay_ms": 1000}),
        ("parent", {"match": "match-a"}),
        ("parent", {"match": 5, "ply": 1}),
    ],
)
def test_limits_and_parents_have_all_of_their_fields(field, value):
    created = next(json.loads(line) for line in LINES if '"match-created"' in line)
    event = {**created, "version": 7}
    parse_event(stored(event))
    with pytest.raises(UnknownEventShape):
        parse_event(stored({**event, "data": {**event["data"], field: value}}))


@pytest.mark.parametrize(
    "raw",
    [
        [],
        "text",
        {},
        *({**MOVE, **changed} for changed in ({"extra": 1}, {"at": "noon"}, {"version": 8}, {"data": []})),
        *({**MOVE, "data": data} for data in ({"seat": "1", "move": "d4"}, {"seat": True, "move": "d4"})),
        {**MOVE, "data": {"seat": 1, "move": None}},
        {**MOVE, "type": "seat-taken", "data": {"seat": 1, "player": "x"}},
        {**MOVE, "type": "seat-taken", "data": {"seat": 1, "player": {"player": "x", "name": "y"}}},
        {**MOVE, "type": "match-ended", "data": {"reason": "x", "ranks": [1, "2"]}},
    ],
)
def test_what_is_no_envelope_or_has_fields_of_another_type_is_refused(raw):
    with pytest.raises(StreamError):
        parse_event(stored(raw))
    with pytest.raises(NotCanonical):
        parse_event(StoredEvent(1, b"\xff", b""))


NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.text('a"\\,:{}', max_size=8)


@given(NUMBERS, NUMBERS, TEXTS, TEXTS, TEXTS, NUMBERS)
def test_a_move_is_written_as_any_event_is_and_read_back(version, at, by, cause, move, seat):
    event = Event(version, at, by, cause, MoveMade(seat, move))
    envelope = {"version": version, "type": "move-made", "at": at, "by": by, "cause": cause}
    assert format_event(event) == canonical_json({**envelope, "data": dump_data(event.data)})
    assert parse_event(StoredEvent(version, format_event(event), b"")) == event


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seat":1', b'"seat":01'),
        (b'"seat":1', b'"seat":1.0'),
        (b'"seat":1', b'"seat":"1"'),
        (b'"at":5', b'"at":-0.5'),
        (b'"at":5', b'"at":5,"at":5'),
        (b'"d4"', b'"d\xe4"'),
        (b'"d4"', b'"d\n4"'),
        (b'"d4"', b"null"),
        (b'"version":7', b'"version":8'),
        (b'"version":7}', b'"version":7}}'),
        (b'"version":7}', b'"version":7,"x":1}'),
    ],
)
def test_a_move_that_is_written_otherwise_is_refused(old, new):
    raw = format_event(Event(7, 5, "player:a", "00", MoveMade(1, "d4")))
    assert old in raw
    with pytest.raises(StreamError):
        parse_event(StoredEvent(7, raw.replace(old, new), b""))
