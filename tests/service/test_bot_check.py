"""`plyscribe bot check` finds every way in which a bot can be wrong, and passes a bot that is right."""

import json

import pytest
from click.testing import CliRunner

from plyscribe.domain.rulesets import find_ruleset, register
from plyscribe.service.bridge.bot_check import BotCheck, Checked
from plyscribe.service.cli.__main__ import cli
from tests.domain.toy import TOY_V1
from tests.service.scripted import FIRST, write_bot, write_program


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check a bot that runs this code in this many positions of zhen."""
    monkeypatch.setattr("plyscribe.service.bridge.bot_process.END_WITHIN_S", 60.0)

    def run(
        code: str, wanted: int = 4, timeout_s: float = 60.0, *, program: bool = False, ask_draws: bool = False
    ) -> Checked:
        argv = (write_program if program else write_bot)(tmp_path, code)
        checking = BotCheck(argv, timeout_s, ask_draws=ask_draws)
        try:
            return checking.check(find_ruleset("zhen"), wanted)
        finally:
            checking.kill()

    return run


def kinds(checked: Checked) -> list[str]:
    return [finding.kind for finding in checked.findings]


def test_a_right_bot_passes_and_resigning_is_no_fault(check):
    checked = check(FIRST, 20)
    assert (checked.is_sound, checked.asked, checked.moves, kinds(checked)) == (True, 20, 20, [])
    assert len(checked.times_s) == 19
    checked = check('say(id=asked["id"], resign=True)')
    assert (checked.is_sound, checked.moves, checked.resigned) == (True, 0, 4)


def test_a_bot_is_asked_about_draws_on_request(check):
    code = f"say(id=asked['id'], draw=asked['draw_offered_by'] == 1) if asked['ask'] == 'draw' else {FIRST}"
    asked, unasked = check(code, 9, ask_draws=True), check(code, 9)
    assert (asked.is_sound, asked.asked, asked.moves, asked.draws, unasked.draws) == (True, 9, 9, 3, 0)
    [finding] = check("say(id=asked['id'], move=(asked['legal'] or ['+1'])[0])", 3, ask_draws=True).findings
    assert (finding.kind, finding.question.ask, finding.question.legal) == ("unreadable", "draw", [])
    assert finding.question.draw_offered_by != finding.question.seat


def test_some_questions_have_a_deadline_and_some_list_only_a_few_moves(check):
    code = f"""
        print(asked["deadline_ms"], asked["legal_complete"], len(asked["legal"]) == 4, flush=True)
        {FIRST}
    """
    checked = check(code.replace("\n        ", "\n"), 30)
    shown = {finding.why.removeprefix("not a line of JSON: ") for finding in checked.findings}
    assert {"None True False", "60000 True False"} <= shown
    assert any(each.endswith("False True") for each in shown)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('say(id=asked["id"], move="+99")', ["unreadable"] * 4),
        ('say(id=asked["id"], move="1-2")', ["illegal"] * 4),
        (f"{FIRST} if asked['ply'] else sys.exit(1)", ["died"]),
        (f"{FIRST} if asked['ply'] else print('x' * 70_000)", ["too-long"]),
    ],
)
def test_each_fault_is_found_and_the_bot_is_asked_on(check, code, found):
    checked = check(code)
    assert (kinds(checked), checked.asked, checked.is_sound) == (found, 4, False)
    assert all("ZH" in finding.why for finding in checked.findings if finding.kind == "illegal")


def test_an_extra_answer_is_found_at_the_end_at_the_latest(check):
    checked = check(f"{FIRST}; {FIRST}")
    assert set(kinds(checked)) <= {"unasked", "wrong-id"}
    assert len(kinds(checked)) == 4


def test_a_silent_bot_is_found_and_given_up_soon(check):
    checked = check("time.sleep(600)", 50, timeout_s=0.2)
    assert (kinds(checked), checked.asked, checked.is_sound) == (["no-answer"] * 3, 3, False)


def test_slow_answers_are_reported_and_pass(check, monkeypatch):
    monkeypatch.setattr("plyscribe.service.bridge.bot_check.SLOW_SHARE", 1 / 60)
    checked = check(f"time.sleep(1.2)\n{FIRST}", 2)
    assert (kinds(checked), checked.is_sound) == (["slow"], True)
    assert checked.slowest_s > 1.0


def test_a_bot_that_does_not_exit_is_reported(check, monkeypatch):
    monkeypatch.setattr("plyscribe.service.bridge.bot_process.END_WITHIN_S", 0.5)
    loop = "import json, sys, time\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
    answer = "    print(json.dumps({'id': asked['id'], 'move': asked['legal'][0]}), flush=True)\ntime.sleep(600)"
    assert kinds(check(loop + answer, 2, program=True)) == ["lingers"]


def test_the_command_shows_a_table_and_fails_if_the_bot_does(tmp_path):
    right, wrong = write_bot(tmp_path, FIRST), write_bot(tmp_path, "say(id=asked['id'], move='?')", "wrong.py")
    ran = CliRunner().invoke(cli, ["bot", "check", "--positions", "3", "--", *right])
    assert (ran.exit_code, ran.exception) == (0, None)
    assert "pathagon 1" in ran.output
    ran = CliRunner().invoke(cli, ["bot", "check", "--ruleset", "zhen", "--positions", "3", *wrong])
    assert (ran.exit_code, ran.output.count("zhen: unreadable: "), "pathagon" in ran.output) == (1, 3, False)
    ran = CliRunner().invoke(cli, ["bot", "check", "--", "/no/such/bot"])
    assert (ran.exit_code, "/no/such/bot" in str(ran.exception)) == (1, True)
    ran = CliRunner().invoke(cli, ["bot", "run", "--", "cat"], env={"PLYSCRIBE_TOKEN": ""})
    assert (ran.exit_code, "--token-file" in ran.output) == (2, True)


def test_the_json_has_every_finding_with_its_question(tmp_path):
    register(TOY_V1)
    argv = write_bot(tmp_path, "say(id=asked['id'], move='give 1 9')")
    asked = ["bot", "check", "--json", "--ruleset", "toy", "--ruleset", "zhen", "--positions", "5", *argv]
    ran = CliRunner().invoke(cli, asked)
    assert ran.exit_code == 1
    toy, zhen = json.loads(ran.stdout)
    assert (toy["ruleset"], toy["sound"], toy["asked"], toy["moves"]) == ("toy", False, 5, 0)
    assert {finding["kind"] for finding in toy["findings"]} == {"illegal"}
    assert zhen["findings"][0]["question"]["legal_complete"] is True
