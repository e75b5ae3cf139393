"""The board of a ruleset that has no picture: its text, drawn line by line."""

from typing import Any

CHARACTER = 9.6
LINE = 19.0
MARGIN = 12.0


def arrange_text(text: str) -> dict[str, Any]:
    """The context of plain.svg: the lines with their heights, the columns of their characters, and the size."""
    lines = text.rstrip("\n").split("\n")
    longest = max(map(len, lines))
    return {
        "lines": [(MARGIN + LINE * number, line) for number, line in enumerate(lines, 1)],
        # Characters are placed one by one, so columns stay aligned without a monospaced font.
        "columns": [round(MARGIN + CHARACTER * number, 1) for number in range(longest)],
        "width": 2 * MARGIN + CHARACTER * longest,
        "height": 2 * MARGIN + LINE * len(lines),
    }
