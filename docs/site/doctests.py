"""Shows the doctests of docstrings as code, which Markdown would read as quotations."""

import re
from typing import Any

import griffe

_DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_DIRECTIVE = re.compile(r"  # doctest: .*")


class Doctests(griffe.Extension):
    """Fences the doctests of every docstring, without their directives."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each object that has been read."""
        if obj.docstring:
            obj.docstring.value = fence_doctests(obj.docstring.value)


def fence_doctests(text: str) -> str:
    """The text with each doctest in a block of code."""
    return _DOCTEST.sub(lambda found: f"```pycon\n{_DIRECTIVE.sub('', found[0])}\n```", text)
