"""`plyscribe bot run` as a process against a real service: whole matches, crashes, and bots that fail."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plyscribe.service.client import Client
from tests.service.scripted import FIRST, HEAD, write_bot, write_program
from tests.system.programs import PROGRAM, ROOT, environment, find_processes
from tests.system.running import Serving, open_account, serving, status_of, wait_for

SHORT = {"tiles": 5, "cubes": 4}
GATE = "while os.path.exists('{gate}'): time.sleep(0.02)\n" + FIRST
"""A bot that answers once a file is gone."""


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("bridge") / "data") as running:
        yield running


class Running:
    """A bridge as a process, and its output so far."""

    def __init__(self, url: str, token: Path, argv: list[str], options: tuple[str, ...]) -> None:
        command = [*PROGRAM, "bot", "run", "--url", url, "--token-file", str(token)]
        self._out = token.with_suffix(f".{time.monotonic_ns()}.out")
        with self._out.open("wb") as out:
            self.process = subprocess.Popen(
                [*command, *options, "--", *argv], env=environment(), cwd=ROOT, stdout=out, stderr=out
            )

    @property
    def output(self) -> str:
        return self._out.read_text()

    def has_reported(self, pattern: str) -> bool:
        return bool(re.search(pattern, self.output))

    def wait_for_report(self, pattern: str) -> None:
        try:
            wait_for(lambda: self.has_reported(pattern))
        except AssertionError:
            raise AssertionError(f"{pattern!r} was not reported, but: {self.output}") from None

    def stop(self, signum: int = signal.SIGTERM) -> int:
        self.process.send_signal(signum)
        return self.process.wait(60)


class Table:
    """A bot's account, its opponent's, and bridges for it."""

    def __init__(self, service: Serving, folder: Path) -> None:
        self.url, self.folder = service.url, folder
        with Client(self.url) as anyone:
            accounts = [open_account(anyone, "Machine", "bot"), open_account(anyone, "Ann")]
        self.machine, self.ann = (Client(self.url, account["token"]) for account in accounts)
        self.ids = [account["player"] for account in accounts]
        self.token = folder / "token"
        self.token.write_text(f"{accounts[0]['token']}\n")
        self.gate, self.notes = folder / "gate", folder / "notes"
        self._bridges: list[Running] = []

    def run_gated(self, note: str = "'x'", *options: str) -> Running:
        """A bridge for a bot that notes something of each question, and answers once the gate is open."""
        self.gate.touch()
        return self.run(f"open({str(self.notes)!r}, 'a').write({note})\n{GATE.format(gate=self.gate)}", *options)

    def run(self, code: str | list[str] = FIRST, *options: str) -> Running:
        argv = write_bot(self.folder, code) if isinstance(code, str) else code
        self._bridges.append(Running(self.url, self.token, argv, options))
        return self._bridges[-1]

    def against(self, bot: str = "greedy", ruleset: str = "zhen", **more: object) -> str:
        """A match that the bot plays against a built-in one."""
        return self.machine.create_match(ruleset, [{"player": self.ids[0]}, {"bot": bot}], **more)["match"]

    def offer(self, ruleset: str = "zhen", seats: int = 1, **more: object) -> str:
        """A match by Ann with seat 1 for the bot and the other seats for her."""
        others = [{"player": self.ids[1]}] * seats
        return self.ann.create_match(ruleset, [{"player": self.ids[0]}, *others], **more)["match"]

    def close(self) -> None:
        for bridge in self._bridges:
            if bridge.process.poll() is None:
                bridge.process.kill()
                bridge.process.wait()
        self.machine.close()
        self.ann.close()

    def wait_until(self, match: str, status: str) -> None:
        wait_for(lambda: status_of(self.ann, match) == status, why=f"{status} of {match}")

    def list_withdrawals(self, match: str) -> list[tuple[int, str, str]]:
        """Seat, cause and fault of each."""
        made = [event["data"] for event in self.ann.events(match) if event["type"] == "seat-withdrawn"]
        return [(each["seat"], each["cause"], each["fault"]) for each in made]

    def wait_for_ply(self, match: str, ply: int) -> None:
        wait_for(lambda: self.ann.match(match)["ply"] >= ply, why=f"ply {ply}")

    def moves_of_machine(self, match: str) -> list[int]:
        """The plies, from 0, at which the bot's account moved."""
        made = [event for event in self.ann.events(match) if event["type"] == "move-made"]
        return [ply for ply, event in enumerate(made) if event["by"] == f"player:{self.ids[0]}"]


