"""Pathagon: join two opposite edges with a chain of pieces, and trap enemy pieces between two of your own.

docs/rulesets/pathagon.md has the rules PA1..PA11.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, compress, product
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from plyscribe.domain.effects import Effect, EffectKind, list_end_kinds
from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.options import Integer, options_schema, parse_options
from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import MATCH_OVER, Duel, Over, RandBelow, Symmetry, evaluate_over, require_seats

SIZE = Integer("size", 7, 5, 9)
PIECES = Integer("pieces", None, 5, 38)  # over all sizes; each size has a narrower range
PLY_LIMIT = Integer("ply_limit", 400, 1, nullable=True)

PATH = (Over("path", (1, 2)), Over("path", (2, 1)))
DRAW = Over("ply-limit", (1, 1))  # PA11

END_CLAUSES = MappingProxyType({"path": "PA10", "ply-limit": "PA11"})

EFFECT_KINDS = (
    EffectKind("placed", ("PA4",), ("seat", "target")),
    EffectKind("moved", ("PA4",), ("seat", "source", "target")),
    EffectKind("trapped", ("PA8",), ("seat", "owner", "source")),
    EffectKind("closed", ("PA6",), ("owner", "target")),
    EffectKind("rested", ("PA5",), ("owner", "target")),
    *list_end_kinds(END_CLAUSES),
)

LOW = 2**30 - 1
"""The set of the first thirty bits."""

BINARY_DIGITS = bytes.maketrans(b"01", b"\0\1")


Move = tuple[int, int]
"""The source square (0: the reserve) and the target square."""


def _pieces_on(size: int) -> Integer:
    most = (size * size - 4) // 2
    return Integer("pieces", min(14, most), size, most)


@dataclass(frozen=True, slots=True)
class Board:
    """The geometry of one size. A square is a number with one bit, and a set of squares is the sum of its squares.

    Bits on a board of size 5: a column takes one bit more than it has squares. The bit above its top square is never
    set, so a shift by 1 or by `stride` never lands in another column or row.

        5 | 4  10  16  22  28
        4 | 3   9  15  21  27
        3 | 2   8  14  20  26
        2 | 1   7  13  19  25
        1 | 0   6  12  18  24
            a   b   c   d   e
    """

    size: int
    stride: int = field(compare=False, repr=False)
    names: dict[int, str] = field(compare=False, repr=False)
    """The name of each square, in the order of notation."""
    squares: tuple[int, ...] = field(compare=False, repr=False)
    spelled: dict[str, Move] = field(compare=False, repr=False)
    """Every well-formed move, by its notation."""
    everywhere: int = field(compare=False, repr=False)
    beside: dict[int, int] = field(compare=False, repr=False)
    """The set of squares that share a side with a square."""
    traps: dict[int, tuple[tuple[int, int], ...]] = field(compare=False, repr=False)
    """For each direction from a square: the square of the prey, and the square of the partner behind it."""
    behind: dict[int, int] = field(compare=False, repr=False)
    """The set of these partners' squares."""
    edges: tuple[tuple[int, int], tuple[int, int]] = field(compare=False, repr=False)
    """The two edges that seat 1 joins, and those that seat 2 joins."""
    placements: tuple[Move, ...] = field(compare=False, repr=False)
    """A placement for each bit."""
    shifts: tuple[tuple[Move, ...], ...] = field(compare=False, repr=False)
    """For each source bit, a move to each target bit. Listing moves picks from these tuples and makes none."""


@cache
def lay_board(size: int) -> Board:
    """The board with `size` squares on a side."""
    stride = size + 1
    names = {1 << i * stride + j: f"{chr(97 + i)}{j + 1}" for i, j in product(range(size), repeat=2)}  # PA1
    bottom, left = sum(1 << i * stride for i in range(size)), (1 << size) - 1
    everywhere = sum(names)
    traps = {square: tuple(_pairs(square, stride, names)) for square in names}
    bits = [1 << i for i in range(size * stride)]
    return Board(
        size,
        stride,
        names,
        squares=tuple(names),
        spelled=_spell_moves(names),
        everywhere=everywhere,
        beside={square: _grow(square, stride) & everywhere for square in names},
        traps=traps,
        behind={square: sum(partner for _, partner in pairs) for square, pairs in traps.items()},
        edges=((bottom, bottom << size - 1), (left, left << stride * (size - 1))),  # PA2
        placements=tuple((0, target) for target in bits),
        shifts=tuple(tuple((source, target) for target in bits) for source in bits),
    )


