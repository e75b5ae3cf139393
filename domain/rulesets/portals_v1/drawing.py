"""The board of Portals as text.

A field takes three characters, with room for an arrow to each neighbour. The letter of a row is in front of it; the
numbers are at the lower right, at the ends of their lines:

     e  ( )>[+] .
    d  .   .  ^ .   .
"""

from collections.abc import Iterator
from textwrap import wrap

from plyscribe.domain.rulesets.portals_v1.board import Board, each, find_arrows
from plyscribe.domain.rulesets.portals_v1.state import DEMONS, State, count_pawns, find_colour

HEADS = "vv<>^^"
"""The sign of an arrow, by its direction."""
PLACES = ((1, -1), (1, 1), (0, -2), (0, 2), (-1, -1), (-1, 1))
"""Where the arrow in each direction is: lines below the field, and columns to its right."""

LEGEND = "( ) platform  { } START or CENTER  [+] portal  * demon"
WIDTH = 100


def draw(state: State) -> str:
    """The board, then everything that is not on it."""
    board = state.setup.board
    lines = [[" "] * (8 * board.radius + 9) for _ in range(4 * board.radius + 3)]
    for number in board.names:
        _write(lines, *_locate(board, number), _draw_field(state, number))
    for portal in each(state.portals):
        arrows, (line, column) = find_arrows(board, state.net, portal), _locate(board, portal)
        for direction, (below, right) in enumerate(PLACES):
            if arrows >> direction & 1:
                lines[line + below][column + right] = HEADS[5 - direction]
            elif arrows >> 6 + direction & 1:
                lines[line + below][column + right] = HEADS[direction]
    _label(board, lines)
    notes = [line for note in _notes(state) for line in wrap(note, WIDTH)]
    return "\n".join([*("".join(line).rstrip() for line in lines), "", *notes])


def _locate(board: Board, number: int) -> tuple[int, int]:
    """The line and the column of the middle of a field."""
    row, place = divmod(number, board.stride)
    return 2 * (2 * board.radius + 1 - row), 4 * place + 2 * (board.radius + 1 - row)


def _write(lines: list[list[str]], line: int, column: int, text: str) -> None:
    """Write a short text, centred on a column."""
    lines[line][column - 1 : column - 1 + len(text)] = text


def _draw_field(state: State, number: int) -> str:
    if state.portals >> number & 1:
        return "[+]"
    if not state.platforms >> number & 1:
        return " . "
    colour = find_colour(state, number)
    pawn = " " if colour is None else "*" if colour == DEMONS else str(colour)
    special = number in (*state.setup.starts, state.setup.board.center)
    return f"{{{pawn}}}" if special else f"({pawn})"


def _label(board: Board, lines: list[list[str]]) -> None:
    """Write the letter in front of each row, and the number at the end of each line of fields."""
    rows: dict[str, list[int]] = {}
    for number, name in board.names.items():
        rows.setdefault(name[0], []).append(number)
    for letter, numbers in rows.items():
        line, column = _locate(board, numbers[0])
        lines[line][column - 3] = letter
    for number, name in board.names.items():
        if number - board.stride not in board.names:
            line, column = _locate(board, number - board.stride)
            _write(lines, line, column, name[1:].center(3))


def _notes(state: State) -> Iterator[str]:
    setup, names = state.setup, state.setup.board.names
    yield LEGEND
    starts = ", ".join(f"{names[start]} of seat {seat}" for seat, start in enumerate(setup.starts[1:], 1))
    yield f"CENTER: {names[setup.board.center]}. START: {starts}."
    yield f"Pool: {', '.join(f'{pawns} of seat {seat}' for seat, pawns in enumerate(state.pool[1:], 1))}."
    if piled := [number for number in names if count_pawns(state, number) > 1]:
        yield f"More than one pawn: {', '.join(f'{count_pawns(state, n)} on {names[n]}' for n in piled)}."
    if centered := [str(seat) for seat in range(1, setup.seats + 1) if state.centered >> seat & 1]:
        yield f"Out of CENTER came: {', '.join(f'seat {seat}' for seat in centered)}."
    if state.contest:
        yield f"Rolls for who plays first: {', '.join(str(roll or '-') for roll in state.contest)}."
    if state.d8:
        yield f"Rolled: {state.d8}."
