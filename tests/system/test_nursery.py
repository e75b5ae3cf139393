"""The nursery: what it forks runs as if it had been started by itself, and ends when the nursery does."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plyscribe.service.processes.nursery import Nursery, Program
from tests.system.running import wait_for

PROGRAM = """\
import hashlib, os, random, sys, time
print(sys.argv[1:], os.environ["COLOUR"], "BLUE" in os.environ, "json" in sys.modules, hash("seed"), random.random())
print("and this is an error", file=sys.stderr, flush=True)
if sys.argv[1] == "stay":
    time.sleep(600)
sys.exit(int(sys.argv[2]))
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


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_program_has_its_arguments_settings_output_and_exit_code(bed):
    assert bed.start("go", "3").wait(60) == 3
    assert bed.read().startswith("['go', '3'] red False")
    assert "and this is an error" in bed.read()


def test_each_process_has_its_own_chance_and_the_hash_seed_of_the_nursery(bed):
    for _ in range(2):
        assert bed.start("go", "0").wait(60) == 0
    first, second = (line.split() for line in bed.read().splitlines() if "red" in line)
    assert first[-1] != second[-1]
    assert first[-2] == second[-2]


def test_a_process_is_named_after_its_program(bed):
    process = bed.start("stay")
    wait_for(lambda: b"errand stay" in Path(f"/proc/{process.pid}/cmdline").read_bytes(), why="the name")
    process.terminate()
    assert process.wait(60) == -signal.SIGTERM


def test_a_process_that_runs_has_no_exit_code_and_can_be_killed(bed):
    process = bed.start("stay")
    wait_for(lambda: "stay" in bed.read(), why="its first words")
    assert process.poll() is None
    process.kill()
    assert process.wait(60) == process.returncode == -signal.SIGKILL


def test_processes_end_with_the_nursery_and_the_next_one_begins_another(bed, caplog):
    first = bed.start("stay")
    os.kill(bed.nursery.pid, signal.SIGKILL)
    assert first.wait(60) == -signal.SIGKILL
    wait_for(lambda: not is_alive(first.pid), why="its end")
    second = bed.start("stay")
    assert "a nursery died, and with it all processes" in caplog.text
    assert second.poll() is None
    assert first.poll() == -signal.SIGKILL
    bed.nursery.close()
    wait_for(lambda: not is_alive(second.pid), why="its end")


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


def test_nothing_of_it_stays_when_its_parent_is_killed(tmp_path):
    script = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from tests.system.test_nursery import Bed
bed = Bed(Path({str(tmp_path)!r}))
print(bed.start("stay").pid, bed.nursery.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    read, write = os.pipe()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", script],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)],
    )
    os.close(write)
    with os.fdopen(read) as told:
        pids = list(map(int, told.readline().split()))
    os.waitpid(pid, 0)
    assert len(pids) == 2
    wait_for(lambda: not any(map(is_alive, pids)), why="the end of both")