def _spell_moves(names: dict[int, str]) -> dict[str, Move]:
    placements = {name: (0, square) for square, name in names.items()}
    pairs = product(names.items(), repeat=2)
    return placements | {f"{come}-{go}": (source, target) for (source, come), (target, go) in pairs}


def _pairs(square: int, stride: int, names: dict[int, str]) -> Iterator[tuple[int, int]]:
    for step in (1, stride):
        for prey, partner in ((square << step, square << 2 * step), (square >> step, square >> 2 * step)):
            if prey in names and partner in names:
                yield prey, partner


def _grow(squares: int, stride: int) -> int:
    return squares << 1 | squares >> 1 | squares << stride | squares >> stride  # PA3


def _flood(squares: int, pieces: int, stride: int) -> int:
    """The squares, and all `pieces` joined to them by chains."""
    reached = 0
    while squares != reached:
        reached = squares
        squares |= (squares << 1 | squares >> 1 | squares << stride | squares >> stride) & pieces
    return reached


class Setup(NamedTuple):
    """What stays the same in a match."""

    board: Board
    pieces: int
    ply_limit: int | None


class State(NamedTuple):
    """A position as the seat on turn sees it: `own` are its pieces, `enemy` those of the other seat.

    `closed` are the squares of PA6. `resting` is the piece of PA5 and `resting_other` that of the other seat; 0 means
    none.
    """

    setup: Setup
    ply: int
    own: int
    enemy: int
    closed: int
    resting: int
    resting_other: int
    over: Over | None


