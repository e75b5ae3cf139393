"""`plyscribe record` plays what was typed, says where it is wrong, and lays out what is right."""

import pytest
from click.testing import CliRunner

from plyscribe.service.cli.__main__ import cli

TYPED = "[ruleset zhen]\n[seat 1 Ada]\n[seat 2 Béa]\n\n+5 +3\n{hm} (2 resigned)\n"
LAID_OUT = (
    "[ruleset zhen 1]\n[option tiles 10]\n[option cubes 10]\n[option ply_limit 200]\n"
    "[seat 1 Ada]\n[seat 2 Béa]\n[result 1-2 withdrawal]\n\n1. +5 2. +3 {hm} (2 resigned)\n"
)
WRONG = TYPED.replace("+3", "+5")


def run(*arguments, stdin=None):
    ran = CliRunner().invoke(cli, ["record", *map(str, arguments)], input=stdin)
    assert ran.exception is None or isinstance(ran.exception, SystemExit)
    return ran.exit_code, ran.stdout, ran.stderr


@pytest.fixture
def typed(tmp_path):
    path = tmp_path / "evening.plyrec"
    path.write_text(TYPED, encoding="utf-8")
    return path


@pytest.fixture
def wrong(tmp_path):
    path = tmp_path / "wrong.plyrec"
    path.write_text(WRONG, encoding="utf-8")
    return path


def test_a_record_is_printed_in_its_canonical_layout(typed):
    assert run(typed) == run("-", stdin=TYPED) == (0, LAID_OUT, "")


def test_a_fault_is_told_with_file_line_and_column_and_does_not_hide_other_files(typed, wrong):
    advice = "tile 5 is not empty. Put the cube on an empty tile, or move cubes."
    told = f"{wrong}:5:4: illegal move '+5' at move 2: ZH4, {advice}\n"
    assert run(wrong) == run("--check", wrong) == (1, "", told)
    assert run(wrong, typed, wrong) == (1, LAID_OUT, told * 2)
    assert run("--check", typed) == (0, "", "")


def test_writing_puts_the_layout_in_place_and_leaves_faulty_files_alone(typed, wrong):
    assert run("--write", typed, wrong)[:2] == (1, "")
    assert typed.read_text(encoding="utf-8") == LAID_OUT
    assert wrong.read_text(encoding="utf-8") == WRONG


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"[seat 2 {'B' * 65}]", "a name must have 1 to 64 printable characters"),
        ("[seat2 Béa]", "this header has no space before its number: [seat 2 …]"),
        ("[seat 2 Béa] [Über x]", "'über' is no key"),
        (f"[seat 2 Béa] [event {'x' * 201}]", "event must have 1 to 200 printable characters"),
        ("[seat 2 Béa] " + "".join(f"[note{number} x]" for number in range(17)), "at most 16 headers like this one"),
        (f"[seat 2 Béa] {{{'x' * 131_072}}}", "is longer than 131072"),
    ],
)
def test_a_check_finds_what_an_import_would_where_it_stands(tmp_path, line, why):
    path = tmp_path / "evening.plyrec"
    path.write_text(TYPED.replace("[seat 2 Béa]", line), encoding="utf-8")
    code, _, told = run("--check", path)
    assert (code, why in told) == (1, True), told
    assert told.startswith(f"{path}:{'1:1' if 'longer' in why else 3}:"), told


def test_a_note_may_be_called_like_a_seat_that_is_there(tmp_path):
    path = tmp_path / "evening.plyrec"
    path.write_text(TYPED.replace("[seat 2 Béa]", "[seat 2 Béa] [seat1 late] [seat2024 x]"), encoding="utf-8")
    written = run(path)[1]
    assert "[seat1 late]\n[seat2024 x]" in written
    assert run("-", stdin=written) == (0, written, "")


def test_what_is_no_text_or_not_there_is_told(tmp_path):
    path = tmp_path / "x.plyrec"
    path.write_bytes("[seat 1 é]\n[é".encode() + b"\xff]")
    assert run(path) == (1, "", f"{path}:2:3: this is not UTF-8\n")
    nowhere = tmp_path / "nowhere.plyrec"
    assert run(nowhere) == (1, "", f"{nowhere}: No such file or directory\n")


def test_comments_say_what_each_step_did_on_request(tmp_path):
    path = tmp_path / "evening.plyrec"
    path.write_text("[ruleset pathagon]\n[seat 1 Ada]\n[seat 2 Bea]\n\nc3 {Bold.} c4\n", encoding="utf-8")
    _, told, _ = run("--effects", "--language", "de", path)
    assert "1. c3 {Ada setzt einen Stein aus dem Vorrat auf c3.} {Bold.} 2. c4 {Bea setzt" in told
    assert run("--effects", "--write", path)[0] == 0
    once = path.read_text(encoding="utf-8")
    assert "{Bea places a piece from the reserve on c4.}" in " ".join(once.split())
    run("--effects", "--write", path)
    assert path.read_text(encoding="utf-8") == once
    assert "Bold." in run(path)[1]
