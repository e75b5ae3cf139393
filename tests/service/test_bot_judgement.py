"""`bot check` and `bot run` judge the same answer alike: both get the same odd answers here."""

import re

import httpx
import pytest

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.bridge.bot_check import BotCheck
from plyscribe.service.bridge.decisions import Worker
from plyscribe.service.bridge.keeper import Keeper
from plyscribe.service.bridge.protocol import RESIGNED_FOR, UNASKED
from plyscribe.service.bridge.run import Run, Settings
from plyscribe.service.client import Client
from tests.service.scripted import write_bot

HEAD = """\
first, id = asked['legal'][0], asked['id']
raw = lambda data: (sys.stdout.buffer.write(data), sys.stdout.flush())
"""
ANSWERS = {
    "right": ("say(id=id, move=first)", True, set()),
    "resigns": ("say(id=id, resign=True)", True, set()),
    "carriage return": ("raw(json.dumps({'id': id, 'move': first}).encode() + b'\\r\\n')", True, set()),
    "a line before": ("print('thinking'); say(id=id, move=first)", True, {"not-json"}),
    "another id before": ("say(id='x', move=first); say(id=id, move=first)", True, {"wrong-id"}),
    "two answers": ("say(id=id, move=first); say(id=id, move=first)", True, set()),
    "not UTF-8": ("raw(b'\\xff\\xfe\\xfd\\n'); say(id=id, move=first)", True, {"not-json"}),
    "no such notation": ("say(id=id, move='+99')", False, {"unreadable"}),
    "both": ("say(id=id, move=first, resign=True)", False, {"unreadable"}),
    "an illegal move": ("say(id=id, move='3-4')", False, {"illegal"}),
    "late": ("time.sleep(1.5); say(id=id, move=first)", False, {"no-answer"}),
    "dies": ("sys.exit(3)", False, {"died"}),
    "a line without an end": ("raw(b'x' * 70_000); time.sleep(600)", False, {"too-long"}),
}
TIMEOUT_S = 60.0
SHORT_S = 1.0
"""The time limit of the bot that is late."""

_KIND = re.compile(r"(?:seat \d+: )([a-z-]+): ")


def judge_by_check(argv: list[str], timeout_s: float) -> tuple[bool, set[str]]:
    """Whether the check accepts the bot's answer to one question, and the kinds of faults it finds."""
    checking = BotCheck(argv, timeout_s)
    try:
        checked = checking.check(find_ruleset("zhen"), 1)
    finally:
        checking.kill()
    return checked.moves + checked.resigned == 1, {fault.kind for fault in checked.faults} - {UNASKED}


def judge_by_run(argv: list[str], api, timeout_s: float) -> tuple[bool, set[str], str | None]:
    """The same of a bridge, and the fault of the resignation with which it ends the match."""
    player, token = api.sign_up("Machine")
    _, other = api.sign_up("Ann")
    match = api.new_match(token, [{"player": player}, None], "zhen")
    api.post(f"/v1/matches/{match}/seats/2", other, {})
    reports: list[str] = []
    run = Run(Settings(argv, move_timeout_s=timeout_s, tries=1), reports.append)
    run.player, run.has_answered = player, True
    client = Client("http://localhost", token, retry_for_s=0.0, transport=httpx.WSGITransport(app=api.app))
    worker = Worker(run, client, lambda _: None)
    worker._keeper = keeper = Keeper(run)
    try:
        worker._look(match)
    finally:
        if keeper._bot is not None:
            keeper._bot.kill()
    events = api.get(f"/v1/matches/{match}/events").json["events"]
    faults = [event["data"]["fault"] for event in events if event["type"] == "seat-withdrawn"]
    kinds = {found[1] for line in reports if (found := _KIND.search(line))}
    accepted = bool(faults and faults[0] is None) or any(event["type"] == "move-made" for event in events)
    return accepted, kinds, faults[0] if faults else None


@pytest.mark.parametrize("name", ANSWERS)
def test_both_judge_an_answer_alike(api, tmp_path, name, monkeypatch):
    monkeypatch.setattr("plyscribe.service.bridge.bot_process.END_WITHIN_S", TIMEOUT_S)
    code, accepted, kinds = ANSWERS[name]
    timeout_s = SHORT_S if name == "late" else TIMEOUT_S
    argv = write_bot(tmp_path, HEAD + code)
    assert judge_by_check(argv, timeout_s) == (accepted, kinds)
    *judged, fault = judge_by_run(argv, api, timeout_s)
    assert tuple(judged) == (accepted, kinds)
    assert fault == (None if accepted else RESIGNED_FOR[kinds.copy().pop()])
