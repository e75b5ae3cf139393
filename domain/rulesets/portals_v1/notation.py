"""The notation of moves of Portals, and why a text is not a legal move."""

import re
from collections.abc import Iterator

from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.ruleset import Decision, Over
from plyscribe.domain.rulesets.portals_v1.actions import BUILD, find_kinds, find_sites, find_ways, is_possible
from plyscribe.domain.rulesets.portals_v1.board import EVERY_DIRECTION, Board, each, find_passage
from plyscribe.domain.rulesets.portals_v1.moves import BARE, EXIT, LAUNCH, PORTAL, WORDS, Move
from plyscribe.domain.rulesets.portals_v1.state import DEMONS, State

KINDS_BY_WORD = {word: kind for kind, word in enumerate(WORDS)}

FIELD = "[a-z][1-9][0-9]*"
LIST = f"{FIELD}(?:,{FIELD})*"
GRAMMAR = re.compile(
    rf"(?:portal|platform) ({FIELD})(?: <({LIST}))?(?: >({LIST}))?|launch ({FIELD}) demons ({LIST})", re.ASCII
)

Breach = tuple[str, str]
"""A rule, and how a move breaks it."""


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
        last = board.names[max(board.names)]
        raise BadNotation(text, state.ply, f"portal, platform or launch with fields a1..{last}, enter or exit")
    raise IllegalMove(text, state.ply, *_explain(state, text, move))


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


def _explain(state: State, text: str, move: Move | None) -> Breach:
    """A rule that a well-formed text breaks, and how."""
    if isinstance(state.turn, Over):
        return "PO11", "the match is over"
    if not isinstance(state.turn, Decision):
        return "PO3" if state.contest else "PO19", "a roll is due"
    if move is None:
        build = not text.startswith("launch")
        return ("PO4", "arrows must join neighbours") if build else ("PO16", "demons must go to exits of the portal")
    if move[0] not in find_kinds(state):
        return _explain_kind(state, state.turn.seat, move[0])
    if move[0] in BUILD:
        return _explain_build(state, state.turn.seat, move)
    if move[0] == LAUNCH:
        return _explain_launch(state, state.turn.seat, move)
    if not state.pool[state.turn.seat]:
        return "PO7", "the pool is empty"
    return "PO10", "the seat's START cannot take a pawn"


def _explain_kind(state: State, seat: int, kind: int) -> Breach:
    on_center = state.pawns[seat] >> state.setup.board.center & 1
    if state.d8 and not (state.d8 == 8 and (on_center or kind == EXIT)):
        return "PO19", f"a roll of {state.d8} allows {' or '.join(WORDS[kind] for kind in find_kinds(state))}"
    if kind == EXIT:
        return "PO8", "no pawn of the seat is on CENTER"
    return "PO8", "the seat's pawn on CENTER must exit first"


def _explain_build(state: State, seat: int, move: Move) -> Breach:
    kind, number, way = move
    board = state.setup.board
    if (state.platforms | state.portals) >> number & 1:
        return "PO4", f"{board.names[number]} is not empty"
    if not way:
        return "PO4", "a new element needs at least one arrow"
    if way & way >> 6:
        return "PO4", "two elements can have only one arrow between them"
    joined = board.reach[way & EVERY_DIRECTION | way >> 6] << number - board.origin
    if kind == PORTAL and joined & state.setup.foreign[seat]:
        return "PO5", "a portal may not be connected to the START of another seat"
    return "PO4", f"arrows must join a {WORDS[kind]} to neighbouring {'platforms' if kind == PORTAL else 'portals'}"


def _explain_launch(state: State, seat: int, move: Move) -> Breach:
    _, number, way = move
    board, name = state.setup.board, state.setup.board.names[move[1]]
    if not state.portals >> number & 1:
        return "PO6", f"there is no portal on {name}"
    entries, exits = find_passage(board, state.net, number)
    demons = entries & state.pawns[DEMONS]
    if entries & ~(state.pawns[seat] | demons):
        return "PO15" if state.setup.demons else "PO6", "not every entry has a pawn of the seat"
    count, places = demons.bit_count(), exits.bit_count()
    if count > places > 0:
        return "PO17", f"{places} exits cannot take {count} demons"
    if way.bit_count() != (count if 0 < count < places else 0):
        return "PO16", "when own pawns arrive too, the move must name one exit for each demon"
    if board.reach[way] << number - board.origin & ~exits:
        return "PO16", "demons must go to exits of the portal"
    if state.pool[seat] + entries.bit_count() < places and not (state.setup.demons and not entries):
        return "PO6", "the pool cannot pay for all exits"
    return "PO10", "an exit cannot take the pawn that it would get"