@pytest.fixture
def table(service, tmp_path) -> Iterator[Table]:
    ours = Table(service, tmp_path)
    try:
        yield ours
    finally:
        ours.close()


def read_example() -> str:
    text = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    return re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]


def test_the_example_of_the_docs_plays_a_match_and_ends_on_sigterm(table):
    match = table.against(options=SHORT)
    bridge = table.run(write_program(table.folder, read_example()))
    table.wait_until(match, "scored")
    bridge.wait_for_report("ended, blocked")
    assert bridge.stop() == 0
    assert bridge.has_reported(r"stopped after [1-9]\d* moves")
    assert "tries" not in bridge.output


def test_a_bridge_killed_and_started_again_plays_each_ply_once(table):
    slow = f"time.sleep(0.1)\n{FIRST.replace('[0]', '[-1]')}"
    match = table.against(options={"ply_limit": 60})
    for ply in (4, 10, 16):
        bridge = table.run(slow)
        table.wait_for_ply(match, ply)
        bridge.stop(signal.SIGKILL)
        wait_for(lambda: not find_processes(str(table.folder / "bot.py")), why="the end of the bot")
    table.run(slow)
    table.wait_until(match, "scored")
    found = table.ann.match(match)
    assert found["ply"] > 16
    assert table.moves_of_machine(match) == list(range(0, found["ply"], 2))
    assert table.ann.verification(match)["result"] == "ok"


def test_two_bridges_at_once_make_each_move_once(table):
    match = table.against(options={"ply_limit": 40})
    bridges = [table.run(f"time.sleep(0.05)\n{FIRST.replace('[0]', place)}") for place in ("[0]", "[-1]")]
    table.wait_until(match, "scored")
    plies = table.ann.match(match)["ply"]
    assert table.moves_of_machine(match) == list(range(0, plies, 2))
    assert [bridge.stop() for bridge in bridges] == [0, 0]


def test_matches_are_played_at_the_same_time_each_by_its_own_process(table):
    table.run_gated("f\"{os.getpid()} {asked['match']}\\n\"", "--concurrency", "2")
    matches = [table.against(options=SHORT), table.against("random", options=SHORT)]
    wait_for(lambda: table.notes.exists() and table.notes.read_text().count("\n") == 2, why="two questions at once")
    table.gate.unlink()
    for match in matches:
        table.wait_until(match, "scored")
    assert len(set(table.notes.read_text().splitlines())) == 2


def test_a_bridge_takes_seats_and_salts_dice_only_in_the_games_it_plays(table):
    other = table.offer("zhen")
    match = table.offer("toy")
    bridge = table.run(FIRST, "--ruleset", "toy")
    bridge.wait_for_report("took seat 1 in toy")
    wait_for(lambda: table.ann.match(match)["seats"][0]["entropy"], why="the salt")
    table.ann.add_entropy(match, "ann", 2)
    # The first move may reach the end of the track, so Ann may never have a turn.
    wait_for(lambda: table.moves_of_machine(match) == [0], why="its move")
    assert status_of(table.ann, other) == "open"


def test_with_no_accept_seats_are_left_alone(table):
    match = table.offer()
    bridge = table.run(FIRST, "--no-accept")
    played = table.against(options=SHORT)
    table.wait_until(played, "scored")
    assert status_of(table.ann, match) == "open"
    assert bridge.stop(signal.SIGINT) == 0


