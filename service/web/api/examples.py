"""The examples of requests and answers, recorded from the application itself by `make openapi`."""

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import orjson

from plyscribe.service.web.api.http import PROBLEM

Values = dict[str, Any]
"""Examples by name. The name of a problem is its code."""


class Examples(NamedTuple):
    """The examples of one operation."""

    path: Values
    bodies: Values
    answered: dict[str, dict[str, Values]]

    def answers(self, status: int, media: str) -> Values:
        """The answers with this status and media type."""
        return self.answered.get(str(status), {}).get(media, {})


def read_examples(operation_id: str) -> Examples:
    """The examples of this operation; empty if there are none."""
    recorded = _read().get(operation_id, {})
    return Examples(recorded.get("path", {}), recorded.get("bodies", {}), recorded.get("answers", {}))


def some_problem(status: int) -> Values:
    """The first example of a problem with this status, from any operation."""
    for operation_id in _read():
        for code, problem in read_examples(operation_id).answers(status, PROBLEM).items():
            return {code: problem}
    return {}


@cache
def _read() -> dict[str, Any]:
    recorded: dict[str, Any] = orjson.loads(files(__package__).joinpath("examples.json").read_bytes())
    return recorded
