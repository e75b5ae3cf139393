"""`make test-late` delays what it says it delays."""

import subprocess
import sys

from tests.system.running import ROOT, environment

PRINT_DELAYED = """
from importlib import import_module
from operator import attrgetter
from sitecustomize import DELAYED
for module, methods in DELAYED.items():
    for method in methods:
        print(method, hasattr(attrgetter(method)(import_module(module)), "__wrapped__"))
"""


def test_each_named_method_is_delayed_in_processes_that_tests_start(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "late"))
    argv = [sys.executable, "-c", PRINT_DELAYED]
    printed = subprocess.run(argv, env=environment(), cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed
    assert "False" not in printed