def test_after_its_last_try_the_seat_resigns_and_other_matches_go_on(table):
    wrong = f"open({str(table.notes)!r}, 'a').write(line); say(id=asked['id'], move='1-2')"
    bad, good = table.against(options={"tiles": 4, "cubes": 3}), table.against(options=SHORT)
    bridge = table.run(f"if 'error' in asked or asked['options']['cubes'] == 3: {wrong}\nelse: {FIRST}")
    table.wait_until(bad, "scored")
    table.wait_until(good, "scored")
    assert table.ann.match(bad)["outcome"] == {"reason": "withdrawal", "ranks": [2, 1]}
    assert table.ann.match(good)["outcome"]["reason"] != "withdrawal"
    assert bridge.has_reported(r"ply 0 seat 1: illegal: move/illegal, .*; tries left: 2")
    assert bridge.has_reported("no move after 3 tries, resigning")
    assert table.list_withdrawals(bad) == [(1, "resigned", "illegal")]
    told = table.notes.read_text()
    assert '"code":"move/illegal","clause":"ZH' in told
    assert '"tries_left":2' in told


def test_the_withdrawal_says_that_the_bot_died(table):
    match = table.against(options=SHORT)
    table.run(f"if asked['ply'] > 1: sys.exit(7)\n{FIRST}")
    table.wait_until(match, "scored")
    assert table.list_withdrawals(match) == [(1, "resigned", "crashed")]


TROUBLED = """
notes = {notes!r}
known = open(notes).read() if os.path.exists(notes) else ""
print("thinking hard", flush=True)
print("deep thought", file=sys.stderr, flush=True)
say(id=0, move="d4")
for what in ("died", "slept"):
    if asked["ply"] == 2 and what not in known:
        open(notes, "a").write(what)
        sys.exit(7) if what == "died" else time.sleep(600)
"""


def test_a_bot_that_dies_is_silent_or_talks_nonsense_now_and_then_goes_on(table):
    log = table.folder / "log"
    match = table.against(options=SHORT)
    code = TROUBLED.format(notes=str(table.notes)) + FIRST
    bridge = table.run(code, "--move-timeout", "5", "--log", str(log))
    table.wait_until(match, "scored")
    assert table.list_withdrawals(match) == []
    assert bridge.has_reported(r"ply 2 seat 1: died: exited with code 7; tries left: 2")
    assert bridge.has_reported("restarting the bot in 0.5 s")
    assert bridge.has_reported(r"no-answer: no answer within 5 s")
    assert bridge.has_reported("not-json: not a line of JSON: thinking hard; ignored")
    assert bridge.has_reported("wrong-id: .*; ignored")
    assert "deep thought" in log.read_text()
    assert "deep thought" not in bridge.output


def test_a_bot_that_never_answers_is_given_up_and_resigns_nothing(table):
    match = table.against(options=SHORT)
    bridge = table.run("sys.exit('no such model')")
    assert bridge.process.wait(60) == 1
    assert bridge.has_reported("error: the bot has not answered a single question")
    assert bridge.has_reported("no such model")
    assert table.ann.match(match)["turn"] == {"decision": 1}


def test_a_bot_that_keeps_dying_loses_one_match_at_most(table):
    first = table.against(options=SHORT)
    bridge = table.run(f"{FIRST} if asked['options']['cubes'] == 4 else sys.exit(1)")
    table.wait_until(first, "scored")
    matches = [table.against(options={"tiles": 4, "cubes": 3}) for _ in range(3)]
    assert bridge.process.wait(90) == 1
    assert bridge.has_reported("error: the bot was restarted 5 times in a row")
    assert [status_of(table.ann, match) == "playing" for match in matches].count(False) <= 1


