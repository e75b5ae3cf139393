"""The referee: simulators that are right agree, faults are found and shrunk, and nothing that one does hangs."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from plyscribe.domain.proofs.trials import Trial, draw_walk, record_trial, walk
from plyscribe.domain.record import format_record, parse_record
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.bridge.protocol import Fault
from plyscribe.service.cli.__main__ import cli
from plyscribe.service.cli.full_export import export_store
from plyscribe.service.client import Client
from plyscribe.service.referee.comparing import find_difference
from plyscribe.service.referee.judging import Referee
from plyscribe.service.referee.recorded import NotReadable, read_recorded
from plyscribe.service.referee.simulator import Simulator
from plyscribe.service.referee.simulator_lines import Said, parse_said
from tests.domain.matches import bundle_of, drawn
from tests.domain.test_vectors import Game, check
from tests.service.scripted import write_bot, write_program

EXAMPLE = Path(__file__).parents[2] / "examples" / "pathagon_simulator.py"
PAGE = Path(__file__).parents[2] / "docs" / "referee.md"
PATHAGON = find_ruleset("pathagon")
DEFAULTS = PATHAGON.parse_options({})
WITHIN_S = 60.0
SEATED = "[seat 1 Ann]\n[seat 2 Ben]\n"

FAULTS = {
    "a trapped square stays open": ("PA6", " and each not in self.closed]", "]", 3),
    "a piece never rests": ("PA5", " and each != self.resting[self.seat]]", "]", 12),
    "only one piece is trapped": ("PA8", "self.closed.append(prey)", "self.closed = [prey]", 5),
    "the border traps": (
        "PA4",
        "== seat:\n                self",
        "in (seat, *([None] * (partner[0] < 0))):\n                self",
        2,
    ),
    "a moved piece traps nothing": ("PA8", "if self.board.get(prey)", "if not source and self.board.get(prey)", 11),
    "the edges are swapped": ("PA10", "along = 2 - seat", "along = seat - 1", 9),
    "the limit comes late": ("PA11", "self.ply == self.limit", "self.ply - 1 == self.limit", 1),
    "who leaves wins": (None, "[2 if each == seat else 1", "[1 if each == seat else 2", 1),
    "a trapped piece rests on": ("PA8", "if self.resting[other] in self.closed", "if False", 12),
}
"""Faults of the example: the clause, the right text and the wrong one, and the fewest steps that can show it."""


def command(argv: list[str]) -> str:
    return " ".join(argv)


def run(*arguments: str, ruleset: str = "pathagon") -> Result:
    return CliRunner().invoke(cli, ["referee", ruleset, "--timeout", str(WITHIN_S), *arguments])


def hold_against(argv: list[str], *arguments: str) -> Any:
    """What the command tells of this simulator, as JSON, with its exit code."""
    result = run("--against", command(argv), *arguments, "--json")
    return {**json.loads(result.stdout), "code": result.exit_code}


def plant(folder: Path, fault: str) -> list[str]:
    """The example with a fault of the table."""
    _, right, wrong, _ = FAULTS[fault]
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text.count(right) == 1
    return write_program(folder, text.replace(right, wrong))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_example_agrees_and_knows_nothing_of_ours():
    told = hold_against([sys.executable, str(EXAMPLE)], "--matches", "12", "--steps", "120")
    assert (told["code"], told["result"], told["difference"], told["matches"]) == (0, "agrees", None, 12)
    assert told["compared"]["legal"] == told["compared"]["view"] == told["plies"] + 12
    assert not re.search(r"(import|from) plyscribe", EXAMPLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("answer", "compared"),
    [
        ("turn={'decision': ply % 2 + 1}", {"turn": 11}),
        ("legal=49 - ply", {"legal": 11}),
        ("view={'ply': ply, 'left': []}", {"view": 11}),
        ("turn=None, legal=None, view={'ply': ply}", {"view": 11}),
    ],
)
def test_a_simulator_is_compared_on_what_it_says(tmp_path, answer, compared):
    code = f"ply = 0 if asked['ask'] == 'start' else ply + 1\nsay(id=asked['id'], {answer})"
    told = hold_against(write_bot(tmp_path, code), "--options", "{}", "--matches", "1", "--steps", "10")
    assert (told["code"], told["plies"]) == (0, 10)
    assert {kind: count for kind, count in told["compared"].items() if count} == compared


def test_what_a_simulator_cannot_play_is_left_and_counted(tmp_path):
    code = """\
