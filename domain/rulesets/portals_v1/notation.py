"""The notation of moves of Portals."""

import re
from collections.abc import Iterator

from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets.portals_v1.actions import BUILD, find_kinds, find_sites, find_ways, is_possible
from plyscribe.domain.rulesets.portals_v1.board import EVERY_DIRECTION, Board, each
from plyscribe.domain.rulesets.portals_v1.breaches import explain, explain_notation
from plyscribe.domain.rulesets.portals_v1.moves import BARE, LAUNCH, WORDS, Move
from plyscribe.domain.rulesets.portals_v1.state import State

KINDS_BY_WORD = {word: kind for kind, word in enumerate(WORDS)}

FIELD = "[a-z][1-9][0-9]*"
LIST = f"{FIELD}(?:,{FIELD})*"
GRAMMAR = re.compile(
    rf"(?:portal|platform) ({FIELD})(?: <({LIST}))?(?: >({LIST}))?|launch ({FIELD}) demons ({LIST})", re.ASCII
)


def list_legal_moves(state: State, prefix: str) -> Iterator[Move]:
    """The legal moves whose notation starts with the prefix; fields that it excludes are skipped."""
    for kind in find_kinds(state):
        assert isinstance(state.turn, Decision)
        if WORDS[kind].startswith(prefix) or prefix.startswith(WORDS[kind]):
            for number in each(find_sites(state, state.turn.seat, kind)):
                yield from _list_moves_at(state, state.turn.seat, kind, number, prefix)


def _list_moves_at(state: State, seat: int, kind: int, number: int, prefix: str) -> Iterator[Move]:
    board = state.setup.board
    head = _format_head(board, kind, number)
    if head.startswith(prefix):
        yield from ((kind, number, way) for way in find_ways(state, seat, kind, number))
    elif prefix.startswith(head):
        for way in find_ways(state, seat, kind, number):
            if format_move(board, (kind, number, way)).startswith(prefix):
                yield kind, number, way


def _format_head(board: Board, kind: int, number: int) -> str:
    return WORDS[kind] if kind in BARE else f"{WORDS[kind]} {board.names[number]}"


def format_move(board: Board, move: Move) -> str:
    """The notation of the move."""
    kind, number, way = move
    head = _format_head(board, kind, number)
    if not way:
        return head
    lists = board.lists[number]
    if kind == LAUNCH:
        return f"{head} demons {lists[way]}"
    come, go = lists[way & EVERY_DIRECTION], lists[way >> 6]
    return f"{head}{come and f' <{come}'}{go and f' >{go}'}"


def parse_move(state: State, text: str) -> Move:
    """The legal move in this notation; BadNotation or IllegalMove if there is none."""
    board, turn = state.setup.board, state.turn
    move = board.plain.get(text) or _read_lists(board, text)
    if move and isinstance(turn, Decision) and move[0] in find_kinds(state) and is_possible(state, turn.seat, move):
        return move
    if not move and not _is_readable(board, text):
        raise BadNotation(text, state.ply, explain_notation(board, text))
    raise IllegalMove(text, state.ply, *explain(state, text))


def _read_lists(board: Board, text: str) -> Move | None:
    """The move, legal or not, of a text with lists.

    None if the text is not well-formed, or lists a field that is not a neighbour.
    """
    words = text.split(" ")
    length = len(words)
    if not 3 <= length <= 4 or words[1] not in board.numbers:
        return None
    kind, number, spelled = KINDS_BY_WORD.get(words[0]), board.numbers[words[1]], board.spelled[words[1]]
    if kind == LAUNCH:
        way = spelled.get(f"<{words[3]}") if length == 4 and words[2] == "demons" else None
        return None if way is None else (kind, number, way)
    way = spelled.get(words[2])
    if kind not in BUILD or way is None:
        return None
    if length == 3:
        return kind, number, way
    last = spelled.get(words[3], 0)
    return (kind, number, way | last) if way <= EVERY_DIRECTION < last else None


def _is_readable(board: Board, text: str) -> bool:
    """Whether a text matches the grammar, with all fields on the board and all lists in order."""
    found = GRAMMAR.fullmatch(text)
    lists = [listed.split(",") for listed in found.groups() if listed] if found else []
    if not all(name in board.numbers for names in lists for name in names):
        return False
    numbers = [[board.numbers[name] for name in names] for names in lists]
    return bool(found) and all(listed == sorted(set(listed)) for listed in numbers)