def test_draws_are_declined_unless_the_bot_is_asked_and_agrees(table):
    agreeing = f"say(id=asked['id'], draw=asked['draw_offered_by'] == 2) if asked['ask'] == 'draw' else {FIRST}"
    match = table.offer(options={"ply_limit": 40})
    bridge = table.run(agreeing)
    table.wait_for_ply(match, 1)
    table.ann.draw(match, "offer", 2)
    bridge.wait_for_report("declined a draw")
    assert bridge.stop() == 0
    table.run(agreeing, "--ask-draws")
    table.ann.move(match, table.ann.legal_moves(match)[0], seat=2)
    table.wait_for_ply(match, 3)
    table.ann.draw(match, "offer", 2)
    table.wait_until(match, "scored")
    assert table.ann.match(match)["outcome"]["reason"] == "draw-agreed"


def test_a_move_for_a_position_that_has_changed_is_not_made(table):
    match = table.offer("toy", seats=2, options={"dice": 0})
    bridge = table.run_gated("str(asked['view']['left'])")
    wait_for(table.notes.exists, why="the question")
    table.ann.withdraw(match, 2)
    table.gate.unlink()
    bridge.wait_for_report("the position has changed, so 'push' is not played")
    table.wait_for_ply(match, 1)
    assert table.notes.read_text() == "[][2]"


def test_other_events_in_the_match_do_not_change_the_position(table):
    match = table.offer()
    bridge = table.run_gated()
    wait_for(table.notes.exists, why="the question")
    table.ann.draw(match, "offer", 2)
    table.gate.unlink()
    table.wait_for_ply(match, 1)
    assert table.notes.read_text() == "x"
    assert not bridge.has_reported("not played")


def test_after_sigterm_the_current_decision_is_still_made(table):
    match = table.offer()
    bridge = table.run_gated()
    wait_for(table.notes.exists, why="the question")
    bridge.process.send_signal(signal.SIGTERM)
    bridge.wait_for_report("stopping once the present decisions are made")
    table.gate.unlink()
    assert bridge.process.wait(60) == 0
    assert table.ann.match(match)["ply"] == 1
    assert find_processes(str(table.folder / "bot.py")) == []


def test_a_second_signal_ends_it_at_once(table):
    match = table.offer()
    bridge = table.run("print('on it', file=sys.stderr, flush=True); time.sleep(600)")
    bridge.wait_for_report("on it")
    bridge.process.send_signal(signal.SIGINT)
    bridge.wait_for_report("stopping")
    assert bridge.stop(signal.SIGINT) == 130
    wait_for(lambda: not find_processes(str(table.folder / "bot.py")), why="the end of the bot")
    assert table.ann.match(match)["ply"] == 0


def test_a_bridge_goes_on_after_the_server_was_away(table, service):
    match = table.against(options=SHORT)
    table.run_gated()
    wait_for(table.notes.exists, why="the question")
    service.kill("web")
    service.kill("store")
    table.gate.unlink()
    table.wait_until(match, "scored")
    plies = table.ann.match(match)["ply"]
    assert table.moves_of_machine(match) == list(range(0, plies, 2))


def test_a_token_with_which_nothing_can_be_played_is_reported(table):
    recorder = table.machine.issue_token(["record"])["token"]
    for token, why in (
        ("ply_nobody", "auth/invalid"),
        (recorder, "the token does not have the scope play; its scopes are record"),
    ):
        table.token.write_text(token)
        bridge = table.run()
        assert bridge.process.wait(60) == 1
        assert bridge.has_reported(f"error: {why}")


def test_the_question_has_the_legal_moves_and_the_deadline(table):
    code = HEAD + f"open({str(table.notes)!r}, 'w').write(sys.stdin.readline())\nsys.stdin.read()"
    table.offer("pathagon", limits={"move_ms": 60_000})
    table.run(write_program(table.folder, code))
    wait_for(lambda: table.notes.exists() and table.notes.read_text().endswith("\n"), why="the question")
    asked = json.loads(table.notes.read_text())
    assert (len(asked["legal"]), asked["legal_complete"]) == (49, True)
    assert 0 < asked["deadline_ms"] <= 60_000
    assert [seat["player"] for seat in asked["seats"]] == table.ids
    assert (asked["ruleset"], asked["ruleset_version"], asked["options"]["size"]) == ("pathagon", 1, 7)
