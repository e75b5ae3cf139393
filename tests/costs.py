"""A pytest plugin: prints how many seconds of CPU the tests of each folder took, with the processes they start."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
SPENT = "cpu_seconds"


class Costs:
    """Measures in each process that runs tests, and adds up in the one that reports."""

    def __init__(self) -> None:
        self.by_folder: Counter[str] = Counter()
        self._last = measure_cpu()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
        """Note what a test took, once it is over."""
        if call.when == "teardown":
            now = measure_cpu()
            # The time of a process whose parent did not wait for it is lost, so the sum can shrink.
            item.user_properties.append((SPENT, max(0.0, now - self._last)))
            self._last = now

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a test took to its folder."""
        if report.when == "teardown":
            self.by_folder[name_folder(report.nodeid)] += dict(report.user_properties).get(SPENT, 0.0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table, the dearest folder first, and each reason for which tests were skipped."""
        if not self.by_folder:
            return
        terminalreporter.section("CPU seconds by folder")
        for folder, seconds in self.by_folder.most_common():
            terminalreporter.line(f"{seconds:8.1f}  {folder}")
        terminalreporter.line(f"{sum(self.by_folder.values()):8.1f}  in all, without collecting")
        skipped = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
        for reason, tests in skipped.most_common():
            terminalreporter.line(f"{tests} skipped: {reason.removeprefix('Skipped: ')}")


def pytest_configure(config: pytest.Config) -> None:
    """Measure."""
    config.pluginmanager.register(Costs())


def name_folder(nodeid: str) -> str:
    """The folder below `tests/` that a test lies in, or the file that lies in no folder."""
    return "/".join(nodeid.partition("::")[0].split("/")[:2])


def measure_cpu() -> float:
    """The seconds of CPU of this process and its descendants; without /proc, of those that have ended."""
    return sum(os.times()[:4]) + sum(map(_read_cpu, list_descendants(os.getpid())))


def list_descendants(pid: int) -> list[int]:
    """The processes that a process has started and those that these have, as far as they still run."""
    children = [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in _read(path).split()]
    return children + [each for child in children for each in list_descendants(child)]


def _read_cpu(pid: int) -> float:
    # What follows the name of the program, which is in brackets: its state and parent, and from the twelfth on times.
    times = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()[11:15]
    return sum(map(int, times)) / TICKS_A_SECOND


def _read(path: Path) -> str:
    """The text of a file of /proc; empty once its process has ended."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