if asked["ask"] == "start" and asked["options"]["size"] != 7:
    say(id=asked["id"], unsupported="other sizes")
else:
    say(id=asked["id"], view={"left": []})
"""
    arguments = "--matches", "9", "--steps", "5", "--no-withdrawals"
    result = run("--against", command(write_bot(tmp_path, code)), *arguments)
    assert result.exit_code == 0
    assert re.search(r"it left \d match(es)? as unsupported: other sizes", result.stdout)


def test_the_simulator_of_the_page_agrees_and_its_slip_is_told_as_shown(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    agreeing = run("--against", command(write_program(tmp_path, code, "mysim")), ruleset="zhen")
    assert (agreeing.exit_code, agreeing.stdout.splitlines()[-1] in page) == (0, True)
    slip = write_program(tmp_path, code.replace("reserve[ply % 2]", "reserve[0]"), "mysim")
    told = run("--against", command(slip), ruleset="zhen").stdout.partition("position:")[0].splitlines()[1:]
    assert len(told) > 6
    assert all(f"    {line}\n" in page for line in told if line)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_and_shrunk_to_the_fewest_steps(tmp_path, fault):
    clause, _, _, steps = FAULTS[fault]
    told = hold_against(plant(tmp_path, fault))
    found = told["difference"]
    assert (told["code"], found["steps"], found["done"], found["steady"]) == (1, steps, True, True)
    assert found["steps_before"] >= steps
    assert clause is None or clause in found["clauses"]
    assert len(parse_record(found["record"]).steps) == steps


def test_the_vector_finds_the_fault_and_passes_our_rules(tmp_path):
    fault, found = "a trapped square stays open", tmp_path / "found"
    result = run("--against", command(plant(tmp_path, fault)), "--save", str(found))
    assert result.exit_code == 1
    assert "other legal moves, after 3 steps" in result.stdout
    assert re.search(r"ours:   46 legal moves\n  theirs: 47: with [a-g][1-7]\n", result.stdout)
    assert "clauses:\n  PA6 · Closed squares\nalso used in this match:\n  PA4 · Place or move\n" in result.stdout
    raw, steps = (found / "difference.jsonl").read_bytes(), FAULTS[fault][3]
    check(raw, Game(PATHAGON))

    class Open(Game):
        def legal(self, state: Any) -> list[str]:
            return super().legal(state._replace(closed=0))

    with pytest.raises(AssertionError, match=f"line {steps + 2}: legal moves"):
        check(raw, Open(PATHAGON))
    assert len(parse_record((found / "difference.plyrec").read_text(encoding="utf-8")).steps) == steps


def test_a_refusal_of_a_legal_step_is_a_difference(tmp_path):
    code = """\
refused = asked.get("do", {}).get("move", "").startswith("c")
say(id=asked["id"], **({"refused": "nobody plays there"} if refused else {"view": {"ruleset": "pathagon"}}))
"""
    told = hold_against(write_bot(tmp_path, code), "--matches", "3")
    found = told["difference"]
    assert (told["code"], found["kind"], found["steps"]) == (1, "refused", 1)
    assert found["theirs"] == "refused: nobody plays there"


def test_a_difference_is_kept_whole_without_runs(tmp_path):
    found = hold_against(plant(tmp_path, "a piece never rests"), "--shrink-runs", "0")["difference"]
    assert (found["steps"], found["runs"]) == (found["steps_before"], 0)


def test_a_difference_that_does_not_show_again_is_told_as_such(tmp_path):
    code = """\
