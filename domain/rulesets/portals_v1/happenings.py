"""What a step of Portals did, in order."""

from collections.abc import Iterator

from plyscribe.domain.contest import OUT, Contest
from plyscribe.domain.effects import LEFT, ROLLED, Effect, EffectKind, Moved, Rolled, Step, Withdrew, list_end_kinds
from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets.portals_v1.actions import find_flow
from plyscribe.domain.rulesets.portals_v1.board import EVERY_DIRECTION, Board, each
from plyscribe.domain.rulesets.portals_v1.moves import ENTER, LAUNCH, PLATFORM, PORTAL, WORDS, Move
from plyscribe.domain.rulesets.portals_v1.state import END_CLAUSES, State, count_pawns
from plyscribe.domain.rulesets.portals_v1.turns import find_next

PIECES = PAWN, DEMON = ("pawn", "demon")
ENTRY, EXIT = "entry", "exit"
POOL = "pool"

BY_ROLL = ("first", "build", "build", "build", "launch", "launch", "launch", "enter", "enter")
"""What each roll is for (PO19), unless a pawn on CENTER must exit; first, a roll for who plays first."""
ROLL_WORDS = ("first", "build", "launch", "enter", EXIT)

EFFECT_KINDS = (
    EffectKind("placed", ("PO4",), ("seat", "piece", "target"), pieces=("portal", "platform")),
    EffectKind("joined", ("PO4",), ("seat", "source", "target", "word"), words=(ENTRY, EXIT)),
    EffectKind("launched", ("PO6",), ("seat", "target")),
    EffectKind("consumed", ("PO6", "PO15"), ("seat", "piece", "source"), pieces=PIECES),
    EffectKind("banished", ("PO17",), ("seat", "source")),
    EffectKind("summoned", ("PO14",), ("seat", "target")),
    EffectKind("arrived", ("PO6", "PO16"), ("seat", "piece", "target"), pieces=PIECES),
    EffectKind("returned", ("PO6", "PO16"), ("seat", "target", "amount")),
    EffectKind("supplied", ("PO6", "PO16"), ("seat", "source", "amount")),
    EffectKind("entered", ("PO7",), ("seat", "source", "target")),
    EffectKind("exited", ("PO8",), ("seat", "source", "target")),
    EffectKind("centered", ("PO8",), ("seat",)),
    EffectKind("passed", ("PO9", "PO20"), ("owner",)),
    EffectKind(ROLLED, ("PO3", "PO19"), ("seat", "amount", "word"), words=ROLL_WORDS),
    EffectKind("tied", ("PO3", "PO13"), ("owner",)),
    EffectKind("outrolled", ("PO3", "PO13"), ("owner",)),
    EffectKind("started", ("PO3", "PO13"), ("owner",)),
    EffectKind("removed", ("PO13",), ("owner", "source", "target", "amount")),
    EffectKind("lapsed", ("PO13",), ("owner",)),
    *list_end_kinds(END_CLAUSES, leaving="PO13"),
)


def list_effects(before: State, step: Step, after: State) -> Iterator[Effect]:
    """The effects of the step, without those of an end of the match."""
    match step:
        case Moved(move):
            yield from _list_move(before, move, after)
        case Rolled(values):
            yield from _list_roll(before, values[0], after)
        case Withdrew(seat):
            yield from _list_withdrawal(before, seat, after)


def _list_move(before: State, move: Move, after: State) -> Iterator[Effect]:
    assert isinstance(before.turn, Decision)
    (kind, number, _), seat, board = move, before.turn.seat, before.setup.board
    if kind <= PLATFORM:
        yield from _list_build(board, seat, move)
    elif kind == LAUNCH:
        yield Effect("launched", "PO6", True, seat, target=board.names[number])
        yield from _list_passage(before, seat, move)
    elif kind == ENTER:
        yield Effect("entered", "PO7", True, seat, source=POOL, target=board.names[before.setup.starts[seat]])
    else:
        yield Effect("exited", "PO8", True, seat, source=board.names[board.center], target=POOL)
        if after.centered != before.centered:
            yield Effect("centered", "PO8", seat=seat)
    yield from _list_passed(after, seat)


