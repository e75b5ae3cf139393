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
        self._last = measure_cpu(with_descendants=False)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
        """Note what a test took, once it is over."""
        if call.when == "teardown":
            now = measure_cpu(with_descendants=bool(item.get_closest_marker("server")))
            # A process that ended without being waited for takes its share along.
            item.user_properties.append((SPENT, max(0.0, now - self._last)))
            self._last = now

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a test took to its folder."""
        if report.when == "teardown":
            self.by_folder[name_folder(report.nodeid)] += dict(report.user_properties).get(SPENT, 0.0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table, the dearest folder first."""
        if not self.by_folder:
            return
        terminalreporter.section("CPU seconds by folder")
        for folder, seconds in self.by_folder.most_common():
            terminalreporter.line(f"{seconds:8.1f}  {folder}")
        terminalreporter.line(f"{sum(self.by_folder.values()):8.1f}  in all, without collecting")


def pytest_configure(config: pytest.Config) -> None:
    """Measure."""
    config.pluginmanager.register(Costs())


def name_folder(nodeid: str) -> str:
    """The folder below `tests/` that a test lies in, or the file that lies in no folder."""
    return "/".join(nodeid.partition("::")[0].split("/")[:2])


def measure_cpu(*, with_descendants: bool) -> float:
    """The seconds of CPU of this process and of its children that have ended, and of all its descendants if asked."""
    spent = sum(os.times()[:4])
    if with_descendants and os.path.isdir("/proc/self"):
        spent += sum(_read_descendants(os.getpid()))
    return spent


def _read_descendants(parent: int) -> list[float]:
    children: dict[int, list[tuple[int, float]]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # What follows the name of the program, which is in brackets: state, parent, and from the twelfth on times.
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        seconds = sum(map(int, fields[11:15])) / TICKS_A_SECOND
        children.setdefault(int(fields[1]), []).append((int(path.parent.name), seconds))
    found, waiting = [], [parent]
    while waiting:
        for child, seconds in children.get(waiting.pop(), []):
            found.append(seconds)
            waiting.append(child)
    return found
