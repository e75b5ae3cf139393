"""The lines of Python in docs/verification.md do what it says of them."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import orjson
import pytest

from plyscribe.domain.bundle.bundle import format_event_line
from plyscribe.domain.commands import AddEntropy, CreateMatch, RevealDice, StartMatch, TakeSeat, Withdraw
from plyscribe.domain.dice import commit
from plyscribe.domain.events import LineCopied, SharedDice
from plyscribe.domain.line import copy_line
from tests.domain.given import ANN, BEN, SECRET, STREAM, SYSTEM, Table, account, new_match

DOC = (Path(__file__).parents[1] / "docs" / "verification.md").read_text(encoding="utf-8")
CHAIN = dedent(re.search(r"\n\n((?:    .*\n|\n)+?)\nThe chain proves", DOC)[1])
DICE = re.search(r"```python\n(.+?)```", DOC, re.DOTALL)[1]


@pytest.fixture
def played() -> Table:
    table = new_match("toy", (account(ANN), None), start="call")
    table.when(TakeSeat, BEN, seat=2, entropy='ben\'s "salt"')
    table.when(AddEntropy, ANN, entropy="\\ann")
    table.when(StartMatch, ANN)
    while table.status == "playing":
        table.play("push")
    return table


def run(tmp_path: Path, script: str, lines: list[bytes], *more: str) -> subprocess.CompletedProcess:
    (tmp_path / "match.ndjson").write_bytes(b"".join(line + b"\n" for line in [*lines, b'{"count":1}']))
    argv = [sys.executable, "-I", "-c", script, str(tmp_path / "match.ndjson"), *more]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60)


def check_dice(tmp_path: Path, table: Table) -> None:
    done = run(tmp_path, DICE, [format_event_line(entry) for entry in table.entries])
    assert re.match(r"[1-9]\d* rolls follow", done.stdout), done.stderr


def test_the_dice_of_an_export_are_checked(tmp_path, played):
    check_dice(tmp_path, played)


def test_the_dice_of_a_fork_that_goes_on_with_them_are_checked(tmp_path, played):
    salts, line = played.match.life.entropies, copy_line(played.entries, 1)
    parent = {"match": STREAM, "ply": 1}
    fork = Table()
    solo, dice = (account(ANN), account(ANN)), played.match.life.created.dice
    fork.when(CreateMatch, ANN, ruleset="toy", seats=solo, dice=dice, parent=parent, line=LineCopied(line, salts))
    while fork.status == "playing":
        fork.play("push")
    check_dice(tmp_path, fork)


def test_the_dice_of_a_block_are_checked(tmp_path):
    shared = SharedDice("block-x", commit(SECRET), "0123456789abcdef", (STREAM, "match-y"))
    table = new_match("toy", (account(ANN), account(ANN)), dice=shared)
    table.when(Withdraw, ANN, seat=1)
    table.when(RevealDice, SYSTEM)
    check_dice(tmp_path, table)


def test_a_wrong_roll_is_found(tmp_path, played):
    lines = [format_event_line(entry) for entry in played.entries]
    place = max(n for n, line in enumerate(lines) if b'"dice-rolled"' in line)
    wrong = orjson.loads(lines[place])
    wrong["data"]["values"][0] = wrong["data"]["values"][0] % wrong["data"]["sides"] + 1
    done = run(tmp_path, DICE, [*lines[:place], orjson.dumps(wrong), *lines[place + 1 :]])
    assert f"at version {place + 1} is wrong" in done.stderr


def test_the_chain_of_an_export_is_checked(tmp_path, played):
    lines = [format_event_line(entry) for entry in played.entries]
    assert run(tmp_path, CHAIN, lines, STREAM).stdout.strip() == played.match.head.hex()
    assert "AssertionError: 3" in run(tmp_path, CHAIN, [lines[0], *lines[2:]], STREAM).stderr
    assert "AssertionError: 1" in run(tmp_path, CHAIN, lines, "match-" + "b" * 26).stderr