class PathagonV1(Duel[State, Move]):
    """Pathagon, version 1."""

    id = "pathagon"
    version = 1
    title = "Pathagon"
    presets = MappingProxyType({"small": {"size": 5}})
    effect_kinds = EFFECT_KINDS
    end_clauses = END_CLAUSES
    behaviour = "ca39132673d514f32cc5986a95dc92dd652a1db683f824dcc0860be12ba4c856"
    released = True

    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        size = parse_options({"size": raw.get("size", SIZE.default)}, [SIZE])["size"]
        return parse_options(raw, [SIZE, _pieces_on(size), PLY_LIMIT])

    def options_schema(self) -> dict[str, Any]:
        return options_schema([SIZE, PIECES, PLY_LIMIT])

    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        require_seats(self, seats)
        setup = Setup(lay_board(options["size"]), options["pieces"], options["ply_limit"])
        return State(setup, 0, 0, 0, 0, 0, 0, None)

    def legal_moves(self, state: State, prefix: str = "") -> Iterator[Move]:
        if state.over:
            return iter(())
        (board, pieces, _), _, own, enemy, closed, resting, _, _ = state
        # At least four squares are always open, so the getter returns a tuple.
        pick = itemgetter(*_bits(board.everywhere & ~(own | enemy | closed)))
        if own.bit_count() < pieces:
            moves = iter(pick(board.placements))
        else:
            moves = chain.from_iterable(map(pick, map(board.shifts.__getitem__, _bits(own & ~resting))))
        return self._starting_with(prefix, state, moves)

    def sample_move(self, state: State, randbelow: RandBelow) -> Move:
        """A legal move, uniformly distributed: targets are drawn until one is open, the piece only once."""
        (board, pieces, _), _, own, enemy, closed, resting, _, _ = state
        squares, taken = board.squares, own | enemy | closed
        count = len(squares)
        if own.bit_count() < pieces:
            while (target := squares[randbelow(count)]) & taken:
                pass
            return 0, target
        source = own ^ resting
        drawn = randbelow(count * source.bit_count())
        target = squares[drawn % count]
        while target & taken:
            target = squares[randbelow(count)]
        return _pick_square(source, drawn // count), target

    def parse_move(self, state: State, text: str) -> Move:
        board = state.setup.board
        move = board.spelled.get(text)
        if move is None:
            last = board.names[board.squares[-1]]
            raise BadNotation(text, state.ply, say("a square a1..{last}, or two squares as in a1-b2", last=last))
        breach = _find_breach(state, move)
        if breach:
            raise IllegalMove(text, state.ply, *breach)
        return move

    def format_move(self, state: State, move: Move) -> str:
        names = state.setup.board.names
        source, target = move
        return f"{names[source]}-{names[target]}" if source else names[target]

    def apply_move(self, state: State, move: Move) -> State:
        setup, ply, own, enemy, _, _, resting, _ = state
        board = setup.board
        source, target = move
        own = own ^ source | target
        beside = board.beside[target]
        trapped = 0
        if beside & enemy and board.behind[target] & own:
            for prey, partner in board.traps[target]:
                if partner & own and prey & enemy:  # PA8, PA9
                    trapped |= prey
            enemy ^= trapped
            resting &= ~trapped
        ply += 1
        moved = source and target
        # State(...) takes twice as long.
        after = tuple.__new__(State, (setup, ply, enemy, own, trapped, resting, moved, None))
        if joined := own & beside:
            low, high = board.edges[~ply & 1]
            # A new chain runs through the target, which joins two more pieces there, or one piece to the edge.
            if joined & (joined - 1) or target & (low | high):
                reached = _flood(target | joined, own, board.stride)
                if reached & low and reached & high:
                    return self.end(after, PATH[~ply & 1])  # PA10
        return self.end(after, DRAW) if ply == setup.ply_limit else after

    def end(self, state: State, over: Over) -> State:
        return state._replace(closed=0, resting=0, resting_other=0, over=over)

    def standing(self, state: State) -> tuple[int, ...]:
        return state.over.ranks if state.over else DRAW.ranks  # PA11

    def evaluate(self, state: State, seat: int) -> int:
        """First how many pieces fewer than the enemy the seat needs for its path, then how many more it has."""
        if state.over:
            return evaluate_over(state.over, seat)
        one, two = _sides(state)
        board = state.setup.board
        ahead = 10 * (_distance(board, 1, two, one) - _distance(board, 0, one, two)) + one.bit_count() - two.bit_count()
        return ahead if seat == 1 else -ahead

    def view(self, state: State) -> dict[str, Any]:
        names = state.setup.board.names
        return {
            **self._view_head(state),
            "board": _rows(state),
            "reserve": [state.setup.pieces - pieces.bit_count() for pieces in _sides(state)],
            "closed": [names[square] for square in _squares(state.closed)],
            "resting": names.get(state.resting),
            "resting_other": names.get(state.resting_other),
        }

    def render_text(self, state: State) -> str:
        view = self.view(state)
        size = state.setup.board.size
        columns = "   " + " ".join("abcdefghi"[:size])
        rows = [
            f"{row}  {' '.join(squares)}  {row}" for row, squares in zip(range(size, 0, -1), view["board"], strict=True)
        ]
        notes = [
            f"Reserve: {view['reserve'][0]} of seat 1 (bottom to top), {view['reserve'][1]} of seat 2 (left to right)."
        ]
        if view["closed"]:
            notes.append(f"Closed: {' '.join(view['closed'])}.")
        if resting := sorted(filter(None, (view["resting"], view["resting_other"]))):
            notes.append(f"Resting: {' '.join(resting)}.")
        return "\n".join([columns, *rows, columns, "", *notes])

    def symmetries(self, state: State) -> Sequence[Symmetry[State, Move]]:
        """Both mirrors and the half turn: each seat keeps its two edges. A quarter turn would swap the seats' edges."""
        return _list_symmetries(state.setup.board.size)

    def _list_move_effects(self, before: State, move: Move, after: State) -> Iterator[Effect]:
        names, (source, target) = before.setup.board.names, move
        seat, other = (2, 1) if before.ply & 1 else (1, 2)
        if source:
            yield Effect("moved", "PA4", True, seat, source=names[source], target=names[target])
        else:
            yield Effect("placed", "PA4", True, seat, target=names[target])
        trapped = before.enemy ^ after.own
        if trapped:
            yield from (Effect("trapped", "PA8", False, seat, other, source=names[s]) for s in _squares(trapped))
        if after.closed:
            yield from (Effect("closed", "PA6", owner=other, target=names[s]) for s in _squares(after.closed))
        if after.resting_other:
            yield Effect("rested", "PA5", owner=seat, target=names[target])


@cache
def _list_symmetries(size: int) -> tuple[Symmetry[State, Move], ...]:
    last = size - 1
    return (
        _make_symmetry("mirror-columns", size, lambda i, j: (last - i, j)),
        _make_symmetry("mirror-rows", size, lambda i, j: (i, last - j)),
        _make_symmetry("half-turn", size, lambda i, j: (last - i, last - j)),
    )


def _make_symmetry(name: str, size: int, place: Callable[[int, int], tuple[int, int]]) -> Symmetry[State, Move]:
    stride = size + 1
    images = {0: 0}
    for i, j in product(range(size), repeat=2):
        column, row = place(i, j)
        images[1 << i * stride + j] = 1 << column * stride + row

    def map_squares(squares: int) -> int:
        return sum(map(images.__getitem__, _squares(squares)))

    def map_state(state: State) -> State:
        return state._replace(
            own=map_squares(state.own),
            enemy=map_squares(state.enemy),
            closed=map_squares(state.closed),
            resting=images[state.resting],
            resting_other=images[state.resting_other],
        )

    return Symmetry(name, map_state, lambda move: (images[move[0]], images[move[1]]))


def _pick_square(squares: int, rank: int) -> int:
    """The square with `rank` squares before it, in the order of notation.

    Thirty bits at a time: that takes fewer steps, and Python is quicker with numbers below 2^30.
    """
    part, shift = squares & LOW, 0
    while (before := part.bit_count()) <= rank:
        rank, shift = rank - before, shift + 30
        part = squares >> shift & LOW
    for _ in range(rank):
        part &= part - 1
    return (part & -part) << shift


def _squares(squares: int) -> Iterator[int]:
    """The squares one by one, in the order of notation."""
    while squares:
        yield squares & -squares
        squares &= squares - 1


def _bits(squares: int) -> Iterator[int]:
    """The positions of the set bits, ascending."""
    return compress(range(90), bin(squares)[:1:-1].encode().translate(BINARY_DIGITS))


def _find_breach(state: State, move: Move) -> tuple[str, Phrase] | None:
    """A rule that the move breaks, and how; None when the move is legal."""
    (board, pieces, _), _, own, enemy, closed, resting, _, over = state
    source, target = move
    come, go = board.names.get(source, ""), board.names[target]
    if over:
        return END_CLAUSES.get(over.reason, "PA10"), MATCH_OVER
    if own.bit_count() < pieces:
        if source:
            return "PA4", say("a piece is in reserve. Place it: name one empty square.")
    elif not source:
        return "PA4", say("the reserve is empty. Move a piece on the board: name two squares.")
    elif not source & own:
        return "PA4", say("{from} has no piece of the seat on turn. Start from one of its own.", **{"from": come})
    elif source == resting:
        return "PA5", say("the piece on {from} moved in its seat's last turn. Move another one.", **{"from": come})
    if target & (own | enemy):
        return "PA4", say("{to} is not empty. Choose an empty square.", to=go)
    if target & closed:
        return "PA6", say("{to} is closed for this turn: a piece was just trapped there. Choose another square.", to=go)
    return None


def _distance(board: Board, index: int, own: int, enemy: int) -> int:
    """How many more pieces the seat needs to join its edges, at most two for each row. Traps are ignored."""
    low, high = board.edges[index]
    open = board.everywhere & ~enemy
    reached = _flood(own & low, own, board.stride)
    for missing in range(2 * board.size):
        if reached & high:
            return missing
        reached = _flood((reached | low | _grow(reached, board.stride)) & open, own, board.stride)
    return 2 * board.size


def _sides(state: State) -> tuple[int, int]:
    """The pieces of seat 1, and those of seat 2."""
    return (state.enemy, state.own) if state.ply & 1 else (state.own, state.enemy)


def _rows(state: State) -> list[str]:
    (size, stride), (one, two) = (state.setup.board.size, state.setup.board.stride), _sides(state)
    # A decimal number with a digit for each square, and for the gap after each column.
    marks = f"{int(f'{one:b}') + 2 * int(f'{two:b}'):0{size * stride}}"[::-1].replace("0", ".")
    return [marks[row::stride] for row in reversed(range(size))]


PATHAGON_V1 = PathagonV1()
