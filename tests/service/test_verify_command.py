"""`plyscribe verify`, and the few lines that do the same with the domain alone."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import plyscribe
from plyscribe.domain.bundle.bundle import format_bundle, parse_bundle
from plyscribe.domain.chain import canonical_json, first_link, link_all
from plyscribe.service.cli.__main__ import cli
from tests.domain.given import STREAM, Table, hot_seat
from tests.domain.matches import bundle_of, drawn, played_to_its_end, resealed, under_way

ROOT = Path(__file__).parents[2]
OTHER = "match-" + "b" * 26


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, raw: bytes) -> str:
    Path(name).write_bytes(raw)
    return name


def receipt(table: Table, version: int, **other: Any) -> str:
    return json.dumps({"match": STREAM, "version": version, "hash": table.entries[version - 1].h.hex(), **other})


def run(*asked: str, **more: Any) -> Result:
    return CliRunner().invoke(cli, ["verify", *asked], catch_exceptions=False, **more)


def told(*asked: str) -> list[dict[str, Any]]:
    return json.loads(run(*asked, "--json").stdout)


def test_a_bundle_that_is_right_is_told_so_and_what_there_was_not_to_check():
    ran = run(write("a.ndjson", bundle_of(played_to_its_end())))
    assert ran.exit_code == 0
    assert ran.stdout.startswith(f"ok          a.ndjson · {STREAM} · scored · ")
    assert "right: form, head, behaviour, chain, canonical, rules, dice, outcome, verdict\n" in ran.stdout
    assert "seeds: it was created without bots\n" in ran.stdout
    ran = run("-", input=bundle_of(under_way()))
    assert (ran.exit_code, "dice: they are secret until the match ends" in ran.stdout) == (0, True)


def test_a_changed_byte_is_told_with_its_line():
    raw = bundle_of(drawn())
    ran = run(write("a.ndjson", raw.replace(b'"move":"b2"', b'"move":"c2"')))
    assert ran.exit_code == 1
    line = 1 + raw[: raw.index(b'"move":"b2"')].count(b"\n")
    assert re.match(rf"fault +a\.ndjson · {STREAM}", ran.stdout)
    assert f"form: line {line}: the hash of event {line - 1} does not follow" in ran.stdout


def test_what_one_wrong_event_leaves_unchecked_is_told_once():
    events = [{**json.loads(entry.e), "by": "player:nobody"} for entry in drawn().entries]
    entries = link_all(first_link(STREAM), 1, map(canonical_json, events))
    ran = run(write("a.ndjson", b"".join(format_bundle(parse_bundle(bundle_of(drawn())).head, entries))))
    assert ran.exit_code == 1
    assert re.search(r"^ +rules: line 3: ", ran.stdout, re.MULTILINE)
    assert re.search(
        r"^ +dice, seeds, outcome, verdict: not checked from event 2 on, which is wrong$", ran.stdout, re.MULTILINE
    )


@pytest.mark.parametrize("raw", [b"", b"{}\n", b"GIF89a", b'[Ruleset "zhen"]\n'])
def test_what_is_no_bundle_is_unreadable(raw):
    ran = run(write("a.ndjson", raw), "missing.ndjson")
    assert ran.exit_code == 2
    assert len(re.findall(r"^unreadable", ran.stdout, re.MULTILINE)) == 2
    assert "No such file" in ran.stdout


def test_a_ruleset_that_is_not_known_here_is_no_success(monkeypatch):
    bundle = write("a.ndjson", bundle_of(drawn()))
    monkeypatch.setattr("plyscribe.domain.rulesets.RULESETS", [])
    ran = run(bundle)
    assert ran.exit_code == 2
    assert ran.stdout.startswith("unknown ")
    assert "pathagon version 1 is not known here" in ran.stdout


def test_a_receipt_that_fits_is_right_and_one_of_a_rewritten_match_is_not():
    table, rewritten = hot_seat("zhen"), hot_seat("zhen")
    table.play("+5", "+6")
    rewritten.play("+5", "+7")
    kept = write("kept", "\n".join((receipt(table, 3), receipt(table, 4, turn=None))).encode())
    assert run(write("a", bundle_of(table)), "--receipt", kept).exit_code == 0
    assert run(write("b", bundle_of(rewritten))).exit_code == 0
    ran = run("b", "--receipt", kept)
    assert ran.exit_code == 1
    assert "receipt: line 5: the receipt for version 4 names the hash" in ran.stdout


def test_a_receipt_without_its_bundle_is_missed():
    table = drawn()
    kept = write("kept", receipt(table, 2).replace(STREAM, OTHER).encode())
    ran = run(write("a", bundle_of(table)), "--receipt", kept)
    assert ran.exit_code == 2
    assert f"unreadable{OTHER}" in ran.stdout.replace(" ", "")
    assert "there is a receipt of this match, but no bundle" in ran.stdout


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        *((raw, "line 1 is not a receipt") for raw in (b"{}", b'{"code":"move/illegal"}', b"\xff")),
        *((raw, "it holds no receipt") for raw in (b"", b'{"code": "match/over", "status": 409}')),
    ],
)
def test_what_is_no_receipt_is_no_proof(raw, why):
    ran = run(write("a", bundle_of(drawn())), "--receipt", write("kept", raw))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert f"kept: {why}" in ran.stderr
    assert run("a", "--receipt", "nowhere").exit_code == 2


def test_a_ruleset_of_ones_own_that_cannot_be_loaded_is_no_fault_of_a_match(monkeypatch):
    monkeypatch.setenv("PLYSCRIBE_RULESETS", "nowhere:GAME")
    ran = run(write("a", bundle_of(drawn())))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: ")


def test_it_tells_programs_the_same_and_of_several_bundles_the_worst_counts():
    raw = bundle_of(drawn())
    good, bad, none = told(write("a", raw), write("b", raw.replace(b'"b2"', b'"c2"')), "missing")
    assert [run(*names).exit_code for names in (("a", "a"), ("a", "missing"), ("a", "b", "missing"))] == [0, 2, 1]
    assert (good["file"], good["match"], good["result"], good["fault"], good["line"]) == ("a", STREAM, "ok", None, None)
    assert {check["check"]: check["result"] for check in good["checks"]}["dice"] == "none"
    assert (bad["result"], bad["fault"]["check"], bad["line"]) == ("fault", "form", bad["fault"]["version"] + 1)
    assert (none["result"], none["why"]) == ("unreadable", "No such file or directory")


def test_what_stands_in_a_bundle_does_not_drive_the_terminal():
    raw = bundle_of(drawn()).replace(b'"ruleset":"pathagon"', b'"ruleset":"\\u001b[2Jpathagon"', 1)
    lines = raw.splitlines(keepends=True)
    ran = run(write("a", resealed(lines)))
    assert ran.exit_code == 1
    assert "\x1b" not in ran.stdout
    assert "?[2Jpathagon" in ran.stdout


def test_the_domain_alone_verifies_a_bundle_with_nothing_installed(tmp_path):
    [script] = re.findall(r"```python\n(import sys\n.+?)```", (ROOT / "docs" / "guide.md").read_text(), re.DOTALL)
    shutil.copytree(Path(plyscribe.__file__).parent / "domain", tmp_path / "plyscribe" / "domain")
    Path("verify.py").write_text(f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{script}")
    raw = bundle_of(drawn())
    for name, bytes, code in (("good", raw, 0), ("bad", raw.replace(b'"b2"', b'"c2"'), 1)):
        ran = alone("verify.py", write(name, bytes))
        assert ran.returncode == code, ran.stderr
        assert ("fault" in ran.stdout) == bool(code)
    assert "ok rules" in alone("verify.py", "good").stdout
    for library in ("click", "rich", "plyscribe.service", "flask", "pytest"):
        assert "ModuleNotFoundError" in alone("-c", f"import {library}").stderr


def alone(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Python without site-packages, the environment and the current folder: the standard library is all there is."""
    return subprocess.run([sys.executable, "-I", "-S", *arguments], capture_output=True, text=True, check=False)
