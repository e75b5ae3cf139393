"""Makes Plyscribe slow on purpose in each Python process that has this folder on its PYTHONPATH: see `make test-late`.

A test that waits for a duration, or for something that was there before, passes on a fast machine. Here it fails.
"""

import random
import sys
import time
from collections.abc import Callable
from functools import wraps
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

LATEST_S = 0.4
"""The longest delay. Most are much shorter, so that what usually comes first may come last."""

DELAYED = {
    "plyscribe.service.web.server": ["Front._answer_or_log", "Front._answer_batch"],
    "plyscribe.service.web.granian_core": ["Exchange.answer"],
    "plyscribe.workers.relay": ["Relay.step"],
    "plyscribe.workers.worker": ["Worker.perform_job"],
}
"""What is delayed, by module: each request, each answer, each step of the relay, and each job."""

_delays = random.Random()


def _delay(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call_later(*args: Any, **more: Any) -> Any:
        time.sleep(LATEST_S * _delays.random() ** 3)
        return function(*args, **more)

    return call_later


class _Delaying(MetaPathFinder):
    """Finds the modules of `DELAYED`, each once, and replaces the methods when a module has been executed."""

    def __init__(self) -> None:
        self._found: set[str] = set()

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in DELAYED or name in self._found:
            return None
        self._found.add(name)
        spec = find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        spec.loader.exec_module = _then_replace(spec.loader, DELAYED[name])  # type: ignore[method-assign]
        return spec


def _then_replace(loader: Loader, methods: list[str]) -> Callable[[ModuleType], None]:
    execute = loader.exec_module

    def execute_and_replace(module: ModuleType) -> None:
        execute(module)
        for method in methods:
            owner, name = method.split(".")
            delayed = getattr(module, owner)
            setattr(delayed, name, _delay(getattr(delayed, name)))

    return execute_and_replace


sys.meta_path.insert(0, _Delaying())
