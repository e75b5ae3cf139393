"""The board of a ruleset that has no picture: its text."""

from typing import Any

CHARACTER = 9.6
LINE = 19.0
MARGIN = 12.0


def arrange_text(text: str) -> dict[str, Any]:
    """The lines of a text board, each with its height, and the size of all."""
    lines = text.rstrip("\n").split("\n")
    return {
        "lines": [(MARGIN + LINE * number, line) for number, line in enumerate(lines, 1)],
        "left": MARGIN,
        "width": 2 * MARGIN + CHARACTER * max(map(len, lines)),
        "height": 2 * MARGIN + LINE * len(lines),
    }