count = globals().get("count", 0) + 1
say(id=asked["id"], turn={"decision": 9} if count == 4 else None)
"""
    result = run("--against", command(write_bot(tmp_path, code)), "--matches", "1", "--options", "{}")
    assert result.exit_code == 1
    assert "the simulator does not always answer the same" in result.stdout


@pytest.mark.parametrize(
    ("said", "about"),
    [
        (Said(turn={"decision": 2}), {"decision"}),
        (Said(turn={"over": {}}), {"decision, not over"}),
        (Said(turn={"decision": 1}, legal=48), {"count"}),
        (Said(legal=["a1", "a1"]), {"lacks", "twice"}),
        (Said(legal=["z9"]), {"lacks", "adds"}),
        (Said(view={"ply": 0, "reserve": [14, 13]}), {"reserve"}),
        (Said(turn={"decision": 1}, view={"ply": 0}, legal=49), None),
        (Said(), None),
    ],
)
def test_a_difference_says_what_it_is_about(said, about):
    state = PATHAGON.initial_state(DEFAULTS, 2)
    found = find_difference(PATHAGON, state, said, list(PATHAGON.legal_moves(state)))
    assert (found and set(found.about)) == about


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; sys.exit('no such board')", "exited with code 1. Its stderr, at its end:\n  no such board"),
        ("print('hello', flush=True); input(); input()", "a line without a question: hello"),
        ("input(); print('hello', flush=True); input()", "not a line of JSON: hello"),
        ("input(); print('x' * 5_000_000, flush=True); input()", "a line of more than 4194304 bytes"),
        ('input(); print(\'{"id": "7"}\', flush=True); input()', "the id is not that of the question"),
        ('input(); print(\'{"id": "1", "legal": 2.5}\', flush=True); input()', "legal must be a list of moves"),
    ],
)
def test_a_simulator_without_a_first_answer_cannot_be_run(tmp_path, code, why):
    result = run("--against", command(write_program(tmp_path, f"import time\n{code}")))
    assert (result.exit_code, result.stdout) == (2, "")
    # A line may come before or after the question is written.
    assert why in result.stderr or ("hello" in why and "hello" in result.stderr)


def test_a_silent_simulator_is_given_up_and_ended(tmp_path):
    code = f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    result = run("--against", command(write_program(tmp_path, code)), "--timeout", "3")
    assert (result.exit_code, "no answer within 3 s" in result.stderr) == (2, True)
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_simulator_that_says_nothing_is_not_said_to_agree(tmp_path):
    result = run("--against", command(write_bot(tmp_path, "say(id=asked['id'])")), "--matches", "2", "--steps", "5")
    assert (result.exit_code, "nothing was compared" in result.stderr) == (2, True)


def test_a_crash_in_a_match_is_shrunk_and_shown_with_its_stderr(tmp_path):
    code = 'assert asked.get("do") != {"move": "c3"}, "no c3 here"\nsay(id=asked["id"], view={"ruleset": "pathagon"})'
    result = run("--against", command(write_bot(tmp_path, code)), "--options", "{}")
    assert result.exit_code == 2
    assert "fails in a match of pathagon version 1, after 1 step\n  exited with code 1\n" in result.stdout
    assert "AssertionError: no c3 here" in result.stdout
    assert "\n1. c3\n" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--against", "no-such-program"], "no-such-program is not an executable program"),
        (["--against", "  "], "--against names no program"),
        (["--against", "'"], "is no command"),
        (["--against", "true", "--options", '{"size": 3}'], "option 'size' is 3; allowed: an integer 5..9"),
        (["--against", "true", "--seats", "3"], "option 'seats' is 3"),
        (["--against", "true", "--version", "9"], "unknown ruleset 'pathagon version 9'"),
        (["--against", "true", "--url", "http://127.0.0.1:9"], "http://127.0.0.1:9 does not answer: "),
        (["--against", "true", "--url", "http://127.0.0.1:9", "--seats", "2"], "recorded ones have their own"),
    ],
)
def test_a_wrong_request_says_what_to_do(arguments, why):
    result = run(*arguments)
    assert result.exit_code == 2
    assert why in result.stderr


@pytest.mark.parametrize(
    "fields",
    [
        *({"turn": turn} for turn in ({"decision": 1, "over": {}}, {"decision": "1"}, {"roll": {"dice": 2}}, [1])),
        *({"legal": legal} for legal in (["a1", 2], -1, True)),
        *({"view": []}, {"refused": 3}, {"unsupported": True}),
    ],
    ids=json.dumps,
)
def test_an_answer_of_another_shape_is_unreadable(fields):
    with pytest.raises(Fault, match="unreadable"):
        parse_said(json.dumps({"id": "1", **fields}).encode(), "1")


@pytest.fixture
def played() -> Iterator[str]:
    walked = draw_walk(PATHAGON, Trial(2, PATHAGON.parse_options({"size": 5})), "recorded", 60)
    return format_record(record_trial(PATHAGON, walked.trial))


def test_records_bundles_and_exports_are_read(tmp_path, played):
    bundle = bundle_of(drawn())
    lines = [
        {"match": "match-1", "cursor": "1", "record": played},
        {"match": "match-2", "cursor": None, "bundle": bundle.decode()},
    ]
    export = b"".join(json.dumps(line).encode() + b"\n" for line in [*lines, {"count": 2, "sha256": "…", "next": None}])
    for name, raw, lengths in (
        ("a.plyrec", played.encode(), [len(parse_record(played).steps)]),
        ("a.bundle.ndjson", bundle, [2]),
        ("export.ndjson", export, [len(parse_record(played).steps), 2]),
    ):
        found = list(read_recorded(PATHAGON, name, raw))
        assert [len(each.trial.steps) for each in found if each.trial] == lengths, name
        assert all(walk(PATHAGON, each.trial).trial == each.trial for each in found)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (f"[ruleset pathagon 1]\n{SEATED}\n1. z9".encode(), "line 5, column 4"),
        (b'{"events": 3}\n', "line 1 holds no match"),
        (b"{nonsense\n", "Expecting property name"),
        (b"\xff\xfe", "decode"),
    ],
)
def test_a_file_that_holds_no_match_is_refused(raw, why):
    with pytest.raises(NotReadable, match=re.escape(why)):
        list(read_recorded(PATHAGON, "file", raw))


def test_recorded_matches_are_held_against_and_others_left_out(tmp_path, played):
    records = {
        "good": played,
        "bad": f"[ruleset pathagon 1]\n[option ply_limit 2]\n{SEATED}\n1. a1 2. a2\n",
        "other": f"[ruleset zhen 1]\n{SEATED}\n1. +1\n",
    }
    for name, text in records.items():
        (tmp_path / f"{name}.plyrec").write_text(text, encoding="utf-8")
    argv = plant(tmp_path, "the limit comes late")
    files = [part for name in ("good", "other", "bad") for part in ("--records", str(tmp_path / f"{name}.plyrec"))]
    told = hold_against(argv, *files)
    assert (told["code"], told["difference"]["steps"]) == (1, 1)
    assert told["difference"]["match"].endswith("bad.plyrec")
    alone = run("--against", command(argv), "--records", str(tmp_path / "other.plyrec"))
    assert alone.exit_code == 2
    assert "1 match is not of pathagon version 1: left out" in alone.stderr
    assert "there is no match of pathagon version 1" in alone.stderr


def test_matches_of_a_server_and_of_a_whole_store_are_held_against(tmp_path, api, parts, monkeypatch):
    def connect(url: str, token: str | None, **_: float) -> Client:
        return Client(url, token, transport=httpx.WSGITransport(app=api.app))

    ann = connect("http://ours.localhost", api.sign_up()[1])
    for ruleset in ("pathagon", "zhen"):
        match = ann.create_match(ruleset, [{"bot": "random"}, None], options={"ply_limit": 2})["match"]
        ann.take_seat(match, 2)
    monkeypatch.setattr("plyscribe.service.client.Client", connect)
    export_store(parts.store, tmp_path / "store.ndjson")
    for source in (["--url", "http://ours.localhost"], ["--records", str(tmp_path / "store.ndjson")]):
        told = hold_against([sys.executable, str(EXAMPLE)], *source)
        assert (told["code"], told["matches"]) == (0, 1)


def test_a_damaged_match_of_an_export_is_left_out(tmp_path, played):
    lines = [{"match": "match-1", "fault": {"detail": "damaged"}}, {"match": "match-2", "record": "nonsense"}]
    text = "".join(json.dumps(line) + "\n" for line in [*lines, {"match": "match-3", "record": played}])
    (tmp_path / "export.ndjson").write_text(text, encoding="utf-8")
    result = run("--against", f"{sys.executable} {EXAMPLE}", "--records", str(tmp_path / "export.ndjson"))
    assert result.exit_code == 0
    assert "match-1 is left out, since it cannot be read: damaged" in result.stderr
    assert "match-2 is left out, since it cannot be read: line 1" in result.stderr
    assert "1 match with" in result.stdout


def test_lists_that_are_too_long_are_not_compared_and_a_closed_simulator_leaves_no_process(tmp_path):
    code = "say(id=asked['id'], legal=9999 if asked['legal'] else 1)"
    with Simulator(write_bot(tmp_path, code), WITHIN_S) as simulator:
        referee, walked = Referee(PATHAGON, simulator, most_legal=20), walk(PATHAGON, Trial(2, DEFAULTS, ("move a1",)))
        assert walked is not None
        assert (referee.judge(walked), referee.compared["legal"]) == (None, 0)
    code = "say(id=asked['id'], turn={'decision': 1}, view={}, refused=str(os.getpid()))"
    with Simulator(write_bot(tmp_path, code), WITHIN_S) as simulator:
        said = simulator.start(PATHAGON, Trial(2, DEFAULTS), asks_legal=True)
        assert said.refused is not None
        assert is_alive(int(said.refused))
    assert not is_alive(int(said.refused))