def _list_build(board: Board, seat: int, move: Move) -> Iterator[Effect]:
    kind, number, way = move
    name, names, shift = board.names[number], board.names, number - board.origin
    yield Effect("placed", "PO4", True, seat, piece=WORDS[kind], target=name)
    come, go = (ENTRY, EXIT) if kind == PORTAL else (EXIT, ENTRY)
    for other in each(board.reach[way & EVERY_DIRECTION] << shift):
        yield Effect("joined", "PO4", True, seat, source=names[other], target=name, word=come)
    for other in each(board.reach[way >> 6] << shift):
        yield Effect("joined", "PO4", True, seat, source=name, target=names[other], word=go)


def _list_passage(before: State, seat: int, move: Move) -> Iterator[Effect]:
    """What a launch does: the entries are left, the pool pays, the exits are reached, and surplus pawns return."""
    names, chosen = before.setup.board.names, bool(move[2])
    off, on, demons_off, demons_on = find_flow(before, seat, move)
    rule = "PO16" if demons_off and (on or demons_on) else "PO6"
    for number in each(off):
        yield Effect("consumed", "PO6", False, seat, piece=PAWN, source=names[number])
    for number in each(demons_off):
        if on or demons_on:
            yield Effect("consumed", "PO15", False, seat, piece=DEMON, source=names[number])
        else:
            yield Effect("banished", "PO17", False, seat, source=names[number])
    surplus = off.bit_count() - on.bit_count()
    if surplus < 0:
        yield Effect("supplied", rule, False, seat, source=POOL, amount=-surplus)
    for number in each(demons_on):
        if demons_off:
            yield Effect("arrived", "PO16", chosen, seat, piece=DEMON, target=names[number])
        else:
            yield Effect("summoned", "PO14", False, seat, target=names[number])
    for number in each(on):
        yield Effect("arrived", rule, False, seat, piece=PAWN, target=names[number])
    if surplus > 0:
        yield Effect("returned", rule, False, seat, target=POOL, amount=surplus)


def _list_passed(after: State, seat: int) -> Iterator[Effect]:
    """The seats between this one and the next that can act (PO9). With dice every seat rolls."""
    if not isinstance(after.turn, Decision):
        return
    while (seat := find_next(after, seat)) != after.turn.seat:
        yield Effect("passed", "PO9", owner=seat)


def _list_roll(before: State, value: int, after: State) -> Iterator[Effect]:
    assert isinstance(before.turn, Roll)
    seat = before.turn.seat
    assert seat
    if before.contest:
        yield Effect(ROLLED, "PO3", seat=seat, amount=value, word=BY_ROLL[0])
        yield from _list_contest((*before.contest[: seat - 1], value, *before.contest[seat:]), after, "PO3")
        return
    exits = value == 8 and before.pawns[seat] >> before.setup.board.center & 1
    yield Effect(ROLLED, "PO19", seat=seat, amount=value, word=EXIT if exits else BY_ROLL[value])
    if after.d8 is None:
        yield Effect("passed", "PO20", owner=seat)


def _list_contest(rolls: Contest, after: State, clause: str) -> Iterator[Effect]:
    """What became of the contest once it had these entries."""
    if isinstance(after.turn, Over):
        return
    if after.contest is None:
        yield Effect("started", clause, owner=after.turn.seat)
        return
    for seat, (was, now) in enumerate(zip(rolls, after.contest, strict=True), 1):
        if was != now:
            yield Effect("outrolled" if now == OUT else "tied", clause, owner=seat)


def _list_withdrawal(before: State, seat: int, after: State) -> Iterator[Effect]:
    names = before.setup.board.names
    yield Effect(LEFT, "PO13", owner=seat)
    for number in each(before.pawns[seat]):
        pawns = count_pawns(before, number)
        yield Effect("removed", "PO13", owner=seat, source=names[number], target=POOL, amount=pawns)
    if before.contest:
        yield from _list_contest((*before.contest[: seat - 1], OUT, *before.contest[seat:]), after, "PO13")
    if isinstance(after.turn, Over):
        return
    if before.d8 and not after.d8:
        yield Effect("lapsed", "PO13", owner=seat)
    if isinstance(before.turn, Decision) and before.turn.seat == seat:
        yield from _list_passed(after, seat)
