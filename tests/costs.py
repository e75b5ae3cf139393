"""A pytest plugin: prints how many seconds of CPU the tests of each folder took, with the processes they start."""

from collections import Counter
from contextlib import suppress
from typing import Any

import psutil
import pytest

SPENT = "cpu_seconds"


class Costs:
    """Measures in each process that runs tests, and adds up in the one that reports."""

    def __init__(self) -> None:
        self.by_folder: Counter[str] = Counter()
        self._last = 0.0

    def pytest_collection_finish(self) -> None:
        """Begin to measure once the tests are collected."""
        self._last = measure_cpu()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Note what the tests of a folder took, after the last of them."""
        if nextitem is None or name_folder(nextitem.nodeid) != name_folder(item.nodeid):
            now = measure_cpu()
            # The time of a process whose parent did not wait for it is lost, so the sum can shrink.
            item.user_properties.append((SPENT, max(0.0, now - self._last)))
            self._last = now

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what was noted to the folder."""
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
    """The seconds of CPU of this process and of all processes below it, with those that were waited for."""
    this, seconds = psutil.Process(), 0.0
    for process in (this, *this.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            spent = process.cpu_times()
            seconds += spent.user + spent.system + spent.children_user + spent.children_system
    return seconds
