"""The nursery: what it forks runs as if it had been started by itself, and ends when the nursery does."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plyscribe.service.processes.nursery import Forked, Nursery, Program
from plyscribe.service.processes.serving import CHECKED
from tests.system.running import ROOT, WITHIN_S, runs, serving, wait_for

PROGRAM = """\
import atexit, hashlib, os, random, sys, threading, time
atexit.register(print, "its last words")
threading.Timer(0.3, print, ["what another thread said"]).start()
seen = os.environ["COLOUR"], "BLUE" in os.environ, "json" in sys.modules
print(sys.argv[1:], *seen, hash("seed"), random.random(), flush=True)
print("and this is an error", file=sys.stderr, flush=True)
if sys.argv[1] == "stay":
    time.sleep(600)
sys.exit(sys.argv[2] if sys.argv[1] == "say" else int(sys.argv[2]))
"""


class Bed:
    """A nursery, and a program that it can run."""

    def __init__(self, folder: Path, *modules: str) -> None:
        (folder / "errand.py").write_text(PROGRAM)
        self.log, self.folder = folder / "errand.log", folder
        env = {"PYTHONPATH": str(folder), "BLUE": "yes", "PYTHONHASHSEED": "1"}
        self.nursery = Nursery(["csv", *modules], env, folder / "nursery.log")

    def start(self, *arguments: str):
        env = {"COLOUR": "red", "PYTHONPATH": str(self.folder), "PYTHONHASHSEED": "1"}
        return self.nursery.start(Program("errand", arguments), env, self.log)

    def read(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    bed = Bed(tmp_path)
    yield bed
    bed.nursery.close()


def test_a_program_has_its_arguments_settings_output_exit_code_and_own_chance(bed):
    for code in (3, 0):
        assert bed.start("go", str(code)).wait(60) == code
    assert bed.read().startswith("['go', '3'] red False")
    assert "and this is an error" in bed.read()
    first, second = (line.split() for line in bed.read().splitlines() if "red" in line)
    assert first[-1] != second[-1]
    assert first[-2] == second[-2], "the hash seed is that of the nursery"


def test_a_program_ends_as_python_ends_with_its_threads_its_last_words_and_what_it_has_to_say(bed):
    assert bed.start("say", "farewell").wait(60) == 1
    said = bed.read().splitlines()
    assert {"farewell", "what another thread said", "its last words"} <= set(said)
    assert said.index("what another thread said") < said.index("its last words")


def test_a_process_is_named_after_its_program_and_has_no_exit_code_until_it_is_ended(bed):
    for end, signum in ((Forked.terminate, signal.SIGTERM), (Forked.kill, signal.SIGKILL)):
        process = bed.start("stay")
        wait_for(lambda pid=process.pid: b"errand stay" in Path(f"/proc/{pid}/cmdline").read_bytes(), why="the name")
        assert process.poll() is None
        end(process)
        assert process.wait(60) == process.returncode == -signum


def test_processes_end_with_the_nursery_and_the_next_one_begins_another(bed, caplog):
    first = bed.start("stay")
    os.kill(bed.nursery.pid, signal.SIGKILL)
    assert first.wait(60) == -signal.SIGKILL
    wait_for(lambda: not runs(first.pid), why="its end")
    second = bed.start("stay")
    assert "a nursery died, and with it all processes" in caplog.text
    assert second.poll() is None
    assert first.poll() == -signal.SIGKILL
    bed.nursery.close()
    wait_for(lambda: not runs(second.pid), why="its end")


def test_a_program_that_cannot_be_forked_is_started_by_itself(tmp_path, caplog):
    bed = Bed(tmp_path, "there_is_no_such_module")
    assert bed.start("go", "4").wait(60) == 4
    assert "['go', '4'] red" in bed.read()
    assert "could not be forked" in caplog.text
    assert "there_is_no_such_module" in (tmp_path / "nursery.log").read_text()


def test_a_log_that_cannot_be_written_is_an_error(bed):
    bed.log.mkdir()
    with pytest.raises(OSError, match="directory"):
        bed.start("go", "0")


SCRIPT = """
import os, signal, sys
sys.path[:0] = {root!r}, {folder!r}
from pathlib import Path
from tests.system.test_nursery import Bed
bed = Bed(Path({folder!r}))
bed.nursery.{begin}()
"""


def run_script(folder: Path, begin: str, then: str) -> list[str]:
    """What a process of its own prints that begins a nursery in one of its two ways."""
    script = SCRIPT.format(root=str(ROOT), folder=str(folder), begin=begin) + then
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=WITHIN_S)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


def test_a_nursery_that_was_forked_runs_programs_as_any_other_with_the_hash_seed_of_its_parent(tmp_path):
    then = 'print(*(bed.start("go", code).wait(240) for code in ("3", "0", "no number")), hash("seed"))'
    *codes, seed = run_script(tmp_path, "branch_off", then)
    assert codes == ["3", "0", "1"]
    said = (tmp_path / "errand.log").read_text()
    assert "ValueError" in said
    told = [line.split() for line in said.splitlines() if "red" in line]
    assert [line[:2] for line in told[:2]] == [["['go',", f"'{code}']"] for code in codes[:2]]
    assert {line[-2] for line in told} == {seed}
    assert len({line[-1] for line in told}) == 3, "each has its own chance"


def test_after_a_nursery_that_was_forked_has_died_the_next_one_begins_by_itself(tmp_path):
    then = """
first, old = bed.start("stay"), bed.nursery.pid
os.kill(old, signal.SIGKILL)
print(first.wait(240), bed.start("go", "4").wait(240), bed.nursery.pid != old)
"""
    assert run_script(tmp_path, "branch_off", then) == [str(-signal.SIGKILL), "4", "True"]


@pytest.mark.parametrize("begin", ["open", "branch_off"])
def test_nothing_of_it_stays_when_its_parent_is_killed(tmp_path, begin):
    script = (
        SCRIPT.format(root=str(ROOT), folder=str(tmp_path), begin=begin)
        + """
print(bed.start("stay").pid, bed.nursery.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    )
    read, write = os.pipe()
    pid = os.posix_spawn(
        sys.executable, [sys.executable, "-c", script], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)]
    )
    os.close(write)
    with os.fdopen(read) as told:
        pids = list(map(int, told.readline().split()))
    os.waitpid(pid, 0)
    assert len(pids) == 2
    wait_for(lambda: not any(map(runs, pids)), why="the end of both")


NOTING = """\
import sys
from tests.domain.toy import TOY_V1
with open({place!r}, "a") as file:
    print(sys.argv[-1], hash("seed"), file=file)
"""


@pytest.mark.parametrize("seed", ["random", "7"])
def test_what_is_executed_a_second_time_has_another_hash_seed(tmp_path, seed):
    place = tmp_path / "seeds"
    (tmp_path / "noting.py").write_text(NOTING.format(place=str(place)))
    settings = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PLYSCRIBE_RULESETS": "noting:TOY_V1", "PYTHONHASHSEED": seed}
    with serving(tmp_path / "data", **settings):
        wait_for(lambda: {"verify", "import", "play", "tournament"} <= read_seeds(place).keys(), why="all of them")
    seeds = read_seeds(place)
    again = {seeds.pop(queue) for queue in CHECKED}
    assert len(again) == 1
    assert again.isdisjoint(seeds.values())


def read_seeds(place: Path) -> dict[str, str]:
    """What each process said, by the last of its arguments."""
    return dict(line.split() for line in place.read_text().splitlines()) if place.exists() else {}
