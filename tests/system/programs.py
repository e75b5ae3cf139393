"""Programs of ours, run to their end or found among the processes."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHIN_S = 240.0
"""The deadline of everything that tests wait for. It ends what hangs, and is much longer than anything takes."""

KEY = "5a" * 32
PROGRAM = (sys.executable, "-m", "plyscribe")


def environment(**more: str) -> dict[str, str]:
    """Our environment without any settings of Plyscribe, except the toy ruleset for all processes.

    Webhooks are off: their worker takes a second to start, and few tests post to any.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLYSCRIBE_", "REDIS_", "RQ_"))}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "PLYSCRIBE_RULESETS": "tests.domain.toy:TOY_V1",
        "PLYSCRIBE_WEBHOOKS": "off",
        **more,
    }


def descendants(pid: int) -> dict[int, bytes]:
    """The command lines of all processes below this one, by id."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found: dict[int, bytes] = {}
    wave = [pid]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        for child in wave:
            with suppress(OSError):
                found[child] = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ")
    return found


def runs(pid: int) -> bool:
    """Whether a process has not ended yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def run_module(module: str, *argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    argv = (sys.executable, "-m", module, *argv)
    return subprocess.run(argv, env=environment(**env), capture_output=True, text=True, timeout=WITHIN_S, cwd=ROOT)


def run_cli(*argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run_module("plyscribe", *argv, **env)


def run_to_success(*argv: object, cwd: Path, env: Mapping[str, str]) -> str:
    """What a program prints; it must succeed."""
    words = [str(word) for word in argv]
    ran = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=WITHIN_S)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def check_refused(ran: subprocess.CompletedProcess[str], *told: str) -> None:
    """It has ended with 1 and said why, without a traceback."""
    assert ran.returncode == 1
    for text in told:
        assert text in ran.stderr
    assert "Traceback" not in ran.stderr


def find_processes(text: str, file: str = "cmdline") -> list[int]:
    """The running processes with this text in their command line, or in their environment."""
    found = []
    for path in Path("/proc").glob(f"[0-9]*/{file}"):
        with suppress(OSError):
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def take_long(started: str, done: str, seconds: float) -> None:
    """A job that leaves one file at the beginning, another at the end."""
    open(started, "w").close()
    time.sleep(seconds)
    open(done, "w").close()
