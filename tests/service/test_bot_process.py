"""A running bot: one question at a time, and every way in which a bot can fail to answer."""

import os
import threading
import time

import pytest

from plyscribe.service.bridge.bot_process import BotProcess, NoSuchProgram
from plyscribe.service.bridge.protocol import MOVE, Answer, Fault
from tests.service.scripted import FIRST, write_bot, write_program
from tests.system.running import wait_for

QUESTION = b'{"id":"q","legal":["d4","e5"]}\n'


@pytest.fixture
def start(tmp_path):
    """Starts bots that run this code for each line, and kills them afterwards."""
    started = []

    def begin(code: str = FIRST, *, program: bool = False) -> BotProcess:
        argv = (write_program if program else write_bot)(tmp_path, code)
        started.append(BotProcess(argv))
        return started[-1]

    yield begin
    for process in started:
        process.kill()


def ask(process: BotProcess, timeout_s: float = 60.0, line: bytes = QUESTION) -> tuple[Answer | None, list[str]]:
    """The answer, and the kinds of all faults."""
    kinds: list[str] = []
    try:
        return process.ask(line, "q", MOVE, timeout_s, lambda fault: kinds.append(fault.kind)), kinds
    except Fault as fault:
        return None, [*kinds, fault.kind]


def test_a_bot_answers_though_it_dies_then(start):
    assert ask(start(f"{FIRST}; sys.exit(1)")) == (Answer(move="d4"), [])


def test_a_bot_exits_when_its_input_ends_or_is_killed(start, monkeypatch):
    process = start()
    assert [ask(process), ask(process)] == [(Answer(move="d4"), [])] * 2
    assert process.stop() == (True, [])
    monkeypatch.setattr("plyscribe.service.bridge.bot_process.END_WITHIN_S", 0.3)
    process = start("import time\nprint('ready', flush=True)\ntime.sleep(600)", program=True)
    ask(process, timeout_s=2.0)
    assert process.stop() == (False, [])


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("time.sleep(600)", ["no-answer"]),
        ("sys.exit(3)", ["died"]),
        ("os.close(1); time.sleep(600)", ["died"]),
        ("print('x' * 70_000, end='', flush=True); time.sleep(600)", ["too-long"]),
        ("say(id=asked['id'])", ["unreadable"]),
        ("say(id='p', move='d4')", ["wrong-id", "no-answer"]),
        ("print('thinking', flush=True)", ["not-json", "no-answer"]),
    ],
)
def test_a_bot_that_gives_no_answer(start, code, kinds, monkeypatch):
    monkeypatch.setattr("plyscribe.service.bridge.bot_process.KILL_WITHIN_S", 0.3)
    process = start(code)
    assert ask(process, timeout_s=3.0 if "no-answer" in kinds else 60.0) == (None, kinds)


def test_a_flood_of_lines_that_answer_nothing_is_a_fault(start):
    answer, kinds = ask(start("while True: print('thinking')"))
    assert answer is None
    assert set(kinds) == {"not-json"}


def test_a_line_between_questions_is_reported_as_unasked(start, tmp_path):
    done = tmp_path / "done"
    process = start(f"{FIRST}; {FIRST}; open({str(done)!r}, 'w').close()")
    ask(process)
    wait_for(done.exists)
    assert ask(process) == (Answer(move="d4"), ["unasked"])
    assert len(process.stop()[1]) == 1


def test_a_question_longer_than_any_pipe_gets_through(start):
    line = b'{"id":"q","legal":["d4"],"pad":"' + b"x" * 3_000_000 + b'"}\n'
    assert ask(start(), line=line) == (Answer(move="d4"), [])


def test_a_bot_that_does_not_read_is_not_waited_for(start):
    process = start("import time\ntime.sleep(600)", program=True)
    line = b"x" * 3_000_000 + b"\n"
    began = time.monotonic()
    with pytest.raises(Fault, match="has not read the question"):
        process.ask(line, "q", MOVE, 0.5, lambda _: None)
    assert time.monotonic() - began < 30


def test_a_missing_program_is_reported_and_a_token_is_not_handed_on(start, tmp_path, monkeypatch):
    with pytest.raises(NoSuchProgram):
        BotProcess([str(tmp_path / "nothing")])
    monkeypatch.setenv("PLYSCRIBE_TOKEN", "ply_secret")
    assert ask(start("say(id=asked['id'], move=os.environ.get('PLYSCRIBE_TOKEN', 'none'))"))[0] == Answer(move="none")


@pytest.mark.skipif(not os.path.exists("/proc"), reason="the kernel ends children on Linux")
def test_a_bot_ends_with_the_thread_that_started_it(tmp_path):
    started = []

    def run() -> None:
        started.append(BotProcess(write_bot(tmp_path, FIRST)))
        ask(started[0])

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    # A thread is not quite gone when `join` returns.
    wait_for(lambda: ask(started[0])[1] == ["died"])
    started[0].kill()
