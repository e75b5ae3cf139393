"""Everything that the tutorial prints is run, in its order, against a service that `make serve` would start."""

import doctest
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.system.running import ROOT, WITHIN_S, environment, free_port, is_ready, wait_for

pytestmark = pytest.mark.server

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
SERVER, SHELL = "Terminal 1", "Terminal 2"
MARK = "@end of command@"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_BLOCK = re.compile(r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language, its title or "", its text."""

    language: str
    title: str
    text: str


BLOCKS = [Block(language, title, text) for language, title, text in _BLOCK.findall(PAGE)]


SESSION = """
import doctest, json, sys
names = {}
for line in sys.stdin:
    test = doctest.DocTestParser().get_doctest(json.loads(line), names, "the session", "tutorial.md", 0)
    runner, said = doctest.DocTestRunner(optionflags=int(sys.argv[1])), []
    runner.run(test, out=said.append, clear_globs=False)
    names = test.globs
    print(json.dumps("".join(said)), flush=True)
"""


class Session:
    """A Python in a process of its own that keeps its names from block to block, as an interactive one does."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        argv = [sys.executable, "-c", SESSION, str(FLAGS)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._python = subprocess.Popen(argv, cwd=folder, env=env, text=True, bufsize=1, **pipes)

    def run(self, text: str) -> str:
        """What doctest says against the block; "" when all output is as shown."""
        self._python.stdin.write(json.dumps(text) + "\n")
        said: str = json.loads(self._python.stdout.readline())
        return said

    def close(self) -> None:
        self._python.stdin.close()
        self._python.wait(WITHIN_S)
        self._python.stdout.close()


class Shell:
    """A bash that keeps its variables, its folder and its jobs from command to command, as a terminal does."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self._bash = subprocess.Popen(["bash", "--norc"], cwd=folder, env=env, text=True, bufsize=1, **pipes)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._bash.stdout:
            self._lines.put(line)

    def run(self, command: str) -> str:
        """What the command prints; its exit code is `$?` for the next one."""
        self._bash.stdin.write(f"(exit ${{status:-0}}); {command}\nstatus=$?; echo '{MARK}'\n")
        printed, deadline = "", time.monotonic() + WITHIN_S
        while not printed.endswith(f"{MARK}\n"):
            try:
                printed += self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"{command!r} did not end within {WITHIN_S:.0f} s: {printed}") from None
        return printed.removesuffix(f"{MARK}\n")

    def close(self) -> None:
        self._bash.stdin.write("kill $(jobs -p) 2>/dev/null; exit\n")
        self._bash.stdin.close()
        self._bash.wait(WITHIN_S)
        self._reader.join(WITHIN_S)
        self._bash.stdout.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like that of the project after `make serve` has installed everything."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def env() -> dict[str, str]:
    kept = environment()
    del kept["PLYSCRIBE_RULESETS"]
    return {**kept, "COLUMNS": "120"}


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.terminate()
        process.wait(WITHIN_S)


def steps_of(text: str) -> list[tuple[str, str]]:
    """Each command of a console block with the output that is shown below it."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert parts[0] == ""
    return list(zip(parts[1::2], parts[2::2], strict=True))


def read_recipe(command: str, port: int) -> list[str]:
    """What `make` would run once everything is installed, on the port at hand."""
    assert command.startswith("make ")
    argv = [*command.split(), "--dry-run", "--no-print-directory", f"PORT={port}"]
    printed = subprocess.run(argv, cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
    return printed.stdout.splitlines()[-1].split()


def agrees(shown: str, printed: str) -> bool:
    # In doctest a line that begins with `...` would go on with the command; here it stands for any lines.
    return doctest.OutputChecker().check_output(shown, printed, FLAGS)


def test_the_tutorial_works_as_printed(folder, port, env, started):
    place, data, done = folder / "build" / "tutorial", str(folder / ".data"), 0
    session: Session | None = None
    with ExitStack() as stack:
        shell = stack.enter_context(closing(Shell(folder, env)))
        for block in BLOCKS:
            text = block.text.replace("8420", str(port))
            if block.title == SERVER:
                for command, _ in steps_of(text):
                    started.append(subprocess.Popen(read_recipe(command, port), cwd=folder, env=env))
                    wait_for(lambda: is_ready(f"http://127.0.0.1:{port}"), WITHIN_S, "the service")
            elif block.title == SHELL:
                for command, shown in steps_of(text):
                    printed = shell.run(command)
                    assert agrees(shown, printed), f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}"
            elif block.language == "pycon":
                # The page lets the third terminal begin with the same lines as the second.
                session = session or stack.enter_context(closing(Session(place, {**env, "PLYSCRIBE_DATA": data})))
                assert session.run(text) == ""
            else:
                (place / block.title).write_text(text, encoding="utf-8")
            done += 1
    assert done == len(BLOCKS) > 20


def test_every_block_of_the_tutorial_says_what_it_is():
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    for block in BLOCKS:
        assert block.language in ("console", "pycon") or re.fullmatch(r"[a-z]+\.[a-z]+", block.title)
        assert block.language != "console" or block.title in (SERVER, SHELL)


def test_the_bot_of_the_tutorial_needs_the_standard_library_alone(tmp_path):
    [bot] = [block.text for block in BLOCKS if block.title == "mybot.py"]
    question = '{"id": "1", "legal": ["+5", "2-goal", "3-2"]}\n{"id": "1", "error": {}}\n'
    (tmp_path / "mybot.py").write_text(bot)
    argv = [sys.executable, "-I", "-S", str(tmp_path / "mybot.py")]
    ran = subprocess.run(argv, input=question, capture_output=True, text=True, check=True)
    assert ran.stdout == '{"id": "1", "move": "2-goal"}\n{"id": "1", "resign": true}\n'


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not on PATH")
def test_the_first_command_of_the_tutorial_serves_on_the_port_of_the_page():
    argv = read_recipe("make serve", 8420)
    assert argv[1:] == ["serve", "--data", ".data", "--port", "8420"]
    assert f":{argv[-1]}" in PAGE
