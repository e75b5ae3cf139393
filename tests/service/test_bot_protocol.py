"""The lines between the bridge and a bot, as bytes."""

import json

import pytest

from plyscribe.service.bridge.protocol import (
    DRAW,
    MOVE,
    Answer,
    Fault,
    Question,
    format_error,
    format_question,
    parse_answer,
    shorten,
)


@pytest.mark.parametrize(
    ("line", "ask", "answer"),
    [
        (b'{"id": "q", "move": "d4"}', MOVE, Answer(move="d4")),
        (b'{"id": "q", "move": "d4", "resign": false, "nodes": 12}', MOVE, Answer(move="d4")),
        (b'{"id": "q", "resign": true}', MOVE, Answer(resign=True)),
        (b'{"id": "q", "draw": false}', DRAW, Answer(draw=False)),
        (b' {"id":"q","draw":true}\r', DRAW, Answer(draw=True)),
        (b'\xef\xbb\xbf{"id":"q","move":"d4"}', MOVE, Answer(move="d4")),
        (b'{"id":"x","id":"q","move":"d4"}', MOVE, Answer(move="d4")),
    ],
)
def test_an_answer_is_a_move_a_resignation_or_a_word_on_a_draw(line, ask, answer):
    assert parse_answer(line, "q", ask) == answer


NO_JSON = [b"d4", b"", b"\xff\xfe", b"[" * 100_000, b'["q", "d4"]', b'"q"', b'{"id": "q", "move": "d4"}' * 2]
WRONG_ID = [b'{"move": "d4"}', b'{"id": "p", "move": "d4"}', b'{"id": ["q"], "move": "d4"}']
NO_MOVE = [b"4", b'["d4"]', b'""', b'"\xc3\xa9"', b'"d4\\n"', b'"\\ud800"', b'"' + b"d" * 257 + b'"']
NO_ANSWER = [
    b"",
    b', "move": "d4", "resign": true',
    b', "move": null, "resign": false',
    b', "resign": 1',
    b', "draw": true',
]


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("not-json", NO_JSON),
        ("wrong-id", WRONG_ID),
        ("unreadable", [b'{"id": "q"' + rest + b"}" for rest in NO_ANSWER]),
        ("unreadable", [b'{"id": "q", "move": ' + move + b"}" for move in NO_MOVE]),
    ],
)
def test_a_line_that_is_not_an_answer_is_a_fault_of_its_kind(kind, lines):
    for line in lines:
        with pytest.raises(Fault) as found:
            parse_answer(line, "q", MOVE)
        assert found.value.kind == kind, line


def test_a_question_is_one_line_with_all_fields():
    question = Question("q", MOVE, "match-1", "zhen", 1, {}, [{"seat": 1}], 1, 0, {"a\n": 1}, [], ["+1"], True, None)
    line = format_question(question)
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    fields = "id ask match ruleset ruleset_version options seats seat ply view moves legal legal_complete deadline_ms"
    assert list(json.loads(line)) == [*fields.split(), "draw_offered_by"]


def test_an_error_line_says_what_was_wrong_and_how_many_tries_are_left():
    line = json.loads(format_error("q", Fault("unreadable", "nothing in it"), 2))
    error = {"code": "answer/unreadable", "clause": None, "message": "nothing in it", "legal": [], "tries_left": 2}
    assert line == {"id": "q", "error": error}


def test_output_of_a_bot_cannot_control_the_terminal():
    assert shorten(b"\x1b[2Jhello\xff") == "?[2Jhello\ufffd"
    assert len(shorten(b"x" * 500)) < 100
