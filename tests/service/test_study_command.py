"""`plyscribe study` finds what is known of a toy, again and again, however often it is stopped and by how many."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import plyscribe.service.laboratory
from plyscribe.domain.rulesets import register
from plyscribe.service.cli import study as command
from plyscribe.service.cli.__main__ import cli
from plyscribe.service.laboratory.catalogue import MEASURES
from plyscribe.service.laboratory.notebook import Notebook, StudyError
from plyscribe.service.laboratory.studies import Request, count_matches, make_plan, make_study
from plyscribe.service.laboratory.study_subject import find_subject
from tests.service.toy_contest import CONTEST_V1

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((Path(plyscribe.service.laboratory.__file__).parent / "study.schema.json").read_text())
SMALL_ZHEN = ["zhen", "--options", '{"tiles": 4, "cubes": 2}', "--matches", "8", "--playouts", "1", "--opening", "2"]


@pytest.fixture(autouse=True)
def contest():
    register(CONTEST_V1)


def find(folder, matches=48, options=None, against=None, seats=None, workers=1, progress=lambda task: None):
    subject = find_subject("contest", seats, options or {})
    other = None if against is None else find_subject("contest", seats, against)
    request = Request(subject, matches, 1, 7, 0, other)
    with Notebook(folder / "notes.jsonl", request.describe()) as notebook:
        found = make_study(request, notebook, workers, progress)
    # What is written is JSON.
    return json.loads(json.dumps(found))


def run(*asked):
    return CliRunner().invoke(cli, ["study", *asked])


def validate(found, name):
    Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{name}"}).validate(found)


@pytest.fixture(scope="module")
def dice(tmp_path_factory):
    register(CONTEST_V1)
    return find(tmp_path_factory.mktemp("dice"), 160, {"decides": "die", "sides": 4})


@pytest.fixture(scope="module")
def skill(tmp_path_factory):
    register(CONTEST_V1)
    return find(tmp_path_factory.mktemp("skill"), 48, {"dice": True})


def test_a_game_of_pure_dice_is_all_luck_and_its_known_advantage_of_a_seat_is_within_the_interval(dice):
    for found in dice["play"].values():
        first, second = (seat["score"] for seat in found["seats"])
        assert 0.5 < first["low"] < 0.75 < first["high"]
        assert first["value"] + second["value"] == pytest.approx(1)
    assert any("seat 1 scores" in sentence for sentence in dice["conclusions"])
    for found in dice["luck"].values():
        assert (found["luck"]["value"], found["skill"]["value"], found["shares"]["dice"]) == (1, 0, 1)
    for each in dice["gradient"]:
        assert each["score"]["low"] <= 0.5 <= each["score"]["high"], "no bot beats another"


def test_a_game_of_skill_has_a_gradient_and_idle_dice_are_no_luck(skill):
    assert skill["luck"]["all_bots"]["luck"]["value"] == 0
    assert skill["luck"]["all_bots"]["skill"]["low"] > 0.3
    assert skill["gradient"][0]["score"]["low"] > 0.5
    assert "greedy beats random" in " ".join(skill["conclusions"])


def test_what_an_option_changes_is_noticed(dice):
    [change] = [each["measures"] for each in dice["options"] if each["option"] == "decides"]
    # By picks greedy bots always tie: the score of seat 1 falls by a quarter, and every match is drawn.
    assert change["seat_1_score"]["mean"]["value"] == 0.5
    assert change["draws"]["change"]["value"] == 1
    changes = {each["value"]: each["measures"] for each in dice["options"] if each["option"] == "sides"}
    for sides, advantage in ((2, 0.5), (6, 5 / 6)):
        mean = changes[sides]["seat_1_score"]["mean"]
        assert mean["low"] < advantage < mean["high"]


def test_branching_and_length_are_those_of_the_rules_and_equal_matches_are_counted_once(skill):
    for found in skill["play"].values():
        choices, length = found["choices"], found["length"]
        assert choices["branching_factor"] == {"value": 10, "low": 10, "high": 10, "n": 48}
        assert (choices["decision_moves"]["value"], choices["game_tree_complexity"]["value"]) == (1, 2)
        assert (length["plies"]["mean"]["value"], length["rolls"]["mean"]["value"]) == (2, 1)
    # Greedy bots pick 9 both; the die shows 1 or 2.
    assert skill["play"]["greedy"]["different"] == 2


def test_a_kind_of_move_that_greedy_bots_never_choose_is_dead_and_the_other_dominant(skill):
    kinds = {each["kind"]: (each["verdict"], each["by_chance"]) for each in skill["kinds"]["greedy"]}
    assert kinds == {"picked": ("dominant", 0.9), "bluffed": ("dead", 0.1)}
    assert {each["verdict"] for each in skill["kinds"]["random"]} == {None}


def test_a_clause_that_no_match_can_reach_or_only_with_another_option_is_named(skill, tmp_path):
    statuses = {each["clause"]: each["status"] for each in skill["clauses"]}
    assert statuses == {"TC1": "seen", "TC2": "seen", "TC3": "seen", "TC4": "unseen"}
    assert skill["unseen_effects"] == ["exploded", "ended ply-limit"]
    [rolls] = [each for each in find(tmp_path, 8)["clauses"] if each["clause"] == "TC2"]
    assert (rolls["status"], rolls["only_with"]) == ("variant", ["decides = die", "dice = true"])


def test_three_seats_are_studied_too_and_findings_keep_the_schema(tmp_path, dice, skill):
    Draft202012Validator.check_schema(SCHEMA)
    three = find(tmp_path, 8, seats=3)
    for found in (dice, skill, three):
        validate(found, "report")
    assert len(three["play"]["random"]["seats"]) == 3
    assert sum(seat["score"]["value"] for seat in three["play"]["random"]["seats"]) == pytest.approx(1.5)


def test_a_comparison_stops_as_soon_as_it_knows(tmp_path):
    found = find(tmp_path, 2000, {"decides": "die", "sides": 6}, {"decides": "die", "sides": 2})
    validate(found, "comparison")
    measures = found["comparison"]["measures"]
    assert (measures["seat_1_score"]["verdict"], measures["plies"]["verdict"]) == ("less", "same")
    assert measures["seat_1_score"]["change"]["low"] < 3 / 6 - 5 / 6 < measures["seat_1_score"]["change"]["high"]
    assert found["comparison"]["boards"] < 2000
    assert "the score of seat 1 is less" in " ".join(found["conclusions"])


def test_a_subject_compared_with_itself_is_the_same_and_what_is_not_decided_stays_open(tmp_path):
    found = find(tmp_path / "same", 500, {"decides": "die"}, {"decides": "die"})["comparison"]["measures"].values()
    assert {(each["verdict"], each["change"]["value"]) for each in found} == {("same", 0)}
    found = find(tmp_path / "open", 8, {"decides": "die"}, {"decides": "picks"})
    assert found["comparison"]["boards"] == 8
    assert "nothing is decided yet" in found["conclusions"][0]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_study_that_was_stopped_goes_on_where_it_stopped(tmp_path, monkeypatch, workers):
    monkeypatch.setenv("PLYSCRIBE_RULESETS", "tests.service.toy_contest:CONTEST_V1")
    monkeypatch.chdir(ROOT)
    done = []

    def stop_after_five(task):
        done.append(task.name)
        if len(done) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find(tmp_path / "a", 24, workers=workers, progress=stop_after_five)
    notes = tmp_path / "a" / "notes.jsonl"
    kept = notes.read_bytes()
    # The head, five tasks, and what other workers had begun by then.
    assert 6 <= kept.count(b"\n") <= 5 + 2 * workers
    notes.write_bytes(kept + b'{"task": "half a li')
    assert find(tmp_path / "a", 24) == find(tmp_path / "b", 24)
    assert notes.read_bytes().startswith(kept)
    names = Counter(json.loads(line).get("task") for line in notes.read_text().splitlines())
    assert set(names.values()) == {1}


def test_the_plan_knows_how_many_matches_it_has_and_notes_of_another_study_are_refused(tmp_path):
    seen = []
    find(tmp_path, 24, progress=seen.append)
    assert sum(task.matches for task in seen) == count_matches(Request(find_subject("contest", 2, {}), 24, 1, 7, 0))
    assert len({task.name for task in seen}) == len(seen)
    with pytest.raises(StudyError, match="another study"):
        find(tmp_path, 9)
    # Line-ups of more seats are a sample, half of it without random bots.
    lineups = make_plan(Request(find_subject("contest", 3, {}), 24, 1, 7, 0)).luck.lineups
    assert len(set(lineups)) == 16
    assert sum(all(rung.name != "random" for rung in lineup) for lineup in lineups) == 8


def test_the_same_command_writes_the_same_files_with_any_number_of_workers(tmp_path):
    for name, workers in (("one", "1"), ("two", "2")):
        ran = run(*SMALL_ZHEN, "--seed", "3", "--workers", workers, "--out", str(tmp_path / name))
        assert ran.exit_code == 0, ran.output
    files = {path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()}
    assert {str(path) for path in files} > {"study.json", "study.html", "notes.jsonl", "plots/seats.svg"}
    for path in files:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes(), path


def find_attributes(text, *names):
    """The values of attributes with these names."""
    return set(re.findall(rf'(?<![\w-])(?:{"|".join(names)})="([^"]+)"', text))


def test_the_report_is_one_file_with_a_note_for_every_measure(tmp_path):
    ran = run(*SMALL_ZHEN, "--out", str(tmp_path))
    assert ran.exit_code == 0, ran.output
    text = (tmp_path / "study.html").read_text(encoding="utf-8")
    ids = find_attributes(text, "id")
    assert find_attributes(text, "src", "srcset", "data") == set()
    assert {target.removeprefix("#") for target in find_attributes(text, "href")} <= ids
    assert {f"m{number}" for number in range(1, len(MEASURES) + 1)} <= ids
    assert "@import" not in text
    [again] = re.findall("<pre>(.+?)</pre>", text)
    assert again.startswith("plyscribe study zhen:1 --seats 2")
    for plot in (tmp_path / "plots").iterdir():
        svg = plot.read_text(encoding="utf-8")
        assert svg in text
        assert len(svg) < 60_000


def test_the_command_in_a_report_names_everything_that_the_study_depends_on():
    subject = find_subject("zhen", 2, {"tiles": 4, "cubes": 2})
    assert command.format_command(Request(subject, 8, 1, 0, 2)) == (
        """plyscribe study zhen:1 --seats 2 --options '{"tiles": 4, "cubes": 2}' """
        "--matches 8 --playouts 1 --opening 2 --seed 0"
    )


def test_a_ruleset_of_somebody_else_is_studied_in_worker_processes(tmp_path, monkeypatch):
    monkeypatch.setenv("PLYSCRIBE_RULESETS", "tests.service.toy_contest:CONTEST_V1")
    monkeypatch.chdir(ROOT)
    sizes = ["--matches", "8", "--playouts", "1", "--opening", "0", "--workers", "2"]
    ran = run("contest", "--against-options", '{"decides": "die"}', *sizes, "--out", str(tmp_path))
    assert ran.exit_code == 0, ran.output
    validate(json.loads((tmp_path / "study.json").read_text()), "comparison")
    assert "wrote" in ran.output


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        (["chess"], "unknown ruleset 'chess'"),
        (["zhen:9"], "unknown ruleset 'zhen version 9'"),
        (["zhen:x"], "a whole number after the colon"),
        (["zhen", "--seats", "5"], "option 'seats' is 5"),
        (["zhen", "--options", '{"tiles": 99}'], "option 'tiles' is 99"),
        (["zhen", "--against", "rings", "--against-options", '{"target": 0}'], "option 'target' is 0"),
        (["zhen", "--matches", "7"], "7 is not in the range"),
        (["contest", "--matches", "8", "--playouts", "1"], "give fewer with --opening"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_a_line(tmp_path, asked, refusal):
    ran = run(*asked, "--out", str(tmp_path))
    assert ran.exit_code == 2
    assert refusal in ran.output
    assert not (tmp_path / "study.html").exists()


def test_without_its_libraries_the_command_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "LIBRARIES", ("a_module_that_nobody_has",))
    ran = run("zhen", "--out", str(tmp_path))
    assert (ran.exit_code, 'pip install "plyscribe[study]"' in ran.output) == (2, True)


@pytest.mark.server
def test_ctrl_c_while_workers_start_is_told_once_by_the_command(tmp_path):
    # Tests that run in the background of a shell ignore Ctrl-C, and what they start would too.
    program = ["env", "--default-signal=INT", sys.executable, "-m", "plyscribe", "study", *SMALL_ZHEN]
    # Too many matches to finish before the signal.
    sizes = ["--matches", "5000", "--workers", "2", "--out", str(tmp_path / "out")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    how = {"cwd": tmp_path, "env": environment, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([*program, *sizes], **how) as study:
        children = Path(f"/proc/{study.pid}/task/{study.pid}/children")
        # The first is the tracker of what the workers share.
        while study.poll() is None and len(children.read_text().split()) < 2:
            time.sleep(0.005)
        assert study.poll() is None
        os.killpg(study.pid, signal.SIGINT)  # as a terminal does
        _, errors = study.communicate(timeout=120)
    assert "Traceback" not in errors
    assert errors.count("stopped; what is done is kept") == 1
    assert study.returncode == 128 + signal.SIGINT
