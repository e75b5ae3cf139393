"""The board of a ruleset that has no picture: its text."""

from typing import Any

CHARACTER = 9.6
LINE = 19.0
MARGIN = 12.0


def arrange_text(text: str) -> dict[str, Any]:
    """The lines of a text board, each with its height, where their characters stand, and the size of all."""
    lines = text.rstrip("\n").split("\n")
    longest = max(map(len, lines))
    return {
        "lines": [(MARGIN + LINE * number, line) for number, line in enumerate(lines, 1)],
        # Columns stay columns though the reader has no font of equal widths.
        "columns": [round(MARGIN + CHARACTER * number, 1) for number in range(longest)],
        "width": 2 * MARGIN + CHARACTER * longest,
        "height": 2 * MARGIN + LINE * len(lines),
    }
